#include "policy/preset.h"

#include "building.h"

#include <unistd.h>

#include "policy/allow.h"
#include "policy/builtin.h"
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
		  "p.yml:4:27: a preset does not open \"${HOME}/.ssh/config\"" },
		{ "filesystem: {allow_read: [\"~/.ssh/**\"]}\n", "does not open" },
		{ "filesystem: {allow_read: [\"~/.s[s]h/x\"]}\n", "does not open" },
		{ "filesystem: {allow_read: [\"~/.\\\\ssh/*\"]}\n", "does not open" },
		{ "filesystem: {allow_read: [\"~/.ss?/**\"]}\n", "does not open" },
		{ "filesystem: {allow_read: [\"~/.a[vw]s/**\"]}\n", "does not open" },
		{ "filesystem: {allow_read: [\"${PROJECT}/.e?v\"]}\n", "does not open" },
		{ "filesystem: {allow_read: [\"${PROJECT}/.*\"]}\n", "does not open" },
		{ "filesystem: {allow_write: [\"${PROJECT}/**/.gi*\"]}\n", "does not open" },
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
		{ "process: {allow_exec: [\"~/other/.git/hooks/pre-push\"]}\n", "does not open" },
		{ "network: {allow_outbound: [\"169.254.169.254\"]}\n", "does not open" },
		/* All of the home */
		{ "filesystem: {allow_read: [\"/**\"]}\n", "all of the home" },
		{ "filesystem: {allow_read: [\"${HOME}/**\"]}\n", "all of the home" },
		{ "filesystem: {allow_read: [\"~/*\"]}\n", "all of the home" },
		{ "filesystem: {allow_write: [\"${HOME}/**/*\"]}\n", "all of the home" },
		{ "filesystem: {allow_write: [\"~/*/*/**\"]}\n", "all of the home" },
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
		"filesystem: {allow_read: [\"${PROJECT}/*\", \"${PROJECT}/dist/*.js\"]}\n",
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

/* Each allowance is needed: without the preset it is refused. */
static void official_presets_open_what_they_are_for(void **state)
{
	static const struct {
		const char *preset, *access, *object;
	} rows[] = {
		{ "asdf", "read", "{home}/.asdf/plugins/nodejs/bin/exec-env" },
		{ "asdf", "exec", "{home}/.asdf/installs/nodejs/22.1.0/bin/node" },
		{ "asdf", "exec", "{home}/.asdf/shims/node" },
		{ "astro", "write", "{home}/.config/astro/config.json" },
		{ "astro", "write", "{project}/.astro/types.d.ts" },
		{ "astro", "write", "{project}/dist/index.html" },
		{ "astro", "write", "{project}/astro.config.mjs.timestamp-1-a.mjs" },
		{ "astro", "write", "{project}/apps/docs/dist/index.html" },
		{ "cypress", "write", "{home}/.cache/Cypress/15.3.0/binary_state.json" },
		{ "cypress", "exec", "{home}/.cache/Cypress/15.3.0/Cypress/Cypress" },
		{ "cypress", "write", "{project}/cypress/videos/a.mp4" },
		{ "docker-build", "exec", "{home}/.docker/cli-plugins/docker-buildx" },
		{ "docker-build", "write", "{home}/.docker/buildx/current" },
		{ "docker-build", "env", "DOCKER_CONFIG" },
		{ "electron", "write", "{home}/.cache/electron/ab/electron.zip" },
		{ "git", "write", "{project}/.git/index.lock" },
		{ "git", "write", "{project}/.git/objects/ab/cd" },
		{ "git", "write", "{project}/.git/COMMIT_EDITMSG" },
		{ "git", "write", "{project}/.git/HEAD.lock" },
		{ "git", "read", "{project}/.git/config" },
		{ "husky", "write", "{project}/.git/index.lock" },
		{ "husky", "write", "{project}/.git/refs/stash" },
		{ "husky", "write", "{project}/.git/lint-staged_unstaged.patch" },
		{ "mise", "read", "{home}/.local/state/mise/trusted-configs/a" },
		{ "mise", "exec", "{home}/.local/share/mise/installs/node/22/bin/node" },
		{ "nextjs", "write", "{project}/.next/server/x" },
		{ "nextjs", "write", "{project}/out/index.html" },
		{ "nextjs", "write", "{project}/next-env.d.ts" },
		{ "node-gyp", "write", "{home}/.cache/node-gyp/20.20.2/include/node/node.h" },
		{ "playwright", "write", "{home}/.cache/ms-playwright/__dirlock" },
		{ "playwright", "exec", "{home}/.cache/ms-playwright/chromium-1/chrome" },
		{ "playwright", "write", "{project}/test-results/.last-run.json" },
		{ "playwright", "write", "{project}/playwright-report/index.html" },
		{ "prisma", "write", "{home}/.cache/prisma/master/x/libquery_engine" },
		{ "prisma", "write", "{project}/prisma/dev.db" },
		{ "prisma", "write", "{project}/prisma/migrations/1_init/migration.sql" },
		{ "puppeteer", "write", "{home}/.cache/puppeteer/chrome/x" },
		{ "puppeteer", "exec", "{home}/.cache/puppeteer/chrome/x/chrome" },
		{ "vite", "write", "{project}/dist/assets/index.js" },
		{ "vite", "write", "{project}/packages/ui/dist/index.js" },
		{ "vite", "write", "{project}/vite.config.ts.timestamp-1-a.mjs" },
	};
	struct building b;
	size_t i;

	(void)state;
	building_begin(&b, "npm", "npm");
	b.facts.git_secret = true;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		const struct building_row before = { rows[i].access, "s", rows[i].object, false };
		const struct building_row after = { rows[i].access, "s", rows[i].object, true };
		pmg_autofree char *allow = pmg_xasprintf("preset=%s", rows[i].preset);
		pmg_auto(policy) struct pmg_policy *bare = building_policy(&b, NULL, NULL);
		pmg_auto(policy) struct pmg_policy *policy = building_policy(&b, NULL, allow);

		building_ask(&b, bare, &before, 1);
		building_ask(&b, policy, &after, 1);
		assert_int_equal(policy->notes.n, 0);
	}
	building_end(&b);
}

