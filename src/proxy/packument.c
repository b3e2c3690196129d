#include "proxy/packument.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "proxy/packument_priv.h"

/* Members of the document that decide. */
enum section { OTHER, VERSIONS, TIME, TAGS, MODIFIED, OWN_VERSION };

/* Members of one version's document that decide. */
enum field { NO_FIELD, FIELD_VERSION, FIELD_DEPRECATED };

static int on_item(void *ctx, const struct pmg_jsonstrict_item *item, struct pmg_err *err);

struct pmg_packument *pmg_packument_new(enum pmg_packument_kind kind)
{
	struct pmg_packument *doc = pmg_xcalloc(1, sizeof *doc);

	doc->kind = kind;
	doc->modified = PMG_PUBLISHED_NONE;
	doc->texts.max = PMG_PACKUMENT_TEXTS_MAX;
	(void)!pmg_str_add(&doc->texts, "", 1); /* no text is at 0 */
	pmg_jsonstrict_init(&doc->scan, 1, on_item, doc);
	return doc;
}

void pmg_packument_free(struct pmg_packument *doc)
{
	if (!doc)
		return;
	pmg_str_done(&doc->texts);
	free(doc->versions);
	free(doc->times);
	free(doc->tags);
	free(doc->sorted);
	free(doc);
}

static int refuse(const struct pmg_jsonstrict_item *item, enum pmg_code code, const char *what,
		  struct pmg_err *err)
{
	return pmg_err_set(err, code, 0, "byte %" PRIu64 ": %s", item->at, what);
}

/* Keep a name or version. An escape in it has no honest use: no version needs one. */
static int keep(struct pmg_packument *doc, const struct pmg_jsonstrict_item *item, uint32_t *out,
		struct pmg_err *err)
{
	if (item->has_escape)
		return refuse(item, PMG_E_PARSE, "a version, or a key beside it, with an escape",
			      err);
	if (item->is_cut || item->len > PMG_VERSION_MAX)
		return refuse(item, PMG_E_LIMIT, "a version, or a key beside it, that is too long",
			      err);
	*out = (uint32_t)doc->texts.len;
	if (pmg_str_add(&doc->texts, item->text, item->len) < 0 ||
	    pmg_str_add(&doc->texts, "", 1) < 0)
		return refuse(item, PMG_E_LIMIT, "too many names of versions", err);
	return 0;
}

static const struct {
	const char *names[5];
	enum section sections[4];
} deciding[] = {
	[PMG_PACKUMENT_PACKAGE] = { { "versions", "time", "dist-tags", "modified" },
				    { VERSIONS, TIME, TAGS, MODIFIED } },
	[PMG_PACKUMENT_VERSION] = { { "version" }, { OWN_VERSION } },
};

/* The key of a member of the document. */
static int on_section(struct pmg_packument *doc, const struct pmg_jsonstrict_item *item,
		      struct pmg_err *err)
{
	int i = pmg_jsonstrict_key(item, deciding[doc->kind].names);

	doc->section = i < 0 ? OTHER : (int)deciding[doc->kind].sections[i];
	if (i == -PMG_E_PARSE)
		return refuse(item, PMG_E_PARSE, "a key that decides, with an escape", err);
	if (i < 0)
		return 0;
	if (doc->seen & 1U << doc->section)
		return refuse(item, PMG_E_PARSE, "a key that decides stands there twice", err);
	doc->seen |= 1U << doc->section;
	return 0;
}

static int add_version(struct pmg_packument *doc, const struct pmg_jsonstrict_item *item,
		       struct pmg_err *err)
{
	struct pmg_npm_version version = { .at = item->at,
					   .published = PMG_PUBLISHED_NONE,
					   .time = PMG_NO_TIME };
	int r;

	if (doc->versions_n == PMG_PACKUMENT_VERSIONS_MAX)
		return refuse(item, PMG_E_LIMIT, "too many versions", err);
	r = keep(doc, item, &version.name, err);
	if (r < 0)
		return r;
	doc->versions =
		pmg_grow(doc->versions, doc->versions_n, &doc->versions_cap, sizeof *doc->versions);
	doc->versions[doc->versions_n++] = version;
	return 0;
}

static int add_time(struct pmg_packument *doc, const struct pmg_jsonstrict_item *item,
		    struct pmg_err *err)
{
	struct pmg_npm_time when = { .at = item->at, .when = PMG_PUBLISHED_NONE };
	int r;

	if (doc->times_n == PMG_PACKUMENT_TIMES_MAX)
		return refuse(item, PMG_E_LIMIT, "too many dates", err);
	r = keep(doc, item, &when.name, err);
	if (r < 0)
		return r;
	doc->times = pmg_grow(doc->times, doc->times_n, &doc->times_cap, sizeof *doc->times);
	doc->times[doc->times_n++] = when;
	return 0;
}

