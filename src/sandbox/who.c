/*
 * Two ways of forging who one is stand against this table:
 *
 * - Numbers are used again. A thread that has the number of one that ended must not be taken for
 *   it, least of all for the manager: each process is held by a pidfd, which says for as long as
 *   it is open whether that process is there, and tgkill() says whether the thread is one of it.
 * - Parents can be chosen (CLONE_PARENT makes a sister, an orphan goes to pid 1). Only one thread
 *   group has the manager's role by itself: the one that the broker named at the start, held by a
 *   pidfd from before it could run anything. A child gets it only for what is told of own_parts[]
 * (who_start.c), and the filter refuses CLONE_PARENT.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/path.h"
#include "base/str.h"
#include "kernel/procfs.h"
#include "sandbox/broker_priv.h"
#include "sandbox/who_priv.h"

#define PROCESSES_MAX 384U /* each holds a descriptor */
#define PROCESSES_MIN 8U
#define THREADS_SLOTS 4096U /* a power of two */
#define ANCESTORS_MAX 32U   /* looked at to learn of one process */
#define COMM_LEN      15U   /* as the kernel cuts it */
#define NAME_LEN      64U   /* of a program, with NUL */

struct process {
	pid_t tgid;
	int pidfd;
	unsigned id;
	uint64_t used; /* when last asked for, in questions */
	enum pmg_role role;
	unsigned umask;
	bool may_be_part; /* of the manager, by what it starts first */
	bool started;     /* its first execve has been seen */
	bool is_orphan;   /* who its parents were is not known: where it starts is its own choice */
	bool is_direct;   /* its parent had the manager's role when it was first seen */
	bool settled; /* its package is known and is not the project: what starts below keeps it */
	bool own;     /* a script of the project itself, or started by one */
	char *package;
	char *script;
	char *folder; /* in which its first program started: what the package is known by */
	const char *how_known;                         /* static */
	char chain[PMG_EVENT_CHAIN_MAX - 1][NAME_LEN]; /* its ancestors, outermost first */
	size_t n_chain;
};

/* What thread belongs to what process: a cache, so a clash only costs learning it again. */
struct thread {
	pid_t tid;
	unsigned slot, id; /* of its process */
};

struct pmg_who_table {
	pthread_mutex_t lock;
	char *tool; /* name of the program that the manager was started as; NULL: not yet */
	int proc;
	pid_t first;
	unsigned last_id;
	uint64_t asked;
	unsigned places;                  /* of v that may be taken */
	bool has_forgotten;               /* one that the manager started and that still ran */
	struct process *v[PROCESSES_MAX]; /* [0]: the manager, never dropped */
	struct thread threads[THREADS_SLOTS];
};

static int open_pid(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0U);
}

/* EPERM: it is there and may not be signalled. */
static bool is_alive(const struct process *process)
{
	return process->pidfd >= 0 &&
	       (syscall(SYS_pidfd_send_signal, process->pidfd, 0, NULL, 0U) == 0 || errno == EPERM);
}

/* Ask after is_alive(): a process that is there keeps its number. */
static bool has_thread(const struct process *process, pid_t tid)
{
	return tid == process->tgid || syscall(SYS_tgkill, process->tgid, tid, 0) == 0 ||
	       errno == EPERM;
}

static void drop(struct process **process)
{
	if (!*process)
		return;
	pmg_auto_closep(&(*process)->pidfd);
	free((*process)->package);
	free((*process)->script);
	free((*process)->folder);
	free(*process);
	*process = NULL;
}

static struct process *process_new(struct pmg_who_table *table, pid_t tgid, int pidfd)
{
	struct process *process = pmg_xcalloc(1, sizeof *process);

	process->tgid = tgid;
	process->pidfd = pidfd;
	process->id = ++table->last_id;
	process->role = PMG_ROLE_SCRIPT;
	return process;
}

/* A third of the descriptors we may have (ulimit -n): the rest is for the calls themselves. */
static unsigned places(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur / 3 >= PROCESSES_MAX)
		return PROCESSES_MAX;
	return limit.rlim_cur / 3 < PROCESSES_MIN ? PROCESSES_MIN : (unsigned)(limit.rlim_cur / 3);
}

struct pmg_who_table *pmg_who_table_new(int proc, pid_t first)
{
	struct pmg_who_table *table = pmg_xcalloc(1, sizeof *table);
	struct pmg_procfs_stat stat;
	struct pmg_err err = PMG_ERR_INIT;

