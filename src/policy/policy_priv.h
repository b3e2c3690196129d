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
/** Does a rule with packages_exempt not hold for path, or (below) for nothing that lies below it?
 */
bool pmg_policy_is_exempt(const struct pmg_policy *policy, enum pmg_access access, const char *path,
			  bool below);

#endif
