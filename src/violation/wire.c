#include "violation/wire.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"

enum kind {
	TEXT,  /* char *, must be there */
	MAYBE, /* char *, NULL when it is not there */
	LIST,  /* struct pmg_strv */
	BOOL,
	INT,  /* int, not negative */
	TIME, /* int64_t, not negative */
	COUNT /* uint64_t */
};

/* One field of a message: the JSON key is the name of the member. */
struct field {
	enum kind kind;
	const char *key;
	size_t offset;
	size_t max; /* bytes of a text, elements of a list */
};

#define FIELD(KIND, MSG, MEMBER, MAX)                                                              \
	{                                                                                          \
		KIND, #MEMBER, offsetof(struct pmg_wire_##MSG, MEMBER), MAX                        \
	}

static const struct field registry_fields[] = {
	FIELD(TEXT, registry, eco, PMG_WIRE_ECO_MAX),
	FIELD(TEXT, registry, url, PMG_WIRE_URL_MAX),
	FIELD(MAYBE, registry, scope, PMG_WIRE_NAME_MAX),
	{ 0 },
};

static const struct field source_fields[] = {
	FIELD(TEXT, source, eco, PMG_WIRE_ECO_MAX),
	FIELD(TEXT, source, url, PMG_WIRE_URL_MAX),
	FIELD(MAYBE, source, name, PMG_WIRE_NAME_MAX),
	FIELD(MAYBE, source, version, PMG_WIRE_NAME_MAX),
	{ 0 },
};

static const struct field start_fields[] = {
	FIELD(TEXT, start, token, PMG_WIRE_NAME_MAX),
	FIELD(TEXT, start, index_path, PMG_WIRE_PATH_MAX),
	FIELD(TEXT, start, blocklist_path, PMG_WIRE_PATH_MAX),
	FIELD(MAYBE, start, cache_path, PMG_WIRE_PATH_MAX),
	FIELD(MAYBE, start, https_proxy, PMG_WIRE_URL_MAX),
	FIELD(MAYBE, start, http_proxy, PMG_WIRE_URL_MAX),
	FIELD(MAYBE, start, no_proxy, PMG_WIRE_URL_MAX),
	FIELD(LIST, start, ca_files, PMG_WIRE_LIST_MAX),
	FIELD(LIST, start, ca_dirs, PMG_WIRE_LIST_MAX),
	FIELD(BOOL, start, debug, 0),
	{ 0 },
};

static const struct field ready_fields[] = {
	FIELD(BOOL, ready, index_present, 0),
	FIELD(TIME, ready, index_built, 0),
	FIELD(COUNT, ready, index_records, 0),
	FIELD(COUNT, ready, blocklist_entries, 0),
	FIELD(TEXT, ready, ca_pem, PMG_WIRE_PEM_MAX),
	FIELD(LIST, ready, notes, PMG_WIRE_LIST_MAX),
	{ 0 },
};

static const struct field judged_fields[] = {
	FIELD(TEXT, judged, eco, PMG_WIRE_ECO_MAX),
	FIELD(TEXT, judged, name, PMG_WIRE_NAME_MAX),
	FIELD(TEXT, judged, version, PMG_WIRE_NAME_MAX),
	FIELD(TEXT, judged, verdict, PMG_WIRE_NAME_MAX),
	FIELD(MAYBE, judged, reason, PMG_WIRE_TEXT_MAX),
	FIELD(INT, judged, diag, 0),
	FIELD(MAYBE, judged, rule, PMG_WIRE_TEXT_MAX),
	FIELD(MAYBE, judged, note, PMG_WIRE_TEXT_MAX),
	FIELD(TEXT, judged, url, PMG_WIRE_URL_MAX),
	FIELD(LIST, judged, ids, PMG_WIRE_LIST_MAX),
	FIELD(LIST, judged, sources, PMG_WIRE_LIST_MAX),
	{ 0 },
};

static const struct field passed_fields[] = {
	FIELD(TEXT, passed, target, PMG_WIRE_URL_MAX),
	FIELD(TEXT, passed, why, PMG_WIRE_NAME_MAX),
	{ 0 },
};

