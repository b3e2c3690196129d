#ifndef PMG_CONF_OVERRIDES_H
#define PMG_CONF_OVERRIDES_H
/**
 * overrides.yml beside config.yml: more entries of intel.overrides, those that
 * `pmg intel allow` writes. A file of its own, since config.yml is written by a
 * person, and no program should take its comments away; here entries are added
 * behind what is there, which stays as it is.
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

/* An entry to be; all borrowed. */
struct pmg_override {
	const char *ecosystem, *name, *version, *id, *reason;
	int64_t expires; /* seconds since 1970; 0: never */
};

/**
 * Write an entry behind those that are there.
 * @return 1; 0: there is one for this record of this version, whatever its reason; -PMG_E_CONFIG:
 *         the file is wrong, or nothing can be written behind what it has; -PMG_E_LIMIT; -PMG_E_SYS
 */
int pmg_overrides_add(const char *path, const struct pmg_override *entry,
		      struct pmg_err *err) PMG_MUST_CHECK;

/**
 * Take the entries of a version out again; whatever else stands there stays as it is.
 * @param entry  of it ecosystem, name and version; id NULL: of all records
 * @param[out] ids  of those that were taken out, added to
 * @return 0, also when there is none; -PMG_E_CONFIG: the file is wrong, or an entry cannot be told
 *         from what is around it (its place, and a hint); -PMG_E_LIMIT; -PMG_E_SYS
 */
int pmg_overrides_remove(const char *path, const struct pmg_override *entry, struct pmg_strv *ids,
			 struct pmg_err *err) PMG_MUST_CHECK;

#endif
