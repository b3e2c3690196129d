#include "policy/scrub.h"

#include "building.h"

#include "base/env.h"

struct row {
	const char *entry;
	bool kept;
};

static void check(struct building *b, const char *profile, const char *allow,
		  const struct row *rows, size_t n)
{
	pmg_auto(policy) struct pmg_policy *policy = building_policy(b, profile, allow);
	pmg_auto(strv) struct pmg_strv env = { 0 };
	pmg_auto(strv) struct pmg_strv removed = { 0 };
	size_t i;

	for (i = 0; i < n; i++)
		pmg_strv_add(&env, rows[i].entry);
	pmg_policy_scrub(policy, &env, &removed);
	for (i = 0; i < n; i++) {
		size_t len = strcspn(rows[i].entry, "=");
		pmg_autofree char *name = pmg_xstrndup(rows[i].entry, len);

		if (pmg_strv_has(&env, rows[i].entry) != rows[i].kept ||
		    pmg_strv_has(&removed, name) == rows[i].kept)
			fail_msg("%s is %s", rows[i].entry, rows[i].kept ? "gone" : "kept");
	}
}

static void credentials_and_injections_go_and_the_rest_stays(void **state)
{
	static const struct row rows[] = {
		/* protected */
		{ "PATH=/bin", true },
		{ "HOME=/h", true },
		{ "LC_ALL=C", true },
		{ "HTTPS_PROXY=http://u:t@127.0.0.1:1", true },
		{ "npm_config_https_proxy=http://u:t@127.0.0.1:1", true },
		{ "PIP_CERT=/x", true },
		/* what people set */
		{ "EDITOR=vi", true },
		{ "CI=true", true },
		{ "GITHUB_ACTIONS=true", true },
		{ "npm_config_registry=https://host.test/", true },
		{ "npm_config_cache=/c", true },
		{ "PIP_INDEX_URL=https://u:p@host.test/simple", true },
		{ "GIT_AUTHOR_NAME=ann", true },
		{ "PYTHONUNBUFFERED=1", true },
		{ "PYTHON=/usr/bin/python3", true },
		{ "KEYBOARD=de", true },
		{ "MONKEY=1", true },
		{ "XDG_RUNTIME_DIR=/run/user/1", true },
		{ "OLDPWD=/x", true },
		/* credentials by list, shape and value */
		{ "NPM_TOKEN=x", false },
		{ "GITHUB_TOKEN=x", false },
		{ "AWS_ACCESS_KEY_ID=x", false },
		{ "AWS_SECRET_ACCESS_KEY=x", false },
		{ "npm_config_//host.test/:_authToken=x", false },
		{ "npm_config__auth=x", false },
		{ "npm_config__password=x", false },
		{ "DBPASSWORD=x", false },
		{ "STRIPE_KEY=x", false },
		{ "api_key=x", false },
		{ "DATABASE_URL=postgres://u:p@host.test/db", false },
		{ "SSH_AUTH_SOCK=/x", false },
		{ "DBUS_SESSION_BUS_ADDRESS=unix:path=/x", false },
		{ "DOCKER_HOST=unix:///x", false },
		{ "VSCODE_IPC_HOOK_CLI=/x", false },
		{ "PMG_CONTROL=/x", false },
		/* injections */
		{ "LD_PRELOAD=/x.so", false },
		{ "LD_LIBRARY_PATH=/x", false },
		{ "NODE_OPTIONS=--require /x", false },
		{ "npm_config_node_options=--require /x", false },
		{ "BASH_ENV=/x", false },
		{ "ENV=/x", false },
		{ "BASH_FUNC_ls%%=() { :; }", false },
		{ "PYTHONPATH=/x", false },
		{ "PYTHONSTARTUP=/x", false },
		{ "PERL5OPT=-Mx", false },
		{ "RUBYOPT=-rx", false },
		{ "GIT_SSH_COMMAND=/x", false },
		{ "GIT_CONFIG_COUNT=1", false },
		{ "SSLKEYLOGFILE=/x", false },
	};
	struct building b;

	(void)state;
	building_begin(&b, "npm", "npm");
	check(&b, NULL, NULL, rows, PMG_ARRAY_LEN(rows));
	building_end(&b);
}

