#ifndef PMG_PM_PLACES_PRIV_H
#define PMG_PM_PLACES_PRIV_H
/** The halves of pm/places.h: what the manager keeps, and what the host has. */
#include "pm/places.h"

/** Add a path, clean, and where it leads when that is elsewhere. */
void pmg_places_add(struct pmg_strv *list, const char *path);
/** The same for what a run may write: never the root, the home, or a folder above it. */
void pmg_places_add_own(struct pmg_strv *list, const struct pmg_place *place, const char *path);
/** "~/x" is in the home, a relative path is seen from `base`. */
char *pmg_places_path(const struct pmg_place *place, const char *base,
		      const char *value) PMG_MUST_CHECK;
/** Where it leads, as far as it is there: of ~/.cache/npm, which is not, ~/.cache may be a link. */
char *pmg_places_real(const char *path) PMG_MUST_CHECK;
/** Does it lie below dir, links and all? What a project names may be a link that it has brought. */
bool pmg_places_is_within(const char *path, const char *dir);
/** Is there a file or folder dir/name? */
bool pmg_places_has(const char *dir, const char *name);
/** $NAME when it is absolute, else the home's `otherwise`. */
char *pmg_places_base(const struct pmg_place *place, const char *name,
		      const char *otherwise) PMG_MUST_CHECK;

/** programs */
void pmg_places_programs(const struct pmg_place *place, struct pmg_places *out);
/** repository, git_configs, git_dirs, hooks, git_secret; of the folder the command works in */
void pmg_places_git(const struct pmg_place *place, const char *start, struct pmg_places *out);

#endif
