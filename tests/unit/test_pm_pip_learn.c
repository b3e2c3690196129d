#include "pm/managers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "learning.h"

#define PIP                                                                                        \
	"[ \"$*\" = 'download --help' ] || exit 1\n"                                               \
	"[ \"$PIP_CONFIG_FILE\" = /dev/null ] || exit 1\n"                                         \
	"[ -z \"$PIP_INDEX_URL\" ] || exit 1\n"                                                    \
	"echo 'Options:'\n"                                                                        \
	"echo '  -i, --index-url <url>  Base URL (default https://default.test/simple). This'"

#define DEFAULT "https://default.test/simple/ <- default of pip\n"

static int setup(void **state)
{
	static struct learning l;

	learning_begin(&l, "pip");
	learning_program(&l, "pip", PIP);
	*state = &l;
	return 0;
}

static void every_file_and_variable_that_pip_reads_names_registries(void **state)
{
	struct learning *l = *state;
	pmg_auto(facts) struct pmg_facts facts = { 0 };
	pmg_autofree char *got = NULL;

	learning_write(l, "pip.conf", "[global]\nindex-url = https://site.test/simple\n");
	learning_write(l, "venv/pip.conf", "[install]\nindex_url: https://venv.test/simple\n");
	learning_write(l, "home/xdg/pip/pip.conf",
		       "[global]\nextra-index-url =\n  https://a.test/simple\n  https://b.test/\n");
	learning_write(l, "home/.pip/pip.conf",
		       "[global]\nfind-links = https://links.test/wheels/page.html /local "
		       "file:///x\n");
	learning_write(l, "home/named.conf", "[download]\nindex-url=https://named.test/simple/\n");
	pmg_strv_addf(&l->env, "VIRTUAL_ENV=%s/venv", l->top);
	pmg_strv_addf(&l->env, "XDG_CONFIG_HOME=%s/xdg", l->home);
	pmg_strv_addf(&l->env, "PIP_CONFIG_FILE=%s/named.conf", l->home);
	pmg_strv_addf(&l->env, "XDG_CONFIG_DIRS=%s/none", l->top);
	pmg_env_set(&l->env, "PIP_INDEX_URL", "https://u:p@env.test/simple");
	learn_ok(l,
		 "pip --no-input install -i https://line.test/simple "
		 "--extra-index-url=https://extra.test x",
		 &facts);
	got = learning_registries(l, &facts);
	assert_string_equal(got,
			    "https://line.test/simple/ <- command line\n"
			    "https://extra.test/ <- command line\n"
			    "https://env.test/simple/ <- environment PIP_INDEX_URL\n"
			    "https://named.test/simple/ <- {top}/home/named.conf:2\n"
			    "https://site.test/simple/ <- {top}/pip.conf:2\n"
			    "https://venv.test/simple/ <- {top}/venv/pip.conf:2\n"
			    "https://a.test/simple/ <- {top}/home/xdg/pip/pip.conf:2\n"
			    "https://b.test/ <- {top}/home/xdg/pip/pip.conf:2\n"
			    "https://links.test/wheels/ <- {top}/home/.pip/pip.conf:2\n" DEFAULT);
}

static void without_configuration_only_the_default_counts(void **state)
{
	struct learning *l = *state;
	pmg_auto(facts) struct pmg_facts facts = { 0 };
	pmg_autofree char *got = NULL;

	learning_write(l, "home/.pip/pip.conf", "[global]\nindex-url=https://not-read.test/\n");
	pmg_env_set(&l->env, "PIP_CONFIG_FILE", "/dev/null");
	learn_ok(l, "pip install x", &facts);
	got = learning_registries(l, &facts);
	assert_string_equal(got, DEFAULT);
}

