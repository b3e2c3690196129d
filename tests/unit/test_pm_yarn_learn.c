#include "pm/managers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "learning.h"

/* As yarn 1 answers, and berry; each ends at the other's question. */
#define CLASSIC "[ \"$*\" = 'config get registry' ] || exit 1\necho https://default.test"
#define BERRY                                                                                      \
	"[ \"$*\" = 'config get npmRegistryServer' ] || exit 1\n"                                  \
	"[ \"$YARN_IGNORE_PATH\" = 1 ] || exit 1\necho https://default.test"

#define DEFAULT "https://default.test/ <- default of yarn\n"

static int setup(void **state)
{
	static struct learning l;

	learning_begin(&l, "yarn");
	learning_program(&l, "yarn", CLASSIC);
	*state = &l;
	return 0;
}

/* Lets the program be yarn of this version. */
static void set_version(struct learning *l, const char *version)
{
	pmg_autofree char *text =
		pmg_xasprintf("{\"name\": \"%s\", \"version\": \"%s\"}",
			      version[0] == '1' ? "yarn" : "@yarnpkg/cli-dist", version);

	learning_write(l, "package.json", text);
	learning_program(l, "yarn", version[0] == '1' ? CLASSIC : BERRY);
}

static void every_file_and_variable_of_yarn_1_names_registries(void **state)
{
	struct learning *l = *state;
	pmg_auto(facts) struct pmg_facts facts = { 0 };
	pmg_autofree char *got = NULL;

	learning_write(l, "home/project/.yarnrc",
		       "# yarn lockfile v1\n\nregistry \"https://rc.test/\"\n"
		       "\"@acme:registry\" \"https://acme.test/\"\n"
		       "--install.registry https://option.test/\n"
		       "\"regis\\u0074ry\": \"https://escaped.test\"\n"
		       "env:\n  registry \"https://not-read.test/\"\n"
		       "yarn-path \".yarn/releases/yarn-1.22.1.cjs\"\n");
	learning_write(l, "home/.yarnrc", "registry \"https://home.test/\"\r\n");
	learning_write(l, "home/project/.npmrc", "registry=https://npmrc.test/\n");
	pmg_env_set(&l->env, "YARN_REGISTRY", "https://env.test/");
	pmg_env_set(&l->env, "npm_config_registry", "https://npmenv.test/");
	learn_ok(l, "yarn --cwd a add x --registry https://line.test/", &facts);
	got = learning_registries(l, &facts);
	assert_string_equal(got, "https://line.test/ <- command line\n"
				 "https://env.test/ <- environment YARN_REGISTRY\n"
				 "https://rc.test/ <- {top}/home/project/.yarnrc:3\n"
				 "https://acme.test/ @acme <- {top}/home/project/.yarnrc:4\n"
				 "https://option.test/ <- {top}/home/project/.yarnrc:5\n"
				 "https://escaped.test/ <- {top}/home/project/.yarnrc:6\n"
				 "https://home.test/ <- {top}/home/.yarnrc:1\n"
				 "https://npmenv.test/ <- environment npm_config_registry\n"
				 "https://npmrc.test/ <- {top}/home/project/.npmrc:1\n" DEFAULT);
}

static void every_file_and_variable_of_berry_names_registries(void **state)
{
	struct learning *l = *state;
	pmg_auto(facts) struct pmg_facts facts = { 0 };
	pmg_autofree char *got = NULL;

	set_version(l, "4.1.0");
	learning_write(l, "home/project/.yarnrc.yml",
		       "npmRegistryServer: \"${REG:-https://rc.test}\"\n"
		       "npmPublishRegistry: https://publish.test\n"
		       "npmScopes:\n  acme:\n    npmRegistryServer: https://acme.test\n"
		       "    npmAuthToken: x\n"
		       "npmRegistries: {'//rc.test': {npmAuthToken: y}}\n");
	learning_write(l, "home/.yarnrc.yml", "npmAuditRegistry: https://home.test\n");
	learning_write(l, "home/project/own.yml", "npmRegistryServer: https://own.test\n");
	pmg_env_set(&l->env, "YARN_RC_FILENAME", "own.yml");
	pmg_env_set(&l->env, "YARN_NPM_REGISTRY_SERVER", "https://env.test");
	learn_ok(l, "yarn", &facts);
	got = learning_registries(l, &facts);
	assert_string_equal(got, "https://env.test/ <- environment YARN_NPM_REGISTRY_SERVER\n"
				 "https://own.test/ <- {top}/home/project/own.yml:1\n"
				 "https://rc.test/ <- {top}/home/project/.yarnrc.yml:1\n"
				 "https://publish.test/ <- {top}/home/project/.yarnrc.yml:2\n"
				 "https://acme.test/ @acme <- {top}/home/project/.yarnrc.yml:5\n"
				 "https://home.test/ <- {top}/home/.yarnrc.yml:1\n" DEFAULT);
}

