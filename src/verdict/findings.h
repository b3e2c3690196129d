#ifndef PMG_VERDICT_FINDINGS_H
#define PMG_VERDICT_FINDINGS_H
/**
 * What was found in one artifact: of each kind how often, and the first few in words. Bounded,
 * however hostile the archive is.
 */
#include "base/strv.h"
#include "conf/finding.h"

#define PMG_FINDINGS_SHOWN    4U   /* of one kind; the rest is counted */
#define PMG_FINDINGS_TEXT_MAX 160U /* bytes of each before quoting */

/* Plain value; starts zeroed. */
struct pmg_findings {
	unsigned counts[PMG_FINDING_MAX];
	struct pmg_strv texts[PMG_FINDING_MAX]; /* quoted: fit for a terminal */
};

void pmg_findings_done(struct pmg_findings *findings);
PMG_DEFINE_AUTO_DONE(findings, struct pmg_findings, pmg_findings_done);

void pmg_findings_add(struct pmg_findings *findings, enum pmg_finding kind, const char *fmt, ...)
	PMG_PRINTF(3, 4);
/** Bits of the kinds that there are. */
uint32_t pmg_findings_kinds(const struct pmg_findings *findings);
/** The gravest of those kinds; PMG_FINDING_MAX: there is none of them. */
enum pmg_finding pmg_findings_first(const struct pmg_findings *findings, uint32_t kinds);
/** Adds "kind: text" lines of those kinds, and "kind: and 12 more". */
void pmg_findings_list(const struct pmg_findings *findings, uint32_t kinds, struct pmg_strv *out);

#endif
