#ifndef PMG_POLICY_SCRUB_H
#define PMG_POLICY_SCRUB_H
/** Which variables of the environment a run gets to see. */
#include "policy/policy.h"

/** Rules for names that are known: credentials, sockets of agents, what makes programs load code.
 */
int pmg_scrub_add(struct pmg_policy *policy, struct pmg_err *err) PMG_MUST_CHECK;

/** Does a name look like that of a credential (TOKEN, SECRET, ..._KEY)? */
bool pmg_scrub_is_secret_name(const char *name);

/** Does a variable lead to a program that acts for the user (an agent, a bus, pmg itself)? */
bool pmg_scrub_is_channel(const char *name);

/** Is a variable one of those that carry neither code nor secrets, though their group may? */
bool pmg_scrub_is_harmless(const char *name);

/** Take pmg's own variables out of an environment: what a run without walls loses too.
 *  @param[out] removed  names, added to */
void pmg_scrub_pointers(struct pmg_strv *env, struct pmg_strv *removed);

/**
 * Does a variable stay? In this order: what pmg and every program need stays; then the rules of the
 * policy; then what looks like a credential, by name or as an address with a password in it, goes,
 * also where a pattern allows it: only an exact name can.
 * @param value  NULL: judged by name alone
 */
bool pmg_scrub_keeps(const struct pmg_policy *policy, const char *name, const char *value);

#endif
