#include "pm/managers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "learning.h"

/* What its interpreter says, when it is asked as pip is. */
#define PYTHON                                                                                     \
	"[ \"$1\" = -c ] || exit 1\n"                                                              \
	"case $2 in *'main([' ) exit 1 ;; *\"'download', '--help'\"*) ;; *) exit 1 ;; esac\n"      \
	"[ \"$PIP_CONFIG_FILE\" = /dev/null ] || exit 1\n"                                         \
	"echo '  -i, --index-url <url>  Base URL (default https://default.test/simple). This'"

#define DEFAULT "https://default.test/simple/ <- default of pipx\n"

static int setup(void **state)
{
	static struct learning l;

	learning_begin(&l, "pipx");
	learning_program(&l, "python3", PYTHON);
	learning_write(&l, "bin/pipx", "#!{top}/bin/python3\n");
	pmg_strv_addf(&l.env, "XDG_CONFIG_DIRS=%s/none", l.top);
	*state = &l;
	return 0;
}

static void what_pip_and_uv_read_names_registries(void **state)
{
	struct learning *l = *state;
	pmg_auto(facts) struct pmg_facts facts = { 0 };
	pmg_autofree char *got = NULL;

	learning_write(l, "home/.config/pip/pip.conf",
		       "[global]\nextra-index-url = https://conf.test/\n");
	learning_write(l, "home/.config/uv/uv.toml", "index = [{ url = 'https://uv.test/' }]\n");
	pmg_env_set(&l->env, "PIP_INDEX_URL", "https://pip.test/simple");
	pmg_env_set(&l->env, "UV_INDEX", "n=https://n.test/");
	learn_ok(l,
		 "pipx install -i https://line.test/simple "
		 "--pip-args=--extra-index-url=https://args.test/ x",
		 &facts);
	got = learning_registries(l, &facts);
	assert_string_equal(got, "https://line.test/simple/ <- command line\n"
				 "https://args.test/ <- command line\n"
				 "https://pip.test/simple/ <- environment PIP_INDEX_URL\n"
				 "https://n.test/ <- environment UV_INDEX\n"
				 "https://conf.test/ <- {top}/home/.config/pip/pip.conf:2\n"
				 "https://uv.test/ <- {top}/home/.config/uv/uv.toml:1\n" DEFAULT);
}

static void an_app_has_arguments_of_its_own(void **state)
{
	static const struct {
		const char *line, *sources;
	} rows[] = {
		{ "pipx install https://h.test/a-1.whl", "https://h.test/a-1.whl - -\n" },
		{ "pipx run --spec https://h.test/b-1.whl b https://h.test/c-1.whl",
		  "https://h.test/b-1.whl - -\n" },
		{ "pipx runpip x install https://h.test/d-1.whl", "" },
		{ "pipx inject x https://h.test/e-1.whl", "https://h.test/e-1.whl - -\n" },
	};
	struct learning *l = *state;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(facts) struct pmg_facts facts = { 0 };
		pmg_autofree char *got = NULL;

		learn_ok(l, rows[i].line, &facts);
		got = learning_sources(&facts);
		assert_string_equal(got, rows[i].sources);
		assert_int_equal(facts.argv.n, l->argv.n);
	}
}

static void a_line_that_leads_pip_elsewhere_is_refused(void **state)
{
	static const char *const lines[] = {
		"pipx install --pip-args=--proxy=http://x.test:1 x",
		"pipx install --pip-args=--cert=/x.pem x",
	};
	struct learning *l = *state;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(lines); i++) {
		pmg_auto(facts) struct pmg_facts facts = { 0 };
		struct pmg_err err = PMG_ERR_INIT;

		assert_int_equal(l->pm->learn(learning_place(l, lines[i]), &facts, &err),
				 -PMG_E_UNSUPPORTED);
		assert_non_null(strstr(err.msg, "--pip-args: with --"));
		assert_string_not_equal(err.hint, "");
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, learning_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_pip_and_uv_read_names_registries),
		TEST(an_app_has_arguments_of_its_own),
		TEST(a_line_that_leads_pip_elsewhere_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
