#include "cli/pages.h"

#include <assert.h>
#include <string.h>

#include "base/str.h"
#include "cli/out.h"

#define COLUMNS  80U
#define TEXT_MAX 65536U
#define CODES    200U

const char *pmg_page_find(int code)
{
	const struct pmg_page *page;

	for (page = pmg_pages; page->code; page++)
		if (page->code == code)
			return page->text;
	return NULL;
}

static int unknown(const char *word, struct pmg_err *err)
{
	pmg_autofree char *shown = pmg_out_quote(word);
	char names[CODES][PMG_DIAG_LEN];
	const char *words[CODES + 1], *near;
	size_t n;

	for (n = 0; n < CODES && pmg_pages[n].code; n++) {
		pmg_diag_text(pmg_pages[n].code, names[n]);
		words[n] = names[n];
	}
	words[n] = NULL;
	near = pmg_str_nearest(word, words);
	(void)pmg_err_set(err, PMG_E_USAGE, 0, "there is no code \"%s\"", shown);
	if (near)
		return pmg_err_hint(err, "did you mean %s?", near);
	return pmg_err_hint(err, "codes look like PMG2001; they stand in brackets in messages");
}

int pmg_page_parse(const char *word, int *code, struct pmg_err *err)
{
	const char *digits = pmg_str_has_prefix_nocase(word, "PMG") ? word + 3 : word;
	uint64_t n;

	if (strlen(digits) != 4 || pmg_parse_uint(digits, 9999, &n) < 0 || !pmg_page_find((int)n))
		return unknown(word, err);
	*code = (int)n;
	return 0;
}

/* Where plain text goes: words are moved to the next line when they would not fit. */
struct column {
	struct pmg_str text;
	size_t at;     /* column */
	size_t indent; /* of lines that go on */
	bool fenced;   /* code: its lines stay as they are */
};

static void put(struct column *column, const char *bytes, size_t len)
{
	int r = pmg_str_add(&column->text, bytes, len);

	assert(r == 0); /* pages are ours, and short */
}

static void put_line_end(struct column *column)
{
	put(column, "\n", 1);
	column->at = 0;
}

static void put_word(struct column *column, const char *word, size_t len)
{
	static const char blanks[] = "        ";

	if (column->at > 0 && column->at + 1 + len > COLUMNS) {
		put_line_end(column);
		put(column, blanks, column->indent);
		column->at = column->indent;
	} else if (column->at > column->indent) {
		put(column, " ", 1);
		column->at++;
	}
	put(column, word, len);
	column->at += len;
}

/* Words of one line; emphasis and the addresses of links are left out. */
static void put_words(struct column *column, const char *line, size_t len)
{
	char word[COLUMNS * 4];
	size_t i, n = 0;
	bool code = false, address = false;

	for (i = 0; i < len; i++) {
		char c = line[i];

		if (c == '`')
			code = !code;
		if (address) {
			address = c != ')';
		} else if (!code && c == ']' && i + 1 < len && line[i + 1] == '(') {
			address = true;
		} else if (c == ' ') {
			if (n)
				put_word(column, word, n);
			n = 0;
		} else if ((code || !strchr("*[]", c)) && n < sizeof word) {
			word[n++] = c;
		}
	}
	if (n)
		put_word(column, word, n);
}

/* @return was it a line of code, or one of the marks around it? */
static bool put_code(struct column *column, const char *line, size_t len)
{
	size_t blanks = strspn(line, " ");
	bool mark = strncmp(line + blanks, "```", 3) == 0;

	if (mark && column->at > 0)
		put_line_end(column);
	if (!mark && column->fenced) {
		put(column, line, len);
		put_line_end(column);
	}
	column->fenced = column->fenced != mark;
	return mark || column->fenced;
}

static void put_line(struct column *column, const char *line, size_t len)
{
	bool item = len > 2 && line[0] == '-' && line[1] == ' ';

	if (put_code(column, line, len))
		return;
	if (len == 0 || item || line[0] == '#') {
		if (column->at > 0)
			put_line_end(column);
		column->indent = 0;
	}
	if (len == 0) {
		put_line_end(column);
		return;
	}
	if (item) {
		put(column, "  - ", 4);
		column->at = column->indent = 4;
		line += 2;
		len -= 2;
	}
	while (len > 0 && (*line == '#' || *line == ' ')) {
		line++;
		len--;
	}
	put_words(column, line, len);
}

char *pmg_page_text(const char *markdown)
{
	struct column column = { .text = PMG_STR_INIT(TEXT_MAX) };

	while (*markdown) {
		size_t len = strcspn(markdown, "\n");

		put_line(&column, markdown, len);
		markdown += len + (markdown[len] == '\n');
	}
	if (column.at > 0)
		put_line_end(&column);
	return pmg_str_steal(&column.text);
}
