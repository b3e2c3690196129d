#ifndef PMG_CONF_NARROW_H
#define PMG_CONF_NARROW_H
/**
 * What managed policy and a project's file (conf/managed.h) take away from the
 * user's configuration. Each key of config.yml has a row that says how two
 * values become one; docs/config.md, "Which value counts", has the same table.
 * Of a key that only one of the files has, that value counts.
 */
#include "base/strv.h"
#include "conf/managed.h"

enum pmg_narrow_rule {
	PMG_NARROW_LATER,   /* of two words the one later in their list, which is the stricter */
	PMG_NARROW_GREATER, /* of two quantities the greater */
	PMG_NARROW_LESSER,  /* of two quantities the smaller */
	PMG_NARROW_OR,      /* true if one says so */
	PMG_NARROW_BITS,    /* all that either has */
	PMG_NARROW_REPLACE, /* the user's value is left out */
	PMG_NARROW_UNION,   /* the entries of both lists */
	PMG_NARROW_LONGEST, /* entries of both lists; of the ages for a package the longest */
	PMG_NARROW_WAIVERS, /* union; under global_lockdown the user's are left out */
	PMG_NARROW_PER_MANAGER, /* enabled: or; profile: two that differ are refused */
	PMG_NARROW_MAX
};

struct pmg_narrow_row {
	const char *key;
	enum pmg_narrow_rule rule;
	size_t offset; /* in struct pmg_config */
};
/** All rows; the last one has no key. */
const struct pmg_narrow_row *pmg_narrow_rows(void);

/**
 * Narrow a configuration. Callers do it by the project's file first, then by managed policy.
 * @param by     a file that does not exist changes nothing
 * @param notes  a line is added for each of the user's values that does not count
 * @return 0; -PMG_E_CONFIG with PMG1001 and the place: the user names a profile where managed
 *         policy names another one, or forbids to name one; nobody can tell which is the stricter
 */
int pmg_narrow(struct pmg_config *config, const struct pmg_managed *by, struct pmg_strv *notes,
	       struct pmg_err *err) PMG_MUST_CHECK;

/** The key of "dependency_cooldown" by which managed policy sets a least wait for all users; NULL:
 *  it sets none, or `by` is a project's file. */
const char *pmg_narrow_bounds_wait(const struct pmg_managed *by);

#endif
