#ifndef PMG_KERNEL_NETLINK_H
#define PMG_KERNEL_NETLINK_H
/**
 * The network namespace in which every address is local: loopback up, one
 * address more for IPv4 and IPv6 each (else AI_ADDRCONFIG suppresses lookups),
 * and a route of kind "local" for everything. Source: rtnetlink(7).
 */
#include "base/err.h"

/** Of the calling process's network namespace, which must be new. IPv6 is left out where the kernel
 *  has none. @return 0 or -PMG_E_SYS */
int pmg_netlink_all_local(struct pmg_err *err) PMG_MUST_CHECK;

#endif
