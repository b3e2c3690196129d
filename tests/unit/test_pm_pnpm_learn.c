#include "pm/managers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "learning.h"

#define PNPM                                                                                       \
	"[ \"$*\" = 'config list --json' ] || exit 1\n"                                            \
	"[ \"$NPM_CONFIG_WORKSPACE_DIR\" = \"$PWD\" ] || exit 1\n"                                 \
	"echo '{\"registry\": \"https://default.test/\",'\n"                                       \
	"echo ' \"@jsr:registry\": \"https://jsr.test/\",'\n"                                      \
	"echo ' \"registries\": {\"https://jsr.test/\": {\"scopes\": [\"@jsr\"]},'\n"              \
	"echo '   \"https://gh.test/\": {\"prefix\": \"gh\"}}}'"

#define DEFAULTS                                                                                   \
	"https://default.test/ <- default of pnpm\n"                                               \
	"https://jsr.test/ @jsr <- default of pnpm\n"                                              \
	"https://gh.test/ <- default of pnpm\n"

static int setup(void **state)
{
	static struct learning l;

	learning_begin(&l, "pnpm");
	learning_program(&l, "pnpm", PNPM);
	*state = &l;
	return 0;
}

/* Lets the program be a package of this version. */
static void set_version(struct learning *l, const char *version)
{
	pmg_autofree char *text =
		pmg_xasprintf("{\"name\": \"pnpm\", \"version\": \"%s\"}", version);

	learning_write(l, "package.json", text);
}

static void every_file_and_variable_that_pnpm_reads_names_registries(void **state)
{
	struct learning *l = *state;
	pmg_auto(facts) struct pmg_facts facts = { 0 };
	pmg_autofree char *got = NULL;

	learning_write(l, "home/project/pnpm-workspace.yaml",
		       "packages: ['a']\n"
		       "registry: https://ws.test/\n"
		       "registries:\n"
		       "  default: https://ws-default.test/\n"
		       "  '@acme': https://ws-acme.test/\n"
		       "  'https://ws-url.test/': {scopes: ['@x'], prefix: w}\n"
		       "namedRegistries:\n"
		       "  work: https://ws-named.test/\n"
		       "catalog: {registry: https://not-read.test/}\n");
	learning_write(l, "home/project/.npmrc", "registry=https://project.test/\n");
	learning_write(l, "home/.config/pnpm/config.yaml", "registry: https://yaml.test/\n");
	learning_write(l, "home/.config/pnpm/auth.ini", "registry=https://auth.test/\n");
	learning_write(l, "home/.config/pnpm/rc", "registry=https://rc.test/\n");
	pmg_env_set(&l->env, "npm_config_registry", "https://npmenv.test/");
	pmg_env_set(&l->env, "PNPM_CONFIG_REGISTRY", "https://pnpmenv.test/");
	learn_ok(l, "pnpm -C a add x --config.registry=https://line.test/", &facts);
	got = learning_registries(l, &facts);
	assert_string_equal(got, "https://line.test/ <- command line\n"
				 "https://npmenv.test/ <- environment npm_config_registry\n"
				 "https://pnpmenv.test/ <- environment PNPM_CONFIG_REGISTRY\n"
				 "https://ws.test/ <- {top}/home/project/pnpm-workspace.yaml:2\n"
				 "https://ws-default.test/ <- "
				 "{top}/home/project/pnpm-workspace.yaml:4\n"
				 "https://ws-acme.test/ @acme <- "
				 "{top}/home/project/pnpm-workspace.yaml:5\n"
				 "https://ws-url.test/ <- "
				 "{top}/home/project/pnpm-workspace.yaml:6\n"
				 "https://ws-named.test/ <- "
				 "{top}/home/project/pnpm-workspace.yaml:8\n"
				 "https://project.test/ <- {top}/home/project/.npmrc:1\n"
				 "https://yaml.test/ <- {top}/home/.config/pnpm/config.yaml:1\n"
				 "https://auth.test/ <- {top}/home/.config/pnpm/auth.ini:1\n"
				 "https://rc.test/ <- {top}/home/.config/pnpm/rc:1\n" DEFAULTS);
}