static void a_file_that_beats_every_variable_ends_the_run_with_its_line(void **state)
{
	static const struct {
		const char *file, *text, *msg; /* behind the folder; NULL: fine */
	} rows[] = {
		{ ".yarnrc", "proxy \"http://p.test:1\"\nhttps-proxy \"http://p.test:1\"\n", NULL },
		{ ".yarnrc", "x 1\n--install.https-proxy \"http://p.test:1\"\n",
		  "/home/project/.yarnrc:2: with \"--https-proxy\" as it is set here yarn cannot "
		  "be led through pmg" },
		{ ".yarnrc", "x 1\r--install.https-proxy \"http://p.test:1\"\n",
		  "/home/project/.yarnrc:1: with \"--https-proxy\" as it is set here yarn cannot "
		  "be led through pmg" },
		{ ".yarnrc", "# x 1\r--install.https-proxy \"http://p.test:1\"\n", NULL },
		{ ".yarnrc", "\"--*.pro\\u0078y\" \"http://p.test:1\"\n",
		  "/home/project/.yarnrc:1: with \"--proxy\" as it is set here yarn cannot be led "
		  "through pmg" },
		{ ".yarnrc.yml", "httpsProxy: http://p.test:1\nhttpsCaFilePath: x.pem\n", NULL },
		{ ".yarnrc.yml", "networkSettings:\n  '*.test':\n    enableNetwork: false\n",
		  NULL },
		{ ".yarnrc.yml", "networkSettings:\n  '*.test':\n    httpsProxy: http://p.test\n",
		  "/home/project/.yarnrc.yml:3: with \"networkSettings\" as it is set here yarn "
		  "cannot be led through pmg" },
		{ ".yarnrc.yml", "a: &a {httpsProxy: http://p.test}\nnetworkSettings: {'*': *a}\n",
		  "/home/project/.yarnrc.yml:2: pmg cannot tell what yarn reads here" },
		{ ".yarnrc.yml", "a: &a networkSettings\n*a : {}\n",
		  "/home/project/.yarnrc.yml:2: pmg cannot tell what yarn reads here" },
		{ ".yarnrc.yml", "# yarn lockfile v1\nnpmRegistryServer \"https://r.test\"\n",
		  "/home/project/.yarnrc.yml:1: pmg cannot tell what yarn reads here" },
		{ ".yarnrc.yml", "a: [\n",
		  "/home/project/.yarnrc.yml:1: pmg cannot tell what yarn reads here" },
		{ ".yarnrc.yml", "plugins: [&p x, *p]\npackageExtensions: {x: &y {}, z: *y}\n",
		  NULL },
	};
	struct learning *l = *state;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *file = pmg_xasprintf("home/project/%s", rows[i].file);
		pmg_auto(facts) struct pmg_facts facts = { 0 };
		struct pmg_err err = PMG_ERR_INIT;
		int r;

		learning_write(l, "home/project/.yarnrc", "");
		learning_write(l, "home/project/.yarnrc.yml", "");
		learning_write(l, file, rows[i].text);
		r = pmg_yarn_learn(learning_place(l, "yarn add x"), &facts, &err);
		learning_refuses(l, r, &err, rows[i].msg);
	}
}

/* Berry ends at a variable that it does not know; each version knows the name that its file has. */
static void only_what_a_file_says_is_overruled_by_a_variable_of_its_own(void **state)
{
	static const struct {
		const char *version, *rc, *yml, *proxy, *bundle; /* names; "" for none */
	} rows[] = {
		{ "1.22.22", "", "", "", "" },
		{ "1.22.22", "https-proxy \"http://p.test:1\"\n", "", "", "" },
		{ "1.22.22", "proxy \"http://p.test:1\"\n", "", "YARN_PROXY", "" },
		{ "1.22.22", "cafile \"/none.pem\"\n", "", "", "YARN_CAFILE" },
		{ "1.22.22", "ca \"x\"\nproxy \"p\"\n", "", "YARN_PROXY", "YARN_CAFILE" },
		{ "1.22.22", "proxy \"p\"\nyarn-path \".yarn/releases/yarn-4.1.0.cjs\"\n", "", "",
		  "" },
		{ "1.22.22", "proxy \"p\"\nyarn-path \".yarn/releases/yarn-1.9.0.cjs\"\n", "",
		  "YARN_PROXY", "" },
		{ "1.22.22", "", "yarnPath: r/yarn-4.cjs\nhttpsCaFilePath: x.pem\n", "",
		  "YARN_HTTPS_CA_FILE_PATH" },
		{ "4.1.0", "proxy \"p\"\ncafile \"/none.pem\"\n", "", "", "" },
		{ "4.1.0", "", "httpsCaFilePath: x.pem\n", "", "YARN_HTTPS_CA_FILE_PATH" },
		{ "3.8.0", "", "caFilePath: x.pem\n", "", "YARN_CA_FILE_PATH" },
	};
	struct learning *l = *state;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(facts) struct pmg_facts facts = { 0 };
		const char *proxy, *bundle;

		set_version(l, rows[i].version);
		learning_write(l, "home/project/.yarnrc", rows[i].rc);
		learning_write(l, "home/project/.yarnrc.yml", rows[i].yml);
		learn_ok(l, "yarn", &facts);
		proxy = facts.proxy_variables.n > 0 ? facts.proxy_variables.v[0] : "";
		bundle = facts.bundle_variables.n > 0 ? facts.bundle_variables.v[0] : "";
		if (strcmp(proxy, rows[i].proxy) != 0 || strcmp(bundle, rows[i].bundle) != 0)
			fail_msg("row %zu: \"%s\", \"%s\"", i, proxy, bundle);
	}
}

