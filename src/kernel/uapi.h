#ifndef PMG_KERNEL_UAPI_H
#define PMG_KERNEL_UAPI_H
/**
 * What newer kernels know and the headers of the build machine may not. Each
 * constant with the kernel that brought it. Guarded: where a header of the
 * system has it, that one counts.
 */
#include <stdint.h>
#include <sys/syscall.h>

#include <linux/landlock.h>
#include <linux/memfd.h>
#include <linux/seccomp.h>

#ifndef SYS_landlock_create_ruleset /* 5.13; the same number on every architecture */
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule       445
#define SYS_landlock_restrict_self  446
#endif

/* ABI 2 */
#ifndef LANDLOCK_ACCESS_FS_REFER
#define LANDLOCK_ACCESS_FS_REFER (1ULL << 13) /* 5.19 */
#endif
/* ABI 3 */
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14) /* 6.2 */
#endif
/* ABI 4 */
#ifndef LANDLOCK_ACCESS_NET_BIND_TCP
#define LANDLOCK_ACCESS_NET_BIND_TCP    (1ULL << 0) /* 6.7 */
#define LANDLOCK_ACCESS_NET_CONNECT_TCP (1ULL << 1) /* 6.7 */
#endif
#define PMG_LANDLOCK_RULE_NET_PORT 2 /* 6.7; LANDLOCK_RULE_NET_PORT is an enum member */
/* ABI 5 */
#ifndef LANDLOCK_ACCESS_FS_IOCTL_DEV
#define LANDLOCK_ACCESS_FS_IOCTL_DEV (1ULL << 15) /* 6.10 */
#endif
/* ABI 6 */
#ifndef LANDLOCK_SCOPE_SIGNAL
#define LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET (1ULL << 0) /* 6.12 */
#define LANDLOCK_SCOPE_SIGNAL               (1ULL << 1) /* 6.12 */
#endif
/* ABI 7 */
#ifndef LANDLOCK_RESTRICT_SELF_LOG_SAME_EXEC_OFF
#define LANDLOCK_RESTRICT_SELF_LOG_SAME_EXEC_OFF  (1U << 0) /* 6.15 */
#define LANDLOCK_RESTRICT_SELF_LOG_NEW_EXEC_ON    (1U << 1) /* 6.15 */
#define LANDLOCK_RESTRICT_SELF_LOG_SUBDOMAINS_OFF (1U << 2) /* 6.15 */
#endif

/* struct landlock_ruleset_attr as of ABI 6. An older kernel takes it too, as long as what it does
 * not know is zero. */
struct pmg_landlock_ruleset_attr {
	uint64_t handled_access_fs;
	uint64_t handled_access_net; /* 6.7 */
	uint64_t scoped;             /* 6.12 */
};

/* struct landlock_net_port_attr (6.7) */
struct pmg_landlock_net_port_attr {
	uint64_t allowed_access;
	uint64_t port; /* host order */
};

/* Seccomp user notification. */
#ifndef SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0) /* 6.6 */
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS      SECCOMP_IOW(4, uint64_t)
#endif
#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5) /* 5.19 */
#endif

/* memfd_create(2). */
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U /* 6.3 */
#define MFD_EXEC        0x0010U /* 6.3 */
#endif

#endif
