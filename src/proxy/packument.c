#include "proxy/packument.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "proxy/packument_priv.h"

/* Members of the document that decide. */
enum section { OTHER, VERSIONS, TIME, TAGS, MODIFIED, OWN_VERSION, OWN_DIST };

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
	free(doc->dist.own);
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
	[PMG_PACKUMENT_VERSION] = { { "version", "dist" }, { OWN_VERSION, OWN_DIST } },
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
	doc->dist.is_there = false;
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
	if (pmg_npm_is_value(item) && item->event != PMG_JSONSTRICT_OBJECT)
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
	if (item->event == PMG_JSONSTRICT_STRING)
		when->value_at = item->at;
	if (pmg_npm_is_value(item) && pmg_jsonstrict_date(item, &when->when) < 0)
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
	if (pmg_npm_is_value(item))
		tag->value_at = item->at;
	if (is_end(item))
		tag->end = item->end;
	return item->event == PMG_JSONSTRICT_STRING ? keep(doc, item, &tag->version, err) : 0;
}

/* The document of one version, its own members: it is noted as the one version there is. */
static int in_own(struct pmg_packument *doc, const struct pmg_jsonstrict_item *item,
		  struct pmg_err *err)
{
	if (doc->section == OWN_DIST)
		pmg_npm_on_dist(doc, item);
	if (doc->section != OWN_VERSION || !pmg_npm_is_value(item))
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
		if (item->event == PMG_JSONSTRICT_STRING) {
			(void)!pmg_jsonstrict_date(item, &doc->modified);
			doc->modified_at = item->at;
			doc->modified_end = item->end;
		}
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
		if (pmg_npm_is_value(item) && item->event != PMG_JSONSTRICT_OBJECT)
			return refuse(item, PMG_E_PARSE, "the document is no object", err);
		return 0;
	case 1:
		return on_member(doc, item, err);
	case 2:
		return doc->section == VERSIONS ? in_versions(doc, item, err)
		       : doc->section == TIME   ? in_time(doc, item, err)
		       : doc->section == TAGS   ? in_tags(doc, item, err)
						: pmg_npm_in_dist(doc, item);
	case 3:
		return pmg_npm_in_version(doc, item);
	default:
		return pmg_npm_in_dist(doc, item);
	}
}

int pmg_packument_feed(struct pmg_packument *doc, const char *bytes, size_t len,
		       struct pmg_err *err)
{
	doc->total += len;
	return pmg_jsonstrict_feed(&doc->scan, bytes, len, err);
}

void pmg_packument_set_tarballs(struct pmg_packument *doc, pmg_tarball_fn fn, void *ctx)
{
	doc->tarball = fn;
	doc->tarball_ctx = ctx;
}
