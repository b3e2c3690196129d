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
 *   resolve.c  path of the caller -> the object
 *   act_*.c    handlers
 *   who.c      role, package, script, umask of the caller
 *   report.c   decision -> event
 */
#include <pthread.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "kernel/notify.h"
#include "kernel/seccomp.h"
#include "policy/policy.h"
#include "violation/event.h"

struct pmg_broker {
	const struct pmg_policy *policy;
	int listener;
	int proc;          /* our /proc (kernel/procfs.h) */
	int run_proc;      /* O_PATH of the run's own /proc: objects on it are judged by number */
	int wire;          /* to the front */
	int proxy;         /* to pmg-proxy; -1 */
	pid_t first;       /* thread group that init became: the manager */
	pid_t reaper;      /* pid 1 of the run, as seen by us */
	bool may_continue; /* the inner Landlock domain stands: calls in pure subtrees may go on */
	struct pmg_who_table *who;
	struct pmg_inodes *secrets; /* (device, inode) of denied files: hard links to them */
	pthread_rwlock_t moves;     /* write: rename, link; read: all else */
	pthread_mutex_t lock;       /* of events, who, ports */
	struct pmg_events events;
	uint8_t ports[65536 / 8]; /* bound by the tree on loopback, on behalf */
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
};
void pmg_answer_fail(struct pmg_answer *answer, int errnum);

typedef void (*pmg_handler)(struct pmg_request *request, struct pmg_answer *answer);

/* Which argument holds what; -1: none. */
struct pmg_call_row {
	const char *name; /* as in syscalls(2) */
	pmg_handler handle;
	signed char dirfd; /* -1: AT_FDCWD */
	signed char path;
	signed char dirfd2, path2;
	signed char flags;
	signed char mode;
	bool moves; /* takes the lock of moves for itself */
	int errnum; /* of calls that are refused whatever they ask */
	struct pmg_seccomp_cond cond[PMG_SECCOMP_CONDS]; /* trapped only so */
};
/** All rows; NULL name ends. Several rows may bear one name, with conditions that exclude each
 * other. */
const struct pmg_call_row *pmg_call_rows(void);
const struct pmg_call_row *pmg_call_find(const struct pmg_notify *call);
/** Rows as a filter: each NOTIFY. Caller frees v. */
struct pmg_seccomp_rule *pmg_call_filter(size_t *n);

/* --- resolve.c --- */

/* An object as the caller named it, held by descriptor: nothing it can change moves it. */
struct pmg_object {
	int fd; /* O_PATH of the object; -1: it does not exist, or the last part is to be made */
	int parent;     /* O_PATH of the folder it lies in; -1 for a descriptor of the caller's */
	char *name;     /* last component, "" with parent -1 */
	char *path;     /* canonical, of what is to be judged */
	struct stat st; /* of fd; st_mode 0 without */
	bool is_magic;  /* reached by /proc/PID/fd and the like: its object is what counts */
	bool wants_folder; /* the path ended in "/" */
};
void pmg_object_done(struct pmg_object *object);
PMG_DEFINE_AUTO_DONE(object, struct pmg_object, pmg_object_done);

#define PMG_RESOLVE_FOLLOW 1U /* follow the last link */
#define PMG_RESOLVE_MAKE   2U /* the last component may be missing */
#define PMG_RESOLVE_EMPTY  4U /* AT_EMPTY_PATH: "" means the descriptor itself */
/**
 * Resolve argument `path` relative to argument `dirfd`, as the caller would: its cwd, its
 * descriptors, /proc/self and /dev/fd as its own. At most 40 links.
 * @param[out] out  zeroed with descriptors -1 before
 * @return 0; -errno as the call would have failed (ENOENT, ENOTDIR, ELOOP, EACCES, ENAMETOOLONG,
 *         EFAULT); -EPERM with a refusal recorded: the memory of the caller cannot be read
 */
int pmg_resolve(struct pmg_request *request, int dirfd_arg, int path_arg, unsigned flags,
		struct pmg_object *out) PMG_MUST_CHECK;
/** The same for a text of ours and a descriptor of the caller's (AT_FDCWD: its cwd). */
int pmg_resolve_text(struct pmg_request *request, int dirfd, const char *path, unsigned flags,
		     struct pmg_object *out) PMG_MUST_CHECK;
/** What a descriptor of the caller's refers to: real duplicate (pidfd_getfd). @return fd or -errno
 */
int pmg_caller_fd(struct pmg_request *request, int fd) PMG_MUST_CHECK;

/* --- report.c --- */

/**
 * Ask the policy about an object and, when it says no, record it.
 * @return 0; -EACCES
 */
int pmg_judge_object(struct pmg_request *request, enum pmg_access access, enum pmg_event_op op,
		     const struct pmg_object *object) PMG_MUST_CHECK;
/** Record a refusal; rule NULL: none allows it. target is copied. */
void pmg_refuse(struct pmg_request *request, int code, enum pmg_event_op op,
		const struct pmg_policy_rule *rule, const char *target);

/* --- who.c --- */

struct pmg_who_table *pmg_who_table_new(int proc, pid_t first) PMG_MUST_CHECK;
void pmg_who_table_free(struct pmg_who_table *table);
/** Find the caller, or learn of it: by parent and (first execve) environment. */
int pmg_who_find(struct pmg_broker *broker, pid_t tid, struct pmg_who *out);
/** An execve is about to go on: package and script are fixed with the first one of a process. */
void pmg_who_exec(struct pmg_broker *broker, const struct pmg_who *who, const char *program);
void pmg_who_umask(struct pmg_broker *broker, const struct pmg_who *who, unsigned umask);
/** Package, script, how_known and chain into an event. */
void pmg_who_fill(struct pmg_broker *broker, const struct pmg_who *who, struct pmg_event *event);

/* --- handlers (act_*.c) --- */
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

/* --- loop.c --- */
/** Serve until nobody is left or stop_fd is readable. Starts its second thread. */
int pmg_broker_serve(struct pmg_broker *broker, int stop_fd, struct pmg_err *err) PMG_MUST_CHECK;
/** Send events that are new or counted since. */
void pmg_broker_flush(struct pmg_broker *broker);

#endif
