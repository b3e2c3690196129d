#include "kernel/confine_priv.h"

#include <asm/ioctls.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "base/mem.h"

#define ALLOW(name)                                                                                \
	{                                                                                          \
		.call = name, .action = PMG_SECCOMP_ALLOW                                          \
	}
#define ALLOW_IF(name, ...)                                                                        \
	{                                                                                          \
		.call = name, .action = PMG_SECCOMP_ALLOW, .cond = { __VA_ARGS__ }                 \
	}
#define KILL(name)                                                                                 \
	{                                                                                          \
		.call = name, .action = PMG_SECCOMP_KILL                                           \
	}
/* int arguments: the kernel looks at 32 bits, so must the filter. */
#define IS(n, v)                                                                                   \
	{                                                                                          \
		.kind = PMG_SECCOMP_IS, .arg = (n), .mask = UINT32_MAX, .value = (v)               \
	}
#define IS_NULL(n)                                                                                 \
	{                                                                                          \
		.kind = PMG_SECCOMP_IS, .arg = (n)                                                 \
	}
#define MASKED(n, m, v)                                                                            \
	{                                                                                          \
		.kind = PMG_SECCOMP_IS, .arg = (n), .mask = (m), .value = (v)                      \
	}
#define IS_SELF(n)                                                                                 \
	{                                                                                          \
		.kind = PMG_SECCOMP_IS_SELF, .arg = (n)                                            \
	}
#define TABLE(rows)                                                                                \
	{                                                                                          \
		.rules = (rows), .n = PMG_ARRAY_LEN(rows)                                          \
	}

/* An old kernel's Landlock lets a file be emptied by O_RDONLY|O_TRUNC. */
#define NO_TRUNCATE(n) MASKED(n, O_TRUNC, 0)
#define THREAD_BITS    ((uint64_t)(CLONE_VM | CLONE_THREAD | CLONE_SIGHAND))
#define SOCK_KIND      0xfU /* the rest of the type are flags */

static const struct pmg_seccomp_rule always[] = {
	/* descriptors */
	ALLOW("read"),
	ALLOW("readv"),
	ALLOW("pread64"),
	ALLOW("preadv"),
	ALLOW("write"),
	ALLOW("writev"),
	ALLOW("pwrite64"),
	ALLOW("lseek"),
	ALLOW("_llseek"),
	ALLOW("close"),
	ALLOW("close_range"),
	ALLOW("dup"),
	ALLOW("dup2"),
	ALLOW("dup3"),
	ALLOW("fcntl"),
	ALLOW("fcntl64"),
	ALLOW("flock"),
	ALLOW("fsync"),
	ALLOW("fdatasync"),
	ALLOW("ftruncate"), /* of descriptors that were open for writing before */
	ALLOW("ftruncate64"),
	ALLOW("fadvise64"),
	ALLOW("pipe"),
	ALLOW("pipe2"),
	ALLOW("splice"),
	ALLOW("eventfd2"),
	ALLOW("timerfd_create"),
	ALLOW("timerfd_settime"),
	ALLOW("timerfd_gettime"),
	ALLOW("signalfd4"),
	ALLOW_IF("ioctl", IS(1, FIONREAD)),
	ALLOW_IF("ioctl", IS(1, FIONBIO)),
	ALLOW_IF("ioctl", IS(1, TCGETS)), /* isatty() */
	/* waiting */
	ALLOW("poll"),
	ALLOW("ppoll"),
	ALLOW("ppoll_time64"),
	ALLOW("select"),
	ALLOW("_newselect"),
	ALLOW("pselect6"),
	ALLOW("epoll_create"),
	ALLOW("epoll_create1"),
	ALLOW("epoll_ctl"),
	ALLOW("epoll_wait"),
	ALLOW("epoll_pwait"),
	ALLOW("epoll_pwait2"),
	/* files: which ones may be opened is Landlock's part */
	ALLOW_IF("open", NO_TRUNCATE(1)),
	ALLOW_IF("openat", NO_TRUNCATE(2)),
	ALLOW("stat"),
	ALLOW("stat64"),
	ALLOW("fstat"),
	ALLOW("fstat64"),
	ALLOW("lstat"),
	ALLOW("lstat64"),
	ALLOW("newfstatat"),
	ALLOW("fstatat64"),
	ALLOW("statx"),
	ALLOW("statfs"),
	ALLOW("fstatfs"),
	ALLOW("access"),
	ALLOW("faccessat"),
	ALLOW("faccessat2"),
	ALLOW("readlink"),
	ALLOW("readlinkat"),
	ALLOW("getdents64"),
	ALLOW("getcwd"),
	/* memory */
	ALLOW("brk"),
	ALLOW("mmap"),
	ALLOW("mmap2"),
	ALLOW("munmap"),
	ALLOW("mremap"),
	ALLOW("mprotect"),
	ALLOW("madvise"),
	ALLOW("mincore"),
	ALLOW("mlock"),
	ALLOW("mlock2"),
	ALLOW("munlock"),
	ALLOW("membarrier"),
	/* threads, but no processes. The flags of clone3 lie in memory where a filter cannot look;
	 * with ENOSYS the C library takes clone */
	ALLOW_IF("clone", MASKED(0, THREAD_BITS, THREAD_BITS)),
	{ .call = "clone3", .action = PMG_SECCOMP_ERRNO, .errnum = ENOSYS },
	ALLOW("futex"),
	ALLOW("futex_time64"),
	ALLOW("set_robust_list"),
	ALLOW("get_robust_list"),
	ALLOW("rseq"),
	ALLOW("set_tid_address"),
	ALLOW("arch_prctl"),
	ALLOW("sched_yield"),
	ALLOW("sched_getaffinity"),
	ALLOW("sched_getparam"),
	ALLOW("sched_getscheduler"),
	ALLOW("sched_get_priority_max"),
	ALLOW("sched_get_priority_min"),
	ALLOW_IF("prctl", IS(0, PR_SET_NAME)),
	ALLOW("exit"),
	ALLOW("exit_group"),
	/* signals, to itself */
	ALLOW("rt_sigaction"),
	ALLOW("rt_sigprocmask"),
	ALLOW("rt_sigreturn"),
	ALLOW("rt_sigpending"),
	ALLOW("rt_sigsuspend"),
	ALLOW("rt_sigtimedwait"),
	ALLOW("sigaltstack"),
	ALLOW("restart_syscall"),
	ALLOW_IF("tgkill", IS_SELF(0)),
	/* time, identity, chance */
	ALLOW("clock_gettime"),
	ALLOW("clock_gettime64"),
	ALLOW("clock_getres"),
	ALLOW("clock_getres_time64"),
	ALLOW("clock_nanosleep"),
	ALLOW("clock_nanosleep_time64"),
	ALLOW("nanosleep"),
	ALLOW("gettimeofday"),
	ALLOW("time"),
	ALLOW("times"),
	ALLOW("getrandom"),
	ALLOW("getpid"),
	ALLOW("getppid"),
	ALLOW("gettid"),
	ALLOW("getuid"),
	ALLOW("geteuid"),
	ALLOW("getgid"),
	ALLOW("getegid"),
	ALLOW("uname"),
	ALLOW("sysinfo"),
	ALLOW("getrusage"),
	ALLOW("getrlimit"),
	ALLOW_IF("prlimit64", IS_NULL(2)), /* ask, not set */
	ALLOW("getcpu"),
	/* what only an attack would call */
	KILL("execve"),
	KILL("execveat"),
	KILL("process_vm_readv"),
	KILL("process_vm_writev"),
	KILL("userfaultfd"),
	KILL("bpf"),
#ifndef PMG_SANITIZE
	KILL("ptrace"),
#endif
};

