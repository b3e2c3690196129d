#ifndef PMG_VERDICT_PINNED_H
#define PMG_VERDICT_PINNED_H
/** The verdict on a package that a lockfile pins or that lies installed: by its name and version,
 *  and by each of the digests that stand with it. */
#include "verdict/judge.h"

/**
 * The digests are of artifacts of which the manager may take any one (the wheels of a version): so
 * one of them that is known malware is enough.
 * @param what    without digests. Version NULL or "": not known; then, and when it cannot be read,
 * a package with anything on record is indeterminate
 * @param hashes  "sha512-BASE64 sha256:HEX", blanks between; NULL or "" for none. Words of other
 *                kinds are passed over
 * @return as pmg_judge_decide()
 */
int pmg_pinned_judge(struct pmg_judge *judge, const struct pmg_question *what, const char *hashes,
		     struct pmg_judgement *out, struct pmg_err *err) PMG_MUST_CHECK;

#endif
