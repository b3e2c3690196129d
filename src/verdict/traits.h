#ifndef PMG_VERDICT_TRAITS_H
#define PMG_VERDICT_TRAITS_H
/**
 * What the inspection of one artifact found: how often each kind of finding (conf/trait.h) came up,
 * and the first few of each in words. Its size is bounded, however hostile the archive is.
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

/** Add a finding. @param fmt  what was found, in words; quoted here */
void pmg_traits_add(struct pmg_traits *findings, enum pmg_trait kind, const char *fmt, ...)
	PMG_PRINTF(3, 4);
/** Bits (PMG_TRAIT_BIT) of the kinds that were found. */
uint32_t pmg_traits_kinds(const struct pmg_traits *findings);
/** The gravest that was found of these kinds (bits); PMG_TRAIT_MAX: none of them was. */
enum pmg_trait pmg_traits_first(const struct pmg_traits *findings, uint32_t kinds);
/** Add a line "kind: text" for each finding of these kinds, and "kind: and 12 more". */
void pmg_traits_list(const struct pmg_traits *findings, uint32_t kinds, struct pmg_strv *out);

#endif
