#ifndef PMG_POLICY_REACH_H
#define PMG_POLICY_REACH_H
/** What a run's scripts were allowed, to be kept: who asks later has no policy any more. */
#include "policy/policy.h"

#define PMG_REACH_BUILTIN "built-in " /* before what no person has added */
#define PMG_REACH_MAX     128U        /* entries; a last one says how many more there were */

/**
 * Rules that let scripts write, connect or talk to a local socket; and of those that let them read,
 * start or see a variable the ones that a person has added to what is built in.
 * @param[out] out  "net-connect=cdn.test:443", "built-in write=/p/out/x"; added to
 */
void pmg_policy_reach(const struct pmg_policy *policy, struct pmg_strv *out);

#endif
