#include "policy/build.h"

#include "building.h"

#include <sys/stat.h>

static void the_profile_of_npm_opens_what_an_install_needs(void **state)
{
	static const struct building_row rows[] = {
		{ "read", "ms", "/usr/lib/os-release", true },
		{ "read", "ms", "/etc/passwd", true },
		{ "read", "ms", "/etc/ssl/certs/ca-certificates.crt", true },
		{ "read", "ms", "/run/systemd/resolve/stub-resolv.conf", true },
		{ "read", "ms", "/sys/fs/cgroup/cgroup.controllers", true },
		{ "read", "ms", "/proc/meminfo", true },
		{ "read", "ms", "{project}/src/index.js", true },
		{ "read", "ms", "{project}/.git/HEAD", true },
		{ "read", "ms", "{project}/.git/config", true },
		{ "read", "ms", "{project}/.env.example", true },
		{ "read", "ms", "{home}/.gitconfig", true },
		{ "read", "ms", "{home}/.npm/_cacache/index-v5/x", true },
		{ "read", "ms", "{home}/.nvm/versions/node/v22/bin/node", true },
		{ "read", "m", "{home}/.npmrc", true },
		{ "read", "m", "{project}/.npmrc", true },
		{ "read", "ms", "{project}/node_modules/x/.env", true },
		{ "read", "ms", "{project}/node_modules/@a/x/.npmrc", true },
		{ "read", "ms", "{run}/ca.pem", true },
		{ "write", "ms", "{project}/node_modules", true },
		{ "write", "ms", "{project}/packages/a/node_modules/x/y", true },
		{ "write", "ms", "{project}/node_modules/x/.env", true },
		{ "write", "ms", "{project}/node_modules/x/.idea/workspace.xml", true },
		{ "write", "ms", "{project}/package-lock.json", true },
		{ "write", "ms", "{project}/package-lock.json.123", true },
		{ "write", "m", "{project}/package.json", true },
		{ "write", "ms", "{home}/.npm/_cacache/tmp/x", true },
		{ "write", "ms", "/tmp/x", true },
		{ "write", "ms", "/var/tmp/x", true },
		{ "write", "ms", "/dev/null", true },
		{ "exec", "ms", "/usr/bin/node", true },
		{ "exec", "ms", "{project}/node_modules/esbuild/bin/esbuild", true },
		{ "exec", "ms", "{project}/scripts/build.sh", true },
		{ "exec", "ms", "{home}/.npm/_npx/1a/node_modules/.bin/x", true },
		{ "exec", "ms", "{home}/.nvm/versions/node/v22/bin/node", true },
	};
	struct building b;
	pmg_auto(policy) struct pmg_policy *policy = NULL;
	struct pmg_decision got;

	(void)state;
	building_begin(&b, "npm", "npx");
	policy = building_policy(&b, NULL, NULL);
	building_ask(&b, policy, rows, PMG_ARRAY_LEN(rows));
	assert_string_equal(policy->profile, "npm");
	assert_true(policy->proxy_only);
	assert_int_equal(policy->notes.n, 0);
	got = pmg_policy_ask_net(policy, PMG_ACCESS_CONNECT, PMG_ROLE_MANAGER, "registry", 0);
	assert_true(got.allowed);
	got = pmg_policy_ask_net(policy, PMG_ACCESS_CONNECT, PMG_ROLE_SCRIPT, "registry", 0);
	assert_false(got.allowed);
	building_end(&b);
}

