#include "policy/preset.h"

#include "building.h"

#include <unistd.h>

#include "policy/allow.h"
#include "policy/overlay.h"

#define HEAD "schema_version: 1\nkind: preset\nname: p\n"

static void what_a_preset_may_not_say_is_an_error_with_its_place(void **state)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		/* Form */
		{ "filesystem: {deny_read: [/x]}\n", "p.yml:4:14: unknown key \"deny_read\"" },
		{ "filesystem: {manager_write: [/x]}\n", "unknown key \"manager_write\"" },
		{ "process: {deny_exec: [/x]}\n", "unknown key \"deny_exec\"" },
		{ "network: {deny_outbound: [x]}\n", "unknown key \"deny_outbound\"" },
		{ "network: {script_outbound: [x]}\n", "unknown key \"script_outbound\"" },
		{ "network: {allow_network_bind: true}\n", "unknown key \"allow_network_bind\"" },
		{ "network: {network_via_proxy_only: false}\n", "unknown key" },
		{ "network: {allow_unix: [/run/x]}\n", "unknown key \"allow_unix\"" },
		{ "environment: {deny: [A]}\n", "unknown key \"deny\"" },
		{ "environment: {only_allowed: false}\n", "unknown key \"only_allowed\"" },
		{ "inherits: npm\n", "unknown key \"inherits\"" },
		{ "presets: [git]\n", "unknown key \"presets\"" },
		{ "allow_pty: true\n", "unknown key \"allow_pty\"" },
		{ "limits: {processes: 1}\n", "unknown key \"limits\"" },
		{ "metadata: {labels: [\"a b\"]}\n", "p.yml:4:21: \"labels\"" },
		{ "metadata: {autor: ann}\n", "p.yml:4:12: unknown key \"autor\"" },
		{ "filesystem: {allow_read: [\"dist\"]}\n", "p.yml:4:27: \"allow_read\"" },
		{ "filesystem: {allow_read: [\"**/x\"]}\n", "a path begins with" },
		{ "filesystem: {allow_read: [\"./x\"]}\n", "a path begins with" },
		{ "filesystem: {allow_read: [\"/a/../b\"]}\n", "no \"..\"" },
		{ "filesystem: {allow_read: [\"${HOME}/../b\"]}\n", "no \"..\"" },
		{ "network: {allow_bind: [\"0.0.0.0:80\"]}\n", "loopback" },
		{ "network: {allow_bind: [\"[::]:80\"]}\n", "loopback" },
		{ "network: {allow_bind: [\"10.0.0.1:80\"]}\n", "loopback" },
		{ "network: {allow_bind: [\"host.test:80\"]}\n", "an address to listen on" },
		{ "network: {allow_outbound: [registry]}\n", "names hosts" },
		{ "network: {allow_outbound: [\"*\"]}\n", "\"allow_outbound\"" },
		{ "environment: {allow: [\"npm_config_*\"]}\n", "without \"*\"" },
		{ "environment: {allow: [\"*\"]}\n", "\"allow\"" },
		/* What stays closed: the whole list, by the rules that decide */
		{ "filesystem: {allow_read: [\"${HOME}/.ssh/config\"]}\n",
		  "p.yml:4: a preset does not open \"${HOME}/.ssh/config\"" },
		{ "filesystem: {allow_read: [\"~/.ssh/**\"]}\n", "does not open" },
		{ "filesystem: {allow_read: [\"~/.s[s]h/x\"]}\n", "does not open" },
		{ "filesystem: {allow_read: [\"~/.\\\\ssh/*\"]}\n", "does not open" },
		{ "filesystem: {allow_read: [\"{home}/.aws/credentials\"]}\n", "does not open" },
		{ "filesystem: {allow_read: [\"${PROJECT}/.env\"]}\n", "does not open" },
		{ "filesystem: {allow_read: [\"${PROJECT}/.env*\"]}\n", "does not open" },
		{ "filesystem: {allow_read: [\"${PROJECT}/**/.env.*\"]}\n", "does not open" },
		{ "filesystem: {allow_read: [\"${CWD}/a/b/.env.local\"]}\n", "does not open" },
		{ "filesystem: {allow_read: [\"${HOME}/.npmrc\"]}\n", "does not open" },
		{ "filesystem: {allow_read: [\"${HOME}/.config/google-chrome/**\"]}\n",
		  "does not open" },
		{ "filesystem: {allow_read: [\"/etc/shadow\"]}\n", "does not open" },
		{ "filesystem: {allow_read: [\"${STATEDIR}/ledger.db\"]}\n", "does not open" },
		{ "filesystem: {allow_read: [\"${GITDIR}/hooks/pre-commit\"]}\n", "does not open" },
		{ "filesystem: {allow_write: [\"${GITDIR}/hooks/**\"]}\n", "does not open" },
		{ "process: {allow_exec: [\"${PROJECT}/.git/hooks/*\"]}\n", "does not open" },
		{ "filesystem: {allow_write: [\"${GITDIR}/config\"]}\n", "does not open" },
		{ "filesystem: {allow_write: [\"${PROJECT}/.git/config\"]}\n", "does not open" },
		{ "process: {allow_exec: [\"${GITDIR}/config\"]}\n", "does not open" },
		{ "filesystem: {allow_write: [\"${PROJECT}/.github/workflows/x.yml\"]}\n",
		  "does not open" },
		{ "filesystem: {allow_write: [\"${PROJECT}/**/.vscode/*\"]}\n", "does not open" },
		{ "filesystem: {allow_write: [\"~/.bashrc\"]}\n", "does not open" },
		{ "filesystem: {allow_write: [\"/etc/x\"]}\n", "does not open" },
		/* All of the home */
		{ "filesystem: {allow_read: [\"/**\"]}\n", "all of the home" },
		{ "filesystem: {allow_read: [\"${HOME}/**\"]}\n", "all of the home" },
		{ "filesystem: {allow_read: [\"~/*\"]}\n", "all of the home" },
		{ "filesystem: {allow_write: [\"${HOME}/**/*\"]}\n", "all of the home" },
		{ "filesystem: {allow_read: [\"{top}/*/*\"]}\n", "all of the home" },
	};
	struct building b;
	size_t i;

	(void)state;
	building_begin(&b, "npm", "npm");
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *text = pmg_xasprintf(HEAD "%s", rows[i].text);
		pmg_auto(policy) struct pmg_policy *policy = NULL;
		struct pmg_err err = PMG_ERR_INIT;

		building_write(&b, "home/.config/pmg/presets/p.yml", text);
		if (building_try(&b, NULL, "preset=p", &policy, &err) == 0)
			fail_msg("%s was taken", rows[i].text);
		if (!strstr(err.msg, rows[i].says) || !strstr(err.msg, "/presets/p.yml:4"))
			fail_msg("%s: %s (%s)", rows[i].text, err.msg, err.hint);
		assert_int_equal(err.code, PMG_E_CONFIG);
	}
	building_end(&b);
}

