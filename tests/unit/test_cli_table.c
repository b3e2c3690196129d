#include "cli/table.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const heads[] = { "NAME", "WHAT", "URL", NULL };

static char *printed(const struct pmg_table *table)
{
	char *text = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&text, &len);

	pmg_table_print(table, to);
	assert_int_equal(fclose(to), 0);
	return text;
}

static void columns_are_aligned_and_cells_are_safe(void **state)
{
	static const char *const one[] = { "a", "r\xc3\xa9sum\xc3\xa9", NULL };
	static const char *const two[] = { "long-name", "x\033", "u" };
	pmg_auto(table) struct pmg_table *table = pmg_table_new(heads);
	pmg_autofree char *text = NULL;

	(void)state;
	pmg_table_add(table, one);
	pmg_table_add(table, two);
	text = printed(table);
	assert_int_equal(pmg_table_rows(table), 2);
	assert_string_equal(text, "NAME       WHAT    URL\n"
				  "a          r\xc3\xa9sum\xc3\xa9\n"
				  "long-name  x\\x1b   u\n");
}

static void a_table_without_rows_prints_nothing(void **state)
{
	pmg_auto(table) struct pmg_table *table = pmg_table_new(heads);
	pmg_autofree char *text = printed(table);

	(void)state;
	assert_string_equal(text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_aligned_and_cells_are_safe),
		cmocka_unit_test(a_table_without_rows_prints_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
