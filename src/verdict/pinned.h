#ifndef PMG_VERDICT_PINNED_H
#define PMG_VERDICT_PINNED_H
/** A package that a lockfile pins or that lies installed: by name and version, and by each of the
 *  digests that stand with it. */
#include "verdict/judge.h"

/**
 * The digests are of artifacts of which any may be taken: one that is known malware is enough.
 * @param what    without digests. Its version is NULL or "" when not known: then, and where it is
 *                none, a name of which anything is on record is indeterminate
 * @param hashes  "sha512-BASE64 sha256:HEX", blanks between; NULL or "" for none. Others say
 *                nothing
 * @return as pmg_judge_decide()
 */
int pmg_pinned_judge(struct pmg_judge *judge, const struct pmg_question *what, const char *hashes,
		     struct pmg_judgement *out, struct pmg_err *err) PMG_MUST_CHECK;

#endif
