#include "pm/managers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "learning.h"

/* Says its default only to the right question, asked without any credential in sight. */
#define NPM                                                                                        \
	"[ \"$*\" = 'config get registry' ] || exit 1\n"                                           \
	"[ -z \"$TOKEN$NPM_CONFIG_REGISTRY$npm_config_registry\" ] || exit 1\n"                    \
	"[ \"$HOME\" = \"$PWD\" ] || exit 1\n"                                                     \
	"[ ! -e \"$npm_config_userconfig\" ] || exit 1\n"                                          \
	"echo https://default.test/"

static int setup(void **state)
{
	static struct learning l;

	learning_begin(&l, "npm");
	learning_program(&l, "npm", NPM);
	learning_program(&l, "npx", "exit 1");
	*state = &l;
	return 0;
}

static void the_default_is_asked_once_and_again_when_the_program_changes(void **state)
{
	struct learning *l = *state;
	int i;

	for (i = 0; i < 3; i++) {
		pmg_auto(facts) struct pmg_facts facts = { 0 };
		pmg_autofree char *got = NULL;

		pmg_env_set(&l->env, "TOKEN", "secret");
		learn_ok(l, "npm install", &facts);
		got = learning_registries(l, &facts);
		assert_string_equal(got, "https://default.test/ <- default of npm\n");
		assert_int_equal(learning_asked(l), i < 2 ? 1 : 2);
		if (i == 1)
			learning_program(l, "npm", NPM " # another file");
	}
}

static void npx_is_never_asked_but_the_npm_beside_it(void **state)
{
	struct learning *l = *state;
	pmg_auto(facts) struct pmg_facts facts = { 0 };
	pmg_autofree char *got = NULL;

	free(l->program);
	l->program = pmg_xasprintf("%s/bin/npx", l->top);
	learn_ok(l, "npx config get registry", &facts);
	got = learning_registries(l, &facts);
	assert_string_equal(got, "https://default.test/ <- default of npm\n");
	assert_int_equal(learning_asked(l), 1);
}

static void a_program_that_does_not_say_is_an_error_unless_a_registry_is_named(void **state)
{
	struct learning *l = *state;
	pmg_auto(facts) struct pmg_facts none = { 0 };
	pmg_auto(facts) struct pmg_facts named = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	learning_program(l, "npm", "exit 3");
	assert_int_equal(pmg_npm_learn(learning_place(l, "npm i"), &none, &err),
			 -PMG_E_UNSUPPORTED);
	assert_non_null(strstr(err.msg, "npm does not say which registry is built into it"));
	assert_string_equal(err.hint, "name the registry in the manager's own configuration file");
	learn_ok(l, "npm i --registry https://r.test/", &named);
	assert_int_equal(named.n_registries, 1);
	assert_int_equal(named.notes.n, 1);
	assert_false(named.has_cafile);
}

static void a_setting_that_names_certificates_is_noticed_in_every_form(void **state)
{
	static const struct {
		const char *npmrc;
		bool has;
	} rows[] = {
		{ "", false },
		{ "fund=false\n", false },
		{ "cafile=/nonexistent.pem\n", true },
		{ "//r.test/:cafile=/nonexistent.pem\n", true },
		{ "//r.test/:_authToken=x\n", false },
	};
	struct learning *l = *state;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(facts) struct pmg_facts facts = { 0 };

		learning_write(l, "home/.npmrc", rows[i].npmrc);
		learn_ok(l, "npm i", &facts);
		assert_int_equal(facts.has_cafile, rows[i].has);
	}
}

