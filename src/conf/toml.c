#include "conf/toml.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/strv.h"

#define PASSED_OVER 1 /* what stands here is no TOML; negative values are errors */

/* One document being read. */
struct reader {
	const char *p, *end;
	const char *file;
	unsigned line;
	size_t nodes;
	int passed_over;
	struct pmg_toml *table; /* which the last header opened */
	struct pmg_err *err;
};

static int read_value(struct reader *r, struct pmg_toml *parent, const char *key, unsigned line);

void pmg_toml_free(struct pmg_toml *root)
{
	struct pmg_toml *node, *next;

	if (!root)
		return;
	/* Depth is limited by the reader, so this recursion is. */
	for (node = root->first; node; node = next) {
		next = node->next;
		pmg_toml_free(node);
	}
	free(root->text);
	free(root->key);
	free(root);
}

static int limit(struct reader *r, const char *what, unsigned max)
{
	return pmg_err_set(r->err, PMG_E_LIMIT, 0, "%s:%u: more than %u %s", r->file, r->line, max,
			   what);
}

static bool is_at(const struct reader *r, const char *word)
{
	size_t len = strlen(word);

	return (size_t)(r->end - r->p) >= len && memcmp(r->p, word, len) == 0;
}

/* Goes on behind what is_at() found; words with a line end are not among them. */
static bool take(struct reader *r, const char *word)
{
	if (!is_at(r, word))
		return false;
	r->p += strlen(word);
	return true;
}

static void skip_blanks(struct reader *r)
{
	while (r->p < r->end && (*r->p == ' ' || *r->p == '\t' || *r->p == '\r'))
		r->p++;
}

static void skip_line(struct reader *r)
{
	while (r->p < r->end && *r->p != '\n')
		r->p++;
}

/* Blanks, comments and line ends. */
static void skip_space(struct reader *r)
{
	for (;;) {
		skip_blanks(r);
		if (r->p < r->end && *r->p == '#')
			skip_line(r);
		if (r->p == r->end || *r->p != '\n')
			return;
		r->line++;
		r->p++;
	}
}

static int check_room(struct reader *r, const struct pmg_toml *parent, const char *key)
{
	const struct pmg_toml *up;
	unsigned depth = 0;

	for (up = parent; up; up = up->parent)
		depth++;
	if (depth > PMG_TOML_DEPTH_MAX)
		return limit(r, "levels", PMG_TOML_DEPTH_MAX);
	if (r->nodes >= PMG_TOML_NODES_MAX)
		return limit(r, "values", PMG_TOML_NODES_MAX);
	if (key && parent->n >= PMG_TOML_KEYS_MAX)
		return limit(r, "keys in one table", PMG_TOML_KEYS_MAX);
	return 0;
}

/* Hangs a new node below parent. NULL: beyond a limit. */
static struct pmg_toml *add_node(struct reader *r, struct pmg_toml *parent, const char *key,
				 enum pmg_toml_kind kind, unsigned line)
{
	struct pmg_toml *node;

	if (check_room(r, parent, key) < 0)
		return NULL;
	r->nodes++;
	node = pmg_xcalloc(1, sizeof *node);
	node->kind = kind;
	node->line = line;
	node->key = key ? pmg_xstrdup(key) : NULL;
	node->parent = parent;
	if (parent->last)
		parent->last->next = node;
	else
		parent->first = node;
	parent->last = node;
	parent->n++;
	return node;
}

static struct pmg_toml *last_of(const struct pmg_toml *node, const char *key)
{
	struct pmg_toml *it, *found = NULL;

	for (it = node->kind == PMG_TOML_TABLE ? node->first : NULL; it; it = it->next)
		if (strcmp(it->key, key) == 0)
			found = it;
	return found;
}

/* The table below key, or the youngest of an array of them; made where there is none. */
static struct pmg_toml *enter(struct reader *r, struct pmg_toml *table, const char *key)
{
	struct pmg_toml *node = last_of(table, key);

	if (node && node->kind == PMG_TOML_ARRAY && node->last)
		node = node->last;
	if (node && node->kind == PMG_TOML_TABLE)
		return node;
	return add_node(r, table, key, PMG_TOML_TABLE, r->line);
}

/* enter() for each of the first n parts. */
static struct pmg_toml *walk(struct reader *r, struct pmg_toml *table, const struct pmg_strv *parts,
			     size_t n)
{
	size_t i;

	for (i = 0; table && i < n; i++)
		table = enter(r, table, parts->v[i]);
	return table;
}

static size_t utf8(uint32_t cp, char out[4])
{
	static const unsigned char lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	size_t n = cp < 0x80 ? 1 : cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4, i;

	for (i = n; i-- > 1; cp >>= 6)
		out[i] = (char)(0x80 | (cp & 0x3f));
	out[0] = (char)(lead[n] | cp);
	return n;
}

