#include "verdict/lists.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/json_items.h"
#include "base/path.h"
#include "base/str.h"
#include "pm/version.h"
#include "verdict/blocklist.h"

struct list {
	const struct pmg_list_want *want;
	const struct pmg_list_sink *sink;
	enum pmg_eco eco;
};

/* One entry; all borrowed. */
struct entry {
	const char *origin; /* of the id */
	enum pmg_eco eco;
	const char *name;
	const struct pmg_strv *versions; /* as written; none: all */
	const char *shown;               /* the version in the id; NULL: none */
	const char *note;
	int64_t modified;
};

/* A name that is too long for an id is told by its digest. */
static char *make_id(const struct entry *e, const char *name)
{
	char digest[PMG_SHA256_HEX];
	char *id = pmg_xasprintf("%s:%s/%s%s%s", e->origin, pmg_eco_name(e->eco), name,
				 e->shown ? "@" : "", e->shown ? e->shown : "");

	if (strlen(id) <= PMG_OSV_ID_MAX)
		return id;
	pmg_sha256_hex(id, strlen(id), digest);
	free(id);
	return pmg_xasprintf("%s:%s/%.32s", e->origin, pmg_eco_name(e->eco), digest);
}

static const char *fault_of(const struct entry *e)
{
	size_t i;

	if (*e->name == '\0')
		return "a package has no name";
	if (strlen(e->name) > PMG_NAME_MAX)
		return "its name is too long";
	for (i = 0; i < e->versions->n; i++) {
		if (*e->versions->v[i] == '\0')
			return "a version is empty";
		if (strlen(e->versions->v[i]) > PMG_VERSION_MAX)
			return "a version is too long";
		if (pmg_version_is_range(e->eco, e->versions->v[i]))
			return "a range, not one exact version";
	}
	return NULL;
}

static void fill(const struct entry *e, struct pmg_osv *record)
{
	struct pmg_osv_affected *a = pmg_xcalloc(1, sizeof *a);
	size_t i;

	a->eco = e->eco;
	a->name = pmg_name_canonical(e->eco, e->name);
	for (i = 0; i < e->versions->n; i++)
		pmg_strv_take(&a->versions, pmg_version_canonical(e->eco, e->versions->v[i]));
	if (e->versions->n == 0) {
		a->intervals = pmg_xcalloc(1, sizeof *a->intervals);
		a->n_intervals = a->cap_intervals = 1;
		a->intervals[0].low = pmg_xstrdup("");
		a->intervals[0].high = pmg_xstrdup("");
	}
	record->affected = a;
	record->n_affected = record->cap_affected = 1;
	record->malware = true;
	record->modified = e->modified;
	record->id = make_id(e, a->name);
	record->note = e->note ? pmg_xstrdup(e->note) : NULL;
}

/* @param place  where it stands, for a fault. @return 0; what the sink returned */
static int give(const struct list *list, const struct entry *e, const char *place,
		struct pmg_err *err)
{
	pmg_auto(osv) struct pmg_osv record = { 0 };
	pmg_autofree char *text = NULL;
	const char *fault = fault_of(e);

	if (fault) {
		list->sink->unread(list->sink->arg, place, fault);
		return 0;
	}
	fill(e, &record);
	text = pmg_strv_join(&record.affected[0].versions, " ", SIZE_MAX / 2);
	return list->sink->record(list->sink->arg, &record, text ? text : "", err);
}

static void unread_at(const struct list *list, size_t i, const char *why)
{
	pmg_autofree char *place = pmg_xasprintf("[%zu]", i);

	list->sink->unread(list->sink->arg, place, why);
}

/* What a list may call a package that does no harm, whatever else may be said of it. */
static bool is_malware(const char *reason)
{
	return !reason ||
	       (strcasecmp(reason, "TELEMETRY") != 0 && strcasecmp(reason, "PROTESTWARE") != 0);
}

static int take_aikido(const struct list *list, const struct json_t *item, size_t i,
		       struct pmg_err *err)
{
	const char *version = pmg_json_str(item, "version");
	pmg_auto(strv) struct pmg_strv versions = { 0 };
	pmg_autofree char *place = pmg_xasprintf("[%zu]", i);
	struct entry e = { .origin = "aikido", .eco = list->eco, .versions = &versions };

	e.name = pmg_json_str(item, "package_name");
	if (!e.name || !version) {
		unread_at(list, i, !e.name ? "no package_name" : "no version");
		return 0;
	}
	if (!is_malware(pmg_json_str(item, "reason"))) {
		list->sink->not_malware(list->sink->arg);
		return 0;
	}
	if (strcmp(version, "*") != 0) {
		pmg_strv_add(&versions, version);
		e.shown = version;
	}
	return give(list, &e, place, err);
}