static void what_a_preset_may_say_is_taken(void **state)
{
	static const char *const rows[] = {
		"filesystem: {allow_read: [\"${PROJECT}/**\", \"/usr/**\", "
		"\"~/.cache/tool/**\"]}\n",
		"filesystem: {allow_read: [\"${PROJECT}/.env.example\"]}\n",
		"filesystem: {allow_read: [\"${GITDIR}/config\"]}\n",
		"filesystem: {allow_read: [\"${PROJECT}/.git/config\"]}\n",
		"filesystem: {allow_read: [\"${PROJECT}/environment\", "
		"\"~/.config/tool/*.json\"]}\n",
		"filesystem: {allow_write: [\"${PROJECT}/**/dist/**\", \"${CACHE}/x\"]}\n",
		"filesystem: {allow_write: [\"${PROJECT}/.[!e]stro/**\", \"${PROJECT}/a?c\"]}\n",
		"network: {allow_bind: [\"localhost:5173\", \"127.0.0.1:80\", \"[::1]:80\"]}\n",
		"network: {allow_bind: [\"127.0.0.1:0\"]}\n",
		"network: {allow_outbound: [\"cdn.test\", \"*.cdn.test:443\"]}\n",
		"environment: {allow: [NPM_TOKEN, DATABASE_URL]}\n",
		"metadata: {author: ann, labels: [a, b-c]}\n",
	};
	struct building b;
	size_t i;

	(void)state;
	building_begin(&b, "npm", "npm");
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *text = pmg_xasprintf(HEAD "%s", rows[i]);
		pmg_auto(policy) struct pmg_policy *policy = NULL;
		struct pmg_err err = PMG_ERR_INIT;

		building_write(&b, "home/.config/pmg/presets/p.yml", text);
		if (building_try(&b, NULL, "preset=p", &policy, &err) < 0)
			fail_msg("%s: %s (%s)", rows[i], err.msg, err.hint);
	}
	building_end(&b);
}

