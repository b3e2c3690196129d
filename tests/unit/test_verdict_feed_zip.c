#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "../helper/folder.h"
#include "../helper/zip.h"
#include "feed_told.h"

static void an_archive_is_told_by_its_content_and_its_names_are_only_text(void **state)
{
	static const struct zip_entry entries[] = {
		{ .name = "pattern.json/" },
		{ .name = "pattern.json/a.json", .text = "{1" },
		{ .name = "../../../escape.json", .text = "{2" },
		{ .name = "/absolute.json", .text = "{3" },
		{ .name = "README.md", .text = "hello" },
		{ .name = "link.json", .text = "/etc/passwd", .link = true },
		{ .name = "empty.json", .text = "" },
		{ 0 },
	};
	static const char *const lines[] = { "record pattern.json/a.json 2 {1",
					     "record ../../../escape.json 2 {2",
					     "record /absolute.json 2 {3",
					     "other README.md",
					     "unread link.json not a regular file",
					     "record empty.json 0 ",
					     NULL };
	pmg_auto(folder) char *dir = folder_new();
	pmg_autofree char *path = pmg_path_join(dir, "deep/er/feed.json");
	pmg_autofree char *escaped = pmg_path_join(dir, "escape.json");
	pmg_auto(strv) struct pmg_strv told = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	folder_write(dir, "deep/er/feed.json", "", 0);
	zip_write(path, entries, false);
	assert_int_equal(read_feed(path, pmg_feed_limits_default(), &told, &err), 0);
	assert_told(&told, lines);
	assert_int_not_equal(access(escaped, F_OK), 0);
}

static void an_archive_without_entries_is_an_error(void **state)
{
	static const struct zip_entry entries[] = { { 0 } };
	pmg_auto(folder) char *dir = folder_new();
	pmg_autofree char *path = pmg_path_join(dir, "x.zip");
	struct pmg_strv told = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	zip_write(path, entries, false);
	assert_int_equal(read_feed(path, pmg_feed_limits_default(), &told, &err), -PMG_E_PARSE);
	assert_int_equal(told.n, 0);
}

/* 256 MiB of zeros in some 260 kB: unpacked up to the limit and no further. */
static void a_bomb_is_not_unpacked(void **state)
{
	static const struct zip_entry entries[] = {
		{ .name = "a.json", .text = "{1" },
		{ .name = "bomb.json", .zeros = 256U << 20 },
		{ .name = "z.json", .text = "{2" },
		{ 0 },
	};
	static const char *const lines[] = { "record a.json 2 {1",
					     "unread bomb.json larger than 8388608 bytes",
					     "record z.json 2 {2", NULL };
	pmg_auto(folder) char *dir = folder_new();
	pmg_autofree char *path = pmg_path_join(dir, "x.zip");
	pmg_auto(strv) struct pmg_strv told = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	zip_write(path, entries, false);
	assert_int_equal(read_feed(path, pmg_feed_limits_default(), &told, &err), 0);
	assert_told(&told, lines);
}

static void many_small_bombs_meet_the_limit_on_the_whole(void **state)
{
	static const struct zip_entry entries[] = {
		{ .name = "a.json", .zeros = 1000 },
		{ .name = "b.json", .zeros = 1000 },
		{ .name = "c.json", .zeros = 1000 },
		{ 0 },
	};
	static const struct {
		struct pmg_feed_limits limits;
		int r;
	} rows[] = {
		{ { 1000, 3000, 3, 1, 1, 0 }, 0 },
		{ { 1000, 2999, 3, 1, 1, 0 }, -PMG_E_LIMIT },
		{ { 1000, 3000, 2, 1, 1, 0 }, -PMG_E_LIMIT },
	};
	pmg_auto(folder) char *dir = folder_new();
	pmg_autofree char *path = pmg_path_join(dir, "x.zip");
	size_t i;

	(void)state;
	zip_write(path, entries, false);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(strv) struct pmg_strv told = { 0 };
		struct pmg_err err = PMG_ERR_INIT;

		assert_int_equal(read_feed(path, &rows[i].limits, &told, &err), rows[i].r);
		if (rows[i].r < 0)
			assert_non_null(strstr(err.msg, path));
	}
}

static void load(const char *path, char **text, size_t *len)
{
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(pmg_io_slurp(path, 1U << 20, text, len, &err), 0);
}