static void every_file_and_variable_that_npm_reads_names_registries(void **state)
{
	struct learning *l = *state;
	pmg_auto(facts) struct pmg_facts facts = { 0 };
	pmg_autofree char *got = NULL;

	learning_write(l, "home/project/a/.npmrc", "registry=https://sub.test/\n");
	learning_write(l, "home/project/.npmrc",
		       "; c\n@acme:registry=https://${HOST_PART}.test/npm\n"
		       "[section]\nregistry=https://not-read.test/\n");
	learning_write(l, "home/.npmrc", "registry = \"https://user.test\"\n");
	learning_write(l, "etc/npmrc", "registry=https://global.test/\n");
	learning_write(l, "npmrc", "registry=https://builtin.test/\n");
	pmg_env_set(&l->env, "HOST_PART", "acme");
	pmg_env_set(&l->env, "NPM_CONFIG_REGISTRY", "https://env.test/");
	pmg_env_set(&l->env, "npm_config_@beta:registry", "https://beta.test/");
	pmg_env_set(&l->env, "npm_config_empty", "");
	learn_ok(l,
		 "npm --prefix a i x --registry=https://line.test/ --@g:registry=https://g.test/ "
		 "--@h:registry https://h.test/",
		 &facts);
	got = learning_registries(l, &facts);
	assert_string_equal(got,
			    "https://h.test/ @h <- command line\n"
			    "https://g.test/ @g <- command line\n"
			    "https://line.test/ <- command line\n"
			    "https://env.test/ <- environment NPM_CONFIG_REGISTRY\n"
			    "https://beta.test/ @beta <- environment npm_config_@beta:registry\n"
			    "https://sub.test/ <- {top}/home/project/a/.npmrc:1\n"
			    "https://acme.test/npm/ @acme <- {top}/home/project/.npmrc:2\n"
			    "https://user.test/ <- {top}/home/.npmrc:1\n"
			    "https://global.test/ <- {top}/etc/npmrc:1\n"
			    "https://builtin.test/ <- {top}/npmrc:1\n"
			    "https://default.test/ <- default of npm\n");
}

static void configuration_files_may_be_named_elsewhere(void **state)
{
	struct learning *l = *state;
	pmg_auto(facts) struct pmg_facts facts = { 0 };
	pmg_autofree char *got = NULL;

	learning_write(l, "home/.npmrc", "registry=https://not-read.test/\n");
	learning_write(l, "etc/npmrc", "registry=https://not-read.test/\n");
	learning_write(l, "home/u.npmrc", "registry=https://u.test/\n");
	learning_write(l, "g.npmrc", "registry=https://g.test/\n");
	/* The project lies in the home, so npm would read that .npmrc as a project's. */
	free(l->project);
	l->project = pmg_xasprintf("%s/other", l->top);
	learning_write(l, "other/package.json", "{}");
	pmg_env_set(&l->env, "npm_config_globalconfig", "../g.npmrc");
	learn_ok(l, "npm i --userconfig ~/u.npmrc", &facts);
	got = learning_registries(l, &facts);
	assert_string_equal(got, "https://u.test/ <- {top}/home/u.npmrc:1\n"
				 "https://g.test/ <- {top}/g.npmrc:1\n"
				 "https://default.test/ <- default of npm\n");
}

struct proxy_row {
	const char *line;
	const char *env; /* one NAME=VALUE or NULL */
	const char *npmrc;
	const char *https, *http, *none;
};

static const struct proxy_row proxies[] = {
	{ "npm i", NULL, "", NULL, NULL, NULL },
	{ "npm i", "HTTPS_PROXY=http://e.test:1", "", "http://e.test:1", "http://e.test:1", NULL },
	{ "npm i", "ALL_PROXY=socks5://a.test:1", "", "socks5://a.test:1", "socks5://a.test:1",
	  NULL },
	{ "npm i", "HTTPS_PROXY=http://e.test:1", "https-proxy=http://f.test:2\n",
	  "http://f.test:2", "http://f.test:2", NULL },
	{ "npm i", NULL, "proxy=http://f.test:2\n", "http://f.test:2", "http://f.test:2", NULL },
	{ "npm i", "HTTPS_PROXY=http://e.test:1", "proxy=http://f.test:2\n", "http://e.test:1",
	  "http://f.test:2", NULL },
	{ "npm i", "HTTPS_PROXY=http://e.test:1", "https-proxy=null\nproxy=false\n",
	  "http://e.test:1", "http://e.test:1", NULL },
	{ "npm i", "npm_config_https_proxy=http://v.test:3", "https-proxy=http://f.test:2\n",
	  "http://v.test:3", "http://v.test:3", NULL },
	{ "npm i --https-proxy=http://l.test:4", "npm_config_https_proxy=http://v.test:3", "",
	  "http://l.test:4", "http://l.test:4", NULL },
	{ "npm i", "NO_PROXY=a.test", "", NULL, NULL, "a.test" },
	{ "npm i", "NO_PROXY=a.test", "noproxy=b.test\n", NULL, NULL, "b.test" },
};

