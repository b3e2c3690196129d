#include "base/fields.h"

#include <limits.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"

static void *at(void *base, const struct pmg_field *field)
{
	return (char *)base + field->offset;
}

static const void *at_const(const void *base, const struct pmg_field *field)
{
	return (const char *)base + field->offset;
}

struct json_t *pmg_fields_encode(const struct pmg_field *fields, const void *from)
{
	struct json_t *obj = pmg_json_object();
	const struct pmg_field *field;

	for (field = fields; field->key; field++) {
		const void *value = at_const(from, field);

		switch (field->kind) {
		case PMG_FIELD_TEXT:
		case PMG_FIELD_MAYBE:
			pmg_json_set_str(obj, field->key, *(char *const *)value);
			break;
		case PMG_FIELD_LIST:
			pmg_json_set(obj, field->key, pmg_json_strv(value));
			break;
		case PMG_FIELD_BOOL:
			pmg_json_set_bool(obj, field->key, *(const bool *)value);
			break;
		case PMG_FIELD_INT:
			pmg_json_set_int(obj, field->key, *(const int *)value);
			break;
		case PMG_FIELD_TIME:
			pmg_json_set_int(obj, field->key, *(const int64_t *)value);
			break;
		case PMG_FIELD_COUNT:
			pmg_json_set_count(obj, field->key,
					   *(const uint64_t *)value); /* only ever shown */
			break;
		}
	}
	return obj;
}

int pmg_fields_wrong(struct pmg_err *err, const char *key, const char *what)
{
	return pmg_err_set(err, PMG_E_PEER, 0, "message field \"%s\" %s", key, what);
}

static int text_decode(const struct pmg_field *field, const struct json_t *value, char **out,
		       struct pmg_err *err)
{
	const char *text = pmg_json_text(value);

	if (!text)
		return pmg_fields_wrong(err, field->key, "is no text");
	if (strlen(text) > field->max)
		return pmg_fields_wrong(err, field->key, "is too long");
	*out = pmg_xstrdup(text);
	return 0;
}

static int list_decode(const struct pmg_field *field, const struct json_t *value,
		       struct pmg_strv *out, struct pmg_err *err)
{
	size_t n = pmg_json_len(value), i;

	if (!pmg_json_is_array(value))
		return pmg_fields_wrong(err, field->key, "is no list");
	if (n > field->max)
		return pmg_fields_wrong(err, field->key, "is too long");
	for (i = 0; i < n; i++) {
		const char *text = pmg_json_text(pmg_json_at(value, i));

		if (!text || strlen(text) > PMG_FIELD_ITEM_MAX)
			return pmg_fields_wrong(err, field->key, "holds no text, or one too long");
		pmg_strv_add(out, text);
	}
	return 0;
}

static int number_decode(const struct pmg_field *field, const struct json_t *body, void *out,
			 struct pmg_err *err)
{
	int64_t n = pmg_json_int(body, field->key);

	if (!pmg_json_is_int(pmg_json_get(body, field->key)) || n < 0)
		return pmg_fields_wrong(err, field->key, "is no count");
	if (field->kind == PMG_FIELD_INT && n > (field->max ? (int64_t)field->max : INT_MAX))
		return pmg_fields_wrong(err, field->key, "is too large");
	if (field->kind == PMG_FIELD_INT)
		*(int *)out = (int)n;
	else if (field->kind == PMG_FIELD_TIME)
		*(int64_t *)out = n;
	else
		*(uint64_t *)out = (uint64_t)n;
	return 0;
}

static int field_decode(const struct pmg_field *field, const struct json_t *body, void *out,
			struct pmg_err *err)
{
	const struct json_t *value = pmg_json_get(body, field->key);

	if (!value && field->kind == PMG_FIELD_MAYBE)
		return 0;
	if (!value)
		return pmg_fields_wrong(err, field->key, "is missing");
	switch (field->kind) {
	case PMG_FIELD_TEXT:
	case PMG_FIELD_MAYBE:
		return text_decode(field, value, out, err);
	case PMG_FIELD_LIST:
		return list_decode(field, value, out, err);
	case PMG_FIELD_BOOL:
		if (!pmg_json_is_bool(value))
			return pmg_fields_wrong(err, field->key, "is neither true nor false");
		*(bool *)out = pmg_json_bool(body, field->key);
		return 0;
	case PMG_FIELD_INT:
	case PMG_FIELD_TIME:
	case PMG_FIELD_COUNT:
		return number_decode(field, body, out, err);
	}
	return pmg_fields_wrong(err, field->key, "has no kind");
}

/* Two builds of pmg must not half understand each other: an unknown key is an error too. */
static int unknown_key(const struct pmg_field *fields, const struct json_t *body,
		       struct pmg_err *err)
{
	const struct pmg_field *field;

	pmg_json_object_each (body, it) {
		for (field = fields; field->key; field++)
			if (strcmp(field->key, pmg_json_iter_key(it)) == 0)
				break;
		if (!field->key)
			return pmg_err_set(err, PMG_E_PEER, 0, "message has an unknown field");
	}
	return 0;
}

void pmg_fields_done(const struct pmg_field *fields, void *what)
{
	const struct pmg_field *field;

	for (field = fields; field->key; field++) {
		if (field->kind == PMG_FIELD_TEXT || field->kind == PMG_FIELD_MAYBE) {
			pmg_auto_freep(at(what, field));
			*(char **)at(what, field) = NULL;
		} else if (field->kind == PMG_FIELD_LIST) {
			pmg_strv_done(at(what, field));
		}
	}
}

int pmg_fields_pick(const struct pmg_field *fields, const struct json_t *body, void *fresh,
		    size_t size, void *out, struct pmg_err *err)
{
	const struct pmg_field *field;
	int r = 0;

	if (!pmg_json_is_object(body))
		return pmg_err_set(err, PMG_E_PEER, 0, "message is no object");
	for (field = fields; r == 0 && field->key; field++)
		r = field_decode(field, body, at(fresh, field), err);
	if (r < 0) {
		pmg_fields_done(fields, fresh);
		return r;
	}
	memcpy(out, fresh, size);
	return 0;
}

int pmg_fields_decode(const struct pmg_field *fields, const struct json_t *body, void *fresh,
		      size_t size, void *out, struct pmg_err *err)
{
	int r = unknown_key(fields, body, err);

	return r < 0 ? r : pmg_fields_pick(fields, body, fresh, size, out, err);
}