/* Read by its directory: else it would pass for a smaller feed. */
static void an_archive_that_was_cut_is_an_error_wherever_that_was(void **state)
{
	static const struct zip_entry entries[] = {
		{ .name = "a.json", .text = "{1111111111111111111111" },
		{ .name = "b.json", .text = "{2222222222222222222222" },
		{ 0 },
	};
	pmg_auto(folder) char *dir = folder_new();
	pmg_autofree char *path = pmg_path_join(dir, "x.zip");
	pmg_autofree char *text = NULL;
	size_t len = 0, cut;

	(void)state;
	zip_write(path, entries, true);
	load(path, &text, &len);
	for (cut = 4; cut < len; cut++) {
		pmg_auto(strv) struct pmg_strv told = { 0 };
		struct pmg_err err = PMG_ERR_INIT;

		folder_write(dir, "x.zip", text, cut);
		assert_int_equal(read_feed(path, pmg_feed_limits_default(), &told, &err),
				 -PMG_E_PARSE);
		assert_non_null(strstr(err.msg, path));
		assert_string_equal(err.hint, "the archive is cut or damaged: fetch it again");
		assert_int_equal(told.n, 0);
	}
}

static void an_entry_whose_bytes_changed_is_told_and_the_rest_is_read(void **state)
{
	static const struct zip_entry entries[] = {
		{ .name = "a.json", .text = "{1" },
		{ .name = "b.json", .text = "{bbbbbbbbbbbbbbbbbbbbbbbb" },
		{ .name = "c.json", .text = "{3" },
		{ 0 },
	};
	static const char *const lines[] = { "record a.json 2 {1",
					     "unread b.json cannot be unpacked: ",
					     "record c.json 2 {3", NULL };
	pmg_auto(folder) char *dir = folder_new();
	pmg_autofree char *path = pmg_path_join(dir, "x.zip");
	pmg_autofree char *text = NULL;
	pmg_auto(strv) struct pmg_strv told = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	size_t len = 0;
	char *at;

	(void)state;
	zip_write(path, entries, true);
	load(path, &text, &len);
	at = memmem(text, len, "{bbbb", 5);
	assert_non_null(at);
	at[1] = 'x';
	folder_write(dir, "x.zip", text, len);
	assert_int_equal(read_feed(path, pmg_feed_limits_default(), &told, &err), 0);
	assert_told(&told, lines);
}

/* Deflate data that makes no sense stops libarchive; the reading goes on behind it. */
static void entries_that_cannot_be_inflated_are_told_and_the_rest_is_read(void **state)
{
	static const char words[] = "{one two three four five six seven one two three four five";
	static const struct zip_entry entries[] = {
		{ .name = "a.json", .text = words },
		{ .name = "b.json", .text = words },
		{ .name = "c.json", .text = words },
		{ .name = "d.json", .text = words },
		{ 0 },
	};
	static const char *const lines[] = {
		"record a.json 58 {o", "unread b.json cannot be unpacked: ",
		"unread c.json cannot be unpacked: ", "record d.json 58 {o", NULL
	};
	struct pmg_feed_limits limits = *pmg_feed_limits_default();
	pmg_auto(folder) char *dir = folder_new();
	pmg_autofree char *path = pmg_path_join(dir, "x.zip");
	pmg_autofree char *text = NULL;
	pmg_auto(strv) struct pmg_strv told = { 0 };
	struct pmg_strv again = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	static const char *const names[] = { "b.json", "c.json" };
	size_t len = 0, i;
	char *at;

	(void)state;
	zip_write(path, entries, false);
	load(path, &text, &len);
	for (i = 0; i < PMG_ARRAY_LEN(names); i++) {
		at = memmem(text, len, names[i], 6);
		assert_non_null(at);
		memset(at + 6 + 9 + 4 + 8, 0xff, 8); /* behind the extra fields: the data */
		memset(at + 6 + 24, 0xff, 20);
	}
	folder_write(dir, "x.zip", text, len);
	assert_int_equal(read_feed(path, &limits, &told, &err), 0);
	assert_told(&told, lines);
	limits.broken = 1;
	assert_int_equal(read_feed(path, &limits, &again, &err), -PMG_E_PARSE);
	assert_non_null(strstr(err.msg, "too much of it is broken"));
	pmg_strv_done(&again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_archive_is_told_by_its_content_and_its_names_are_only_text),
		cmocka_unit_test(an_archive_without_entries_is_an_error),
		cmocka_unit_test(a_bomb_is_not_unpacked),
		cmocka_unit_test(many_small_bombs_meet_the_limit_on_the_whole),
		cmocka_unit_test(an_archive_that_was_cut_is_an_error_wherever_that_was),
		cmocka_unit_test(an_entry_whose_bytes_changed_is_told_and_the_rest_is_read),
		cmocka_unit_test(entries_that_cannot_be_inflated_are_told_and_the_rest_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
