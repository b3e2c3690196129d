#include "policy/reach.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"

static void add(struct pmg_policy *policy, enum pmg_access access, enum pmg_rank rank,
		enum pmg_layer layer, unsigned roles, const char *text)
{
	pmg_autofree char *copy = pmg_xstrdup(text);
	char source[] = "test:1";
	struct pmg_policy_rule rule = { .access = access,
					.rank = rank,
					.layer = layer,
					.roles = roles,
					.text = copy,
					.source = source };
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(pmg_policy_add(policy, &rule, &err), 0);
}

static void what_scripts_may_and_others_may_not(void **state)
{
	pmg_auto(policy) struct pmg_policy *policy = pmg_policy_new();
	pmg_auto(strv) struct pmg_strv reach = { 0 };
	pmg_autofree char *got = NULL;

	(void)state;
	add(policy, PMG_ACCESS_WRITE, PMG_RANK_ALLOW, PMG_LAYER_BUILTIN, PMG_ROLE_ANY, "/p/out/**");
	add(policy, PMG_ACCESS_WRITE, PMG_RANK_ALLOW, PMG_LAYER_BUILTIN, PMG_ROLE_MANAGER,
	    "/p/lock");
	add(policy, PMG_ACCESS_WRITE, PMG_RANK_DENY, PMG_LAYER_OVERLAY, PMG_ROLE_ANY, "/p/out/no");
	add(policy, PMG_ACCESS_READ, PMG_RANK_ALLOW, PMG_LAYER_BUILTIN, PMG_ROLE_ANY, "/usr/**");
	add(policy, PMG_ACCESS_READ, PMG_RANK_ALLOW, PMG_LAYER_OVERLAY, PMG_ROLE_SCRIPT,
	    "/home/u/x");
	add(policy, PMG_ACCESS_CONNECT, PMG_RANK_ALLOW, PMG_LAYER_FLAG, PMG_ROLE_SCRIPT,
	    "cdn.test:443");
	add(policy, PMG_ACCESS_WRITE, PMG_RANK_ALLOW, PMG_LAYER_RUN, PMG_ROLE_ANY, "/run/x");
	pmg_policy_seal(policy);
	pmg_policy_reach(policy, &reach);
	pmg_strv_sort(&reach);
	got = pmg_strv_join(&reach, " ", 1024);
	assert_string_equal(got,
			    "built-in write=/p/out/** net-connect=cdn.test:443 read=/home/u/x");
}

static void a_long_list_says_that_there_is_more(void **state)
{
	pmg_auto(policy) struct pmg_policy *policy = pmg_policy_new();
	pmg_auto(strv) struct pmg_strv reach = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < PMG_REACH_MAX + 3; i++) {
		pmg_autofree char *text = pmg_xasprintf("/p/%zu", i);

		add(policy, PMG_ACCESS_WRITE, PMG_RANK_ALLOW, PMG_LAYER_OVERLAY, PMG_ROLE_SCRIPT,
		    text);
	}
	pmg_policy_seal(policy);
	pmg_policy_reach(policy, &reach);
	assert_int_equal(reach.n, PMG_REACH_MAX + 1);
	assert_string_equal(reach.v[PMG_REACH_MAX], "and 3 more");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_scripts_may_and_others_may_not),
		cmocka_unit_test(a_long_list_says_that_there_is_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