static const struct {
	const char *version; /* of pnpm; NULL: not known */
	const char *workspace;
	const char *npmrc;
	const char *msg; /* behind the folder; NULL: fine */
} rows[] = {
	{ "10.1.0", "noProxy: r.test\n", "",
	  "/home/project/pnpm-workspace.yaml:1: with \"no-proxy\" set here pnpm cannot be led "
	  "through pmg" },
	{ "10.1.0", "packages: ['a']\nhttpsProxy: http://p.test:1\n", "",
	  "/home/project/pnpm-workspace.yaml:2: with \"https-proxy\" set here pnpm cannot be led "
	  "through pmg" },
	{ NULL, "noProxy: r.test\n", "",
	  "/home/project/pnpm-workspace.yaml:1: with \"no-proxy\" set here pnpm cannot be led "
	  "through pmg" },
	{ "10.1.0", "noProxy: [r.test]\n", "",
	  "/home/project/pnpm-workspace.yaml:1: with \"no-proxy\" set here pnpm cannot be led "
	  "through pmg" },
	{ "10.1.0", "x: &x r.test\nnoProxy: *x\n", "",
	  "/home/project/pnpm-workspace.yaml:2: with \"no-proxy\" set here pnpm cannot be led "
	  "through pmg" },
	/* what only pnpm would see */
	{ "10.1.0", "<<: {noProxy: r.test}\n", "",
	  "/home/project/pnpm-workspace.yaml:1: pmg cannot tell what pnpm reads here" },
	{ "12.1.0", "x: &x {a: b}\n<<: [*x]\n", "",
	  "/home/project/pnpm-workspace.yaml:2: pmg cannot tell what pnpm reads here" },
	{ "10.1.0", "x: &x noProxy\n*x : r.test\n", "",
	  "/home/project/pnpm-workspace.yaml:2: pmg cannot tell what pnpm reads here" },
	{ "12.1.0", "x: &x https://r.test/\nregistry: *x\n", "",
	  "/home/project/pnpm-workspace.yaml:2: pmg cannot tell what pnpm reads here" },
	{ "12.1.0", "x: &x https://r.test/\nregistries: {default: *x}\n", "",
	  "/home/project/pnpm-workspace.yaml:2: pmg cannot tell what pnpm reads here" },
	{ "12.1.0", "x: &x {default: 'https://r.test/'}\nregistries: {<<: *x}\n", "",
	  "/home/project/pnpm-workspace.yaml:2: pmg cannot tell what pnpm reads here" },
	{ "10.1.0", "x: [[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]\nnoProxy: r.test\n", "",
	  "/home/project/pnpm-workspace.yaml:1: pmg cannot tell what pnpm reads here" },
	{ "9.1.0", "<<: {noProxy: r.test}\n", "", NULL },
	{ "10.1.0", "catalog: {a: &a 1.0.0, b: *a, <<: {c: *a}}\npackages: [&p x, *p]\n", "",
	  NULL },
	{ "9.1.0", "noProxy: r.test\n", "", NULL },
	{ "11.1.0", "noProxy: r.test\n", "", NULL },
	{ "12.1.0", "httpsProxy: http://p.test:1\n", "", NULL },
	{ "10.1.0", "", "noproxy=r.test\ncafile=/x.pem\n", NULL },
	{ "9.1.0", "", "no-proxy=r.test\n",
	  "/home/project/.npmrc:1: with \"no-proxy\" set here pnpm cannot be led through pmg" },
	{ "12.1.0", "", "no-proxy=r.test\n", NULL },
	{ "11.1.0", "", "cafile=/x.pem\n",
	  "/home/project/.npmrc:1: with \"cafile\" set here pnpm cannot be led through pmg" },
	{ "11.1.0", "", "//r.test/:cafile=/x.pem\n",
	  "/home/project/.npmrc:1: with \"//r.test/:cafile\" set here pnpm cannot be led "
	  "through pmg" },
	{ "12.1.0", "", "cafile=/x.pem\n", NULL },
	{ "11.1.0", "", "", NULL }, /* cafile stands in the global npmrc */
};

