/*
 * Parents can be chosen (CLONE_PARENT makes a sister, an orphan goes to pid 1). Only one thread
 * group has the manager's role by itself: the one that the broker named at the start, held by a
 * pidfd from before it could run anything. A child gets it only for what is told of own_parts[]
 * (who_start.c), and the filter refuses CLONE_PARENT. That numbers are used again: who_table.c.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "base/str.h"
#include "kernel/procfs.h"
#include "sandbox/broker_priv.h"
#include "sandbox/who_priv.h"

#define ANCESTORS_MAX 32U /* looked at to learn of one process */
#define COMM_LEN      15U /* as the kernel cuts it */

/* Outermost first; when there are too many, those between the first and the last are left out. */
static void add_ancestor(struct pmg_process *process, const char *name)
{
	if (process->n_chain == PMG_ARRAY_LEN(process->chain)) {
		memmove(process->chain[1], process->chain[2],
			sizeof process->chain[0] * (process->n_chain - 2));
		process->n_chain--;
	}
	(void)snprintf(process->chain[process->n_chain++], PMG_PROGRAM_NAME_SIZE, "%s", name);
}

/* A name that the kernel has cut is that of the program, where this begins so. */
static void name_of(const struct pmg_who_table *table, pid_t pid, const char *comm,
		    char out[PMG_PROGRAM_NAME_SIZE])
{
	char path[PATH_MAX];
	ssize_t n = strlen(comm) < COMM_LEN
			    ? -1
			    : pmg_procfs_readlink(table->proc, pid, "exe", path, sizeof path);
	const char *program = n > 0 ? strrchr(path, '/') : NULL;

	(void)snprintf(out, PMG_PROGRAM_NAME_SIZE, "%s",
		       program && pmg_str_has_prefix(program + 1, comm) ? program + 1 : comm);
}

static struct pmg_process *learn(struct pmg_broker *broker, pid_t tid, unsigned depth,
				 unsigned *slot);

/* NULL: an orphan, whose parent is pid 1 of the run, or we are (that is the manager's). */
static struct pmg_process *parent_of(struct pmg_broker *broker, pid_t ppid, unsigned depth)
{
	struct pmg_process *parent;
	unsigned slot;

	if (ppid <= 1 || ppid == broker->reaper || ppid == getpid() || depth >= ANCESTORS_MAX)
		return NULL;
	parent = pmg_who_table_process(broker->who, ppid, &slot);
	return parent ? parent : learn(broker, ppid, depth + 1, &slot);
}

static char *copy(const char *text)
{
	return text ? pmg_xstrdup(text) : NULL;
}

/* What was seen of the parent holds for the child by the tree; what it claimed stays a claim. */
static void inherit(struct pmg_broker *broker, struct pmg_process *process, pid_t ppid,
		    unsigned depth)
{
	const struct pmg_process *parent = parent_of(broker, ppid, depth);
	struct pmg_procfs_stat stat;
	char name[PMG_PROGRAM_NAME_SIZE];
	size_t i;

	/* Asked again: the number of a parent that ended could be another's by now. */
	process->is_orphan = !parent || !pmg_who_table_stat(broker->who, process->tgid, &stat) ||
			     stat.ppid != ppid;
	if (process->is_orphan)
		return;
	process->is_orphan = parent->is_orphan;
	process->is_direct = parent->role == PMG_ROLE_MANAGER;
	process->of_git = parent->is_git;
	process->may_be_part = process->is_direct && !broker->who->has_forgotten;
	process->settled = parent->settled;
	process->is_tool = parent->is_tool;
	process->own = parent->own;
	process->package = copy(parent->package);
	process->called = copy(parent->called);
	process->script = copy(parent->script);
	process->folder = copy(parent->folder);
	process->how_known = pmg_streq(parent->how_known, "cwd") ? "tree" : parent->how_known;
	for (i = 0; i < parent->n_chain; i++)
		add_ancestor(process, parent->chain[i]);
	if (pmg_who_table_stat(broker->who, ppid, &stat)) {
		name_of(broker->who, ppid, stat.comm, name);
		add_ancestor(process, name);
	}
}

