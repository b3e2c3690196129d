#ifndef PMG_TESTS_UNIT_REFUSED_CALLS_H
#define PMG_TESTS_UNIT_REFUSED_CALLS_H
/** Calls that are refused in a run whatever they ask. */
#include <linux/sched.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/socket.h>

#include "kernel/uapi.h"

#define FASTOPEN 0x20000000U /* MSG_FASTOPEN */

struct call {
	const char *name;
	uint64_t args[6];
};

/* Written down anew, so that a row which goes missing in sandbox/surface.c is missed here. */
static const struct call refused[] = {
	{ "io_uring_setup", { 1 } },
	{ "io_uring_enter", { 0 } },
	{ "io_uring_register", { 0 } },
	{ "open_by_handle_at", { 0 } },
	{ "mount", { 0 } },
	{ "umount2", { 0 } },
	{ "pivot_root", { 0 } },
	{ "chroot", { 0 } },
	{ "open_tree", { 0 } },
	{ "move_mount", { 0 } },
	{ "fsopen", { 0 } },
	{ "fsconfig", { 0 } },
	{ "fsmount", { 0 } },
	{ "fspick", { 0 } },
	{ "mount_setattr", { 0 } },
	{ "setns", { 0 } },
	{ "unshare", { CLONE_NEWUSER } },
	{ "unshare", { CLONE_NEWNS } },
	{ "unshare", { CLONE_NEWNET } },
	{ "unshare", { CLONE_NEWPID } },
	{ "unshare", { CLONE_NEWIPC } },
	{ "unshare", { CLONE_NEWUTS } },
	{ "unshare", { CLONE_NEWCGROUP } },
	{ "unshare", { 0x80 } },
	{ "unshare", { CLONE_FILES | CLONE_NEWUSER } },
	{ "clone", { SIGCHLD | CLONE_NEWUSER } },
	{ "clone", { SIGCHLD | CLONE_NEWNS } },
	{ "clone", { SIGCHLD | CLONE_NEWNET } },
	{ "clone", { SIGCHLD | CLONE_NEWPID } },
	{ "clone", { SIGCHLD | CLONE_NEWIPC } },
	{ "clone", { SIGCHLD | CLONE_NEWUTS } },
	{ "clone", { SIGCHLD | CLONE_NEWCGROUP } },
	{ "clone", { SIGCHLD | CLONE_PARENT } },
	{ "ptrace", { PTRACE_TRACEME } },
	{ "ptrace", { PTRACE_ATTACH, 1 } },
	{ "process_vm_readv", { 1 } },
	{ "process_vm_writev", { 1 } },
	{ "pidfd_getfd", { 0 } },
	{ "perf_event_open", { 0 } },
	{ "add_key", { 0 } },
	{ "request_key", { 0 } },
	{ "keyctl", { 0 } },
	{ "bpf", { 0 } },
	{ "userfaultfd", { 0 } },
	{ "kexec_load", { 0 } },
	{ "init_module", { 0 } },
	{ "finit_module", { 0 } },
	{ "delete_module", { 0 } },
	{ "quotactl", { 0 } },
	{ "swapon", { 0 } },
	{ "swapoff", { 0 } },
	{ "reboot", { 0 } },
	{ "acct", { 0 } },
	{ "fanotify_init", { 0 } },
	{ "vhangup", { 0 } },
	{ "syslog", { 0 } },
	{ "settimeofday", { 0 } },
	{ "clock_settime", { 0 } },
	{ "adjtimex", { 0 } },
	{ "sethostname", { 0 } },
	{ "setdomainname", { 0 } },
	{ "personality", { PER_LINUX32 } },
	{ "personality", { READ_IMPLIES_EXEC } },
	{ "memfd_create", { 0 } },
	{ "memfd_create", { 0, MFD_EXEC } },
	{ "socket", { AF_INET, SOCK_STREAM, 262 } },
	{ "socket", { AF_INET6, SOCK_STREAM, 262 } },
	{ "socket", { AF_INET, SOCK_STREAM, IPPROTO_SCTP } },
	{ "socket", { AF_INET, SOCK_DGRAM, IPPROTO_ICMP } },
	{ "socket", { AF_INET6, SOCK_DGRAM, IPPROTO_ICMPV6 } },
	{ "socket", { AF_INET, SOCK_RAW, IPPROTO_TCP } },
	{ "socket", { AF_INET, SOCK_RAW, IPPROTO_RAW } },
	{ "socket", { AF_INET, SOCK_SEQPACKET, IPPROTO_SCTP } },
	{ "socket", { AF_UNIX, SOCK_DGRAM } },
	{ "socket", { AF_UNIX, SOCK_RAW } },
	{ "socket", { AF_NETLINK, SOCK_RAW, 12 } }, /* NETLINK_NETFILTER */
	{ "socket", { AF_NETLINK, SOCK_RAW, 16 } }, /* NETLINK_GENERIC */
	{ "socket", { AF_PACKET, SOCK_RAW } },
	{ "socket", { AF_VSOCK, SOCK_STREAM } },
	{ "socket", { AF_ALG, SOCK_SEQPACKET } },
	{ "socket", { 0x100000000ULL | AF_VSOCK, SOCK_STREAM } },
	{ "socketpair", { AF_INET, SOCK_STREAM } },
	{ "socketpair", { AF_UNIX, SOCK_DGRAM } }, /* its ends can send to any path */
	{ "socketpair", { AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC } },
	{ "socketpair", { AF_UNIX, SOCK_RAW } }, /* the kernel makes it a datagram socket */
	{ "socketpair", { 30 /* TIPC */, SOCK_STREAM } },
	{ "sendto", { 99, 0, 0, FASTOPEN } },
	{ "sendto", { 99, 0, 0, FASTOPEN | MSG_DONTWAIT } },
	{ "sendmsg", { 99, 0, FASTOPEN } },
	{ "sendmmsg", { 99, 0, 0, FASTOPEN } },
	{ "setsockopt", { 99, IPPROTO_TCP, TCP_FASTOPEN_CONNECT } },
	{ "fcntl", { 99, 1024 } }, /* F_SETLEASE */
	{ "ioctl", { 99, TIOCSTI } },
	{ "ioctl", { 99, 0xffffffff00000000ULL | TIOCSTI } },
	{ "ioctl", { 99, TIOCLINUX } },
	{ "ioctl", { 99, TIOCSETD } },
	{ "ioctl", { 99, TIOCCONS } },
	{ "ioctl", { 99, 0x40086602 } }, /* FS_IOC_SETFLAGS, and of 32 bits */
	{ "ioctl", { 99, 0x40046602 } },
	{ "ioctl", { 99, 0x401c5820 } }, /* FS_IOC_FSSETXATTR */
	{ "ioctl", { 99, 0x40087602 } }, /* FS_IOC_SETVERSION */
	{ "ioctl", { 99, 0x40806685 } }, /* FS_IOC_ENABLE_VERITY */
	{ "ioctl", { 99, 0x5000940e } }, /* BTRFS_IOC_SUBVOL_CREATE */
	{ "ioctl", { 99, 0x50009401 } }, /* BTRFS_IOC_SNAP_CREATE */
	{ "ioctl", { 99, 0x5000940f } }, /* BTRFS_IOC_SNAP_DESTROY */
};

#endif
