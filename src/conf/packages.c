#include "conf/packages.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/strv.h"

void pmg_packages_init(struct pmg_packages *packages)
{
	packages->enabled = true;
	packages->mode = PMG_COOLDOWN_FILTER;
	packages->undated = PMG_UNDATED_BLOCK;
	packages->fixes = PMG_FIXES_PASS;
	packages->private_origin = PMG_PRIVATE_WARN;
}

void pmg_packages_entry_done(struct pmg_packages_entry *entry)
{
	free(entry->purl);
	free(entry->id);
	free(entry->reason);
	free(entry->where);
	*entry = (struct pmg_packages_entry){ 0 };
}

/* The lists and what they are called in files and in JSON. */
static const struct {
	const char *key;
	size_t offset;
} lists[] = {
	{ "ages", offsetof(struct pmg_packages, ages) },
	{ "skip", offsetof(struct pmg_packages, skip) },
	{ "trusted_packages", offsetof(struct pmg_packages, trusted) },
	{ "overrides", offsetof(struct pmg_packages, overrides) },
};

static struct pmg_packages_list *list_at(struct pmg_packages *packages, size_t i)
{
	return (void *)((char *)packages + lists[i].offset);
}

static const struct pmg_packages_list *list_of(const struct pmg_packages *packages, size_t i)
{
	return (const void *)((const char *)packages + lists[i].offset);
}

static void list_done(struct pmg_packages_list *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		pmg_packages_entry_done(&list->v[i]);
	free(list->v);
}

void pmg_packages_done(struct pmg_packages *packages)
{
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(lists); i++)
		list_done(list_at(packages, i));
	*packages = (struct pmg_packages){ 0 };
}

void pmg_packages_add(struct pmg_packages_list *list, struct pmg_packages_entry *taken)
{
	list->v = pmg_grow(list->v, list->n, &list->cap, sizeof *list->v);
	list->v[list->n++] = *taken;
	*taken = (struct pmg_packages_entry){ 0 };
}

static char *copy(const char *text)
{
	return text ? pmg_xstrdup(text) : NULL;
}

void pmg_packages_copy(struct pmg_packages_list *to, const struct pmg_packages_list *from)
{
	size_t i;

	for (i = 0; i < from->n; i++) {
		struct pmg_packages_entry entry = from->v[i];

		entry.purl = copy(entry.purl);
		entry.id = copy(entry.id);
		entry.reason = copy(entry.reason);
		entry.where = copy(entry.where);
		pmg_packages_add(to, &entry);
	}
}

void pmg_packages_date(struct pmg_packages *packages, int64_t clock, struct pmg_strv *notes)
{
	char date[PMG_RFC3339_LEN];
	size_t i, k;

	if (packages->now == 0)
		packages->now = clock;
	for (i = 0; i < PMG_ARRAY_LEN(lists); i++) {
		struct pmg_packages_list *list = list_at(packages, i);

		for (k = 0; k < list->n; k++) {
			struct pmg_packages_entry *entry = &list->v[k];

			entry->expired = entry->expires != 0 && entry->expires <= clock;
			if (!entry->expired || !notes)
				continue;
			pmg_clock_format(entry->expires, date);
			pmg_strv_addf(notes,
				      "%s: %s: the entry %s expired on %.10s: it has no effect",
				      entry->where, lists[i].key, entry->purl, date);
		}
	}
}

enum kind { TEXT, MAYBE, WORD, FLAG, SECONDS, AMOUNT };

struct field {
	const char *key;
	enum kind kind;
	size_t offset;
	int max; /* of a WORD */
};

#define FIELD(STRUCT, MEMBER, KIND, MAX)                                                           \
	{                                                                                          \
#MEMBER, KIND, offsetof(struct STRUCT, MEMBER), MAX                                \
	}

static const struct field scalars[] = {
	FIELD(pmg_packages, enabled, FLAG, 0),
	FIELD(pmg_packages, mode, WORD, PMG_COOLDOWN_FAIL),
	FIELD(pmg_packages, undated, WORD, PMG_UNDATED_BLOCK),
	FIELD(pmg_packages, fixes, WORD, PMG_FIXES_WAIT),
	FIELD(pmg_packages, private_origin, WORD, PMG_PRIVATE_BLOCK),
	FIELD(pmg_packages, now, SECONDS, 0),
	FIELD(pmg_packages, as_of, FLAG, 0),
	FIELD(pmg_packages, managed_wait, FLAG, 0),
	{ 0 },
};

static const struct field members[] = {
	FIELD(pmg_packages_entry, purl, MAYBE, 0),
	FIELD(pmg_packages_entry, id, MAYBE, 0),
	FIELD(pmg_packages_entry, reason, MAYBE, 0),
	FIELD(pmg_packages_entry, where, TEXT, 0),
	FIELD(pmg_packages_entry, expires, SECONDS, 0),
	FIELD(pmg_packages_entry, age_s, AMOUNT, 0),
	FIELD(pmg_packages_entry, layer, WORD, PMG_PACKAGES_LAYERS - 1),
	FIELD(pmg_packages_entry, expired, FLAG, 0),
	{ 0 },
};

static struct json_t *encode(const struct field *field, const void *from)
{
	struct json_t *obj = pmg_json_object();

