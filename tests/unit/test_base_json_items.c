#include "base/json_items.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* All items, and what became of it at the end. */
static char *walk(const char *text, size_t len)
{
	struct pmg_json_items items;
	struct pmg_json_item item = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	pmg_auto(strv) struct pmg_strv told = { 0 };
	int r = pmg_json_items_open("t", text, len, &items, &err);

	while (r == 0 && (r = pmg_json_items_next(&items, &item, &err)) > 0) {
		pmg_strv_addf(&told, "%.*s=%.*s", (int)item.key_len, item.key ? item.key : "",
			      (int)item.len, item.value);
		r = 0;
	}
	pmg_strv_add(&told, r < 0 ? err.msg : "end");
	return pmg_strv_join(&told, " ", SIZE_MAX / 2);
}

static void items_come_one_by_one(void **state)
{
	static const struct {
		const char *text, *told;
	} rows[] = {
		{ "[]", "end" },
		{ " { } \n", "end" },
		{ "[1,\"a\\\"]\",{\"x\":[1,\"}\"]} , null]",
		  "=1 =\"a\\\"]\" ={\"x\":[1,\"}\"]} =null end" },
		{ "{\"a\" : 1,\"b\\\\\":[[]],\"\":{}}", "\"a\"=1 \"b\\\\\"=[[]] \"\"={} end" },
		/* not JSON, which is found by who reads the item */
		{ "[{]},tru]", "={] t:1: ',' or the end is expected" },
		{ "[[}]", "=[} end" },
		{ "[nonsense]", "=nonsense end" },
		{ "", "t:1: neither an array nor an object" },
		{ "\"text\"", "t:1: neither an array nor an object" },
		{ "[", "t:1: a value is expected, or has no end" },
		{ "[1", "=1 t:1: ',' or the end is expected" },
		{ "[1,]", "=1 t:1: a value is expected, or has no end" },
		{ "[,1]", "t:1: a value is expected, or has no end" },
		{ "[1 2]", "=1 t:1: ',' or the end is expected" },
		{ "[1}", "=1 t:1: ',' or the end is expected" },
		{ "[1],", "=1 t:1: something stands behind the end" },
		{ "[1]\n\nx", "=1 t:3: something stands behind the end" },
		{ "[\"a]", "t:1: a value is expected, or has no end" },
		{ "[\"a\\", "t:1: a value is expected, or has no end" },
		{ "[{\"a\":\"}]", "t:1: a value is expected, or has no end" },
		{ "{1:2}", "t:1: a key is expected" },
		{ "{\"a\"}", "t:1: ':' is expected" },
		{ "{\"a\":}", "t:1: a value is expected, or has no end" },
		{ "{\"a", "t:1: a key is expected" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		/* of just that size: a byte too many is seen by the sanitizers */
		pmg_autofree char *text = pmg_xstrndup(rows[i].text, strlen(rows[i].text));
		pmg_autofree char *told = walk(text, strlen(text));

		if (strcmp(told, rows[i].told) != 0)
			fail_msg("%s: %s", rows[i].text, told);
	}
}

static void a_nul_is_no_value(void **state)
{
	pmg_autofree char *told = walk("[\0]", 3);

	(void)state;
	assert_string_equal(told, "t:1: a value is expected, or has no end");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(items_come_one_by_one),
		cmocka_unit_test(a_nul_is_no_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
