#ifndef PMG_POLICY_MANDATORY_H
#define PMG_POLICY_MANDATORY_H
/**
 * What stays closed whatever a profile opens: credentials, places of
 * persistence, pmg's own files; in the home, in the project at any depth (not
 * in packages that are installed there) and on the machine. docs/policy.md has
 * the list. Only an exact path opens one of them, and nothing opens git hooks.
 */
#include "policy/build.h"

/** @return 0; -PMG_E_CONFIG: a path of the facts cannot be a rule */
int pmg_mandatory_add(struct pmg_policy *policy, const struct pmg_policy_facts *facts,
		      struct pmg_err *err) PMG_MUST_CHECK;

/**
 * Is it a folder of git hooks, or in one, whatever repository it is of? The rules know those of the
 * project alone; of others it is asked when somebody would allow one.
 * @param path  absolute, clean; a pattern is taken as it is written
 */
bool pmg_mandatory_is_hook(const char *path);

/** The rule that keeps hooks closed below a folder outside of the project in which something was
 *  allowed. @param rule  a rule that allows, of a sealed or unsealed policy */
int pmg_mandatory_add_hooks(struct pmg_policy *policy, const struct pmg_policy_rule *rule,
			    struct pmg_err *err) PMG_MUST_CHECK;

#endif