static void requirements_files_are_read_with_all_they_name(void **state)
{
	struct learning *l = *state;
	pmg_auto(facts) struct pmg_facts facts = { 0 };
	pmg_autofree char *got = NULL;
	pmg_autofree char *from = NULL;

	learning_write(l, "home/project/r.txt",
		       "-r sub/more.txt\n--index-url https://r.test/simple\n"
		       "a @ https://h.test/a-1.0-py3-none-any.whl\n-e ./pkg\n");
	learning_write(l, "home/project/sub/more.txt",
		       "-r ../r.txt\n-c c.txt\nhttps://h.test/b.tar.gz\n");
	learning_write(l, "home/project/sub/c.txt", "c @ https://h.test/c.zip\n");
	learning_write(l, "home/project/pkg/pyproject.toml",
		       "[project]\ndependencies = ['d @ https://h.test/d-1.whl']\n");
	learning_write(l, "home/project/env.txt", "e@https://h.test/e.whl\n");
	learning_write(l, "home/project/script.py",
		       "# /// script\n# dependencies = [\"s @ https://h.test/s.whl\"]\n# ///\n");
	pmg_env_set(&l->env, "PIP_CONFIG_FILE", "/dev/null");
	pmg_env_set(&l->env, "PIP_CONSTRAINT", "env.txt");
	learn_ok(l,
		 "pip install -r r.txt f@https://h.test/f.whl https://h.test/g.whl "
		 "--requirements-from-script script.py git+https://h.test/x.git",
		 &facts);
	got = learning_sources(&facts);
	assert_string_equal(got, "https://h.test/c.zip c -\n"
				 "https://h.test/b.tar.gz - -\n"
				 "https://h.test/a-1.0-py3-none-any.whl a -\n"
				 "https://h.test/d-1.whl d -\n"
				 "https://h.test/f.whl f -\n"
				 "https://h.test/g.whl - -\n"
				 "https://h.test/s.whl s -\n"
				 "https://h.test/e.whl e -\n");
	from = learning_registries(l, &facts);
	assert_string_equal(from, "https://r.test/simple/ <- {top}/home/project/r.txt:2\n" DEFAULT);
}

static void files_that_name_each_other_without_end_are_a_limit(void **state)
{
	struct learning *l = *state;
	pmg_auto(facts) struct pmg_facts facts = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	int i;

	for (i = 0; i < 300; i++) {
		pmg_autofree char *name = pmg_xasprintf("home/project/%d.txt", i);
		pmg_autofree char *text = pmg_xasprintf("-r %d.txt\n", i + 1);

		learning_write(l, name, text);
	}
	assert_int_equal(pmg_pip_learn(learning_place(l, "pip install -r 0.txt"), &facts, &err),
			 -PMG_E_LIMIT);
	assert_string_equal(err.msg, "more than 256 files to read");
}

static const struct {
	const char *line;
	const char *left; /* NULL: all */
	const char *proxy;
	size_t notes;
} lines[] = {
	{ "pip install x -- y", NULL, NULL, 0 },
	{ "pip", NULL, NULL, 0 },
	{ "pip --proxy http://p.test:1 install x", "pip install x", "http://p.test:1", 1 },
	{ "pip install --prox=http://p.test:1 x", "pip install x", "http://p.test:1", 1 },
	{ "pip install --cert /nonexistent.pem x", "pip install x", NULL, 2 },
	{ "pip install --trusted-host h.test x", NULL, NULL, 1 },
	{ "pip install --client-cert c.pem x", NULL, NULL, 1 },
	{ "pip install -r https://h.test/r.txt", NULL, NULL, 1 },
};

static void proxy_and_certificates_are_taken_over_from_the_line(void **state)
{
	struct learning *l = *state;
	size_t i;

	pmg_env_set(&l->env, "PIP_CONFIG_FILE", "/dev/null");
	for (i = 0; i < PMG_ARRAY_LEN(lines); i++) {
		pmg_auto(facts) struct pmg_facts facts = { 0 };

		learn_ok(l, lines[i].line, &facts);
		learning_line_is(&facts, lines[i].left ? lines[i].left : lines[i].line);
		assert_int_equal(facts.notes.n + facts.warnings.n, lines[i].notes);
		if (lines[i].proxy)
			assert_string_equal(facts.https_proxy, lines[i].proxy);
		else
			assert_null(facts.https_proxy);
	}
}

