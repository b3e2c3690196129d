#ifndef PMG_POLICY_POLICY_PRIV_H
#define PMG_POLICY_POLICY_PRIV_H
/**
 * What the parts of policy.h share.
 *
 *   policy.c    rules, and asking them
 *   packages.c  what lies in an installed package
 *   subtrees.c  what rules come to for folders: Landlock, purity, moves
 *   hidden.c    where denied names can lie
 */
#include "policy/glob.h"
#include "policy/host.h"
#include "policy/policy.h"

bool pmg_rank_allows(enum pmg_rank rank);
/** Is what lies at path, or (below) all that lies below it, exempt from rules with packages_exempt?
 */
bool pmg_policy_is_exempt(const struct pmg_policy *policy, enum pmg_access access, const char *path,
			  bool below);
/** Does such a rule, which matches path, not hold for it? What counts is the thing that it names:
 *  of "a/.env/node_modules/x/y" that is a/.env, which lies in no package. */
bool pmg_policy_exempts(const struct pmg_policy *policy, enum pmg_access access,
			const struct pmg_policy_rule *rule, const char *path);

#endif
