#include "verdict/feed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "../helper/folder.h"
#include "feed_told.h"

#define LONG "012345678901234567890123456789"

static void a_folder_is_read_with_all_below_and_no_link_is_followed(void **state)
{
	static const char *const lines[] = { "other README.md",
					     "other readme-link",
					     "record a.json 2 ",
					     "record n/pattern.json/@s/b.json 3 ",
					     "record n/pattern.json/odd\n\xff.json 2 ",
					     "unread folder-link.json a symbolic link",
					     "unread link.json a symbolic link",
					     "unread n/fifo.json not a regular file",
					     NULL };
	pmg_auto(folder) char *dir = folder_new();
	pmg_autofree char *fifo = pmg_path_join(dir, "n/fifo.json");
	pmg_autofree char *link = pmg_path_join(dir, "link.json");
	pmg_autofree char *folder_link = pmg_path_join(dir, "folder-link.json");
	pmg_autofree char *other_link = pmg_path_join(dir, "readme-link");
	pmg_auto(strv) struct pmg_strv told = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	folder_write(dir, "a.json", "{}", 2);
	folder_write(dir, "README.md", "hello", 5);
	folder_write(dir, "n/pattern.json/@s/b.json", "[1]", 3);
	folder_write(dir, "n/pattern.json/odd\n\xff.json", "{}", 2);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(symlink("a.json", link), 0);
	assert_int_equal(symlink("n", folder_link), 0);
	assert_int_equal(symlink("README.md", other_link), 0);
	assert_int_equal(read_feed(dir, pmg_feed_limits_default(), &told, &err), 0);
	pmg_strv_sort(&told); /* folders have no order */
	assert_told(&told, lines);
}

static void a_file_is_one_record_whatever_its_name(void **state)
{
	static const char *const lines[] = { "record record 2 ", NULL };
	pmg_auto(folder) char *dir = folder_new();
	pmg_autofree char *path = pmg_path_join(dir, "record");
	pmg_auto(strv) struct pmg_strv told = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	folder_write(dir, "record", "{}", 2);
	assert_int_equal(read_feed(path, pmg_feed_limits_default(), &told, &err), 0);
	assert_told(&told, lines);
}

static void what_is_no_feed_is_an_error(void **state)
{
	pmg_auto(folder) char *dir = folder_new();
	pmg_autofree char *none = pmg_path_join(dir, "none.zip");
	pmg_autofree char *fifo = pmg_path_join(dir, "fifo");
	struct pmg_strv told = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(read_feed(none, pmg_feed_limits_default(), &told, &err), -PMG_E_NOTFOUND);
	assert_non_null(strstr(err.msg, none));
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(read_feed(fifo, pmg_feed_limits_default(), &told, &err), -PMG_E_SYS);
	assert_non_null(strstr(err.msg, "neither a file nor a folder"));
	assert_int_equal(told.n, 0);
}

static void limits_hold(void **state)
{
	static const struct {
		struct pmg_feed_limits limits;
		int r;
		const char *told; /* one line that must be there, or NULL */
	} rows[] = {
		{ { 10, 100, 100, 5, 1, 0 }, 0, "record d/e/f.json 10 01" },
		{ { 9, 100, 100, 5, 1, 0 }, 0, "unread d/e/f.json record: larger than 9 bytes" },
		{ { 10, 100, 100, 1, 1, 0 }, 0, "unread d/e folders are nested too deeply" },
		{ { 10, 11, 100, 5, 1, 0 }, -PMG_E_LIMIT, NULL },
		{ { 10, 12, 100, 5, 1, 0 }, 0, "record a.json 2 {}" },
		{ { 10, 100, 3, 5, 1, 0 }, -PMG_E_LIMIT, NULL },
		{ { 10, 100, 4, 5, 1, 0 }, 0, "record a.json 2 {}" },
	};
	pmg_auto(folder) char *dir = folder_new();
	size_t i;

	(void)state;
	folder_write(dir, "a.json", "{}", 2);
	folder_write(dir, "d/e/f.json", "0123456789", 10);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(strv) struct pmg_strv told = { 0 };
		struct pmg_err err = PMG_ERR_INIT;

		assert_int_equal(read_feed(dir, &rows[i].limits, &told, &err), rows[i].r);
		if (rows[i].told && !pmg_strv_has(&told, rows[i].told))
			fail_msg("row %zu: not told %s", i, rows[i].told);
	}
}

