#include "conf/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "conf/keys.h"
#include "tests/unit/configured.h"

static void no_file_gives_the_defaults(void **state)
{
	pmg_auto(config) struct pmg_config config = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_config_load(file, &config, &err), 0);
	assert_null(config.path);
	assert_int_equal(config.verbosity, PMG_VERBOSITY_NORMAL);
	assert_int_equal(config.on_missing, PMG_ON_MISSING_WARN);
	assert_int_equal(config.ledger_retention_s, 90 * 86400);
	assert_int_equal(config.ledger_max_size, 268435456);
	assert_null(config.advisory_message);
	assert_int_equal(config.n_registries, 0);
}

static void every_key_of_this_version_takes_effect(void **state)
{
	pmg_auto(config) struct pmg_config config = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(load("schema_version: 1\n"
			      "verbosity: verbose\n"
			      "intel: {on_missing: block}\n"
			      "ledger: {retention: 7d, max_size: 2M}\n"
			      "advisory_message: ask security@acme.test\n"
			      "proxy:\n"
			      "  registries:\n"
			      "    - {ecosystem: npm, url: 'https://npm.acme.test/repo'}\n"
			      "    - ecosystem: npm\n"
			      "      url: http://npm.acme.test:8080/\n"
			      "      scope: '@acme'\n"
			      "      private: true\n"
			      "    - {ecosystem: pypi, url: 'https://pypi.acme.test/simple/'}\n",
			      &config, &err),
			 0);
	assert_string_equal(config.path, file);
	assert_int_equal(config.verbosity, PMG_VERBOSITY_VERBOSE);
	assert_int_equal(config.on_missing, PMG_ON_MISSING_BLOCK);
	assert_int_equal(config.ledger_retention_s, 7 * 86400);
	assert_int_equal(config.ledger_max_size, 2097152);
	assert_string_equal(config.advisory_message, "ask security@acme.test");
	assert_int_equal(config.n_registries, 3);
	assert_string_equal(config.registries[0].url.path, "/repo/");
	assert_null(config.registries[0].scope);
	assert_int_equal(config.registries[1].url.port, 8080);
	assert_string_equal(config.registries[1].scope, "@acme");
	assert_int_equal(config.registries[1].line, 9);
	assert_true(config.registries[1].is_private);
	assert_string_equal(config.registries[2].ecosystem, "pypi");
	assert_false(config.registries[2].is_private);
}

static void a_manager_gets_the_profile_or_template_that_is_named_for_it(void **state)
{
	pmg_auto(config) struct pmg_config config = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *dir = pmg_path_dir(file);
	pmg_autofree char *joined = pmg_path_join(dir, "my-pip.yml");
	pmg_autofree char *path = pmg_path_clean(joined);

	(void)state;
	assert_int_equal(load("schema_version: 1\n"
			      "sandbox:\n"
			      "  enabled: false\n"
			      "  enforce_always: true\n"
			      "  strict: true\n"
			      "  policies: {npm: {enabled: false}, pnpm: {profile: tight}, pip: "
			      "{profile: mine}}\n"
			      "  policy_templates: {mine: {path: ./my-pip.yml}}\n",
			      &config, &err),
			 0);
	assert_false(config.sandbox.enabled);
	assert_true(config.sandbox.enforce_always);
	assert_true(config.sandbox.strict);
	assert_false(pmg_config_policy(&config.sandbox, "npm")->enabled);
	assert_true(pmg_config_policy(&config.sandbox, "pip")->enabled);
	assert_null(pmg_config_policy(&config.sandbox, "yarn"));
	assert_null(pmg_config_profile(&config.sandbox, "npm"));
	assert_string_equal(pmg_config_profile(&config.sandbox, "pnpm"), "tight");
	assert_string_equal(pmg_config_profile(&config.sandbox, "pip"), "mine");
	assert_int_equal(config.sandbox.n_templates, 1);
	assert_string_equal(config.sandbox.templates[0].name, "mine");
	assert_string_equal(config.sandbox.templates[0].path, path);
}

#define V1     "schema_version: 1\n"
#define REG(x) V1 "proxy: {registries: [" x "]}\n"

