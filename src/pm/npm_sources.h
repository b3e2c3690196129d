#ifndef PMG_PM_NPM_SOURCES_H
#define PMG_PM_NPM_SOURCES_H
/** Packages that a project of npm's or pnpm's names by address. */
#include "pm/npmlike.h"

/**
 * From the operands and --package, from the package.json of the project, of
 * its workspace and of all its members, and from the lockfiles beside them.
 * @param n  its registries must have been applied
 * @param start  where the command works: absolute, clean
 * @param lock_names  NULL-terminated: "package-lock.json", "pnpm-lock.yaml", ...
 * @return 0; -PMG_E_LIMIT
 */
int pmg_npm_sources(struct pmg_npmlike *n, const char *start, const char *const *lock_names,
		    struct pmg_err *err) PMG_MUST_CHECK;

#endif