static void another_schema_or_kind_is_refused(void **state)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{ "schema_version: 2\nkind: preset\nname: p\n",
		  ":1:17: \"schema_version\" must be 1" },
		{ "schema_version: \"1\"\nkind: preset\nname: p\n", ":1:17: \"schema_version\"" },
		{ "kind: preset\nname: p\n", "key \"schema_version\" is missing" },
		{ "schema_version: 1\nname: p\n", "key \"kind\" is missing" },
		{ "schema_version: 1\nkind: profile\nname: p\n", ":2:7: \"kind\" must be preset" },
		{ "schema_version: 1\nkind: preset\n", "key \"name\" is missing" },
		{ "schema_version: 1\nkind: preset\nname: p\nname: q\n", ":4:" },
		{ "schema_version: 1\nkind: preset\nname: &a p\n", ":3:" },
	};
	struct building b;
	size_t i;

	(void)state;
	building_begin(&b, "npm", "npm");
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(policy) struct pmg_policy *policy = NULL;
		struct pmg_err err = PMG_ERR_INIT;

		building_write(&b, "home/.config/pmg/presets/p.yml", rows[i].text);
		if (building_try(&b, NULL, "preset=p", &policy, &err) == 0)
			fail_msg("%s was taken", rows[i].text);
		if (!strstr(err.msg, rows[i].says) || !strstr(err.msg, "/presets/p.yml:"))
			fail_msg("%s: %s", rows[i].text, err.msg);
	}
	building_end(&b);
}

/* What the profile's author denies, no preset opens; others' credentials it may, by name. */
static void a_deny_of_the_profile_beats_a_preset(void **state)
{
	static const struct {
		const char *profile, *preset;
		struct building_row row;
		const char *note; /* NULL: none */
	} rows[] = {
		{ "",
		  "environment: {allow: [ACME_TOKEN]}\n",
		  { "env", "ms", "ACME_TOKEN", true },
		  NULL },
		{ "environment: {deny: [\"ACME_*\"]}\n",
		  "environment: {allow: [ACME_TOKEN]}\n",
		  { "env", "ms", "ACME_TOKEN", false },
		  "ACME_TOKEN left out: the profile denies it (ACME_*, " },
		{ "environment: {deny: [ACME_TOKEN]}\n",
		  "environment: {allow: [ACME_TOKEN]}\n",
		  { "env", "ms", "ACME_TOKEN", false },
		  "ACME_TOKEN left out" },
		{ "environment: {deny: [ACME]}\n",
		  "environment: {allow: [ACME_TOKEN]}\n",
		  { "env", "ms", "ACME_TOKEN", true },
		  NULL },
		{ "",
		  "filesystem: {allow_read: [\"${GITDIR}/config\"]}\n",
		  { "read", "ms", "{project}/.git/config", true },
		  NULL },
		{ "filesystem: {deny_read: [\"${PROJECT}/.git/**\"]}\n",
		  "filesystem: {allow_read: [\"${GITDIR}/config\"]}\n",
		  { "read", "ms", "{project}/.git/config", false },
		  "${GITDIR}/config left out" },
		{ "filesystem: {deny_read: [\"${PROJECT}/**/con*\"]}\n",
		  "filesystem: {allow_read: [\"${PROJECT}/.git/config\"]}\n",
		  { "read", "ms", "{project}/.git/config", false },
		  "left out" },
		{ "filesystem: {script_deny_read: [\"${GITDIR}/config\"]}\n",
		  "filesystem: {allow_read: [\"${GITDIR}/config\"]}\n",
		  { "read", "s", "{project}/.git/config", false },
		  NULL },
		{ "filesystem: {script_deny_read: [\"${GITDIR}/config\"]}\n",
		  "filesystem: {allow_read: [\"${GITDIR}/config\"]}\n",
		  { "read", "m", "{project}/.git/config", true },
		  NULL },
		{ "filesystem: {deny_write: [\"${PROJECT}/dist\"]}\n",
		  "filesystem: {allow_write: [\"${PROJECT}/dist/x\"]}\n",
		  { "write", "ms", "{project}/dist/x", false },
		  NULL },
		{ "",
		  "filesystem: {allow_write: [\"${PROJECT}/dist/x\"]}\n",
		  { "write", "ms", "{project}/dist/x", true },
		  NULL },
	};
	struct building b;
	size_t i;

	(void)state;
	building_begin(&b, "npm", "npm");
	b.facts.git_secret = true;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *profile =
			pmg_xasprintf("schema_version: 1\nname: p\ninherits: npm\npresets: [p]\n%s",
				      rows[i].profile);
		pmg_autofree char *preset = pmg_xasprintf(HEAD "%s", rows[i].preset);
		pmg_auto(policy) struct pmg_policy *policy = NULL;

		building_write(&b, "home/.config/pmg/profiles/p.yml", profile);
		building_write(&b, "home/.config/pmg/presets/p.yml", preset);
		policy = building_policy(&b, "p", NULL);
		building_ask(&b, policy, &rows[i].row, 1);
		assert_int_equal(policy->notes.n, rows[i].note ? 1 : 0);
		if (rows[i].note && (!strstr(policy->notes.v[0], rows[i].note) ||
				     !strstr(policy->notes.v[0], "/presets/p.yml:4: ")))
			fail_msg("row %zu: %s", i, policy->notes.v[0]);
	}
	building_end(&b);
}

