#include "conf/managed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/str.h"
#include "tests/helper/folder.h"

#define V1   "schema_version: 1\n"
#define PATH "/etc/pmg/managed.yml"

static int parse(const char *text, struct pmg_managed *managed, struct pmg_err *err)
{
	return pmg_managed_parse(PATH, text, strlen(text), managed, err);
}

static void it_has_the_keys_of_the_configuration_and_its_own(void **state)
{
	pmg_auto(managed) struct pmg_managed managed = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *who = NULL;

	(void)state;
	assert_int_equal(parse(V1 "intel: {on_missing: block}\n"
				  "sandbox:\n"
				  "  enabled: true\n"
				  "  policies: {npm: {profile: ours}}\n"
				  "  policy_templates: {ours: {path: ./ours.yml}}\n"
				  "global_lockdown: true\n"
				  "deny:\n"
				  "  filesystem: {deny_read: ['/srv/**'], deny_write: [/a, /b]}\n"
				  "  process: {deny_exec: [/usr/bin/curl]}\n"
				  "  network:\n"
				  "    deny_outbound:\n"
				  "      - evil.test\n"
				  "  environment: {deny: ['ACME_*']}\n"
				  "block: ['pkg:npm/left-pad']\n",
			       &managed, &err),
			 0);
	assert_true(pmg_managed_is_in_force(&managed));
	assert_true(managed.lockdown);
	assert_int_equal(managed.config.on_missing, PMG_ON_MISSING_BLOCK);
	assert_string_equal(pmg_config_profile(&managed.config.sandbox, "npm"), "ours");
	assert_string_equal(managed.config.sandbox.templates[0].path, "/etc/pmg/ours.yml");
	assert_int_equal(managed.deny.n, 6);
	assert_string_equal(managed.deny.v[0].list, "deny_read");
	assert_string_equal(managed.deny.v[0].text, "/srv/**");
	assert_string_equal(managed.deny.v[2].list, "deny_write");
	assert_string_equal(managed.deny.v[2].text, "/b");
	assert_string_equal(managed.deny.v[3].list, "deny_exec");
	assert_string_equal(managed.deny.v[4].list, "deny_outbound");
	assert_int_equal(managed.deny.v[4].line, 13);
	assert_int_equal(managed.deny.v[4].column, 9);
	assert_string_equal(managed.deny.v[5].list, "deny");
	assert_int_equal(managed.block.n, 1);
	assert_string_equal(managed.block.v[0].text, "pkg:npm/left-pad");
	assert_int_equal(managed.block.v[0].line, 15);
	assert_int_equal(pmg_config_line(&managed.config, "sandbox.enabled"), 4);
	assert_int_equal(pmg_config_line(&managed.config, "sandbox.strict"), 0);
	who = pmg_managed_who(&managed, "global_lockdown");
	assert_string_equal(who, "managed policy (" PATH ":7)");
}

/* What is behind "managed policy: /etc/pmg/managed.yml". */
static const struct {
	const char *text, *msg, *hint;
} bad[] = {
	{ "", ":1:1: key \"schema_version\" is missing", "" },
	{ V1 "global_lockdown: yes\n",
	  ":2:18: \"global_lockdown\" must be true or false, not \"yes\"", "" },
	{ V1 "global_lockdown: 'true'\n",
	  ":2:18: \"global_lockdown\" must be true or false, not the text \"true\"", "" },
	{ V1 "global_lockdown: 1\n", ":2:18: \"global_lockdown\" must be true or false, not \"1\"",
	  "" },
	{ V1 "global_lockdown:\n", ":2:17: \"global_lockdown\" must be true or false, and is empty",
	  "" },
	{ V1 "global_lockdown: []\n",
	  ":2:18: \"global_lockdown\" must be true or false, not a list", "" },
	{ V1 "global_lock: true\n", ":2:1: unknown key \"global_lock\"",
	  "did you mean \"global_lockdown\"?" },
	{ V1 "Global_lockdown: true\n", ":2:1: unknown key \"Global_lockdown\"",
	  "did you mean \"global_lockdown\"?" },
	{ V1 "global_lockdown: true\nglobal_lockdown: false\n", ":3:1: ", NULL },
	{ V1 "deny: []\n", ":2:7: \"deny\" must be a mapping, not a list", "" },
	{ V1 "deny: {filesystem: [/srv]}\n",
	  ":2:20: \"deny.filesystem\" must be a mapping, not a list", "" },
	{ V1 "deny: {filesystem: {deny_read: /srv}}\n",
	  ":2:32: \"deny.filesystem.deny_read\" must be a list, not \"/srv\"", "" },
	{ V1 "deny: {filesystem: {deny_read: [[/srv]]}}\n",
	  ":2:33: \"deny_read\" must be a list of texts", "" },
	{ V1 "deny: {filesystem: {allow_read: [/srv]}}\n", ":2:21: unknown key \"allow_read\"",
	  NULL },
	{ V1 "deny: {filesystem: {deny_raed: [/srv]}}\n", ":2:21: unknown key \"deny_raed\"",
	  "did you mean \"deny_read\"?" },
	{ V1 "deny: {network: {allow_outbound: []}}\n", ":2:18: unknown key \"allow_outbound\"",
	  NULL },
	{ V1 "block: pkg:npm/x\n", ":2:8: \"block\" must be a list, not \"pkg:npm/x\"", "" },
	{ V1 "block: [{purl: x}]\n", ":2:9: \"block\" must be a list of texts", "" },
	{ V1 "sandbox: {enabled: off}\n",
	  ":2:20: \"sandbox.enabled\" must be true or false, not \"off\"", "" },
	{ V1 "sandbox: {policies: {npm: {enabled: 0}}}\n", ":2:37: ", NULL },
	{ V1 "dependency_cooldown: {days: 5d}\n",
	  ":2:29: \"dependency_cooldown.days\" must be a whole number of days, not \"5d\"",
	  "\"age\" takes other units: 36h, 2w" },
	{ V1 "a: &x [1]\nb: *x\n", ":2:4: ", NULL },
};

