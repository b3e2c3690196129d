#include "verdict/gates.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../helper/folder.h"
#include "../helper/records.h"
#include "base/str.h"
#include "pm/version.h"
#include "verdict/popular.h"

#define AT(id, name, when, rest)                                                                   \
	"{\"id\":\"" id "\",\"modified\":\"" when                                                  \
	"\",\"affected\":[{\"package\":{\"ecosystem\":\"npm\",\"name\":\"" name "\"}," rest "}]}"
#define ONE(id)  AT(id, "n" id, "2025-06-04T00:00:00Z", VERSIONS("\"1.0.0\""))
#define GONE(id) "{\"id\":\"" id "\",\"withdrawn\":\"2025-07-01T00:00:00Z\"}"
#define TEN                                                                                        \
	ONE("MAL-0"), ONE("MAL-1"), ONE("MAL-2"), ONE("MAL-3"), ONE("MAL-4"), ONE("MAL-5"),        \
		ONE("MAL-6"), ONE("MAL-7"), ONE("MAL-8")

/* The feed as it was, as it is, and what is found; "" for nothing. */
static const struct {
	const char *before[12], *after[12];
	const char *found[4];
} rows[] = {
	{ { TEN, ONE("MAL-9") }, { TEN, ONE("MAL-9") }, { NULL } },
	{ { TEN, ONE("MAL-9") }, { TEN }, { NULL } }, /* a tenth may go */
	{ { TEN, ONE("MAL-9") },
	  { ONE("MAL-0"), ONE("MAL-1"), ONE("MAL-2"), ONE("MAL-3"), ONE("MAL-4"), ONE("MAL-5"),
	    ONE("MAL-6"), ONE("MAL-7") },
	  { "8 records, where the feed \"f\" has 10 in the index" } },
	{ { TEN, ONE("MAL-9") },
	  { ONE("MAL-0"), ONE("MAL-1"), ONE("MAL-2"), ONE("MAL-3"), ONE("MAL-4"), ONE("MAL-5"),
	    ONE("MAL-6"), GONE("MAL-7"), GONE("MAL-8") },
	  { NULL } },
	{ { TEN }, { GONE("MAL-0") }, { "no record of malware in it; the feed \"f\" has 9" } },
	{ { ONE("MAL-0") }, { GONE("MAL-0") }, { NULL } },
	{ { AT("MAL-1", "x", "2025-06-04T00:00:00Z", EVER) },
	  { AT("MAL-1", "x", "2025-06-03T00:00:00Z", EVER) },
	  { "its newest record is of 2025-06-03T00:00:00Z, before that of the index: "
	    "2025-06-04" } },
	{ { AT("MAL-1", "x", "2025-06-04T00:00:00Z", EVER) },
	  { AT("MAL-1", "x", "2025-06-05T00:00:00Z", EVER) },
	  { NULL } },
	{ { ONE("MAL-0") },
	  { ONE("MAL-0"), RECORD("MAL-1", "react", EVER), RECORD("MAL-2", "lodash", EVER),
	    RECORD("MAL-3", "react", EVER) },
	  { "all versions of lodash, react, which everybody uses, are called malware" } },
	{ { NULL }, { RECORD("MAL-1", "react", EVER) }, { "all versions of react, which" } },
	{ { RECORD("MAL-1", "react", EVER) }, /* was accepted once */
	  { RECORD("MAL-2", "react", EVER) },
	  { NULL } },
	{ { NULL },
	  { RECORD("MAL-1", "react", RANGE("{\"introduced\":\"0.0.0\"}")) },
	  { "all versions of react, which" } },
	{ { NULL },
	  { RECORD("MAL-1", "react", VERSIONS("\"1.0.0\"")),
	    RECORD("MAL-2", "chalk", RANGE("{\"introduced\":\"5.6.1\"}")),
	    RECORD("MAL-3", "debug", RANGE("{\"introduced\":\"0\"},{\"fixed\":\"1.0.0\"}")),
	    RECORD("MAL-4", "reacct", EVER), RECORD_PYPI("MAL-5", "react", EVER) },
	  { NULL } },
	{ { NULL },
	  { RECORD("MAL-1", "react", EVER), RECORD("MAL-2", "vue", EVER),
	    RECORD("MAL-3", "chalk", EVER), RECORD("MAL-4", "axios", EVER),
	    RECORD("MAL-5", "debug", EVER), RECORD_PYPI("MAL-6", "Requests", EVER) },
	  { "all versions of axios, chalk, debug, react, vue and 1 more that everybody uses" } },
	{ { AT("MAL-1", "x", "2025-06-04T00:00:00Z", EVER),
	    AT("MAL-2", "y", "2025-06-04T00:00:00Z", EVER) },
	  { AT("MAL-2", "react", "2025-06-03T00:00:00Z", EVER) },
	  { "1 record, where", "its newest record", "all versions of react" } },
};