/* The digits of \x, \u, \U behind their letter. @return how many there are, 0 when it is none */
static size_t hex_escape(const struct reader *r, uint32_t *cp)
{
	size_t n = *r->p == 'x' ? 2 : *r->p == 'u' ? 4 : *r->p == 'U' ? 8 : 0, i;
	uint32_t value = 0;

	if ((size_t)(r->end - r->p) <= n)
		return 0;
	for (i = 1; i <= n; i++) {
		const char *digits = "0123456789abcdef0123456789ABCDEF", *at;

		at = r->p[i] ? strchr(digits, r->p[i]) : NULL;
		if (!at)
			return 0;
		value = (value << 4) | (uint32_t)((at - digits) & 0xf);
	}
	if (value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
		return 0;
	*cp = value == 0 ? 0xfffd : value;
	return n;
}

/* A backslash at the end of a line of a text of several: all blanks that follow go. */
static bool skip_folded(struct reader *r)
{
	const char *p = r->p;

	while (p < r->end && (*p == ' ' || *p == '\t' || *p == '\r'))
		p++;
	if (p == r->end || *p != '\n')
		return false;
	for (r->p = p; r->p < r->end && strchr(" \t\r\n", *r->p) && *r->p; r->p++)
		if (*r->p == '\n')
			r->line++;
	return true;
}

/* Behind a backslash. @return as pmg_str_add() */
static int read_escape(struct reader *r, bool multi, struct pmg_str *out)
{
	static const char letters[] = "btnfre\"\\", meant[] = "\b\t\n\f\r\x1b\"\\";
	const char *at = r->p < r->end && *r->p ? strchr(letters, *r->p) : NULL;
	uint32_t cp = 0;
	char bytes[4];
	size_t n;

	if (multi && skip_folded(r))
		return 0;
	if (at) {
		r->p++;
		return pmg_str_add(out, &meant[at - letters], 1);
	}
	n = r->p < r->end ? hex_escape(r, &cp) : 0;
	if (n == 0) {
		r->passed_over++;
		return pmg_str_adds(out, "\\");
	}
	r->p += n + 1;
	return pmg_str_add(out, bytes, utf8(cp, bytes));
}

/* One character, or escape, of a string. */
static int read_char(struct reader *r, bool multi, bool escapes, struct pmg_str *out)
{
	char c = *r->p++;

	if (c == '\\' && escapes)
		return read_escape(r, multi, out);
	if (c == '\n')
		r->line++;
	return c ? pmg_str_add(out, &c, 1) : pmg_str_adds(out, "\xef\xbf\xbd");
}

/* The quotes that end it. Before the last three of a text of several lines two more may stand. */
static bool take_end(struct reader *r, const char *quotes, bool multi, struct pmg_str *out)
{
	int more;

	if (!take(r, quotes))
		return false;
	for (more = 0; multi && more < 2 && is_at(r, quotes + 2); more++, r->p++)
		if (pmg_str_add(out, quotes, 1) < 0)
			abort(); /* the limit is out of reach */
	return true;
}

/* A string in quotes; one that does not end is taken to the end of its line, or of the text. */
static char *read_string(struct reader *r)
{
	bool escapes = *r->p == '"', multi = is_at(r, escapes ? "\"\"\"" : "'''");
	const char *quotes = (escapes ? "\"\"\"" : "'''") + (multi ? 0 : 2);
	pmg_auto(str) struct pmg_str out = PMG_STR_INIT(SIZE_MAX / 2);

	(void)take(r, quotes);
	if (multi && (take(r, "\n") || take(r, "\r\n")))
		r->line++;
	for (;;) {
		if (take_end(r, quotes, multi, &out))
			return pmg_str_steal(&out);
		if (r->p == r->end || (*r->p == '\n' && !multi))
			break;
		if (read_char(r, multi, escapes, &out) < 0)
			abort(); /* the limit is out of reach */
	}
	r->passed_over++;
	return pmg_str_steal(&out);
}

/* Bytes up to one of `stops` or the end of the line. */
static char *read_until(struct reader *r, const char *stops)
{
	const char *begin = r->p;

	while (r->p < r->end && *r->p != '\n' && (*r->p == '\0' || !strchr(stops, *r->p)))
		r->p++;
	return pmg_xstrndup(begin, (size_t)(r->p - begin));
}

/* A key with its dots. @return PASSED_OVER: there is none, or not all of one */
static int read_key(struct reader *r, struct pmg_strv *parts)
{
	do {
		pmg_autofree char *part = NULL;
		bool quoted;

		skip_blanks(r);
		quoted = r->p < r->end && (*r->p == '"' || *r->p == '\'');
		part = quoted ? read_string(r) : read_until(r, " \t\r.=[]{},#\"'");
		if (!quoted && *part == '\0')
			return PASSED_OVER;
		if (parts->n >= PMG_TOML_DEPTH_MAX)
			return limit(r, "levels", PMG_TOML_DEPTH_MAX);
		pmg_strv_take(parts, pmg_steal_ptr(&part));
		skip_blanks(r);
	} while (take(r, "."));
	return 0;
}

static int read_pair(struct reader *r, struct pmg_toml *table)
{
	pmg_auto(strv) struct pmg_strv parts = { 0 };
	unsigned line = r->line;
	int ret = read_key(r, &parts);

	if (ret != 0)
		return ret;
	if (!take(r, "="))
		return PASSED_OVER;
	table = walk(r, table, &parts, parts.n - 1);
	if (!table)
		return -PMG_E_LIMIT;
	skip_blanks(r);
	return read_value(r, table, parts.v[parts.n - 1], line);
}

/* What is between brackets or braces; commas are not looked at. */
static int read_inside(struct reader *r, struct pmg_toml *node)
{
	const char *end = node->kind == PMG_TOML_ARRAY ? "]" : "}", *before;
	int ret;

	for (;;) {
		skip_space(r);
		if (take(r, end))
			return 0;
		if (r->p == r->end)
			return PASSED_OVER;
		if (take(r, ","))
			continue;
		before = r->p;
		ret = node->kind == PMG_TOML_ARRAY ? read_value(r, node, NULL, r->line)
						   : read_pair(r, node);
		if (ret < 0)
			return ret;
		r->passed_over += ret;
		if (r->p == before)
			r->p++;
	}
}

static int read_value(struct reader *r, struct pmg_toml *parent, const char *key, unsigned line)
{
	char c = r->p < r->end ? *r->p : '\n';
	bool quoted = c == '"' || c == '\'', nested = c == '[' || c == '{';
	pmg_autofree char *text = NULL;
	struct pmg_toml *node;
	size_t n;

	if (nested) {
		node = add_node(r, parent, key, c == '[' ? PMG_TOML_ARRAY : PMG_TOML_TABLE, line);
		r->p++;
		return node ? read_inside(r, node) : -PMG_E_LIMIT;
	}
	text = quoted ? read_string(r) : read_until(r, ",]}#");
	for (n = strlen(text); !quoted && n > 0 && strchr(" \t\r", text[n - 1]);)
		text[--n] = '\0';
	if (!quoted && n == 0)
		return PASSED_OVER;
	node = add_node(r, parent, key, quoted ? PMG_TOML_STRING : PMG_TOML_WORD, line);
	if (!node)
		return -PMG_E_LIMIT;
	node->text = pmg_steal_ptr(&text);
	return 0;
}

/* Behind "[[": a new table of the array. */
static struct pmg_toml *open_element(struct reader *r, struct pmg_toml *table, const char *key)
{
	struct pmg_toml *array = last_of(table, key);

	if (!array || array->kind != PMG_TOML_ARRAY)
		array = add_node(r, table, key, PMG_TOML_ARRAY, r->line);
	return array ? add_node(r, array, NULL, PMG_TOML_TABLE, r->line) : NULL;
}

static int read_header(struct reader *r, struct pmg_toml *root)
{
	bool element = take(r, "[["), closed;
	pmg_auto(strv) struct pmg_strv parts = { 0 };
	struct pmg_toml *table;
	int ret;

	if (!element)
		(void)take(r, "[");
	ret = read_key(r, &parts);
	if (ret < 0 || parts.n == 0)
		return ret;
	table = walk(r, root, &parts, parts.n - (element ? 1 : 0));
	if (table && element)
		table = open_element(r, table, parts.v[parts.n - 1]);
	if (!table)
		return -PMG_E_LIMIT;
	r->table = table;
	closed = take(r, element ? "]]" : "]");
	return closed ? ret : PASSED_OVER;
}

static int read_all(struct reader *r, struct pmg_toml *root)
{
	int ret;

	r->table = root;
	(void)take(r, "\xef\xbb\xbf");
	for (skip_space(r); r->p < r->end; skip_space(r)) {
		ret = *r->p == '[' ? read_header(r, root) : read_pair(r, r->table);
		if (ret < 0)
			return ret;
		skip_blanks(r);
		if (ret > 0 || (r->p < r->end && *r->p != '\n' && *r->p != '#')) {
			r->passed_over++;
			skip_line(r);
		}
	}
	return 0;
}

int pmg_toml_parse(const char *file, const char *text, size_t len, struct pmg_toml **out,
		   struct pmg_err *err)
{
	struct reader r = { .p = text, .end = text + len, .file = file, .line = 1, .err = err };
	pmg_auto(toml) struct pmg_toml *root = NULL;
	int ret;

	if (len > PMG_TOML_TEXT_MAX)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "%s: larger than %u bytes", file,
				   PMG_TOML_TEXT_MAX);
	root = pmg_xcalloc(1, sizeof *root);
	root->kind = PMG_TOML_TABLE;
	root->line = 1;
	ret = read_all(&r, root);
	if (ret < 0)
		return ret;
	*out = pmg_steal_ptr(&root);
	return r.passed_over;
}

const struct pmg_toml *pmg_toml_get(const struct pmg_toml *node, const char *key)
{
	return node ? last_of(node, key) : NULL;
}

const struct pmg_toml *pmg_toml_at(const struct pmg_toml *node, const char *path)
{
	pmg_auto(strv) struct pmg_strv parts = { 0 };
	size_t i;

	pmg_strv_split(&parts, path, ".");
	for (i = 0; i < parts.n; i++)
		node = pmg_toml_get(node, parts.v[i]);
	return node;
}

const char *pmg_toml_str(const struct pmg_toml *node, const char *key)
{
	const struct pmg_toml *value = pmg_toml_get(node, key);

	return value ? value->text : NULL;
}
