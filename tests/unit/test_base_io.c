#include "base/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"

#include <cmocka.h>

static char *dir; /* an empty folder, anew for each test */

static int make_dir(void **state)
{
	(void)state;
	dir = pmg_xstrdup("test_base_io.XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int drop_dir(void **state)
{
	struct dirent *entry;
	DIR *d = opendir(dir);

	(void)state;
	while (d && (entry = readdir(d)))
		(void)unlinkat(dirfd(d), entry->d_name, 0);
	(void)closedir(d);
	(void)rmdir(dir);
	free(dir);
	return 0;
}

static char *in_dir(const char *name)
{
	return pmg_path_join(dir, name);
}

static size_t count_files(void)
{
	DIR *d = opendir(dir);
	size_t n = 0;

	while (readdir(d))
		n++;
	(void)closedir(d);
	return n - 2;
}

static void a_file_is_read_up_to_its_limit(void **state)
{
	static const struct {
		size_t size, max;
		int result;
	} rows[] = {
		{ 0, 0, 0 },           { 0, 10, 0 },
		{ 10, 10, 0 },         { 11, 10, -PMG_E_LIMIT },
		{ 200000, 200000, 0 }, { 200000, 199999, -PMG_E_LIMIT },
	};
	pmg_autofree char *path = in_dir("f");
	pmg_autofree char *bytes = pmg_xmalloc(200000);
	struct pmg_err err = PMG_ERR_INIT;
	size_t i, len;

	(void)state;
	memset(bytes, 'x', 200000);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *text = NULL;

		len = 77;
		assert_int_equal(pmg_io_replace(path, bytes, rows[i].size, 0600, &err), 0);
		assert_int_equal(pmg_io_slurp(path, rows[i].max, &text, &len, &err),
				 rows[i].result);
		if (rows[i].result == 0) {
			assert_int_equal(len, rows[i].size);
			assert_int_equal(strlen(text), rows[i].size);
		} else {
			assert_null(text);
			assert_int_equal(len, 77);
			assert_non_null(strstr(err.msg, "larger than"));
		}
	}
}

static void what_is_no_file_is_not_read(void **state)
{
	pmg_autofree char *fifo = in_dir("fifo");
	pmg_autofree char *none = in_dir("none");
	pmg_autofree char *below = in_dir("none/x");
	const struct {
		const char *path;
		int result;
		const char *says;
	} rows[] = {
		{ none, -PMG_E_NOTFOUND, "No such file" },
		{ below, -PMG_E_NOTFOUND, "No such file" },
		{ "/dev/null/x", -PMG_E_NOTFOUND, "Not a directory" },
		{ fifo, -PMG_E_SYS, "not a regular file" }, /* and does not hang */
		{ dir, -PMG_E_SYS, "not a regular file" },
		{ "/dev/zero", -PMG_E_SYS, "not a regular file" },
	};
	struct pmg_err err = PMG_ERR_INIT;
	char *text = NULL;
	size_t i, len = 77;

	(void)state;
	assert_int_equal(mkfifo(fifo, 0600), 0);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		assert_int_equal(pmg_io_slurp(rows[i].path, 100, &text, &len, &err),
				 rows[i].result);
		assert_non_null(strstr(err.msg, rows[i].says));
		assert_non_null(strstr(err.msg, rows[i].path));
		assert_null(text);
		assert_int_equal(len, 77);
	}
}

/* As the tool whose file it is would take it; but what is too large is not taken for nothing. */
static void a_file_of_another_tool_may_be_missing(void **state)
{
	pmg_autofree char *none = in_dir("none");
	pmg_autofree char *file = in_dir("f");
	pmg_autofree char *text = NULL;
	const char *const nothing[] = { none, "/dev/null/x", dir, "/dev/zero" };
	struct pmg_err err = PMG_ERR_INIT;
	size_t i, len = 77;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(nothing); i++) {
		assert_int_equal(pmg_io_slurp_optional(nothing[i], 100, &text, &len, &err), 0);
		assert_null(text);
		assert_int_equal(len, 77);
		assert_string_equal(err.msg, "");
	}
	assert_int_equal(pmg_io_replace(file, "abc", 3, 0600, &err), 0);
	assert_int_equal(pmg_io_slurp_optional(file, 2, &text, &len, &err), -PMG_E_LIMIT);
	assert_null(text);
	assert_non_null(strstr(err.msg, "larger than 2 bytes"));
	assert_int_equal(pmg_io_slurp_optional(file, 3, &text, &len, &err), 0);
	assert_string_equal(text, "abc");
	assert_int_equal(len, 3);
}

