#include "verdict/delta.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"

#define SINCE 1767225600 /* 2026-01-01 */

static int parse(const char *text, struct pmg_delta *out, struct pmg_err *err)
{
	return pmg_delta_parse("list", text, strlen(text), SINCE, out, err);
}

static void what_was_changed_since_then_is_taken_in_any_order(void **state)
{
	pmg_auto(delta) struct pmg_delta delta = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *file = NULL;

	(void)state;
	assert_int_equal(parse("2026-01-02T00:00:00.123456Z,MAL-2026-1\n"
			       "2025-12-31T23:59:59Z,MAL-2025-1\r\n"
			       "\n"
			       "2026-01-01T00:00:00Z,GHSA-x_y\r\n"
			       "2026-01-01T01:00:00+02:00,MAL-2025-2\n"
			       "2026-01-03T00:00:00Z,MAL-2026-1",
			       &delta, &err),
			 0);
	assert_int_equal(delta.lines, 5);
	assert_int_equal(delta.unread, 0);
	assert_int_equal(delta.n, 3);
	assert_string_equal(delta.v[0].id, "MAL-2026-1");
	assert_string_equal(delta.v[1].id, "GHSA-x_y");
	file = pmg_delta_file(&delta.v[0]);
	assert_string_equal(file, "MAL-2026-1~2026-01-02T00:00:00.123456Z.json");
	assert_string_equal(delta.v[2].stamp, "2026-01-03T00:00:00Z");
}

static void a_line_that_could_lead_elsewhere_is_none(void **state)
{
	static const char *const bad[] = {
		"2026-01-02T00:00:00Z,../../x",
		"2026-01-02T00:00:00Z,a/b",
		"2026-01-02T00:00:00Z,a.json",
		"2026-01-02T00:00:00Z,-x",
		"2026-01-02T00:00:00Z,",
		"2026-01-02T00:00:00Z",
		",MAL-2026-1",
		"2026-13-02T00:00:00Z,MAL-2026-1",
		"2026-01-02T00:00:00Z,MAL 1",
		"2026-01-02T00:00:00Z,MAL-1,x",
		"2026-01-02T00:00:00Z,MAL-1?x=%2e",
		"/../2026-01-02T00:00:00Z,MAL-1",
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(bad); i++) {
		pmg_auto(delta) struct pmg_delta alone = { 0 }, beside = { 0 };
		pmg_autofree char *text =
			pmg_xasprintf("%s\n2026-01-02T00:00:00Z,MAL-2026-1\n", bad[i]);
		struct pmg_err err = PMG_ERR_INIT;

		assert_int_equal(parse(bad[i], &alone, &err), -PMG_E_PARSE);
		assert_int_equal(parse(text, &beside, &err), 0);
		assert_int_equal(beside.unread, 1);
		assert_int_equal(beside.n, 1);
	}
}

static void an_id_has_a_largest_length(void **state)
{
	char id[PMG_DELTA_ID_MAX + 2];
	pmg_auto(delta) struct pmg_delta exact = { 0 }, more = { 0 };
	pmg_autofree char *text = NULL;
	pmg_autofree char *longer = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	memset(id, 'a', sizeof id);
	id[PMG_DELTA_ID_MAX + 1] = '\0';
	longer = pmg_xasprintf("2026-01-02T00:00:00Z,%s", id);
	id[PMG_DELTA_ID_MAX] = '\0';
	text = pmg_xasprintf("2026-01-02T00:00:00Z,%s", id);
	assert_int_equal(parse(text, &exact, &err), 0);
	assert_int_equal(parse(longer, &more, &err), -PMG_E_PARSE);
}

static void with_too_many_of_them_the_whole_is_cheaper(void **state)
{
	pmg_auto(str) struct pmg_str text = PMG_STR_INIT(1 << 20);
	pmg_auto(delta) struct pmg_delta exact = { 0 }, more = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	unsigned i;

	(void)state;
	for (i = 0; i < PMG_DELTA_MAX; i++)
		assert_int_equal(pmg_str_addf(&text, "2026-01-02T00:00:00Z,M-%u\n", i), 0);
	assert_int_equal(pmg_str_adds(&text, "2020-01-02T00:00:00Z,M-old\n"), 0);
	assert_int_equal(parse(text.s, &exact, &err), 0);
	assert_int_equal(exact.n, PMG_DELTA_MAX);
	assert_int_equal(pmg_str_adds(&text, "2026-01-02T00:00:00Z,M-more\n"), 0);
	assert_int_equal(parse(text.s, &more, &err), -PMG_E_LIMIT);
	assert_int_equal(more.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_changed_since_then_is_taken_in_any_order),
		cmocka_unit_test(a_line_that_could_lead_elsewhere_is_none),
		cmocka_unit_test(an_id_has_a_largest_length),
		cmocka_unit_test(with_too_many_of_them_the_whole_is_cheaper),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