	(void)pthread_mutex_init(&table->lock, NULL);
	table->proc = proc;
	table->first = first;
	table->places = places();
	table->v[0] = process_new(table, first, open_pid(first));
	table->v[0]->role = PMG_ROLE_MANAGER;
	table->v[0]->umask = pmg_procfs_stat(proc, first, &stat, &err) < 0 ? 077U : stat.umask;
	return table;
}

void pmg_who_table_free(struct pmg_who_table *table)
{
	size_t i;

	if (!table)
		return;
	for (i = 0; i < PROCESSES_MAX; i++)
		drop(&table->v[i]);
	(void)pthread_mutex_destroy(&table->lock);
	free(table->tool);
	free(table);
}

static struct process *cached(struct pmg_who_table *table, pid_t tid)
{
	const struct thread *thread = &table->threads[(unsigned)tid & (THREADS_SLOTS - 1)];
	struct process *process = table->v[thread->slot];

	if (thread->tid != tid || !process || process->id != thread->id)
		return NULL;
	return is_alive(process) && has_thread(process, tid) ? process : NULL;
}

static void remember(struct pmg_who_table *table, pid_t tid, unsigned slot)
{
	table->threads[(unsigned)tid & (THREADS_SLOTS - 1)] =
		(struct thread){ tid, slot, table->v[slot]->id };
}

/* One that ended leaves its place here, except the manager: its number may be another's by now, and
 * nobody is to be what it was. */
static struct process *by_tgid(struct pmg_who_table *table, pid_t tgid, unsigned *slot)
{
	unsigned i;

	for (i = 0; i < PROCESSES_MAX; i++) {
		if (!table->v[i] || table->v[i]->tgid != tgid)
			continue;
		if (is_alive(table->v[i])) {
			*slot = i;
			return table->v[i];
		}
		if (i > 0)
			drop(&table->v[i]);
	}
	return NULL;
}

/* Outermost first; when there are too many, those between the first and the last are left out. */
static void add_ancestor(struct process *process, const char *name)
{
	if (process->n_chain == PMG_ARRAY_LEN(process->chain)) {
		memmove(process->chain[1], process->chain[2],
			sizeof process->chain[0] * (process->n_chain - 2));
		process->n_chain--;
	}
	(void)snprintf(process->chain[process->n_chain++], NAME_LEN, "%s", name);
}

static bool stat_of(const struct pmg_who_table *table, pid_t tid, struct pmg_procfs_stat *out)
{
	struct pmg_err err = PMG_ERR_INIT;

	return pmg_procfs_stat(table->proc, tid, out, &err) == 0;
}

/* A name that the kernel has cut is that of the program, where this begins so. */
static void name_of(const struct pmg_who_table *table, pid_t pid, const char *comm,
		    char out[NAME_LEN])
{
	char path[PATH_MAX];
	ssize_t n = strlen(comm) < COMM_LEN
			    ? -1
			    : pmg_procfs_readlink(table->proc, pid, "exe", path, sizeof path);
	const char *program = n > 0 ? strrchr(path, '/') : NULL;

	(void)snprintf(out, NAME_LEN, "%s",
		       program && pmg_str_has_prefix(program + 1, comm) ? program + 1 : comm);
}

static void sweep(struct pmg_who_table *table)
{
	unsigned i;

	for (i = 1; i < table->places; i++)
		if (table->v[i] && !is_alive(table->v[i]))
			drop(&table->v[i]);
}

/* Rather one that hangs below a script, of these the one not asked for the longest. */
static bool goes_before(const struct process *process, const struct process *other)
{
	return process->is_direct != other->is_direct ? !process->is_direct
						      : process->used < other->used;
}

/* It will be learned of again, by its parents as they are then. Of what the manager started it
 * could not be told any more that it has run something already: no more parts of the manager then.
 * All places are taken. @return one that is free
 */
static unsigned drop_one(struct pmg_who_table *table)
{
	unsigned i, one = 1;

	for (i = 2; i < table->places; i++)
		if (goes_before(table->v[i], table->v[one]))
			one = i;
	table->has_forgotten = table->has_forgotten || table->v[one]->is_direct;
	drop(&table->v[one]);
	return one;
}

static unsigned free_place(const struct pmg_who_table *table)
{
	unsigned i = 1;

	while (i < table->places && table->v[i])
		i++;
	return i < table->places ? i : 0;
}

/* A place for one more: free, or of one that ended, or of one that is dropped. */
static unsigned make_room(struct pmg_who_table *table)
{
	unsigned place = free_place(table);

	if (place == 0) {
		sweep(table);
		place = free_place(table);
	}
	return place > 0 ? place : drop_one(table);
}