static void the_profile_of_npm_closes_all_else(void **state)
{
	static const struct building_row rows[] = {
		{ "read", "ms", "{home}", false },
		{ "read", "ms", "{home}/notes.txt", false },
		{ "read", "ms", "{home}/other/src/x", false },
		{ "read", "ms", "{home}/.ssh/id_x", false },
		{ "read", "ms", "{home}/.aws/credentials", false },
		{ "read", "s", "{home}/.npmrc", false },
		{ "read", "s", "{project}/packages/a/.npmrc", false },
		{ "read", "ms", "{project}/.env", false },
		{ "read", "ms", "{project}/packages/a/.env.local", false },
		{ "read", "ms", "{project}/.git/hooks/pre-commit", false },
		{ "read", "ms", "{project}/sub/.git/config", false },
		{ "read", "ms", "/etc/shadow", false },
		{ "read", "ms", "/root/x", false },
		{ "read", "ms", "/var/lib/dpkg/status", false },
		{ "read", "ms", "/run/user/1000/bus", false },
		{ "read", "ms", "{state}/ledger.db", false },
		{ "write", "ms", "{home}/.bashrc", false },
		{ "write", "ms", "{project}/src/index.js", false },
		{ "write", "ms", "{project}/.env", false },
		{ "write", "ms", "{project}/.env.example", false },
		{ "write", "s", "{project}/package.json", false },
		{ "write", "ms", "{project}/.github/workflows/x.yml", false },
		{ "write", "ms", "{project}/.git/hooks/pre-commit", false },
		{ "write", "ms", "{project}/.git/config", false },
		{ "exec", "ms", "{project}/.git/config", false },
		{ "write", "ms", "{project}/.git", false },
		{ "write", "ms", "{project}/.husky/_/pre-commit", false },
		{ "exec", "ms", "{project}/.husky/_/pre-commit", false },
		{ "read", "ms", "{project}/.husky/_/pre-commit", true },
		{ "write", "ms", "{config}/config.yml", false },
		{ "write", "ms", "{run}/ca.pem", false },
		{ "write", "ms", "/tmp/cache/pmg/defaults.json", false },
		{ "write", "ms", "/usr/bin/x", false },
		{ "write", "ms", "/proc/sys/kernel/core_pattern", false },
		{ "exec", "ms", "{home}/evil", false },
		{ "exec", "ms", "/tmp/x", false },
		{ "exec", "ms", "/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2", false },
		{ "exec", "ms", "/lib/ld-musl-x86_64.so.1", false },
		{ "exec", "ms", "{project}/.git/hooks/pre-commit", false },
		{ "unix", "ms", "/run/docker.sock", false },
		{ "unix", "ms", "@/tmp/.X11-unix/X0", false },
	};
	struct building b;
	pmg_auto(policy) struct pmg_policy *policy = NULL;

	(void)state;
	building_begin(&b, "npm", "npm");
	policy = building_policy(&b, NULL, NULL);
	building_ask(&b, policy, rows, PMG_ARRAY_LEN(rows));
	building_end(&b);
}

static void each_built_in_profile_builds(void **state)
{
	static const struct {
		const char *manager;
		struct building_row rows[4];
	} rows[] = {
		{ "pnpm",
		  { { "write", "ms", "{project}/_tmp_12_ab", true },
		    { "write", "ms", "{home}/.local/share/pnpm/store/v10/files/x", true },
		    { "write", "ms", "{project}/pnpm-lock.yaml.123", true },
		    { "exec", "ms", "{home}/.local/share/pnpm/store/v10/links/x/bin", true } } },
		{ "pip",
		  { { "write", "m", "{project}/.venv/lib/python3.11/site-packages/x", true },
		    { "write", "s", "{project}/x.egg-info/PKG-INFO", true },
		    { "exec", "s", "/tmp/pip-build-env-1/overlay/bin/x", true },
		    { "write", "s", "{project}/setup.py", false } } },
		{ "exec",
		  { { "write", "s", "{project}/a/b", true },
		    { "read", "ms", "{project}/.npmrc", false },
		    { "read", "s", "{home}/.aws/credentials", false },
		    { "exec", "s", "{home}/evil", false } } },
	};
	struct pmg_decision got;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		struct building b;
		pmg_auto(policy) struct pmg_policy *policy = NULL;

		building_begin(&b, rows[i].manager, NULL);
		policy = building_policy(&b, NULL, NULL);
		building_ask(&b, policy, rows[i].rows, PMG_ARRAY_LEN(rows[i].rows));
		got = pmg_policy_ask_net(policy, PMG_ACCESS_CONNECT, PMG_ROLE_MANAGER, "registry",
					 0);
		assert_int_equal(got.allowed, strcmp(rows[i].manager, "exec") != 0);
		building_end(&b);
	}
}

static void a_project_below_the_temporary_folder_is_no_temporary_file(void **state)
{
	static const struct building_row rows[] = {
		{ "write", "ms", "/tmp/x", true },
		{ "write", "ms", "/tmp/work", true }, /* the folder itself: it is in /tmp */
		{ "write", "ms", "/tmp/work2/x", true },
		{ "write", "ms", "/tmp/there/p/src/x", false },
		{ "write", "s", "/tmp/there/p/package.json", false },
		{ "write", "s", "/tmp/there/p/node_modules/x/y", true },
		{ "write", "m", "/tmp/there/p/package.json", true },
		{ "read", "s", "/tmp/there/p/src/x", true },
		{ "read", "ms", "/tmp/home/notes", false },
		{ "write", "ms", "/tmp/home/x", false },
		{ "write", "ms", "/var/tmp/x", true },
	};
	struct building b;
	pmg_auto(policy) struct pmg_policy *policy = NULL;

	(void)state;
	building_begin(&b, "npm", NULL);
	b.facts.project = b.facts.cwd = "/tmp/there/p";
	b.facts.home = "/tmp/home";
	policy = building_policy(&b, NULL, NULL);
	building_ask(&b, policy, rows, PMG_ARRAY_LEN(rows));
	building_end(&b);
}

