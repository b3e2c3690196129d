#include "conf/yaml.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/str.h"

#define SHOWN_MAX 64U /* bytes of outside text that a message shows */

/* One document being read. stack[depth - 1] is the collection that is open. */
struct reader {
	yaml_parser_t parser;
	const char *text;
	size_t len;
	struct pmg_yaml *root; /* a mapping that holds file until the real root takes over */
	struct pmg_yaml *stack[PMG_YAML_DEPTH_MAX];
	struct pmg_yaml *last[PMG_YAML_DEPTH_MAX]; /* youngest child of stack[i] */
	unsigned depth;
	size_t nodes;
	char *key; /* read, its value not yet */
	unsigned key_line, key_column;
	char *file;
};

void pmg_yaml_free(struct pmg_yaml *root)
{
	struct pmg_yaml *node, *next;

	if (!root)
		return;
	/* Depth is limited by the reader, so this recursion is. */
	for (node = root->first; node; node = next) {
		next = node->next;
		pmg_yaml_free(node);
	}
	if (!root->parent && root->file) {
		char *file;

		memcpy(&file, &root->file, sizeof file); /* owned here, const for everybody else */
		free(file);
	}
	free(root->text);
	free(root->key);
	free(root);
}

static int fail_at(struct pmg_err *err, enum pmg_code code, const char *file, unsigned line,
		   unsigned column, const char *what)
{
	return pmg_err_set(err, code, 0, "%s:%u:%u: %s", file, line, column, what);
}

static int fail(struct reader *r, const yaml_event_t *event, const char *what, struct pmg_err *err)
{
	return fail_at(err, PMG_E_CONFIG, r->file, (unsigned)event->start_mark.line + 1,
		       (unsigned)event->start_mark.column + 1, what);
}

static int limit(struct reader *r, const yaml_event_t *event, const char *what, unsigned max,
		 struct pmg_err *err)
{
	return pmg_err_set(err, PMG_E_LIMIT, 0, "%s:%u:%u: more than %u %s", r->file,
			   (unsigned)event->start_mark.line + 1,
			   (unsigned)event->start_mark.column + 1, max, what);
}

static int syntax_error(struct reader *r, struct pmg_err *err)
{
	const yaml_parser_t *p = &r->parser;
	size_t at = p->problem_mark.index;
	const char *what = p->problem ? p->problem : "not readable";

	if (p->error == YAML_MEMORY_ERROR)
		abort();
	if (p->error == YAML_READER_ERROR) /* has an offset, no line */
		return pmg_err_set(err, PMG_E_CONFIG, 0, "%s: byte %zu: not YAML: %s", r->file,
				   p->problem_offset, what);
	(void)pmg_err_set(err, PMG_E_CONFIG, 0, "%s:%zu:%zu: not YAML: %s%s%s", r->file,
			  p->problem_mark.line + 1, p->problem_mark.column + 1, what,
			  p->context ? " " : "", p->context ? p->context : "");
	if (at < r->len && r->text[at] == '\t')
		return pmg_err_hint(err, "indent with blanks: YAML knows no tabs there");
	return -PMG_E_CONFIG;
}

static int take_key(struct reader *r, const yaml_event_t *event, struct pmg_err *err)
{
	const char *text = (const char *)event->data.scalar.value;
	struct pmg_yaml *map = r->stack[r->depth - 1];
	pmg_autofree char *shown = pmg_str_quote(text, strlen(text), SHOWN_MAX);
	pmg_autofree char *what = NULL;

	if (*text == '\0')
		return fail(r, event, "a key is empty", err);
	if (map->n >= PMG_YAML_KEYS_MAX)
		return limit(r, event, "keys in one mapping", PMG_YAML_KEYS_MAX, err);
	pmg_yaml_each (map, it) {
		if (strcmp(it->key, text) != 0)
			continue;
		what = pmg_xasprintf("key \"%s\" is there twice, first in line %u", shown,
				     it->key_line);
		return fail(r, event, what, err);
	}
	r->key = pmg_xstrdup(text);
	r->key_line = (unsigned)event->start_mark.line + 1;
	r->key_column = (unsigned)event->start_mark.column + 1;
	return 0;
}

/* Hangs a new node below the open collection, or makes it the root. NULL: there are too many. */
static struct pmg_yaml *add_node(struct reader *r, const yaml_event_t *event,
				 enum pmg_yaml_kind kind, struct pmg_err *err)
{
	struct pmg_yaml *node, *parent = r->depth > 0 ? r->stack[r->depth - 1] : NULL;

