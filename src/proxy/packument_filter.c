#include <stdlib.h>
#include <string.h>

#include "proxy/packument_priv.h"

/* Versions looked at for all tags of a document together: a document with thousands of both could
   hold the proxy up for minutes. Tags beyond it go; "latest" is the first to be looked for. */
#define RETAG_WORK_MAX 400000U

struct filter {
	const struct pmg_packument *doc;
	const bool *is_withheld; /* versions */
	const char **now;        /* tags: NULL as long as nothing was chosen; "" for none */
	size_t work;
	struct pmg_filtered *out;
};

static void item(const void *ctx, size_t i, struct pmg_filtered_item *out)
{
	const struct pmg_packument *doc = ctx;
	const struct pmg_npm_version *version = &doc->versions[i];

	*out = (struct pmg_filtered_item){ pmg_npm_text(doc, version->name), NULL,
					   version->published, version->is_unreadable };
}

/* What a tag may point to instead, and what it is compared by. */
struct wish {
	const struct pmg_npm_version *was;
	const char *was_name;
	bool is_line;    /* the same line as `was` only */
	bool is_by_date; /* newer is what was published later */
	bool is_prerelease;
};

static int order(const struct filter *filter, const struct wish *wish,
		 const struct pmg_npm_version *a, const struct pmg_npm_version *b)
{
	if (wish->is_by_date && a->published != b->published)
		return a->published < b->published ? -1 : 1;
	return pmg_version_compare(PMG_ECO_NPM, pmg_npm_text(filter->doc, a->name),
				   pmg_npm_text(filter->doc, b->name));
}

static bool fits(const struct filter *filter, const struct wish *wish,
		 const struct pmg_npm_version *version)
{
	const char *name = pmg_npm_text(filter->doc, version->name);

	return pmg_version_is_valid(PMG_ECO_NPM, name) &&
	       pmg_version_is_prerelease(PMG_ECO_NPM, name) == wish->is_prerelease &&
	       (!wish->is_line || pmg_semver_is_same_line(name, wish->was_name)) &&
	       order(filter, wish, version, wish->was) <= 0;
}

/* The newest that fits; a deprecated one only where there is no other. */
static const struct pmg_npm_version *newest(struct filter *filter, const struct wish *wish)
{
	const struct pmg_npm_version *best = NULL, *version;
	size_t i;

	if (filter->work + filter->doc->versions_n > RETAG_WORK_MAX)
		return NULL;
	filter->work += filter->doc->versions_n;
	for (i = 0; i < filter->doc->versions_n; i++) {
		version = &filter->doc->versions[i];
		if (filter->is_withheld[i] || !fits(filter, wish, version))
			continue;
		if (!best || version->is_deprecated < best->is_deprecated ||
		    (version->is_deprecated == best->is_deprecated &&
		     order(filter, wish, best, version) < 0))
			best = version;
	}
	return best;
}

/* packument.h says by which rule. */
static const struct pmg_npm_version *instead(struct filter *filter,
					     const struct pmg_npm_version *was, bool is_latest)
{
	const char *name = pmg_npm_text(filter->doc, was->name);
	bool is_prerelease = pmg_version_is_prerelease(PMG_ECO_NPM, name);
	struct wish wish = { was, name, true, is_prerelease, is_prerelease };
	const struct pmg_npm_version *found = NULL;

	if (is_prerelease || !is_latest)
		found = newest(filter, &wish);
	if (found || !is_latest)
		return found;
	wish = (struct wish){ was, name, false, false, false };
	return newest(filter, &wish);
}

static void retarget(struct filter *filter, const struct pmg_npm_tag *tag, bool is_latest)
{
	const struct pmg_packument *doc = filter->doc;
	const struct pmg_npm_version *was, *now;
	const char *name = pmg_npm_text(doc, tag->name);

	was = tag->version ? pmg_npm_find(doc, pmg_npm_text(doc, tag->version)) : NULL;
	if (!was || !filter->is_withheld[was - doc->versions])
		return;
	now = instead(filter, was, is_latest);
	filter->now[tag - doc->tags] = now ? pmg_npm_text(doc, now->name) : "";
	pmg_filtered_retag(filter->out, name, pmg_npm_text(doc, was->name),
			   now ? pmg_npm_text(doc, now->name) : NULL);
}

static void retarget_all(struct filter *filter, bool is_latest)
{
	const struct pmg_packument *doc = filter->doc;
	size_t i;

	for (i = 0; i < doc->tags_n; i++)
		if (pmg_streq(pmg_npm_text(doc, doc->tags[i].name), "latest") == is_latest)
			retarget(filter, &doc->tags[i], is_latest);
}