static void what_is_typed_outside_of_the_project_is_read_as_it_needs(void **state)
{
	static const struct building_row both[] = {
		{ "read", "m", "{home}/a.tgz", true },
		{ "read", "s", "{home}/a.tgz", false },
		{ "read", "m", "{home}/b.tgz", false },
		/* npm makes a link to a folder, and scripts load it through that. */
		{ "read", "ms", "{home}/lib", true },
		{ "read", "ms", "{home}/lib/src/index.js", true },
		{ "exec", "ms", "{home}/lib/cli.js", true },
		{ "read", "ms", "{home}/lib/.env", false },
		{ "read", "ms", "{home}/lib/deep/.env.local", false },
		{ "read", "ms", "{home}/lib/.git/hooks/x", false },
		{ "read", "s", "{home}/lib/.npmrc", false },
		{ "read", "ms", "{home}/library", false },
		{ "write", "ms", "{home}/lib/src/index.js", false },
		{ "write", "ms", "{home}/lib/.github/x.yml", false },
		/* Asked for by mistake, or by somebody who was asked to. */
		{ "read", "ms", "{home}/.ssh/id_rsa", false },
		{ "read", "ms", "{home}/.aws/x.tgz", false },
		/* Of /tmp, which is the run's own otherwise. */
		{ "read", "m", "/tmp/in/a.tgz", true },
		{ "write", "ms", "/tmp/in/a.tgz", false },
	};
	static const struct {
		const char *manager;
		struct building_row row;
	} rows[] = {
		{ "pip", { "write", "s", "{home}/lib/build/x", true } },
		{ "pip", { "write", "s", "{home}/lib/x.egg-info/PKG-INFO", true } },
		{ "npm", { "write", "s", "{home}/lib/build/x", false } },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(policy) struct pmg_policy *policy = NULL;
		struct building b;

		building_begin(&b, rows[i].manager, NULL);
		b.facts.tmp = "/tmp/.run"; /* as where the front finds one below /tmp */
		building_add(&b, &b.facts.operands, "{home}/a.tgz");
		building_add(&b, &b.facts.operands, "/tmp/in/a.tgz");
		building_add(&b, &b.facts.operands, "{home}/.ssh");
		building_add(&b, &b.facts.operands, "{home}/.aws/x.tgz");
		building_add(&b, &b.facts.operands, "{home}/lib");
		building_add(&b, &b.facts.source_dirs, "{home}/.ssh");
		building_add(&b, &b.facts.source_dirs, "{home}/lib");
		policy = building_policy(&b, NULL, NULL);
		building_ask(&b, policy, both, PMG_ARRAY_LEN(both));
		building_ask(&b, policy, &rows[i].row, 1);
		building_end(&b);
	}
}

/* Pip believes its cache another day, outside the walls. */
static void a_build_of_a_package_fills_no_cache_of_pip(void **state)
{
	static const struct building_row rows[] = {
		{ "write", "m", "{home}/.npm/wheels/a/b/x.whl", true },
		{ "write", "s", "{home}/.npm/wheels/a/b/x.whl", false },
		{ "write", "s", "{home}/.npm/http-v2/a/b", false },
		{ "read", "s", "{home}/.npm/http-v2/a/b", true },
	};
	struct building b;
	pmg_auto(policy) struct pmg_policy *policy = NULL;

	(void)state;
	building_begin(&b, "pip", NULL);
	policy = building_policy(&b, NULL, NULL);
	building_ask(&b, policy, rows, PMG_ARRAY_LEN(rows));
	building_end(&b);
}

static void what_would_open_git_hooks_is_an_error(void **state)
{
	static const char *const allows[] = { "write=.git/hooks/x", "exec=.git/hooks/**",
					      "read=.git/hooks",
					      "write=/other/.git/modules/a/hooks/x" };
	struct building b;
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	building_begin(&b, "npm", "npm");
	for (i = 0; i < PMG_ARRAY_LEN(allows); i++) {
		pmg_auto(policy) struct pmg_policy *policy = NULL;

		assert_int_equal(building_try(&b, NULL, allows[i], &policy, &err), -PMG_E_CONFIG);
		assert_non_null(strstr(err.msg, "--sandbox-allow: nothing opens git hooks"));
		assert_int_equal(err.diag, 2106);
	}
	building_end(&b);
}

