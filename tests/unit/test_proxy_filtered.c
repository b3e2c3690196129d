#include "proxy/filtered.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "splicing.h"

/* Members of lists are single letters here, capital ones are left out. */
static void commas_go_with_what_is_left_out(void **state)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "[]", "[]" },
		{ "[a]", "[a]" },
		{ "[A]", "[]" },
		{ "[ A ]", "[  ]" },
		{ "[a,b,c]", "[a,b,c]" },
		{ "[A,b,c]", "[b,c]" },
		{ "[a,B,c]", "[a,c]" },
		{ "[a,b,C]", "[a,b]" },
		{ "[A,B,c]", "[c]" },
		{ "[a,B,C]", "[a]" },
		{ "[A,B,C]", "[]" },
		{ "[A,b,C]", "[b]" },
		{ "[a,B,c,D,e]", "[a,c,e]" },
		{ "[ A , b , C ]", "[ b ]" },
		{ "[\n a,\n B,\n c\n]", "[\n a,\n c\n]" },
	};
	size_t i, at;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(splice) struct pmg_splice splice = PMG_SPLICE_INIT;
		struct pmg_members members = { .splice = &splice };
		struct pmg_err err = PMG_ERR_INIT;
		pmg_autofree char *got = NULL;
		size_t len = strlen(rows[i].text);

		for (at = 0; at < len; at++)
			if (strchr("abcdeABCDE", rows[i].text[at]))
				assert_int_equal(pmg_members_next(&members, at, at + 1,
								  rows[i].text[at] < 'a', &err),
						 0);
		assert_int_equal(pmg_members_finish(&members, &err), 0);
		assert_int_equal(pmg_splice_seal(&splice, len, &err), 0);
		got = splicing_apply(&splice, rows[i].text, len, len);
		assert_string_equal(got, rows[i].want);
	}
}

static void what_is_withheld_is_kept_for_the_report(void **state)
{
	pmg_auto(filtered) struct pmg_filtered filtered = PMG_FILTERED_INIT;
	char version[] = "1.0.0", tag[] = "latest";

	(void)state;
	pmg_filtered_add(&filtered, version, NULL, 5, 7);
	pmg_filtered_add(&filtered, NULL, "a.whl", PMG_PUBLISHED_NONE, PMG_WITHHELD_UNREADABLE);
	pmg_filtered_retag(&filtered, tag, version, NULL);
	pmg_filtered_retag(&filtered, "next", "2.0.0", "1.9.0");
	version[0] = tag[0] = 'x';
	assert_int_equal(filtered.n, 2);
	assert_string_equal(filtered.withheld[0].version, "1.0.0");
	assert_null(filtered.withheld[0].file);
	assert_int_equal(filtered.withheld[0].published, 5);
	assert_int_equal(filtered.withheld[0].reason, 7);
	assert_null(filtered.withheld[1].version);
	assert_string_equal(filtered.withheld[1].file, "a.whl");
	assert_int_equal(filtered.tags_n, 2);
	assert_string_equal(filtered.tags[0].tag, "latest");
	assert_string_equal(filtered.tags[0].was, "1.0.0");
	assert_null(filtered.tags[0].now);
	assert_string_equal(filtered.tags[1].now, "1.9.0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commas_go_with_what_is_left_out),
		cmocka_unit_test(what_is_withheld_is_kept_for_the_report),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
