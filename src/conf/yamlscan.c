#include "conf/yamlscan.h"

#include <stdbool.h>
#include <stdlib.h>
#include <yaml.h>

#include "base/mem.h"

/* One open collection is one level of at; its key is that of the child now being read. */
struct scan {
	const char *name;
	struct pmg_yamlscan_at at;
	char *owned[PMG_YAMLSCAN_DEPTH_MAX]; /* behind at.keys */
	bool is_map[PMG_YAMLSCAN_DEPTH_MAX];
	bool want_key[PMG_YAMLSCAN_DEPTH_MAX];
	unsigned skip; /* collections inside a key that is one itself */
	pmg_yamlscan_fn *fn;
	void *ctx;
};

static bool is_key(const struct scan *s)
{
	return s->at.depth > 0 && s->is_map[s->at.depth - 1] && s->want_key[s->at.depth - 1];
}

static void set_key(struct scan *s, const char *text)
{
	unsigned top = s->at.depth - 1;

	free(s->owned[top]);
	s->owned[top] = pmg_xstrdup(text);
	s->at.keys[top] = s->owned[top];
	s->want_key[top] = false;
}

/* A value has been read: a mapping wants a key next. */
static void value_done(struct scan *s)
{
	if (s->at.depth > 0)
		s->want_key[s->at.depth - 1] = true;
}

static int take_scalar(struct scan *s, const yaml_event_t *event)
{
	const char *text = (const char *)event->data.scalar.value;
	int r;

	if (s->skip > 0)
		return 0;
	if (is_key(s)) {
		set_key(s, text);
		return 0;
	}
	s->at.line = (unsigned)event->start_mark.line + 1;
	r = s->fn(s->ctx, &s->at, text);
	value_done(s);
	return r;
}

static int open_level(struct scan *s, bool map, struct pmg_err *err)
{
	if (s->skip > 0 || is_key(s)) { /* "? {a: b}" : nobody's settings look so */
		s->skip++;
		return 0;
	}
	if (s->at.depth == PMG_YAMLSCAN_DEPTH_MAX)
		return pmg_err_set(err, PMG_E_PARSE, 0, "%s: more than %u levels", s->name,
				   PMG_YAMLSCAN_DEPTH_MAX);
	s->is_map[s->at.depth] = map;
	s->want_key[s->at.depth] = true;
	s->at.keys[s->at.depth] = NULL;
	s->at.depth++;
	return 0;
}

static void close_level(struct scan *s)
{
	if (s->skip > 0) {
		if (--s->skip == 0)
			set_key(s, "");
		return;
	}
	s->at.depth--;
	free(s->owned[s->at.depth]);
	s->owned[s->at.depth] = NULL;
	value_done(s);
}

/* @return 0; other than 0 ends the scan, *end is set when it is the document's own end */
static int take(struct scan *s, const yaml_event_t *event, bool *end, struct pmg_err *err)
{
	switch (event->type) {
	case YAML_SCALAR_EVENT:
		return take_scalar(s, event);
	case YAML_MAPPING_START_EVENT:
		return open_level(s, true, err);
	case YAML_SEQUENCE_START_EVENT:
		return open_level(s, false, err);
	case YAML_MAPPING_END_EVENT:
	case YAML_SEQUENCE_END_EVENT:
		close_level(s);
		return 0;
	case YAML_ALIAS_EVENT:
		if (s->skip == 0 && is_key(s))
			set_key(s, "");
		else if (s->skip == 0)
			value_done(s);
		return 0;
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
	struct scan s = { .name = name, .fn = fn, .ctx = ctx };
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
		free(s.owned[i]);
	return r;
}
