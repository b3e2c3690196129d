#include "run/withheld.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

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

static void what_managed_policy_takes_is_recorded_and_nothing_lets_it_through(void **state)
{
	char harmless[] = "PYTHONUNBUFFERED", source[] = "/m.yml:3";
	const struct pmg_policy_rule rule = { .access = PMG_ACCESS_ENV,
					      .rank = PMG_RANK_MANAGED_DENY,
					      .layer = PMG_LAYER_MANAGED,
					      .roles = PMG_ROLE_ANY,
					      .text = harmless,
					      .source = source };
	pmg_auto(policy) struct pmg_policy *policy = pmg_policy_new();
	pmg_auto(record) struct pmg_record record = { .started = 100 };
	pmg_auto(strv) struct pmg_strv names = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_policy_add(policy, &rule, &err), 0);
	pmg_policy_seal(policy);
	pmg_strv_add(&names, harmless);
	pmg_withheld_note(&record, policy, &names);
	assert_int_equal(record.events.n, 1);
	assert_string_equal(record.events.v[0].layer, "managed");
	assert_string_equal(record.events.v[0].source, source);
	assert_null(record.events.v[0].allow);
}

static void a_pattern_of_the_users_that_lets_no_credential_through_is_told(void **state)
{
	static const struct {
		enum pmg_layer layer;
		bool told;
	} rows[] = { { PMG_LAYER_PROFILE, true },
		     { PMG_LAYER_FLAG, true },
		     { PMG_LAYER_BUILTIN, false } };
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		char pattern[] = "NPM_*", source[] = "/k.yml:5";
		const struct pmg_policy_rule rule = { .access = PMG_ACCESS_ENV,
						      .rank = PMG_RANK_ALLOW,
						      .layer = rows[i].layer,
						      .roles = PMG_ROLE_ANY,
						      .text = pattern,
						      .source = source };
		pmg_auto(policy) struct pmg_policy *policy = pmg_policy_new();
		pmg_auto(record) struct pmg_record record = { .started = 100 };
		pmg_auto(strv) struct pmg_strv names = { 0 }, notes = { 0 };
		struct pmg_err err = PMG_ERR_INIT;

		assert_int_equal(pmg_policy_add(policy, &rule, &err), 0);
		pmg_policy_seal(policy);
		pmg_strv_add(&names, "NPM_TOKEN");
		pmg_strv_add(&names, "OTHER_TOKEN");
		pmg_withheld_patterns(policy, &names, &notes);
		assert_int_equal(notes.n, rows[i].told ? 1 : 0);
		if (rows[i].told)
			assert_non_null(strstr(notes.v[0], "NPM_* (/k.yml:5)"));
		/* It is not what took it away. */
		pmg_withheld_note(&record, policy, &names);
		assert_string_equal(record.events.v[0].target, "NPM_TOKEN");
		assert_string_not_equal(record.events.v[0].rule, pattern);
	}
}

static void without_walls_only_variables_of_pmg_are_missing(void **state)
{
	pmg_auto(record) struct pmg_record record = { .started = 100 };
	pmg_auto(strv) struct pmg_strv names = { 0 };

	(void)state;
	pmg_strv_add(&names, "PMG_RUN"); /* each run has its own */
	pmg_strv_add(&names, "PMG_CONTROL");
	pmg_withheld_note(&record, NULL, &names);
	assert_int_equal(record.events.n, 1);
	assert_int_equal(record.events.v[0].code, 2008);
	assert_string_equal(record.events.v[0].target, "PMG_CONTROL");
}

static void a_shim_that_lacks_its_variables_is_named(void **state)
{
	static const struct {
		const char *program, *variable;
		const char *manager; /* NULL: nothing is said */
	} rows[] = {
		{ "/h/.local/share/mise/shims/node", "MISE_DATA_DIR", "of mise" },
		{ "/h/.asdf/shims/node", "ASDF_DIR", "of asdf" },
		{ "/h/.volta/bin/npm", "VOLTA_HOME", "of volta" },
		{ "/h/.pyenv/shims/pip", "PYENV_VERSION", "of pyenv" },
		{ "/h/.nodenv/shims/npm", "NODENV_VERSION", "of nodenv" },
		{ "/h/.pyenv/shims/pip", "RBENV_VERSION", NULL },
		{ "/h/.pyenv/shims/x/pip", "PYENV_VERSION", NULL },
		{ "/h/my.pyenv/shims/pip", "PYENV_VERSION", NULL },
		{ ".pyenv/shims/pip", "PYENV_VERSION", NULL },
		{ "pip", "PYENV_VERSION", NULL },
		{ "/usr/bin/npm", "MISE_DATA_DIR", NULL },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(record) struct pmg_record record = { .ended = 100 };
		pmg_auto(strv) struct pmg_strv names = { 0 };
		pmg_autofree char *line = NULL;

		pmg_strv_add(&names, "HOME_KEY");
		pmg_strv_add(&names, rows[i].variable);
		line = pmg_withheld_shim(&record, rows[i].program, &names);
		assert_int_equal(line != NULL, rows[i].manager != NULL);
		assert_int_equal(record.events.n, rows[i].manager ? 1 : 0);
		if (!line)
			continue;
		assert_non_null(strstr(line, "[PMG2006] "));
		assert_non_null(strstr(line, rows[i].manager));
		assert_non_null(strstr(line, rows[i].variable));
		assert_null(strstr(line, "HOME_KEY"));
		assert_int_equal(record.events.v[0].code, 2006);
		assert_string_equal(record.events.v[0].target, rows[i].variable);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_that_a_rule_takes_are_recorded_without_values),
		cmocka_unit_test(what_managed_policy_takes_is_recorded_and_nothing_lets_it_through),
		cmocka_unit_test(a_pattern_of_the_users_that_lets_no_credential_through_is_told),
		cmocka_unit_test(without_walls_only_variables_of_pmg_are_missing),
		cmocka_unit_test(a_shim_that_lacks_its_variables_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