/* Who wrote the project decides where its "dist" leads, not who allowed the preset. */
static void a_link_of_the_project_widens_no_preset(void **state)
{
	static const struct building_row outside = { "write", "ms", "{home}/notes/x", false };
	static const struct building_row inside = { "write", "ms", "{project}/out/x", true };
	struct building b;
	pmg_auto(policy) struct pmg_policy *policy = NULL;
	pmg_autofree char *notes = NULL;
	pmg_autofree char *dist = NULL;
	pmg_autofree char *build = NULL;

	(void)state;
	building_begin(&b, "npm", "npm");
	building_write(&b, "home/notes/x", "");
	building_write(&b, "home/project/out/x", "");
	building_write(&b, "home/.config/pmg/presets/p.yml",
		       HEAD "filesystem: {allow_write: [\"${PROJECT}/dist/**\", "
			    "\"${PROJECT}/build/**\"]}\n");
	notes = pmg_path_join(b.home, "notes");
	dist = pmg_path_join(b.project, "dist");
	build = pmg_path_join(b.project, "build");
	assert_int_equal(symlink(notes, dist), 0);
	assert_int_equal(symlink("out", build), 0);
	policy = building_policy(&b, NULL, "preset=p");
	building_ask(&b, policy, &outside, 1);
	building_ask(&b, policy, &inside, 1);
	assert_int_equal(policy->notes.n, 1);
	assert_non_null(strstr(policy->notes.v[0], "${PROJECT}/dist/** leads out of the project"));
	building_end(&b);
}

/* By reference: what the file says when a run begins is what counts. */
static void an_edited_preset_takes_effect_where_it_is_named(void **state)
{
	static const struct building_row before = { "write", "s", "{project}/a/x", true };
	static const struct building_row after[] = { { "write", "s", "{project}/a/x", false },
						     { "write", "s", "{project}/b/x", true } };
	struct building b;
	pmg_auto(policy) struct pmg_policy *first = NULL;
	pmg_auto(policy) struct pmg_policy *second = NULL;

	(void)state;
	building_begin(&b, "npm", "npm");
	building_write(&b, "home/.config/pmg/profiles/p.yml",
		       "schema_version: 1\nname: p\ninherits: npm\npresets: [p]\n");
	building_write(&b, "home/.config/pmg/presets/p.yml",
		       HEAD "filesystem: {allow_write: [\"${PROJECT}/a/**\"]}\n");
	first = building_policy(&b, "p", NULL);
	building_ask(&b, first, &before, 1);
	building_write(&b, "home/.config/pmg/presets/p.yml",
		       HEAD "filesystem: {allow_write: [\"${PROJECT}/b/**\"]}\n");
	second = building_policy(&b, "p", NULL);
	building_ask(&b, second, after, 2);
	building_end(&b);
}

