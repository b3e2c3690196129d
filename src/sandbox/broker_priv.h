#ifndef PMG_SANDBOX_BROKER_PRIV_H
#define PMG_SANDBOX_BROKER_PRIV_H
/**
 * The broker: holder of the listener. It runs in the run's user, mount and
 * network namespaces, outside its pid namespace and filter, under the outer
 * Landlock domain and with the tool's capabilities, so that a wrong decision
 * or a hostile argument cannot exceed the allow-list. It resolves each trapped
 * call once, asks the policy, and refuses, lets go on, or does the call itself.
 *
 *   loop.c     receives, finds the row, answers; two threads, renames exclude all
 *   calls.c    the table: system call -> handler, and what the filter traps
 *   surface.c  the same of calls that are refused whatever they ask
 *   resolve.c  path of the caller -> the object; walk.c: by hand, where /proc and links need it
 *              (resolve_priv.h); hidden.c: what was not found because it is hidden
 *   act_*.c    handlers; of the network with endpoint.c (net_priv.h), of devices with device.c
 *   wait.c     threads for what may keep us waiting
 *   verdicts.c asks pmg-proxy of the package whose script begins (verdicts_priv.h)
 *   who.c      role, package, script, umask of the caller (who_priv.h)
 *   report.c   decision -> event
 */
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "kernel/notify.h"
#include "kernel/seccomp.h"
#include "policy/policy.h"
#include "violation/event.h"

#define PMG_PTYS_MAX 4096U

/* Codes of refusals; docs/codes/ has a page each. */
#define PMG_CODE_READ       2001
#define PMG_CODE_WRITE      2002
#define PMG_CODE_EXEC       2007
#define PMG_CODE_NET        2009
#define PMG_CODE_TREE       2012 /* delete, rename, link */
#define PMG_CODE_UNIX       2013
#define PMG_CODE_BIND       2014
#define PMG_CODE_PROCESS    2015
#define PMG_CODE_KERNEL     2016
#define PMG_CODE_METADATA   2017
#define PMG_CODE_UNREADABLE 2018

struct pmg_broker {
	const struct pmg_policy *policy;
	int listener;
	int proc;       /* our /proc (kernel/procfs.h) */
	int run_proc;   /* O_PATH of the run's own /proc: objects on it are judged by number */
	int fds;        /* O_PATH of our own /proc/self/fd; loop.c opens it */
	dev_t proc_dev; /* of run_proc; loop.c asks for it */
	int wire;       /* to the front */
	int proxy;      /* to pmg-proxy; -1 */
	pid_t first;    /* thread group that init became: the manager */
	pid_t reaper;   /* pid 1 of the run, as seen by us */
	struct pmg_who_table *who;
	struct pmg_calls *calls;       /* loop.c */
	struct pmg_verdicts *verdicts; /* loop.c; on packages whose scripts begin */
	/* (device, inode) of denied files, for hard links to them; and of those that only scripts
	 * may not read */
	struct pmg_inodes *secrets, *script_secrets;
	dev_t hidden_dev;       /* of what lies over folders that are hidden; 0: none */
	pthread_rwlock_t moves; /* write: rename, link; read: all else */
	pthread_mutex_t lock;   /* of events, told, ports, abstracts */
	struct pmg_events events;
	uint64_t told[PMG_EVENTS_MAX];  /* how often the front was told of each */
	uint8_t ports[65536 / 8];       /* bound by the tree on loopback, on behalf */
	uint8_t ptys[PMG_PTYS_MAX / 8]; /* pseudo terminals that the tree has made; atomic */
	unsigned waiting;               /* calls that wait in threads of their own; atomic */
	struct pmg_strv abstracts;      /* abstract sockets that the tree has bound: "unix @name" */
};

/* Who calls. Copied out of the table: no pointer into it leaves the lock. */
struct pmg_who {
	pid_t tid, tgid;
	enum pmg_role role;
	unsigned umask;
	unsigned id; /* of its entry, for pmg_who_*() */
};