static int finish(const char *dir, const char *const *texts, bool guard, bool accept,
		  struct pmg_strv *found, struct pmg_err *err)
{
	pmg_autofree char *path = pmg_path_join(dir, "intel.db");
	pmg_auto(build) struct pmg_build *build = NULL;
	struct pmg_build_result result;

	records_must(pmg_build_open(path, "f", &build, err), err);
	for (; *texts; texts++)
		records_add(build, *texts);
	if (guard)
		pmg_build_guard(build, accept, found);
	return pmg_build_finish(build, RECORDS_NOW, &result, err);
}

static void assert_found(size_t row, const struct pmg_strv *found)
{
	size_t i;

	for (i = 0; rows[row].found[i]; i++)
		if (i >= found->n || !pmg_str_has_prefix(found->v[i], rows[row].found[i]))
			fail_msg("row %zu: %s, not %s", row, i < found->n ? found->v[i] : "nothing",
				 rows[row].found[i]);
	if (found->n != i)
		fail_msg("row %zu: %s", row, found->v[i]);
}

static void a_feed_that_looks_wrong_is_refused_unless_it_is_accepted(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(folder) char *dir = folder_new();
		pmg_auto(strv) struct pmg_strv found = { 0 };
		pmg_auto(strv) struct pmg_strv accepted = { 0 };
		struct pmg_err err = PMG_ERR_INIT;
		int r;

		if (rows[i].before[0])
			records_must(finish(dir, rows[i].before, false, false, NULL, &err), &err);
		r = finish(dir, rows[i].after, true, false, &found, &err);
		assert_found(i, &found);
		assert_int_equal(r, rows[i].found[0] ? -PMG_E_PARSE : 0);
		if (r == 0)
			continue;
		assert_int_equal(err.diag, PMG_DIAG_FEED);
		assert_non_null(strstr(err.msg, found.v[found.n - 1]));
		assert_non_null(strstr(err.hint, "--accept"));
		assert_int_equal(finish(dir, rows[i].after, true, true, &accepted, &err), 0);
		assert_found(i, &accepted);
	}
}

static void popular_names_are_canonical_sorted_and_many(void **state)
{
	const struct pmg_popular *p = pmg_popular_names;
	size_t n[PMG_ECO_MAX] = { 0 };

	(void)state;
	for (; p->name; p++) {
		pmg_autofree char *canonical = pmg_name_canonical(p->eco, p->name);

		assert_string_equal(canonical, p->name);
		n[p->eco]++;
		if (p > pmg_popular_names && p[-1].eco == p->eco)
			assert_true(strcmp(p[-1].name, p->name) < 0);
	}
	assert_true(n[PMG_ECO_NPM] >= 200);
	assert_true(n[PMG_ECO_PYPI] >= 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_feed_that_looks_wrong_is_refused_unless_it_is_accepted),
		cmocka_unit_test(popular_names_are_canonical_sorted_and_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
