#ifndef PMG_SANDBOX_LOCKDOWN_H
#define PMG_SANDBOX_LOCKDOWN_H
/**
 * What a policy says of the way out is held, or nothing runs: by
 * network_via_proxy_only the one way is pmg's own proxy, so it has to be there,
 * and the driver has to leave no other. Asked by the front before the tool may
 * start, and by the driver itself before it builds.
 */
#include "policy/policy.h"
#include "sandbox/driver.h"

/**
 * Can this driver hold what the policy says?
 * @return 0; -PMG_E_UNSUPPORTED with PMG2107: what it cannot give, and the line that asks for it
 */
int pmg_lockdown_can(const struct pmg_policy *policy, const struct pmg_driver *driver,
		     struct pmg_err *err) PMG_MUST_CHECK;

/**
 * The same; and under network_via_proxy_only, is there a live proxy of pmg's?
 * @param proxy  its address as the tool gets it: "http://pmg:TOKEN@127.0.0.1:61080"; NULL: none
 * @param fd     a message socket that it, or who hands it on, has the other end of
 * @return as above
 */
int pmg_lockdown_check(const struct pmg_policy *policy, const struct pmg_driver *driver,
		       const char *proxy, int fd, struct pmg_err *err) PMG_MUST_CHECK;

#endif