/* npm goes by the last; a file that only pmg leaves out would name a registry nobody looks at. */
static void of_files_named_twice_all_are_read(void **state)
{
	static const char *const lines[] = {
		"npm i --userconfig /nonexistent --userconfig ~/u.npmrc",
		"npm i --userconfig ~/u.npmrc --userconfig /nonexistent",
		"npm i --globalconfig=/none --globalconfig=~/u.npmrc", "npm i"
	};
	struct learning *l = *state;
	size_t i;

	learning_write(l, "home/u.npmrc", "registry=https://u.test/\n");
	for (i = 0; i < PMG_ARRAY_LEN(lines); i++) {
		pmg_auto(facts) struct pmg_facts facts = { 0 };
		pmg_autofree char *found = NULL;

		if (i == PMG_ARRAY_LEN(lines) - 1) {
			pmg_env_set(&l->env, "npm_config_userconfig", "/nonexistent");
			pmg_env_set(&l->env, "NPM_CONFIG_USERCONFIG", "~/u.npmrc");
		}
		learn_ok(l, lines[i], &facts);
		found = learning_registries(l, &facts);
		assert_non_null(strstr(found, "https://u.test/"));
	}
}

static void of_an_option_given_twice_the_last_counts(void **state)
{
	struct learning *l = *state;
	pmg_auto(facts) struct pmg_facts facts = { 0 };

	learn_ok(l, "npm i --https-proxy=http://a.test:1 --https-proxy=http://b.test:2", &facts);
	assert_string_equal(facts.https_proxy, "http://b.test:2");
}

static void assert_text(const char *got, const char *want)
{
	if (!want)
		assert_null(got);
	else
		assert_string_equal(got, want);
}

static void the_users_own_proxy_becomes_the_parent(void **state)
{
	struct learning *l = *state;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(proxies); i++) {
		pmg_auto(facts) struct pmg_facts facts = { 0 };

		learning_write(l, "home/.npmrc", proxies[i].npmrc);
		if (proxies[i].env)
			pmg_strv_add(&l->env, proxies[i].env);
		learn_ok(l, proxies[i].line, &facts);
		assert_text(facts.https_proxy, proxies[i].https);
		assert_text(facts.http_proxy, proxies[i].http);
		assert_text(facts.no_proxy, proxies[i].none);
		if (proxies[i].env)
			pmg_strv_remove(&l->env, l->env.n - 1);
	}
}

static const struct {
	const char *line;
	const char *left;
	size_t notes;
} lines[] = {
	{ "npm install x --save-dev -- y", NULL, 0 },
	{ "npm", NULL, 0 },
	{ "npm run x -- --proxy u", NULL, 0 },
	{ "npm i --proxy u x", "npm i x", 1 },
	{ "npm i --https-proxy=u x", "npm i x", 1 },
	{ "npm -https-proxy u i x", "npm i x", 1 },
	{ "npm i --https-p=u x", "npm i x", 1 },
	{ "npm i --noproxy a --noproxy b", "npm i", 1 },
	{ "npm i --no-proxy x", "npm i x", 1 },
	{ "npm i --no-https-proxy x", "npm i x", 1 },
	{ "npm i --ca=u --proxy u -- z", "npm i -- z", 2 },
	{ "npx --proxy u x", "npx x", 1 },
	{ "npx x --proxy u", NULL, 0 },
	{ "npm i --strict-ssl=false x", NULL, 1 },
	{ "npm i --no-strict-ssl x", NULL, 1 },
};

