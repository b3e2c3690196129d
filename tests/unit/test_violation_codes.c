#include "violation/codes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void rows_are_sorted_and_whole(void **state)
{
	const struct pmg_code_row *row;
	int before = 2000;

	(void)state;
	for (row = pmg_codes(); row->code; row++) {
		assert_true(row->code > before && (row->code < 3000 || row->code == 3008));
		assert_non_null(row->name);
		assert_true(strcmp(row->severity, "notice") == 0 ||
			    strcmp(row->severity, "medium") == 0 ||
			    strcmp(row->severity, "high") == 0);
		assert_true(strcmp(row->disposition, "denied") != 0 || row->malicious);
		before = row->code;
	}
}

static void a_code_is_found_by_its_number(void **state)
{
	(void)state;
	assert_string_equal(pmg_code_find(2001)->name, "read denied");
	assert_null(pmg_code_find(2010));
	assert_null(pmg_code_find(0));
}

static void each_access_has_a_code_that_is_called_after_it(void **state)
{
	static const char *const names[PMG_ACCESS_MAX] = {
		[PMG_ACCESS_READ] = "read denied",
		[PMG_ACCESS_WRITE] = "write denied",
		[PMG_ACCESS_EXEC] = "exec denied",
		[PMG_ACCESS_CONNECT] = "network denied",
		[PMG_ACCESS_BIND] = "bind denied",
		[PMG_ACCESS_UNIX] = "local socket denied",
		[PMG_ACCESS_ENV] = "environment stripped",
	};
	enum pmg_access access;

	(void)state;
	for (access = 0; access < PMG_ACCESS_MAX; access++)
		assert_string_equal(pmg_code_find(pmg_code_of_access(access))->name, names[access]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_sorted_and_whole),
		cmocka_unit_test(a_code_is_found_by_its_number),
		cmocka_unit_test(each_access_has_a_code_that_is_called_after_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
