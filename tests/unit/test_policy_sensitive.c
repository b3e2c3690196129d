#include "policy/sensitive.h"

#include "building.h"

#include "policy/allow.h"

static const char *const names[] = { [PMG_SENSITIVE_NOT] = "not",
				     [PMG_SENSITIVE_FORCE] = "force",
				     [PMG_SENSITIVE_VAIN] = "vain",
				     [PMG_SENSITIVE_NEVER] = "never" };

static void each_kind_of_allowance_is_known_for_what_it_opens(void **state)
{
	static const struct {
		const char *allow, *is;
	} rows[] = {
		{ "read={home}/x", "not" },
		{ "read=~/.config/foo/**", "not" },
		{ "write=**", "not" },
		{ "read=.env", "force" },
		{ "read=./a/b/.env.local", "force" },
		{ "read=${HOME}/.ssh/id_rsa", "force" },
		{ "read=~/.npmrc", "force" }, /* closed to scripts alone */
		{ "write=~/.bashrc", "force" },
		{ "read=~/.bashrc", "not" },
		{ "write=.github/workflows/x.yml", "force" },
		{ "read=.env.example", "not" },
		{ "read=node_modules/x/.env", "not" },
		{ "read=**/.env", "vain" },
		{ "read=~/.aws/**", "vain" },
		{ "write=packages/**/.npmrc", "vain" },
		{ "write=.git/hooks/pre-commit", "never" },
		{ "exec=.git/hooks/**", "never" },
		{ "read=.husky/_/pre-push", "not" }, /* a file of the project, and nothing secret */
		{ "write=.husky/_/pre-push", "never" },
		{ "write=/other/place/.git/hooks/pre-commit", "never" },
		{ "write=/other/.git/modules/a/b/hooks", "never" },
		{ "write=/other/.git/hooksx", "not" },
		{ "write=/other/hooks/.git/x", "not" },
		{ "unix=/run/docker.sock", "force" },
		{ "unix=/run/user/1000/bus", "force" },
		{ "unix=@/tmp/.X11-unix/X0", "force" },
		{ "unix=.sock", "not" },
		{ "unix=@mine", "not" },
		{ "env=NPM_TOKEN", "force" },
		{ "env=LD_PRELOAD", "force" },
		{ "env=CI", "not" },
		{ "env=ACME_*", "not" }, /* lets none of the closed ones through */
		{ "net-connect=169.254.169.254:80", "force" },
		{ "net-connect=METADATA.google.internal", "force" },
		{ "net-connect=[fd00:ec2::254]", "force" },
		{ "net-connect=*.google.internal", "not" },
		{ "net-connect=registry", "not" },
		{ "net-bind=127.0.0.1:80", "not" },
	};
	pmg_auto(policy) struct pmg_policy *policy = NULL;
	const struct pmg_policy_rule *rule;
	struct pmg_err err = PMG_ERR_INIT;
	struct building b;
	size_t i;

	(void)state;
	building_begin(&b, "npm", "npm");
	policy = building_policy(&b, NULL, NULL);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *text = building_text(&b, rows[i].allow);
		enum pmg_sensitive is;
		const char *value;
		int type;

		if (pmg_allow_parse(text, &type, &value, &err) < 0)
			fail_msg("%s: %s", text, err.msg);
		is = pmg_sensitive_ask(policy, (enum pmg_access)type, value, &rule);
		if (strcmp(names[is], rows[i].is) != 0)
			fail_msg("%s: %s, not %s (%s)", text, names[is], rows[i].is,
				 rule ? rule->text : "no rule");
	}
	building_end(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_of_allowance_is_known_for_what_it_opens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