static void a_file_of_configuration_names_parent_proxy_and_certificates(void **state)
{
	struct learning *l = *state;
	pmg_auto(facts) struct pmg_facts facts = { 0 };
	pmg_autofree char *cert = pmg_path_join(l->top, "c.pem");

	learning_write(l, "c.pem", "-----BEGIN CERTIFICATE-----\n");
	learning_write(l, "home/.config/pip/pip.conf",
		       "[global]\nproxy = http://corp.test:3128\ncert = {top}/c.pem\n");
	pmg_env_set(&l->env, "HTTPS_PROXY", "http://weaker.test:1");
	learn_ok(l, "pip install x", &facts);
	assert_string_equal(facts.https_proxy, "http://corp.test:3128");
	assert_int_equal(facts.ca_files.n, 1);
	assert_string_equal(facts.ca_files.v[0], cert);
}

/* Isolated, pip lets the file of its environment win over the variables that lead it to pmg. */
static void an_isolated_pip_that_a_file_leads_elsewhere_is_refused(void **state)
{
	static const char *const settings[] = { "proxy = http://corp.test:3128", "cert = /c.pem" };
	struct learning *l = *state;
	size_t i;

	learning_write(l, "home/.config/pip/pip.conf", "[global]\nproxy = http://corp.test:1\n");
	for (i = 0; i < PMG_ARRAY_LEN(settings); i++) {
		pmg_autofree char *text = pmg_xasprintf("[install]\n%s\n", settings[i]);
		pmg_auto(facts) struct pmg_facts refused = { 0 };
		pmg_auto(facts) struct pmg_facts shared = { 0 };
		pmg_auto(facts) struct pmg_facts users = { 0 };
		struct pmg_err err = PMG_ERR_INIT;

		learning_write(l, "pip.conf", text);
		assert_int_equal(
			l->pm->learn(learning_place(l, "pip --isolated install x"), &refused, &err),
			-PMG_E_UNSUPPORTED);
		assert_non_null(strstr(err.msg, "pip.conf:2"));
		assert_string_not_equal(err.hint, "");
		learn_ok(l, "pip install x", &shared);
		learning_write(l, "pip.conf", "");
		/* It does not read the user's; this machine's own may be in the way. */
		if (l->pm->learn(learning_place(l, "pip install --isolated x"), &users, &err) < 0)
			assert_non_null(strstr(err.msg, "/etc/"));
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, learning_teardown)

static void no_registry_is_asked_that_pip_would_not_ask(void **state)
{
	static const struct learning_row asks[] = {
		{ NULL, NULL, NULL, "pip install x", "https://user.test/ https://more.test/" },
		{ NULL, NULL, "PIP_INDEX_URL=https://env.test/", "pip install x",
		  "https://env.test/ https://more.test/" },
		{ NULL, NULL, NULL, "pip install -i https://line.test/ x",
		  "https://line.test/ https://more.test/" },
		/* Which of the two counts depends on their order. */
		{ "home/project/r.txt", "--index-url https://file.test/\nx==1\n", NULL,
		  "pip install -i https://line.test/ -r r.txt",
		  "https://line.test/ https://file.test/ https://more.test/" },
	};
	static const struct learning_row bare[] = {
		/* It does not read it then. */
		{ NULL, NULL, "PIP_INDEX_URL=https://env.test/", "pip --isolated install x",
		  "https://env.test/ https://default.test/simple/" },
		{ NULL, NULL, "PIP_FIND_LINKS=https://links.test/", "pip install x",
		  "https://default.test/simple/" },
		{ NULL, NULL, "PIP_INDEX_URL=file:///x", "pip install x",
		  "https://default.test/simple/" },
	};
	struct learning *l = *state;

	learning_write(
		l, "home/.pip/pip.conf",
		"[global]\nindex-url=https://user.test/\nextra-index-url=https://more.test/\n");
	learning_ask_rows(l, asks, PMG_ARRAY_LEN(asks));
	pmg_env_set(&l->env, "PIP_CONFIG_FILE", "/dev/null");
	learning_ask_rows(l, bare, PMG_ARRAY_LEN(bare));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(no_registry_is_asked_that_pip_would_not_ask),
		TEST(every_file_and_variable_that_pip_reads_names_registries),
		TEST(without_configuration_only_the_default_counts),
		TEST(requirements_files_are_read_with_all_they_name),
		TEST(files_that_name_each_other_without_end_are_a_limit),
		TEST(proxy_and_certificates_are_taken_over_from_the_line),
		TEST(a_file_of_configuration_names_parent_proxy_and_certificates),
		TEST(an_isolated_pip_that_a_file_leads_elsewhere_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
