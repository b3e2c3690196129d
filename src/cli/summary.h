#ifndef PMG_CLI_SUMMARY_H
#define PMG_CLI_SUMMARY_H
/** What is said of a guarded run when it is over. */
#include "cli/out.h"
#include "run/run.h"

#define PMG_SUMMARY_TROUBLES  5U /* shown of a failed run */
#define PMG_SUMMARY_WITHHELD  5U /* packages of which versions were withheld; with -v: */
#define PMG_SUMMARY_DETAILED  50U
#define PMG_SUMMARY_NEEDED    10U /* packages for want of which a run may have failed */
#define PMG_SUMMARY_WAIVERS   20U /* things that let packages in */
#define PMG_SUMMARY_SENSITIVE 20U /* refusals of sensitive things that are shown one by one */

/* Of what kind the run was, and how much is said. */
struct pmg_summary_how {
	bool failed;  /* the tool did not say 0 */
	bool notes;   /* not quiet */
	bool details; /* -v */
	bool command; /* `pmg sandbox exec`: nobody knows beforehand what such a program needs */
};

/** Each package that was refused: what, why, which record, what would allow it. Said always. */
void pmg_summary_refusals(const struct pmg_out *out, const struct pmg_record *record);
/**
 * Versions that the tool was not told of: a line for each package of which it fetched another in
 * their place; with -v for each of them, else the others are counted; nothing of it to who wants
 * quiet. Where the run failed and nothing of a package came in, what to do about it, always.
 */
void pmg_summary_withheld(const struct pmg_out *out, const struct pmg_record *record,
			  const struct pmg_summary_how *how);
/** The packages that would have been refused, by what waived that. Said always: each use is. */
void pmg_summary_waivers(const struct pmg_out *out, const struct pmg_record *record);
/** Is it refused for what --as-of says? No entry lets that in. */
bool pmg_summary_is_as_of(const struct pmg_wire_judged *judged);
/** Requests that the proxy could not serve; for runs that failed. */
void pmg_summary_troubles(const struct pmg_out *out, const struct pmg_record *record);
/**
 * What the walls refused. Sensitive ones are always said, each with what and who; others one by one
 * when the run failed, since they may be the reason, else what was to be written in the working
 * folder in a line each, and all others only counted in one line, and nothing of it to who wants
 * quiet. What tools try as a matter of course and do without (a few: rustup's folder) is told with
 * -v alone; `pmg violations list` has it.
 */
void pmg_summary_denied(const struct pmg_out *out, const struct pmg_record *record,
			const struct pmg_summary_how *how);
/** For -v: how many were judged, by what, what went by, how long it took. */
void pmg_summary_details(const struct pmg_out *out, const struct pmg_run_result *result);

#endif