static bool has_word(const char *text, const char *word)
{
	size_t n = strlen(word);
	const char *at;

	for (at = text; (at = strcasestr(at, word)); at += n)
		if ((at == text || !isalnum((unsigned char)at[-1])) &&
		    !isalnum((unsigned char)at[n]))
			return true;
	return false;
}

/* @return whether the text names exactly one ecosystem */
static bool eco_of(const char *text, enum pmg_eco *out)
{
	bool npm = has_word(text, "npm");
	bool pypi = has_word(text, "pypi") || has_word(text, "python");

	*out = npm ? PMG_ECO_NPM : PMG_ECO_PYPI;
	return npm != pypi;
}

static int find_eco(struct list *list, struct pmg_err *err)
{
	pmg_autofree char *path = pmg_path_clean(list->want->path);
	pmg_autofree char *dir = pmg_path_dir(path);

	if (list->want->eco) {
		list->eco = *list->want->eco;
		return 0;
	}
	if (eco_of(pmg_path_name(path), &list->eco) || eco_of(pmg_path_name(dir), &list->eco))
		return 0;
	(void)pmg_err_set(err, PMG_E_USAGE, 0, "%s: the list does not say of which ecosystem it is",
			  list->want->path);
	return pmg_err_hint(err, "say so: --ecosystem npm, or --ecosystem pypi");
}

/* @return 0 with the value, or what it is of an object's key; -PMG_E_PARSE; -PMG_E_LIMIT */
static int parse_item(const char *name, const char *text, size_t len, struct json_t **out,
		      struct pmg_err *err)
{
	if (len > PMG_LIST_ITEM_MAX)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "%s: larger than %u bytes", name,
				   PMG_LIST_ITEM_MAX);
	return pmg_json_parse(name, text, len, out, err);
}

static int fail_aikido(const struct list *list, const char *what, struct pmg_err *err)
{
	(void)pmg_err_set(err, PMG_E_PARSE, 0, "%s: %s", list->want->path, what);
	return pmg_err_hint(err, "an array of {\"package_name\", \"version\"} is taken");
}

static int read_aikido(struct list *list, const char *text, size_t len, struct pmg_err *err)
{
	struct pmg_json_items items;
	struct pmg_json_item item;
	size_t i;
	int r = pmg_json_items_open(list->want->path, text, len, &items, err);

	for (i = 0; r == 0 && (r = pmg_json_items_next(&items, &item, err)) > 0; i++) {
		pmg_autofree char *name = pmg_xasprintf("%s: [%zu]", list->want->path, i);
		pmg_auto(json) struct json_t *json = NULL;

		r = parse_item(name, item.value, item.len, &json, err);
		if (r == 0 && i == 0 && !pmg_json_str(json, "package_name"))
			return fail_aikido(list, "a list, but not of packages", err);
		if (r == 0 && i == 0)
			r = find_eco(list, err);
		if (r == 0)
			r = take_aikido(list, json, i, err);
	}
	if (r == 0 && i == 0)
		return fail_aikido(list, "an empty list", err);
	return r < 0 ? r : 1;
}

static bool is_versions(const struct json_t *value)
{
	size_t i, n = pmg_json_len(value);

	if (pmg_json_is_null(value))
		return true;
	for (i = 0; i < n; i++)
		if (!pmg_json_text(pmg_json_at(value, i)))
			return false;
	return pmg_json_is_array(value);
}

/* What the members of an object say that it is. */
struct shape {
	struct pmg_strv keys;
	bool versions; /* each value is of a manifest */
	bool own;      /* schema_version, and a list named block */
};

static void shape_done(struct shape *shape)
{
	pmg_strv_done(&shape->keys);
}
PMG_DEFINE_AUTO_DONE(shape, struct shape, shape_done);

static int look_at_member(const struct list *list, const struct pmg_json_item *item,
			  struct shape *shape, struct pmg_err *err)
{
	pmg_auto(json) struct json_t *key = NULL;
	pmg_auto(json) struct json_t *value = NULL;
	int r = parse_item(list->want->path, item->key, item->key_len, &key, err);

	if (r == 0)
		pmg_strv_add(&shape->keys, pmg_json_text(key));
	if (r == 0 && shape->versions) {
		r = parse_item(list->want->path, item->value, item->len, &value, err);
		shape->versions = r == 0 && is_versions(value);
	}
	shape->own = shape->own ||
		     (r == 0 && *item->value == '[' && strcmp(pmg_json_text(key), "block") == 0);
	return r;
}

/* @return 0; -PMG_E_PARSE: no object, or one with a key that stands twice; -PMG_E_LIMIT */
static int look(const struct list *list, const char *text, size_t len, struct shape *shape,
		struct pmg_err *err)
{
	struct pmg_json_items items;
	struct pmg_json_item item;
	size_t i;
	int r = pmg_json_items_open(list->want->path, text, len, &items, err);