	if (++r->nodes > PMG_YAML_NODES_MAX) {
		(void)limit(r, event, "values", PMG_YAML_NODES_MAX, err);
		return NULL;
	}
	node = pmg_xcalloc(1, sizeof *node);
	node->kind = kind;
	node->line = (unsigned)event->start_mark.line + 1;
	node->column = (unsigned)event->start_mark.column + 1;
	node->key = pmg_steal_ptr(&r->key);
	node->key_line = r->key_line;
	node->key_column = r->key_column;
	node->file = r->file;
	node->parent = parent;
	if (!parent) {
		r->root = node;
	} else {
		if (parent->first)
			r->last[r->depth - 1]->next = node;
		else
			parent->first = node;
		r->last[r->depth - 1] = node;
		parent->n++;
	}
	return node;
}

static int add_scalar(struct reader *r, const yaml_event_t *event, struct pmg_err *err)
{
	const char *text = (const char *)event->data.scalar.value;
	struct pmg_yaml *node;

	if (event->data.scalar.tag)
		return fail(r, event, "tags (!...) are not taken", err);
	if (event->data.scalar.anchor)
		return fail(r, event, "anchors (&...) are not taken", err);
	if (strlen(text) != event->data.scalar.length)
		return fail(r, event, "a NUL byte inside a value", err);
	if (r->depth > 0 && r->stack[r->depth - 1]->kind == PMG_YAML_MAP && !r->key)
		return take_key(r, event, err);
	node = add_node(r, event, PMG_YAML_SCALAR, err);
	if (!node)
		return -PMG_E_LIMIT;
	node->text = pmg_xstrdup(text);
	node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
	return 0;
}

static int open_node(struct reader *r, const yaml_event_t *event, struct pmg_err *err)
{
	bool map = event->type == YAML_MAPPING_START_EVENT;
	const yaml_char_t *anchor =
		map ? event->data.mapping_start.anchor : event->data.sequence_start.anchor;
	const yaml_char_t *tag =
		map ? event->data.mapping_start.tag : event->data.sequence_start.tag;
	struct pmg_yaml *node;

	if (tag)
		return fail(r, event, "tags (!...) are not taken", err);
	if (anchor)
		return fail(r, event, "anchors (&...) are not taken", err);
	if (r->depth > 0 && r->stack[r->depth - 1]->kind == PMG_YAML_MAP && !r->key)
		return fail(r, event, "a key must be text", err);
	if (r->depth >= PMG_YAML_DEPTH_MAX)
		return limit(r, event, "levels", PMG_YAML_DEPTH_MAX, err);
	node = add_node(r, event, map ? PMG_YAML_MAP : PMG_YAML_SEQ, err);
	if (!node)
		return -PMG_E_LIMIT;
	r->stack[r->depth++] = node;
	return 0;
}

/* @return 1 at the end of the stream */
static int take_event(struct reader *r, const yaml_event_t *event, struct pmg_err *err)
{
	switch (event->type) {
	case YAML_SCALAR_EVENT:
		return add_scalar(r, event, err);
	case YAML_MAPPING_START_EVENT:
	case YAML_SEQUENCE_START_EVENT:
		return open_node(r, event, err);
	case YAML_MAPPING_END_EVENT:
	case YAML_SEQUENCE_END_EVENT:
		r->depth--;
		return 0;
	case YAML_ALIAS_EVENT:
		return fail(r, event, "aliases (*...) are not taken", err);
	case YAML_DOCUMENT_START_EVENT:
		return r->root ? fail(r, event, "a second document", err) : 0;
	case YAML_STREAM_END_EVENT:
		return 1;
	case YAML_NO_EVENT:
	case YAML_STREAM_START_EVENT:
	case YAML_DOCUMENT_END_EVENT:
		return 0;
	}
	return pmg_err_set(err, PMG_E_INTERNAL, 0, "libyaml gave event %d", (int)event->type);
}

static int read_all(struct reader *r, struct pmg_err *err)
{
	yaml_event_t event;
	int ret;

	do {
		if (!yaml_parser_parse(&r->parser, &event))
			return syntax_error(r, err);
		ret = take_event(r, &event, err);
		yaml_event_delete(&event);
	} while (ret == 0);
	return ret < 0 ? ret : 0;
}

int pmg_yaml_parse(const char *file, const char *text, size_t len, struct pmg_yaml **out,
		   struct pmg_err *err)
{
	struct reader r = { .text = text, .len = len };
	int ret;