static void a_file_that_beats_every_variable_ends_the_run_with_its_line(void **state)
{
	struct learning *l = *state;
	size_t i;

	learning_write(l, "etc/npmrc", "cafile=/x.pem\n");
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(facts) struct pmg_facts facts = { 0 };
		struct pmg_err err = PMG_ERR_INIT;
		int r;

		if (rows[i].version)
			set_version(l, rows[i].version);
		else
			learning_write(l, "package.json", "{}");
		learning_write(l, "home/project/pnpm-workspace.yaml", rows[i].workspace);
		learning_write(l, "home/project/.npmrc", rows[i].npmrc);
		r = pmg_pnpm_learn(learning_place(l, "pnpm i"), &facts, &err);
		learning_refuses(l, r, &err, rows[i].msg);
	}
}

/* pnpm fetches and starts the version that a project wants, which may not read as its own does. */
static void the_version_that_a_project_wants_counts_too(void **state)
{
	static const struct {
		const char *manifest;
		bool refused;
	} rows_of_manifest[] = {
		{ "{}", false },
		{ "{\"packageManager\": \"pnpm@10.1.0\"}", true },
		{ "{\"packageManager\": \"pnpm@11.0.0+sha512.ab\"}", false },
		{ "{\"packageManager\": \"yarn@1.22.0\"}", false },
		{ "{\"devEngines\": {\"packageManager\": {\"name\": \"pnpm\"}}}", true },
	};
	struct learning *l = *state;
	size_t i;

	set_version(l, "12.1.0");
	learning_write(l, "home/project/pnpm-workspace.yaml", "noProxy: r.test\n");
	for (i = 0; i < PMG_ARRAY_LEN(rows_of_manifest); i++) {
		pmg_auto(facts) struct pmg_facts facts = { 0 };
		struct pmg_err err = PMG_ERR_INIT;

		learning_write(l, "home/project/package.json", rows_of_manifest[i].manifest);
		assert_int_equal(pmg_pnpm_learn(learning_place(l, "pnpm i"), &facts, &err),
				 rows_of_manifest[i].refused ? -PMG_E_UNSUPPORTED : 0);
	}
}

static const struct {
	const char *version;
	const char *line;
	const char *left; /* NULL: all */
} lines[] = {
	{ "10.1.0", "pnpm add x --https-proxy u", "pnpm add x" },
	{ "10.1.0", "pnpm add x --config.https-proxy=u --config.noProxy=h", "pnpm add x" },
	{ "10.1.0", "pnpm add --no-proxy x", "pnpm add x" },
	{ "12.1.0", "pnpm add --no-proxy hosts x", "pnpm add x" },
	{ "12.1.0", "pnpm add --no-proxy=hosts x", "pnpm add x" },
	{ "10.1.0", "pnpm --https-proxy=u run x --https-proxy=v", "pnpm run x --https-proxy=v" },
	{ "10.1.0", "pnpm run --https-proxy=u x --https-proxy=v", "pnpm run x --https-proxy=v" },
	{ "10.1.0", "pnpm dlx --https-proxy=u x --https-proxy=v", "pnpm dlx x --https-proxy=v" },
	{ "10.1.0", "pnpm --filter a exec x --proxy v", NULL },
	{ "10.1.0", "pnpm my-script --proxy v", NULL },
	{ "10.1.0", "pnpx x --proxy v", NULL },
	{ "10.1.0", "pnpm -r add x -- y", NULL },
};

static void what_follows_a_script_is_the_scripts(void **state)
{
	struct learning *l = *state;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(lines); i++) {
		pmg_auto(facts) struct pmg_facts facts = { 0 };

		set_version(l, lines[i].version);
		learn_ok(l, lines[i].line, &facts);
		learning_line_is(&facts, lines[i].left ? lines[i].left : lines[i].line);
	}
}

