#include "sandbox/filter_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "base/mem.h"

/* int arguments: the kernel looks at 32 bits, so must the filter. */
#define IS(n, v)                                                                                   \
	{                                                                                          \
		.kind = PMG_SECCOMP_IS, .arg = (n), .mask = UINT32_MAX, .value = (v)               \
	}
#define KIND(v)                                                                                    \
	{                                                                                          \
		.kind = PMG_SECCOMP_IS, .arg = 1, .mask = 0xf, .value = (v)                        \
	}
#define BITS(n, v)                                                                                 \
	{                                                                                          \
		.kind = PMG_SECCOMP_IS, .arg = (n), .mask = (v), .value = (v)                      \
	}
#define ALLOW(name)                                                                                \
	{                                                                                          \
		.call = name, .action = PMG_SECCOMP_ALLOW                                          \
	}
#define ALLOW_IF(name, ...)                                                                        \
	{                                                                                          \
		.call = name, .action = PMG_SECCOMP_ALLOW, .cond = { __VA_ARGS__ }                 \
	}
#define INET(family, kind, protocol) ALLOW_IF("socket", IS(0, family), KIND(kind), IS(2, protocol))
#define PRCTL(option)                ALLOW_IF("prctl", IS(0, option))

/* Newer than some headers; numbers are of <linux/prctl.h>. */
#define IOPRIO_PROCESS    1 /* <linux/ioprio.h> */
#define SET_MDWE          65
#define GET_MDWE          66
#define SET_MEMORY_MERGE  67
#define GET_MEMORY_MERGE  68
#define SET_VMA           0x53564d41
#define GET_AUXV          0x41555856
#define SET_PTRACER_YAMA  0x59616d61
#define PERSONALITY_ASK   0xffffffffU
#define PERSONALITY_UNAME 0x20000U /* UNAME26 */
#define PERSONALITY_FIXED 0x40000U /* ADDR_NO_RANDOMIZE: debuggers, emacs, some build steps */