static int add_tag(struct pmg_packument *doc, const struct pmg_jsonstrict_item *item,
		   struct pmg_err *err)
{
	struct pmg_npm_tag tag = { .at = item->at };
	int r;

	if (doc->tags_n == PMG_PACKUMENT_TAGS_MAX)
		return refuse(item, PMG_E_LIMIT, "too many dist-tags", err);
	r = keep(doc, item, &tag.name, err);
	if (r < 0)
		return r;
	doc->tags = pmg_grow(doc->tags, doc->tags_n, &doc->tags_cap, sizeof *doc->tags);
	doc->tags[doc->tags_n++] = tag;
	return 0;
}

static bool is_value(const struct pmg_jsonstrict_item *item)
{
	return item->event != PMG_JSONSTRICT_KEY && item->event != PMG_JSONSTRICT_CLOSE;
}

/* Scalars, strings, and the ends of what is deeper: a value is complete. */
static bool is_end(const struct pmg_jsonstrict_item *item)
{
	return item->event == PMG_JSONSTRICT_STRING || item->event == PMG_JSONSTRICT_SCALAR ||
	       item->event == PMG_JSONSTRICT_CLOSE;
}

static int in_versions(struct pmg_packument *doc, const struct pmg_jsonstrict_item *item,
		       struct pmg_err *err)
{
	struct pmg_npm_version *version;

	if (item->event == PMG_JSONSTRICT_KEY)
		return add_version(doc, item, err);
	version = &doc->versions[doc->versions_n - 1];
	if (is_value(item) && item->event != PMG_JSONSTRICT_OBJECT)
		version->is_unreadable = true;
	if (is_end(item))
		version->end = item->end;
	return 0;
}

static int in_time(struct pmg_packument *doc, const struct pmg_jsonstrict_item *item,
		   struct pmg_err *err)
{
	struct pmg_npm_time *when;

	if (item->event == PMG_JSONSTRICT_KEY)
		return add_time(doc, item, err);
	when = &doc->times[doc->times_n - 1];
	if (is_value(item) && pmg_jsonstrict_date(item, &when->when) < 0)
		when->when = PMG_PUBLISHED_NONE;
	if (is_end(item))
		when->end = item->end;
	return 0;
}

static int in_tags(struct pmg_packument *doc, const struct pmg_jsonstrict_item *item,
		   struct pmg_err *err)
{
	struct pmg_npm_tag *tag;

	if (item->event == PMG_JSONSTRICT_KEY)
		return add_tag(doc, item, err);
	tag = &doc->tags[doc->tags_n - 1];
	if (is_value(item))
		tag->value_at = item->at;
	if (is_end(item))
		tag->end = item->end;
	return item->event == PMG_JSONSTRICT_STRING ? keep(doc, item, &tag->version, err) : 0;
}

/* A member of one version's document. What its author wrote may stand there, so a key that is not
   what it seems makes this version unreadable, and no other. */
static int on_field(struct pmg_packument *doc, const struct pmg_jsonstrict_item *item)
{
	static const char *const names[] = { "version", "deprecated", NULL };
	struct pmg_npm_version *version = &doc->versions[doc->versions_n - 1];
	int i = pmg_jsonstrict_key(item, names);

	doc->field = i == 0 ? FIELD_VERSION : i == 1 ? FIELD_DEPRECATED : NO_FIELD;
	if (i == -PMG_E_PARSE || (i == 0 && version->has_own))
		version->is_unreadable = true;
	if (i == 0)
		version->has_own = true;
	return 0;
}

/* Does it say the version that its key says? As far as the two differ in spelling alone it does. */
static bool is_same_version(const char *key, const struct pmg_jsonstrict_item *item)
{
	pmg_autofree char *own = NULL;

	if (pmg_jsonstrict_is(item, key))
		return true;
	if (item->event != PMG_JSONSTRICT_STRING || item->has_escape || item->is_cut ||
	    item->len > PMG_VERSION_MAX)
		return false;
	own = pmg_xstrndup(item->text, item->len);
	return pmg_version_is_valid(PMG_ECO_NPM, key) && pmg_version_is_valid(PMG_ECO_NPM, own) &&
	       pmg_version_compare(PMG_ECO_NPM, key, own) == 0;
}

/* npm takes an empty text, and false, for "not any more". */
static bool says_deprecated(const struct pmg_jsonstrict_item *item)
{
	return item->event == PMG_JSONSTRICT_STRING   ? item->len > 0
	       : item->event == PMG_JSONSTRICT_SCALAR ? item->text[0] == 't'
						      : true;
}

