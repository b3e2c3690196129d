#ifndef PMG_POLICY_GLOB_H
#define PMG_POLICY_GLOB_H
/**
 * The one dialect of patterns, the same in lint, plan and enforcement.
 *
 *   *      any bytes of one component, also none; a leading dot is not special
 *   ?      one byte of a component
 *   [...]  one byte of a set, [!...] one not in it; ranges; never "/"
 *   **     as a whole component: any number of components, also none. Any number of times
 *   \      takes the next byte as it is
 *
 * A pattern that ends in a slash and two stars covers the folder itself. A pattern of paths is
 * absolute; one without a "/" (variables' names) takes "*" only at its end. Matching is over bytes
 * and never backtracks more than linearly in pattern times path.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/mem.h"

#define PMG_GLOB_MAX 4096U /* bytes of a pattern */

struct pmg_glob;
void pmg_glob_free(struct pmg_glob *glob);
PMG_DEFINE_AUTO(glob, struct pmg_glob *, pmg_glob_free);

/** @return 0; -PMG_E_CONFIG with the byte that is wrong */
int pmg_glob_new(const char *pattern, struct pmg_glob **out, struct pmg_err *err) PMG_MUST_CHECK;
bool pmg_glob_match(const struct pmg_glob *glob, const char *path);
/** No magic: it matches exactly one path (or, ending in a slash and two stars, one subtree). */
bool pmg_glob_is_exact(const struct pmg_glob *glob);
bool pmg_glob_is_subtree(const struct pmg_glob *glob);
/** Longest leading part without magic, whole components: "/a/b" of "/a/b/c*" and of a subtree of
 * it. Borrowed; "/" at least. */
const char *pmg_glob_fixed(const struct pmg_glob *glob);
/** Can something below folder `dir` match? */
bool pmg_glob_may_match_below(const struct pmg_glob *glob, const char *dir);

#endif
