#include "conf/yamlscan.h"

#include <stdbool.h>
#include <stdlib.h>
#include <yaml.h>

#include "base/mem.h"

/* A collection that is open; its key is that of the child now being read. */
struct level {
	char *key; /* behind at.keys */
	bool is_map;
	bool want_key;
};

struct scan {
	const char *name;
	struct pmg_yamlscan_at at;
	struct level *levels; /* PMG_YAMLSCAN_DEPTH_MAX, one for each of at.depth */
	unsigned skip;        /* collections inside a key that is one itself */
	pmg_yamlscan_fn *fn;
	void *ctx;
};

static bool is_key(const struct scan *s)
{
	const struct level *top = s->at.depth > 0 ? &s->levels[s->at.depth - 1] : NULL;

	return top && top->is_map && top->want_key;
}

static void set_key(struct scan *s, const yaml_event_t *event, const char *text)
{
	struct level *top = &s->levels[s->at.depth - 1];

	free(top->key);
	top->key = pmg_xstrdup(text);
	s->at.keys[s->at.depth - 1] = top->key;
	s->at.key_line = (unsigned)event->start_mark.line + 1;
	top->want_key = false;
}

/* A value has been read: a mapping wants a key next. */
static void value_done(struct scan *s)
{
	if (s->at.depth > 0)
		s->levels[s->at.depth - 1].want_key = true;
}

static int hand_out(struct scan *s, const yaml_event_t *event, enum pmg_yamlscan_kind kind,
		    const char *text)
{
	s->at.kind = kind;
	s->at.plain = event->type == YAML_SCALAR_EVENT &&
		      event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
		      !event->data.scalar.tag;
	s->at.line = (unsigned)event->start_mark.line + 1;
	return s->fn(s->ctx, &s->at, text);
}

/* A scalar, or an alias: its text is "". */
static int take_leaf(struct scan *s, const yaml_event_t *event, enum pmg_yamlscan_kind kind,
		     const char *text)
{
	int r;

	if (s->skip > 0)
		return 0;
	if (is_key(s)) {
		set_key(s, event, text);
		return 0;
	}
	r = hand_out(s, event, kind, text);
	value_done(s);
	return r;
}

static int open_level(struct scan *s, const yaml_event_t *event, bool map, struct pmg_err *err)
{
	int r;

	if (s->skip > 0 || is_key(s)) { /* "? {a: b}" : nobody's settings look so */
		s->skip++;
		return 0;
	}
	if (s->at.depth == PMG_YAMLSCAN_DEPTH_MAX)
		return pmg_err_set(err, PMG_E_PARSE, 0, "%s: more than %u levels", s->name,
				   PMG_YAMLSCAN_DEPTH_MAX);
	r = hand_out(s, event, map ? PMG_YAMLSCAN_MAP : PMG_YAMLSCAN_LIST, "");
	if (r != 0)
		return r;
	s->levels[s->at.depth].is_map = map;
	s->levels[s->at.depth].want_key = true;
	s->at.keys[s->at.depth] = NULL;
	s->at.depth++;
	return 0;
}

static void close_level(struct scan *s, const yaml_event_t *event)
{
	if (s->skip > 0) {
		if (--s->skip == 0)
			set_key(s, event, "");
		return;
	}
	s->at.depth--;
	free(s->levels[s->at.depth].key);
	s->levels[s->at.depth].key = NULL;
	value_done(s);
}

/* @return 0; other than 0 ends the scan, *end is set when it is the document's own end */
static int take(struct scan *s, const yaml_event_t *event, bool *end, struct pmg_err *err)
{
	switch (event->type) {
	case YAML_SCALAR_EVENT:
		return take_leaf(s, event, PMG_YAMLSCAN_SCALAR,
				 (const char *)event->data.scalar.value);
	case YAML_MAPPING_START_EVENT:
		return open_level(s, event, true, err);
	case YAML_SEQUENCE_START_EVENT:
		return open_level(s, event, false, err);
	case YAML_MAPPING_END_EVENT:
	case YAML_SEQUENCE_END_EVENT:
		close_level(s, event);
		return 0;
	case YAML_ALIAS_EVENT:
		return take_leaf(s, event, PMG_YAMLSCAN_ALIAS, "");
	case YAML_STREAM_END_EVENT:
		*end = true;
		return 0;
	case YAML_NO_EVENT:
	case YAML_STREAM_START_EVENT:
	case YAML_DOCUMENT_START_EVENT:
	case YAML_DOCUMENT_END_EVENT:
		return 0;
	}
	return 0;
}

int pmg_yamlscan(const char *name, const char *text, size_t len, pmg_yamlscan_fn *fn, void *ctx,
		 struct pmg_err *err)
{
	pmg_autofree struct level *levels = pmg_xcalloc(PMG_YAMLSCAN_DEPTH_MAX, sizeof *levels);
	struct scan s = { .name = name, .levels = levels, .fn = fn, .ctx = ctx };
	yaml_parser_t parser;
	yaml_event_t event;
	bool end = false;
	unsigned i;
	int r = 0;

	if (!yaml_parser_initialize(&parser))
		abort(); /* out of memory */
	yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, len);
	while (r == 0 && !end) {
		if (!yaml_parser_parse(&parser, &event)) {
			if (parser.error == YAML_MEMORY_ERROR)
				abort();
			r = pmg_err_set(err, PMG_E_PARSE, 0, "%s:%zu: not YAML: %s", name,
					parser.problem_mark.line + 1,
					parser.problem ? parser.problem : "not readable");
			break;
		}
		r = take(&s, &event, &end, err);
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser);
	for (i = 0; i < PMG_YAMLSCAN_DEPTH_MAX; i++)
		free(levels[i].key);
	return r;
}
