#include "pm/pm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void a_tool_belongs_to_one_manager(void **state)
{
	static const struct {
		const char *tool;
		const char *manager;
	} rows[] = {
		{ "npm", "npm" },       { "npx", "npm" },   { "pnpm", "pnpm" }, { "pnpx", "pnpm" },
		{ "pip", "pip" },       { "pip3", "pip" },  { "uvx", "uv" },    { "pipx", "pipx" },
		{ "poetry", "poetry" }, { "yarn", "yarn" }, { "bunx", "bun" },  { "", NULL },
		{ "npm.cmd", NULL },    { "NPM", NULL },
	};
	const struct pmg_pm *pm;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pm = pmg_pm_find(rows[i].tool);
		if (rows[i].manager)
			assert_string_equal(pm->name, rows[i].manager);
		else
			assert_null(pm);
	}
}

static void every_manager_is_complete(void **state)
{
	const struct pmg_pm *const *pm;

	(void)state;
	for (pm = pmg_pm_all(); *pm; pm++) {
		assert_ptr_equal(pmg_pm_find((*pm)->tools[0]), *pm);
		assert_string_equal((*pm)->tools[0], (*pm)->name);
		assert_non_null((*pm)->classify);
		assert_non_null((*pm)->point);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tool_belongs_to_one_manager),
		cmocka_unit_test(every_manager_is_complete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