/* Its file may be on another machine: what it opens is left out, the rest of the overlay holds. */
static void a_preset_of_an_overlay_that_is_gone_opens_nothing(void **state)
{
	static const struct building_row rows[] = { { "write", "s", "{project}/a/x", true },
						    { "write", "s", "{project}/b/x", false } };
	struct building b;
	pmg_auto(overlay) struct pmg_overlay overlay = { 0 };
	pmg_auto(policy) struct pmg_policy *policy = NULL;
	struct pmg_policy_want want = { 0 };
	struct pmg_overlay_entry gone = { .type = PMG_ALLOW_PRESET, .value = pmg_xstrdup("gone") };
	struct pmg_overlay_entry a = { .type = PMG_ACCESS_WRITE,
				       .value = pmg_xstrdup("${PROJECT}/a/**") };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	building_begin(&b, "npm", "npm");
	assert_int_equal(pmg_overlay_load(b.config, b.project, &overlay, &err), 0);
	assert_int_equal(pmg_overlay_add(&overlay, NULL, false, &gone, &err), 0);
	assert_int_equal(pmg_overlay_add(&overlay, NULL, false, &a, &err), 0);
	assert_int_equal(pmg_overlay_save(&overlay, &err), 0);
	policy = building_policy(&b, NULL, NULL);
	building_ask(&b, policy, rows, PMG_ARRAY_LEN(rows));
	assert_int_equal(policy->notes.n, 1);
	assert_non_null(
		strstr(policy->notes.v[0], ".yml:5: no preset \"gone\"; nothing is allowed by it"));
	/* One that is there and cannot be read is no such thing. */
	building_write(&b, "home/.config/pmg/presets/gone.yml", HEAD "netwrok: {}\n");
	want.facts = &b.facts;
	pmg_policy_free(pmg_steal_ptr(&policy));
	assert_int_equal(pmg_policy_build(&want, &policy, &err), -PMG_E_CONFIG);
	assert_non_null(strstr(err.msg, "gone.yml:4:1: unknown key"));
	building_end(&b);
}

static void hosts_of_a_preset_are_for_scripts_too(void **state)
{
	struct building b;
	pmg_auto(policy) struct pmg_policy *policy = NULL;
	struct pmg_decision got;

	(void)state;
	building_begin(&b, "npm", "npm");
	building_write(&b, "home/.config/pmg/presets/p.yml",
		       HEAD "network: {allow_outbound: [\"cdn.test:443\"]}\n");
	policy = building_policy(&b, NULL, "preset=p");
	got = pmg_policy_ask_net(policy, PMG_ACCESS_CONNECT, PMG_ROLE_SCRIPT, "cdn.test", 443);
	assert_true(got.allowed);
	got = pmg_policy_ask_net(policy, PMG_ACCESS_CONNECT, PMG_ROLE_SCRIPT, "cdn.test", 80);
	assert_false(got.allowed);
	got = pmg_policy_ask_net(policy, PMG_ACCESS_CONNECT, PMG_ROLE_SCRIPT, "registry", 443);
	assert_false(got.allowed);
	building_end(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_preset_may_not_say_is_an_error_with_its_place),
		cmocka_unit_test(what_a_preset_may_say_is_taken),
		cmocka_unit_test(another_schema_or_kind_is_refused),
		cmocka_unit_test(a_deny_of_the_profile_beats_a_preset),
		cmocka_unit_test(a_link_of_the_project_widens_no_preset),
		cmocka_unit_test(an_edited_preset_takes_effect_where_it_is_named),
		cmocka_unit_test(a_preset_of_an_overlay_that_is_gone_opens_nothing),
		cmocka_unit_test(hosts_of_a_preset_are_for_scripts_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