/* One trapped call. */
struct pmg_request {
	struct pmg_broker *broker;
	struct pmg_notify call;
	struct pmg_who who;
	const struct pmg_call_row *row;
};

enum pmg_answer_kind {
	PMG_ANSWER_FAIL,
	PMG_ANSWER_CONTINUE,
	PMG_ANSWER_RETURN,
	PMG_ANSWER_FD,
	PMG_ANSWER_GIVEN /* the handler has answered, or the caller is gone */
};
struct pmg_answer {
	enum pmg_answer_kind kind; /* zeroed: FAIL with errnum 0, which the loop makes EPERM */
	int errnum;
	int64_t value;
	int fd; /* ours; the loop puts it in and closes it */
	bool cloexec;
	bool may_linger; /* the caller may go on before ours is closed */
};
void pmg_answer_fail(struct pmg_answer *answer, int errnum);

typedef void (*pmg_handler)(struct pmg_request *request, struct pmg_answer *answer);

#define PMG_TIMES_NANO  0 /* struct timespec[2] */
#define PMG_TIMES_MICRO 1 /* struct timeval[2] */
#define PMG_TIMES_WHOLE 2 /* struct utimbuf */

/* Which argument holds what; -1: none. */
struct pmg_call_row {
	const char *name; /* as in syscalls(2) */
	pmg_handler handle;
	signed char dirfd; /* -1: AT_FDCWD */
	signed char path;
	signed char dirfd2, path2;
	signed char flags;
	signed char mode;
	int fixed;  /* flags of a call that has no argument for them; of times: PMG_TIMES_* */
	bool moves; /* takes the lock of moves for itself */
	int errnum; /* of calls that are refused whatever they ask */
	struct pmg_seccomp_cond cond[PMG_SECCOMP_CONDS]; /* trapped only so */
};
/** Rows that are decided by what they ask; NULL name ends. Several rows may bear one name, with
 * conditions that exclude each other. */
const struct pmg_call_row *pmg_call_rows(void);
/* surface.c: rows that are refused whatever they ask. The last one, without a name of a call
 * ("foreign"), stands for all calls of another architecture. */
const struct pmg_call_row *pmg_surface_rows(void);

struct pmg_calls; /* rows of both, by number */
struct pmg_calls *pmg_calls_new(void) PMG_MUST_CHECK;
void pmg_calls_free(struct pmg_calls *calls);
PMG_DEFINE_AUTO(calls, struct pmg_calls *, pmg_calls_free);
/** @return NULL: none */
const struct pmg_call_row *pmg_calls_find(const struct pmg_calls *calls,
					  const struct pmg_notify *call);
/** Rows of both as a filter: each NOTIFY. Caller frees v. */
struct pmg_seccomp_rule *pmg_call_filter(size_t *n) PMG_MUST_CHECK;

/* resolve.c */

/* An object as the caller named it, held by descriptor: nothing it can change moves it. Large;
 * lives on the stack of one handler. */
struct pmg_object {
	int fd; /* O_PATH of the object, or (held) a duplicate of the caller's descriptor; -1: it
		 * does not exist, or the last part is to be made */
	int parent;        /* O_PATH of the folder in which name lies; -1 where fd is what counts */
	unsigned held;     /* PMG_HELD_*: the caller has this object open already, and how */
	bool is_magic;     /* reached by a descriptor or by /proc/PID/fd and the like */
	bool is_own_proc;  /* on /proc, and of the caller's own thread group */
	bool wants_folder; /* the path ended in "/": name then does as well */
	bool is_dots;      /* name is ".", ".." or "/": nothing can be made or removed there, and
			    * the call itself will say so */
	struct stat st;    /* of fd; st_mode 0 without */
	char name[NAME_MAX + 3];            /* last component, "" with parent -1 */
	char path[PATH_MAX + NAME_MAX + 3]; /* canonical, of what is to be judged; without "/" in
					     * front: no path ("pipe:[1]") */
};
#define PMG_OBJECT_INIT                                                                            \
	{                                                                                          \
		.fd = -1, .parent = -1                                                             \
	}
