#ifndef PMG_VERDICT_TRAITS_H
#define PMG_VERDICT_TRAITS_H
/**
 * What was found in one artifact: of each kind how often, and the first few in words. Bounded,
 * however hostile the archive is.
 */
#include "base/strv.h"
#include "conf/trait.h"

#define PMG_TRAITS_SHOWN    4U   /* of one kind; the rest is counted */
#define PMG_TRAITS_TEXT_MAX 160U /* bytes of each before quoting */

/* Plain value; starts zeroed. */
struct pmg_traits {
	unsigned counts[PMG_TRAIT_MAX];
	struct pmg_strv texts[PMG_TRAIT_MAX]; /* quoted: fit for a terminal */
};

void pmg_traits_done(struct pmg_traits *findings);
PMG_DEFINE_AUTO_DONE(traits, struct pmg_traits, pmg_traits_done);

void pmg_traits_add(struct pmg_traits *findings, enum pmg_trait kind, const char *fmt, ...)
	PMG_PRINTF(3, 4);
/** Bits of the kinds that there are. */
uint32_t pmg_traits_kinds(const struct pmg_traits *findings);
/** The gravest of those kinds; PMG_TRAIT_MAX: there is none of them. */
enum pmg_trait pmg_traits_first(const struct pmg_traits *findings, uint32_t kinds);
/** Adds "kind: text" lines of those kinds, and "kind: and 12 more". */
void pmg_traits_list(const struct pmg_traits *findings, uint32_t kinds, struct pmg_strv *out);

#endif