static struct process *learn(struct pmg_broker *broker, pid_t tid, unsigned depth, unsigned *slot);

/* NULL: an orphan, whose parent is pid 1 of the run, or we are (that is the manager's). */
static struct process *parent_of(struct pmg_broker *broker, pid_t ppid, unsigned depth)
{
	struct process *parent;
	unsigned slot;

	if (ppid <= 1 || ppid == broker->reaper || ppid == getpid() || depth >= ANCESTORS_MAX)
		return NULL;
	parent = by_tgid(broker->who, ppid, &slot);
	return parent ? parent : learn(broker, ppid, depth + 1, &slot);
}

static char *copy(const char *text)
{
	return text ? pmg_xstrdup(text) : NULL;
}

/* What was seen of the parent holds for the child by the tree; what it claimed stays a claim. */
static void inherit(struct pmg_broker *broker, struct process *process, pid_t ppid, unsigned depth)
{
	const struct process *parent = parent_of(broker, ppid, depth);
	struct pmg_procfs_stat stat;
	char name[NAME_LEN];
	size_t i;

	/* Asked again: the number of a parent that ended could be another's by now. */
	process->is_orphan =
		!parent || !stat_of(broker->who, process->tgid, &stat) || stat.ppid != ppid;
	if (process->is_orphan)
		return;
	process->is_orphan = parent->is_orphan;
	process->is_direct = parent->role == PMG_ROLE_MANAGER;
	process->may_be_part = process->is_direct && !broker->who->has_forgotten;
	process->settled = parent->settled;
	process->own = parent->own;
	process->package = copy(parent->package);
	process->script = copy(parent->script);
	process->folder = copy(parent->folder);
	process->how_known = pmg_streq(parent->how_known, "cwd") ? "tree" : parent->how_known;
	for (i = 0; i < parent->n_chain; i++)
		add_ancestor(process, parent->chain[i]);
	if (stat_of(broker->who, ppid, &stat)) {
		name_of(broker->who, ppid, stat.comm, name);
		add_ancestor(process, name);
	}
}

/* First sight of a thread, and perhaps of its process. NULL: it is gone. */
static struct process *learn(struct pmg_broker *broker, pid_t tid, unsigned depth, unsigned *slot)
{
	struct pmg_who_table *table = broker->who;
	struct process *process;
	struct pmg_procfs_stat stat;

	if (!stat_of(table, tid, &stat))
		return NULL;
	process = by_tgid(table, stat.tgid, slot);
	if (process)
		return has_thread(process, tid) ? process : NULL;
	process = process_new(table, stat.tgid, open_pid(stat.tgid));
	/* Read again: only now is it certain of which process with that number. */
	if (!stat_of(table, tid, &stat) || stat.tgid != process->tgid || !is_alive(process) ||
	    !has_thread(process, tid)) {
		drop(&process);
		return NULL;
	}
	process->umask = stat.umask;
	inherit(broker, process, stat.ppid, depth);
	*slot = make_room(table);
	table->v[*slot] = process;
	return process;
}

int pmg_who_find(struct pmg_broker *broker, pid_t tid, struct pmg_who *out)
{
	struct pmg_who_table *table = broker->who;
	struct process *process;
	unsigned slot = 0;

	if (tid <= 0)
		return -ESRCH;
	(void)pthread_mutex_lock(&table->lock);
	process = cached(table, tid);
	if (!process) {
		process = learn(broker, tid, 0, &slot);
		if (process)
			remember(table, tid, slot);
	}
	if (process) {
		process->used = ++table->asked;
		*out = (struct pmg_who){ tid, process->tgid, process->role, process->umask,
					 process->id };
	}
	(void)pthread_mutex_unlock(&table->lock);
	return process ? 0 : -ESRCH;
}

/* Under the lock. NULL: it was dropped meanwhile. */
static struct process *of(struct pmg_who_table *table, const struct pmg_who *who)
{
	unsigned i;

	for (i = 0; i < PROCESSES_MAX; i++)
		if (table->v[i] && table->v[i]->id == who->id)
			return table->v[i];
	return NULL;
}

void pmg_who_umask(struct pmg_broker *broker, const struct pmg_who *who, unsigned umask)
{
	struct process *process;

	(void)pthread_mutex_lock(&broker->who->lock);
	process = of(broker->who, who);
	if (process)
		process->umask = umask & 0777U;
	(void)pthread_mutex_unlock(&broker->who->lock);
}

