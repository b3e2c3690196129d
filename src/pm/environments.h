#ifndef PMG_PM_ENVIRONMENTS_H
#define PMG_PM_ENVIRONMENTS_H
/**
 * Environments of Python: the folders of *.dist-info in them, and what of those is new. They are
 * looked for each time anew, as a run makes them.
 */
#include "pm/resolved.h"

/** The folders of *.dist-info below a prefix. */
void pmg_environments_sites(const char *base, struct pmg_strv *out);
/** Does the interpreter of a prefix look for packages in such a folder of it? That of a virtual
 * environment only in its own: others may have been put there. */
bool pmg_environments_looks(const char *base, const char *site);
/** Such folders of all prefixes that a pattern of glob(7) stands for. */
void pmg_environments_match(const struct pmg_strv *patterns, struct pmg_strv *out);

/**
 * What lies in them, a line for each package: equal lines, it has not been touched (ctime).
 * @param[out] out  sorted
 */
void pmg_environments_stamps(const struct pmg_strv *patterns, struct pmg_strv *out);
/** Add the packages that have come or been replaced. @param stamps  of before
 *  @return 0; -PMG_E_LIMIT */
int pmg_environments_new(const struct pmg_strv *patterns, const struct pmg_strv *stamps,
			 struct pmg_resolved *set, struct pmg_err *err) PMG_MUST_CHECK;

#endif
