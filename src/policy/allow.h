#ifndef PMG_POLICY_ALLOW_H
#define PMG_POLICY_ALLOW_H
/**
 * Allowances as people write them: TYPE=VALUE of --sandbox-allow and of a
 * repository's overlay, and the same values in lists of profiles.
 */
#include "policy/policy.h"

/* Types besides those of enum pmg_access. */
#define PMG_ALLOW_PRESET ((int)PMG_ACCESS_MAX)

/** "read", ..., "env", "preset" -> enum pmg_access or PMG_ALLOW_PRESET; -1: no such type. */
int pmg_allow_type(const char *name);
const char *pmg_allow_type_name(int type);

/**
 * Read TYPE=VALUE.
 * @param[out] type  as pmg_allow_type()
 * @param[out] value  points into text
 * @return 0; -PMG_E_CONFIG: no such type (the nearest is the hint), or a value that cannot be one
 */
int pmg_allow_parse(const char *text, int *type, const char **value,
		    struct pmg_err *err) PMG_MUST_CHECK;

/**
 * Is a value of one of the types well-formed where it stands? Paths of profiles and presets begin
 * with "/", "~/" or a variable and have no ".."; those of overlays and flags may be relative. Hosts
 * and ports are read strictly; variables' names take "*" only at their end.
 * @return 0; -PMG_E_CONFIG: says what is wrong, not where
 */
int pmg_allow_check(enum pmg_layer layer, enum pmg_access access, bool deny, const char *text,
		    struct pmg_err *err) PMG_MUST_CHECK;

#endif
