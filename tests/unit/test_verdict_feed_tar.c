#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "../helper/folder.h"
#include "../helper/zip.h"
#include "feed_told.h"

static const struct zip_entry entries[] = {
	{ .name = "osv/" },
	{ .name = "osv/a.json", .text = "{1" },
	{ .name = "../../../escape.json", .text = "{2" },
	{ .name = "README.md", .text = "hello" },
	{ .name = "link.json", .text = "/etc/passwd", .link = true },
	{ .name = "empty.json", .text = "" },
	{ .name = "z.json", .text = "{3" },
	{ 0 },
};
static const char *const lines[] = { "record osv/a.json 2 {1",
				     "record ../../../escape.json 2 {2",
				     "other README.md",
				     "unread link.json not a",
				     "record empty.json 0 ",
				     "record z.json 2 {3",
				     NULL };
static const enum zip_tar_filter filters[] = { ZIP_TAR_PLAIN, ZIP_TAR_GZIP, ZIP_TAR_ZSTD };

static void archives_are_told_by_their_content_and_their_names_are_only_text(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(filters); i++) {
		pmg_auto(folder) char *dir = folder_new();
		pmg_autofree char *path = pmg_path_join(dir, "deep/er/feed.json");
		pmg_autofree char *escaped = pmg_path_join(dir, "escape.json");
		pmg_auto(strv) struct pmg_strv told = { 0 };
		struct pmg_err err = PMG_ERR_INIT;

		folder_write(dir, "deep/er/feed.json", "", 0);
		zip_write_tar(path, entries, filters[i]);
		if (read_feed(path, pmg_feed_limits_default(), &told, &err) < 0)
			fail_msg("filter %zu: %s", i, err.msg);
		assert_told(&told, lines);
		assert_int_not_equal(access(escaped, F_OK), 0);
	}
}

/* Wherever it was cut, and be it between two entries: never a smaller feed. */
static void an_archive_that_was_cut_is_an_error(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(filters); i++) {
		pmg_auto(folder) char *dir = folder_new();
		pmg_autofree char *path = pmg_path_join(dir, "x.tar");
		pmg_autofree char *text = NULL;
		struct pmg_err err = PMG_ERR_INIT;
		size_t len = 0, cut, end;

		zip_write_tar(path, entries, filters[i]);
		assert_int_equal(pmg_io_slurp(path, 1U << 20, &text, &len, &err), 0);
		end = filters[i] == ZIP_TAR_PLAIN ? 11U * 512U : len; /* zeros follow */
		for (cut = filters[i] == ZIP_TAR_PLAIN ? 512 : 10; cut < end;
		     cut += filters[i] == ZIP_TAR_PLAIN ? 256 : 5) {
			pmg_auto(strv) struct pmg_strv told = { 0 };

			folder_write(dir, "x.tar", text, cut);
			if (read_feed(path, pmg_feed_limits_default(), &told, &err) != -PMG_E_PARSE)
				fail_msg("filter %zu, cut at %zu of %zu", i, cut, len);
			assert_non_null(strstr(err.hint, "fetch it again"));
		}
	}
}

/* A gigabyte in some kilobytes, in a file that nobody asked for: not unpacked to its end. */
static void a_bomb_beside_the_records_is_not_unpacked(void **state)
{
	static const struct zip_entry bomb[] = {
		{ .name = "a.json", .text = "{1" },
		{ .name = "bomb.bin", .zeros = 64U << 20 },
		{ 0 },
	};
	static const struct pmg_feed_limits limits = { 100, 1U << 20, 100, 5, 1, 0 };
	size_t i;

	(void)state;
	for (i = 1; i < PMG_ARRAY_LEN(filters); i++) {
		pmg_auto(folder) char *dir = folder_new();
		pmg_autofree char *path = pmg_path_join(dir, "x.tar");
		pmg_auto(strv) struct pmg_strv told = { 0 };
		struct pmg_err err = PMG_ERR_INIT;

		zip_write_tar(path, bomb, filters[i]);
		assert_int_equal(read_feed(path, &limits, &told, &err), -PMG_E_LIMIT);
		assert_non_null(strstr(err.msg, "more than 1048576 bytes unpacked"));
		assert_int_equal(told.n, 2);
	}
}

static void a_record_has_its_limit(void **state)
{
	static const struct zip_entry large[] = {
		{ .name = "a.json", .zeros = 101 },
		{ .name = "b.json", .text = "{2" },
		{ 0 },
	};
	static const char *const told_lines[] = { "unread a.json larger than 100 bytes",
						  "record b.json 2 {2", NULL };
	static const struct pmg_feed_limits limits = { 100, 1U << 20, 100, 5, 1, 0 };
	pmg_auto(folder) char *dir = folder_new();
	pmg_autofree char *path = pmg_path_join(dir, "x.tar");
	pmg_auto(strv) struct pmg_strv told = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	zip_write_tar(path, large, ZIP_TAR_ZSTD);
	assert_int_equal(read_feed(path, &limits, &told, &err), 0);
	assert_told(&told, told_lines);
}

static void what_is_packed_and_no_tar_is_an_error(void **state)
{
	static const char gzip_of_nothing[] = "\x1f\x8b\x08\0\0\0\0\0\0\3\3\0\0\0\0\0\0\0\0\0";
	pmg_auto(folder) char *dir = folder_new();
	pmg_autofree char *path = pmg_path_join(dir, "x.gz");
	pmg_auto(strv) struct pmg_strv told = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	folder_write(dir, "x.gz", gzip_of_nothing, sizeof gzip_of_nothing - 1);
	assert_int_equal(read_feed(path, pmg_feed_limits_default(), &told, &err), -PMG_E_PARSE);
	assert_int_equal(told.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(archives_are_told_by_their_content_and_their_names_are_only_text),
		cmocka_unit_test(an_archive_that_was_cut_is_an_error),
		cmocka_unit_test(a_bomb_beside_the_records_is_not_unpacked),
		cmocka_unit_test(a_record_has_its_limit),
		cmocka_unit_test(what_is_packed_and_no_tar_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
