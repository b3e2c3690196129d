#ifndef PMG_KERNEL_NS_PRIV_H
#define PMG_KERNEL_NS_PRIV_H
/** Why namespaces are refused here: the reason and what the user can do. */
#include "base/err.h"

/**
 * @param errnum  of the call that was refused
 * @param sysctl  "/proc/sys", or a folder of a test's own
 * @return -PMG_E_UNSUPPORTED, always
 */
int pmg_ns_refused(int errnum, const char *sysctl, struct pmg_err *err);

#endif
