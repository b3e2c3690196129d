#include "pm/requirements.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/str.h"
#include "pm/args.h"
#include "pm/encoding.h"
#include "pm/managers.h"

#define LINE_MAX_BYTES 67108864U /* of a line that backslashes join: a whole file of hashes */

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '.' || c == '_' || c == '-';
}

/* "name[extras] REST": where REST begins. */
static const char *behind_name(const char *word, size_t *name_len)
{
	const char *p = word;

	while (is_name(*p))
		p++;
	*name_len = (size_t)(p - word);
	p += strspn(p, " \t");
	if (*p == '[')
		p += strcspn(p, "]") + (p[strcspn(p, "]")] == ']');
	return p + strspn(p, " \t");
}

/* "name[extras] @ address": end of the name, and where the address begins; NULL when it is not. */
static const char *split_at(const char *word, size_t *name_len)
{
	const char *p = behind_name(word, name_len);

	if (*name_len == 0 || *p != '@')
		return NULL;
	return p + 1 + strspn(p + 1, " \t");
}

int pmg_requirements_word(const char *word, unsigned line, pmg_requirements_fn *fn, void *ctx)
{
	struct pmg_requirement found = { .line = line };
	pmg_autofree char *name = NULL;
	pmg_autofree char *value = NULL;
	const char *address;
	size_t n = 0;

	address = split_at(word, &n);
	if (address)
		name = pmg_xstrndup(word, n);
	else
		address = word;
	/* An address ends at a blank: " ; marker", " --hash=..." follow. */
	value = pmg_xstrndup(address, strcspn(address, " \t"));
	if (!name && !strstr(value, "://") && value[0] != '.' && !strchr(value, '/') &&
	    strncmp(value, "file:", 5) != 0)
		return 0; /* a name and version: from the index */
	found.name = name;
	found.value = value;
	return *value ? fn(ctx, &found) : 0;
}

/* Options of a line, as on pip's command line; quotes around a word go. */
static int take_options(const char *text, unsigned line, pmg_requirements_fn *fn, void *ctx)
{
	pmg_auto(strv) struct pmg_strv words = { 0 };
	pmg_auto(args) struct pmg_args args = { .table = &pmg_pip_args };
	struct pmg_arg arg;
	int r = 0;

	pmg_strv_add(&words, "pip");
	pmg_strv_split(&words, text, " \t\"'");
	args.argv = pmg_strv_argv(&words);
	while (r == 0 && pmg_args_next(&args, &arg)) {
		struct pmg_requirement found = { .option = arg.name,
						 .value = arg.value,
						 .line = line };

		if (arg.kind == PMG_ARG_OPTION && arg.value)
			r = fn(ctx, &found);
	}
	return r;
}

/* The comment goes: "#" at the beginning or behind a blank. */
static void cut_comment(char *text)
{
	char *p;

	for (p = text; *p; p++)
		if (*p == '#' && (p == text || p[-1] == ' ' || p[-1] == '\t')) {
			*p = '\0';
			return;
		}
}

