#include "verdict/known.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "tests/helper/folder.h"
#include "verdict/import.h"

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
#define RANGE(events) "\"ranges\":[{\"type\":\"SEMVER\",\"events\":[" events "]}]"

static const char feed[] = RECORD("MAL-1", "npm", "x", "\"versions\":[\"1.0.0\",\"1.0.1\"]")
	RECORD("MAL-2", "npm", "x", RANGE("{\"introduced\":\"0\"}")) RECORD(
		"MAL-3", "npm", "x", RANGE("{\"introduced\":\"2.0.0\"},{\"fixed\":\"2.1.0\"}"))
		RECORD("MAL-4", "npm", "x",
		       RANGE("{\"introduced\":\"0\"},{\"last_affected\":\"3.0.0\"}"))
			RECORD("MAL-5", "npm", "x", RANGE("{\"introduced\":\"9.0.0\"}"))
				RECORD("MAL-6", "PyPI", "Foo_Bar", "\"versions\":[\"1.0\"]");

static void import(void)
{
	pmg_auto(import_report) struct pmg_import_report report = { 0 };
	pmg_autofree char *path = pmg_path_join(top, "feed.jsonl");
	const struct pmg_import_want want = {
		.path = path, .index = index_path, .feed = "f", .now = 1780000000
	};
	struct pmg_err err = PMG_ERR_INIT;

	folder_write(top, "feed.jsonl", feed, strlen(feed));
	assert_int_equal(pmg_import(&want, &report, &err), 0);
	assert_int_equal(report.result.records, 6);
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
		CASE(packages_and_records_are_counted_by_ecosystem),
		CASE(without_an_index_nothing_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
