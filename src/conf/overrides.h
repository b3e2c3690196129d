#ifndef PMG_CONF_OVERRIDES_H
#define PMG_CONF_OVERRIDES_H
/**
 * overrides.yml beside config.yml: more entries of intel.overrides, those that
 * `pmg intel allow` writes. It is a file of its own, so that no program has to
 * write config.yml, which a person keeps with comments. Entries are added at its
 * end; what stands before them stays as it is.
 *
 *   schema_version: 1
 *   overrides:
 *     - {ecosystem: npm, name: "x", version: "1.0.0", id: "MAL-2026-1", reason: "feed error"}
 */
#include "conf/config.h"

#define PMG_OVERRIDES_FILE "overrides.yml"

/**
 * Add the entries of a file to those of a configuration.
 * @param path  a missing file has none
 * @return 0; -PMG_E_CONFIG with path:line:column, or when others could have written it
 */
int pmg_overrides_load(const char *path, struct pmg_config *config,
		       struct pmg_err *err) PMG_MUST_CHECK;

/* An entry to write; all borrowed. */
struct pmg_override {
	const char *ecosystem, *name, *version, *id, *reason;
	int64_t expires; /* seconds since 1970; 0: never */
};

/**
 * Write an entry at the end of the file. Callers lock the file.
 * @return 1; 0: this record of this version has an entry already, whatever its reason;
 *         -PMG_E_CONFIG: the file is wrong, or ends so that nothing can be added; -PMG_E_LIMIT;
 *         -PMG_E_SYS
 */
int pmg_overrides_add(const char *path, const struct pmg_override *entry,
		      struct pmg_err *err) PMG_MUST_CHECK;

/**
 * Take the entries of a version out again; all else in the file stays as it is.
 * Callers lock the file.
 * @param entry  ecosystem, name and version count; id NULL: entries for any record
 * @param[out] ids  the records of the entries that were taken out are added
 * @return 0, also when there is none; -PMG_E_CONFIG: the file is wrong, or an entry cannot be told
 *         from what is around it (its place, and a hint); -PMG_E_LIMIT; -PMG_E_SYS
 */
int pmg_overrides_remove(const char *path, const struct pmg_override *entry, struct pmg_strv *ids,
			 struct pmg_err *err) PMG_MUST_CHECK;

#endif
