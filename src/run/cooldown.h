#ifndef PMG_RUN_COOLDOWN_H
#define PMG_RUN_COOLDOWN_H
/**
 * The policy on packages of one run: what configuration and bounds have come to
 * (run/bounds.h), and what the command line says on top of it:
 * --skip-dependency-cooldown, --min-age, --as-of.
 */
#include "conf/managed.h"
#include "policy/plan.h"
#include "run/run.h"

/**
 * @param managed  what it bounds, the command line may only lengthen
 * @param clock    seconds since 1970: dates of entries go by it, and nothing is judged as of later
 * @param[in,out] packages  narrowed
 * @param notes    a line for each entry that has expired
 * @return 0; -PMG_E_USAGE: an option cannot be read; -PMG_E_CONFIG with PMG1001: managed policy
 *         refuses it
 */
int pmg_cooldown_apply(const struct pmg_run_want *want, const struct pmg_managed *managed,
		       int64_t clock, struct pmg_packages *packages, struct pmg_strv *notes,
		       struct pmg_err *err) PMG_MUST_CHECK;

/** What holds, as entries of a plan. */
void pmg_cooldown_plan(const struct pmg_packages *packages, struct pmg_plan *plan);

#endif
