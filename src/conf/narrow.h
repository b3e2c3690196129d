#ifndef PMG_CONF_NARROW_H
#define PMG_CONF_NARROW_H
/**
 * What managed policy and a project's file (conf/managed.h) take away from the
 * user's configuration. Each key of config.yml has a row that says how two
 * values become one; docs/config.md, "Which value counts", has the same table.
 * A key that only one of the files has is taken from there.
 */
#include "base/strv.h"
#include "conf/managed.h"

enum pmg_narrow_rule {
	PMG_NARROW_LATER,   /* of two words the one later in their list, which is the stricter */
	PMG_NARROW_GREATER, /* of two quantities */
	PMG_NARROW_LESSER,
	PMG_NARROW_OR,      /* true if one says so */
	PMG_NARROW_BITS,    /* all that either has */
	PMG_NARROW_REPLACE, /* the user's is left out */
	PMG_NARROW_UNION,
	PMG_NARROW_LONGEST,     /* of the ages that two files have for a package */
	PMG_NARROW_WAIVERS,     /* union; under global_lockdown the user's are left out */
	PMG_NARROW_PER_MANAGER, /* enabled: or; profile: two that differ are refused */
	PMG_NARROW_MAX
};

struct pmg_narrow_row {
	const char *key;
	enum pmg_narrow_rule rule;
	size_t offset; /* in struct pmg_config */
};
/** All rows; ends with one without key. */
const struct pmg_narrow_row *pmg_narrow_rows(void);

/**
 * Narrow a configuration. First by the project's file, then by managed policy.
 * @param by     one that is not there changes nothing
 * @param notes  a line for each of the user's values that does not hold
 * @return 0; -PMG_E_CONFIG with PMG1001 and the place: the user names a profile where managed
 *         policy names another one, or none is to be named. Which of two is stricter cannot be told
 */
int pmg_narrow(struct pmg_config *config, const struct pmg_managed *by, struct pmg_strv *notes,
	       struct pmg_err *err) PMG_MUST_CHECK;

/** The key of "dependency_cooldown" by which managed policy bounds the wait of all users; NULL: it
 *  does not, or it is a project's file. */
const char *pmg_narrow_bounds_wait(const struct pmg_managed *by);

#endif