static const struct field trouble_fields[] = {
	FIELD(TEXT, trouble, target, PMG_WIRE_URL_MAX),
	FIELD(TEXT, trouble, what, PMG_WIRE_TEXT_MAX),
	FIELD(INT, trouble, diag, 0),
	{ 0 },
};

static const struct field done_fields[] = {
	FIELD(COUNT, done, requests, 0),
	FIELD(COUNT, done, bytes, 0),
	FIELD(LIST, done, learned, PMG_WIRE_LIST_MAX),
	{ 0 },
};

static void *at(void *base, const struct field *field)
{
	return (char *)base + field->offset;
}

static const void *at_const(const void *base, const struct field *field)
{
	return (const char *)base + field->offset;
}

static struct json_t *encode(const struct field *field, const void *from)
{
	struct json_t *obj = pmg_json_object();

	for (; field->key; field++) {
		const void *value = at_const(from, field);

		switch (field->kind) {
		case TEXT:
		case MAYBE:
			pmg_json_set_str(obj, field->key, *(char *const *)value);
			break;
		case LIST:
			pmg_json_set(obj, field->key, pmg_json_strv(value));
			break;
		case BOOL:
			pmg_json_set_bool(obj, field->key, *(const bool *)value);
			break;
		case INT:
			pmg_json_set_int(obj, field->key, *(const int *)value);
			break;
		case TIME:
			pmg_json_set_int(obj, field->key, *(const int64_t *)value);
			break;
		case COUNT:
			pmg_json_set_count(obj, field->key,
					   *(const uint64_t *)value); /* only ever shown */
			break;
		}
	}
	return obj;
}

static int wrong(struct pmg_err *err, const char *key, const char *what)
{
	return pmg_err_set(err, PMG_E_PEER, 0, "message field \"%s\" %s", key, what);
}

static int text_decode(const struct field *field, const struct json_t *value, char **out,
		       struct pmg_err *err)
{
	const char *text = pmg_json_text(value);

	if (!text)
		return wrong(err, field->key, "is no text");
	if (strlen(text) > field->max)
		return wrong(err, field->key, "is too long");
	*out = pmg_xstrdup(text);
	return 0;
}

static int list_decode(const struct field *field, const struct json_t *value, struct pmg_strv *out,
		       struct pmg_err *err)
{
	size_t n = pmg_json_len(value), i;

	if (!pmg_json_is_array(value))
		return wrong(err, field->key, "is no list");
	if (n > field->max)
		return wrong(err, field->key, "is too long");
	for (i = 0; i < n; i++) {
		const char *text = pmg_json_text(pmg_json_at(value, i));

		if (!text || strlen(text) > PMG_WIRE_PATH_MAX)
			return wrong(err, field->key, "holds no text, or one too long");
		pmg_strv_add(out, text);
	}
	return 0;
}

static int number_decode(const struct field *field, const struct json_t *body, void *out,
			 struct pmg_err *err)
{
	int64_t n = pmg_json_int(body, field->key);

	if (!pmg_json_is_int(pmg_json_get(body, field->key)) || n < 0)
		return wrong(err, field->key, "is no count");
	if (field->kind == INT && n > INT_MAX)
		return wrong(err, field->key, "is too large");
	if (field->kind == INT)
		*(int *)out = (int)n;
	else if (field->kind == TIME)
		*(int64_t *)out = n;
	else
		*(uint64_t *)out = (uint64_t)n;
	return 0;
}

static int field_decode(const struct field *field, const struct json_t *body, void *out,
			struct pmg_err *err)
{
	const struct json_t *value = pmg_json_get(body, field->key);

	if (!value && field->kind == MAYBE)
		return 0;
	if (!value)
		return wrong(err, field->key, "is missing");
	switch (field->kind) {
	case TEXT:
	case MAYBE:
		return text_decode(field, value, out, err);
	case LIST:
		return list_decode(field, value, out, err);
	case BOOL:
		if (!pmg_json_is_bool(value))
			return wrong(err, field->key, "is neither true nor false");
		*(bool *)out = pmg_json_bool(body, field->key);
		return 0;
	case INT:
	case TIME:
	case COUNT:
		return number_decode(field, body, out, err);
	}
	return wrong(err, field->key, "has no kind");
}