	if (len > PMG_YAML_TEXT_MAX)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "%s: larger than %u bytes", file,
				   PMG_YAML_TEXT_MAX);
	if (!yaml_parser_initialize(&r.parser))
		abort(); /* out of memory */
	r.file = pmg_xstrdup(file);
	/* Said, not guessed: else two leading bytes would turn the file into UTF-16. */
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, len);
	ret = read_all(&r, err);
	yaml_parser_delete(&r.parser);
	free(r.key);
	if (!r.root) {
		r.root = pmg_xcalloc(1, sizeof *r.root);
		r.root->kind = PMG_YAML_MAP;
		r.root->line = r.root->column = 1;
		r.root->file = r.file;
	}
	if (ret < 0) {
		pmg_yaml_free(r.root);
		return ret;
	}
	*out = r.root;
	return 0;
}

const struct pmg_yaml *pmg_yaml_get(const struct pmg_yaml *node, const char *key)
{
	if (node->kind != PMG_YAML_MAP)
		return NULL;
	pmg_yaml_each (node, it) {
		if (strcmp(it->key, key) == 0)
			return it;
	}
	return NULL;
}

const char *pmg_yaml_str(const struct pmg_yaml *node, const char *key)
{
	const struct pmg_yaml *value = pmg_yaml_get(node, key);

	return value ? value->text : NULL;
}

bool pmg_yaml_is_null(const struct pmg_yaml *node)
{
	static const char *const words[] = { "", "~", "null", "Null", "NULL" };
	size_t i;

	if (node->kind != PMG_YAML_SCALAR || node->quoted)
		return false;
	for (i = 0; i < PMG_ARRAY_LEN(words); i++)
		if (strcmp(node->text, words[i]) == 0)
			return true;
	return false;
}

static size_t index_of(const struct pmg_yaml *node)
{
	size_t i = 0;

	pmg_yaml_each (node->parent, it) {
		if (it == node)
			break;
		i++;
	}
	return i;
}

char *pmg_yaml_where(const struct pmg_yaml *node)
{
	char *path = pmg_xstrdup(""), *longer;

	for (; node->parent; node = node->parent) {
		const char *dot = *path == '\0' || *path == '[' ? "" : ".";

		if (node->key)
			longer = pmg_xasprintf("%s%s%s", node->key, dot, path);
		else
			longer = pmg_xasprintf("[%zu]%s%s", index_of(node), dot, path);
		free(path);
		path = longer;
	}
	return path;
}

__attribute__((format(printf, 4, 0))) static int
verr(struct pmg_err *err, const struct pmg_yaml *node, bool key, const char *fmt, va_list ap)
{
	char what[sizeof err->msg];

	(void)vsnprintf(what, sizeof what, fmt, ap);
	return fail_at(err, PMG_E_CONFIG, node->file, key ? node->key_line : node->line,
		       key ? node->key_column : node->column, what);
}

int pmg_yaml_err(struct pmg_err *err, const struct pmg_yaml *node, const char *fmt, ...)
{
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = verr(err, node, false, fmt, ap);
	va_end(ap);
	return r;
}

int pmg_yaml_key_err(struct pmg_err *err, const struct pmg_yaml *node, const char *fmt, ...)
{
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = verr(err, node, true, fmt, ap);
	va_end(ap);
	return r;
}

/* What YAML 1.2 (5.1) calls not printable, and what ends a line. */
static bool needs_escape(uint32_t cp)
{
	return cp < 0x20 || (cp >= 0x7f && cp < 0xa0) || cp == 0x2028 || cp == 0x2029 ||
	       cp == 0xfeff || cp == 0xfffe || cp == 0xffff;
}

char *pmg_yaml_quote(const char *text)
{
	pmg_auto(str) struct pmg_str out = PMG_STR_INIT(SIZE_MAX / 2);
	size_t left = strlen(text), n;
	uint32_t cp = 0;
	int r = pmg_str_adds(&out, "\"");

	for (; r == 0 && left > 0; text += n, left -= n) {
		n = pmg_utf8_len(text, left, &cp);
		if (n == 0) {
			n = 1;
			r = pmg_str_addf(&out, "\\\\x%02x", (unsigned char)*text);
		} else if (cp == '"' || cp == '\\') {
			r = pmg_str_addf(&out, "\\%c", *text);
		} else if (needs_escape(cp)) {
			r = pmg_str_addf(&out, cp > 0xff ? "\\u%04X" : "\\x%02X", cp);
		} else {
			r = pmg_str_add(&out, text, n);
		}
	}
	if (r < 0 || pmg_str_adds(&out, "\"") < 0)
		abort(); /* the limit is out of reach */
	return pmg_str_steal(&out);
}
