/*
 * kill -9 at every step of an import and of a rollback: each time before the
 * next write, rename, link, removal, opening or sync, those of SQLite as well.
 * What is found afterwards is the old index or the new one, whole, and the next
 * import works.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../helper/folder.h"
#include "../helper/records.h"
#include "base/str.h"
#include "verdict/publish.h"

#define STEPS_MAX 2000

static int left = -1; /* steps until this process is killed; -1: never */

static void step(void)
{
	if (left == 0)
		(void)raise(SIGKILL);
	left -= left > 0;
}

#define WRAP(type, name, params, args)                                                             \
	type __real_##name params;                                                                 \
	type __wrap_##name params;                                                                 \
	type __wrap_##name params                                                                  \
	{                                                                                          \
		step();                                                                            \
		return __real_##name args;                                                         \
	}
WRAP(int, rename, (const char *from, const char *to), (from, to))
WRAP(int, renameat2, (int d, const char *from, int e, const char *to, unsigned int flags),
     (d, from, e, to, flags))
WRAP(int, link, (const char *from, const char *to), (from, to))
WRAP(int, unlink, (const char *path), (path))
WRAP(int, unlinkat, (int d, const char *path, int flags), (d, path, flags))
WRAP(int, mkdir, (const char *path, mode_t mode), (path, mode))
WRAP(int, rmdir, (const char *path), (path))
WRAP(int, fsync, (int fd), (fd))

/* SQLite's own calls, which are in its library: what it lets itself be given. */
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static ssize_t (*real_pwrite64)(int, const void *, size_t, off64_t);
static ssize_t (*real_write)(int, const void *, size_t);
static int (*real_ftruncate)(int, off_t);
static int (*real_open)(const char *, int, int);
static int (*real_unlink)(const char *);

static ssize_t my_pwrite(int fd, const void *bytes, size_t n, off_t at)
{
	step();
	return real_pwrite(fd, bytes, n, at);
}

static ssize_t my_pwrite64(int fd, const void *bytes, size_t n, off64_t at)
{
	step();
	return real_pwrite64(fd, bytes, n, at);
}

static ssize_t my_write(int fd, const void *bytes, size_t n)
{
	step();
	return real_write(fd, bytes, n);
}

static int my_ftruncate(int fd, off_t n)
{
	step();
	return real_ftruncate(fd, n);
}

static int my_open(const char *path, int flags, int mode)
{
	step();
	return real_open(path, flags, mode);
}

static int my_unlink(const char *path)
{
	step();
	return real_unlink(path);
}

static void hook(const char *name, sqlite3_syscall_ptr mine, void *real)
{
	sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
	sqlite3_syscall_ptr was = vfs->xGetSystemCall(vfs, name);

	if (!was) /* not every build has all of them */
		return;
	memcpy(real, &was, sizeof was);
	assert_int_equal(vfs->xSetSystemCall(vfs, name, mine), SQLITE_OK);
}

static int setup(void **state)
{
	(void)state;
	hook("pwrite", (sqlite3_syscall_ptr)(uintptr_t)my_pwrite, &real_pwrite);
	hook("pwrite64", (sqlite3_syscall_ptr)(uintptr_t)my_pwrite64, &real_pwrite64);
	hook("write", (sqlite3_syscall_ptr)(uintptr_t)my_write, &real_write);
	hook("ftruncate", (sqlite3_syscall_ptr)(uintptr_t)my_ftruncate, &real_ftruncate);
	hook("open", (sqlite3_syscall_ptr)(uintptr_t)my_open, &real_open);
	hook("unlink", (sqlite3_syscall_ptr)(uintptr_t)my_unlink, &real_unlink);
	return 0;
}

static const char *const first[] = { RECORD("MAL-0", "always", EVER), RECORD("MAL-1", "old", EVER),
				     NULL };
static const char *const second[] = { RECORD("MAL-0", "always", EVER), RECORD("MAL-2", "new", EVER),
				      NULL };

static char *top;

static void import_second(void)
{
	(void)records_build(top, "f", second);
}

static void roll_back(void)
{
	pmg_autofree char *path = pmg_path_join(top, "intel.db");
	struct pmg_rollback r;
	struct pmg_err err = PMG_ERR_INIT;

	records_must(pmg_rollback(path, &r, &err), &err);
}

/* @return was it killed before step n? Else it came to its end. */
static bool killed_at(int n, void (*action)(void))
{
	int status = 0;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		left = n;
		action();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		return true;
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	return false;
}

static bool knows(struct pmg_index *index, const char *name)
{
	pmg_auto(index_answer) struct pmg_index_answer answer = { 0 };
	struct pmg_index_question q = { PMG_ECO_NPM, name, "1.0.0", true };
	struct pmg_err err = PMG_ERR_INIT;

	records_must(pmg_index_find(index, &q, &answer, &err), &err);
	return answer.hit == PMG_INDEX_HIT;
}

/* @return is it the new one? */
static bool one_of_the_two(int n)
{
	pmg_autofree char *path = pmg_path_join(top, "intel.db");
	pmg_auto(index) struct pmg_index *index = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	if (pmg_index_open(path, &index, &err) < 0 || pmg_index_check(index, &err) < 0)
		fail_msg("killed at step %d: %s", n, err.msg);
	assert_true(knows(index, "always"));
	assert_int_equal(knows(index, "old") + knows(index, "new"), 1);
	return knows(index, "new");
}

/* @return steps until its end */
static int kill_everywhere(void (*action)(void), bool twice)
{
	int n, at_last = 0;

	for (n = 0; n < STEPS_MAX; n++) {
		top = folder_new();
		(void)records_build(top, "f", first);
		if (twice)
			(void)records_build(top, "f", second);
		if (!killed_at(n, action)) {
			at_last = n;
			n = STEPS_MAX;
		}
		(void)one_of_the_two(n);
		import_second();
		assert_true(one_of_the_two(n));
		folder_free(top);
	}
	return at_last;
}

static void an_import_that_is_killed_at_any_step_leaves_a_whole_index(void **state)
{
	int steps = kill_everywhere(import_second, false);

	(void)state;
	print_message("an import has %d steps\n", steps);
	assert_true(steps > 15); /* else the hooks do not reach it */
}

static void a_rollback_that_is_killed_at_any_step_leaves_a_whole_index(void **state)
{
	int steps = kill_everywhere(roll_back, true);

	(void)state;
	print_message("a rollback has %d steps\n", steps);
	assert_true(steps >= 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_import_that_is_killed_at_any_step_leaves_a_whole_index),
		cmocka_unit_test(a_rollback_that_is_killed_at_any_step_leaves_a_whole_index),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