static int in_version(struct pmg_packument *doc, const struct pmg_jsonstrict_item *item)
{
	struct pmg_npm_version *version = &doc->versions[doc->versions_n - 1];

	if (item->event == PMG_JSONSTRICT_KEY)
		return on_field(doc, item);
	if (!is_value(item))
		return 0;
	if (doc->field == FIELD_VERSION &&
	    (item->event != PMG_JSONSTRICT_STRING ||
	     !is_same_version(pmg_npm_text(doc, version->name), item)))
		version->is_unreadable = true;
	if (doc->field == FIELD_DEPRECATED)
		version->is_deprecated = says_deprecated(item);
	return 0;
}

/* The document of one version, its own members: it is noted as the one version there is. */
static int in_own(struct pmg_packument *doc, const struct pmg_jsonstrict_item *item,
		  struct pmg_err *err)
{
	if (doc->section != OWN_VERSION || !is_value(item))
		return 0;
	if (item->event != PMG_JSONSTRICT_STRING)
		return refuse(item, PMG_E_PARSE, "\"version\" is no text", err);
	return add_version(doc, item, err);
}

/* Opens or closes what a member of the document holds, or is its whole value. */
static int on_member(struct pmg_packument *doc, const struct pmg_jsonstrict_item *item,
		     struct pmg_err *err)
{
	static const unsigned told[] = { [VERSIONS] = 3, [TIME] = 2, [TAGS] = 2 };

	if (item->event == PMG_JSONSTRICT_KEY)
		return on_section(doc, item, err);
	if (doc->section == OTHER)
		return 0;
	if (doc->kind == PMG_PACKUMENT_VERSION)
		return in_own(doc, item, err);
	if (doc->section == MODIFIED) {
		if (is_value(item))
			(void)!pmg_jsonstrict_date(item, &doc->modified);
		return 0;
	}
	if (item->event == PMG_JSONSTRICT_CLOSE) {
		doc->scan.told = 1;
		return 0;
	}
	if (item->event != PMG_JSONSTRICT_OBJECT)
		return refuse(item, PMG_E_PARSE,
			      "\"versions\", \"time\" or \"dist-tags\" is no object", err);
	doc->scan.told = told[doc->section];
	return 0;
}

static int on_item(void *ctx, const struct pmg_jsonstrict_item *item, struct pmg_err *err)
{
	struct pmg_packument *doc = ctx;

	switch (item->depth) {
	case 0:
		if (is_value(item) && item->event != PMG_JSONSTRICT_OBJECT)
			return refuse(item, PMG_E_PARSE, "the document is no object", err);
		return 0;
	case 1:
		return on_member(doc, item, err);
	case 2:
		return doc->section == VERSIONS ? in_versions(doc, item, err)
		       : doc->section == TIME   ? in_time(doc, item, err)
						: in_tags(doc, item, err);
	default:
		return in_version(doc, item);
	}
}

int pmg_packument_feed(struct pmg_packument *doc, const char *bytes, size_t len,
		       struct pmg_err *err)
{
	doc->total += len;
	return pmg_jsonstrict_feed(&doc->scan, bytes, len, err);
}

/* For qsort_r: names by their bytes. Each list is an array of structs with `name`. */
struct by_name {
	const struct pmg_packument *doc;
	uint32_t (*name)(const struct pmg_packument *doc, size_t i);
};

static uint32_t version_name(const struct pmg_packument *doc, size_t i)
{
	return doc->versions[i].name;
}

static uint32_t time_name(const struct pmg_packument *doc, size_t i)
{
	return doc->times[i].name;
}

static uint32_t tag_name(const struct pmg_packument *doc, size_t i)
{
	return doc->tags[i].name;
}

static int by_name(const void *a, const void *b, void *ctx)
{
	const struct by_name *list = ctx;
	const uint32_t *x = a, *y = b;

	return strcmp(pmg_npm_text(list->doc, list->name(list->doc, *x)),
		      pmg_npm_text(list->doc, list->name(list->doc, *y)));
}

/* Indexes of a list in the order of their names. A name that is there twice would be read by one
   client as the first and by another as the last. @return NULL: err is filled */
static uint32_t *sort(const struct pmg_packument *doc, size_t n, const char *what,
		      uint32_t (*name)(const struct pmg_packument *doc, size_t i),
		      struct pmg_err *err)
{
	struct by_name list = { doc, name };
	pmg_autofree uint32_t *sorted = pmg_xcalloc(n + 1, sizeof *sorted);
	pmg_autofree char *quoted = NULL;
	const char *text;
	size_t i;

