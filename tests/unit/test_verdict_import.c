#include "verdict/import.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../helper/folder.h"
#include "../helper/records.h"
#include "base/str.h"
#include "verdict/judge.h"

static void write_text(const char *dir, const char *name, const char *text)
{
	folder_write(dir, name, text, strlen(text));
}

static void every_file_is_accounted_for(void **state)
{
	pmg_auto(folder) char *dir = folder_new();
	pmg_autofree char *feed = pmg_path_join(dir, "feed");
	pmg_autofree char *index = pmg_path_join(dir, "state/intel.db");
	pmg_auto(import_report) struct pmg_import_report r = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	write_text(dir, "feed/1.json", RECORD("MAL-1", "x", EVER));
	write_text(dir, "feed/2.json", RECORD("MAL-2", "y", RANGE("{\"introduced\":\"soon\"}")));
	write_text(dir, "feed/2-again.json", RECORD("MAL-2", "y", EVER));
	write_text(dir, "feed/3.json", RECORD("MAL-0000-3", "z", EVER));
	write_text(dir, "feed/4.json", RECORD("CVE-2025-4", "z", EVER));
	write_text(dir, "feed/5.json", "{\"id\":\"MAL-5\",\"withdrawn\":\"2025-01-01T00:00:00Z\"}");
	write_text(dir, "feed/6.json",
		   "{\"id\":\"MAL-6\",\"affected\":[{\"package\":{\"ecosystem\":\"RubyGems\","
		   "\"name\":\"g\"},\"versions\":[\"1\"]}]}");
	write_text(dir, "feed/b/7.json", "{");
	write_text(dir, "feed/a/8.json", RECORD("MAL-8", "x", "\"versions\":[]"));
	write_text(dir, "feed/LICENSE", "text");
	if (records_import(feed, index, "osv", &r, &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(r.read, 7);
	assert_int_equal(r.unread, 2);
	assert_int_equal(r.not_malware, 1);
	assert_int_equal(r.tests, 1);
	assert_int_equal(r.other_files, 1);
	assert_int_equal(r.other_ecosystems, 1);
	assert_int_equal(r.result.records, 2);
	assert_int_equal(r.result.withdrawn, 1);
	assert_int_equal(r.result.duplicates, 1);
	assert_int_equal(r.result.packages, 2);
	assert_int_equal(r.faults.n, 2);
	assert_string_equal(r.faults.v[0].path, "a/8.json");
	assert_string_equal(r.faults.v[0].text, "affected[0]: neither versions nor ranges");
	assert_string_equal(r.faults.v[1].path, "b/7.json");
	assert_int_equal(r.notes.n, 1);
	assert_string_equal(r.notes.v[0].path, "2.json");
	assert_non_null(strstr(r.notes.v[0].text, "\"soon\" is no version"));
}

static void what_is_merged_leaves_the_other_records(void **state)
{
	pmg_auto(folder) char *dir = folder_new();
	pmg_autofree char *feed = pmg_path_join(dir, "feed");
	pmg_autofree char *change = pmg_path_join(dir, "change");
	pmg_autofree char *index = pmg_path_join(dir, "intel.db");
	struct pmg_import_want want = {
		.path = change, .index = index, .feed = "osv", .now = RECORDS_NOW, .merge = true
	};
	pmg_auto(import_report) struct pmg_import_report r = { 0 };
	pmg_auto(import_report) struct pmg_import_report merged = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	write_text(dir, "feed/1.json", RECORD("MAL-1", "x", EVER));
	write_text(dir, "feed/2.json", RECORD("MAL-2", "y", EVER));
	write_text(dir, "change/2.json",
		   "{\"id\":\"MAL-2\",\"withdrawn\":\"2026-01-01T00:00:00Z\"}");
	write_text(dir, "change/3.json", RECORD("MAL-3", "z", EVER));
	assert_int_equal(records_import(feed, index, "osv", &r, &err), 0);
	assert_int_equal(pmg_import(&want, &merged, &err), 0);
	assert_int_equal(merged.read, 2);
	assert_int_equal(merged.result.records, 2);
	assert_int_equal(merged.result.withdrawn, 1);
}

static void vulnerabilities_alone_make_an_empty_index_not_an_error(void **state)
{
	pmg_auto(folder) char *dir = folder_new();
	pmg_autofree char *feed = pmg_path_join(dir, "feed");
	pmg_autofree char *index = pmg_path_join(dir, "intel.db");
	pmg_auto(import_report) struct pmg_import_report r = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	write_text(dir, "feed/1.json", RECORD("GHSA-1", "x", EVER));
	assert_int_equal(records_import(feed, index, "osv", &r, &err), 0);
	assert_int_equal(r.not_malware, 1);
	assert_int_equal(r.result.total, 0);
}

static void a_feed_without_a_record_leaves_the_index_as_it_was(void **state)
{
	static const struct {
		const char *file, *text, *why;
	} rows[] = {
		{ "bad/none.txt", "x", "no record in it" },
		{ "bad/1.json", "{\n", "not one record can be read: 1.json: record:" },
	};
	pmg_auto(folder) char *dir = folder_new();
	pmg_autofree char *good = pmg_path_join(dir, "good");
	pmg_autofree char *bad = pmg_path_join(dir, "bad");
	pmg_autofree char *index = pmg_path_join(dir, "intel.db");
	pmg_autofree char *before = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	size_t len = 0, len_after = 0, i;

	(void)state;
	write_text(dir, "good/1.json", RECORD("MAL-1", "x", EVER));
	{
		pmg_auto(import_report) struct pmg_import_report r = { 0 };

		assert_int_equal(records_import(good, index, "osv", &r, &err), 0);
	}
	assert_int_equal(pmg_io_slurp(index, 1U << 20, &before, &len, &err), 0);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *after = NULL;
		struct pmg_import_report r = { 0 };

		write_text(dir, rows[i].file, rows[i].text);
		assert_int_equal(records_import(bad, index, "osv", &r, &err), -PMG_E_PARSE);
		if (!strstr(err.msg, bad) || !strstr(err.msg, rows[i].why) || strchr(err.msg, '\n'))
			fail_msg("%s", err.msg);
		assert_non_null(strstr(err.hint, "OSV records"));
		assert_null(r.faults.v);
		assert_int_equal(pmg_io_slurp(index, 1U << 20, &after, &len_after, &err), 0);
		assert_int_equal(len, len_after);
		assert_memory_equal(before, after, len);
	}
}

/* 10,000 deep: neither the stack nor the index minds. */
static char *deep(const char *before, char open, const char *after)
{
	struct pmg_str text = PMG_STR_INIT(100000);
	int i, r = pmg_str_adds(&text, before);

	for (i = 0; r == 0 && i < 10000; i++)
		r = pmg_str_add(&text, &open, 1);
	assert_int_equal(r == 0 ? pmg_str_adds(&text, after) : r, 0);
	return pmg_str_steal(&text);
}

static void what_is_no_feed_leaves_the_index_as_it_was(void **state)
{
	pmg_autofree char *nested = deep("{\"id\":\"MAL-1\",\"affected\":", '[', "");
	pmg_autofree char *lists = deep("", '[', "");
	pmg_autofree char *braces = deep("schema_version: ", '[', "");
	const struct {
		const char *text, *why;
		size_t len;
		int code;
	} rows[] = {
		{ "<html><body>503</body></html>", "a web page, not a feed", 0, PMG_E_PARSE },
		{ "PK\3\4 and no more", "", 0, PMG_E_PARSE },
		{ "\x1f\x8b\x08 and no more", "", 0, PMG_E_PARSE },
		{ "\x28\xb5\x2f\xfd and no more", "", 0, PMG_E_PARSE },
		{ nested, "not one record can be read", 0, PMG_E_PARSE },
		{ lists, "has no end", 0, PMG_E_PARSE },
		{ braces, ":1:", 0, PMG_E_LIMIT },
		{ "\0\0\0\0", "not one record can be read", 4, PMG_E_PARSE },
		{ "", "not one record can be read", 0, PMG_E_PARSE },
	};
	pmg_auto(folder) char *dir = folder_new();
	pmg_autofree char *good = pmg_path_join(dir, "good.json");
	pmg_autofree char *bad = pmg_path_join(dir, "npm.json");
	pmg_autofree char *index = pmg_path_join(dir, "intel.db");
	pmg_auto(import_report) struct pmg_import_report first = { 0 };
	pmg_autofree char *before = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	size_t len = 0, len_after = 0, i;
	int r;

	(void)state;
	write_text(dir, "good.json", RECORD("MAL-1", "x", EVER));
	assert_int_equal(records_import(good, index, "osv", &first, &err), 0);
	assert_int_equal(pmg_io_slurp(index, 1U << 20, &before, &len, &err), 0);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *after = NULL;
		struct pmg_import_report report = { 0 };

		folder_write(dir, "npm.json", rows[i].text,
			     rows[i].len ? rows[i].len : strlen(rows[i].text));
		r = records_import(bad, index, "osv", &report, &err);
		if (r != -rows[i].code || !strstr(err.msg, bad) || !strstr(err.msg, rows[i].why))
			fail_msg("row %zu: %d: %s", i, r, err.msg);
		assert_int_equal(pmg_io_slurp(index, 1U << 20, &after, &len_after, &err), 0);
		assert_int_equal(len, len_after);
		assert_memory_equal(before, after, len);
	}
}

