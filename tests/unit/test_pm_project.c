#include "pm/project.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../helper/folder.h"
#include "base/str.h"

static int setup(void **state)
{
	static const char *const files[] = { "top",
					     "packages/a/f",
					     "packages/b/f",
					     "packages/.hidden/f",
					     "packages/node_modules/x/f",
					     "apps/one/two/f",
					     "apps/file",
					     "single/f" };
	char *top = folder_new();
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(files); i++)
		folder_write(top, files[i], "", 0);
	*state = top;
	return 0;
}

static int teardown(void **state)
{
	folder_free(*state);
	return 0;
}

static const struct {
	const char *pattern;
	const char *found; /* below the root, sorted, one blank behind each */
} rows[] = {
	{ "packages/*", "/packages/a /packages/b " },
	{ "packages/[ax]", "/packages/a " },
	{ "./packages/a", "/packages/a " },
	{ "packages/a/", "/packages/a " },
	{ "single", "/single " },
	{ "apps/**", "/apps /apps/one /apps/one/two " },
	{ "apps/**/two", "/apps/one/two " },
	{ "*/?", "/packages/a /packages/b " },
	{ "none/*", "" },
	{ "apps/file", "" },
	{ "!packages/*", "" },
	{ "**/**/**/**/**/**/**/**/**/**/**/**/none", "" },
};

static void a_pattern_names_folders(void **state)
{
	size_t i, k, skip = strlen(*state);

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(str) struct pmg_str got = PMG_STR_INIT(4096);
		pmg_auto(strv) struct pmg_strv found = { 0 };

		pmg_project_expand(*state, rows[i].pattern, &found);
		pmg_strv_sort(&found);
		for (k = 0; k < found.n; k++)
			assert_int_equal(pmg_str_addf(&got, "%s ", found.v[k] + skip), 0);
		assert_string_equal(got.s ? got.s : "", rows[i].found);
	}
}

static void the_nearest_folder_upward_counts(void **state)
{
	pmg_autofree char *deep = pmg_path_join(*state, "apps/one/two");
	pmg_autofree char *top = pmg_project_up(deep, "top");
	pmg_autofree char *here = pmg_project_up(deep, "f");

	assert_string_equal(top, *state);
	assert_string_equal(here, deep);
	assert_null(pmg_project_up(deep, "no-such-file-anywhere"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_pattern_names_folders, setup, teardown),
		cmocka_unit_test_setup_teardown(the_nearest_folder_upward_counts, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