	shape->versions = true;
	while (r == 0 && (r = pmg_json_items_next(&items, &item, err)) > 0)
		r = look_at_member(list, &item, shape, err);
	if (r < 0)
		return r;
	pmg_strv_sort(&shape->keys);
	for (i = 1; i < shape->keys.n; i++)
		if (strcmp(shape->keys.v[i], shape->keys.v[i - 1]) == 0)
			return pmg_err_set(err, PMG_E_PARSE, 0, "a key stands twice");
	shape->versions = shape->versions && shape->keys.n > 0;
	shape->own = shape->own && pmg_strv_has(&shape->keys, "schema_version");
	return 0;
}

static int take_datadog(const struct list *list, const struct json_t *key,
			const struct json_t *value, struct pmg_err *err)
{
	pmg_auto(strv) struct pmg_strv versions = { 0 };
	struct entry e = { .origin = "datadog",
			   .eco = list->eco,
			   .name = pmg_json_text(key),
			   .versions = &versions };
	size_t i;

	for (i = 0; i < pmg_json_len(value); i++)
		pmg_strv_add(&versions, pmg_json_text(pmg_json_at(value, i)));
	if (versions.n > 0 || pmg_json_is_null(value))
		return give(list, &e, e.name, err);
	list->sink->unread(list->sink->arg, e.name, "names no version");
	return 0;
}

/* An object that was looked at. */
static int read_datadog(struct list *list, const char *text, size_t len, struct pmg_err *err)
{
	struct pmg_json_items items;
	struct pmg_json_item item;
	int r = find_eco(list, err);

	if (r == 0)
		r = pmg_json_items_open(list->want->path, text, len, &items, err);
	while (r == 0 && (r = pmg_json_items_next(&items, &item, err)) > 0) {
		pmg_auto(json) struct json_t *key = NULL;
		pmg_auto(json) struct json_t *value = NULL;

		r = parse_item(list->want->path, item.key, item.key_len, &key, err);
		if (r == 0)
			r = parse_item(list->want->path, item.value, item.len, &value, err);
		if (r == 0)
			r = take_datadog(list, key, value, err);
	}
	return r < 0 ? r : 1;
}

static int read_own(struct list *list, const char *text, size_t len, struct pmg_err *err)
{
	pmg_auto(blocklist) struct pmg_blocklist own = { 0 };
	size_t i;
	int r = pmg_blocklist_parse_feed(list->want->path, text, len, &own, err);

	if (r < 0) {
		if (*err->hint == '\0')
			(void)pmg_err_hint(err, "no archive and no record of OSV; a list of "
						"your own is YAML: schema_version: 1, and "
						"block: with a purl each");
		return r;
	}
	if (list->sink->own)
		list->sink->own(list->sink->arg);
	for (i = 0; r == 0 && i < own.n; i++) {
		const struct pmg_block *b = &own.v[i];
		pmg_auto(strv) struct pmg_strv versions = { 0 };
		struct entry e = { .origin = list->want->feed,
				   .eco = b->purl.eco,
				   .name = b->purl.name,
				   .versions = &versions,
				   .shown = b->purl.version,
				   .note = b->reason };

		if (b->created)
			(void)!pmg_clock_parse(b->created, &e.modified); /* was read before */
		if (b->purl.version)
			pmg_strv_add(&versions, b->purl.version);
		r = give(list, &e, b->text, err);
	}
	return r < 0 ? r : 1;
}

static bool is_text(const char *text, size_t len)
{
	uint32_t cp;
	size_t i, n;

	for (i = 0; i < len; i += n) {
		n = pmg_utf8_len(text + i, len - i, &cp);
		if (n == 0 || cp == 0)
			return false;
	}
	return true;
}

/* The first byte that is not blank; NUL when there is none. */
static char first_of(const char *text, size_t len)
{
	size_t i = 0;

	while (i < len && text[i] && strchr(" \t\r\n", text[i]))
		i++;
	return i < len ? text[i] : '\0';
}

int pmg_list_read(const struct pmg_list_want *want, const char *text, size_t len,
		  const struct pmg_list_sink *sink, struct pmg_err *err)
{
	struct list list = { .want = want, .sink = sink };
	pmg_auto(shape) struct shape shape = { .own = false };
	struct pmg_err why = PMG_ERR_INIT;
	size_t mark = len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	char first;

	text += mark; /* of byte order; says nothing in UTF-8 */
	len -= mark;
	first = first_of(text, len);
	if (first == '[')
		return read_aikido(&list, text, len, err);
	if (first != '{' && first != '\0' && is_text(text, len))
		return read_own(&list, text, len, err);
	if (first != '{' || look(&list, text, len, &shape, &why) < 0)
		return 0;
	if (shape.own)
		return read_own(&list, text, len, err);
	return shape.versions ? read_datadog(&list, text, len, err) : 0;
}
