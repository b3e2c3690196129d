#ifndef PMG_PROXY_REPORT_H
#define PMG_PROXY_REPORT_H
/**
 * What the front is told while the run goes on, each thing once: the tables of
 * what was said already are bounded, and a full one never hides a refusal.
 */
#include "proxy/identity.h"
#include "verdict/judge.h"

#define PMG_REPORT_JUDGED_MAX  65536U /* packages remembered; beyond, some are told again */
#define PMG_REPORT_PASSED_MAX  4096U  /* targets told; beyond, one line says that there are more */
#define PMG_REPORT_TROUBLE_MAX 256U   /* beyond, nothing: so often is understood */

struct pmg_link;
struct pmg_url;

struct pmg_report;
/** @param link  borrowed */
struct pmg_report *pmg_report_new(struct pmg_link *link) PMG_MUST_CHECK;
void pmg_report_free(struct pmg_report *report);
PMG_DEFINE_AUTO(report, struct pmg_report *, pmg_report_free);

/** A package was judged: once a package, version and verdict, and file in which something was
 * found.
 *  @param why  in words; NULL: it is allowed */
void pmg_report_judged(struct pmg_report *report, const struct pmg_identity *who, bool allowed,
		       const struct pmg_judgement *judgement, const char *why,
		       const struct pmg_url *url);
/** A version is not shown to who asks what there is: once a package and version.
 *  @param instead    what a tag points to in its place; NULL: nothing, or there was none
 *  @param published  seconds since 1970; not above 0: not known
 *  @param more       versions of the same document that are told by this number alone */
void pmg_report_withheld(struct pmg_report *report, const struct pmg_identity *who,
			 const struct pmg_judgement *judgement, const char *instead,
			 int64_t published, uint64_t more, const struct pmg_url *url);
/** Something went by unjudged: "tunnel", "artifact" or "request", once a target. */
void pmg_report_passed(struct pmg_report *report, const char *target, const char *why);
/** A request that could not be served: once a target and reason. */
void pmg_report_trouble(struct pmg_report *report, const char *target, const struct pmg_err *err);

#endif
