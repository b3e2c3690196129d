#include "tests/helper/conform.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/helper/folder.h"

#define ROWS_MAX  256
#define KEPT_MAX  10
#define TEXT_MAX  16384
#define CONTENT   4096
#define USER      65534
#define HARD      99
#define CASE_MASK 0027

struct result {
	long value;
	int errnum;
	int flags, fd_flags; /* of a descriptor */
	unsigned mode;
	long size, links;
};

struct script {
	const struct conform_row *rows;
	size_t n;
	char *root;
	struct result *results; /* shared */
	char (*texts)[TEXT_MAX];
	int kept[KEPT_MAX];
};

static long argument(struct script *script, const struct conform_arg *arg, char *buffer)
{
	const char *percent;

	if (!arg->text)
		return arg->number <= -1000 ? script->kept[-1000 - arg->number] : arg->number;
	percent = strchr(arg->text, '%');
	if (arg->text[0] == '@')
		(void)snprintf(buffer, TEXT_MAX, "%s%s", script->root, arg->text + 1);
	else if (percent && percent[1] >= '0' && percent[1] <= '9')
		(void)snprintf(buffer, TEXT_MAX, "%.*s%d%s", (int)(percent - arg->text), arg->text,
			       script->kept[percent[1] - '0'], percent + 2);
	else
		(void)snprintf(buffer, TEXT_MAX, "%s", arg->text);
	return (long)buffer;
}

static void look_at_fd(struct result *result)
{
	int fd = (int)result->value;
	struct stat st;

	/* O_NOFOLLOW cannot be had where an object is opened again; it says nothing later on. */
	result->flags = fcntl(fd, F_GETFL) & ~O_NOFOLLOW;
	result->fd_flags = fcntl(fd, F_GETFD);
	if (fstat(fd, &st) < 0)
		return;
	result->mode = st.st_mode;
	result->size = S_ISDIR(st.st_mode) ? 0 : (long)st.st_size;
	result->links = (long)st.st_nlink;
}

static void run_row(struct script *script, const struct conform_row *row, struct result *result)
{
	long args[CONFORM_ARGS];
	size_t i;

	for (i = 0; i < CONFORM_ARGS; i++)
		args[i] = argument(script, &row->args[i], script->texts[i]);
	errno = 0;
	result->value = syscall(row->call, args[0], args[1], args[2], args[3], args[4]);
	result->errnum = result->value < 0 ? errno : 0;
	if (result->value < 0 || (!row->gives_fd && !row->keep))
		return;
	look_at_fd(result);
	if (row->keep)
		script->kept[row->keep] = (int)result->value;
	else
		(void)close((int)result->value);
}

static void play(void *arg)
{
	struct script *script = arg;
	size_t i;

	if (chdir(script->root) < 0)
		_exit(HARD);
	script->texts = pmg_xcalloc(CONFORM_ARGS, sizeof script->texts[0]);
	script->kept[0] = (int)getppid(); /* "%0": a process that is not the caller */
	/* Through a trapped call too: the broker must know it. */
	(void)umask(CASE_MASK);
	for (i = 0; i < script->n; i++)
		run_row(script, &script->rows[i], &script->results[i]);
	free(script->texts);
}

static void must(bool holds, const char *what)
{
	if (holds)
		return;
	perror(what);
	_exit(HARD);
}

static void add_file(const char *name, const char *text, mode_t mode)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	must(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), name);
	must(fchmod(fd, mode) == 0, name);
	(void)close(fd);
}

