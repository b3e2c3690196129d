#ifndef PMG_POLICY_GLOB_H
#define PMG_POLICY_GLOB_H
/**
 * The one dialect of patterns, the same in lint, plan and enforcement.
 *
 *   *      any bytes of one component, also none; a leading dot is not special
 *   ?      one byte of a component
 *   [...]  one byte of a set, [!...] one not in it; ranges; "]" is itself where it comes first;
 *          never "/"
 *   **     as a whole component: any number of components, also none. Any number of times
 *   \      takes the next byte as it is
 *
 * A pattern of paths is absolute, or begins with two stars and a slash, which is the same below
 * "/"; it has no "//", no "." or "..", no "/" at its end, since no path that is asked for has one
 * and a rule that never fires protects nobody. A pattern that ends in a slash and two stars covers
 * the folder itself.
 *
 * A pattern that has no "/", or begins with "@" (abstract sockets, whose names may hold any byte),
 * is one of names: it takes one "*", at its end and behind something, and no other magic.
 *
 * Matching is over bytes, and its cost at most proportional to pattern times path, whatever both
 * are. Source: docs/policy.md, "Patterns".
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

#define PMG_GLOB_MAX 4096U /* bytes of a pattern */

struct pmg_glob;
void pmg_glob_free(struct pmg_glob *glob);
PMG_DEFINE_AUTO(glob, struct pmg_glob *, pmg_glob_free);
/** The same for another owner, who frees it too. Owners are of one thread. */
struct pmg_glob *pmg_glob_share(struct pmg_glob *glob) PMG_MUST_CHECK;

/** @return 0; -PMG_E_CONFIG with the byte that is wrong */
int pmg_glob_new(const char *pattern, struct pmg_glob **out, struct pmg_err *err) PMG_MUST_CHECK;
/** @param path  absolute and clean, or a name */
bool pmg_glob_match(const struct pmg_glob *glob, const char *path);
/** No magic: it matches exactly one path (or, ending in a slash and two stars, one subtree). */
bool pmg_glob_is_exact(const struct pmg_glob *glob);
/** Exact, and ending in a slash and two stars. */
bool pmg_glob_is_subtree(const struct pmg_glob *glob);
/** Longest leading part without magic, whole components: "/a/b" of "/a/b/c*" and of a subtree of
 * it. Borrowed; "/" at least. */
const char *pmg_glob_fixed(const struct pmg_glob *glob);
/** The shortest path that matches, where no magic but two stars is in the pattern: these stand for
 *  nothing. NULL: there is other magic. Caller frees. */
char *pmg_glob_shortest(const struct pmg_glob *glob) PMG_MUST_CHECK;
/** Can something below folder `dir` match? */
bool pmg_glob_may_match_below(const struct pmg_glob *glob, const char *dir);
/** Does dir match, and everything below it, whatever its name? */
bool pmg_glob_covers(const struct pmg_glob *glob, const char *dir);
/**
 * Could dir, renamed, take something below it from under this pattern, because dir's own name is
 * part of what matches? "/p/.git" of "/p/.git/hooks" and of a two-star "/p/.../.git/hooks"; not
 * "/p/a" where two stars stand for it.
 */
bool pmg_glob_anchors(const struct pmg_glob *glob, const char *dir);

/*
 * For who asks many patterns about one path: the path is taken apart once. What needs() of a
 * pattern has and the mask of a path has not, that path cannot match.
 */
struct pmg_glob_mask {
	uint64_t bits[2];
};
struct pmg_glob_part {
	const char *s;
	size_t len;
};
struct pmg_glob_path {
	const char *text; /* borrowed */
	struct pmg_glob_part *parts;
	size_t n_parts;
	struct pmg_glob_mask mask;
	struct pmg_glob_part inside[48]; /* parts points here where they are enough */
};
/** @param[out] out  may not be moved; pmg_glob_path_done() */
void pmg_glob_path_init(struct pmg_glob_path *out, const char *path);
void pmg_glob_path_done(struct pmg_glob_path *path);
PMG_DEFINE_AUTO_DONE(glob_path, struct pmg_glob_path, pmg_glob_path_done);
struct pmg_glob_mask pmg_glob_needs(const struct pmg_glob *glob);
static inline bool pmg_glob_mask_has(const struct pmg_glob_mask *mask,
				     const struct pmg_glob_mask *needs)
{
	return !(needs->bits[0] & ~mask->bits[0]) && !(needs->bits[1] & ~mask->bits[1]);
}
bool pmg_glob_match_path(const struct pmg_glob *glob, const struct pmg_glob_path *path);

#endif