/* Two builds of pmg must not half understand each other: an unknown key is an error too. */
static int unknown_key(const struct field *fields, const struct json_t *body, struct pmg_err *err)
{
	const struct field *field;

	pmg_json_object_each (body, it) {
		for (field = fields; field->key; field++)
			if (strcmp(field->key, pmg_json_iter_key(it)) == 0)
				break;
		if (!field->key)
			return pmg_err_set(err, PMG_E_PEER, 0, "message has an unknown field");
	}
	return 0;
}

static void done(const struct field *field, void *what)
{
	for (; field->key; field++) {
		if (field->kind == TEXT || field->kind == MAYBE) {
			pmg_auto_freep(at(what, field));
			*(char **)at(what, field) = NULL;
		} else if (field->kind == LIST) {
			pmg_strv_done(at(what, field));
		}
	}
}

/* `fresh` is a zeroed message of `size` bytes; *out is only written when all is well. */
static int decode(const struct field *fields, const struct json_t *body, void *fresh, size_t size,
		  void *out, struct pmg_err *err)
{
	const struct field *field;
	int r = 0;

	if (!pmg_json_is_object(body))
		return pmg_err_set(err, PMG_E_PEER, 0, "message is no object");
	r = unknown_key(fields, body, err);
	for (field = fields; r == 0 && field->key; field++)
		r = field_decode(field, body, at(fresh, field), err);
	if (r < 0) {
		done(fields, fresh);
		return r;
	}
	memcpy(out, fresh, size);
	return 0;
}

#define MESSAGE(NAME)                                                                              \
	struct json_t *pmg_wire_##NAME##_encode(const struct pmg_wire_##NAME *m)                   \
	{                                                                                          \
		return encode(NAME##_fields, m);                                                   \
	}                                                                                          \
	int pmg_wire_##NAME##_decode(const struct json_t *body, struct pmg_wire_##NAME *out,       \
				     struct pmg_err *err)                                          \
	{                                                                                          \
		struct pmg_wire_##NAME fresh = { 0 };                                              \
                                                                                                   \
		return decode(NAME##_fields, body, &fresh, sizeof fresh, out, err);                \
	}                                                                                          \
	void pmg_wire_##NAME##_done(struct pmg_wire_##NAME *m)                                     \
	{                                                                                          \
		done(NAME##_fields, m);                                                            \
	}

MESSAGE(registry)
MESSAGE(source)
MESSAGE(start)
MESSAGE(ready)
MESSAGE(judged)
MESSAGE(passed)
MESSAGE(trouble)
MESSAGE(done)

/* An error has arrays where the others have pointers, so it travels as one of these. */
struct pmg_wire_failed {
	int code, errnum, diag;
	char *msg, *hint;
};

/* A text that was cut inside a UTF-8 character is written with \\xNN, four bytes for one. */
#define GROWN(MEMBER) (4 * (sizeof((struct pmg_err *)0)->MEMBER - 1))

static const struct field failed_fields[] = {
	FIELD(INT, failed, code, 0),
	FIELD(INT, failed, errnum, 0),
	FIELD(INT, failed, diag, 0),
	FIELD(TEXT, failed, msg, GROWN(msg)),
	FIELD(TEXT, failed, hint, GROWN(hint)),
	{ 0 },
};

struct json_t *pmg_wire_failed_encode(const struct pmg_err *failed)
{
	struct pmg_err copy = *failed;
	struct pmg_wire_failed m = { (int)copy.code, copy.errnum, copy.diag, copy.msg, copy.hint };

	return encode(failed_fields, &m);
}

int pmg_wire_failed_decode(const struct json_t *body, struct pmg_err *out, struct pmg_err *err)
{
	struct pmg_wire_failed fresh = { 0 }, m = { 0 };
	int r = decode(failed_fields, body, &fresh, sizeof fresh, &m, err);

	if (r == 0 && (m.code < 1 || m.code >= PMG_E_MAX))
		r = wrong(err, "code", "is no error code");
	if (r == 0) {
		out->code = (enum pmg_code)m.code;
		out->errnum = m.errnum;
		out->diag = m.diag;
		(void)snprintf(out->msg, sizeof out->msg, "%s", m.msg);
		(void)snprintf(out->hint, sizeof out->hint, "%s", m.hint);
	}
	done(failed_fields, &m);
	return r;
}