static void variables_of_pmg_go_without_walls_too(void **state)
{
	pmg_auto(strv) struct pmg_strv env = { 0 }, removed = { 0 };

	(void)state;
	pmg_strv_add(&env, "PMG_CONTROL=/x");
	pmg_strv_add(&env, "XPMG_=1");
	pmg_strv_add(&env, "PMG_RUN");
	pmg_strv_add(&env, "SSH_AUTH_SOCK=/x");
	pmg_scrub_pointers(&env, &removed);
	assert_int_equal(env.n, 2);
	assert_string_equal(env.v[0], "XPMG_=1");
	assert_int_equal(removed.n, 2);
	assert_string_equal(removed.v[0], "PMG_CONTROL");
	assert_string_equal(removed.v[1], "PMG_RUN");
	assert_true(pmg_scrub_is_channel("PMG_CONTROL"));
	assert_true(pmg_scrub_is_channel("SSH_AUTH_SOCK"));
	assert_false(pmg_scrub_is_channel("NPM_TOKEN"));
}

static void only_an_exact_name_lets_a_credential_through(void **state)
{
	static const struct row exact[] = { { "NPM_TOKEN=x", true }, { "NPM_TOKEN2=x", false } };
	static const struct row pattern[] = { { "NPM_TOKEN=x", false }, { "NPM_OTHER=x", true } };
	static const struct row injection[] = { { "LD_PRELOAD=x", true },
						{ "LD_LIBRARY_PATH=x", false } };
	static const struct row denied[] = { { "ACME_X=1", false }, { "ACME_Y=1", true } };
	struct building b;

	(void)state;
	building_begin(&b, "npm", "npm");
	check(&b, NULL, "env=NPM_TOKEN", exact, PMG_ARRAY_LEN(exact));
	check(&b, NULL, "env=NPM_*", pattern, PMG_ARRAY_LEN(pattern));
	check(&b, NULL, "env=LD_*", &injection[1], 1);
	check(&b, NULL, "env=LD_PRELOAD", injection, PMG_ARRAY_LEN(injection));
	building_write(&b, "home/.config/pmg/profiles/p.yml",
		       "schema_version: 1\nname: p\ninherits: npm\n"
		       "environment: {deny: [\"ACME_*\"], allow: [ACME_Y]}\n");
	check(&b, "p", NULL, denied, PMG_ARRAY_LEN(denied));
	building_end(&b);
}

static void exec_rebuilds_the_environment_from_a_list(void **state)
{
	static const struct row rows[] = {
		{ "PATH=/bin", true }, { "TERM=x", true },          { "CI=1", true },
		{ "A=1", false },      { "npm_config_x=1", false }, { "PYTHONUTF8=1", false },
	};
	static const struct row named[] = { { "A=1", true }, { "B=1", false } };
	struct building b;

	(void)state;
	building_begin(&b, "exec", NULL);
	check(&b, NULL, NULL, rows, PMG_ARRAY_LEN(rows));
	check(&b, NULL, "env=A", named, PMG_ARRAY_LEN(named));
	building_end(&b);
}

static void a_name_that_is_too_long_goes(void **state)
{
	char name[400];

	(void)state;
	memset(name, 'A', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	assert_true(pmg_scrub_is_secret_name(name));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(credentials_and_injections_go_and_the_rest_stays),
		cmocka_unit_test(variables_of_pmg_go_without_walls_too),
		cmocka_unit_test(only_an_exact_name_lets_a_credential_through),
		cmocka_unit_test(exec_rebuilds_the_environment_from_a_list),
		cmocka_unit_test(a_name_that_is_too_long_goes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