	for (i = 0; i < n; i++)
		sorted[i] = (uint32_t)i;
	qsort_r(sorted, n, sizeof *sorted, by_name, &list);
	for (i = 1; i < n; i++)
		if (by_name(&sorted[i - 1], &sorted[i], &list) == 0) {
			text = pmg_npm_text(doc, name(doc, sorted[i]));
			quoted = pmg_str_quote(text, strlen(text), 60);
			(void)pmg_err_set(err, PMG_E_PARSE, 0, "%s stands in %s twice", quoted,
					  what);
			return NULL;
		}
	return pmg_steal_ptr(&sorted);
}

/* Give each version its date. Both lists in the order of names. */
static void join(struct pmg_packument *doc, const uint32_t *times)
{
	struct pmg_npm_version *version;
	size_t i, j = 0;
	int c = -1;

	for (i = 0; i < doc->versions_n; i++) {
		version = &doc->versions[doc->sorted[i]];
		for (; j < doc->times_n; j++) {
			c = strcmp(pmg_npm_text(doc, doc->times[times[j]].name),
				   pmg_npm_text(doc, version->name));
			if (c >= 0)
				break;
		}
		if (j == doc->times_n || c != 0)
			continue;
		version->time = times[j];
		version->published = doc->times[times[j]].when;
		doc->has_dates = true;
	}
}

static int arrange(struct pmg_packument *doc, struct pmg_err *err)
{
	pmg_autofree uint32_t *times = NULL;
	pmg_autofree uint32_t *tags = NULL;

	doc->sorted = sort(doc, doc->versions_n, "\"versions\"", version_name, err);
	times = doc->sorted ? sort(doc, doc->times_n, "\"time\"", time_name, err) : NULL;
	tags = times ? sort(doc, doc->tags_n, "\"dist-tags\"", tag_name, err) : NULL;
	if (!tags)
		return -(int)err->code;
	join(doc, times);
	return 0;
}

int pmg_packument_finish(struct pmg_packument *doc, struct pmg_err *err)
{
	int r = pmg_jsonstrict_finish(&doc->scan, err);

	if (r < 0)
		return r;
	if (doc->kind == PMG_PACKUMENT_VERSION && doc->versions_n == 0)
		return pmg_err_set(err, PMG_E_PARSE, 0,
				   "the document of a version has no \"version\"");
	return arrange(doc, err);
}

size_t pmg_packument_count(const struct pmg_packument *doc)
{
	return doc->versions_n;
}

const char *pmg_packument_version(const struct pmg_packument *doc, size_t i, int64_t *published)
{
	*published = doc->versions[i].published;
	return pmg_npm_text(doc, doc->versions[i].name);
}

bool pmg_packument_has_dates(const struct pmg_packument *doc)
{
	return doc->has_dates;
}

const struct pmg_npm_version *pmg_npm_find(const struct pmg_packument *doc, const char *version)
{
	size_t low = 0, high = doc->versions_n, middle;
	const struct pmg_npm_version *at;
	int c;

	while (low < high) {
		middle = low + (high - low) / 2;
		at = &doc->versions[doc->sorted[middle]];
		c = strcmp(version, pmg_npm_text(doc, at->name));
		if (c == 0)
			return at;
		if (c < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

int64_t pmg_packument_published(const struct pmg_packument *doc, const char *version,
				bool *is_there)
{
	const struct pmg_npm_version *at = pmg_npm_find(doc, version);

	*is_there = at != NULL;
	return at ? at->published : PMG_PUBLISHED_NONE;
}

void pmg_packument_take_dates(struct pmg_packument *doc, const struct pmg_packument *full)
{
	struct pmg_npm_version *version;
	bool is_there;
	size_t i;

	for (i = 0; i < doc->versions_n; i++) {
		version = &doc->versions[i];
		if (version->published == PMG_PUBLISHED_NONE)
			version->published = pmg_packument_published(
				full, pmg_npm_text(doc, version->name), &is_there);
	}
}

const char *pmg_packument_tag(const struct pmg_packument *doc, const char *tag)
{
	size_t i;

	for (i = 0; i < doc->tags_n; i++)
		if (doc->tags[i].version != 0 &&
		    pmg_streq(pmg_npm_text(doc, doc->tags[i].name), tag))
			return pmg_npm_text(doc, doc->tags[i].version);
	return NULL;
}

int64_t pmg_packument_modified(const struct pmg_packument *doc)
{
	return doc->modified;
}

void pmg_packument_date(struct pmg_packument *doc, int64_t (*find)(void *ctx, const char *version),
			void *ctx)
{
	size_t i;

	for (i = 0; i < doc->versions_n; i++)
		if (doc->versions[i].published == PMG_PUBLISHED_NONE)
			doc->versions[i].published =
				find(ctx, pmg_npm_text(doc, doc->versions[i].name));
}
