#include <stdlib.h>
#include <string.h>

#include "proxy/packument_priv.h"
#include "proxy/weburl.h"

/* Members of one version's document that decide. */
enum field { NO_FIELD, FIELD_VERSION, FIELD_DEPRECATED, FIELD_DIST };

static struct pmg_npm_version *at_hand(const struct pmg_packument *doc)
{
	return &doc->versions[doc->versions_n - 1];
}

static void set_unreadable(struct pmg_packument *doc)
{
	if (doc->kind == PMG_PACKUMENT_VERSION)
		doc->dist.is_bad = true; /* its name may come later */
	else
		at_hand(doc)->is_unreadable = true;
}

/* A member of one version's document. What its author wrote may stand there, so a key that is not
   what it seems makes this version unreadable, and no other. */
static int on_field(struct pmg_packument *doc, const struct pmg_jsonstrict_item *item)
{
	static const char *const names[] = { "version", "deprecated", "dist", NULL };
	static const enum field fields[] = { FIELD_VERSION, FIELD_DEPRECATED, FIELD_DIST };
	struct pmg_npm_version *version = at_hand(doc);
	int i = pmg_jsonstrict_key(item, names);

	doc->field = i < 0 ? NO_FIELD : (int)fields[i];
	if (i == -PMG_E_PARSE || (doc->field == FIELD_VERSION && version->has_own) ||
	    (doc->field == FIELD_DIST && doc->dist.is_there))
		set_unreadable(doc);
	version->has_own |= doc->field == FIELD_VERSION;
	doc->dist.is_there |= doc->field == FIELD_DIST;
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

int pmg_npm_in_version(struct pmg_packument *doc, const struct pmg_jsonstrict_item *item)
{
	struct pmg_npm_version *version = at_hand(doc);

	if (item->event == PMG_JSONSTRICT_KEY)
		return on_field(doc, item);
	if (doc->field == FIELD_DIST)
		pmg_npm_on_dist(doc, item);
	if (!pmg_npm_is_value(item))
		return 0;
	if (doc->field == FIELD_VERSION &&
	    (item->event != PMG_JSONSTRICT_STRING ||
	     !is_same_version(pmg_npm_text(doc, version->name), item)))
		version->is_unreadable = true;
	if (doc->field == FIELD_DEPRECATED)
		version->is_deprecated = says_deprecated(item);
	return 0;
}

void pmg_npm_on_dist(struct pmg_packument *doc, const struct pmg_jsonstrict_item *item)
{
	doc->dist.has_tarball = false;
	doc->dist.is_tarball = false;
	if (item->event == PMG_JSONSTRICT_OBJECT)
		doc->scan.told = item->depth + 1;
	else if (item->event == PMG_JSONSTRICT_CLOSE)
		doc->scan.told = item->depth;
}

/* What a client would fetch must be what is judged: an address that somebody may read otherwise
   makes the version unreadable. Learned it is in any case. */
static void on_tarball(struct pmg_packument *doc, const struct pmg_jsonstrict_item *item)
{
	pmg_autofree char *text = pmg_xmalloc(item->len + 1);

	if (item->is_cut || pmg_jsonstrict_decode(item->text, item->len, text) < 0) {
		set_unreadable(doc);
		return;
	}
	if (!pmg_weburl_is_plain(text))
		set_unreadable(doc);
	if (doc->kind == PMG_PACKUMENT_VERSION)
		doc->dist.own = pmg_steal_ptr(&text);
	else if (doc->tarball)
		doc->tarball(doc->tarball_ctx, pmg_npm_text(doc, at_hand(doc)->name), text);
}

int pmg_npm_in_dist(struct pmg_packument *doc, const struct pmg_jsonstrict_item *item)
{
	static const char *const names[] = { "tarball", NULL };
	int i;

	if (item->event == PMG_JSONSTRICT_KEY) {
		i = pmg_jsonstrict_key(item, names);
		doc->dist.is_tarball = i == 0;
		if (i == -PMG_E_PARSE || (i == 0 && doc->dist.has_tarball))
			set_unreadable(doc);
		doc->dist.has_tarball |= i == 0;
		return 0;
	}
	if (!doc->dist.is_tarball || !pmg_npm_is_value(item))
		return 0;
	if (item->event == PMG_JSONSTRICT_STRING && !doc->dist.own)
		on_tarball(doc, item);
	else /* a list of one text is that text to some */
		set_unreadable(doc);
	return 0;
}

void pmg_npm_end_dist(struct pmg_packument *doc)
{
	struct pmg_npm_version *version = at_hand(doc);

	version->is_unreadable |= doc->dist.is_bad;
	if (doc->tarball && doc->dist.own)
		doc->tarball(doc->tarball_ctx, pmg_npm_text(doc, version->name), doc->dist.own);
}