static void the_profile_of_yarn_opens_what_an_install_needs(void **state)
{
	static const struct building_row rows[] = {
		{ "read", "m", "{project}/.yarnrc.yml", true },
		{ "read", "s", "{project}/.yarnrc.yml", false },
		{ "read", "s", "{home}/.yarnrc", false },
		{ "read", "ms", "{home}/.yarnrc.yml", true }, /* a plain one */
		{ "write", "s", "{home}/.yarnrc.yml", false },
		{ "write", "m", "{home}/.yarnrc.yml", false },
		{ "write", "m", "{project}/.yarnrc.yml", false },
		{ "write", "ms", "{project}/yarn.lock", true },
		{ "write", "ms", "{project}/packages/a/node_modules/x/y", true },
		{ "write", "m", "{project}/.pnp.cjs", true },
		{ "write", "s", "{project}/.pnp.cjs", false },
		{ "write", "m", "{project}/.yarn/cache/x.zip", true },
		{ "write", "m", "{project}/.yarn/install-state.gz", true },
		{ "write", "m", "{project}/.yarn/releases/yarn-4.cjs", false },
		{ "write", "s", "{project}/.yarn/releases/yarn-4.cjs", false },
		{ "write", "s", "{project}/.yarn/unplugged/x/node_modules/x/y", true },
		{ "exec", "ms", "{project}/.yarn/unplugged/x/node_modules/x/y", true },
		{ "exec", "ms", "/tmp/xfs-1a/node", true },
		{ "exec", "ms", "/tmp/other/node", false },
		{ "write", "m", "{project}/src/index.js", false },
	};
	pmg_autofree char *file = NULL;
	struct building b;
	pmg_auto(policy) struct pmg_policy *policy = NULL;
	struct pmg_decision got;

	(void)state;
	building_begin(&b, "yarn", "yarn");
	building_add(&b, &b.facts.configs, "{home}/.yarnrc.yml");
	building_add(&b, &b.facts.configs, "{home}/.yarnrc");
	building_add(&b, &b.facts.plain_configs, "{home}/.yarnrc.yml");
	building_add(&b, &b.facts.parts, "{project}/.yarn/releases/yarn-4.cjs");
	policy = building_policy(&b, NULL, NULL);
	building_ask(&b, policy, rows, PMG_ARRAY_LEN(rows));
	assert_int_equal(policy->manager_parts.n, 1);
	/* yarn, started again by a script, goes on with an empty file. */
	file = pmg_path_join(b.project, ".npmrc");
	got = pmg_policy_ask(policy, PMG_ACCESS_READ, PMG_ROLE_SCRIPT, file);
	assert_true(!got.allowed && got.rule->reads_empty && !got.rule->sensitive);
	building_end(&b);
	pmg_policy_free(pmg_steal_ptr(&policy));
	free(pmg_steal_ptr(&file));
	building_begin(&b, "npm", "npm");
	policy = building_policy(&b, NULL, NULL);
	file = pmg_path_join(b.project, ".npmrc");
	got = pmg_policy_ask(policy, PMG_ACCESS_READ, PMG_ROLE_SCRIPT, file);
	assert_true(!got.allowed && !got.rule->reads_empty);
	building_end(&b);
}

/* bun reads .env whatever it was started for, and nobody has attacked anything. */
static void a_dotenv_reads_as_empty_in_a_run_of_bun_alone(void **state)
{
	static const struct building_row rows[] = {
		{ "read", "ms", "{project}/.env", false },
		{ "write", "ms", "{project}/.env", false },
		{ "read", "ms", "{home}/above", true },
		{ "read", "ms", "{home}/above/x", false },
		{ "read", "ms", "/", true },
		{ "read", "ms", "/srv", false },
		{ "write", "ms", "{project}/bun.lock", true },
		{ "exec", "ms", "/tmp/bunx-0-x/node_modules/.bin/x", true },
	};
	static const char *const managers[] = { "bun", "npm" };
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(managers); i++) {
		pmg_auto(policy) struct pmg_policy *policy = NULL;
		pmg_autofree char *file = NULL;
		struct pmg_decision got;
		struct building b;
		bool is_bun = i == 0;

		building_begin(&b, managers[i], NULL);
		building_add(&b, &b.facts.plain_configs, "{home}/above");
		building_add(&b, &b.facts.plain_configs, "/");
		policy = building_policy(&b, NULL, NULL);
		if (is_bun)
			building_ask(&b, policy, rows, PMG_ARRAY_LEN(rows));
		file = pmg_path_join(b.project, ".env");
		got = pmg_policy_ask(policy, PMG_ACCESS_READ, PMG_ROLE_MANAGER, file);
		assert_false(got.allowed);
		assert_int_equal(got.rule->reads_empty, is_bun);
		assert_int_equal(got.rule->sensitive, !is_bun);
		building_end(&b);
	}
}

