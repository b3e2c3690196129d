#ifndef PMG_POLICY_SENSITIVE_H
#define PMG_POLICY_SENSITIVE_H
/**
 * What an allowance would open of that which stays closed for good reason. The
 * question is put to the policy that runs have, so that the list is the whole
 * one: files, sockets, hosts and variables.
 */
#include "policy/policy.h"

enum pmg_sensitive {
	PMG_SENSITIVE_NOT,
	PMG_SENSITIVE_FORCE, /* a credential, a place of persistence, a way out of the walls */
	PMG_SENSITIVE_VAIN,  /* such a thing by a pattern, and only its own name opens one */
	PMG_SENSITIVE_NEVER  /* nothing opens it: git hooks, what a fleet has closed */
};

/**
 * @param policy  sealed
 * @param value  as written; relative paths are seen from the policy's working folder
 * @param[out] rule  that closes it; NULL: its name gives it away, or nothing closes it
 */
enum pmg_sensitive pmg_sensitive_ask(const struct pmg_policy *policy, enum pmg_access access,
				     const char *value, const struct pmg_policy_rule **rule);

#endif