static const struct pmg_seccomp_rule first[] = {
	/* Opens no content. */
	ALLOW_IF("open", BITS(1, O_PATH)),
	ALLOW_IF("openat", BITS(2, O_PATH)),
	/* No MPTCP, SCTP, raw and ping sockets: what leaves must leave by the proxy's listeners,
	 * and Landlock's ports know TCP alone. AF_UNIX datagrams would be sent to a path that
	 * nobody asks about with connect(2): in pairs only. */
	ALLOW_IF("socket", IS(0, AF_UNIX), KIND(SOCK_STREAM)),
	ALLOW_IF("socket", IS(0, AF_UNIX), KIND(SOCK_SEQPACKET)),
	INET(AF_INET, SOCK_STREAM, 0),
	INET(AF_INET, SOCK_STREAM, IPPROTO_TCP),
	INET(AF_INET, SOCK_DGRAM, 0),
	INET(AF_INET, SOCK_DGRAM, IPPROTO_UDP),
	INET(AF_INET6, SOCK_STREAM, 0),
	INET(AF_INET6, SOCK_STREAM, IPPROTO_TCP),
	INET(AF_INET6, SOCK_DGRAM, 0),
	INET(AF_INET6, SOCK_DGRAM, IPPROTO_UDP),
	/* getaddrinfo() and os.networkInterfaces() ask it */
	ALLOW_IF("socket", IS(0, AF_NETLINK), KIND(SOCK_RAW), IS(2, NETLINK_ROUTE)),
	ALLOW_IF("socket", IS(0, AF_NETLINK), KIND(SOCK_DGRAM), IS(2, NETLINK_ROUTE)),
	ALLOW_IF("socketpair", IS(0, AF_UNIX), KIND(SOCK_STREAM)),
	ALLOW_IF("socketpair", IS(0, AF_UNIX), KIND(SOCK_SEQPACKET)),
	/* Of processes. Those of a group or a user are not all of the run: the user's shell is in
	 * the same group. */
	ALLOW_IF("setpriority", IS(0, PRIO_PROCESS)),
	{ .call = "setpriority", .action = PMG_SECCOMP_ERRNO, .errnum = EPERM },
	ALLOW_IF("ioprio_set", IS(0, IOPRIO_PROCESS)),
	{ .call = "ioprio_set", .action = PMG_SECCOMP_ERRNO, .errnum = EPERM },
	ALLOW_IF("personality", IS(0, PERSONALITY_ASK)),
	ALLOW_IF("personality", IS(0, 0)),
	ALLOW_IF("personality", IS(0, PERSONALITY_UNAME)),
	ALLOW_IF("personality", IS(0, PERSONALITY_FIXED)),
	/* Of the process itself. Not PR_SET_MM, which forges /proc/self/exe; an option that is not
	 * here is EINVAL, as one that the kernel does not know. */
	PRCTL(PR_SET_PDEATHSIG),
	PRCTL(PR_GET_PDEATHSIG),
	PRCTL(PR_GET_DUMPABLE),
	PRCTL(PR_SET_DUMPABLE),
	PRCTL(PR_GET_KEEPCAPS),
	PRCTL(PR_SET_KEEPCAPS),
	PRCTL(PR_GET_TIMING),
	PRCTL(PR_SET_NAME),
	PRCTL(PR_GET_NAME),
	PRCTL(PR_GET_SECCOMP),
	PRCTL(PR_SET_SECCOMP), /* filters of its own go on top of ours */
	PRCTL(PR_CAPBSET_READ),
	PRCTL(PR_CAPBSET_DROP),
	PRCTL(PR_GET_TSC),
	PRCTL(PR_GET_SECUREBITS),
	PRCTL(PR_SET_TIMERSLACK),
	PRCTL(PR_GET_TIMERSLACK),
	PRCTL(PR_MCE_KILL),
	PRCTL(PR_MCE_KILL_GET),
	PRCTL(PR_SET_CHILD_SUBREAPER),
	PRCTL(PR_GET_CHILD_SUBREAPER),
	PRCTL(PR_SET_NO_NEW_PRIVS),
	PRCTL(PR_GET_NO_NEW_PRIVS),
	PRCTL(PR_GET_TID_ADDRESS),
	PRCTL(PR_SET_THP_DISABLE),
	PRCTL(PR_GET_THP_DISABLE),
	PRCTL(PR_CAP_AMBIENT),
	PRCTL(PR_SVE_SET_VL),
	PRCTL(PR_SVE_GET_VL),
	PRCTL(PR_GET_SPECULATION_CTRL),
	PRCTL(PR_SET_SPECULATION_CTRL),
	PRCTL(PR_PAC_RESET_KEYS),
	PRCTL(PR_SET_TAGGED_ADDR_CTRL),
	PRCTL(PR_GET_TAGGED_ADDR_CTRL),
	PRCTL(SET_MDWE),
	PRCTL(GET_MDWE),
	PRCTL(SET_MEMORY_MERGE),
	PRCTL(GET_MEMORY_MERGE),
	PRCTL(SET_VMA),
	PRCTL(GET_AUXV),
	PRCTL(SET_PTRACER_YAMA),
	{ .call = "prctl", .action = PMG_SECCOMP_ERRNO, .errnum = EINVAL },
};

/* Whatever they ask. What opens, makes, moves, names or starts is not here: it is trapped. Nor are:
 * clone3, whose flags lie in memory where a filter cannot look (with ENOSYS the C library takes
 * clone); landlock_*, which calls done on behalf would not heed, so that a program would believe
 * itself locked in; io_submit, modify_ldt, kcmp, name_to_handle_at, memfd_secret, which nobody
 * needs; and all that is newer than this list. */
