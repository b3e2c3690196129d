#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "proxy/packument_priv.h"

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
	if (doc->kind == PMG_PACKUMENT_VERSION)
		pmg_npm_end_dist(doc);
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
