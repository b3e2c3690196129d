#include "verdict/index_rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../helper/records.h"

#define OF_X "\"package\":{\"ecosystem\":\"npm\",\"name\":\"x\"}"

static struct pmg_rows rows_of(const char *bytes, size_t len)
{
	return (struct pmg_rows){ bytes, bytes + len };
}

/* All that a column holds, apart by commas. */
static char *versions_text(struct pmg_rows rows)
{
	pmg_auto(strv) struct pmg_strv all = { 0 };
	const char *version;

	while ((version = pmg_rows_version(&rows)))
		pmg_strv_add(&all, version);
	pmg_strv_add(&all, pmg_rows_is_damaged(&rows) ? "damaged" : "whole");
	return pmg_strv_join(&all, ",", 1000);
}

static char *ranges_text(struct pmg_rows rows)
{
	pmg_auto(strv) struct pmg_strv all = { 0 };
	struct pmg_rows_range range;

	while (pmg_rows_range(&rows, &range))
		pmg_strv_addf(&all, "%s%s%s", range.low, range.inclusive ? "<=" : "<", range.high);
	pmg_strv_add(&all, pmg_rows_is_damaged(&rows) ? "damaged" : "whole");
	return pmg_strv_join(&all, ",", 1000);
}

/* Records repeat themselves, and entries of one package come in any order. */
static void entries_of_a_package_are_packed_together(void **state)
{
	static const char text[] =
		"{\"id\":\"MAL-1\",\"affected\":["
		"{" OF_X
		",\"versions\":[\"2.0.0\",\"1.0.0\",\"v1.0.0\"],\"ranges\":[{\"type\":\"SEMVER\","
		"\"events\":[{\"introduced\":\"3.0.0\"},{\"fixed\":\"4.0.0\"}]}]},"
		"{" OF_X
		",\"versions\":[\"odd one\",\"1.0.0\"],\"ranges\":[{\"type\":\"SEMVER\",\"events\":"
		"[{\"introduced\":\"3.0.0\"},{\"last_affected\":\"4.0.0\"}]},{\"type\":\"SEMVER\","
		"\"events\":[{\"introduced\":\"0\"},{\"fixed\":\"0.1.0\"}]}]}]}";
	pmg_auto(osv) struct pmg_osv record = { 0 };
	pmg_auto(str) struct pmg_str versions = PMG_STR_INIT(PMG_ROWS_MAX);
	pmg_auto(str) struct pmg_str ranges = PMG_STR_INIT(PMG_ROWS_MAX);
	pmg_autofree char *got_versions = NULL, *got_ranges = NULL;
	const struct pmg_osv_affected *entries[2];
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	records_must(pmg_osv_parse(text, strlen(text), &record, &err), &err);
	assert_int_equal(record.n_affected, 2);
	entries[0] = &record.affected[1];
	entries[1] = &record.affected[0];
	assert_int_equal(pmg_rows_pack(entries, 2, &versions, &ranges, &err), 0);
	got_versions = versions_text(rows_of(versions.s, versions.len));
	got_ranges = ranges_text(rows_of(ranges.s, ranges.len));
	assert_string_equal(got_versions, "1.0.0,2.0.0,odd one,whole");
	assert_string_equal(got_ranges, "<0.1.0,3.0.0<=4.0.0,whole");
}

static void a_column_has_a_limit(void **state)
{
	struct pmg_osv_affected a = { .name = (char[]){ "x" } };
	const struct pmg_osv_affected *entry = &a;
	pmg_auto(str) struct pmg_str versions = PMG_STR_INIT(7);
	pmg_auto(str) struct pmg_str ranges = PMG_STR_INIT(7);
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	pmg_strv_add(&a.versions, "1.0.0");
	assert_int_equal(pmg_rows_pack(&entry, 1, &versions, &ranges, &err), 0);
	pmg_strv_add(&a.versions, "2.0.0");
	assert_int_equal(pmg_rows_pack(&entry, 1, &versions, &ranges, &err), -PMG_E_LIMIT);
	assert_string_equal(err.msg, "a record says too much of x");
	pmg_strv_done(&a.versions);
}

static void damage_is_told_from_an_end(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *versions, *ranges;
	} rows[] = {
		{ "", 0, "whole", "whole" },
		{ "<1\0"
		  "2\0",
		  5, "<1,2,whole", "1<2,whole" },
		{ "=\0\0", 3, "=,,whole", "<=,whole" },
		{ "<1\0"
		  "2",
		  4, "<1,damaged", "damaged" },
		{ "<1\0", 3, "<1,whole", "damaged" },
		{ "<1", 2, "damaged", "damaged" },
		{ "1\0"
		  "2\0",
		  4, "1,2,whole", "damaged" },
		{ "<\0\0>\0\0", 6, "<,,>,,whole", "<,damaged" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		/* of just that size: a byte too many is seen by the sanitizers */
		pmg_autofree char *bytes = rows[i].len ? pmg_xcalloc(1, rows[i].len) : NULL;
		pmg_autofree char *versions = NULL, *ranges = NULL;

		if (rows[i].len > 0)
			memcpy(bytes, rows[i].bytes, rows[i].len);
		versions = versions_text(bytes ? rows_of(bytes, rows[i].len)
					       : (struct pmg_rows){ NULL, NULL });
		ranges = ranges_text(bytes ? rows_of(bytes, rows[i].len)
					   : (struct pmg_rows){ NULL, NULL });
		assert_string_equal(versions, rows[i].versions);
		assert_string_equal(ranges, rows[i].ranges);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_of_a_package_are_packed_together),
		cmocka_unit_test(a_column_has_a_limit),
		cmocka_unit_test(damage_is_told_from_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
