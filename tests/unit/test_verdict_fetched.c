#include "verdict/fetched.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "tests/helper/folder.h"
#include "verdict/import.h"
#include "verdict/index.h"

#define NOW 1780000000

static char *top, *index_path, *folder;

static int setup(void **state)
{
	(void)state;
	top = folder_new();
	index_path = pmg_path_join(top, "intel.db");
	folder = pmg_fetched_folder(index_path);
	return mkdir(folder, 0700);
}

static int teardown(void **state)
{
	(void)state;
	free(folder);
	free(index_path);
	folder_free(top);
	return 0;
}

static void what_is_remembered_comes_back(void **state)
{
	static char url[] = "https://h.test/all.zip", etag[] = "\"a\\\"b\"", list[] = "W/\"x\"";
	const struct pmg_fetched was = { .url = url,
					 .etag = etag,
					 .list_etag = list,
					 .checked = 4,
					 .whole_at = 3,
					 .since = -2,
					 .imported = 1,
					 .pending = true };
	pmg_auto(fetched) struct pmg_fetched got = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_fetched_save(folder, "feed", &was, &err), 0);
	pmg_fetched_load(folder, "feed", &got);
	assert_string_equal(got.url, url);
	assert_string_equal(got.etag, etag);
	assert_null(got.last_modified);
	assert_string_equal(got.list_etag, list);
	assert_null(got.list_last_modified);
	assert_int_equal(got.checked, 4);
	assert_int_equal(got.whole_at, 3);
	assert_int_equal(got.since, -2);
	assert_int_equal(got.imported, 1);
	assert_true(got.pending);
	assert_false(got.merged);
}

static void what_cannot_be_read_is_as_if_it_was_not_there(void **state)
{
	static const char *const texts[] = { "", "{", "[]", "{\"url\":1,\"full\":\"x\"}",
					     "{\"url\":\"a\",\"url\":\"b\"}" };
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(texts); i++) {
		pmg_auto(fetched) struct pmg_fetched got = { 0 };

		folder_write(folder, "feed.json", texts[i], strlen(texts[i]));
		pmg_fetched_load(folder, "feed", &got);
		assert_null(got.url);
		assert_int_equal(got.whole_at, 0);
	}
}

static void import(const char *feed, int64_t now)
{
	static const char record[] =
		"{\"id\":\"MAL-1\",\"modified\":\"2026-01-01T00:00:00Z\",\"affected\":[{"
		"\"package\":{\"ecosystem\":\"npm\",\"name\":\"x\"},\"versions\":[\"1.0.0\"]}]}";
	pmg_auto(import_report) struct pmg_import_report report = { 0 };
	pmg_autofree char *path = pmg_path_join(top, "r.json");
	const struct pmg_import_want want = {
		.path = path, .index = index_path, .feed = feed, .now = now
	};
	struct pmg_err err = PMG_ERR_INIT;

	folder_write(top, "r.json", record, strlen(record));
	assert_int_equal(pmg_import(&want, &report, &err), 0);
}

static void heard(const char *feed, int64_t imported, int64_t checked)
{
	static char url[] = "u";
	const struct pmg_fetched fetched = { .url = url, .imported = imported, .checked = checked };
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(pmg_fetched_save(folder, feed, &fetched, &err), 0);
}

static int64_t checked(void)
{
	pmg_auto(index) struct pmg_index *index = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	int64_t when = 0;

	assert_int_equal(pmg_index_open(index_path, &index, &err), 0);
	assert_int_equal(pmg_fetched_checked(index_path, index, &when, &err), 0);
	return when;
}

static void an_index_is_as_old_as_the_feed_that_was_heard_of_longest_ago(void **state)
{
	(void)state;
	import("a", NOW);
	assert_int_equal(checked(), NOW); /* nothing was fetched: when it was built */
	import("b", NOW + 10);
	assert_int_equal(checked(), NOW + 10);
	heard("a", NOW, NOW + 500);
	assert_int_equal(checked(), NOW + 500); /* of b nobody can hear */
	heard("b", NOW + 10, NOW + 300);
	assert_int_equal(checked(), NOW + 300);
	heard("gone", NOW, NOW + 1); /* no feed of this index */
	assert_int_equal(checked(), NOW + 300);
	import("a", NOW + 20); /* by hand: what was heard was of what is no more */
	assert_int_equal(checked(), NOW + 20);
}

/* Also where two indexes are of one date. */
static void of_another_index_nothing_was_heard(void **state)
{
	pmg_auto(fetched) struct pmg_fetched got = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	import("a", NOW);
	heard("a", NOW, NOW + 500);
	assert_int_equal(checked(), NOW + 500);
	folder_write(folder, "broken.json", "{", 1);
	assert_int_equal(pmg_fetched_forget(folder, &err), 0);
	assert_int_equal(checked(), NOW);
	pmg_fetched_load(folder, "a", &got);
	assert_string_equal(got.url, "u");
	assert_int_equal(got.imported, -1);
	assert_int_equal(pmg_fetched_forget("/nonexistent", &err), 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(what_is_remembered_comes_back),
		CASE(what_cannot_be_read_is_as_if_it_was_not_there),
		CASE(of_another_index_nothing_was_heard),
		CASE(an_index_is_as_old_as_the_feed_that_was_heard_of_longest_ago),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