static void proxies_and_certificates_become_pmgs_own(void **state)
{
	static const char pem[] = "-----BEGIN CERTIFICATE-----\nTUlJ\n-----END CERTIFICATE-----\n";
	struct learning *l = *state;
	pmg_autofree char *ca = pmg_path_join(l->project, "x.pem");
	pmg_auto(facts) struct pmg_facts facts = { 0 };

	set_version(l, "4.1.0");
	learning_write(l, "home/project/x.pem", pem);
	learning_write(l, "home/project/.yarnrc.yml",
		       "httpsProxy: http://corp.test:1\nhttpsCaFilePath: ./x.pem\n"
		       "httpsCertFilePath: c.pem\nenableStrictSsl: false\n");
	learn_ok(l, "yarn", &facts);
	assert_string_equal(facts.https_proxy, "http://corp.test:1");
	assert_true(pmg_strv_has(&facts.ca_files, ca));
	assert_int_equal(facts.warnings.n, 1);
	assert_non_null(strstr(facts.warnings.v[0], "client certificate"));
	assert_int_equal(facts.notes.n, 1);
}

static void what_follows_a_script_is_the_scripts(void **state)
{
	static const struct {
		const char *line, *left; /* NULL: all */
	} rows[] = {
		{ "yarn add x --https-proxy u", "yarn add x" },
		{ "yarn --proxy u", "yarn" },
		{ "yarn workspace a add --proxy u x", "yarn workspace a add x" },
		{ "yarn run x --proxy u", NULL },
		{ "yarn --proxy u run x --proxy v", "yarn run x --proxy v" },
		{ "yarn my-script --proxy u", NULL },
		{ "yarn dlx -p a x --proxy u", NULL },
	};
	struct learning *l = *state;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(facts) struct pmg_facts facts = { 0 };

		learn_ok(l, rows[i].line, &facts);
		learning_line_is(&facts, rows[i].left ? rows[i].left : rows[i].line);
	}
}

static void what_corepack_has_to_fetch_first_is_no_hindrance(void **state)
{
	struct learning *l = *state;
	pmg_autofree char *target = pmg_xasprintf("%s/corepack/dist/yarn.js", l->top);
	pmg_auto(facts) struct pmg_facts facts = { 0 };
	pmg_autofree char *got = NULL;

	learning_program(l, "npm", "[ \"$*\" = 'config get registry' ] && echo https://npm.test/");
	learning_write(l, "corepack/dist/yarn.js",
		       "#!/bin/sh\n[ \"$COREPACK_ENABLE_NETWORK\" = 0 ] && exit 1\n");
	assert_int_equal(chmod(target, 0700), 0);
	assert_int_equal(unlink(l->program), 0);
	assert_int_equal(symlink(target, l->program), 0);
	learn_ok(l, "yarn", &facts);
	got = learning_registries(l, &facts);
	assert_string_equal(got, "https://npm.test/ <- default of npm\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, learning_teardown)

static void no_registry_is_asked_that_yarn_would_not_ask(void **state)
{
	static const struct learning_row asks[] = {
		{ NULL, NULL, NULL, "yarn", "https://default.test/" },
		{ "home/.yarnrc.yml", "npmRegistryServer: https://user.test\n", NULL, "yarn",
		  "https://user.test/" },
		{ NULL, NULL, "YARN_NPM_REGISTRY_SERVER=https://env.test/", "yarn",
		  "https://env.test/" },
		{ "home/.yarnrc.yml", "npmPublishRegistry: https://user.test\n", NULL, "yarn",
		  "https://default.test/" },
		/* Berry does not read it. */
		{ "home/.npmrc", "registry=https://user.test/\n", NULL, "yarn",
		  "https://user.test/ https://default.test/" },
	};
	struct learning *l = *state;

	set_version(l, "4.1.0");
	learning_ask_rows(l, asks, PMG_ARRAY_LEN(asks));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(no_registry_is_asked_that_yarn_would_not_ask),
		TEST(every_file_and_variable_of_yarn_1_names_registries),
		TEST(every_file_and_variable_of_berry_names_registries),
		TEST(a_file_that_beats_every_variable_ends_the_run_with_its_line),
		TEST(only_what_a_file_says_is_overruled_by_a_variable_of_its_own),
		TEST(proxies_and_certificates_become_pmgs_own),
		TEST(what_follows_a_script_is_the_scripts),
		TEST(what_corepack_has_to_fetch_first_is_no_hindrance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