static void git_configuration_with_credentials_is_closed_for_reading(void **state)
{
	static const struct building_row closed = { "read", "ms", "{project}/.git/config", false };
	static const struct building_row open = { "read", "ms", "{project}/.git/config", true };
	static const struct building_row git[] = {
		{ "read", "s", "{project}/.git/config", true },
		{ "write", "s", "{project}/.git/index.lock", true },
		{ "write", "s", "{project}/.git/objects/ab/cd", true },
		{ "write", "s", "{project}/.git/HEAD.lock", true },
		{ "write", "s", "{project}/.git/config", false },
		{ "write", "s", "{project}/.git/config.lock", false },
		{ "write", "s", "{project}/.git/hooks/x", false },
		{ "read", "s", "{project}/.git/hooks/x", false },
	};
	struct building b;
	pmg_auto(policy) struct pmg_policy *policy = NULL;
	pmg_auto(policy) struct pmg_policy *named = NULL;
	pmg_auto(policy) struct pmg_policy *preset = NULL;

	(void)state;
	building_begin(&b, "npm", "npm");
	b.facts.git_secret = true;
	policy = building_policy(&b, NULL, NULL);
	building_ask(&b, policy, &closed, 1);
	named = building_policy(&b, NULL, "read=.git/config");
	building_ask(&b, named, &open, 1);
	preset = building_policy(&b, NULL, "preset=git");
	building_ask(&b, preset, git, PMG_ARRAY_LEN(git));
	building_end(&b);
}

static void every_form_of_an_exact_path_opens_it_and_nothing_else(void **state)
{
	static const char *const forms[] = {
		"read=.env",        "read=./.env",          "read={project}/.env",
		"read=${CWD}/.env", "read=${PROJECT}/.env", "read=~/project/.env",
		"read=src/../.env"
	};
	static const struct building_row rows[] = {
		{ "read", "ms", "{project}/.env", true },
		{ "read", "ms", "{project}/.env.local", false },
		{ "read", "ms", "{project}/a/.env", false },
		{ "read", "ms", "{home}/.env", false },
		{ "write", "ms", "{project}/.env", false },
	};
	struct building b;
	size_t i;

	(void)state;
	building_begin(&b, "npm", "npm");
	for (i = 0; i < PMG_ARRAY_LEN(forms); i++) {
		pmg_auto(policy) struct pmg_policy *policy = building_policy(&b, NULL, forms[i]);

		building_ask(&b, policy, rows, PMG_ARRAY_LEN(rows));
	}
	building_end(&b);
}

static void an_allowance_opens_just_what_it_says(void **state)
{
	static const struct {
		const char *allow;
		struct building_row yes, no;
	} rows[] = {
		{ "read=~/.config/foo/bar.json",
		  { "read", "ms", "{home}/.config/foo/bar.json", true },
		  { "read", "ms", "{home}/.config/foo/x", false } },
		{ "write=dist/",
		  { "write", "ms", "{project}/dist/a/b", true },
		  { "write", "ms", "{project}/distx", false } },
		{ "write=dist/**",
		  { "write", "ms", "{project}/dist", true },
		  { "exec", "ms", "{home}/dist", false } },
		{ "exec=~/bin/x",
		  { "exec", "ms", "{home}/bin/x", true },
		  { "exec", "ms", "{home}/bin/y", false } },
		{ "unix=@x", { "unix", "ms", "@x", true }, { "unix", "ms", "@xy", false } },
		{ "unix=.sock",
		  { "unix", "ms", "{project}/.sock", true },
		  { "unix", "ms", "{home}/.sock", false } },
		/* Hooks of other repositories are no less hooks. */
		{ "write=~/other/**",
		  { "write", "ms", "{home}/other/.git/config", true },
		  { "write", "ms", "{home}/other/a/.git/hooks/x", false } },
		{ "net-connect=169.254.169.254",
		  { "net-connect", "ms", "169.254.169.254", true },
		  { "net-connect", "ms", "metadata.goog", false } },
		/* What a folder is denied for does not come back with its sibling. */
		{ "read=~/.ssh/config",
		  { "read", "ms", "{home}/.ssh/config", true },
		  { "read", "ms", "{home}/.ssh/id_rsa", false } },
	};
	struct building b;
	size_t i;

	(void)state;
	building_begin(&b, "npm", "npm");
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(policy) struct pmg_policy *policy =
			building_policy(&b, NULL, rows[i].allow);

		building_ask(&b, policy, &rows[i].yes, 1);
		building_ask(&b, policy, &rows[i].no, 1);
	}
	building_end(&b);
}

