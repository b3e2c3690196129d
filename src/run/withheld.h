#ifndef PMG_RUN_WITHHELD_H
#define PMG_RUN_WITHHELD_H
/** Variables that the tool did not get, as refusals of the record: names, never values. */
#include "policy/policy.h"
#include "violation/record.h"

/**
 * Those that a rule takes away; what is only on no list (`pmg sandbox exec` builds an environment
 * anew) is not worth a word.
 * @param names  as pmg_policy_scrub() gives them
 */
void pmg_withheld_note(struct pmg_record *record, const struct pmg_policy *policy,
		       const struct pmg_strv *names);

#endif
