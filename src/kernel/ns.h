#ifndef PMG_KERNEL_NS_H
#define PMG_KERNEL_NS_H
/** Namespaces of a run, and what may be done in them. Source: user_namespaces(7), capabilities(7).
 */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/**
 * Enter new namespaces. As an ordinary user with a user namespace of our own, in which uid and gid
 * are mapped to themselves and nothing else is; as root (euid 0 in the initial sense: CAP_SYS_ADMIN
 * effective) without one.
 * Before the first thread, and while dumpable: /proc/self is written to.
 * @param flags  CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS ...
 * @param[out] own_user  a user namespace was made
 * @return 0; -PMG_E_UNSUPPORTED with the reason and what the user can do (sysctl, AppArmor profile)
 */
int pmg_ns_enter(int flags, bool *own_user, struct pmg_err *err) PMG_MUST_CHECK;
/** No further user namespaces below (user.max_user_namespaces=0). Only in a user namespace of our
 *  own: the value is the namespace's, root's would be the host's. */
int pmg_ns_no_more_users(struct pmg_err *err) PMG_MUST_CHECK;
/** vm.memfd_noexec=1 for the pid namespace of which the caller is the first process (6.3); any
 *  other's may be the host's and is left alone. @return 1: done; 0: not the first process, no such
 *  sysctl, or not ours to set: only the host's root may; -PMG_E_SYS */
int pmg_ns_memfd_noexec(struct pmg_err *err) PMG_MUST_CHECK;

/* Capabilities as a bit mask: 1ULL << CAP_X of linux/capability.h. */
/** Permitted, effective, inheritable, ambient = keep, of those we have; bounding set = none but
 * keep (without CAP_SETPCAP it stays, and a set-uid program could get more: set no_new_privs, which
 * is not touched here). @return 0 or -PMG_E_SYS */
int pmg_caps_keep(uint64_t keep, struct pmg_err *err) PMG_MUST_CHECK;
/** Our own effective set. */
uint64_t pmg_caps_effective(void);

#endif
