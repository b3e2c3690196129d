#include "pm/managers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "learning.h"

/* The end of what `uv pip install --help` says, in two forms. */
#define UV                                                                                         \
	"[ \"$*\" = 'pip install --help' ] || exit 1\n"                                            \
	"[ -z \"$UV_INDEX_URL$UV_INDEX\" ] || exit 1\n"                                            \
	"echo '  --default-index <DEFAULT_INDEX>'\n"                                               \
	"echo '      The default package index (by default: <https://new.test/simple>)'\n"         \
	"echo '  -i, --index-url <INDEX_URL>  The URL of the Python package index (by'\n"          \
	"echo '      default: <https://default.test/simple>) [env: UV_INDEX_URL]'"

#define DEFAULT "https://default.test/simple/ <- default of uv\n"

static int setup(void **state)
{
	static struct learning l;

	learning_begin(&l, "uv");
	learning_program(&l, "uv", UV);
	pmg_strv_addf(&l.env, "XDG_CONFIG_DIRS=%s/none", l.top);
	*state = &l;
	return 0;
}

static void every_file_and_variable_that_uv_reads_names_registries(void **state)
{
	struct learning *l = *state;
	pmg_auto(facts) struct pmg_facts facts = { 0 };
	pmg_autofree char *got = NULL;

	learning_write(l, "home/project/pyproject.toml",
		       "[tool.uv]\nindex-url = 'https://p.test/simple'\n"
		       "[[tool.uv.index]]\nname = 'one'\nurl = 'https://one.test/simple'\n"
		       "[[tool.uv.index]]\nurl = 'file:///x'\n"
		       "[tool.uv.pip]\nextra-index-url = ['https://x.test/', 'https://y.test/']\n"
		       "[tool.uv.workspace]\nmembers = ['libs/*']\n");
	learning_write(l, "home/project/libs/a/pyproject.toml",
		       "[tool.uv]\nindex = [{ url = 'https://member.test/' }]\n");
	learning_write(l, "home/uv.toml", "find-links = ['https://links.test/w/page.html']\n");
	learning_write(l, "home/.config/uv/uv.toml", "default-index = 'https://user.test/'\n");
	learning_write(l, "home/named.toml", "index = [{ url = 'https://named.test/' }]\n");
	pmg_env_set(&l->env, "UV_INDEX", "a=https://a.test/ https://b.test/simple");
	pmg_env_set(&l->env, "UV_FIND_LINKS", "https://c.test/d/,/local");
	pmg_strv_addf(&l->env, "UV_CONFIG_FILE=%s/named.toml", l->home);
	learn_ok(l,
		 "uv add --default-index https://line.test/simple --index n=https://n.test/ "
		 "-f https://f.test/ x",
		 &facts);
	got = learning_registries(l, &facts);
	assert_string_equal(got,
			    "https://line.test/simple/ <- command line\n"
			    "https://n.test/ <- command line\n"
			    "https://f.test/ <- command line\n"
			    "https://a.test/ <- environment UV_INDEX\n"
			    "https://b.test/simple/ <- environment UV_INDEX\n"
			    "https://c.test/d/ <- environment UV_FIND_LINKS\n"
			    "https://named.test/ <- {top}/home/named.toml:1\n"
			    "https://one.test/simple/ <- {top}/home/project/pyproject.toml:5\n"
			    "https://p.test/simple/ <- {top}/home/project/pyproject.toml:2\n"
			    "https://member.test/ <- {top}/home/project/libs/a/pyproject.toml:2\n"
			    "https://x.test/ <- {top}/home/project/pyproject.toml:9\n"
			    "https://y.test/ <- {top}/home/project/pyproject.toml:9\n"
			    "https://links.test/w/ <- {top}/home/uv.toml:1\n"
			    "https://user.test/ <- {top}/home/.config/uv/uv.toml:1\n" DEFAULT);
	assert_int_equal(learning_asked(l), 1);
}

/* Also with uvx: uv itself is asked. */
static void the_folder_that_is_named_is_where_files_are_sought(void **state)
{
	static const char *const lines[] = { "uv --directory sub sync", "uv sync --project=sub",
					     "uv sync" };
	struct learning *l = *state;
	size_t i;

	learning_write(l, "home/project/sub/uv.toml", "index-url = 'https://sub.test/'\n");
	for (i = 0; i < PMG_ARRAY_LEN(lines); i++) {
		pmg_auto(facts) struct pmg_facts facts = { 0 };
		pmg_autofree char *got = NULL;

		learn_ok(l, lines[i], &facts);
		got = learning_registries(l, &facts);
		assert_string_equal(
			got,
			i < 2 ? "https://sub.test/ <- {top}/home/project/sub/uv.toml:1\n" DEFAULT
			      : DEFAULT);
	}
}

