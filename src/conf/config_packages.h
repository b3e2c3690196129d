#ifndef PMG_CONF_CONFIG_PACKAGES_H
#define PMG_CONF_CONFIG_PACKAGES_H
/**
 * The keys of config.yml and its kin that are the policy on packages
 * (conf/packages.h): "dependency_cooldown", "trusted_packages" and, below
 * "intel", "overrides" and "private_origin". Patterns stay text here.
 */
#include "conf/keys.h"
#include "conf/packages.h"

/* Rows over struct pmg_config. */
extern const struct pmg_key pmg_config_cooldown_keys[];
/* The same for a project's file, which may only tighten. */
extern const struct pmg_key pmg_config_project_cooldown_keys[];
extern const char *const pmg_config_private_origins[];

/** For rows of kind LIST: one entry each. */
int pmg_config_read_trusted(const struct pmg_yaml *item, void *out, struct pmg_err *err);
int pmg_config_read_override(const struct pmg_yaml *item, void *out, struct pmg_err *err);

/**
 * An age as it is typed: "36h", "7d", "1w".
 * @return 0; -PMG_E_PARSE: no whole number with its unit, or none; -PMG_E_LIMIT: above
 *         PMG_PACKAGES_AGE_MAX_S. Never an age of 0 for what cannot be read
 */
int pmg_config_parse_age(const char *text, uint64_t *out_s) PMG_MUST_CHECK;

/** A day ("2027-01-31": its beginning, UTC) or a time (RFC 3339). @return 0 or -PMG_E_PARSE */
int pmg_config_parse_day(const char *text, int64_t *out) PMG_MUST_CHECK;

#endif