/* ${NAME} of a line; a variable that is not set or empty stays as it is, as pip has it. */
static char *expand(const char *text, const struct pmg_strv *env)
{
	pmg_auto(str) struct pmg_str out = PMG_STR_INIT(SIZE_MAX / 2);
	size_t n;
	int r = 0;

	for (; r == 0 && *text; text += n) {
		pmg_autofree char *name = NULL;
		const char *value = NULL;

		n = 1;
		if (strncmp(text, "${", 2) == 0) {
			size_t len = strspn(text + 2, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

			name = pmg_xstrndup(text + 2, len);
			value = text[2 + len] == '}' && len > 0 ? pmg_env_get(env, name) : NULL;
			if (value && *value)
				n = len + 3;
		}
		r = n > 1 ? pmg_str_adds(&out, value) : pmg_str_add(&out, text, 1);
	}
	if (r < 0)
		abort(); /* the limit is out of reach */
	return pmg_str_steal(&out);
}

/* What a line is handed to, and from where. */
struct reader {
	const struct pmg_strv *env;
	int (*take)(const char *text, unsigned line, const struct reader *reader);
	pmg_requirements_fn *fn;
	pmg_pin_fn *pin;
	void *ctx;
};

static int take_line(char *text, unsigned line, const struct reader *reader)
{
	pmg_autofree char *expanded = NULL;
	const char *begin;
	size_t n;

	cut_comment(text);
	expanded = expand(text, reader->env);
	n = strlen(expanded);
	while (n > 0 && isspace((unsigned char)expanded[n - 1]))
		expanded[--n] = '\0';
	begin = expanded + strspn(expanded, " \t");
	if (*begin == '\0')
		return 0;
	return reader->take(begin, line, reader);
}

/* How many bytes at p end a line; 0: none do. Python's str.splitlines() knows more of them than LF:
 * an option behind one of those would be part of a comment for us and a line for pip. */
static size_t end_at(const char *p, const char *text, const char *end)
{
	static const char *const marks[] = { "\r\n",     "\n",           "\r",          "\v",
					     "\f",       "\x1c",         "\x1d",        "\x1e",
					     "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9" };
	size_t i, n;

	if (*p >= ' ' && *p <= '~')
		return 0;
	for (i = 0; i < PMG_ARRAY_LEN(marks); i++) {
		n = strlen(marks[i]);
		if ((size_t)(end - p) >= n && memcmp(p, marks[i], n) == 0)
			return n;
	}
	/* U+0085 of a text that is no UTF-8 */
	return *p == '\x85' && (p == text || (unsigned char)p[-1] < 0x80);
}

/* The end of the line at p, and how many bytes that takes; 0: the text ends. */
static const char *line_end(const char *p, const char *text, const char *end, size_t *n)
{
	for (*n = 0; p < end; p++) {
		*n = end_at(p, text, end);
		if (*n > 0)
			break;
	}
	return p;
}

static bool is_comment(const char *line, size_t len)
{
	while (len > 0 && (*line == ' ' || *line == '\t')) {
		line++;
		len--;
	}
	return len > 0 && *line == '#';
}

/* One line to those before it. A line too long to be one is passed over, its tail too.
 * @return does the next one belong to it? */
static bool join_line(struct pmg_str *joined, const char *line, size_t len)
{
	bool comment = is_comment(line, len);
	bool goes_on = len > 0 && line[len - 1] == '\\' && !comment;

	while (goes_on && len > 0 && line[len - 1] == '\\')
		len--;
	/* A comment ends with its line, backslash or not, and is one behind any other line. */
	if ((comment && pmg_str_add(joined, " ", 1) < 0) || pmg_str_add(joined, line, len) < 0)
		pmg_str_clear(joined);
	return goes_on;
}

static int read_lines(const char *given, size_t given_len, const struct reader *reader)
{
	pmg_auto(str) struct pmg_str joined = PMG_STR_INIT(LINE_MAX_BYTES);
	size_t len = given_len;
	pmg_autofree char *plain = pmg_encoding_plain(given, given_len, &len);
	const char *text = plain ? plain : given, *end = text + len, *p = text, *eol;
	unsigned line = 0, first = 1;
	size_t n = 0;
	int r = 0;

	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		p += 3;
	for (; r == 0 && p < end; p = eol + n) {
		eol = line_end(p, text, end, &n);
		line++;
		if (joined.len == 0)
			first = line;
		if (join_line(&joined, p, (size_t)(eol - p)) && n > 0)
			continue;
		if (joined.len > 0)
			r = take_line(joined.s, first, reader);
		pmg_str_clear(&joined);
	}
	if (r == 0 && joined.len > 0)
		r = take_line(joined.s, first, reader);
	return r;
}

static int take_source(const char *text, unsigned line, const struct reader *reader)
{
	return *text == '-' ? take_options(text, line, reader->fn, reader->ctx)
			    : pmg_requirements_word(text, line, reader->fn, reader->ctx);
}

int pmg_requirements_parse(const char *text, size_t len, const struct pmg_strv *env,
			   pmg_requirements_fn *fn, void *ctx)
{
	const struct reader reader = { .env = env, .take = take_source, .fn = fn, .ctx = ctx };

	return read_lines(text, len, &reader);
}

/* "--hash=sha256:HEX", or "--hash sha256:HEX", of a line; "" for none. Caller frees. */
static char *hashes_of(const char *text)
{
	static const char option[] = "--hash";
	pmg_auto(str) struct pmg_str out = PMG_STR_INIT(LINE_MAX_BYTES);

	while ((text = strstr(text, option))) {
		size_t n;

		text += sizeof option - 1;
		text += strspn(text, "= \t\"'");
		n = strcspn(text, " \t\"'");
		if ((out.len > 0 && pmg_str_add(&out, " ", 1) < 0) ||
		    pmg_str_add(&out, text, n) < 0)
			break; /* the line has that limit */
	}
	return pmg_str_steal(&out);
}

static int take_pin(const char *text, unsigned line, const struct reader *reader)
{
	struct pmg_pin pin = { .line = line };
	pmg_autofree char *name = NULL;
	pmg_autofree char *version = NULL;
	pmg_autofree char *hashes = NULL;
	const char *p;
	size_t n = 0;

	p = behind_name(text, &n);
	p += strspn(p, " \t(");
	if (n == 0 || strncmp(p, "==", 2) != 0)
		return 0;
	p += strspn(p, "=");
	p += strspn(p, " \t");
	version = pmg_xstrndup(p, strcspn(p, " \t,;)#"));
	if (!version[0] || strchr(version, '*'))
		return 0; /* many versions */
	name = pmg_xstrndup(text, n);
	hashes = hashes_of(p);
	pin.name = name;
	pin.version = version;
	pin.hashes = hashes[0] ? hashes : NULL;
	return reader->pin(reader->ctx, &pin);
}

int pmg_requirements_pins(const char *text, size_t len, const struct pmg_strv *env, pmg_pin_fn *fn,
			  void *ctx)
{
	const struct reader reader = { .env = env, .take = take_pin, .pin = fn, .ctx = ctx };

	return read_lines(text, len, &reader);
}

static bool is_archive(const char *address)
{
	static const char *const suffixes[] = { ".whl", ".tar.gz", ".zip", ".tgz", ".tar.bz2" };
	pmg_autofree char *path = pmg_xstrndup(address, strcspn(address, "?#"));
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(suffixes); i++)
		if (pmg_str_has_suffix(path, suffixes[i]))
			return true;
	return false;
}

