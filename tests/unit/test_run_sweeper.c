#include "run/sweeper.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/env.h"
#include "base/path.h"
#include "run/ahead.h"
#include "run/folder.h"
#include "tests/helper/folder.h"

/* What a killed front leaves. */
struct left {
	char folder[512]; /* of the run */
	pid_t sweeper;
};

static struct pmg_strv env_of(const char *root)
{
	struct pmg_strv env = { 0 };

	pmg_env_set(&env, "TMPDIR", root);
	return env;
}

/* In a child: a run that makes what runs make, says so, and waits to be killed. */
static void run_main(const char *root, bool in_order, int report)
{
	struct pmg_strv env = env_of(root);
	struct pmg_sweeper sweeper = PMG_SWEEPER_INIT;
	struct pmg_folder folder = PMG_FOLDER_INIT;
	struct pmg_ahead ahead = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *cache = pmg_path_join(root, "home/cache");
	pmg_autofree char *file = NULL;
	struct left left = { .folder = "" };
	size_t i;

	if (pmg_sweeper_start(&sweeper, &err) < 0 || pmg_folder_make(&env, &folder, &err) < 0 ||
	    pmg_folder_mkdir(&folder, "tmp", &file, &err) < 0)
		_exit(1);
	folder_write(folder.path, "tmp/deep/file", "x", 1);
	pmg_sweeper_add(&sweeper, PMG_SWEEPER_FOLDER, folder.path);
	pmg_ahead_make(&ahead, cache);
	for (i = 0; i < ahead.made.n; i++)
		pmg_sweeper_add(&sweeper, PMG_SWEEPER_AHEAD, ahead.made.v[i]);
	memcpy(left.folder, folder.path, strlen(folder.path) + 1);
	left.sweeper = sweeper.pid;
	if (in_order)
		pmg_sweeper_done(&sweeper);
	if (write(report, &left, sizeof left) != (ssize_t)sizeof left)
		_exit(1);
	for (;;)
		(void)pause();
}

static pid_t start(const char *root, bool in_order, struct left *left)
{
	int fds[2];
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		run_main(root, in_order, fds[1]);
	assert_int_equal(read(fds[0], left, sizeof *left), sizeof *left);
	assert_int_equal(access(left->folder, F_OK), 0);
	(void)close(fds[0]);
	(void)close(fds[1]);
	return pid;
}

static void kill_and_wait(pid_t front, pid_t sweeper)
{
	int status;

	assert_int_equal(kill(front, SIGKILL), 0);
	assert_int_equal(waitpid(front, &status, 0), front);
	assert_true(WIFSIGNALED(status));
	if (sweeper == 0)
		return;
	assert_int_equal(waitpid(sweeper, &status, 0), sweeper); /* an orphan: it came to us */
	assert_int_equal(status, 0);
}

static bool is_there(const char *root, const char *name)
{
	pmg_autofree char *path = pmg_path_join(root, name);

	return access(path, F_OK) == 0;
}

static void what_a_killed_front_made_goes(void **state)
{
	pmg_auto(folder) char *root = folder_new();
	struct left left;
	pid_t front = start(root, false, &left);

	(void)state;
	assert_true(is_there(root, "home/cache"));
	kill_and_wait(front, left.sweeper);
	assert_int_equal(access(left.folder, F_OK), -1);
	assert_int_equal(errno, ENOENT);
	assert_false(is_there(root, "home"));
}

static void what_somebody_uses_stays(void **state)
{
	pmg_auto(folder) char *root = folder_new();
	pmg_autofree char *cache = pmg_path_join(root, "home/cache");
	struct pmg_ahead other = { 0 };
	struct left left;
	pid_t front = start(root, false, &left);

	(void)state;
	pmg_ahead_make(&other, cache); /* another run: it made nothing, but counts on it */
	assert_int_equal(other.made.n, 0);
	kill_and_wait(front, left.sweeper);
	assert_int_equal(access(left.folder, F_OK), -1);
	assert_true(is_there(root, "home/cache"));
	pmg_ahead_done(&other);
	assert_true(is_there(root, "home/cache")); /* not its own */
}

static void one_that_was_dismissed_takes_nothing(void **state)
{
	pmg_auto(folder) char *root = folder_new();
	struct left left;
	pid_t front = start(root, true, &left);

	(void)state;
	kill_and_wait(front, 0);
	assert_int_equal(access(left.folder, F_OK), 0);
	assert_true(is_there(root, "home/cache"));
	assert_true(pmg_folder_sweep(left.folder));
	assert_int_equal(access(left.folder, F_OK), -1);
	assert_true(pmg_folder_sweep(left.folder)); /* gone is gone */
}

static void the_folder_of_a_run_that_lives_is_not_swept(void **state)
{
	pmg_auto(folder) char *root = folder_new();
	pmg_auto(run_folder) struct pmg_folder living = PMG_FOLDER_INIT;
	pmg_auto(strv) struct pmg_strv env = env_of(root);
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_folder_make(&env, &living, &err), 0);
	assert_false(pmg_folder_sweep(living.path));
	assert_int_equal(access(living.path, F_OK), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_killed_front_made_goes),
		cmocka_unit_test(what_somebody_uses_stays),
		cmocka_unit_test(one_that_was_dismissed_takes_nothing),
		cmocka_unit_test(the_folder_of_a_run_that_lives_is_not_swept),
	};

	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
