#ifndef PMG_CLI_SUMMARY_H
#define PMG_CLI_SUMMARY_H
/** What is said of a guarded run when it is over. */
#include "cli/out.h"
#include "run/run.h"

/* How many of a kind are shown at most. */
#define PMG_SUMMARY_TROUBLES  5U  /* of a failed run */
#define PMG_SUMMARY_WITHHELD  5U  /* packages of which versions were withheld */
#define PMG_SUMMARY_DETAILED  50U /* the same with -v */
#define PMG_SUMMARY_NEEDED    10U /* packages whose absence may be why a run failed */
#define PMG_SUMMARY_YOUNG     8U  /* versions that are refused for their age */
#define PMG_SUMMARY_WAIVERS   20U /* entries of policy that let packages in */
#define PMG_SUMMARY_SENSITIVE 20U /* refusals of sensitive things that are shown one by one */

/* Of what kind the run was, and how much is said. */
struct pmg_summary_how {
	bool failed;  /* the tool did not say 0 */
	bool notes;   /* not quiet */
	bool details; /* -v */
	bool command; /* `pmg sandbox exec`: nobody knows beforehand what such a program needs */
	bool asks;    /* nothing was to be taken: `npm outdated` */
	const char *config; /* the path of config.yml, into which an entry goes */
};

/** Each package that was refused: which, why, by which record, and what would let it in. Always
 *  shown, but of those that are only too young the first ones; all are in the record. */
void pmg_summary_refusals(const struct pmg_out *out, const struct pmg_record *record,
			  const struct pmg_summary_how *how);
/**
 * Versions that were withheld from the tool. Unless quiet: a line for each package that the command
 * line names or that stands on a list, then for each of which the tool fetched another version in
 * their place, and how many others there were; with -v a line for each of those too. Even when
 * quiet: where the run failed and no version of a package came in, what to
 * do about it.
 */
void pmg_summary_withheld(const struct pmg_out *out, const struct pmg_record *record,
			  const struct pmg_summary_how *how);
/** The packages that would have been refused, by the entries that waived it. Always shown, as every
 *  use of a waiver is. */
void pmg_summary_waivers(const struct pmg_out *out, const struct pmg_record *record);
/** The line with the entry for dependency_cooldown.skip that lets in what is too young. */
void pmg_summary_entry(const struct pmg_out *out, const struct pmg_wire_judged *judged);
/** Is it refused because of --as-of, which no entry waives? */
bool pmg_summary_is_as_of(const struct pmg_wire_judged *judged);
/** Requests that the proxy could not serve; for runs that failed. */
void pmg_summary_troubles(const struct pmg_out *out, const struct pmg_record *record);
/**
 * What the walls refused. Sensitive things are always shown, each with what it was and who tried.
 * Others are shown unless quiet: one by one when the run failed, since they may be why; else those
 * about writing in the working folder have a line each, and the rest is counted in one line. What
 * tools try as a matter of course and do without (a few things, as rustup's folder) is shown only
 * with -v; `pmg violations list` has it.
 */
void pmg_summary_denied(const struct pmg_out *out, const struct pmg_record *record,
			const struct pmg_summary_how *how);
/** For -v: how many were judged, by what, what went by, how long it took. */
void pmg_summary_details(const struct pmg_out *out, const struct pmg_run_result *result);

#endif