static void options_that_lead_round_the_proxy_are_taken_away_and_no_others(void **state)
{
	struct learning *l = *state;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(lines); i++) {
		pmg_auto(facts) struct pmg_facts facts = { 0 };

		learn_ok(l, lines[i].line, &facts);
		learning_line_is(&facts, lines[i].left ? lines[i].left : lines[i].line);
		assert_int_equal(facts.notes.n, lines[i].notes);
	}
}

static void the_users_own_certificates_are_taken_over(void **state)
{
	struct learning *l = *state;
	pmg_auto(facts) struct pmg_facts facts = { 0 };
	pmg_autofree char *a = pmg_path_join(l->top, "a.pem");
	pmg_autofree char *b = pmg_path_join(l->top, "home/b.pem");
	pmg_autofree char *empty = NULL;
	pmg_autofree char *other = NULL;
	static const char pem[] = "-----BEGIN CERTIFICATE-----\n";

	learning_write(l, "a.pem", pem);
	learning_write(l, "home/b.pem", pem);
	learning_write(l, "empty.pem", "");
	learning_write(l, "other.pem", "no certificate\n");
	learning_write(l, "home/.npmrc", "cafile=~/b.pem\n");
	pmg_env_set(&l->env, "NODE_EXTRA_CA_CERTS", a);
	pmg_env_set(&l->env, "SSL_CERT_FILE", "/nonexistent.pem");
	pmg_strv_addf(&l->env, "CURL_CA_BUNDLE=%s/empty.pem", l->top);
	pmg_strv_addf(&l->env, "GIT_SSL_CAINFO=%s/other.pem", l->top);
	pmg_strv_addf(&l->env, "SSL_CERT_DIR=%s:%s", l->top, l->home);
	learn_ok(l, "npm i", &facts);
	assert_true(facts.has_cafile);
	assert_int_equal(facts.ca_files.n, 2);
	assert_string_equal(facts.ca_files.v[0], b);
	assert_string_equal(facts.ca_files.v[1], a);
	assert_int_equal(facts.ca_dirs.n, 2);
	assert_string_equal(facts.ca_dirs.v[1], l->home);
	assert_int_equal(facts.warnings.n, 3);
	assert_string_equal(facts.warnings.v[0],
			    "SSL_CERT_FILE: certificates in /nonexistent.pem cannot "
			    "be read; going on without");
	empty = pmg_xasprintf("CURL_CA_BUNDLE: no certificates in %s/empty.pem; going on without",
			      l->top);
	assert_string_equal(facts.warnings.v[1], empty);
	other = pmg_xasprintf("GIT_SSL_CAINFO: no certificates in %s/other.pem; going on without",
			      l->top);
	assert_string_equal(facts.warnings.v[2], other);
}

