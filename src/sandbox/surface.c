#include <asm/ioctls.h>
#include <errno.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "kernel/uapi.h"
#include "sandbox/broker_priv.h"

/*
 * What an install never needs and walls are broken by. Trapped and never continued, so that it is
 * listed. errnum is what a program takes for "not here" and goes on without, where it does.
 */

#define NO_ARGUMENTS .dirfd = -1, .path = -1, .dirfd2 = -1, .path2 = -1, .flags = -1, .mode = -1
#define REFUSED(call, error)                                                                       \
	{                                                                                          \
		.name = (call), .handle = pmg_act_surface, NO_ARGUMENTS, .errnum = (error)         \
	}
#define REFUSED_IF(call, error, ...)                                                               \
	{                                                                                          \
		.name = (call), .handle = pmg_act_surface, NO_ARGUMENTS, .errnum = (error),        \
		.cond = {                                                                          \
			__VA_ARGS__                                                                \
		}                                                                                  \
	}
#define IS(n, v)                                                                                   \
	{                                                                                          \
		.kind = PMG_SECCOMP_IS, .arg = (n), .mask = UINT32_MAX, .value = (v)               \
	}
#define ANY_OF(n, bits)                                                                            \
	{                                                                                          \
		.kind = PMG_SECCOMP_IS_NOT, .arg = (n), .mask = (bits), .value = 0                 \
	}
/* Kind and number of a request; its size differs between kernels and word sizes. */
#define REQUEST(v)                                                                                 \
	{                                                                                          \
		.kind = PMG_SECCOMP_IS, .arg = 1, .mask = 0xffff, .value = (v)                     \
	}

#define NEW_NAMESPACES                                                                             \
	((uint64_t)CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |   \
	 CLONE_NEWPID | CLONE_NEWNET)
#define FASTOPEN      0x20000000U /* MSG_FASTOPEN: connects without connect(2) */
#define MPTCP         262
#define SETLEASE      1024   /* F_SETLEASE */
#define DISCIPLINE    0x5423 /* TIOCSETD: line disciplines are drivers for modems */
#define CONSOLE       0x541d /* TIOCCONS */
#define SETFLAGS      0x6602 /* works on a descriptor that is open for reading */
#define EXT4_VERSION  0x6604
#define ENCRYPTION    0x6613
#define VERITY        0x6685
#define SETVERSION    0x7602
#define FAT_SET       0x7211
#define FSSETXATTR    0x5820
#define SNAP_CREATE   0x9401 /* btrfs makes and removes folders by ioctl, on any open one */
#define SUBVOL_CREATE 0x940e
#define SNAP_DESTROY  0x940f
#define SNAP_CREATE2  0x9417
#define SUB_CREATE2   0x9418
#define SUBVOL_FLAGS  0x941a
#define SNAP_DESTROY2 0x943f