static void a_replaced_file_has_its_mode_and_no_leftover(void **state)
{
	pmg_autofree char *path = in_dir("f");
	pmg_autofree char *text = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	struct stat st;
	size_t len;

	(void)state;
	assert_int_equal(pmg_io_replace(path, "old", 3, 0644, &err), 0);
	assert_int_equal(pmg_io_replace(path, "new!", 4, 0600, &err), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(pmg_io_slurp(path, 100, &text, &len, &err), 0);
	assert_string_equal(text, "new!");
	assert_int_equal(count_files(), 1);
}

static void a_failed_replace_leaves_the_old(void **state)
{
	pmg_autofree char *path = in_dir("d");
	pmg_autofree char *below = in_dir("none/f");
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(pmg_io_replace(path, "x", 1, 0600, &err), -PMG_E_SYS);
	assert_int_equal(err.errnum, EISDIR);
	assert_int_equal(count_files(), 1);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(pmg_io_replace(below, "x", 1, 0600, &err), -PMG_E_SYS);
	assert_int_equal(err.errnum, ENOENT);
}

static void folders_are_made_all_the_way(void **state)
{
	pmg_autofree char *path = in_dir("a/b//c/");
	pmg_autofree char *file = in_dir("f");
	pmg_autofree char *through = in_dir("f/x");
	struct pmg_err err = PMG_ERR_INIT;
	char cmd[64];
	struct stat st;

	(void)state;
	assert_int_equal(pmg_io_mkdirs(path, 0700, &err), 0);
	assert_int_equal(pmg_io_mkdirs(path, 0700, &err), 0); /* again */
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(pmg_io_mkdirs("/", 0700, &err), 0);
	assert_int_equal(pmg_io_replace(file, "", 0, 0600, &err), 0);
	assert_int_equal(pmg_io_mkdirs(through, 0700, &err), -PMG_E_SYS);
	assert_int_equal(err.errnum, ENOTDIR);
	assert_int_equal(pmg_io_mkdirs(file, 0700, &err), -PMG_E_SYS); /* a file stands there */
	assert_int_equal(err.errnum, ENOTDIR);
	assert_int_equal(pmg_io_mkdirs("", 0700, &err), -PMG_E_SYS);
	(void)snprintf(cmd, sizeof cmd, "%s/a/b/c", dir);
	assert_int_equal(rmdir(cmd), 0);
	(void)snprintf(cmd, sizeof cmd, "%s/a/b", dir);
	assert_int_equal(rmdir(cmd), 0);
	(void)snprintf(cmd, sizeof cmd, "%s/a", dir);
	assert_int_equal(rmdir(cmd), 0);
}

static void a_closed_pipe_is_an_error(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;
	int fds[2];

	(void)state;
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_int_equal(pmg_io_write_all(fds[1], "abc", 3, &err), 0);
	assert_int_equal(close(fds[0]), 0);
	assert_int_equal(pmg_io_write_all(fds[1], "", 0, &err), 0);
	assert_int_equal(pmg_io_write_all(fds[1], "abc", 3, &err), -PMG_E_SYS);
	assert_int_equal(err.errnum, EPIPE);
	assert_int_equal(close(fds[1]), 0);
}

/* In a child: the descriptors of the test itself shall live. */
static void everything_above_is_closed(void **state)
{
	int status, high;
	pid_t pid;

	(void)state;
	high = fcntl(1, F_DUPFD, 900);
	assert_true(high >= 900);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		pmg_io_close_from(3);
		_exit(fcntl(high, F_GETFD) == -1 && fcntl(3, F_GETFD) == -1 &&
				      fcntl(2, F_GETFD) >= 0
			      ? 0
			      : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(close(high), 0);
}

static void descriptors_between_two_are_closed(void **state)
{
	int low = fcntl(0, F_DUPFD, 100), middle = fcntl(0, F_DUPFD, 110);
	int high = fcntl(0, F_DUPFD, 120);

	(void)state;
	assert_true(low >= 100 && middle > low && high > middle);
	pmg_io_close_between(middle, low); /* nothing */
	assert_true(fcntl(middle, F_GETFD) >= 0);
	pmg_io_close_between(low + 1, high - 1);
	assert_true(fcntl(low, F_GETFD) >= 0);
	assert_int_equal(fcntl(middle, F_GETFD), -1);
	assert_true(fcntl(high, F_GETFD) >= 0);
	assert_int_equal(close(low) | close(high), 0);
}

static void random_bytes_differ(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;
	unsigned char a[32] = { 0 }, b[32] = { 0 };

	(void)state;
	assert_int_equal(pmg_io_random(a, sizeof a, &err), 0);
	assert_int_equal(pmg_io_random(b, sizeof b, &err), 0);
	assert_memory_not_equal(a, b, sizeof a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_file_is_read_up_to_its_limit, make_dir, drop_dir),
		cmocka_unit_test_setup_teardown(what_is_no_file_is_not_read, make_dir, drop_dir),
		cmocka_unit_test_setup_teardown(a_file_of_another_tool_may_be_missing, make_dir,
						drop_dir),
		cmocka_unit_test_setup_teardown(a_replaced_file_has_its_mode_and_no_leftover,
						make_dir, drop_dir),
		cmocka_unit_test_setup_teardown(a_failed_replace_leaves_the_old, make_dir,
						drop_dir),
		cmocka_unit_test_setup_teardown(folders_are_made_all_the_way, make_dir, drop_dir),
		cmocka_unit_test(a_closed_pipe_is_an_error),
		cmocka_unit_test(everything_above_is_closed),
		cmocka_unit_test(descriptors_between_two_are_closed),
		cmocka_unit_test(random_bytes_differ),
	};

	(void)sigaction(SIGPIPE, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
