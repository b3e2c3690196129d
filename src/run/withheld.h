#ifndef PMG_RUN_WITHHELD_H
#define PMG_RUN_WITHHELD_H
/** Variables that the tool did not get, as refusals of the record: names, never values. */
#include "policy/policy.h"
#include "violation/record.h"

/**
 * Those that a rule takes away, or pmg itself where there are no walls; what is only on no list
 * (`pmg sandbox exec` builds an environment anew) is not worth a word.
 * @param policy  NULL: the run has no walls
 * @param names  as pmg_policy_scrub() gives them
 */
void pmg_withheld_note(struct pmg_record *record, const struct pmg_policy *policy,
		       const struct pmg_strv *names);

/**
 * Those that a pattern of the user's would let through, were they no credentials by their look: who
 * wrote it thinks it does. @param policy  NULL: none. @param[out] notes  a line for each, added to
 */
void pmg_withheld_patterns(const struct pmg_policy *policy, const struct pmg_strv *names,
			   struct pmg_strv *notes);

/**
 * After a run that failed: is the program one of those small files by which a version manager
 * (mise, asdf, pyenv, ...) starts what it has chosen, and did variables of that manager stay
 * outside? Each becomes an event of code PMG2006.
 * @param program  as it was found on PATH
 * @return the line that says so; NULL: no
 */
char *pmg_withheld_shim(struct pmg_record *record, const char *program,
			const struct pmg_strv *names) PMG_MUST_CHECK;

#endif
