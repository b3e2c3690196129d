#include "verdict/known.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "tests/helper/folder.h"
#include "verdict/import.h"
#include "verdict/index.h"

static char *top, *index_path;

static int setup(void **state)
{
	(void)state;
	top = folder_new();
	index_path = pmg_path_join(top, "intel.db");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(index_path);
	folder_free(top);
	return 0;
}

#define RECORD(id, eco, name, what)                                                                \
	"{\"id\":\"" id "\",\"modified\":\"2026-01-01T00:00:00Z\",\"affected\":[{\"package\":{"    \
	"\"ecosystem\":\"" eco "\",\"name\":\"" name "\"}," what "}]}\n"
#define AT(id, day)                                                                                \
	"{\"id\":\"" id "\",\"modified\":\"" day "T00:00:00Z\",\"affected\":[{\"package\":{"       \
	"\"ecosystem\":\"npm\",\"name\":\"x\"},\"versions\":[\"1.0.0\"]}]}\n"
#define RANGE(events) "\"ranges\":[{\"type\":\"SEMVER\",\"events\":[" events "]}]"

static const char feed[] = RECORD("MAL-1", "npm", "x", "\"versions\":[\"1.0.0\",\"1.0.1\"]")
	RECORD("MAL-2", "npm", "x", RANGE("{\"introduced\":\"0\"}")) RECORD(
		"MAL-3", "npm", "x", RANGE("{\"introduced\":\"2.0.0\"},{\"fixed\":\"2.1.0\"}"))
		RECORD("MAL-4", "npm", "x",
		       RANGE("{\"introduced\":\"0\"},{\"last_affected\":\"3.0.0\"}"))
			RECORD("MAL-5", "npm", "x", RANGE("{\"introduced\":\"9.0.0\"}"))
				RECORD("MAL-6", "PyPI", "Foo_Bar", "\"versions\":[\"1.0\"]");

static void import_text(const char *text)
{
	pmg_auto(import_report) struct pmg_import_report report = { 0 };
	pmg_autofree char *path = pmg_path_join(top, "feed.jsonl");
	const struct pmg_import_want want = {
		.path = path, .index = index_path, .feed = "f", .now = 1780000000
	};
	struct pmg_err err = PMG_ERR_INIT;

	folder_write(top, "feed.jsonl", text, strlen(text));
	assert_int_equal(pmg_import(&want, &report, &err), 0);
}

static void import(void)
{
	import_text(feed);
}

static void all_that_is_known_of_a_name_is_told(void **state)
{
	static const char *const rows[] = {
		"MAL-1 1.0.0",          "MAL-1 1.0.1",   "MAL-2 all versions",
		"MAL-3 >=2.0.0 <2.1.0", "MAL-4 <=3.0.0", "MAL-5 >=9.0.0",
	};
	pmg_auto(known) struct pmg_known known = { 0 }, other = { 0 }, none = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	import();
	assert_int_equal(pmg_known_load(index_path, PMG_ECO_NPM, "x", &known, &err), 0);
	assert_int_equal(known.n, PMG_ARRAY_LEN(rows));
	assert_false(known.has_more);
	for (i = 0; i < known.n; i++) {
		pmg_autofree char *versions = pmg_known_versions(&known.v[i]);
		pmg_autofree char *row = pmg_xasprintf("%s %s", known.v[i].id, versions);

		assert_string_equal(row, rows[i]);
		assert_string_equal(known.v[i].feed, "f");
	}
	assert_int_equal(pmg_known_load(index_path, PMG_ECO_PYPI, "foo-bar", &other, &err), 0);
	assert_int_equal(other.n, 1);
	assert_int_equal(pmg_known_load(index_path, PMG_ECO_PYPI, "x", &none, &err), 0);
	assert_int_equal(none.n, 0);
}