/* The name in "NAME @ " or "NAME[extra]@" before p, or NULL. */
static char *name_before(const char *text, const char *p)
{
	const char *end;

	while (p > text && (p[-1] == ' ' || p[-1] == '\t'))
		p--;
	if (p == text || p[-1] != '@')
		return NULL;
	p--;
	while (p > text && (p[-1] == ' ' || p[-1] == '\t'))
		p--;
	if (p > text && p[-1] == ']')
		while (p > text && *--p != '[')
			;
	end = p;
	while (p > text && is_name(p[-1]))
		p--;
	return p < end ? pmg_xstrndup(p, (size_t)(end - p)) : NULL;
}

int pmg_requirements_scan(const char *text, size_t len, pmg_requirements_fn *fn, void *ctx)
{
	static const char ends[] = " \t\r\n\"'<>`|,;)]}\\";
	const char *end = text + len, *p = text, *sep;
	unsigned line = 1;
	int r = 0;

	while (r == 0 && p < end && (sep = memmem(p, (size_t)(end - p), "://", 3))) {
		pmg_autofree char *address = NULL;
		pmg_autofree char *name = NULL;
		const char *from = sep, *to = sep;
		struct pmg_requirement found = { 0 };

		while (from > p && isalpha((unsigned char)from[-1]))
			from--;
		while (to < end && *to && !strchr(ends, *to))
			to++;
		for (; p < sep; p++)
			line += *p == '\n';
		p = to > sep ? to : sep + 3;
		address = pmg_xstrndup(from, (size_t)(to - from));
		if (strncmp(address, "http", 4) != 0 || !is_archive(address))
			continue;
		name = name_before(text, from);
		found = (struct pmg_requirement){ .name = name, .value = address, .line = line };
		r = fn(ctx, &found);
	}
	return r;
}
