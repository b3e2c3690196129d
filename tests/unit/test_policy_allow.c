#include "policy/allow.h"

#include "building.h"

static void what_is_spelled_out_opens_exactly_that(void **state)
{
	static const struct {
		const char *access, *object, *allow;
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
		pmg_autofree char *allow = building_text(&b, rows[i].allow);
		enum pmg_access access = building_access(rows[i].access);
		struct pmg_decision before =
			pmg_policy_ask(policy, access, PMG_ROLE_SCRIPT, object);
		pmg_auto(policy) struct pmg_policy *after = NULL;
		pmg_autofree char *sibling = pmg_xasprintf("%sy", object);

		assert_false(before.allowed);
		after = building_policy(&b, NULL, allow);
		assert_true(pmg_policy_ask(after, access, PMG_ROLE_SCRIPT, object).allowed);
		assert_false(pmg_policy_ask(after, access, PMG_ROLE_SCRIPT, sibling).allowed);
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
		cmocka_unit_test(what_is_spelled_out_opens_exactly_that),
		cmocka_unit_test(types_have_names),
		cmocka_unit_test(values_are_read_strictly_where_they_stand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
