#include "run/folder.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/env.h"
#include "base/path.h"
#include "base/str.h"
#include "tests/helper/folder.h"

static void env_of(struct pmg_strv *env, const char *runtime, const char *tmp)
{
	if (runtime)
		pmg_env_set(env, "XDG_RUNTIME_DIR", runtime);
	pmg_env_set(env, "TMPDIR", tmp);
}

static void a_folder_is_private_lives_and_goes(void **state)
{
	pmg_auto(folder) char *root = folder_new();
	pmg_auto(strv) struct pmg_strv env = { 0 };
	struct pmg_folder folder = PMG_FOLDER_INIT;
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *path = NULL;
	struct stat st;
	int fd;

	(void)state;
	env_of(&env, NULL, root);
	assert_int_equal(pmg_folder_make(&env, &folder, &err), 0);
	path = pmg_xstrdup(folder.path);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_true(pmg_str_has_prefix(path, root));
	assert_true(pmg_folder_is_live(path));
	fd = pmg_folder_create(&folder, "bundle.pem", &err);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(close(fd), 0);
	assert_int_equal(pmg_folder_create(&folder, "bundle.pem", &err), -PMG_E_SYS);
	pmg_folder_done(&folder);
	assert_int_equal(access(path, F_OK), -1);
	assert_false(pmg_folder_is_live(path));
	pmg_folder_done(&folder);
}

static void the_folder_of_a_killed_run_is_swept_and_a_living_one_stays(void **state)
{
	pmg_auto(folder) char *root = folder_new();
	pmg_auto(strv) struct pmg_strv env = { 0 };
	pmg_auto(run_folder) struct pmg_folder living = PMG_FOLDER_INIT;
	pmg_auto(run_folder) struct pmg_folder next = PMG_FOLDER_INIT;
	struct pmg_err err = PMG_ERR_INIT;
	char dead[512];
	int fds[2], status;
	ssize_t n;
	pid_t pid;

	(void)state;
	env_of(&env, NULL, root);
	assert_int_equal(pmg_folder_make(&env, &living, &err), 0);
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct pmg_folder folder = PMG_FOLDER_INIT;

		if (pmg_folder_make(&env, &folder, &err) < 0 ||
		    pmg_folder_create(&folder, "bundle.pem", &err) < 0)
			_exit(1);
		_exit(write(fds[1], folder.path, strlen(folder.path)) < 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	n = read(fds[0], dead, sizeof dead - 1);
	assert_true(n > 0);
	dead[n] = '\0';
	(void)close(fds[0]);
	(void)close(fds[1]);
	assert_int_equal(access(dead, F_OK), 0);
	assert_false(pmg_folder_is_live(dead));
	assert_int_equal(pmg_folder_make(&env, &next, &err), 0);
	assert_int_equal(access(dead, F_OK), -1);
	assert_true(pmg_folder_is_live(living.path));
}

static void nothing_is_left_and_runs_that_come_and_go_at_once_all_get_one(void **state)
{
	enum { RUNS = 6, ROUNDS = 20 };
	pmg_auto(folder) char *root = folder_new();
	pmg_auto(strv) struct pmg_strv env = { 0 };
	pid_t pids[RUNS];
	int i, k, status;

	(void)state;
	env_of(&env, NULL, root);
	for (i = 0; i < RUNS; i++) {
		pids[i] = fork();
		assert_true(pids[i] >= 0);
		for (k = 0; pids[i] == 0 && k < ROUNDS; k++) {
			struct pmg_folder folder = PMG_FOLDER_INIT;
			struct pmg_err err = PMG_ERR_INIT;

			if (pmg_folder_make(&env, &folder, &err) < 0 ||
			    !pmg_folder_is_live(folder.path))
				_exit(1);
			pmg_folder_done(&folder);
		}
		if (pids[i] == 0)
			_exit(0);
	}
	for (i = 0; i < RUNS; i++) {
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
	assert_int_equal(rmdir(root), 0); /* it is empty */
}

static void XDG_RUNTIME_DIR_counts_only_when_it_is_private(void **state)
{
	static const struct {
		mode_t mode;
		bool used;
	} rows[] = { { 0700, true }, { 0750, false }, { 0701, false } };
	pmg_auto(folder) char *root = folder_new();
	pmg_autofree char *runtime = pmg_path_join(root, "runtime");
	pmg_autofree char *tmp = pmg_path_join(root, "tmp");
	size_t i;

	(void)state;
	assert_int_equal(mkdir(runtime, 0700), 0);
	assert_int_equal(mkdir(tmp, 0777), 0);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(strv) struct pmg_strv env = { 0 };
		pmg_auto(run_folder) struct pmg_folder folder = PMG_FOLDER_INIT;
		struct pmg_err err = PMG_ERR_INIT;

		env_of(&env, runtime, tmp);
		assert_int_equal(chmod(runtime, rows[i].mode), 0);
		assert_int_equal(pmg_folder_make(&env, &folder, &err), 0);
		assert_int_equal(pmg_str_has_prefix(folder.path, runtime), rows[i].used);
	}
}

static void a_base_folder_that_others_may_enter_is_refused(void **state)
{
	pmg_auto(folder) char *root = folder_new();
	pmg_autofree char *base = pmg_xasprintf("%s/pmg-%lu", root, (unsigned long)geteuid());
	pmg_autofree char *elsewhere = pmg_path_join(root, "elsewhere");
	pmg_auto(strv) struct pmg_strv env = { 0 };
	struct pmg_folder folder = PMG_FOLDER_INIT;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	env_of(&env, NULL, root);
	assert_int_equal(mkdir(base, 0755), 0);
	assert_int_equal(pmg_folder_make(&env, &folder, &err), -PMG_E_SYS);
	assert_null(folder.path);
	assert_int_equal(rmdir(base), 0);
	assert_int_equal(mkdir(elsewhere, 0700), 0);
	assert_int_equal(symlink(elsewhere, base), 0);
	assert_int_equal(pmg_folder_make(&env, &folder, &err), -PMG_E_SYS);
	assert_string_not_equal(err.hint, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_folder_is_private_lives_and_goes),
		cmocka_unit_test(the_folder_of_a_killed_run_is_swept_and_a_living_one_stays),
		cmocka_unit_test(nothing_is_left_and_runs_that_come_and_go_at_once_all_get_one),
		cmocka_unit_test(XDG_RUNTIME_DIR_counts_only_when_it_is_private),
		cmocka_unit_test(a_base_folder_that_others_may_enter_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