#define PMG_HELD_READ  1U
#define PMG_HELD_WRITE 2U
void pmg_object_done(struct pmg_object *object);
PMG_DEFINE_AUTO_DONE(object, struct pmg_object, pmg_object_done);

#define PMG_RESOLVE_FOLLOW 1U /* follow the last link */
#define PMG_RESOLVE_MAKE   2U /* the last component may be missing */
#define PMG_RESOLVE_EMPTY  4U /* AT_EMPTY_PATH: "" means the descriptor itself */
#define PMG_RESOLVE_PARENT 8U /* only the folder and the name: what lies there is not looked at */
/**
 * Resolve argument `path` relative to argument `dirfd`, as the caller would: its cwd, its
 * descriptors, /proc/self and /dev/fd as its own. At most 40 links.
 * @param[out] out  PMG_OBJECT_INIT before
 * @return 0; -errno as the call would have failed (ENOENT, ENOTDIR, ELOOP, EACCES, ENAMETOOLONG,
 *         EFAULT); -EPERM with a refusal recorded: the memory of the caller cannot be read
 */
int pmg_resolve(struct pmg_request *request, int dirfd_arg, int path_arg, unsigned flags,
		struct pmg_object *out) PMG_MUST_CHECK;
/** The same for a text of ours and a descriptor of the caller's (AT_FDCWD: its cwd). */
int pmg_resolve_text(struct pmg_request *request, int dirfd, const char *path, unsigned flags,
		     struct pmg_object *out) PMG_MUST_CHECK;
/** Does the kernel say, of a path without dots, that something of this name is there? Only to
 * answer EEXIST with: nothing is held. @return false: no, or it takes pmg_resolve_text() to know */
bool pmg_resolve_is_there(struct pmg_request *request, int dirfd, const char *path);
/** The same as openat2(2) with resolve flags has it; by the kernel alone, so no /proc/self in it.
 */
int pmg_resolve_how(struct pmg_request *request, int dirfd, const char *path, unsigned flags,
		    uint64_t resolve, struct pmg_object *out) PMG_MUST_CHECK;
/** The object of an open descriptor of the caller's, as fchmod(2) means it. @return 0 or -errno */
int pmg_resolve_fd(struct pmg_request *request, int fd, struct pmg_object *out) PMG_MUST_CHECK;
/** Text argument into out[PATH_MAX]. @return 0; -EFAULT, -ENAMETOOLONG; -EPERM, recorded */
int pmg_read_path(struct pmg_request *request, int path_arg, char *out) PMG_MUST_CHECK;
/** Argument that is a descriptor; -1: AT_FDCWD. */
int pmg_arg_fd(const struct pmg_request *request, int arg);
/** What a descriptor of the caller's refers to: real duplicate (pidfd_getfd). @return fd or -errno
 */
int pmg_caller_fd(struct pmg_request *request, int fd) PMG_MUST_CHECK;

/** Path of a descriptor of ours, as it is now. @return length or -errno */
ssize_t pmg_own_path(struct pmg_broker *broker, int fd, char *out, size_t size) PMG_MUST_CHECK;
/** Open again what a descriptor of ours refers to. @return fd, close-on-exec, or -errno */
int pmg_reopen(struct pmg_broker *broker, int fd, int flags) PMG_MUST_CHECK;
/** fd is set: fill st, path and what follows from them. @return 0 or -errno */
int pmg_object_fill(struct pmg_request *request, struct pmg_object *out) PMG_MUST_CHECK;

/* walk.c */
/** Resolve component by component; base -1 for an absolute text. As pmg_resolve_text(). */
int pmg_walk(struct pmg_request *request, int base, const char *path, unsigned flags,
	     struct pmg_object *out) PMG_MUST_CHECK;