static void a_wrong_allowance_is_an_error(void **state)
{
	static const struct {
		const char *allow, *says, *hint;
	} rows[] = {
		{ "raed=x", "is not TYPE=VALUE", "did you mean \"read" },
		{ "read", "is not TYPE=VALUE", "" },
		{ "read=", "empty", "" },
		{ "net-connect=host:65616", "port", "" },
		{ "net-connect=host:0", "port", "" },
		{ "net-connect=host:-1", "port", "" },
		{ "net-bind=0.0.0.0:99999", "port", "" },
		{ "env=A*B", "\"*\"", "" },
		{ "env=*", "variable", "" },
		{ "preset=gti", "no preset", "did you mean \"git\"" },
		{ "read=**/.env", "a pattern does not open", "read=.env" },
		{ "write=${NOPE}/x", "${NOPE} is no variable", "" },
	};
	struct building b;
	size_t i;

	(void)state;
	building_begin(&b, "npm", "npm");
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(policy) struct pmg_policy *policy = NULL;
		struct pmg_err err = PMG_ERR_INIT;

		if (building_try(&b, NULL, rows[i].allow, &policy, &err) == 0)
			fail_msg("%s was taken", rows[i].allow);
		assert_null(policy);
		if (!strstr(err.msg, rows[i].says) || !strstr(err.hint, rows[i].hint))
			fail_msg("%s: %s (%s)", rows[i].allow, err.msg, err.hint);
	}
	building_end(&b);
}

static void a_profile_of_the_user_stands_on_a_built_in_one(void **state)
{
	static const struct building_row rows[] = {
		{ "read", "ms", "{home}/.config/acme/x", true },
		{ "write", "ms", "{project}/node_modules/x", true },
		{ "read", "ms", "{project}/secrets", false },
		{ "read", "ms", "{project}/secrets/a/b", false },
		{ "read", "ms", "{project}/a/priv-1/x/y", false },
		{ "exec", "ms", "/usr/bin/curl", false },
		{ "unix", "ms", "{project}/.sock", true },
	};
	struct building b;
	pmg_auto(policy) struct pmg_policy *policy = NULL;
	struct pmg_decision got;
	size_t i;
	bool seen = false;

	(void)state;
	building_begin(&b, "npm", "npm");
	building_write(
		&b, "home/.config/pmg/profiles/my-npm.yml",
		"schema_version: 1\nname: my-npm\ninherits: npm\n"
		"package_managers: [npm, npx]\npresets: [git]\n"
		"filesystem:\n  allow_read: [\"${HOME}/.config/acme/**\", \"${NOPE}/x\"]\n"
		"  deny_read: [\"${PROJECT}/secrets\", \"${PROJECT}/**/priv-*\"]\n"
		"process:\n  deny_exec: [/usr/bin/curl]\n"
		"network:\n  network_via_proxy_only: false\n"
		"  script_outbound: [\"*.acme.test:443\"]\n  allow_unix: [\"${PROJECT}/.sock\"]\n"
		"limits: {processes: 512}\n");
	policy = building_policy(&b, "my-npm", NULL);
	building_ask(&b, policy, rows, PMG_ARRAY_LEN(rows));
	assert_string_equal(policy->profile, "my-npm");
	assert_false(policy->proxy_only);
	assert_int_equal(policy->max_processes, 512);
	assert_int_equal(policy->notes.n, 1);
	assert_true(pmg_str_has_prefix(policy->notes.v[0], "[PMG2004] "));
	assert_non_null(strstr(policy->notes.v[0], "my-npm.yml:7: ${NOPE}/x: ${NOPE} is no"));
	got = pmg_policy_ask_net(policy, PMG_ACCESS_CONNECT, PMG_ROLE_SCRIPT, "a.acme.test", 443);
	assert_true(got.allowed);
	for (i = 0; i < policy->n_rules; i++)
		seen |= pmg_str_has_suffix(policy->rules[i].source, "profiles/my-npm.yml:8");
	assert_true(seen);
	building_end(&b);
}

static void a_wrong_profile_says_where(void **state)
{
	static const struct {
		const char *text, *says, *hint;
	} rows[] = {
		{ "filesytem: {}\n", ":3:1: unknown key \"filesytem\"", "filesystem" },
		{ "inherits: nmp\n", ":3:11: \"inherits\"", "npm" },
		{ "filesystem: {allow_write: [\"${NOPE}/x\"]}\n", ".yml:3:28: ${NOPE}/x", "" },
		{ "filesystem: {allow_read: [relative]}\n", ":3:27: \"allow_read\": a path", "" },
		{ "filesystem: {allow_read: [/a/../b]}\n", "no \"..\"", "" },
		{ "filesystem: {deny_read: [\"/a/[b\"]}\n", ":3:26: \"deny_read\":", "" },
		{ "environment: {allow: [\"*\"]}\n", ":3:23: \"allow\":", "" },
		{ "network: {allow_bind: [\"127.0.0.1:70000\"]}\n", ":3:24: \"allow_bind\":", "" },
		{ "presets: [\"../x\"]\n", ":3:11: \"presets\"", "" },
		{ "presets: [none]\n", "/p.yml:3:11: no preset \"none\"", "presets/none.yml" },
		{ "package_managers: [pip]\n", "is not for npm", "" },
		{ "name: again\n", "name", "" },
	};
	struct building b;
	size_t i;

	(void)state;
	building_begin(&b, "npm", "npm");
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *text =
			pmg_xasprintf("schema_version: 1\nname: p\n%s", rows[i].text);
		pmg_auto(policy) struct pmg_policy *policy = NULL;
		struct pmg_err err = PMG_ERR_INIT;

		building_write(&b, "home/.config/pmg/profiles/p.yml", text);
		if (building_try(&b, "p", NULL, &policy, &err) == 0)
			fail_msg("%s was taken", rows[i].text);
		if (!strstr(err.msg, rows[i].says) || !strstr(err.hint, rows[i].hint))
			fail_msg("%s: %s (%s)", rows[i].text, err.msg, err.hint);
		assert_int_equal(err.diag, strstr(rows[i].text, "NOPE") ? 2004 : 2106);
	}
	building_end(&b);
}