static void certificates_in_the_setting_itself_become_a_file(void **state)
{
	struct learning *l = *state;
	pmg_auto(facts) struct pmg_facts facts = { 0 };
	pmg_auto(facts) struct pmg_facts wrong = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;
	size_t len = 0;

	learning_write(l, "home/project/.npmrc",
		       "ca[]=-----BEGIN CERTIFICATE-----\\nMIIB\\n-----END CERTIFICATE-----\n"
		       "ca[]=\"-----BEGIN CERTIFICATE-----\\nMIIC\\n-----END CERTIFICATE-----\"\n");
	learning_write(l, "home/.npmrc", "ca=-----BEGIN CERTIFICATE-----weaker\n");
	learn_ok(l, "npm i", &facts);
	assert_int_equal(facts.ca_files.n, 2);
	assert_true(pmg_str_has_prefix(facts.ca_files.v[0], l->cache));
	assert_int_equal(pmg_io_slurp(facts.ca_files.v[0], 4096, &text, &len, &err), 0);
	assert_string_equal(text, "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n");
	assert_int_equal(facts.warnings.n, 0);
	learning_write(l, "home/project/.npmrc",
		       "ca=junk\n//r.test/:certfile=/c.pem\n//r.test/:keyfile=/k.pem\n");
	learn_ok(l, "npm i", &wrong);
	assert_int_equal(wrong.ca_files.n, 0);
	assert_int_equal(wrong.warnings.n, 3);
	assert_true(pmg_str_has_suffix(wrong.warnings.v[0], ".npmrc: no certificate in the setting "
							    "\"ca\"; going on without"));
	assert_true(
		pmg_str_has_suffix(wrong.warnings.v[1],
				   ".npmrc:2: pmg cannot show a client certificate to a registry"));
}

/* "@SCOPE" of each registry that is private. */
static char *private_ones(const struct pmg_facts *facts)
{
	struct pmg_str out = PMG_STR_INIT(4096);
	size_t i;

	assert_int_equal(pmg_str_adds(&out, ""), 0);
	for (i = 0; i < facts->n_registries; i++)
		if (facts->registries[i].is_private)
			assert_int_equal(pmg_str_addf(&out, "%s ", facts->registries[i].scope), 0);
	return pmg_str_steal(&out);
}

/* Whose file it is decides, not where it lies: a clone below ~/.config is nobody's configuration.
 */
static void a_scope_is_private_where_the_user_says_so(void **state)
{
	static const struct {
		const char *cwd, *file, *env, *line, *is;
	} rows[] = {
		{ "home/project", "home/.npmrc", NULL, "npm i", "@s " },
		{ "home/project", "home/project/.npmrc", NULL, "npm i", "" },
		{ "home/project/sub", "home/project/.npmrc", NULL, "npm i", "" },
		{ "home/.config/clone", "home/.config/clone/.npmrc", NULL, "npm i", "" },
		{ "home/.config/clone/sub", "home/.config/clone/.npmrc", NULL, "npm i", "" },
		{ "home/.config/clone", "home/.config/.npmrc", NULL, "npm i", "" },
		{ "home/.config/clone", "home/.npmrc", NULL, "npm i", "@s " },
		{ "home/project", "etc/npmrc", NULL, "npm i", "@s " }, /* of the node on PATH */
		{ "home/project", "elsewhere", NULL, "npm i --userconfig {top}/elsewhere", "@s " },
		{ "home/project", "elsewhere", "npm_config_userconfig={top}/elsewhere", "npm i",
		  "@s " },
		{ "home/project/sub", "home/project/ci.npmrc", NULL,
		  "npm i --userconfig {project}/ci.npmrc", "" },
		{ "home/project", NULL, "npm_config_@s:registry=https://s.test/", "npm i", "@s " },
		{ "home/project", NULL, NULL, "npm i --@s:registry=https://s.test/", "@s " },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(facts) struct pmg_facts facts = { 0 };
		pmg_autofree char *got = NULL, *cwd = NULL;
		pmg_autofree char *inside = pmg_xasprintf("%s/x", rows[i].cwd);
		struct pmg_err err = PMG_ERR_INIT;
		struct learning l;

		learning_begin(&l, "npm");
		learning_program(&l, "npm", NPM);
		learning_write(&l, inside, "");
		learning_write(&l, "home/.config/clone/package.json", "{}");
		if (rows[i].file)
			learning_write(&l, rows[i].file, "@s:registry=https://s.test/\n");
		if (rows[i].env)
			pmg_strv_take(&l.env, learning_text(&l, rows[i].env));
		learning_place(&l, rows[i].line);
		l.place.cwd = cwd = pmg_path_join(l.top, rows[i].cwd);
		assert_int_equal(l.pm->learn(&l.place, &facts, &err), 0);
		got = private_ones(&facts);
		if (strcmp(got, rows[i].is) != 0)
			fail_msg("%s, %s: \"%s\"", rows[i].cwd, rows[i].line, got);
		learning_end(&l);
	}
}

