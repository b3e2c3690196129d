#include "policy/allow.h"

#include "building.h"

static void every_suggestion_opens_exactly_what_was_refused(void **state)
{
	static const struct {
		const char *access, *object, *suggests;
	} rows[] = {
		{ "read", "{home}/.config/foo/bar.json", "read={home}/.config/foo/bar.json" },
		{ "write", "{project}/.astro/types.d.ts", "write=${PROJECT}/.astro/types.d.ts" },
		{ "write", "{project}/app/[slug]/x*", "write=${PROJECT}/app/\\[slug]/x\\*" },
		{ "exec", "{home}/bin/x", "exec={home}/bin/x" },
		{ "unix", "/run/x.sock", "unix=/run/x.sock" },
		{ "unix", "@x", "unix=@x" },
	};
	struct building b;
	pmg_auto(policy) struct pmg_policy *policy = NULL;
	size_t i;

	(void)state;
	building_begin(&b, "npm", "npm");
	policy = building_policy(&b, NULL, NULL);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *object = building_text(&b, rows[i].object);
		pmg_autofree char *wanted = building_text(&b, rows[i].suggests);
		enum pmg_access access = building_access(rows[i].access);
		struct pmg_decision before =
			pmg_policy_ask(policy, access, PMG_ROLE_SCRIPT, object);
		pmg_autofree char *got = pmg_allow_for(policy, before.rule, access, object);
		pmg_auto(policy) struct pmg_policy *after = NULL;
		pmg_autofree char *sibling = pmg_xasprintf("%sy", object);

		assert_false(before.allowed);
		assert_string_equal(got, wanted);
		after = building_policy(&b, NULL, got);
		assert_true(pmg_policy_ask(after, access, PMG_ROLE_SCRIPT, object).allowed);
		assert_false(pmg_policy_ask(after, access, PMG_ROLE_SCRIPT, sibling).allowed);
	}
	building_end(&b);
}

static void for_what_is_closed_for_good_nothing_is_suggested(void **state)
{
	static const struct {
		const char *access, *object;
	} rows[] = {
		{ "read", "{project}/.env" },
		{ "read", "{home}/.ssh/id_rsa" },
		{ "read", "{home}/.npmrc" },
		{ "write", "{home}/.bashrc" },
		{ "write", "{project}/.git/hooks/x" },
		{ "write", "{project}/.git/config.lock" },
		{ "env", "LD_PRELOAD" },
	};
	struct building b;
	pmg_auto(policy) struct pmg_policy *policy = NULL;
	size_t i;

	(void)state;
	building_begin(&b, "npm", "npm");
	policy = building_policy(&b, NULL, NULL);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *object = building_text(&b, rows[i].object);
		enum pmg_access access = building_access(rows[i].access);
		struct pmg_decision got = pmg_policy_ask(policy, access, PMG_ROLE_SCRIPT, object);
		pmg_autofree char *text = pmg_allow_for(policy, got.rule, access, object);

		assert_false(got.allowed);
		assert_null(text);
	}
	building_end(&b);
}

static void types_have_names(void **state)
{
	int type;

	(void)state;
	for (type = 0; type <= PMG_ALLOW_PRESET; type++)
		assert_int_equal(pmg_allow_type(pmg_allow_type_name(type)), type);
	assert_int_equal(pmg_allow_type("net"), -1);
}

static void values_are_read_strictly_where_they_stand(void **state)
{
	static const struct {
		enum pmg_layer layer;
		enum pmg_access access;
		bool deny;
		const char *text;
		bool good;
	} rows[] = {
		{ PMG_LAYER_FLAG, PMG_ACCESS_READ, false, ".env", true },
		{ PMG_LAYER_FLAG, PMG_ACCESS_READ, false, "../x", true },
		{ PMG_LAYER_FLAG, PMG_ACCESS_READ, false, "a\nb", false },
		{ PMG_LAYER_PROFILE, PMG_ACCESS_READ, false, ".env", false },
		{ PMG_LAYER_PROFILE, PMG_ACCESS_READ, false, "${HOME}/x", true },
		{ PMG_LAYER_PROFILE, PMG_ACCESS_READ, false, "~/x", true },
		{ PMG_LAYER_PROFILE, PMG_ACCESS_READ, false, "${HOME}/../x", false },
		{ PMG_LAYER_PROFILE, PMG_ACCESS_CONNECT, false, "registry", true },
		{ PMG_LAYER_PROFILE, PMG_ACCESS_CONNECT, true, "registry", false },
		{ PMG_LAYER_PROFILE, PMG_ACCESS_CONNECT, false, "*.host.test:443", true },
		{ PMG_LAYER_PROFILE, PMG_ACCESS_CONNECT, false, "host.*:443", false },
		{ PMG_LAYER_PROFILE, PMG_ACCESS_BIND, false, "0.0.0.0:80", true },
		{ PMG_LAYER_PRESET, PMG_ACCESS_BIND, false, "0.0.0.0:80", false },
		{ PMG_LAYER_PRESET, PMG_ACCESS_BIND, false, "localhost:5173", true },
		{ PMG_LAYER_PRESET, PMG_ACCESS_ENV, false, "A_*", false },
		{ PMG_LAYER_PROFILE, PMG_ACCESS_ENV, false, "A_*", true },
		{ PMG_LAYER_PROFILE, PMG_ACCESS_UNIX, false, "@", false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		struct pmg_err err = PMG_ERR_INIT;
		int r = pmg_allow_check(rows[i].layer, rows[i].access, rows[i].deny, rows[i].text,
					&err);

		if (r != (rows[i].good ? 0 : -PMG_E_CONFIG))
			fail_msg("%s: %d %s", rows[i].text, r, err.msg);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_suggestion_opens_exactly_what_was_refused),
		cmocka_unit_test(for_what_is_closed_for_good_nothing_is_suggested),
		cmocka_unit_test(types_have_names),
		cmocka_unit_test(values_are_read_strictly_where_they_stand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
