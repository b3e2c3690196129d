#ifndef PMG_POLICY_PRESET_H
#define PMG_POLICY_PRESET_H
/**
 * What a preset may say, beyond its form (policy/allow.h): it adds to a profile and opens nothing
 * that stays closed for good, but for the reading of git's configuration of the repository and for
 * variables by their exact names. Asked when it is linted, and again whenever it is applied.
 */
#include "policy/build.h"
#include "policy/draft.h"
#include "policy/glob.h"

/** Is it the reading of the repository's .git/config, which a preset may open? */
bool pmg_preset_is_git_config(const struct pmg_draft_entry *entry);

/** Does a link lead from within project or working folder to outside of them? @param text, real
 *  patterns: as written, variables replaced, and with links resolved */
bool pmg_preset_strays(const struct pmg_policy_facts *facts, const char *text, const char *real);

/**
 * A path that the pattern stands for: nothing for two stars, `fill` for one.
 * @return NULL: it found none. Caller frees
 */
char *pmg_preset_instance(const struct pmg_glob *glob, const char *pattern,
			  const char *fill) PMG_MUST_CHECK;

/**
 * May a preset have this entry?
 * @param policy  sealed, with the lists of what stays closed: the rules that decide in a run are
 *                asked. For patterns: about what they stand for at the least
 * @return 0; -PMG_E_CONFIG: says what and by which rule, not where
 */
int pmg_preset_check(const struct pmg_policy *policy, const struct pmg_policy_facts *facts,
		     const struct pmg_draft_entry *entry, struct pmg_err *err) PMG_MUST_CHECK;

#endif
