#include "conf/packages.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fields.h"
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

#define FIELD(KIND, STRUCT, MEMBER, MAX)                                                           \
	{                                                                                          \
		PMG_FIELD_##KIND, #MEMBER, offsetof(struct STRUCT, MEMBER), MAX                    \
	}

static const struct pmg_field scalars[] = {
	FIELD(BOOL, pmg_packages, enabled, 0),
	FIELD(INT, pmg_packages, mode, PMG_COOLDOWN_FAIL),
	FIELD(INT, pmg_packages, undated, PMG_UNDATED_BLOCK),
	FIELD(INT, pmg_packages, fixes, PMG_FIXES_WAIT),
	FIELD(INT, pmg_packages, private_origin, PMG_PRIVATE_BLOCK),
	FIELD(TIME, pmg_packages, now, 0),
	FIELD(BOOL, pmg_packages, as_of, 0),
	FIELD(BOOL, pmg_packages, managed_wait, 0),
	{ 0 },
};

static const struct pmg_field members[] = {
	FIELD(MAYBE, pmg_packages_entry, purl, PMG_PACKAGES_JSON_MAX),
	FIELD(MAYBE, pmg_packages_entry, id, PMG_PACKAGES_JSON_MAX),
	FIELD(MAYBE, pmg_packages_entry, reason, PMG_PACKAGES_JSON_MAX),
	FIELD(TEXT, pmg_packages_entry, where, PMG_PACKAGES_JSON_MAX),
	FIELD(TIME, pmg_packages_entry, expires, 0),
	FIELD(COUNT, pmg_packages_entry, age_s, 0),
	FIELD(INT, pmg_packages_entry, layer, PMG_PACKAGES_LAYERS - 1),
	FIELD(BOOL, pmg_packages_entry, expired, 0),
	{ 0 },
};

char *pmg_packages_encode(const struct pmg_packages *packages)
{
	pmg_auto(json) struct json_t *obj = pmg_fields_encode(scalars, packages);
	size_t i, k;

	for (i = 0; i < PMG_ARRAY_LEN(lists); i++) {
		const struct pmg_packages_list *list = list_of(packages, i);
		struct json_t *array = pmg_json_array();

		for (k = 0; k < list->n; k++)
			pmg_json_add(array, pmg_fields_encode(members, &list->v[k]));
		pmg_json_set(obj, lists[i].key, array);
	}
	return pmg_json_dump(obj);
}

static int decode_list(const struct json_t *array, const char *key, struct pmg_packages_list *out,
		       struct pmg_err *err)
{
	size_t i, n = pmg_json_len(array);
	int r = 0;

	if (!pmg_json_is_array(array))
		return pmg_fields_wrong(err, key, "is no list");
	for (i = 0; r == 0 && i < n; i++) {
		struct pmg_packages_entry fresh = { 0 }, entry;

		r = pmg_fields_decode(members, pmg_json_at(array, i), &fresh, sizeof fresh, &entry,
				      err);
		if (r == 0)
			pmg_packages_add(out, &entry);
	}
	return r;
}

/* All keys have to be there: so there are too many when one is unknown. */
static int check_keys(const struct json_t *obj, struct pmg_err *err)
{
	size_t n = 0;

	pmg_json_object_each (obj, it)
		n++;
	return n == PMG_ARRAY_LEN(scalars) - 1 + PMG_ARRAY_LEN(lists)
		       ? 0
		       : pmg_err_set(err, PMG_E_PEER, 0, "message has an unknown field");
}

static int decode(const struct json_t *obj, struct pmg_packages *out, struct pmg_err *err)
{
	struct pmg_packages fresh = { 0 };
	size_t i;
	int r = pmg_fields_pick(scalars, obj, &fresh, sizeof fresh, out, err);

	for (i = 0; r == 0 && i < PMG_ARRAY_LEN(lists); i++)
		r = decode_list(pmg_json_get(obj, lists[i].key), lists[i].key, list_at(out, i),
				err);
	return r < 0 ? r : check_keys(obj, err);
}

int pmg_packages_decode(const char *text, size_t len, struct pmg_packages *out, struct pmg_err *err)
{
	static const char name[] = "policy on packages";
	pmg_auto(packages) struct pmg_packages packages = { 0 };
	pmg_auto(json) struct json_t *obj = NULL;

	if (len > PMG_PACKAGES_JSON_MAX)
		return pmg_err_set(err, PMG_E_PEER, 0, "%s: too large", name);
	if (pmg_json_parse(name, text, len, &obj, err) < 0)
		return pmg_err_as(err, PMG_E_PEER);
	if (decode(obj, &packages, err) < 0)
		return pmg_err_wrap(err, "%s", name);
	*out = packages;
	packages = (struct pmg_packages){ 0 };
	return 0;
}
