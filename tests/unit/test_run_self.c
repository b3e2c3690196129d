#include "run/self.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "base/path.h"
#include "base/str.h"
#include "tests/helper/folder.h"

/*
 * The place of a program decides where it looks for its helpers, so this
 * program runs copies of itself, which print what they find.
 */
static int print_helper(const char *name)
{
	pmg_autofree char *path = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	int r = pmg_self_helper(name, &path, &err);

	(void)printf("%s", r < 0 ? err.msg : path);
	return r < 0 ? -r : 0;
}

static void put_program(const char *root, const char *name)
{
	pmg_autofree char *path = pmg_path_join(root, name);
	pmg_autofree char *bytes = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	size_t len;

	assert_int_equal(pmg_io_slurp("/proc/self/exe", 64U << 20, &bytes, &len, &err), 0);
	folder_write(root, name, bytes, len);
	assert_int_equal(chmod(path, 0755), 0);
}

/* What the copy says, and its status. */
static int ask(const char *root, const char *program, const char *helper, char *said, size_t max)
{
	pmg_autofree char *path = pmg_path_join(root, program);
	int fds[2], status;
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		if (dup2(fds[1], 1) == 1)
			(void)execl(path, program, "--helper", helper, (char *)NULL);
		_exit(99);
	}
	(void)close(fds[1]);
	n = read(fds[0], said, max - 1);
	said[n > 0 ? n : 0] = '\0';
	(void)close(fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

#define BIN     "moved" PMG_BINDIR
#define LIBEXEC "moved" PMG_LIBEXECDIR

static void helpers_are_found_beside_or_where_they_were_moved_along(void **state)
{
	pmg_auto(folder) char *root = folder_new();
	pmg_autofree char *beside = pmg_path_join(root, BIN "/pmg-test-helper");
	pmg_autofree char *moved = pmg_path_join(root, LIBEXEC "/pmg-test-helper");
	char said[4096];

	(void)state;
	put_program(root, BIN "/pmg");
	assert_int_equal(ask(root, BIN "/pmg", "pmg-test-helper", said, sizeof said),
			 PMG_E_NOTFOUND);
	folder_write(root, LIBEXEC "/pmg-test-helper", "x", 1);
	assert_int_equal(ask(root, BIN "/pmg", "pmg-test-helper", said, sizeof said), 0);
	assert_string_equal(said, moved);
	folder_write(root, BIN "/pmg-test-helper", "x", 1);
	assert_int_equal(ask(root, BIN "/pmg", "pmg-test-helper", said, sizeof said), 0);
	assert_string_equal(said, beside);
}

static void a_helper_that_others_could_have_put_there_is_refused(void **state)
{
	pmg_auto(folder) char *root = folder_new();
	pmg_autofree char *helper = pmg_path_join(root, "pmg-test-helper");
	char said[4096];

	(void)state;
	put_program(root, "pmg");
	folder_write(root, "pmg-test-helper", "x", 1);
	assert_int_equal(chmod(helper, 0757), 0);
	assert_int_equal(ask(root, "pmg", "pmg-test-helper", said, sizeof said), PMG_E_UNSUPPORTED);
	assert_non_null(strstr(said, "is writable by everybody"));
	assert_int_equal(chmod(helper, 0755), 0);
	assert_int_equal(ask(root, "pmg", "pmg-test-helper", said, sizeof said), 0);
	if (geteuid() != 0)
		return;
	assert_int_equal(chown(helper, 12345, 12345), 0);
	assert_int_equal(ask(root, "pmg", "pmg-test-helper", said, sizeof said), PMG_E_UNSUPPORTED);
	assert_non_null(strstr(said, "belongs to somebody else"));
}

static void other_programs_and_odd_files_are_not_pmg(void **state)
{
	static const char *const names[] = { "/bin/sh", "/dev/null", "/nowhere" };
	pmg_auto(folder) char *root = folder_new();
	pmg_autofree char *copy = pmg_path_join(root, "copy");
	pmg_autofree char *cut = pmg_path_join(root, "cut");
	struct stat st = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(names); i++)
		assert_false(pmg_self_is(names[i], &st));
	put_program(root, "copy"); /* this program has no note */
	assert_int_equal(stat(copy, &st), 0);
	assert_false(pmg_self_is(copy, &st));
	put_program(root, "cut");
	assert_int_equal(truncate(cut, 80), 0);
	assert_false(pmg_self_is(cut, &st));
	assert_int_equal(stat("/proc/self/exe", &st), 0);
	assert_true(pmg_self_is("/proc/self/exe", &st));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(helpers_are_found_beside_or_where_they_were_moved_along),
		cmocka_unit_test(a_helper_that_others_could_have_put_there_is_refused),
		cmocka_unit_test(other_programs_and_odd_files_are_not_pmg),
	};

	if (argc == 3 && strcmp(argv[1], "--helper") == 0)
		return print_helper(argv[2]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