static void replace(char **text, char *taken)
{
	free(*text);
	*text = taken;
}

/* What the folder says counts more than what the environment claims. A process that a manager
 * started has both from there. An orphan may have gone to the folder of another package to be taken
 * for it: there the folder, too, is a claim. */
static void settle(struct process *process, struct pmg_started *told)
{
	char *package = pmg_package_text(&told->package);

	if (package) {
		replace(&process->package, package);
		replace(&process->folder, copy(told->cwd));
		process->how_known = process->is_orphan ? "env" : "cwd";
		process->settled = !told->package.own;
		process->own = told->package.own && !process->is_orphan;
	} else if ((package = pmg_package_text(&told->claim))) {
		replace(&process->package, package);
		process->how_known = "env";
		process->settled = process->is_direct;
		process->own = false;
	}
	if (told->script)
		replace(&process->script, pmg_steal_ptr(&told->script));
}

/*
 * The manager's own process may become another program, as a shim becomes the tool. What this run
 * may have installed is none of the manager: `pipx run x` becomes x. Unless it is called as the
 * tool was: then it is the one behind a shim, in a prefix that it installs into.
 */
static void become(struct pmg_broker *broker, struct process *manager,
		   const struct pmg_who_start *start)
{
	const char *name = pmg_path_name(start->program);

	if (!broker->who->tool)
		broker->who->tool = pmg_xstrdup(name);
	else if (broker->policy->has_manager && strcmp(name, broker->who->tool) != 0 &&
		 pmg_started_is_installed(broker->policy, start->program))
		manager->role = PMG_ROLE_SCRIPT;
}

/* @return whether more is to be learned of this start; *folder is what its package is known by */
static bool begin_start(struct pmg_broker *broker, struct process *process,
			const struct pmg_who_start *start, char **folder)
{
	bool first = process && !process->started;

	if (process && process == broker->who->v[0])
		become(broker, process, start);
	if (!process || process == broker->who->v[0])
		return false;
	/* A part of the manager stays one for the program it was started as. */
	if (!first)
		process->role = PMG_ROLE_SCRIPT;
	process->started = true;
	*folder = copy(process->folder);
	return first && !process->settled;
}

void pmg_who_exec(struct pmg_broker *broker, const struct pmg_who *who,
		  const struct pmg_who_start *start)
{
	struct pmg_who_table *table = broker->who;
	pmg_auto(started) struct pmg_started told = { 0 };
	pmg_autofree char *folder = NULL;
	struct process *process;
	bool more;

	(void)pthread_mutex_lock(&table->lock);
	more = begin_start(broker, of(table, who), start, &folder);
	(void)pthread_mutex_unlock(&table->lock);
	if (!more || !pmg_started_read(broker, who->tid, start, folder, &told))
		return; /* it starts where its parent did, so what the parent is counts */
	(void)pthread_mutex_lock(&table->lock);
	process = of(table, who);
	if (process && process->may_be_part && told.is_own_part)
		process->role = PMG_ROLE_MANAGER;
	else if (process)
		settle(process, &told);
	(void)pthread_mutex_unlock(&table->lock);
}

bool pmg_who_is_own(struct pmg_broker *broker, const struct pmg_who *who)
{
	const struct process *process;
	bool own;

	(void)pthread_mutex_lock(&broker->who->lock);
	process = of(broker->who, who);
	/* A command that a person runs by itself is nobody's but theirs. */
	own = process &&
	      (process->own || (process == broker->who->v[0] && !broker->policy->has_manager));
	(void)pthread_mutex_unlock(&broker->who->lock);
	return own;
}

void pmg_who_fill(struct pmg_broker *broker, const struct pmg_who *who, struct pmg_event *event)
{
	const struct process *process;
	struct pmg_procfs_stat stat;
	char name[NAME_LEN];
	size_t i;

	(void)pthread_mutex_lock(&broker->who->lock);
	process = of(broker->who, who);
	if (process) {
		replace(&event->package, copy(process->package));
		replace(&event->script, copy(process->script));
		replace(&event->how_known, copy(process->how_known));
		for (i = 0; i < process->n_chain; i++)
			pmg_strv_add(&event->process, process->chain[i]);
	}
	(void)pthread_mutex_unlock(&broker->who->lock);
	if (stat_of(broker->who, who->tgid, &stat)) {
		name_of(broker->who, who->tgid, stat.comm, name);
		pmg_strv_add(&event->process, name);
	}
}
