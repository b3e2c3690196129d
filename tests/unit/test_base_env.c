#include "base/env.h"

#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

static void fill(struct pmg_strv *env)
{
	pmg_strv_add(env, "HOME=/h");
	pmg_strv_add(env, "HOMEPAGE=x");
	pmg_strv_add(env, "EMPTY=");
	pmg_strv_add(env, "TWICE=1");
	pmg_strv_add(env, "EQ=a=b");
	pmg_strv_add(env, "TWICE=2");
	pmg_strv_add(env, "NOVALUE");
}

static void names_match_whole(void **state)
{
	pmg_auto(strv) struct pmg_strv env = { 0 };

	(void)state;
	fill(&env);
	assert_string_equal(pmg_env_get(&env, "HOME"), "/h");
	assert_string_equal(pmg_env_get(&env, "EMPTY"), "");
	assert_string_equal(pmg_env_get(&env, "EQ"), "a=b");
	assert_null(pmg_env_get(&env, "HOM"));
	assert_null(pmg_env_get(&env, "home"));
	assert_null(pmg_env_get(&env, "NOVALUE"));
}

/* Which of two entries a program reads is its own choice: neither may stay. */
static void setting_leaves_no_second_entry(void **state)
{
	pmg_auto(strv) struct pmg_strv env = { 0 };

	(void)state;
	fill(&env);
	pmg_env_set(&env, "TWICE", "3");
	assert_string_equal(pmg_env_get(&env, "TWICE"), "3");
	assert_true(pmg_env_unset(&env, "TWICE"));
	assert_null(pmg_env_get(&env, "TWICE"));
	assert_false(pmg_env_unset(&env, "TWICE"));
	assert_string_equal(pmg_env_get(&env, "HOMEPAGE"), "x");
	assert_int_equal(env.n, 5);
}

static void a_program_is_the_first_executable_on_the_path(void **state)
{
	pmg_auto(strv) struct pmg_strv env = { 0 };
	pmg_autofree char *found = NULL;

	(void)state;
	assert_null(pmg_env_search(&env, "sh"));
	pmg_strv_add(&env, "PATH=relative:/nowhere::/bin:/usr/bin");
	found = pmg_env_search(&env, "sh");
	assert_string_equal(found, "/bin/sh");
	assert_null(pmg_env_search(&env, "no-such-program"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_match_whole),
		cmocka_unit_test(setting_leaves_no_second_entry),
		cmocka_unit_test(a_program_is_the_first_executable_on_the_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