static void artifacts_that_documents_name_are_sources(void **state)
{
	struct learning *l = *state;
	pmg_auto(facts) struct pmg_facts facts = { 0 };
	pmg_autofree char *got = NULL;

	learning_write(l, "home/project/pyproject.toml",
		       "[project]\ndependencies = ['d @ https://h.test/d-1.whl']\n"
		       "[tool.uv.sources]\ns = { url = 'https://odd.test/download?id=1' }\n"
		       "m = [{ url = 'https://odd.test/m', marker = 'x' }, { path = '../y' }]\n"
		       "g = { git = 'https://git.test/g' }\n");
	/* Of each host one is enough: what they are called says which package it is. */
	learning_write(l, "home/project/uv.lock",
		       "[[package]]\nwheels = [\n"
		       "{ url = 'https://files.test/a-1.whl', hash = 'x' },\n"
		       "{ url = 'https://files.test/b-1.whl' },\n"
		       "{ url = 'https://other.test/c-1.tar.gz' }]\n");
	learning_write(l, "home/project/r.txt", "e @ https://h.test/e-1.zip\n");
	learning_write(l, "home/project/run.py",
		       "#!/usr/bin/env python3\n# /// script\n"
		       "# dependencies = ['i @ https://h.test/i-1.whl']\n#\n"
		       "# [tool.uv.sources]\n# k = { url = 'https://odd.test/k' }\n# ///\n"
		       "x = 'https://not.test/x-1.whl'\n");
	learn_ok(l, "uv run --with-requirements r.txt run.py -r https://no.test/n-1.whl", &facts);
	got = learning_sources(&facts);
	assert_string_equal(got, "https://h.test/e-1.zip e -\n"
				 "https://h.test/i-1.whl i -\n"
				 "https://odd.test/k k -\n"
				 "https://h.test/d-1.whl d -\n"
				 "https://odd.test/download s -\n"
				 "https://odd.test/m m -\n"
				 "https://files.test/a-1.whl - -\n"
				 "https://other.test/c-1.tar.gz - -\n");
}

static void a_command_that_is_run_has_options_of_its_own(void **state)
{
	static const struct {
		const char *tool, *line, *registries;
	} rows[] = {
		{ "uv", "uv run x --index https://x.test/", DEFAULT },
		{ "uv", "uv tool run x --index https://x.test/", DEFAULT },
		{ "uv", "uvx x --index https://x.test/", DEFAULT },
		{ "uv", "uv run --index https://x.test/ x",
		  "https://x.test/ <- command line\n" DEFAULT },
		{ "uv", "uvx --index https://x.test/ x",
		  "https://x.test/ <- command line\n" DEFAULT },
	};
	struct learning *l = *state;
	size_t i, k;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(str) struct pmg_str left = PMG_STR_INIT(4096);
		pmg_auto(facts) struct pmg_facts facts = { 0 };
		pmg_autofree char *got = NULL;

		learn_ok(l, rows[i].line, &facts);
		got = learning_registries(l, &facts);
		assert_string_equal(got, rows[i].registries);
		for (k = 0; k < facts.argv.n; k++)
			assert_int_equal(
				pmg_str_addf(&left, "%s%s", k > 0 ? " " : "", facts.argv.v[k]), 0);
		assert_string_equal(left.s, rows[i].line);
	}
}

/* What the line names is asked for anew, whatever uv's cache has of it. */
static void what_is_named_is_asked_for_anew(void **state)
{
	static const struct {
		const char *line, *left;
	} rows[] = {
		{ "uv pip install -q a b>=1 c[d]==2",
		  "uv pip install --refresh-package=a --refresh-package=b --refresh-package=c -q a "
		  "b>=1 c[d]==2" },
		{ "uv -q add a ./b https://h.test/c.whl d-1.whl e.tar.gz",
		  "uv -q add --refresh-package=a a ./b https://h.test/c.whl d-1.whl e.tar.gz" },
		{ "uv tool install a", "uv tool install --refresh-package=a a" },
		{ "uv pip install --offline a", "uv pip install --offline a" },
		{ "uv --unheard add a", "uv --unheard add a" },
		{ "uv pip sync a.txt", "uv pip sync a.txt" },
		{ "uv sync", "uv sync" },
	};
	struct learning *l = *state;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(facts) struct pmg_facts facts = { 0 };
		pmg_autofree char *left = NULL;

		learn_ok(l, rows[i].line, &facts);
		left = pmg_strv_join(&facts.argv, " ", 4096);
		assert_string_equal(left, rows[i].left);
	}
}

