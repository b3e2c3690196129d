#ifndef PMG_VIOLATION_CODES_H
#define PMG_VIOLATION_CODES_H
/**
 * The diagnostic codes of the sandbox, PMG2nnn: name, weight and what a
 * refusal means when nobody expected it. Numbers are never used twice. Each
 * has a page docs/codes/PMGnnnn.md.
 */

#include "policy/policy.h"

struct pmg_code_row {
	int code;
	const char *name;        /* "read denied" */
	const char *severity;    /* "notice", "medium", "high" */
	const char *disposition; /* "denied", "refused" (nothing ran), "skipped", "noticed" */
	const char *malicious;   /* one sentence; NULL: nothing to fear */
};

/** Sorted by code; the last has code 0. */
const struct pmg_code_row *pmg_codes(void);
/** @return the row, or NULL */
const struct pmg_code_row *pmg_code_find(int code);
/** What a refusal of this access is, before it is known by which call: removing, renaming and
 *  linking, and changes of owner, mode and times, are writes that have codes of their own. */
int pmg_code_of_access(enum pmg_access access);

#endif