static void packages_and_records_are_counted_by_ecosystem(void **state)
{
	struct pmg_known_totals totals;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	import();
	assert_int_equal(pmg_known_count(index_path, &totals, &err), 0);
	assert_int_equal(totals.of[PMG_ECO_NPM].packages, 1);
	assert_int_equal(totals.of[PMG_ECO_NPM].records, 5);
	assert_int_equal(totals.of[PMG_ECO_PYPI].packages, 1);
	assert_int_equal(totals.of[PMG_ECO_PYPI].records, 1);
	assert_int_equal(totals.digests, 0);
}

static void a_feed_tells_its_newest_records_and_what_could_not_be_read(void **state)
{
	static const char text[] = AT("MAL-1", "2026-01-01") AT("MAL-2", "2026-01-03")
		AT("MAL-3", "2026-01-02") AT("MAL-4", "2026-01-02") AT("MAL-5", "2025-01-02") AT(
			"MAL-6",
			"2025-12-31") "{\"id\":\"MAL-7\",\"affected\":[{\"package\":{\"ecosystem\":"
				      "\"npm\",\"name\":\"x\"},\"versions\":[\"1.0.0\"]}]}\n"
				      "{\"id\":1}\n{\"id\":\n{}\n";
	pmg_auto(known_feed) struct pmg_known_feed of_f = { .n_faults = 0 },
						   of_g = { .n_faults = 0 };
	pmg_autofree char *newest = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	import_text(text);
	assert_int_equal(pmg_known_of_feed(index_path, "f", &of_f, &err), 0);
	newest = pmg_strv_join(&of_f.newest, " ", 100);
	assert_string_equal(newest, "MAL-2 MAL-3 MAL-4 MAL-1 MAL-6");
	assert_int_equal(of_f.n_faults, 3);
	assert_string_equal(of_f.faults[0].path, "line 10");
	assert_string_equal(of_f.faults[0].reason, "no id");
	assert_string_equal(of_f.faults[1].path, "line 8");
	assert_int_equal(pmg_known_of_feed(index_path, "g", &of_g, &err), 0);
	assert_int_equal(of_g.newest.n + of_g.n_faults, 0);
}

#define NOW 1780000000 /* 2026-05-28 */
#define DAY 86400

/* A small list may have nothing to add for long, and one without dates says nothing. */
static void a_feed_that_has_had_nothing_new_for_long_is_told(void **state)
{
	struct pmg_index_feed rows[] = {
		{ .name = (char[]){ "old" }, .records = 100, .newest = NOW - 30 * DAY - 1 },
		{ .name = (char[]){ "new" }, .records = 100, .newest = NOW - 30 * DAY },
		{ .name = (char[]){ "small" }, .records = 99, .newest = NOW - 300 * DAY },
		{ .name = (char[]){ "dateless" }, .records = 100, .newest = 0 },
		{ .name = (char[]){ "ahead" }, .records = 100, .newest = NOW + DAY },
	};
	const struct pmg_index_feeds feeds = { .v = rows, .n = PMG_ARRAY_LEN(rows) };
	pmg_auto(strv) struct pmg_strv lines = { 0 };

	(void)state;
	pmg_known_old_feeds(&feeds, NOW, &lines);
	assert_int_equal(lines.n, 1);
	assert_string_equal(
		lines.v[0],
		"newest record of old is of 2026-04-28, 30 days ago: is its address still right?");
}

static void without_an_index_nothing_is_known(void **state)
{
	pmg_auto(known) struct pmg_known known = { 0 };
	struct pmg_known_totals totals;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_known_load(index_path, PMG_ECO_NPM, "x", &known, &err),
			 -PMG_E_NOTFOUND);
	assert_int_equal(pmg_known_count(index_path, &totals, &err), -PMG_E_NOTFOUND);
	folder_write(top, "intel.db", "no index", 8);
	assert_int_equal(pmg_known_load(index_path, PMG_ECO_NPM, "x", &known, &err), -PMG_E_DB);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(all_that_is_known_of_a_name_is_told),
		CASE(a_feed_tells_its_newest_records_and_what_could_not_be_read),
		cmocka_unit_test(a_feed_that_has_had_nothing_new_for_long_is_told),
		CASE(packages_and_records_are_counted_by_ecosystem),
		CASE(without_an_index_nothing_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