/* uv goes by these whatever the environment says. */
static void a_file_that_names_a_proxy_is_refused(void **state)
{
	static const struct {
		const char *file, *text, *line, *where; /* where NULL: it is no matter */
	} rows[] = {
		{ "home/project/uv.toml", "\nhttps-proxy = 'http://x.test:1'\n", "uv sync",
		  "project/uv.toml:2: with \"https-proxy\"" },
		{ "home/project/pyproject.toml", "[tool.uv]\nhttp-proxy = 'http://x.test:1'\n",
		  "uv sync", "pyproject.toml:2: with \"http-proxy\"" },
		{ "home/.config/uv/uv.toml", "https-proxy = 'http://x.test:1'\n", "uvx x",
		  "uv/uv.toml:1: with \"https-proxy\"" },
		{ "home/.config/uv/uv.toml", "https-proxy = 'http://x.test:1'\n",
		  "uv --no-config sync", NULL },
		{ "home/project/uv.toml", "no-proxy = ['x.test']\n", "uv sync", NULL },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(facts) struct pmg_facts facts = { 0 };
		struct pmg_err err = PMG_ERR_INIT;
		struct learning l;
		int r;

		learning_begin(&l, "uv");
		learning_program(&l, "uv", UV);
		learning_write(&l, rows[i].file, rows[i].text);
		r = l.pm->learn(learning_place(&l, rows[i].line), &facts, &err);
		assert_int_equal(r, rows[i].where ? -PMG_E_UNSUPPORTED : 0);
		if (rows[i].where) {
			assert_non_null(strstr(err.msg, rows[i].where));
			assert_string_not_equal(err.hint, "");
		}
		learning_end(&l);
	}
}

static void proxy_and_certificates_are_those_of_the_environment(void **state)
{
	struct learning *l = *state;
	pmg_auto(facts) struct pmg_facts facts = { 0 };
	pmg_autofree char *cert = pmg_path_join(l->top, "c.pem");

	learning_write(l, "c.pem", "-----BEGIN CERTIFICATE-----\n");
	pmg_env_set(&l->env, "HTTPS_PROXY", "http://corp.test:3128");
	pmg_env_set(&l->env, "SSL_CERT_FILE", cert);
	learn_ok(l, "uv sync", &facts);
	assert_string_equal(facts.https_proxy, "http://corp.test:3128");
	assert_int_equal(facts.ca_files.n, 1);
	assert_string_equal(facts.ca_files.v[0], cert);
	assert_true(facts.has_cafile);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, learning_teardown)

static void no_registry_is_asked_that_uv_would_not_ask(void **state)
{
	static const struct learning_row asks[] = {
		{ NULL, NULL, NULL, "uv sync", "https://default.test/simple/" },
		{ NULL, NULL, "UV_DEFAULT_INDEX=https://env.test/", "uv sync",
		  "https://env.test/" },
		{ NULL, NULL, "UV_DEFAULT_INDEX=own=https://env.test/", "uv sync",
		  "https://env.test/" },
		{ NULL, NULL, "UV_INDEX=https://env.test/", "uv sync",
		  "https://env.test/ https://default.test/simple/" },
		{ "home/project/pyproject.toml",
		  "[[tool.uv.index]]\nurl = 'https://one.test/'\n"
		  "[[tool.uv.index]]\nurl = 'https://two.test/'\ndefault = true\n",
		  NULL, "uv sync", "https://one.test/ https://two.test/" },
		{ "home/project/pyproject.toml", "[tool.uv.pip]\nindex-url = 'https://pip.test/'\n",
		  NULL, "uv sync", "https://pip.test/ https://default.test/simple/" },
		{ "home/project/pyproject.toml", "[tool.uv.pip]\nindex-url = 'https://pip.test/'\n",
		  NULL, "uv pip install x", "https://pip.test/" },
		{ "home/project/pyproject.toml", "[tool.uv]\nindex-url = 'https://own.test/'\n",
		  NULL, "uv --no-config sync", "https://own.test/ https://default.test/simple/" },
	};
	struct learning *l = *state;

	learning_ask_rows(l, asks, PMG_ARRAY_LEN(asks));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(no_registry_is_asked_that_uv_would_not_ask),
		TEST(every_file_and_variable_that_uv_reads_names_registries),
		TEST(the_folder_that_is_named_is_where_files_are_sought),
		TEST(artifacts_that_documents_name_are_sources),
		TEST(a_command_that_is_run_has_options_of_its_own),
		TEST(what_is_named_is_asked_for_anew),
		TEST(a_file_that_names_a_proxy_is_refused),
		TEST(proxy_and_certificates_are_those_of_the_environment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