/** Does the number in "/proc/NUMBER/..." belong to the caller's thread group? */
bool pmg_proc_is_own(struct pmg_request *request, const char *path);

/* report.c */

/** May this be done to this path? Nothing is recorded. */
bool pmg_may(const struct pmg_request *request, enum pmg_access access, const char *path);

/** Is it, by a name of its own, a file that the caller may not read by another one? */
bool pmg_is_secret(const struct pmg_request *request, const struct stat *st);

/**
 * Ask the policy about an object and, when it says no, record it.
 * @return 0; -EACCES
 */
int pmg_judge_object(struct pmg_request *request, enum pmg_access access, enum pmg_event_op op,
		     const struct pmg_object *object) PMG_MUST_CHECK;
/** Record a refusal; rule NULL: none allows it. target is copied. */
void pmg_refuse(struct pmg_request *request, int code, enum pmg_event_op op,
		const struct pmg_policy_rule *rule, const char *target);
/** Record that a package may not run: no rule lets it. All texts are copied. */
void pmg_refuse_listed(struct pmg_request *request, const char *package, const char *why,
		       const char *program);
/** A name was to be made or removed, which the policy allows, with this result: say that the kernel
 *  refused where it has no rights for names (pmg_policy_can_name()). @return result */
int pmg_mind_names(struct pmg_request *request, enum pmg_event_op op,
		   const struct pmg_object *place, int result) PMG_MUST_CHECK;
/** Record what no rule can allow: no allowance is suggested. */
void pmg_refuse_always(struct pmg_request *request, int code, enum pmg_event_op op,
		       const char *target);

/* who.c, who_table.c */
/* The table has a lock of its own: these may be called with or without that of the broker. */

struct pmg_who_table *pmg_who_table_new(int proc, pid_t first) PMG_MUST_CHECK;
/** The first thread group is a script from the beginning (policy: runs_code). */
void pmg_who_table_runs_code(struct pmg_who_table *table);
void pmg_who_table_free(struct pmg_who_table *table);
/**
 * Find the caller, or learn of it: by its parent. pmg_notify_is_valid() afterwards says whether it
 * was the caller that had this number all the time.
 * @return 0; -ESRCH: it is gone
 */
int pmg_who_find(struct pmg_broker *broker, pid_t tid, struct pmg_who *out) PMG_MUST_CHECK;
/* An execve as its arguments have it. */
struct pmg_who_start {
	const char *program; /* canonical path */
	const char *called;  /* path as it was asked for; NULL: not known */
	uint64_t argv, envp; /* in the caller's memory */
};
/** An execve is about to go on: package and script are fixed with the first one of a process. */
void pmg_who_exec(struct pmg_broker *broker, const struct pmg_who *who,
		  const struct pmg_who_start *start);
void pmg_who_umask(struct pmg_broker *broker, const struct pmg_who *who, unsigned umask);
/** Does it run a package manager of this machine, beside the one that was started? */
bool pmg_who_is_tool(struct pmg_broker *broker, const struct pmg_who *who);
/** Does it run for a script of the project itself, as far as was seen? */
bool pmg_who_is_own(struct pmg_broker *broker, const struct pmg_who *who);
/**
 * Whose script is this process? Neither the manager nor its parts, and nothing of the project's
 * own, have one.
 * @param[out] package  "name@version" or "name", caller frees; NULL: a script that nothing is known
 * of
 * @param[out] called  the same as its package.json calls it, caller frees; NULL: it is no other
 * @return false: it is no script
 */
bool pmg_who_package(struct pmg_broker *broker, const struct pmg_who *who, char **package,
		     char **called);
/** Package, script, how_known and chain into an event. */
void pmg_who_fill(struct pmg_broker *broker, const struct pmg_who *who, struct pmg_event *event);