static int cut_versions(const struct filter *filter, struct pmg_err *err)
{
	struct pmg_members members = { .splice = &filter->out->splice };
	const struct pmg_npm_version *version;
	size_t i;
	int r = 0;

	for (i = 0; r >= 0 && i < filter->doc->versions_n; i++) {
		version = &filter->doc->versions[i];
		r = pmg_members_next(&members, version->at, version->end, filter->is_withheld[i],
				     err);
	}
	return r < 0 ? r : pmg_members_finish(&members, err);
}

/*
 * A client that keeps the document asks later whether the package was modified since the date that
 * stands in it, without pmg too: with the true one a registry would say no, and what is withheld
 * now would stay away.
 */
static int set_back(struct pmg_splice *splice, uint64_t at, uint64_t end, int64_t modified,
		    struct pmg_err *err)
{
	pmg_autofree char *text = NULL;
	char date[PMG_RFC3339_LEN];

	pmg_clock_format(modified > 0 ? modified - 1 : 0, date);
	text = pmg_xasprintf("\"%s\"", date);
	return pmg_splice_cut(splice, at, end - at, text, err);
}

static int set_back_time(const struct filter *filter, const struct pmg_npm_time *when,
			 struct pmg_err *err)
{
	if (when->value_at == 0 || !pmg_streq(pmg_npm_text(filter->doc, when->name), "modified"))
		return 0;
	return set_back(&filter->out->splice, when->value_at, when->end, when->when, err);
}

static int cut_times(const struct filter *filter, struct pmg_err *err)
{
	pmg_autofree bool *is_out = pmg_xcalloc(filter->doc->times_n + 1, sizeof *is_out);
	struct pmg_members members = { .splice = &filter->out->splice };
	const struct pmg_npm_time *when;
	size_t i;
	int r = 0;

	for (i = 0; i < filter->doc->versions_n; i++)
		if (filter->is_withheld[i] && filter->doc->versions[i].time != PMG_NO_TIME)
			is_out[filter->doc->versions[i].time] = true;
	for (i = 0; r >= 0 && i < filter->doc->times_n; i++) {
		when = &filter->doc->times[i];
		r = pmg_members_next(&members, when->at, when->end, is_out[i], err);
		if (r >= 0 && !is_out[i])
			r = set_back_time(filter, when, err);
	}
	return r < 0 ? r : pmg_members_finish(&members, err);
}

static int replace_tag(const struct filter *filter, const struct pmg_npm_tag *tag, const char *now,
		       struct pmg_err *err)
{
	pmg_autofree char *text = pmg_xasprintf("\"%s\"", now); /* was a key: needs no escape */

	return pmg_splice_cut(&filter->out->splice, tag->value_at, tag->end - tag->value_at, text,
			      err);
}

static int cut_tags(const struct filter *filter, struct pmg_err *err)
{
	struct pmg_members members = { .splice = &filter->out->splice };
	const struct pmg_npm_tag *tag;
	const char *now;
	size_t i;
	int r = 0;

	for (i = 0; r >= 0 && i < filter->doc->tags_n; i++) {
		tag = &filter->doc->tags[i];
		now = filter->now[i];
		r = pmg_members_next(&members, tag->at, tag->end, now && !*now, err);
		if (r >= 0 && now && *now)
			r = replace_tag(filter, tag, now, err);
	}
	return r < 0 ? r : pmg_members_finish(&members, err);
}

static int cut(struct filter *filter, struct pmg_err *err)
{
	int r = cut_versions(filter, err);

	r = r < 0 ? r : cut_times(filter, err);
	r = r < 0 ? r : cut_tags(filter, err);
	if (r >= 0 && filter->doc->modified_at > 0)
		r = set_back(&filter->out->splice, filter->doc->modified_at,
			     filter->doc->modified_end, filter->doc->modified, err);
	return r < 0 ? r : pmg_splice_seal(&filter->out->splice, filter->doc->total, err);
}

int pmg_packument_filter(const struct pmg_packument *doc, pmg_withhold_fn withhold, void *ctx,
			 struct pmg_filtered *out, struct pmg_err *err)
{
	pmg_autofree const char **now = NULL;
	struct filter filter = { .doc = doc, .out = out };
	int r = pmg_filtered_ask(out, doc, doc->versions_n, item, withhold, ctx, err);

	if (r != 0)
		return r;
	if (out->n == 0 || doc->kind == PMG_PACKUMENT_VERSION)
		return pmg_splice_seal(&out->splice, doc->total, err);
	filter.is_withheld = out->is_out;
	filter.now = now = pmg_xcalloc(doc->tags_n + 1, sizeof *now);
	retarget_all(&filter, true);
	retarget_all(&filter, false);
	return cut(&filter, err);
}