static void no_profile_of_that_name_names_the_nearest(void **state)
{
	static const struct {
		const char *name, *hint;
	} rows[] = { { "npmm", "npm" }, { "../../etc/x", "" }, { "a b", "profiles/a b.yml" } };
	struct building b;
	size_t i;

	(void)state;
	building_begin(&b, "npm", "npm");
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(policy) struct pmg_policy *policy = NULL;
		struct pmg_err err = PMG_ERR_INIT;

		assert_int_equal(building_try(&b, rows[i].name, NULL, &policy, &err),
				 -PMG_E_CONFIG);
		assert_int_equal(err.code, PMG_E_CONFIG);
		if (!strstr(err.hint, rows[i].hint))
			fail_msg("%s: %s (%s)", rows[i].name, err.msg, err.hint);
	}
	building_end(&b);
}

static void a_profile_that_others_can_write_is_refused(void **state)
{
	struct building b;
	pmg_auto(policy) struct pmg_policy *policy = NULL;
	pmg_autofree char *path = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	building_begin(&b, "npm", "npm");
	building_write(&b, "home/.config/pmg/profiles/p.yml", "schema_version: 1\nname: p\n");
	path = pmg_path_join(b.config, "profiles/p.yml");
	assert_int_equal(chmod(path, 0666), 0);
	assert_int_equal(building_try(&b, "p", NULL, &policy, &err), -PMG_E_CONFIG);
	building_end(&b);
}

static void links_are_followed_to_what_they_name(void **state)
{
	static const struct building_row rows[] = {
		{ "read", "ms", "{top}/elsewhere/env", true },
		{ "read", "ms", "{home}/.env", false },
		{ "write", "ms", "{top}/elsewhere/dist/x", true },
	};
	struct building b;
	pmg_auto(policy) struct pmg_policy *policy = NULL;
	pmg_autofree char *env = NULL;
	pmg_autofree char *dist = NULL;
	pmg_autofree char *link_env = NULL;
	pmg_autofree char *link_dist = NULL;

	(void)state;
	building_begin(&b, "npm", "npm");
	building_write(&b, "elsewhere/env", "");
	building_write(&b, "elsewhere/dist/x", "");
	env = pmg_path_join(b.top, "elsewhere/env");
	dist = pmg_path_join(b.top, "elsewhere/dist");
	link_env = pmg_path_join(b.project, ".env");
	link_dist = pmg_path_join(b.project, "dist");
	assert_int_equal(symlink(env, link_env), 0);
	assert_int_equal(symlink(dist, link_dist), 0);
	policy = building_policy(&b, NULL, "read=.env write=dist/**");
	building_ask(&b, policy, rows, PMG_ARRAY_LEN(rows));
	building_end(&b);
}

static void a_folder_named_like_a_pattern_is_no_pattern(void **state)
{
	static const struct building_row rows[] = {
		{ "read", "ms", "{home}/p[1]/src/x", true },
		{ "read", "ms", "{home}/p1/src/x", false },
		{ "write", "ms", "{home}/p[1]/node_modules/x", true },
	};
	struct building b;
	pmg_auto(policy) struct pmg_policy *policy = NULL;
	pmg_autofree char *odd = NULL;

	(void)state;
	building_begin(&b, "npm", "npm");
	odd = pmg_path_join(b.home, "p[1]");
	b.facts.cwd = b.facts.project = odd;
	policy = building_policy(&b, NULL, NULL);
	building_ask(&b, policy, rows, PMG_ARRAY_LEN(rows));
	building_end(&b);
}

