#include "conf/keys.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/strv.h"
#include "conf/units.h"

#define SHOWN_MAX 64U
#define ROWS_MAX  64U
#define STR_MAX   65536U
#define LIST_MAX  65536U

static char *shown(const char *text)
{
	return pmg_str_quote(text, strlen(text), SHOWN_MAX);
}

/* "where" must be WHAT, not "text". */
static int wrong(const struct pmg_yaml *value, const char *what, struct pmg_err *err)
{
	static const char *const kinds[] = { "text", "a mapping", "a list" };
	pmg_autofree char *where = pmg_yaml_where(value);
	pmg_autofree char *safe = shown(where);
	pmg_autofree char *text = NULL;

	if (value->kind != PMG_YAML_SCALAR)
		return pmg_yaml_err(err, value, "\"%s\" must be %s, not %s", safe, what,
				    kinds[value->kind]);
	if (pmg_yaml_is_null(value))
		return pmg_yaml_err(err, value, "\"%s\" must be %s, and is empty", safe, what);
	text = shown(value->text);
	return pmg_yaml_err(err, value, "\"%s\" must be %s, not %s%s%s", safe, what,
			    value->quoted ? "the text \"" : "\"", text, "\"");
}

static int too_much(const struct pmg_yaml *value, const char *what, uint64_t max,
		    struct pmg_err *err)
{
	pmg_autofree char *where = pmg_yaml_where(value);
	pmg_autofree char *safe = shown(where);

	return pmg_yaml_err(err, value, "\"%s\" is above the greatest %s, %llu", safe, what,
			    (unsigned long long)max);
}

static uint64_t max_of(const struct pmg_key *row, uint64_t otherwise)
{
	return row->max ? row->max : otherwise;
}

static bool is_text(const struct pmg_yaml *value)
{
	return value->kind == PMG_YAML_SCALAR && !pmg_yaml_is_null(value);
}

static int read_str(const struct pmg_key *row, const struct pmg_yaml *value, void *member,
		    struct pmg_err *err)
{
	char **out = member;

	if (!is_text(value))
		return wrong(value, "text", err);
	if (strlen(value->text) > max_of(row, STR_MAX))
		return too_much(value, "length in bytes", max_of(row, STR_MAX), err);
	free(*out);
	*out = pmg_xstrdup(value->text);
	return 0;
}

static int read_bool(const struct pmg_key *row, const struct pmg_yaml *value, void *member,
		     struct pmg_err *err)
{
	bool *out = member;

	(void)row;
	/* Not yes, on, 1: YAML 1.1 and 1.2 readers differ on them. */
	if (!is_text(value) || value->quoted ||
	    (strcmp(value->text, "true") != 0 && strcmp(value->text, "false") != 0))
		return wrong(value, "true or false", err);
	*out = value->text[0] == 't';
	return 0;
}

static int read_number(const struct pmg_key *row, const struct pmg_yaml *value, void *member,
		       struct pmg_err *err)
{
	static const struct {
		enum pmg_key_kind kind;
		int (*parse)(const char *text, uint64_t max, uint64_t *out);
		const char *what;
		const char *most;
	} kinds[] = {
		{ PMG_KEY_UINT, pmg_parse_uint, "a whole number", "number" },
		{ PMG_KEY_DURATION, pmg_duration_parse,
		  "a duration with its unit (30s, 5m, 36h, 7d, 2w)", "duration in seconds" },
		{ PMG_KEY_SIZE, pmg_size_parse, "a size with its unit (512K, 256M, 2G)",
		  "size in bytes" },
	};
	uint64_t *out = member, max = max_of(row, INT64_MAX);
	size_t i = 0;
	int r;

	while (kinds[i].kind != row->kind)
		i++;
	if (!is_text(value) || (value->quoted && row->kind == PMG_KEY_UINT))
		return wrong(value, kinds[i].what, err);
	r = kinds[i].parse(value->text, max, out);
	if (r == -PMG_E_LIMIT)
		return too_much(value, kinds[i].most, max, err);
	return r < 0 ? wrong(value, kinds[i].what, err) : 0;
}

static int read_enum(const struct pmg_key *row, const struct pmg_yaml *value, void *member,
		     struct pmg_err *err)
{
	pmg_auto(str) struct pmg_str list = PMG_STR_INIT(1024);
	int *out = member, i;

	for (i = 0; is_text(value) && row->words[i]; i++) {
		if (strcmp(row->words[i], value->text) != 0)
			continue;
		*out = i;
		return 0;
	}
	for (i = 0; row->words[i]; i++)
		if (pmg_str_addf(&list, "%s%s", i > 0 ? ", " : "one of ", row->words[i]) < 0)
			break; /* a message that is cut is still one */
	(void)wrong(value, list.s, err);
	if (value->kind == PMG_YAML_SCALAR && pmg_str_nearest(value->text, row->words))
		return pmg_err_hint(err, "did you mean \"%s\"?",
				    pmg_str_nearest(value->text, row->words));
	return -PMG_E_CONFIG;
}

static int read_strv(const struct pmg_key *row, const struct pmg_yaml *value, void *member,
		     struct pmg_err *err)
{
	struct pmg_strv *out = member;