/* First sight of a thread, and perhaps of its process. NULL: it is gone. */
static struct pmg_process *learn(struct pmg_broker *broker, pid_t tid, unsigned depth,
				 unsigned *slot)
{
	struct pmg_who_table *table = broker->who;
	pmg_auto(process) struct pmg_process *seen = NULL;
	struct pmg_process *process;
	struct pmg_procfs_stat stat;

	if (!pmg_who_table_stat(table, tid, &stat))
		return NULL;
	process = pmg_who_table_process(table, stat.tgid, slot);
	if (process)
		return pmg_process_has_thread(process, tid) ? process : NULL;
	seen = pmg_process_new(table, stat.tgid);
	/* Read again: only now is it certain of which process with that number. */
	if (!pmg_who_table_stat(table, tid, &stat) || stat.tgid != seen->tgid ||
	    !pmg_process_has_thread(seen, tid))
		return NULL;
	seen->umask = stat.umask;
	inherit(broker, seen, stat.ppid, depth);
	process = pmg_steal_ptr(&seen);
	*slot = pmg_who_table_take(table, process);
	return process;
}

int pmg_who_find(struct pmg_broker *broker, pid_t tid, struct pmg_who *out)
{
	struct pmg_who_table *table = broker->who;
	struct pmg_process *process;
	unsigned slot = 0;

	if (tid <= 0)
		return -ESRCH;
	(void)pthread_mutex_lock(&table->lock);
	process = pmg_who_table_cached(table, tid);
	if (!process) {
		process = learn(broker, tid, 0, &slot);
		if (process)
			pmg_who_table_remember(table, tid, slot);
	}
	if (process) {
		process->used = ++table->asked;
		*out = (struct pmg_who){ tid, process->tgid, process->role, process->umask,
					 process->id };
	}
	(void)pthread_mutex_unlock(&table->lock);
	return process ? 0 : -ESRCH;
}