static const struct {
	const char *text;
	const char *msg; /* behind the path */
	const char *hint;
} bad[] = {
	{ "", ":1:1: key \"schema_version\" is missing", "" },
	{ "verbosity: normal\n", ":1:1: key \"schema_version\" is missing", "" },
	{ "schema_version: 2\n", ":1:17: \"schema_version\" must be 1",
	  "this version of pmg reads schema version 1" },
	{ "schema_version: '1'\n", ":1:17: \"schema_version\" must be 1",
	  "this version of pmg reads schema version 1" },
	{ V1 "sandbox: {enabled: no}\n",
	  ":2:20: \"sandbox.enabled\" must be true or false, not \"no\"", NULL },
	{ V1 "sandbox: {polices: {}}\n", ":2:11: unknown key \"polices\"",
	  "did you mean \"policies\"?" },
	{ V1 "sandbox: {policies: {npm: {profil: x}}}\n", ":2:28: unknown key \"profil\"",
	  "did you mean \"profile\"?" },
	{ V1 "sandbox: {policies: []}\n", ":2:21: \"policies\" must be a mapping", NULL },
	{ V1 "sandbox: {policy_templates: {x: {}}}\n", ":2:33: key \"path\" is missing", NULL },
	{ V1 "proxy: {install_only: true}\n",
	  ":2:9: \"proxy.install_only\" is not supported by this version", NULL },
	{ V1 "proxy: {skip_commands: {}}\n",
	  ":2:9: \"proxy.skip_commands\" is not supported by this version", NULL },
	{ V1 "verbosty: silent\n", ":2:1: unknown key \"verbosty\"",
	  "did you mean \"verbosity\"?" },
	{ V1 "intel: {on_missing: ignore}\n",
	  ":2:21: \"intel.on_missing\" must be one of warn, block, not \"ignore\"", "" },
	{ V1 "ledger: {retention: 90}\n",
	  ":2:21: \"ledger.retention\" must be a duration with its unit (30s, 5m, 36h, 7d, 2w), "
	  "not \"90\"",
	  "" },
	{ REG("{url: 'https://a.test/'}"), ":2:22: key \"ecosystem\" is missing", "" },
	{ REG("{ecosystem: npm}"), ":2:22: key \"url\" is missing", "" },
	{ REG("{ecosystem: cargo, url: 'https://a.test/'}"),
	  ":2:34: \"proxy.registries[0].ecosystem\" must be one of npm, pypi, not \"cargo\"", "" },
	{ REG("{ecosystem: npm, url: 'ftp://a.test/'}"),
	  ":2:44: \"url\": address \"ftp://a.test/\": neither http:// nor https://", "" },
	{ REG("{ecosystem: npm, url: 'https://u:p@a.test/'}"),
	  ":2:44: \"url\" has a user name or password in it",
	  "take it out: the manager's own files hold credentials" },
	{ REG("{ecosystem: npm, url: 'https://a.test/?x'}"), ":2:44: \"url\" has a query (?...)",
	  "" },
	{ REG("{ecosystem: npm, url: 'https://a.test/', scope: acme}"),
	  ":2:70: \"scope\" must be like \"@acme\"", "" },
	{ REG("{ecosystem: npm, url: 'https://a.test/', scop: '@a'}"),
	  ":2:63: unknown key \"scop\"", "did you mean \"scope\"?" },
};

static void a_wrong_file_is_an_error_with_its_place_and_changes_nothing(void **state)
{
	struct pmg_config config = { .verbosity = 77 };
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(bad); i++) {
		assert_int_equal(load(bad[i].text, &config, &err), -PMG_E_CONFIG);
		assert_true(pmg_str_has_prefix(err.msg, file));
		assert_string_equal(err.msg + strlen(file), bad[i].msg);
		if (bad[i].hint)
			assert_string_equal(err.hint, bad[i].hint);
		assert_int_equal(config.verbosity, 77);
		assert_null(config.path);
	}
}

static void the_password_in_an_address_is_not_shown(void **state)
{
	pmg_auto(config) struct pmg_config config = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(
		load(REG("{ecosystem: npm, url: 'ftp://u:s3cret@a.test/'}"), &config, &err),
		-PMG_E_CONFIG);
	assert_null(strstr(err.msg, "s3cret"));
}

/* Each key that is read, by its full name, must stand in the document. */
static void assert_documented(const char *document, const struct pmg_key *rows, const char *above)
{
	for (; rows->name; rows++) {
		pmg_autofree char *name = pmg_xasprintf("%s%s", above, rows->name);
		pmg_autofree char *below = pmg_xasprintf("%s.", name);

		if (rows->kind == PMG_KEY_MAP)
			assert_documented(document, rows->rows, below);
		else if (!strstr(document, name))
			fail_msg("%s is not documented", name);
	}
}

static void every_key_is_documented(void **state)
{
	static const char *const documents[] = { "docs/config.md", "man/pmg-config.5" };
	const char *src = getenv("srcdir") ? getenv("srcdir") : ".";
	struct pmg_err err = PMG_ERR_INIT;
	size_t i, len;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(documents); i++) {
		pmg_autofree char *path = pmg_path_join(src, documents[i]);
		pmg_autofree char *text = NULL;

		assert_int_equal(pmg_io_slurp(path, 1048576, &text, &len, &err), 0);
		assert_documented(text, pmg_config_keys(), "");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_file_gives_the_defaults),
		cmocka_unit_test(every_key_of_this_version_takes_effect),
		cmocka_unit_test(a_manager_gets_the_profile_or_template_that_is_named_for_it),
		cmocka_unit_test(a_wrong_file_is_an_error_with_its_place_and_changes_nothing),
		cmocka_unit_test(every_key_is_documented),
		cmocka_unit_test(the_password_in_an_address_is_not_shown),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
