#include "run/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"

struct process {
	pid_t pid, parent;
	bool zombie;
	bool below; /* descends from us */
};

struct processes {
	struct process *v;
	size_t n, cap;
};

int pmg_tree_adopt(struct pmg_err *err)
{
	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "become subreaper");
	return 0;
}

/* "/proc/PID/stat": the name in brackets may hold anything, so the last ")" counts (proc(5)). */
static bool read_stat(const char *pid, struct process *out)
{
	char path[64], text[512], *at;
	pmg_autofd int fd = -1;
	uint64_t number, parent;
	ssize_t n;

	if (pmg_parse_uint(pid, INT32_MAX, &number) < 0)
		return false;
	(void)snprintf(path, sizeof path, "/proc/%s/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (n <= 0)
		return false;
	text[n] = '\0';
	at = strrchr(text, ')');
	if (!at || strlen(at) < 5)
		return false;
	out->zombie = at[2] == 'Z' || at[2] == 'X';
	at[4 + strcspn(at + 4, " ")] = '\0';
	if (pmg_parse_uint(at + 4, INT32_MAX, &parent) < 0)
		return false;
	out->pid = (pid_t)number;
	out->parent = (pid_t)parent;
	return true;
}

static void read_all(struct processes *all)
{
	DIR *dir = opendir("/proc");
	const struct dirent *entry;
	struct process one = { 0 };

	while (dir && (entry = readdir(dir)))
		if (read_stat(entry->d_name, &one)) {
			all->v = pmg_grow(all->v, all->n, &all->cap, sizeof *all->v);
			all->v[all->n++] = one;
		}
	if (dir)
		(void)closedir(dir);
}

static int by_pid(const void *left, const void *right)
{
	const struct process *a = left, *b = right;

	return a->pid < b->pid ? -1 : a->pid > b->pid;
}

static bool is_below(const struct processes *all, pid_t pid)
{
	struct process key = { .pid = pid };
	const struct process *found;

	if (pid == getpid())
		return true;
	found = bsearch(&key, all->v, all->n, sizeof *all->v, by_pid);
	return found && found->below;
}

static bool is_one_of(pid_t pid, const pid_t *list)
{
	while (*list && *list != pid)
		list++;
	return *list != 0;
}

/* Marks descendants, one generation a round. `except` and what is below stays unmarked. */
static void mark(struct processes *all, const pid_t *except)
{
	bool more = all->n > 0;
	size_t i;

	if (all->n > 0)
		qsort(all->v, all->n, sizeof *all->v, by_pid);
	while (more) {
		more = false;
		for (i = 0; i < all->n; i++) {
			if (all->v[i].below || is_one_of(all->v[i].pid, except))
				continue;
			all->v[i].below = is_below(all, all->v[i].parent);
			more = more || all->v[i].below;
		}
	}
}

size_t pmg_tree_signal(int sig, const pid_t *except)
{
	struct processes all = { 0 };
	size_t i, n = 0;

	read_all(&all);
	mark(&all, except);
	for (i = 0; i < all.n; i++)
		if (all.v[i].below && !all.v[i].zombie) {
			(void)kill(all.v[i].pid, sig);
			n++;
		}
	free(all.v);
	return n;
}

bool pmg_tree_has_others(const pid_t *except)
{
	char text[256], *word, *rest = text;
	pmg_autofd int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
	uint64_t pid;
	ssize_t n;

	n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (n < 0) /* a kernel without CONFIG_PROC_CHILDREN */
		return pmg_tree_signal(0, except) > 0;
	text[n] = '\0';
	while ((word = strsep(&rest, " \n")))
		if (*word &&
		    (pmg_parse_uint(word, INT32_MAX, &pid) < 0 || !is_one_of((pid_t)pid, except)))
			return true;
	return false;
}
