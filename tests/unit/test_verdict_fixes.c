#include "verdict/fixes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "../helper/folder.h"
#include "../helper/records.h"
#include "base/json.h"
#include "base/str.h"

#define PACKAGE(eco, name) "{\"package\":{\"ecosystem\":\"" eco "\",\"name\":\"" name "\"},"
#define EVENTS(list)       "\"ranges\":[{\"type\":\"SEMVER\",\"events\":[" list "]}]}"

/* `affected`, and "NAME@VERSION " of each fix in it. */
static const struct {
	const char *affected, *fixes;
} rows[] = {
	{ "[]", "" },
	{ "{}", "" },
	{ "[" PACKAGE("npm", "x") EVENTS("{\"introduced\":\"0\"},{\"fixed\":\"1.2\"}") "]",
	  "x@1.2.0 " },
	{ "[" PACKAGE("npm", "x") EVENTS("{\"fixed\":\"1.0.0\"},{\"fixed\":\"2.0.0-rc.1\"}") "]",
	  "x@1.0.0 x@2.0.0-rc.1 " },
	{ "[" PACKAGE("PyPI", "Some_Name") EVENTS("{\"fixed\":\"1.0\"}") "]", "some-name@1 " },
	{ "[" PACKAGE("npm", "x") EVENTS("{\"last_affected\":\"1.0.0\"}") "]", "" },
	{ "[" PACKAGE("npm", "x") EVENTS("{\"fixed\":\"latest\"},{\"fixed\":1}") "]", "" },
	{ "[" PACKAGE("npm", "") EVENTS("{\"fixed\":\"1.0.0\"}") "]", "" },
	{ "[" PACKAGE("Go", "x") EVENTS("{\"fixed\":\"1.0.0\"}") "]", "" },
	{ "[{},1,null," PACKAGE("npm", "y") EVENTS("1,null,{\"fixed\":\"1.0.0\"}") "]",
	  "y@1.0.0 " },
	{ "[" PACKAGE("npm",
		      "x") "\"ranges\":[{\"type\":\"GIT\",\"events\":[{\"fixed\":\"1.0.0\"}]}]}]",
	  "" },
};

static void what_records_name_as_fixed_is_read(void **state)
{
	size_t i, k;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(json) struct json_t *json = NULL;
		pmg_auto(fixes) struct pmg_fixes fixes = { 0 };
		pmg_auto(str) struct pmg_str text = PMG_STR_INIT(4096);
		struct pmg_err err = PMG_ERR_INIT;

		assert_int_equal(pmg_json_parse("row", rows[i].affected, strlen(rows[i].affected),
						&json, &err),
				 0);
		pmg_fixes_read(json, &fixes);
		for (k = 0; k < fixes.n; k++)
			assert_int_equal(
				pmg_str_addf(&text, "%s@%s ", fixes.v[k].name, fixes.v[k].version),
				0);
		assert_string_equal(text.len ? text.s : "", rows[i].fixes);
	}
}

static void look(const char *dir, const char *name, const char *version, const char *want)
{
	pmg_autofree char *path = pmg_path_join(dir, "intel.db");
	pmg_auto(index) struct pmg_index *index = NULL;
	pmg_auto(strv) struct pmg_strv ids = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *all = NULL;

	assert_int_equal(pmg_index_open(path, &index, &err), 0);
	assert_int_equal(pmg_index_find_fixes(index, PMG_ECO_NPM, name, version, &ids, &err), 0);
	all = pmg_strv_join(&ids, " ", 4096);
	assert_string_equal(all, want);
}

#define FIX(id, name, version)                                                                     \
	RECORD(id, name, RANGE("{\"introduced\":\"0\"},{\"fixed\":\"" version "\"}"))
#define GONE(id)                                                                                   \
	"{\"id\":\"" id "\",\"modified\":\"2025-06-04T00:00:00Z\","                                \
	"\"withdrawn\":\"2025-06-05T00:00:00Z\"}"

static void the_index_knows_them_by_feed_and_record(void **state)
{
	static const char *const first[] = { FIX("GHSA-1", "x", "1.0.1"),
					     FIX("GHSA-2", "x", "1.0.1"),
					     FIX("GHSA-3", "y", "2.0.0"),
					     RECORD("MAL-1", "z", EVER), NULL };
	static const char *const other[] = { FIX("GHSA-1", "x", "1.0.2"),
					     RECORD("MAL-2", "z", EVER), NULL };
	static const char *const change[] = { FIX("GHSA-1", "x", "1.0.3"), GONE("GHSA-3"), NULL };
	pmg_auto(folder) char *dir = folder_new();

	(void)state;
	(void)records_build(dir, "one", first);
	look(dir, "x", "1.0.1", "GHSA-1 GHSA-2");
	look(dir, "x", "1.0.0", "");
	look(dir, "y", "2.0.0", "GHSA-3");
	look(dir, "z", "", "");
	(void)records_build(dir, "two", other);
	look(dir, "x", "1.0.1", "GHSA-1 GHSA-2");
	look(dir, "x", "1.0.2", "GHSA-1");
	(void)records_merge(dir, "one", change); /* GHSA-2 was not changed */
	look(dir, "x", "1.0.1", "GHSA-2");
	look(dir, "x", "1.0.3", "GHSA-1");
	look(dir, "x", "1.0.2", "GHSA-1");
	look(dir, "y", "2.0.0", "");
	(void)records_build(dir, "one", other);
	look(dir, "x", "1.0.1", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_records_name_as_fixed_is_read),
		cmocka_unit_test(the_index_knows_them_by_feed_and_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