#define GONE(id) "{\"id\":\"" id "\",\"withdrawn\":\"2025-07-01T00:00:00Z\"}"

static void a_feed_that_had_records_is_not_emptied(void **state)
{
	static const struct {
		const char *feed, *first, *second; /* records of 1.json and 2.json */
		int code;
	} rows[] = {
		{ "osv", RECORD("MAL-1", "x", EVER), RECORD("MAL-2", "y", EVER), 0 },
		{ "other", RECORD("MAL-9", "z", EVER), RECORD("GHSA-1", "x", EVER), 0 },
		{ "osv", RECORD("GHSA-1", "x", EVER), RECORD("GHSA-2", "x", EVER), PMG_E_PARSE },
		{ "osv", RECORD("MAL-0000-1", "x", EVER), GONE("MAL-1"), PMG_E_PARSE },
		{ "new", RECORD("GHSA-1", "x", EVER), GONE("MAL-1"), 0 },
		{ "new", RECORD("GHSA-1", "x", EVER), RECORD("GHSA-2", "x", EVER), 0 },
		{ "osv", GONE("MAL-1"), GONE("MAL-2"), 0 }, /* said so, one by one */
	};
	static const uint64_t totals[] = { 2, 3, 0, 0, 3, 3, 1 };
	pmg_auto(folder) char *dir = folder_new();
	pmg_autofree char *path = pmg_path_join(dir, "feed");
	pmg_autofree char *index = pmg_path_join(dir, "intel.db");
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(import_report) struct pmg_import_report r = { 0 };
		pmg_autofree char *before = NULL;
		pmg_autofree char *after = NULL;
		struct pmg_err err = PMG_ERR_INIT, scratch = PMG_ERR_INIT;
		size_t len = 0, len_after = 0;

		write_text(dir, "feed/1.json", rows[i].first);
		write_text(dir, "feed/2.json", rows[i].second);
		if (rows[i].code)
			assert_int_equal(pmg_io_slurp(index, 1U << 20, &before, &len, &scratch), 0);
		if (records_import(path, index, rows[i].feed, &r, &err) != -rows[i].code)
			fail_msg("row %zu: %s", i, err.msg);
		assert_int_equal(r.result.total, totals[i]);
		if (!rows[i].code)
			continue;
		if (!strstr(err.msg, path) || !strstr(err.msg, "the feed \"osv\" has 2 in the"))
			fail_msg("%s", err.msg);
		assert_non_null(strstr(err.hint, "--accept"));
		assert_int_equal(pmg_io_slurp(index, 1U << 20, &after, &len_after, &scratch), 0);
		assert_int_equal(len, len_after);
		assert_memory_equal(before, after, len);
	}
}

static void a_feed_gets_its_name_from_its_file(void **state)
{
	static const struct {
		const char *path, *name;
	} rows[] = {
		{ "/x/npm-all.zip", "npm-all" },
		{ "feeds/osv/", "osv" },
		{ "MAL-2025-1.json", "MAL-2025-1" },
		{ "my feed(2).zip", "my-feed-2-" },
		{ "..zip", NULL },
		{ "/", NULL },
		{ "-.zip", NULL },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *name = pmg_import_name(rows[i].path);

		if (!pmg_streq(name, rows[i].name))
			fail_msg("%s: %s", rows[i].path, name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_file_is_accounted_for),
		cmocka_unit_test(what_is_merged_leaves_the_other_records),
		cmocka_unit_test(vulnerabilities_alone_make_an_empty_index_not_an_error),
		cmocka_unit_test(a_feed_without_a_record_leaves_the_index_as_it_was),
		cmocka_unit_test(what_is_no_feed_leaves_the_index_as_it_was),
		cmocka_unit_test(a_feed_that_had_records_is_not_emptied),
		cmocka_unit_test(a_feed_gets_its_name_from_its_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