static void official_presets_reach_and_listen_where_they_say(void **state)
{
	static const struct {
		const char *preset;
		enum pmg_access access;
		const char *host;
		uint16_t port;
	} rows[] = {
		{ "astro", PMG_ACCESS_BIND, "127.0.0.1", 4321 },
		{ "cypress", PMG_ACCESS_BIND, "127.0.0.1", 40123 },
		{ "cypress", PMG_ACCESS_CONNECT, "download.cypress.io", 443 },
		{ "electron", PMG_ACCESS_CONNECT, "github.com", 443 },
		{ "nextjs", PMG_ACCESS_BIND, "127.0.0.1", 3000 },
		{ "node-gyp", PMG_ACCESS_CONNECT, "nodejs.org", 443 },
		{ "playwright", PMG_ACCESS_CONNECT, "cdn.playwright.dev", 443 },
		{ "prisma", PMG_ACCESS_CONNECT, "binaries.prisma.sh", 443 },
		{ "puppeteer", PMG_ACCESS_CONNECT, "storage.googleapis.com", 443 },
		{ "vite", PMG_ACCESS_BIND, "127.0.0.1", 5173 },
		{ "vite", PMG_ACCESS_BIND, "::1", 4173 },
	};
	struct building b;
	size_t i;

	(void)state;
	building_begin(&b, "npm", "npm");
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *allow = pmg_xasprintf("preset=%s", rows[i].preset);
		pmg_auto(policy) struct pmg_policy *bare = building_policy(&b, NULL, NULL);
		pmg_auto(policy) struct pmg_policy *policy = building_policy(&b, NULL, allow);

		assert_false(pmg_policy_ask_net(bare, rows[i].access, PMG_ROLE_SCRIPT, rows[i].host,
						rows[i].port)
				     .allowed);
		assert_true(pmg_policy_ask_net(policy, rows[i].access, PMG_ROLE_SCRIPT,
					       rows[i].host, rows[i].port)
				    .allowed);
		assert_false(pmg_policy_ask_net(policy, PMG_ACCESS_BIND, PMG_ROLE_SCRIPT, "0.0.0.0",
						rows[i].port)
				     .allowed);
		assert_false(pmg_policy_ask_net(policy, PMG_ACCESS_CONNECT, PMG_ROLE_SCRIPT,
						"other.test", 443)
				     .allowed);
	}
	building_end(&b);
}

