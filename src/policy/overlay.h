#ifndef PMG_POLICY_OVERLAY_H
#define PMG_POLICY_OVERLAY_H
/**
 * What a user allows one repository for good: overlays/HASH.yml below the
 * configuration folder, written by `pmg sandbox allow`, readable for people.
 * HASH is the SHA-256 of the canonical top level of the repository, so that no
 * file inside it, which whoever wrote the repository controls, allows anything.
 */
#include <stdint.h>

#include "policy/build.h"

#define PMG_OVERLAY_ENTRIES_MAX 1024U

struct pmg_overlay_entry {
	int type;     /* policy/allow.h */
	char *value;  /* as written; relative paths are seen from the working folder */
	char *reason; /* NULL when none */
	char *author; /* NULL when none */
	int64_t created;
	int64_t expires;       /* 0: never */
	struct pmg_strv tools; /* "for": managers or tools; none: all */
	unsigned line;         /* of the file; 0: not written yet */
};

struct pmg_overlay {
	char *path;
	char *repository;
	struct pmg_overlay_entry *entries;
	size_t n_entries;
	size_t cap_entries;
};

void pmg_overlay_entry_done(struct pmg_overlay_entry *entry);
PMG_DEFINE_AUTO_DONE(overlay_entry, struct pmg_overlay_entry, pmg_overlay_entry_done);
void pmg_overlay_done(struct pmg_overlay *overlay);
PMG_DEFINE_AUTO_DONE(overlay, struct pmg_overlay, pmg_overlay_done);

/**
 * Read the overlay of a repository; one that is not there has no entries.
 * @param config_dir  $XDG_CONFIG_HOME/pmg
 * @param repository  canonical
 * @param[out] out  zeroed before
 * @return 0; -PMG_E_CONFIG with path:line:column, also when the file is of another repository or
 *         could have been written by others
 */
int pmg_overlay_load(const char *config_dir, const char *repository, struct pmg_overlay *out,
		     struct pmg_err *err) PMG_MUST_CHECK;

/**
 * Held while an overlay is loaded, changed and saved, so that of two people, or two terminals,
 * neither loses what the other allows.
 * @return descriptor: closing it lets go; -PMG_E_SYS
 */
int pmg_overlay_lock(const char *config_dir, struct pmg_err *err) PMG_MUST_CHECK;

/**
 * The repositories that have an overlay.
 * @param[out] out  sorted, added to
 * @param[out] broken  a line for each file that cannot be read or is not named after its
 *                     repository, added to
 * @return 0; -PMG_E_SYS
 */
int pmg_overlay_repositories(const char *config_dir, struct pmg_strv *out, struct pmg_strv *broken,
			     struct pmg_err *err) PMG_MUST_CHECK;

/** Is the entry in force? @param tool, manager  of the run: "npx", "npm" */
bool pmg_overlay_is_live(const struct pmg_overlay_entry *entry, int64_t now, const char *tool,
			 const char *manager);

/**
 * Add an entry; one of the same type, value and tools is replaced.
 * @param policy  of the repository, to know what is sensitive; NULL: not asked
 * @param force  also what the mandatory list closes
 * @param taken  taken over, also on failure. A relative path becomes absolute, below the project
 *               "${PROJECT}/...", so that it means the same wherever it is used
 * @return 0; -PMG_E_CONFIG: malformed, or nothing opens it; -PMG_E_USAGE: needs force;
 *         -PMG_E_LIMIT
 */
int pmg_overlay_add(struct pmg_overlay *overlay, const struct pmg_policy *policy, bool force,
		    struct pmg_overlay_entry *taken, struct pmg_err *err) PMG_MUST_CHECK;

/** @param value  as pmg_overlay_add() took it, or as it stands in the file
 *  @return how many went */
size_t pmg_overlay_remove(struct pmg_overlay *overlay, const struct pmg_policy *policy, int type,
			  const char *value);

/** Write it whole, mode 0600; without entries the file goes. */
int pmg_overlay_save(const struct pmg_overlay *overlay, struct pmg_err *err) PMG_MUST_CHECK;

#endif
