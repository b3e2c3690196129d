#ifndef PMG_PM_RESOLVED_WALK_PRIV_H
#define PMG_PM_RESOLVED_WALK_PRIV_H
/** Folders that are walked by descriptor, links not followed but where a manager makes them:
 * resolved_tree.c, resolved_dists.c, resolved_walk.c. */
#include <dirent.h>
#include <stdint.h>

#include "pm/resolved.h"

struct pmg_tree {
	struct pmg_resolved *set;  /* NULL: only the stamp is wanted */
	uint32_t stamp;            /* of the manifests that are there: pmg_resolved_stamp() */
	struct pmg_stamps *stamps; /* of each, are added; NULL */
	uint32_t manifest;         /* stamp of the one that was looked at last */
	unsigned brought;          /* packages above, which bring others along in their archives */
	size_t seen;               /* entries, all in all: PMG_RESOLVED_ENTRIES_MAX */
};

/** @param dir  of the entry, borrowed. @return 0 to go on, else the walk ends and gives it back */
typedef int pmg_tree_fn(struct pmg_tree *tree, int dir, const char *path,
			const struct dirent *entry, unsigned depth, struct pmg_err *err);

/** Each entry of a folder but "." and ".."; what cannot be read is skipped, and said.
 * @param dir  taken */
int pmg_tree_each(struct pmg_tree *tree, int dir, const char *path, unsigned depth, pmg_tree_fn *fn,
		  struct pmg_err *err) PMG_MUST_CHECK;
/** A folder itself, no link to one. @return descriptor; -1 */
int pmg_tree_open(int dir, const char *name);
/** The same, or where a link leads. */
int pmg_tree_follow(int dir, const char *name);
bool pmg_tree_is_folder(int dir, const struct dirent *entry);
/** A file itself, at most 1 MiB of it. @return false: it cannot be read. Caller frees text */
bool pmg_tree_slurp(int dir, const char *name, char **text, size_t *len);
/** Of one file: put in place of another, or written to, it has another one. 0: it is not there. */
uint32_t pmg_tree_stamp(int dir, const char *name);

struct pmg_resolving;
struct pmg_locked;
/** A package that lies there; one with no name that can be read is told as unread. */
int pmg_tree_add(struct pmg_tree *tree, const struct pmg_resolving *from, enum pmg_eco eco,
		 const struct pmg_locked *locked, struct pmg_err *err) PMG_MUST_CHECK;

/** All packages of a node_modules folder. @param dir  taken */
int pmg_tree_modules(struct pmg_tree *tree, int dir, const char *path, unsigned depth,
		     struct pmg_err *err) PMG_MUST_CHECK;
/** Does an entry of a folder tell of an installed project of Python, by their names? */
bool pmg_tree_is_dist(const char *folder, const char *name);
/** An entry that may be a NAME-VERSION.dist-info, .egg-info or .egg. */
int pmg_tree_dist(struct pmg_tree *tree, int dir, const char *path, const struct dirent *entry,
		  unsigned depth, struct pmg_err *err) PMG_MUST_CHECK;

#endif