/* mkdir() is only asked for folders that are there already, and Landlock grants no more. */
static const struct pmg_seccomp_rule writing[] = {
	ALLOW("unlink"), ALLOW("unlinkat"), ALLOW("rename"), ALLOW("renameat"), ALLOW("renameat2"),
	ALLOW("link"),   ALLOW("linkat"),   ALLOW("mkdir"),  ALLOW("mkdirat"),
};

/* No AF_UNIX: docker, D-Bus and agents listen there, and nscd is done without. Route netlink is
 * what getaddrinfo() asks for the host's own addresses. bind() is for that and for UDP: TCP is
 * refused by Landlock where it can, and by listen() in any case. */
static const struct pmg_seccomp_rule network[] = {
	ALLOW_IF("socket", IS(0, AF_INET), MASKED(1, SOCK_KIND, SOCK_STREAM)),
	ALLOW_IF("socket", IS(0, AF_INET), MASKED(1, SOCK_KIND, SOCK_DGRAM)),
	ALLOW_IF("socket", IS(0, AF_INET6), MASKED(1, SOCK_KIND, SOCK_STREAM)),
	ALLOW_IF("socket", IS(0, AF_INET6), MASKED(1, SOCK_KIND, SOCK_DGRAM)),
	ALLOW_IF("socket", IS(0, AF_NETLINK), IS(2, NETLINK_ROUTE)),
	ALLOW("socketpair"),
	ALLOW("connect"),
	ALLOW("accept"),
	ALLOW("accept4"),
	ALLOW("bind"),
	ALLOW("shutdown"),
	ALLOW("getsockname"),
	ALLOW("getpeername"),
	ALLOW("getsockopt"),
	ALLOW("setsockopt"),
	ALLOW("sendto"),
	ALLOW("sendmsg"),
	ALLOW("sendmmsg"),
	ALLOW("recvfrom"),
	ALLOW("recvmsg"),
	ALLOW("recvmmsg"),
};

static const struct pmg_seccomp_rule listening[] = {
	ALLOW("listen"),
};

const struct pmg_seccomp_table pmg_confine_always = TABLE(always);
const struct pmg_seccomp_table pmg_confine_writing = TABLE(writing);
const struct pmg_seccomp_table pmg_confine_network = TABLE(network);
const struct pmg_seccomp_table pmg_confine_listen = TABLE(listening);

#ifdef PMG_SANITIZE
/* LeakSanitizer stops all threads from a helper process that it traces them with. */
static const struct pmg_seccomp_rule sanitizer[] = {
	ALLOW_IF("clone", MASKED(0, (uint64_t)CLONE_THREAD, 0)),
	ALLOW("ptrace"),
	ALLOW("wait4"),
	ALLOW("getdents"),
	ALLOW_IF("prctl", IS(0, PR_SET_PTRACER)),
	ALLOW_IF("prctl", IS(0, PR_GET_DUMPABLE)),
	ALLOW_IF("prctl", IS(0, PR_SET_DUMPABLE)),
	ALLOW_IF("prctl", IS(0, PR_SET_PDEATHSIG)),
};

const struct pmg_seccomp_table pmg_confine_sanitizer = TABLE(sanitizer);
const char *const pmg_confine_sanitizer_paths[] = { "/proc", NULL };
const int pmg_confine_dumpable = 1;
#else
const struct pmg_seccomp_table pmg_confine_sanitizer = { 0 };
const char *const pmg_confine_sanitizer_paths[] = { NULL };
const int pmg_confine_dumpable = 0;
#endif
