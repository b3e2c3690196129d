#include "run/withheld.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "violation/event.h"

static void names_that_a_rule_takes_are_recorded_without_values(void **state)
{
	char token[] = "A_TOKEN", sock[] = "SSH_AUTH_SOCK", source[] = "built-in npm:9";
	struct pmg_policy_rule rule = { .access = PMG_ACCESS_ENV,
					.rank = PMG_RANK_DENY,
					.layer = PMG_LAYER_BUILTIN,
					.roles = PMG_ROLE_ANY,
					.source = source };
	pmg_auto(policy) struct pmg_policy *policy = pmg_policy_new();
	pmg_auto(record) struct pmg_record record = { .started = 100 };
	pmg_auto(strv) struct pmg_strv names = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	rule.text = sock;
	assert_int_equal(pmg_policy_add(policy, &rule, &err), 0);
	rule.text = token;
	assert_int_equal(pmg_policy_add(policy, &rule, &err), 0);
	pmg_policy_seal(policy);
	pmg_strv_add(&names, "A_TOKEN");
	pmg_strv_add(&names, "UNLISTED");
	pmg_strv_add(&names, "SSH_AUTH_SOCK");
	pmg_strv_add(&names, "MY_SECRET");
	pmg_withheld_note(&record, policy, &names);
	assert_int_equal(record.events.n, 3);
	assert_int_equal(record.events.v[0].code, 2003);
	assert_string_equal(record.events.v[0].target, "A_TOKEN");
	assert_string_equal(record.events.v[0].allow, "env=A_TOKEN");
	assert_string_equal(record.events.v[0].source, "built-in npm:9");
	assert_int_equal(record.events.v[1].code, 2008);
	assert_string_equal(record.events.v[2].target, "MY_SECRET");
	assert_string_equal(record.events.v[2].layer, "mandatory");
	assert_false(pmg_record_has_sensitive(&record));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_that_a_rule_takes_are_recorded_without_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