/* Whatever is allowed together. */
static void no_official_preset_opens_what_stays_closed(void **state)
{
	static const struct building_row rows[] = {
		{ "write", "ms", "{project}/.git/hooks/pre-commit", false },
		{ "exec", "ms", "{project}/.git/hooks/pre-commit", false },
		{ "read", "ms", "{project}/.git/hooks/pre-commit", false },
		{ "write", "ms", "{project}/.husky/_/pre-commit", false },
		{ "write", "ms", "{project}/.git/config", false },
		{ "exec", "ms", "{project}/.git/config", false },
		{ "write", "s", "{project}/src/x.js", false },
		{ "write", "s", "{project}/package.json", false },
		{ "write", "ms", "{project}/vite.config.ts", false },
		{ "write", "ms", "{project}/prisma/schema.prisma", false },
		{ "read", "s", "{project}/.env", false },
		{ "read", "s", "{home}/.docker/config.json", false },
		{ "write", "s", "{home}/.docker/cli-plugins/x", false },
		{ "unix", "ms", "/run/docker.sock", false },
		{ "unix", "ms", "/var/run/docker.sock", false },
		{ "write", "s", "{home}/.asdf/installs/x", false },
		{ "write", "s", "{home}/.cache/mise/x", false },
		{ "write", "s", "{home}/.local/state/mise/trusted-configs/x", false },
		{ "read", "s", "{home}/.ssh/id_x", false },
		{ "env", "ms", "DOCKER_HOST", false },
		{ "env", "ms", "NPM_TOKEN", false },
	};
	const struct pmg_builtin *built;
	pmg_auto(str) struct pmg_str allows = PMG_STR_INIT(4096);
	pmg_auto(policy) struct pmg_policy *policy = NULL;
	struct building b;

	(void)state;
	building_begin(&b, "npm", "npm");
	for (built = pmg_builtins; built->name; built++)
		if (strcmp(built->kind, "preset") == 0)
			assert_int_equal(pmg_str_addf(&allows, "preset=%s ", built->name), 0);
	policy = building_policy(&b, NULL, allows.s);
	building_ask(&b, policy, rows, PMG_ARRAY_LEN(rows));
	building_end(&b);
}

static void where_there_is_no_repository_one_note_says_so(void **state)
{
	struct building b;
	pmg_auto(policy) struct pmg_policy *policy = NULL;

	(void)state;
	building_begin(&b, "npm", "npm");
	pmg_strv_done(&b.facts.git_dirs);
	policy = building_policy(&b, NULL, "preset=git");
	assert_int_equal(policy->notes.n, 1);
	assert_string_equal(policy->notes.v[0], "[PMG2004] built-in git: ${GITDIR} has no value "
						"here, so what it stands in is left out");
	building_end(&b);
}

static void folders_that_are_opened_in_the_home_are_made_ahead(void **state)
{
	struct building b;
	pmg_auto(policy) struct pmg_policy *bare = NULL;
	pmg_auto(policy) struct pmg_policy *policy = NULL;
	pmg_auto(strv) struct pmg_strv none = { 0 };
	pmg_auto(strv) struct pmg_strv folders = { 0 };
	pmg_autofree char *acme = NULL;

	(void)state;
	building_begin(&b, "npm", "npm");
	bare = building_policy(&b, NULL, NULL);
	pmg_policy_write_folders(bare, &none);
	assert_int_equal(none.n, 0);
	policy = building_policy(&b, NULL,
				 "preset=vite write=~/.config/acme/** write=~/.x "
				 "write=~/.y/*.log write=~/.ssh/**");
	pmg_policy_write_folders(policy, &folders);
	acme = building_text(&b, "{home}/.config/acme");
	assert_int_equal(folders.n, 1);
	assert_string_equal(folders.v[0], acme);
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
		cmocka_unit_test(official_presets_open_what_they_are_for),
		cmocka_unit_test(official_presets_reach_and_listen_where_they_say),
		cmocka_unit_test(no_official_preset_opens_what_stays_closed),
		cmocka_unit_test(where_there_is_no_repository_one_note_says_so),
		cmocka_unit_test(folders_that_are_opened_in_the_home_are_made_ahead),
		cmocka_unit_test(a_preset_of_an_overlay_that_is_gone_opens_nothing),
		cmocka_unit_test(hosts_of_a_preset_are_for_scripts_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
