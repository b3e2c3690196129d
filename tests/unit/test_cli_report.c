#include "cli/report.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/helper/folder.h"

static char *root;

static int make_root(void **state)
{
	(void)state;
	root = folder_new();
	folder_write(root, "file", "old", 3);
	return 0;
}

static int remove_root(void **state)
{
	(void)state;
	folder_free(root);
	return 0;
}

/* Opens and writes. */
static int report_to(const char *path, struct pmg_err *err)
{
	pmg_auto(record) struct pmg_record record = { .id = "r-1" };
	pmg_auto(report) struct pmg_report report = PMG_REPORT_INIT;
	int r = pmg_report_open(path, &report, err);

	record.tool = pmg_xstrdup("npm");
	return r < 0 ? r : pmg_report_write(&report, &record, err);
}

static void assert_holds_record(const char *path)
{
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;
	size_t len;

	assert_int_equal(pmg_io_slurp(path, 4096, &text, &len, &err), 0);
	assert_non_null(strstr(text, "\"r-1\""));
	assert_int_equal(text[len - 1], '\n');
}

static void a_link_stays_and_its_file_is_replaced(void **state)
{
	pmg_autofree char *file = pmg_path_join(root, "file");
	pmg_autofree char *link = pmg_path_join(root, "link");
	struct pmg_err err = PMG_ERR_INIT;
	struct stat st;

	(void)state;
	assert_int_equal(symlink("file", link), 0);
	assert_int_equal(report_to(link, &err), 0);
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_holds_record(file);
}

static void a_new_file_is_made(void **state)
{
	pmg_autofree char *file = pmg_path_join(root, "new");
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(report_to(file, &err), 0);
	assert_holds_record(file);
}

static void a_fifo_behind_a_link_is_written_into(void **state)
{
	pmg_autofree char *fifo = pmg_path_join(root, "fifo");
	pmg_autofree char *link = pmg_path_join(root, "to-fifo");
	struct pmg_err err = PMG_ERR_INIT;
	char text[4096] = "";
	struct stat st;
	int fd;

	(void)state;
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(symlink("fifo", link), 0);
	fd = open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(report_to(link, &err), 0);
	assert_true(read(fd, text, sizeof text - 1) > 0);
	assert_non_null(strstr(text, "\"r-1\""));
	(void)close(fd);
	assert_int_equal(lstat(fifo, &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
}

static void a_pipe_that_nobody_reads_any_more_is_an_error(void **state)
{
	pmg_auto(record) struct pmg_record record = { .id = "r-1" };
	pmg_auto(report) struct pmg_report report = PMG_REPORT_INIT;
	struct pmg_err err = PMG_ERR_INIT;
	int fds[2];

	(void)state;
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	(void)close(fds[0]);
	report.fd = fds[1];
	record.tool = pmg_xstrdup("npm");
	assert_int_equal(pmg_report_write(&report, &record, &err), -PMG_E_SYS);
	assert_int_equal(err.errnum, EPIPE);
}

static void what_cannot_be_written_is_refused_before_the_run(void **state)
{
	static const struct {
		const char *name;
		int errnum;
	} rows[] = {
		{ "no/folder", ENOENT },
		{ "file/below", ENOTDIR },
		{ ".", EISDIR },
		{ "dangling", ENOENT },
	};
	pmg_autofree char *link = pmg_path_join(root, "dangling");
	size_t i;

	(void)state;
	assert_int_equal(symlink("nowhere", link), 0);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *path = pmg_xasprintf("%s/%s", root, rows[i].name);
		struct pmg_report report = PMG_REPORT_INIT;
		struct pmg_err err = PMG_ERR_INIT;

		assert_int_equal(pmg_report_open(path, &report, &err), -PMG_E_USAGE);
		assert_int_equal(err.errnum, rows[i].errnum);
		assert_null(report.path);
		assert_int_equal(report.fd, -1);
	}
}

static void standard_output_is_not_taken(void **state)
{
	struct pmg_report report = PMG_REPORT_INIT;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_report_open("-", &report, &err), -PMG_E_USAGE);
	assert_string_equal(err.hint, "standard output is the tool's: name a file");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_link_stays_and_its_file_is_replaced),
		cmocka_unit_test(a_new_file_is_made),
		cmocka_unit_test(a_fifo_behind_a_link_is_written_into),
		cmocka_unit_test(a_pipe_that_nobody_reads_any_more_is_an_error),
		cmocka_unit_test(what_cannot_be_written_is_refused_before_the_run),
		cmocka_unit_test(standard_output_is_not_taken),
	};

	return cmocka_run_group_tests(tests, make_root, remove_root);
}