static void a_mistake_is_an_error_with_its_place_and_never_off(void **state)
{
	static const char head[] = "managed policy: " PATH;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(bad); i++) {
		struct pmg_managed managed = { .lockdown = true };
		struct pmg_err err = PMG_ERR_INIT;

		assert_int_equal(parse(bad[i].text, &managed, &err), -PMG_E_CONFIG);
		assert_int_equal(pmg_code_exit(err.code), PMG_EXIT_CONFIG);
		assert_int_equal(err.diag, 1001);
		assert_true(pmg_str_has_prefix(err.msg, head));
		if (bad[i].hint)
			assert_string_equal(err.msg + strlen(head), bad[i].msg);
		else
			assert_true(pmg_str_has_prefix(err.msg + strlen(head), bad[i].msg));
		if (bad[i].hint)
			assert_string_equal(err.hint, bad[i].hint);
		assert_true(managed.lockdown);
	}
}

static void a_file_of_the_users_is_no_managed_policy(void **state)
{
	pmg_auto(folder) char *top = folder_new();
	pmg_autofree char *path = pmg_path_join(top, "managed.yml");
	pmg_auto(managed) struct pmg_managed managed = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_managed_load(path, &managed, &err), 0); /* there is none */
	assert_false(pmg_managed_is_in_force(&managed));
	folder_write(top, "managed.yml", V1, strlen(V1));
	if (geteuid() == 0)
		assert_int_equal(chown(path, 12345, 12345), 0);
	assert_int_equal(pmg_managed_load(path, &managed, &err), -PMG_E_CONFIG);
	assert_int_equal(err.diag, 1001);
	assert_non_null(strstr(err.msg, "and not to root, so it is not believed"));
	assert_false(pmg_managed_is_in_force(&managed));
}

static void to_lock_all_switches_is_to_want_the_walls(void **state)
{
	static const struct {
		const char *text;
		bool npm, pip;
	} rows[] = {
		{ "", false, false },
		{ "sandbox: {enabled: true}\n", true, true },
		{ "sandbox: {enabled: false}\n", false, false },
		{ "global_lockdown: true\n", true, true },
		{ "global_lockdown: false\n", false, false },
		{ "global_lockdown: true\nsandbox: {enabled: false}\n", false, false },
		{ "sandbox: {enabled: true, policies: {npm: {enabled: false}}}\n", false, true },
		{ "sandbox: {policies: {npm: {enabled: true}}}\n", true, false },
		{ "sandbox: {enabled: true, policies: {npm: {profile: npm}}}\n", true, true },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *text = pmg_xasprintf(V1 "%s", rows[i].text);
		pmg_auto(managed) struct pmg_managed managed = { 0 };
		struct pmg_err err = PMG_ERR_INIT;

		assert_int_equal(parse(text, &managed, &err), 0);
		assert_int_equal(pmg_managed_wants_walls(&managed, "npm"), rows[i].npm);
		assert_int_equal(pmg_managed_wants_walls(&managed, "pip"), rows[i].pip);
	}
}