/* Of files that are made or changed by the run: none of it is to run as somebody else, least of all
 * as root, when the run is over. Of folders they mean something else. */
#define PMG_SET_ID_BITS 06000U

/* Handlers: act_*.c */
void pmg_act_open(struct pmg_request *request, struct pmg_answer *answer); /* act_open.c */
void pmg_act_openat2(struct pmg_request *request, struct pmg_answer *answer);
void pmg_act_creat(struct pmg_request *request, struct pmg_answer *answer);
void pmg_act_truncate(struct pmg_request *request, struct pmg_answer *answer);
void pmg_act_mkdir(struct pmg_request *request, struct pmg_answer *answer); /* act_tree.c */
void pmg_act_mknod(struct pmg_request *request, struct pmg_answer *answer);
void pmg_act_symlink(struct pmg_request *request, struct pmg_answer *answer);
void pmg_act_unlink(struct pmg_request *request, struct pmg_answer *answer);
void pmg_act_rename(struct pmg_request *request, struct pmg_answer *answer); /* act_move.c */
void pmg_act_link(struct pmg_request *request, struct pmg_answer *answer);
void pmg_act_chmod(struct pmg_request *request, struct pmg_answer *answer); /* act_meta.c */
void pmg_act_chown(struct pmg_request *request, struct pmg_answer *answer);
void pmg_act_utime(struct pmg_request *request, struct pmg_answer *answer);
void pmg_act_xattr(struct pmg_request *request, struct pmg_answer *answer);
void pmg_act_umask(struct pmg_request *request, struct pmg_answer *answer);
void pmg_act_exec(struct pmg_request *request, struct pmg_answer *answer);    /* act_exec.c */
void pmg_act_connect(struct pmg_request *request, struct pmg_answer *answer); /* act_net.c */
void pmg_act_send(struct pmg_request *request, struct pmg_answer *answer);
void pmg_act_bind(struct pmg_request *request, struct pmg_answer *answer);
void pmg_act_surface(struct pmg_request *request, struct pmg_answer *answer); /* act_surface.c:
       refused whatever it asks (row->errnum), recorded */

/* wait.c */
/** Open again what may keep us waiting (FIFO, device), in a thread of its own that ends when the
 *  caller is gone or has a signal to handle; it answers. */
void pmg_wait_open(struct pmg_request *request, int fd, int flags, struct pmg_answer *answer);

/** Start a thread, as long as there are not too many, for what may keep us waiting; it answers the
 *  call itself, and says pmg_wait_end() as the last. @return 0; -ENFILE, -EAGAIN: there is none */
int pmg_wait_start(struct pmg_broker *broker, void *(*body)(void *arg), void *arg) PMG_MUST_CHECK;
void pmg_wait_end(struct pmg_broker *broker);
/** In such a thread: repeat `call` for as long as it ends with -EINTR, which it does often, and the
 *  caller is there and has no signal to handle. @return what call does, or as after a signal */
int pmg_wait_patiently(struct pmg_broker *broker, uint64_t id, pid_t tid, int (*call)(void *arg),
		       void *arg) PMG_MUST_CHECK;

/* loop.c */
/** What this file keeps in the broker (fds, proc_dev, calls); pmg_broker_serve() does it itself.
 * Other fields are the caller's; a lock that is all zero is a lock. @return 0 or -PMG_E_SYS */
int pmg_broker_begin(struct pmg_broker *broker, struct pmg_err *err) PMG_MUST_CHECK;
void pmg_broker_done(struct pmg_broker *broker);
/** Serve until nobody is left or stop_fd is readable. Starts its second thread. */
int pmg_broker_serve(struct pmg_broker *broker, int stop_fd, struct pmg_err *err) PMG_MUST_CHECK;
/** Send events that were counted since they were told: what is sent has the count since then, so
 *  that whoever adds them up has them all. */
void pmg_broker_flush(struct pmg_broker *broker);

#endif
