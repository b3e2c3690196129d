#ifndef PMG_PM_PROJECT_H
#define PMG_PM_PROJECT_H
/** Finding a project's own folders. Bounded: a tree of any size ends somewhere. */
#include "base/strv.h"

#define PMG_PROJECT_LEVELS_MAX  64U   /* folders upward */
#define PMG_PROJECT_FOLDERS_MAX 4096U /* folders that patterns may name */

/** The nearest folder, `start` itself or above it, that holds such a name; NULL for none. */
char *pmg_project_up(const char *start, const char *name) PMG_MUST_CHECK;

/**
 * Add the folders below root that a workspace pattern names ("packages" and a
 * star): "*", "?" and "[...]" within a name, "**" for any number of names but
 * not into node_modules nor hidden folders. What a pattern takes out ("!x") is
 * not taken out here: a package.json too many does no harm.
 */
void pmg_project_expand(const char *root, const char *pattern, struct pmg_strv *out);

#endif