static void switches_of_a_profile_open_what_they_stand_for(void **state)
{
	static const struct building_row off[] = {
		{ "write", "ms", "/dev/ptmx", false },
		{ "read", "ms", "{project}/.git/config", false },
	};
	static const struct building_row on[] = {
		{ "write", "ms", "/dev/ptmx", true },
		{ "read", "ms", "/dev/pts/0", false },
		{ "read", "ms", "{project}/.git/config", true },
		{ "write", "ms", "{project}/.git/config", false },
	};
	struct building b;
	pmg_auto(policy) struct pmg_policy *plain = NULL;
	pmg_auto(policy) struct pmg_policy *switched = NULL;

	(void)state;
	building_begin(&b, "npm", "npm");
	b.facts.git_secret = true;
	plain = building_policy(&b, NULL, NULL);
	building_ask(&b, plain, off, PMG_ARRAY_LEN(off));
	building_write(&b, "home/.config/pmg/profiles/p.yml",
		       "schema_version: 1\nname: p\ninherits: npm\nallow_pty: true\n"
		       "allow_git_config: true\n");
	switched = building_policy(&b, "p", NULL);
	building_ask(&b, switched, on, PMG_ARRAY_LEN(on));
	building_end(&b);
}

static void a_variable_whose_value_is_the_root_opens_no_more_than_it(void **state)
{
	static const struct building_row rows[] = {
		{ "read", "ms", "{home}/notes.txt", false },
		{ "write", "ms", "{home}/notes.txt", false },
	};
	struct building b;
	pmg_auto(policy) struct pmg_policy *policy = NULL;

	(void)state;
	building_begin(&b, "npm", "npm");
	building_write(&b, "home/.config/pmg/profiles/root.yml",
		       "schema_version: 1\nname: root\ninherits: npm\nfilesystem:\n"
		       "  allow_read: [\"${CWD}\"]\n  allow_write: [\"${CWD}\"]\n");
	b.facts.cwd = "/";
	policy = building_policy(&b, "root", NULL);
	building_ask(&b, policy, rows, PMG_ARRAY_LEN(rows));
	building_end(&b);
}

static void a_project_that_is_the_home_does_not_open_the_home(void **state)
{
	static const struct building_row rows[] = {
		{ "read", "ms", "{home}/notes.txt", false },
		{ "read", "ms", "{home}/other/src/x", false },
		{ "write", "ms", "{home}/other/node_modules/x", false },
		{ "exec", "ms", "{home}/evil", false },
		{ "read", "ms", "{home}/package.json", true },
		{ "write", "ms", "{home}/node_modules/x", true },
		{ "write", "m", "{home}/package.json", true },
		{ "exec", "s", "{home}/node_modules/.bin/x", true },
		{ "write", "m", "{home}/.npm/a/.git", true },
		{ "write", "s", "{home}/.npm/a/.git", false },
		{ "write", "m", "{home}/a/.git", false },
	};
	struct building b;
	pmg_auto(policy) struct pmg_policy *npm = NULL;
	pmg_auto(policy) struct pmg_policy *exec = NULL;

	(void)state;
	building_begin(&b, "npm", "npm");
	b.facts.cwd = b.facts.project = b.home;
	npm = building_policy(&b, NULL, NULL);
	building_ask(&b, npm, rows, PMG_ARRAY_LEN(rows));
	b.facts.manager = "exec";
	exec = building_policy(&b, NULL, NULL);
	building_ask(&b, exec, rows, 4);
	assert_int_equal(exec->notes.n, 1);
	building_end(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_profile_of_npm_opens_what_an_install_needs),
		cmocka_unit_test(the_profile_of_npm_closes_all_else),
		cmocka_unit_test(each_built_in_profile_builds),
		cmocka_unit_test(what_is_typed_outside_of_the_project_is_read_as_it_needs),
		cmocka_unit_test(a_build_of_a_package_fills_no_cache_of_pip),
		cmocka_unit_test(a_project_below_the_temporary_folder_is_no_temporary_file),
		cmocka_unit_test(what_would_open_git_hooks_is_an_error),
		cmocka_unit_test(git_configuration_with_credentials_is_closed_for_reading),
		cmocka_unit_test(every_form_of_an_exact_path_opens_it_and_nothing_else),
		cmocka_unit_test(an_allowance_opens_just_what_it_says),
		cmocka_unit_test(a_wrong_allowance_is_an_error),
		cmocka_unit_test(a_profile_of_the_user_stands_on_a_built_in_one),
		cmocka_unit_test(a_wrong_profile_says_where),
		cmocka_unit_test(no_profile_of_that_name_names_the_nearest),
		cmocka_unit_test(a_profile_that_others_can_write_is_refused),
		cmocka_unit_test(links_are_followed_to_what_they_name),
		cmocka_unit_test(a_folder_named_like_a_pattern_is_no_pattern),
		cmocka_unit_test(a_dotenv_reads_as_empty_in_a_run_of_bun_alone),
		cmocka_unit_test(the_profile_of_yarn_opens_what_an_install_needs),
		cmocka_unit_test(switches_of_a_profile_open_what_they_stand_for),
		cmocka_unit_test(a_variable_whose_value_is_the_root_opens_no_more_than_it),
		cmocka_unit_test(a_project_that_is_the_home_does_not_open_the_home),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
