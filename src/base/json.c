#include "base/json.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

void pmg_json_free(struct json_t *json)
{
	json_decref(json);
}

static int parse(const char *name, const char *text, size_t len, size_t flags, struct json_t **out,
		 struct pmg_err *err)
{
	pmg_autofree char *shown = NULL;
	json_error_t why;
	json_t *json;

	/* jansson takes one behind the value for the end, and never sees what follows. */
	if (memchr(text, '\0', len))
		return pmg_err_set(err, PMG_E_PARSE, 0, "%s: a NUL byte", name);
	json = json_loadb(text, len, flags | JSON_DECODE_ANY, &why);
	if (!json) {
		shown = pmg_str_quote(why.text, strlen(why.text), sizeof why.text);
		return pmg_err_set(err, PMG_E_PARSE, 0, "%s:%d:%d: %s", name, why.line, why.column,
				   shown); /* jansson repeats the bytes that it stumbled over */
	}
	*out = json;
	return 0;
}

int pmg_json_parse(const char *name, const char *text, size_t len, struct json_t **out,
		   struct pmg_err *err)
{
	return parse(name, text, len, JSON_REJECT_DUPLICATES, out, err);
}

int pmg_json_parse_as_js(const char *name, const char *text, size_t len, struct json_t **out,
			 struct pmg_err *err)
{
	size_t mark = len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

	return parse(name, text + mark, len - mark, 0, out, err);
}

const struct json_t *pmg_json_get(const struct json_t *obj, const char *key)
{
	return json_object_get(obj, key);
}

const char *pmg_json_text(const struct json_t *value)
{
	return json_string_value(value);
}

const char *pmg_json_str(const struct json_t *obj, const char *key)
{
	return json_string_value(json_object_get(obj, key));
}

int64_t pmg_json_int(const struct json_t *obj, const char *key)
{
	return (int64_t)json_integer_value(json_object_get(obj, key));
}

bool pmg_json_bool(const struct json_t *obj, const char *key)
{
	return json_is_true(json_object_get(obj, key));
}

bool pmg_json_is_object(const struct json_t *value)
{
	return json_is_object(value);
}

bool pmg_json_is_array(const struct json_t *value)
{
	return json_is_array(value);
}

bool pmg_json_is_int(const struct json_t *value)
{
	return json_is_integer(value);
}

bool pmg_json_is_bool(const struct json_t *value)
{
	return json_is_boolean(value);
}

bool pmg_json_is_null(const struct json_t *value)
{
	return json_is_null(value);
}

size_t pmg_json_len(const struct json_t *array)
{
	return json_array_size(array);
}

const struct json_t *pmg_json_at(const struct json_t *array, size_t i)
{
	return json_array_get(array, i);
}

/* jansson's iterators want a pointer to non-const but change nothing. */
static json_t *mutable_(const struct json_t *obj)
{
	json_t *m;

	memcpy(&m, &obj, sizeof m);
	return m;
}

void *pmg_json_iter(const struct json_t *obj)
{
	return json_is_object(obj) ? json_object_iter(mutable_(obj)) : NULL;
}

void *pmg_json_iter_next(const struct json_t *obj, void *iter)
{
	return json_object_iter_next(mutable_(obj), iter);
}

const char *pmg_json_iter_key(void *iter)
{
	return json_object_iter_key(iter);
}

const struct json_t *pmg_json_iter_value(void *iter)
{
	return json_object_iter_value(iter);
}

static json_t *need(json_t *json)
{
	if (!json)
		abort(); /* out of memory: text is made valid before it gets here */
	return json;
}

static json_t *string(const char *text)
{
	pmg_autofree char *safe = NULL;
	json_t *json = json_string(text);

	if (json)
		return json;
	safe = pmg_str_quote(text, strlen(text), SIZE_MAX);
	return need(json_string(safe));
}

struct json_t *pmg_json_object(void)
{
	return need(json_object());
}

struct json_t *pmg_json_array(void)
{
	return need(json_array());
}

void pmg_json_set(struct json_t *obj, const char *key, struct json_t *taken)
{
	if (json_object_set_new(obj, key, taken) < 0)
		abort();
}

void pmg_json_set_str(struct json_t *obj, const char *key, const char *text)
{
	if (text)
		pmg_json_set(obj, key, string(text));
}

void pmg_json_set_int(struct json_t *obj, const char *key, int64_t n)
{
	pmg_json_set(obj, key, need(json_integer(n)));
}

void pmg_json_set_count(struct json_t *obj, const char *key, uint64_t n)
{
	pmg_json_set_int(obj, key, n > INT64_MAX ? INT64_MAX : (int64_t)n);
}

void pmg_json_set_bool(struct json_t *obj, const char *key, bool b)
{
	pmg_json_set(obj, key, json_boolean(b));
}

void pmg_json_add(struct json_t *array, struct json_t *taken)
{
	if (json_array_append_new(array, taken) < 0)
		abort();
}

void pmg_json_add_str(struct json_t *array, const char *text)
{
	pmg_json_add(array, string(text));
}

struct json_t *pmg_json_strv(const struct pmg_strv *list)
{
	struct json_t *array = pmg_json_array();
	size_t i;

	for (i = 0; i < list->n; i++)
		pmg_json_add_str(array, list->v[i]);
	return array;
}

char *pmg_json_dump(const struct json_t *json)
{
	char *text = json_dumps(json, JSON_COMPACT | JSON_ENCODE_ANY);

	if (!text)
		abort();
	return text;
}