void pmg_who_umask(struct pmg_broker *broker, const struct pmg_who *who, unsigned umask)
{
	struct pmg_process *process;

	(void)pthread_mutex_lock(&broker->who->lock);
	process = pmg_who_table_of(broker->who, who);
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
static void settle(struct pmg_process *process, struct pmg_started *told)
{
	char *package = pmg_package_text(&told->package);

	if (package) {
		replace(&process->package, package);
		replace(&process->called, pmg_package_called(&told->package));
		replace(&process->folder, copy(told->cwd));
		process->how_known = process->is_orphan ? "env" : "cwd";
		process->settled = !told->package.own;
		process->own = told->package.own && !process->is_orphan;
	} else if ((package = pmg_package_text(&told->claim))) {
		replace(&process->package, package);
		replace(&process->called, NULL);
		process->how_known = "env";
		process->settled = process->is_direct;
		process->own = false;
	}
	if (told->script)
		replace(&process->script, pmg_steal_ptr(&told->script));
}

/* uvx is a small program that becomes the uv beside it. */
static bool is_sibling(const struct pmg_who_table *table, const struct pmg_who_start *start)
{
	pmg_autofree char *from = table->last ? pmg_path_dir(table->last) : NULL;
	pmg_autofree char *to = start->called ? pmg_path_dir(start->called) : NULL;

	return from && to && strcmp(from, to) == 0 && strcmp(table->tool, "uvx") == 0 &&
	       strcmp(pmg_path_name(start->called), "uv") == 0;
}

/*
 * The manager's own process may become another program, as a shim becomes the tool. What this run
 * may have installed is none of the manager: `pipx run x` becomes x. On the way to the tool that
 * is not so, in a prefix that it installs into: shims are shell scripts, several may stand behind
 * each other (pyenv), or are called as the tool is, which may be a link ("pip" to "pip3.11"). Once
 * a program of its own name runs that is no shim, it is the tool, and then no name helps.
 */
static void become(struct pmg_broker *broker, const struct pmg_who *who,
		   struct pmg_process *manager, const struct pmg_who_start *start)
{
	struct pmg_who_table *table = broker->who;
	const char *name = pmg_path_name(start->program);
	const char *called = start->called ? pmg_path_name(start->called) : name;
	bool was_shim = table->is_shim, is_tool;

	if (!broker->policy->has_manager)
		return;
	/* The node of nvm that runs npm: what may be installed there is in the same prefix. */
	if (table->last && pmg_started_runs(who->tid, start, table->last))
		return;
	if (table->tool && !table->is_part && is_sibling(table, start)) {
		table->is_part = true; /* once: then it is the tool */
		return;
	}
	free(table->last);
	table->last = start->called ? pmg_xstrdup(start->called) : NULL;
	table->is_shim = pmg_started_is_shim(start->program, was_shim);
	if (!table->tool)
		table->tool = pmg_xstrdup(called);
	is_tool = strcmp(name, table->tool) == 0;
	if (!was_shim && (table->is_reached || !(is_tool || strcmp(called, table->tool) == 0)) &&
	    pmg_started_is_installed(broker->policy, start->program))
		manager->role = PMG_ROLE_SCRIPT;
	table->is_reached = table->is_reached || (is_tool && !table->is_shim);
}

/* @return whether more is to be learned of this start; *folder is what its package is known by */
static bool begin_start(struct pmg_broker *broker, const struct pmg_who *who,
			struct pmg_process *process, const struct pmg_who_start *start,
			char **folder)
{
	bool first = process && !process->started;

	if (process)
		process->is_tool = pmg_started_is_tool(broker->policy, who->tid, start);
	if (process && process == broker->who->v[0])
		become(broker, who, process, start);
	if (!process || process == broker->who->v[0])
		return false;
	/* A part of the manager stays one for the program it was started as. */
	if (!first) {
		process->role = PMG_ROLE_SCRIPT;
		process->is_git = false;
	}
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
	struct pmg_process *process;
	bool more;

	(void)pthread_mutex_lock(&table->lock);
	more = begin_start(broker, who, pmg_who_table_of(table, who), start, &folder);
	(void)pthread_mutex_unlock(&table->lock);
	if (!more || !pmg_started_read(broker, who->tid, start, folder, &told))
		return; /* it starts where its parent did, so what the parent is counts */
	(void)pthread_mutex_lock(&table->lock);
	process = pmg_who_table_of(table, who);
	if (process && process->may_be_part && told.is_own_part &&
	    (!process->of_git || told.is_gits_own)) {
		process->role = PMG_ROLE_MANAGER;
		process->is_git = told.is_git;
	} else if (process) {
		settle(process, &told);
	}
	(void)pthread_mutex_unlock(&table->lock);
}

bool pmg_who_is_tool(struct pmg_broker *broker, const struct pmg_who *who)
{
	const struct pmg_process *process;
	bool is_tool;

	(void)pthread_mutex_lock(&broker->who->lock);
	process = pmg_who_table_of(broker->who, who);
	is_tool = process && process->is_tool;
	(void)pthread_mutex_unlock(&broker->who->lock);
	return is_tool;
}

bool pmg_who_is_own(struct pmg_broker *broker, const struct pmg_who *who)
{
	const struct pmg_process *process;
	bool own;

	(void)pthread_mutex_lock(&broker->who->lock);
	process = pmg_who_table_of(broker->who, who);
	/* A command that a person runs by itself is nobody's but theirs. */
	own = process &&
	      (process->own || (process == broker->who->v[0] && !broker->policy->has_manager));
	(void)pthread_mutex_unlock(&broker->who->lock);
	return own;
}

bool pmg_who_package(struct pmg_broker *broker, const struct pmg_who *who, char **package,
		     char **called)
{
	const struct pmg_process *process;
	bool is_script;

	(void)pthread_mutex_lock(&broker->who->lock);
	process = pmg_who_table_of(broker->who, who);
	is_script = process && process->role == PMG_ROLE_SCRIPT;
	*package = is_script && !process->own ? copy(process->package) : NULL;
	*called = *package ? copy(process->called) : NULL;
	(void)pthread_mutex_unlock(&broker->who->lock);
	return is_script;
}

void pmg_who_fill(struct pmg_broker *broker, const struct pmg_who *who, struct pmg_event *event)
{
	const struct pmg_process *process;
	struct pmg_procfs_stat stat;
	char name[PMG_PROGRAM_NAME_SIZE];
	size_t i;

	(void)pthread_mutex_lock(&broker->who->lock);
	process = pmg_who_table_of(broker->who, who);
	if (process) {
		replace(&event->package, copy(process->package));
		replace(&event->script, copy(process->script));
		replace(&event->how_known, copy(process->how_known));
		for (i = 0; i < process->n_chain; i++)
			pmg_strv_add(&event->process, process->chain[i]);
	}
	(void)pthread_mutex_unlock(&broker->who->lock);
	if (pmg_who_table_stat(broker->who, who->tgid, &stat)) {
		name_of(broker->who, who->tgid, stat.comm, name);
		pmg_strv_add(&event->process, name);
	}
}