static const struct {
	const char *text;
	const char *msg; /* behind the path; NULL: it is taken */
} project[] = {
	{ V1, NULL },
	{ V1 "deny: {filesystem: {deny_read: ['${PROJECT}/secrets/**']}}\n", NULL },
	{ V1 "sandbox: {enabled: true, strict: true, enforce_always: true}\n", NULL },
	{ V1 "intel: {on_missing: block}\n", NULL },
	{ "deny: {}\n", ":1:1: key \"schema_version\" is missing" },
	{ V1 "sandbox: {enabled: false}\n",
	  ":2:20: \"sandbox.enabled\" can only be true in a project's file" },
	{ V1 "sandbox: {strict: false}\n",
	  ":2:19: \"sandbox.strict\" can only be true in a project's file" },
	{ V1 "sandbox: {strict: 'true'}\n",
	  ":2:19: \"sandbox.strict\" can only be true in a project's file" },
	{ V1 "sandbox: {enforce_always: []}\n",
	  ":2:27: \"sandbox.enforce_always\" can only be true in a project's file" },
	{ V1 "intel: {on_missing: warn}\n",
	  ":2:21: \"intel.on_missing\" can only be block in a project's file" },
	{ V1 "sandbox: {policies: {npm: {profile: x}}}\n",
	  ":2:11: \"sandbox.policies\" cannot be set by a project's file" },
	{ V1 "sandbox: {policy_templates: {}}\n",
	  ":2:11: \"sandbox.policy_templates\" cannot be set by a project's file" },
	{ V1 "proxy: {registries: []}\n", ":2:1: \"proxy\" cannot be set by a project's file" },
	{ V1 "ledger: {retention: 1d}\n", ":2:1: \"ledger\" cannot be set by a project's file" },
	{ V1 "verbosity: silent\n", ":2:1: \"verbosity\" cannot be set by a project's file" },
	{ V1 "advisory_message: x\n",
	  ":2:1: \"advisory_message\" cannot be set by a project's file" },
	{ V1 "global_lockdown: false\n",
	  ":2:1: \"global_lockdown\" cannot be set by a project's file" },
	{ V1 "block: []\n", ":2:1: \"block\" cannot be set by a project's file" },
	{ V1 "presets: [git]\n", ":2:1: \"presets\" cannot be set by a project's file" },
	{ V1 "filesystem: {allow_read: [/]}\n",
	  ":2:1: \"filesystem\" cannot be set by a project's file" },
	{ V1 "deny: {filesystem: {allow_read: [/]}}\n", ":2:21: unknown key \"allow_read\"" },
	{ V1 "trust: me\n", ":2:1: unknown key \"trust\"" },
};

static void a_projects_file_only_tightens(void **state)
{
	pmg_auto(folder) char *top = folder_new();
	pmg_autofree char *path = pmg_path_join(top, ".pmg.yml");
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(project); i++) {
		pmg_auto(managed) struct pmg_managed managed = { 0 };
		struct pmg_err err = PMG_ERR_INIT;
		int r;

		folder_write(top, ".pmg.yml", project[i].text, strlen(project[i].text));
		r = pmg_managed_load_project(top, &managed, &err);
		assert_int_equal(r, project[i].msg ? -PMG_E_CONFIG : 0);
		assert_int_equal(pmg_managed_is_in_force(&managed), r == 0);
		if (r == 0)
			continue;
		assert_true(pmg_str_has_prefix(err.msg, path));
		assert_string_equal(err.msg + strlen(path), project[i].msg);
	}
}

static void a_projects_file_is_not_a_way_to_other_files(void **state)
{
	pmg_auto(folder) char *top = folder_new();
	pmg_autofree char *path = pmg_path_join(top, ".pmg.yml");
	pmg_auto(managed) struct pmg_managed managed = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_managed_load_project(top, &managed, &err), 0);
	assert_false(pmg_managed_is_in_force(&managed));
	assert_int_equal(symlink("/etc/hostname", path), 0);
	assert_int_equal(pmg_managed_load_project(top, &managed, &err), -PMG_E_CONFIG);
	assert_int_equal(remove(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(pmg_managed_load_project(top, &managed, &err), -PMG_E_CONFIG);
	assert_non_null(strstr(err.msg, "not a regular file"));
	assert_int_equal(remove(path), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(pmg_managed_load_project(top, &managed, &err), -PMG_E_CONFIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_has_the_keys_of_the_configuration_and_its_own),
		cmocka_unit_test(a_mistake_is_an_error_with_its_place_and_never_off),
		cmocka_unit_test(a_file_of_the_users_is_no_managed_policy),
		cmocka_unit_test(to_lock_all_switches_is_to_want_the_walls),
		cmocka_unit_test(a_projects_file_only_tightens),
		cmocka_unit_test(a_projects_file_is_not_a_way_to_other_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