static const struct pmg_seccomp_rule always[] = {
	/* descriptors */
	ALLOW("read"),
	ALLOW("readv"),
	ALLOW("pread64"),
	ALLOW("preadv"),
	ALLOW("preadv2"),
	ALLOW("write"),
	ALLOW("writev"),
	ALLOW("pwrite64"),
	ALLOW("pwritev"),
	ALLOW("pwritev2"),
	ALLOW("lseek"),
	ALLOW("close"),
	ALLOW("close_range"),
	ALLOW("dup"),
	ALLOW("dup2"),
	ALLOW("dup3"),
	ALLOW("fcntl"),
	ALLOW("flock"),
	ALLOW("fsync"),
	ALLOW("fdatasync"),
	ALLOW("sync"),
	ALLOW("syncfs"),
	ALLOW("sync_file_range"),
	ALLOW("ftruncate"),
	ALLOW("fallocate"),
	ALLOW("fadvise64"),
	ALLOW("readahead"),
	ALLOW("sendfile"),
	ALLOW("splice"),
	ALLOW("tee"),
	ALLOW("vmsplice"),
	ALLOW("copy_file_range"),
	ALLOW("pipe"),
	ALLOW("pipe2"),
	ALLOW("eventfd"),
	ALLOW("eventfd2"),
	ALLOW("timerfd_create"),
	ALLOW("timerfd_settime"),
	ALLOW("timerfd_gettime"),
	ALLOW("signalfd"),
	ALLOW("signalfd4"),
	ALLOW("ioctl"), /* but what sandbox/surface.c has */
	ALLOW("inotify_init"),
	ALLOW("inotify_init1"),
	ALLOW("inotify_add_watch"),
	ALLOW("inotify_rm_watch"),
	/* waiting */
	ALLOW("poll"),
	ALLOW("ppoll"),
	ALLOW("select"),
	ALLOW("pselect6"),
	ALLOW("epoll_create"),
	ALLOW("epoll_create1"),
	ALLOW("epoll_ctl"),
	ALLOW("epoll_wait"),
	ALLOW("epoll_pwait"),
	ALLOW("epoll_pwait2"),
	/* names and metadata, no content */
	ALLOW("stat"),
	ALLOW("fstat"),
	ALLOW("lstat"),
	ALLOW("newfstatat"),
	ALLOW("statx"),
	ALLOW("statfs"),
	ALLOW("fstatfs"),
	ALLOW("access"),
	ALLOW("faccessat"),
	ALLOW("faccessat2"),
	ALLOW("readlink"),
	ALLOW("readlinkat"),
	ALLOW("getdents"),
	ALLOW("getdents64"),
	ALLOW("getcwd"),
	ALLOW("chdir"),
	ALLOW("fchdir"),
	ALLOW("getxattr"),
	ALLOW("lgetxattr"),
	ALLOW("fgetxattr"),
	ALLOW("listxattr"),
	ALLOW("llistxattr"),
	ALLOW("flistxattr"),
	/* sockets */
	ALLOW("listen"),
	ALLOW("accept"),
	ALLOW("accept4"),
	ALLOW("shutdown"),
	ALLOW("getsockname"),
	ALLOW("getpeername"),
	ALLOW("getsockopt"),
	ALLOW("setsockopt"),
	ALLOW("sendto"), /* these three where the broker traps only some forms of them */
	ALLOW("sendmsg"),
	ALLOW("sendmmsg"),
	ALLOW("recvfrom"),
	ALLOW("recvmsg"),
	ALLOW("recvmmsg"),
	/* memory */
	ALLOW("brk"),
	ALLOW("mmap"),
	ALLOW("munmap"),
	ALLOW("mremap"),
	ALLOW("mprotect"),
	ALLOW("pkey_mprotect"),
	ALLOW("pkey_alloc"),
	ALLOW("pkey_free"),
	ALLOW("madvise"),
	ALLOW("mincore"),
	ALLOW("msync"),
	ALLOW("mlock"),
	ALLOW("mlock2"),
	ALLOW("munlock"),
	ALLOW("mlockall"),
	ALLOW("munlockall"),
	ALLOW("membarrier"),
	ALLOW("mbind"),
	ALLOW("get_mempolicy"),
	ALLOW("set_mempolicy"),
	/* IPC, in a namespace of the run's own */
	ALLOW("shmget"),
	ALLOW("shmat"),
	ALLOW("shmdt"),
	ALLOW("shmctl"),
	ALLOW("semget"),
	ALLOW("semop"),
	ALLOW("semtimedop"),
	ALLOW("semctl"),
	ALLOW("msgget"),
	ALLOW("msgsnd"),
	ALLOW("msgrcv"),
	ALLOW("msgctl"),
	ALLOW("mq_open"),
	ALLOW("mq_unlink"),
	ALLOW("mq_timedsend"),
	ALLOW("mq_timedreceive"),
	ALLOW("mq_notify"),
	ALLOW("mq_getsetattr"),
	/* processes and threads */
	ALLOW("fork"),
	ALLOW("vfork"),
	ALLOW("clone"), /* but into new namespaces: sandbox/surface.c */
	ALLOW("unshare"),
	ALLOW("wait4"),
	ALLOW("waitid"),
	ALLOW("exit"),
	ALLOW("exit_group"),
	ALLOW("futex"),
	ALLOW("futex_waitv"),
	ALLOW("set_robust_list"),
	ALLOW("get_robust_list"),
	ALLOW("rseq"),
	ALLOW("set_tid_address"),
	ALLOW("set_thread_area"),
	ALLOW("get_thread_area"),
	ALLOW("arch_prctl"),
	ALLOW("riscv_flush_icache"),
	ALLOW("riscv_hwprobe"),
	ALLOW("sched_yield"),
	ALLOW("sched_getaffinity"),
	ALLOW("sched_setaffinity"),
	ALLOW("sched_getparam"),
	ALLOW("sched_setparam"),
	ALLOW("sched_getscheduler"),
	ALLOW("sched_setscheduler"),
	ALLOW("sched_getattr"),
	ALLOW("sched_setattr"),
	ALLOW("sched_get_priority_max"),
	ALLOW("sched_get_priority_min"),
	ALLOW("sched_rr_get_interval"),
	ALLOW("getpriority"),
	ALLOW("ioprio_get"),
	ALLOW("getrlimit"),
	ALLOW("setrlimit"),
	ALLOW("prlimit64"),
	ALLOW("getrusage"),
	ALLOW("pidfd_open"),
	ALLOW("pidfd_send_signal"),
	ALLOW("seccomp"), /* filters of its own go on top of ours; a listener is EBUSY */
	/* signals: none leaves the pid namespace */
	ALLOW("kill"),
	ALLOW("tkill"),
	ALLOW("tgkill"),
	ALLOW("rt_sigaction"),
	ALLOW("rt_sigprocmask"),
	ALLOW("rt_sigreturn"),
	ALLOW("rt_sigpending"),
	ALLOW("rt_sigsuspend"),
	ALLOW("rt_sigtimedwait"),
	ALLOW("rt_sigqueueinfo"),
	ALLOW("rt_tgsigqueueinfo"),
	ALLOW("sigaltstack"),
	ALLOW("pause"),
	ALLOW("restart_syscall"),
	/* time */
	ALLOW("alarm"),
	ALLOW("getitimer"),
	ALLOW("setitimer"),
	ALLOW("timer_create"),
	ALLOW("timer_settime"),
	ALLOW("timer_gettime"),
	ALLOW("timer_getoverrun"),
	ALLOW("timer_delete"),
	ALLOW("clock_gettime"),
	ALLOW("clock_getres"),
	ALLOW("clock_nanosleep"),
	ALLOW("nanosleep"),
	ALLOW("gettimeofday"),
	ALLOW("time"),
	ALLOW("times"),
	/* identity */
	ALLOW("getpid"),
	ALLOW("getppid"),
	ALLOW("gettid"),
	ALLOW("getuid"),
	ALLOW("geteuid"),
	ALLOW("getresuid"),
	ALLOW("getgid"),
	ALLOW("getegid"),
	ALLOW("getresgid"),
	ALLOW("getgroups"),
	ALLOW("setuid"),
	ALLOW("setgid"),
	ALLOW("setreuid"),
	ALLOW("setregid"),
	ALLOW("setresuid"),
	ALLOW("setresgid"),
	ALLOW("setgroups"),
	ALLOW("setfsuid"),
	ALLOW("setfsgid"),
	ALLOW("capget"),
	ALLOW("capset"),
	ALLOW("getpgrp"),
	ALLOW("getpgid"),
	ALLOW("setpgid"),
	ALLOW("getsid"),
	ALLOW("setsid"),
	ALLOW("uname"),
	ALLOW("sysinfo"),
	ALLOW("getcpu"),
	ALLOW("getrandom"),
};

#define TABLE(rows)                                                                                \
	{                                                                                          \
		.rules = (rows), .n = PMG_ARRAY_LEN(rows)                                          \
	}

const struct pmg_seccomp_table pmg_filter_first = TABLE(first);
const struct pmg_seccomp_table pmg_filter_always = TABLE(always);
