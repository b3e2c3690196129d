#ifndef PMG_TESTS_UNIT_PACKUMENTING_H
#define PMG_TESTS_UNIT_PACKUMENTING_H
/** What a packument was read as, looked up by name. */
#include "base/str.h"
#include "proxy/packument_priv.h"

/** What a dist-tag points to. @return borrowed; NULL: no such tag */
static inline const char *packument_tag(const struct pmg_packument *doc, const char *tag)
{
	size_t i;

	for (i = 0; i < doc->tags_n; i++)
		if (doc->tags[i].version != 0 &&
		    pmg_streq(pmg_npm_text(doc, doc->tags[i].name), tag))
			return pmg_npm_text(doc, doc->tags[i].version);
	return NULL;
}

/** @return borrowed; NULL: the tag points where it did, or there is none */
static inline const struct pmg_retagged *packument_retagged(const struct pmg_filtered *filtered,
							    const char *tag)
{
	size_t i;

	for (i = 0; i < filtered->tags_n; i++)
		if (pmg_streq(filtered->tags[i].tag, tag))
			return &filtered->tags[i];
	return NULL;
}

#endif