	if (value->kind != PMG_YAML_SEQ)
		return wrong(value, "a list of texts", err);
	if (value->n > max_of(row, LIST_MAX))
		return too_much(value, "number of items", max_of(row, LIST_MAX), err);
	pmg_strv_done(out);
	pmg_yaml_each (value, it) {
		if (!is_text(it))
			return wrong(it, "text", err);
		pmg_strv_add(out, it->text);
	}
	return 0;
}

/* A reading: until the first error, or to the end. */
struct reading {
	struct pmg_keys_errors *errors; /* NULL: until the first */
	struct pmg_err *err;
};

/* @return r, or 0: it is noted, go on */
static int note(const struct reading *reading, int r)
{
	struct pmg_keys_errors *errors = reading->errors;

	if (r == 0 || !errors || errors->n >= PMG_KEYS_ERRORS_MAX)
		return r;
	errors->v = pmg_grow(errors->v, errors->n, &errors->cap, sizeof *errors->v);
	errors->v[errors->n++] = *reading->err;
	*reading->err = (struct pmg_err)PMG_ERR_INIT;
	return 0;
}

static int read_list(const struct pmg_key *row, const struct pmg_yaml *value, void *out,
		     const struct reading *reading)
{
	struct pmg_err *err = reading->err;
	int r;

	if (value->kind != PMG_YAML_SEQ)
		return wrong(value, "a list", err);
	if (value->n > max_of(row, LIST_MAX))
		return too_much(value, "number of items", max_of(row, LIST_MAX), err);
	pmg_yaml_each (value, it) {
		r = note(reading, row->read(it, out, err));
		if (r < 0)
			return r;
	}
	return 0;
}

static int later(const struct pmg_yaml *value, struct pmg_err *err)
{
	pmg_autofree char *where = pmg_yaml_where(value);

	(void)pmg_yaml_key_err(err, value, "\"%s\" is not supported by this version", where);
	return pmg_err_hint(err, "take the key out: a later pmg keeps what it promises");
}

static int read_map(const struct pmg_key *rows, const struct pmg_yaml *node, void *out,
		    const struct reading *reading);

static int read_value(const struct pmg_key *row, const struct pmg_yaml *value, void *out,
		      const struct reading *reading)
{
	struct pmg_err *err = reading->err;
	void *member = (char *)out + row->offset;

	switch (row->kind) {
	case PMG_KEY_STR:
		return read_str(row, value, member, err);
	case PMG_KEY_BOOL:
		return read_bool(row, value, member, err);
	case PMG_KEY_UINT:
	case PMG_KEY_DURATION:
	case PMG_KEY_SIZE:
		return read_number(row, value, member, err);
	case PMG_KEY_ENUM:
		return read_enum(row, value, member, err);
	case PMG_KEY_STRV:
		return read_strv(row, value, member, err);
	case PMG_KEY_MAP:
		return read_map(row->rows, value, out, reading);
	case PMG_KEY_LIST:
		return read_list(row, value, out, reading);
	case PMG_KEY_CALL:
		return row->read(value, out, err);
	case PMG_KEY_LATER:
		return later(value, err);
	}
	return pmg_err_set(err, PMG_E_INTERNAL, 0, "key kind %d", (int)row->kind);
}

static int unknown(const struct pmg_key *rows, const struct pmg_yaml *value, struct pmg_err *err)
{
	pmg_autofree char *key = shown(value->key);
	const char *words[ROWS_MAX + 1] = { NULL };
	const char *near;
	size_t i;

	for (i = 0; i < ROWS_MAX && rows[i].name; i++)
		words[i] = rows[i].name;
	(void)pmg_yaml_key_err(err, value, "unknown key \"%s\"", key);
	near = pmg_str_nearest(value->key, words);
	if (near)
		return pmg_err_hint(err, "did you mean \"%s\"?", near);
	return -PMG_E_CONFIG;
}

static int read_map(const struct pmg_key *rows, const struct pmg_yaml *node, void *out,
		    const struct reading *reading)
{
	struct pmg_err *err = reading->err;
	const struct pmg_key *row;
	int r;

	if (node->kind != PMG_YAML_MAP)
		return node->parent ? wrong(node, "a mapping", err)
				    : pmg_yaml_err(err, node, "not a mapping (key: value)");
	pmg_yaml_each (node, it) {
		for (row = rows; row->name && strcmp(row->name, it->key) != 0; row++)
			;
		r = row->name ? read_value(row, it, out, reading) : unknown(rows, it, err);
		r = note(reading, r);
		if (r < 0)
			return r;
	}
	for (row = rows; row->name; row++) {
		if (!(row->flags & PMG_KEY_REQUIRED) || pmg_yaml_get(node, row->name))
			continue;
		r = note(reading, pmg_yaml_err(err, node, "key \"%s\" is missing", row->name));
		if (r < 0)
			return r;
	}
	return 0;
}

int pmg_keys_read(const struct pmg_key *rows, const struct pmg_yaml *node, void *out,
		  struct pmg_err *err)
{
	const struct reading reading = { .err = err };

	return read_map(rows, node, out, &reading);
}

void pmg_keys_read_all(const struct pmg_key *rows, const struct pmg_yaml *node, void *out,
		       struct pmg_keys_errors *errors)
{
	struct pmg_err err = PMG_ERR_INIT;
	const struct reading reading = { .errors = errors, .err = &err };

	(void)note(&reading, read_map(rows, node, out, &reading));
}

void pmg_keys_errors_done(struct pmg_keys_errors *errors)
{
	free(errors->v);
	*errors = (struct pmg_keys_errors){ 0 };
}
