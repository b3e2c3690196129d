/*
 * Numbers are used again. A thread that has the number of one that ended must not be taken for it,
 * least of all for the manager: each process is held by a pidfd, which says for as long as it is
 * open whether that process is there, and tgkill() says whether the thread is one of it.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel/procfs.h"
#include "sandbox/who_priv.h"

#define PROCESSES_MIN 8U

/* EPERM: it is there and may not be signalled. */
static bool is_alive(const struct pmg_process *process)
{
	return process->pidfd >= 0 &&
	       (syscall(SYS_pidfd_send_signal, process->pidfd, 0, NULL, 0U) == 0 || errno == EPERM);
}

/* The thread is asked after second: a process that is there keeps its number. */
bool pmg_process_has_thread(const struct pmg_process *process, pid_t tid)
{
	return is_alive(process) &&
	       (tid == process->tgid || syscall(SYS_tgkill, process->tgid, tid, 0) == 0 ||
		errno == EPERM);
}

void pmg_process_free(struct pmg_process *process)
{
	if (!process)
		return;
	pmg_auto_closep(&process->pidfd);
	free(process->package);
	free(process->called);
	free(process->script);
	free(process->folder);
	free(process);
}

static void drop(struct pmg_process **process)
{
	pmg_process_free(*process);
	*process = NULL;
}

struct pmg_process *pmg_process_new(struct pmg_who_table *table, pid_t tgid)
{
	struct pmg_process *process = pmg_xcalloc(1, sizeof *process);

	process->tgid = tgid;
	process->pidfd = (int)syscall(SYS_pidfd_open, tgid, 0U);
	process->id = ++table->last_id;
	process->role = PMG_ROLE_SCRIPT;
	return process;
}

/* A third of the descriptors we may have (ulimit -n): the rest is for the calls themselves. */
static unsigned places(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur / 3 >= PMG_PROCESSES_MAX)
		return PMG_PROCESSES_MAX;
	return limit.rlim_cur / 3 < PROCESSES_MIN ? PROCESSES_MIN : (unsigned)(limit.rlim_cur / 3);
}

struct pmg_who_table *pmg_who_table_new(int proc, pid_t first)
{
	struct pmg_who_table *table = pmg_xcalloc(1, sizeof *table);
	struct pmg_procfs_stat stat;

	(void)pthread_mutex_init(&table->lock, NULL);
	table->proc = proc;
	table->places = places();
	table->v[0] = pmg_process_new(table, first);
	table->v[0]->role = PMG_ROLE_MANAGER;
	table->v[0]->umask = pmg_who_table_stat(table, first, &stat) ? stat.umask : 077U;
	return table;
}

void pmg_who_table_runs_code(struct pmg_who_table *table)
{
	table->v[0]->role = PMG_ROLE_SCRIPT;
}

void pmg_who_table_free(struct pmg_who_table *table)
{
	size_t i;

	if (!table)
		return;
	for (i = 0; i < PMG_PROCESSES_MAX; i++)
		drop(&table->v[i]);
	(void)pthread_mutex_destroy(&table->lock);
	free(table->tool);
	free(table->last);
	free(table);
}

bool pmg_who_table_stat(const struct pmg_who_table *table, pid_t tid, struct pmg_procfs_stat *out)
{
	struct pmg_err err = PMG_ERR_INIT;

	return pmg_procfs_stat(table->proc, tid, out, &err) == 0;
}

struct pmg_process *pmg_who_table_cached(struct pmg_who_table *table, pid_t tid)
{
	const struct pmg_process_thread *thread =
		&table->threads[(unsigned)tid & (PMG_THREAD_SLOTS - 1)];
	struct pmg_process *process = table->v[thread->slot];

	if (thread->tid != tid || !process || process->id != thread->id)
		return NULL;
	return pmg_process_has_thread(process, tid) ? process : NULL;
}

void pmg_who_table_remember(struct pmg_who_table *table, pid_t tid, unsigned slot)
{
	table->threads[(unsigned)tid & (PMG_THREAD_SLOTS - 1)] =
		(struct pmg_process_thread){ tid, slot, table->v[slot]->id };
}

/* One that ended leaves its place here, except the manager: its number may be another's by now, and
 * nobody is to be what it was. */
struct pmg_process *pmg_who_table_process(struct pmg_who_table *table, pid_t tgid, unsigned *slot)
{
	unsigned i;

	for (i = 0; i < PMG_PROCESSES_MAX; i++) {
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

/* Those that ended leave their places. @return one that is free, 0: none */
static unsigned sweep(struct pmg_who_table *table)
{
	unsigned i, place = 0;

	for (i = 1; i < table->places; i++) {
		if (table->v[i] && !is_alive(table->v[i]))
			drop(&table->v[i]);
		if (!table->v[i])
			place = i;
	}
	return place;
}

/* Rather one that hangs below a script, of these the one not asked for the longest. */
static bool goes_before(const struct pmg_process *process, const struct pmg_process *other)
{
	return process->is_direct != other->is_direct ? !process->is_direct
						      : process->used < other->used;
}

/* It will be learned of again, by its parents as they are then. Of what the manager started it
 * could not be told any more that it has run something already: no more parts of the manager then.
 * @return a place that is free
 */
static unsigned drop_one(struct pmg_who_table *table)
{
	const struct pmg_process *first = table->v[1];
	unsigned i, place = 1;

	for (i = 2; first && i < table->places; i++) {
		const struct pmg_process *other = table->v[i];

		if (other && !goes_before(other, first))
			continue;
		first = other;
		place = i;
	}
	table->has_forgotten = table->has_forgotten || (first && first->is_direct);
	drop(&table->v[place]);
	return place;
}

static unsigned free_place(const struct pmg_who_table *table)
{
	unsigned i = 1;

	while (i < table->places && table->v[i])
		i++;
	return i < table->places ? i : 0;
}

unsigned pmg_who_table_take(struct pmg_who_table *table, struct pmg_process *process)
{
	unsigned place = free_place(table);

	if (place == 0)
		place = sweep(table);
	if (place == 0)
		place = drop_one(table);
	table->v[place] = process;
	return place;
}

struct pmg_process *pmg_who_table_of(struct pmg_who_table *table, const struct pmg_who *who)
{
	unsigned i;

	for (i = 0; i < PMG_PROCESSES_MAX; i++)
		if (table->v[i] && table->v[i]->id == who->id)
			return table->v[i];
	return NULL;
}
