#ifndef PMG_CLI_SUMMARY_H
#define PMG_CLI_SUMMARY_H
/** What is said of a guarded run when it is over. */
#include "cli/out.h"
#include "run/run.h"

#define PMG_SUMMARY_TROUBLES 5U /* shown of a failed run */

/** Each package that was withheld: what, why, which record, what would allow it. Said always. */
void pmg_summary_refusals(const struct pmg_out *out, const struct pmg_record *record);
/** Requests that the proxy could not serve; for runs that failed. */
void pmg_summary_troubles(const struct pmg_out *out, const struct pmg_record *record);
/** For -v: how many were judged, by what, what went by, how long it took. */
void pmg_summary_details(const struct pmg_out *out, const struct pmg_run_result *result);

#endif