static void workspace_proxies_become_the_parent(void **state)
{
	struct learning *l = *state;
	pmg_auto(facts) struct pmg_facts facts = { 0 };

	set_version(l, "12.0.0");
	learning_write(l, "home/project/pnpm-workspace.yaml",
		       "httpsProxy: http://corp.test:1\nnoProxy: 'a.test,b.test'\n");
	learn_ok(l, "pnpm i", &facts);
	assert_string_equal(facts.https_proxy, "http://corp.test:1");
	assert_string_equal(facts.no_proxy, "a.test,b.test");
}

static void a_pnpm_that_corepack_has_to_fetch_first_is_no_hindrance(void **state)
{
	struct learning *l = *state;
	pmg_autofree char *target = pmg_xasprintf("%s/corepack/dist/pnpm.js", l->top);
	pmg_auto(facts) struct pmg_facts facts = { 0 };
	pmg_autofree char *got = NULL;

	learning_program(l, "npm", "[ \"$*\" = 'config get registry' ] && echo https://npm.test/");
	learning_write(l, "corepack/dist/pnpm.js",
		       "#!/bin/sh\n[ \"$COREPACK_ENABLE_NETWORK\" = 0 ] && exit 1\n");
	assert_int_equal(chmod(target, 0700), 0);
	assert_int_equal(unlink(l->program), 0);
	assert_int_equal(symlink(target, l->program), 0);
	pmg_env_set(&l->env, "COREPACK_NPM_REGISTRY", "https://corepack.test");
	learn_ok(l, "pnpm i", &facts);
	got = learning_registries(l, &facts);
	assert_string_equal(got, "https://corepack.test/ <- environment COREPACK_NPM_REGISTRY\n");
	assert_int_equal(facts.notes.n, 1);
	assert_true(pmg_env_unset(&l->env, "COREPACK_NPM_REGISTRY"));
	free(got);
	pmg_facts_done(&facts);
	learn_ok(l, "pnpm i", &facts);
	got = learning_registries(l, &facts);
	assert_string_equal(got, "https://npm.test/ <- default of npm\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, learning_teardown)

static void no_registry_is_asked_that_pnpm_would_not_ask(void **state)
{
	static const struct learning_row asks[] = {
		{ NULL, NULL, NULL, "pnpm i", "https://default.test/" },
		{ "home/project/pnpm-workspace.yaml",
		  "namedRegistries: {work: https://work.test/}\n", NULL, "pnpm i",
		  "https://default.test/" },
		/* What that one is for is not read. */
		{ "home/project/pnpm-workspace.yaml",
		  "registries: {'https://x.test/': {prefix: x}}\n", NULL, "pnpm i",
		  "https://x.test/ https://default.test/" },
		{ "home/.npmrc", "registry=https://user.test/\n", NULL, "pnpm i",
		  "https://user.test/" },
		{ "home/project/pnpm-workspace.yaml", "registry: https://own.test/\n", NULL,
		  "pnpm i", "https://own.test/" },
		{ NULL, NULL, "npm_config_registry=https://env.test/", "pnpm i",
		  "https://env.test/" },
		/* This one does not read it. */
		{ NULL, NULL, "pnpm_config_registry=https://env.test/", "pnpm i",
		  "https://env.test/ https://default.test/" },
	};
	struct learning *l = *state;

	set_version(l, "10.1.0");
	learning_ask_rows(l, asks, PMG_ARRAY_LEN(asks));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(no_registry_is_asked_that_pnpm_would_not_ask),
		TEST(every_file_and_variable_that_pnpm_reads_names_registries),
		TEST(a_file_that_beats_every_variable_ends_the_run_with_its_line),
		TEST(the_version_that_a_project_wants_counts_too),
		TEST(what_follows_a_script_is_the_scripts),
		TEST(workspace_proxies_become_the_parent),
		TEST(a_pnpm_that_corepack_has_to_fetch_first_is_no_hindrance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