/* What both trees begin with. */
void conform_plant(const char *root)
{
	must(chdir(root) == 0, root);
	must(mkdir("d", 0755) == 0 && mkdir("d/e", 0750) == 0 && mkdir("full", 0755) == 0, "mkdir");
	must(mkdir("shut", 0700) == 0 && mkdir("sticky", 0777) == 0, "mkdir");
	add_file("f", "content", 0644);
	add_file("d/g", "more", 0600);
	add_file("full/x", "", 0644);
	add_file("shut/in", "in", 0600);
	add_file("none", "none", 0);
	add_file("ro", "ro", 0444);
	must(chmod("sticky", 01777) == 0 && chmod("shut", 0) == 0, "chmod");
	must(symlink("f", "to-f") == 0 && symlink("d", "to-d") == 0, "symlink");
	must(symlink("missing", "dangling") == 0 && symlink("loop", "loop") == 0, "symlink");
	must(symlink("d/e/../g", "far") == 0 && symlink("/proc/self", "me") == 0, "symlink");
	must(symlink("made-by-link", "d/up") == 0 && link("f", "twin") == 0, "link");
	must(mkfifo("fifo", 0600) == 0, "fifo");
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* One line for each object below: what stat says, links' texts, content. */
static void describe(FILE *out, const char *folder, const char *shown)
{
	struct pmg_strv names = { 0 };
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	size_t i;

	while (dir && (entry = readdir(dir)) != NULL)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			pmg_strv_add(&names, entry->d_name);
	if (dir)
		(void)closedir(dir);
	if (names.n > 0)
		qsort(names.v, names.n, sizeof names.v[0], by_name);
	for (i = 0; i < names.n; i++) {
		pmg_autofree char *path = pmg_path_join(folder, names.v[i]);
		pmg_autofree char *below = pmg_xasprintf("%s/%s", shown, names.v[i]);
		char text[CONTENT] = "";
		struct stat st = { 0 };
		int fd;

		(void)lstat(path, &st);
		if (S_ISLNK(st.st_mode))
			(void)!readlink(path, text, sizeof text - 1);
		fd = S_ISREG(st.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
		if (fd >= 0) {
			(void)!read(fd, text, sizeof text - 1);
			(void)close(fd);
		}
		(void)fprintf(out, "%s %o %u:%u links %ld time %ld text %s\n", below, st.st_mode,
			      st.st_uid, st.st_gid, S_ISDIR(st.st_mode) ? 0 : (long)st.st_nlink,
			      st.st_mtime < 1000000000 ? (long)st.st_mtime : 0, text);
		if (S_ISDIR(st.st_mode))
			describe(out, path, below);
	}
	pmg_strv_done(&names);
}

static char *description(const char *root)
{
	pmg_autofree char *shut = pmg_path_join(root, "shut");
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	(void)chmod(shut, 0700);
	describe(out, root, "");
	(void)fclose(out);
	return text;
}

static bool same(const struct conform_row *row, const struct result *a, const struct result *b)
{
	bool fd = row->keep || row->gives_fd;

	return a->errnum == b->errnum && (a->value < 0) == (b->value < 0) &&
	       (fd || a->value == b->value) && a->flags == b->flags && a->fd_flags == b->fd_flags &&
	       a->mode == b->mode && a->size == b->size && a->links == b->links;
}

static int compare(const char *name, const struct script *bare, const struct script *served)
{
	pmg_autofree char *a = description(bare->root);
	pmg_autofree char *b = description(served->root);
	int differences = 0;
	size_t i;

	for (i = 0; i < bare->n; i++) {
		const struct result *x = &bare->results[i], *y = &served->results[i];

		if (same(&bare->rows[i], x, y))
			continue;
		differences++;
		(void)fprintf(stderr,
			      "%s %zu (call %ld %s %s): bare %ld %s flags %o/%d mode %o size %ld "
			      "links %ld; served %ld %s flags %o/%d mode %o size %ld links %ld\n",
			      name, i, bare->rows[i].call,
			      bare->rows[i].args[0].text ? bare->rows[i].args[0].text : "",
			      bare->rows[i].args[1].text ? bare->rows[i].args[1].text : "",
			      x->value, strerror(x->errnum), x->flags, x->fd_flags, x->mode,
			      x->size, x->links, y->value, strerror(y->errnum), y->flags,
			      y->fd_flags, y->mode, y->size, y->links);
	}
	if (strcmp(a, b) != 0) {
		differences++;
		(void)fprintf(stderr, "%s: trees differ\n--- bare\n%s--- served\n%s", name, a, b);
	}
	return differences;
}

static struct script *script_new(const char *root, const struct conform_row *rows, size_t n)
{
	struct script *script = pmg_xcalloc(1, sizeof *script);

	script->rows = rows;
	script->n = n;
	script->root = pmg_xstrdup(root);
	script->results = broker_shared(ROWS_MAX * sizeof(struct result));
	return script;
}

static int run_in(const char *name, const char *top, const struct conform_row *rows, size_t n)
{
	pmg_autofree char *bare_root = pmg_path_join(top, "bare");
	pmg_autofree char *served_root = pmg_path_join(top, "kept");
	struct script *bare = script_new(bare_root, rows, n);
	struct script *served = script_new(served_root, rows, n);
	pmg_auto(policy) struct pmg_policy *policy = broker_policy(top);
	struct pmg_events events = { 0 };
	int differences = 0, status;

	must(n <= ROWS_MAX && mkdir(bare_root, 0755) == 0 && mkdir(served_root, 0755) == 0, "tree");
	conform_plant(bare_root);
	conform_plant(served_root);
	pmg_policy_seal(policy);
	must(broker_bare_child(play, bare) == 0, "bare");
	status = broker_serve_child(policy, NULL, play, served, &events);
	if (status != 0 || events.n != 0) {
		(void)fprintf(stderr, "%s: status %d, %zu refusals, first %s\n", name, status,
			      events.n, events.n ? events.v[0].target : "");
		differences++;
	}
	differences += compare(name, bare, served);
	pmg_events_done(&events);
	(void)munmap(bare->results, ROWS_MAX * sizeof(struct result));
	(void)munmap(served->results, ROWS_MAX * sizeof(struct result));
	free(bare->root);
	free(served->root);
	free(bare);
	free(served);
	return differences;
}

int conform_play(const char *root, const struct pmg_policy *policy,
		 void (*prepare)(struct pmg_broker *broker), const struct conform_row *rows,
		 size_t n, long *values, struct pmg_events *events)
{
	struct script *script = script_new(root, rows, n);
	int status;
	size_t i;

	must(n <= ROWS_MAX, "too many rows");
	status = policy ? broker_serve_child(policy, prepare, play, script, events)
			: broker_bare_child(play, script);
	for (i = 0; i < n; i++)
		values[i] = script->results[i].value < 0 ? -script->results[i].errnum
							 : script->results[i].value;
	(void)munmap(script->results, ROWS_MAX * sizeof(struct result));
	free(script->root);
	free(script);
	return status;
}

int conform_run(const char *name, const struct conform_row *rows, size_t n)
{
	pmg_auto(folder) char *top = folder_new();
	int back = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int differences = run_in(name, top, rows, n);

	must(fchdir(back) == 0, "fchdir");
	(void)close(back);
	return differences;
}

/* Folders of the build may be closed to that user; this one lies elsewhere. */
int conform_run_as_user(const char *name, const struct conform_row *rows, size_t n)
{
	char top[] = "/var/tmp/pmg-test.XXXXXX";
	int status = 0;
	pid_t pid;

	if (geteuid() != 0)
		return 0;
	must(mkdtemp(top) && chown(top, USER, USER) == 0, top);
	pid = fork();
	must(pid >= 0, "fork");
	if (pid == 0) {
		must(setresgid(USER, USER, USER) == 0 && setresuid(USER, USER, USER) == 0, "user");
		must(prctl(PR_SET_DUMPABLE, 1) == 0, "dumpable");
		_exit(run_in(name, top, rows, n) > 0);
	}
	must(waitpid(pid, &status, 0) == pid, "waitpid");
	(void)nftw(top, folder_remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return status;
}