/* Both say the same: the user's word counts. */
static void a_project_takes_nothing_from_what_the_user_says(void **state)
{
	struct learning *l = *state;
	pmg_auto(facts) struct pmg_facts facts = { 0 };
	pmg_autofree char *got = NULL;

	learning_write(l, "home/project/.npmrc", "@s:registry=https://s.test/\n");
	learning_write(l, "home/.npmrc", "@s:registry=https://s.test/\n");
	learn_ok(l, "npm i", &facts);
	got = private_ones(&facts);
	assert_string_equal(got, "@s ");
}

static void a_broken_cache_is_asked_over(void **state)
{
	static const char *const broken[] = { "", "[]", "{\"npm", "{\"x\":1}" };
	struct learning *l = *state;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(broken); i++) {
		pmg_auto(facts) struct pmg_facts facts = { 0 };

		learning_write(l, "home/cache/defaults.json", broken[i]);
		learn_ok(l, "npm i", &facts);
		assert_int_equal(facts.n_registries, 1);
		assert_int_equal(learning_asked(l), i + 1);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, learning_teardown)

static void no_registry_is_asked_that_npm_would_not_ask(void **state)
{
	static const struct learning_row asks[] = {
		{ NULL, NULL, NULL, "npm ci", "https://user.test/" },
		{ NULL, NULL, NULL, "npm ci --registry https://line.test/", "https://line.test/" },
		{ NULL, NULL, "NPM_CONFIG_REGISTRY=https://env.test/", "npm ci",
		  "https://env.test/" },
		{ "home/project/.npmrc", "registry=https://own.test/\n", NULL, "npm ci",
		  "https://own.test/" },
		/* No root of a project: npm may not read it. */
		{ "home/project/sub/.npmrc", "registry=https://sub.test/\n", NULL,
		  "npm ci --prefix sub", "https://sub.test/ https://user.test/" },
		{ "home/.npmrc", "registry=\n", NULL, "npm ci", "https://default.test/" },
		{ "home/.npmrc", "@a:registry=https://a.test/\n", NULL, "npm ci",
		  "https://default.test/" },
		{ "home/project/package.json",
		  "{\"publishConfig\": {\"registry\": \"https://publish.test/\"}}", NULL, "npm ci",
		  "https://default.test/" },
	};
	struct learning *l = *state;

	learning_write(l, "home/.npmrc", "registry=https://user.test/\n");
	learning_ask_rows(l, asks, PMG_ARRAY_LEN(asks));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(no_registry_is_asked_that_npm_would_not_ask),
		TEST(the_default_is_asked_once_and_again_when_the_program_changes),
		TEST(npx_is_never_asked_but_the_npm_beside_it),
		TEST(a_program_that_does_not_say_is_an_error_unless_a_registry_is_named),
		TEST(a_setting_that_names_certificates_is_noticed_in_every_form),
		TEST(every_file_and_variable_that_npm_reads_names_registries),
		TEST(configuration_files_may_be_named_elsewhere),
		TEST(of_files_named_twice_all_are_read),
		TEST(of_an_option_given_twice_the_last_counts),
		TEST(the_users_own_proxy_becomes_the_parent),
		TEST(options_that_lead_round_the_proxy_are_taken_away_and_no_others),
		TEST(the_users_own_certificates_are_taken_over),
		TEST(certificates_in_the_setting_itself_become_a_file),
		TEST(a_scope_is_private_where_the_user_says_so),
		TEST(a_project_takes_nothing_from_what_the_user_says),
		TEST(a_broken_cache_is_asked_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