static int refuse(void *arg, const char *path, const char *text, size_t len, struct pmg_err *err)
{
	(void)arg;
	(void)path;
	(void)text;
	(void)len;
	return pmg_err_set(err, PMG_E_DB, 0, "enough");
}

static void the_sink_can_end_the_reading(void **state)
{
	const struct pmg_feed_sink sink = { refuse, told_unread, told_other, NULL, NULL };
	pmg_auto(folder) char *dir = folder_new();
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	folder_write(dir, "a.json", "{}", 2);
	assert_int_equal(pmg_feed_read(dir, pmg_feed_limits_default(), &sink, &err), -PMG_E_DB);
	assert_string_equal(err.msg, "enough");
}

/* One record a line, told by the content alone; a line that is too long does not end it. */
static void lines_of_records_are_read_line_by_line(void **state)
{
	static const struct {
		const char *text;
		const char *told[5];
	} rows[] = {
		{ "{\"id\":1}\n{2}\n", { "record line 1 8 {\"", "record line 2 3 {2" } },
		{ "\n {1}\r\n\n{2}", { "record line 2 5  {", "record line 4 3 {2" } },
		{ "\xef\xbb\xbf{1}\n{2}", { "record line 1 3 {1", "record line 2 3 {2" } },
		{ "{1}\n{" LONG "}\n{3}\n",
		  { "record line 1", "unread line 2 larger than 20 bytes", "record line 3" } },
		{ "{1}\n{" LONG, { "record line 1", "unread line 2 larger than 20 bytes" } },
		{ "{1}", { "record f 3 {1" } },
		{ "{1}\n\n", { "record f 5 {1" } },
		{ "{\n\"a\":{}\n}", { "record f 10 {" } },
		{ "{\"a\":[{}\n,{}]}", { "record f 14 {" } },
	};
	static const struct pmg_feed_limits limits = { 20, 100, 100, 5, 1, 0 };
	pmg_auto(folder) char *dir = folder_new();
	pmg_autofree char *path = pmg_path_join(dir, "f");
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(strv) struct pmg_strv told = { 0 };
		struct pmg_err err = PMG_ERR_INIT;

		folder_write(dir, "f", rows[i].text, strlen(rows[i].text));
		assert_int_equal(read_feed(path, &limits, &told, &err), 0);
		assert_told(&told, rows[i].told);
	}
}

static void lines_are_counted_and_their_bytes_too(void **state)
{
	static const struct pmg_feed_limits few = { 20, 100, 2, 5, 1, 0 },
					    small = { 20, 8, 9, 5, 1, 0 };
	pmg_auto(folder) char *dir = folder_new();
	pmg_autofree char *path = pmg_path_join(dir, "f");
	pmg_auto(strv) struct pmg_strv told = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	folder_write(dir, "f", "{1}\n{2}\n{3}\n", 12);
	assert_int_equal(read_feed(path, &few, &told, &err), -PMG_E_LIMIT);
	assert_int_equal(read_feed(path, &small, &told, &err), -PMG_E_LIMIT);
	assert_int_equal(told.n, 4);
}

static void a_web_page_is_no_feed(void **state)
{
	static const char text[] = "\n<!DOCTYPE html>\n<html><body>503 try later</body></html>\n";
	pmg_auto(folder) char *dir = folder_new();
	pmg_autofree char *path = pmg_path_join(dir, "npm-all.zip");
	pmg_auto(strv) struct pmg_strv told = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	folder_write(dir, "npm-all.zip", text, strlen(text));
	assert_int_equal(read_feed(path, pmg_feed_limits_default(), &told, &err), -PMG_E_PARSE);
	assert_non_null(strstr(err.msg, "a web page, not a feed"));
	assert_int_equal(told.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_folder_is_read_with_all_below_and_no_link_is_followed),
		cmocka_unit_test(a_file_is_one_record_whatever_its_name),
		cmocka_unit_test(what_is_no_feed_is_an_error),
		cmocka_unit_test(limits_hold),
		cmocka_unit_test(lines_of_records_are_read_line_by_line),
		cmocka_unit_test(lines_are_counted_and_their_bytes_too),
		cmocka_unit_test(a_web_page_is_no_feed),
		cmocka_unit_test(the_sink_can_end_the_reading),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