	for (; field->key; field++) {
		const void *at = (const char *)from + field->offset;

		switch (field->kind) {
		case TEXT:
		case MAYBE:
			pmg_json_set_str(obj, field->key, *(char *const *)at);
			break;
		case WORD:
			pmg_json_set_int(obj, field->key, *(const int *)at);
			break;
		case FLAG:
			pmg_json_set_bool(obj, field->key, *(const bool *)at);
			break;
		case SECONDS:
			pmg_json_set_int(obj, field->key, *(const int64_t *)at);
			break;
		case AMOUNT:
			pmg_json_set_count(obj, field->key, *(const uint64_t *)at);
			break;
		}
	}
	return obj;
}

char *pmg_packages_encode(const struct pmg_packages *packages)
{
	pmg_auto(json) struct json_t *obj = encode(scalars, packages);
	size_t i, k;

	for (i = 0; i < PMG_ARRAY_LEN(lists); i++) {
		const struct pmg_packages_list *list = list_of(packages, i);
		struct json_t *array = pmg_json_array();

		for (k = 0; k < list->n; k++)
			pmg_json_add(array, encode(members, &list->v[k]));
		pmg_json_set(obj, lists[i].key, array);
	}
	return pmg_json_dump(obj);
}

static int wrong(const char *key, const char *what, struct pmg_err *err)
{
	return pmg_err_set(err, PMG_E_PEER, 0, "policy on packages: \"%s\" %s", key, what);
}

static int decode_text(const struct field *field, const struct json_t *value, char **out,
		       struct pmg_err *err)
{
	const char *text = pmg_json_text(value);

	if (!value && field->kind == MAYBE)
		return 0;
	if (!text)
		return wrong(field->key, "is no text", err);
	*out = pmg_xstrdup(text);
	return 0;
}

static int decode_number(const struct field *field, const struct json_t *obj, void *out,
			 struct pmg_err *err)
{
	int64_t n = pmg_json_int(obj, field->key);

	if (!pmg_json_is_int(pmg_json_get(obj, field->key)) || n < 0 ||
	    (field->kind == WORD && n > field->max))
		return wrong(field->key, "is no number, or one out of range", err);
	if (field->kind == WORD)
		*(int *)out = (int)n;
	else if (field->kind == SECONDS)
		*(int64_t *)out = n;
	else
		*(uint64_t *)out = (uint64_t)n;
	return 0;
}

static int decode_field(const struct field *field, const struct json_t *obj, void *to,
			struct pmg_err *err)
{
	const struct json_t *value = pmg_json_get(obj, field->key);
	void *out = (char *)to + field->offset;

	if (field->kind == TEXT || field->kind == MAYBE)
		return decode_text(field, value, out, err);
	if (field->kind != FLAG)
		return decode_number(field, obj, out, err);
	if (!pmg_json_is_bool(value))
		return wrong(field->key, "is neither true nor false", err);
	*(bool *)out = pmg_json_bool(obj, field->key);
	return 0;
}

static bool has_field(const struct field *field, const char *key)
{
	for (; field->key; field++)
		if (strcmp(field->key, key) == 0)
			return true;
	return false;
}

static bool has_list(const char *key)
{
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(lists); i++)
		if (strcmp(lists[i].key, key) == 0)
			return true;
	return false;
}

/* @param top  the lists are known as well */
static int decode(const struct field *fields, const struct json_t *obj, bool top, void *out,
		  struct pmg_err *err)
{
	const struct field *field;
	int r = 0;

	if (!pmg_json_is_object(obj))
		return wrong("", "is no object", err);
	pmg_json_object_each (obj, it) {
		const char *key = pmg_json_iter_key(it);

		if (!has_field(fields, key) && !(top && has_list(key)))
			return wrong("", "has an unknown field", err);
	}
	for (field = fields; r == 0 && field->key; field++)
		r = decode_field(field, obj, out, err);
	return r;
}

static int decode_list(const struct json_t *array, const char *key, struct pmg_packages_list *out,
		       struct pmg_err *err)
{
	size_t i, n = pmg_json_len(array);
	int r = 0;

	if (!pmg_json_is_array(array))
		return wrong(key, "is no list", err);
	for (i = 0; r == 0 && i < n; i++) {
		pmg_auto(packages_entry) struct pmg_packages_entry entry = { 0 };

		r = decode(members, pmg_json_at(array, i), false, &entry, err);
		if (r == 0)
			pmg_packages_add(out, &entry);
	}
	return r;
}

int pmg_packages_decode(const char *text, size_t len, struct pmg_packages *out, struct pmg_err *err)
{
	pmg_auto(packages) struct pmg_packages packages = { 0 };
	pmg_auto(json) struct json_t *obj = NULL;
	size_t i;
	int r;

	if (len > PMG_PACKAGES_JSON_MAX)
		return wrong("", "is too large", err);
	if (pmg_json_parse("policy on packages", text, len, &obj, err) < 0)
		return pmg_err_as(err, PMG_E_PEER);
	r = decode(scalars, obj, true, &packages, err);
	for (i = 0; r == 0 && i < PMG_ARRAY_LEN(lists); i++)
		r = decode_list(pmg_json_get(obj, lists[i].key), lists[i].key,
				list_at(&packages, i), err);
	if (r < 0)
		return r;
	*out = packages;
	packages = (struct pmg_packages){ 0 };
	return 0;
}