static const struct pmg_call_row rows[] = {
	/* around what everything else goes through */
	REFUSED("io_uring_setup", ENOSYS),
	REFUSED("io_uring_enter", ENOSYS),
	REFUSED("io_uring_register", ENOSYS),
	REFUSED("open_by_handle_at", EPERM),
	/* mounts and namespaces */
	REFUSED("mount", EPERM),
	REFUSED("umount", EPERM),
	REFUSED("umount2", EPERM),
	REFUSED("pivot_root", EPERM),
	REFUSED("chroot", EPERM),
	REFUSED("open_tree", EPERM),
	REFUSED("move_mount", EPERM),
	REFUSED("fsopen", EPERM),
	REFUSED("fsconfig", EPERM),
	REFUSED("fsmount", EPERM),
	REFUSED("fspick", EPERM),
	REFUSED("mount_setattr", EPERM),
	REFUSED("setns", EPERM),
	REFUSED_IF("unshare", EPERM, ANY_OF(0, NEW_NAMESPACES | CLONE_NEWTIME)),
	/* Its low byte is a signal. CLONE_PARENT would make children of the broker. */
	REFUSED_IF("clone", EPERM, ANY_OF(0, NEW_NAMESPACES | CLONE_PARENT)),
	/* other processes: a script could act as the manager */
	REFUSED("ptrace", EPERM),
	REFUSED("process_vm_readv", EPERM),
	REFUSED("process_vm_writev", EPERM),
	REFUSED("pidfd_getfd", EPERM),
	REFUSED("perf_event_open", EPERM),
	/* keys of the user's session, programs and drivers in the kernel, the whole machine */
	REFUSED("add_key", EPERM),
	REFUSED("request_key", EPERM),
	REFUSED("keyctl", EPERM),
	REFUSED("bpf", EPERM),
	REFUSED("userfaultfd", EPERM),
	REFUSED("kexec_load", EPERM),
	REFUSED("kexec_file_load", EPERM),
	REFUSED("init_module", EPERM),
	REFUSED("finit_module", EPERM),
	REFUSED("delete_module", EPERM),
	REFUSED("quotactl", EPERM),
	REFUSED("quotactl_fd", EPERM),
	REFUSED("swapon", EPERM),
	REFUSED("swapoff", EPERM),
	REFUSED("reboot", EPERM),
	REFUSED("acct", EPERM),
	REFUSED("fanotify_init", EPERM),
	REFUSED("lookup_dcookie", EPERM),
	REFUSED("vhangup", EPERM),
	REFUSED("syslog", EPERM),
	REFUSED("iopl", EPERM),
	REFUSED("ioperm", EPERM),
	REFUSED("settimeofday", EPERM),
	REFUSED("clock_settime", EPERM),
	REFUSED("adjtimex", EPERM),
	REFUSED("clock_adjtime", EPERM),
	REFUSED("sethostname", EPERM),
	REFUSED("setdomainname", EPERM),
	REFUSED("personality", EPERM), /* but some: sandbox/filter_calls.c */
	/* Programs in memory have no path to judge. Where the kernel can be told to make memory
	 * files that cannot be run, only those that ask to be runnable come here. */
	REFUSED("memfd_create", ENOSYS),
	/* sockets: what passes is in sandbox/filter_calls.c. Go asks for MPTCP first, and takes
	 * only this error for "not here". */
	REFUSED_IF("socket", EPROTONOSUPPORT, IS(2, MPTCP)),
	REFUSED("socket", EAFNOSUPPORT),
	REFUSED("socketpair", EAFNOSUPPORT),
	REFUSED_IF("sendto", EOPNOTSUPP, ANY_OF(3, FASTOPEN)),
	REFUSED_IF("sendmsg", EOPNOTSUPP, ANY_OF(2, FASTOPEN)),
	REFUSED_IF("sendmmsg", EOPNOTSUPP, ANY_OF(3, FASTOPEN)),
	REFUSED_IF("setsockopt", EOPNOTSUPP, IS(1, IPPROTO_TCP), IS(2, TCP_FASTOPEN_CONNECT)),
	/* what a terminal is typed, and what a file system is told past the writing of files */
	REFUSED_IF("fcntl", EACCES,
		   IS(1, SETLEASE)), /* who opens waits for the holder: the broker */
	REFUSED_IF("ioctl", EPERM, REQUEST(TIOCSTI)),
	REFUSED_IF("ioctl", EPERM, REQUEST(TIOCLINUX)),
	REFUSED_IF("ioctl", EPERM, REQUEST(DISCIPLINE)),
	REFUSED_IF("ioctl", EPERM, REQUEST(CONSOLE)),
	REFUSED_IF("ioctl", EPERM, REQUEST(SETFLAGS)),
	REFUSED_IF("ioctl", EPERM, REQUEST(EXT4_VERSION)),
	REFUSED_IF("ioctl", EPERM, REQUEST(ENCRYPTION)),
	REFUSED_IF("ioctl", EPERM, REQUEST(VERITY)),
	REFUSED_IF("ioctl", EPERM, REQUEST(SETVERSION)),
	REFUSED_IF("ioctl", EPERM, REQUEST(FAT_SET)),
	REFUSED_IF("ioctl", EPERM, REQUEST(FSSETXATTR)),
	REFUSED_IF("ioctl", EPERM, REQUEST(SNAP_CREATE)),
	REFUSED_IF("ioctl", EPERM, REQUEST(SUBVOL_CREATE)),
	REFUSED_IF("ioctl", EPERM, REQUEST(SNAP_DESTROY)),
	REFUSED_IF("ioctl", EPERM, REQUEST(SNAP_CREATE2)),
	REFUSED_IF("ioctl", EPERM, REQUEST(SUB_CREATE2)),
	REFUSED_IF("ioctl", EPERM, REQUEST(SUBVOL_FLAGS)),
	REFUSED_IF("ioctl", EPERM, REQUEST(SNAP_DESTROY2)),
	/* Calls of another architecture: the filter traps them by that alone. */
	REFUSED("foreign", ENOSYS),
	{ 0 },
};

const struct pmg_call_row *pmg_surface_rows(void)
{
	return rows;
}
