#include "pm/managers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "learning.h"

/* What its interpreter says of poetry's own module. */
#define PYTHON                                                                                     \
	"[ \"$1\" = -c ] || exit 1\n"                                                              \
	"case $2 in *PyPiRepository*) echo https://default.test/simple/ ;; *) exit 1 ;; esac"

#define DEFAULT "https://default.test/simple/ <- default of poetry\n"

static int setup(void **state)
{
	static struct learning l;

	learning_begin(&l, "poetry");
	learning_program(&l, "python3", PYTHON);
	/* Of an installation whose path is too long for a first line. */
	learning_write(&l, "bin/poetry",
		       "#!/bin/sh\n'''exec' \"{top}/bin/python3\" \"$0\" \"$@\"\n");
	*state = &l;
	return 0;
}

static void sources_and_repositories_are_registries(void **state)
{
	struct learning *l = *state;
	pmg_auto(facts) struct pmg_facts facts = { 0 };
	pmg_autofree char *got = NULL;

	learning_write(l, "home/project/pyproject.toml",
		       "[[tool.poetry.source]]\nname = 'a'\nurl = 'https://a.test/simple'\n"
		       "[[tool.poetry.source]]\nname = 'b'\nurl = 'https://b.test/'\n");
	learning_write(l, "home/project/poetry.toml",
		       "[repositories.c]\nurl = 'https://c.test/'\n");
	learning_write(l, "home/.config/pypoetry/config.toml",
		       "[repositories]\nd = { url = 'https://d.test/' }\n");
	pmg_env_set(&l->env, "POETRY_REPOSITORIES_E_URL", "https://e.test/");
	learn_ok(l, "poetry add x", &facts);
	got = learning_registries(l, &facts);
	assert_string_equal(
		got, "https://a.test/simple/ <- {top}/home/project/pyproject.toml:3\n"
		     "https://b.test/ <- {top}/home/project/pyproject.toml:6\n"
		     "https://e.test/ <- environment POETRY_REPOSITORIES_E_URL\n"
		     "https://c.test/ <- {top}/home/project/poetry.toml:2\n"
		     "https://d.test/ <- {top}/home/.config/pypoetry/config.toml:2\n" DEFAULT);
}

static void the_folder_that_is_named_is_where_files_are_sought(void **state)
{
	static const char *const lines[] = { "poetry -C sub lock", "poetry lock --project=sub",
					     "poetry run x -C sub" };
	struct learning *l = *state;
	size_t i;

	learning_write(l, "home/project/sub/pyproject.toml",
		       "[[tool.poetry.source]]\nurl = 'https://sub.test/'\n");
	for (i = 0; i < PMG_ARRAY_LEN(lines); i++) {
		pmg_auto(facts) struct pmg_facts facts = { 0 };

		learn_ok(l, lines[i], &facts);
		assert_int_equal(facts.n_registries, i < 2 ? 2 : 1);
		assert_int_equal(facts.argv.n, l->argv.n);
	}
}

static void artifacts_that_documents_name_are_sources(void **state)
{
	struct learning *l = *state;
	pmg_auto(facts) struct pmg_facts facts = { 0 };
	pmg_autofree char *got = NULL;

	learning_write(l, "home/project/pyproject.toml",
		       "[tool.poetry.dependencies]\nd = { url = 'https://h.test/d-1.whl' }\n");
	learning_write(l, "home/project/poetry.lock",
		       "[[package]]\nname = 'l'\n[package.source]\ntype = 'url'\n"
		       "url = 'https://l.test/l-1.tar.gz'\n");
	learn_ok(l, "poetry add a@https://h.test/a-1.whl", &facts);
	got = learning_sources(&facts);
	assert_string_equal(got, "https://h.test/a-1.whl a -\n"
				 "https://h.test/d-1.whl - -\n"
				 "https://l.test/l-1.tar.gz - -\n");
}

/* They beat REQUESTS_CA_BUNDLE, and each has a variable that beats it. */
static void certificates_of_repositories_are_overruled_one_by_one(void **state)
{
	struct learning *l = *state;
	pmg_auto(facts) struct pmg_facts facts = { 0 };
	pmg_autofree char *cert = pmg_path_join(l->top, "c.pem");

	learning_write(l, "c.pem", "-----BEGIN CERTIFICATE-----\n");
	learning_write(l, "home/.config/pypoetry/config.toml",
		       "[certificates.my-reg]\ncert = '{top}/c.pem'\nclient-cert = '/k.pem'\n"
		       "[certificates.other]\ncert = false\n");
	pmg_env_set(&l->env, "HTTPS_PROXY", "http://corp.test:3128");
	learn_ok(l, "poetry lock", &facts);
	assert_int_equal(facts.bundle_variables.n, 2);
	assert_string_equal(facts.bundle_variables.v[0], "POETRY_CERTIFICATES_MY_REG_CERT");
	assert_string_equal(facts.bundle_variables.v[1], "POETRY_CERTIFICATES_OTHER_CERT");
	assert_int_equal(facts.ca_files.n, 1);
	assert_string_equal(facts.ca_files.v[0], cert);
	assert_int_equal(facts.notes.n, 1);
	assert_string_equal(facts.https_proxy, "http://corp.test:3128");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, learning_teardown)

static void no_registry_is_asked_that_poetry_would_not_ask(void **state)
{
	static const struct learning_row asks[] = {
		{ "home/project/pyproject.toml",
		  "[[tool.poetry.source]]\nurl = 'https://a.test/'\npriority = 'default'\n", NULL,
		  "poetry install", "https://a.test/" },
		{ "home/project/pyproject.toml",
		  "[[tool.poetry.source]]\nurl = 'https://a.test/'\n", NULL, "poetry install",
		  "https://a.test/ https://default.test/simple/" },
	};
	struct learning *l = *state;

	learning_ask_rows(l, asks, PMG_ARRAY_LEN(asks));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(no_registry_is_asked_that_poetry_would_not_ask),
		TEST(sources_and_repositories_are_registries),
		TEST(the_folder_that_is_named_is_where_files_are_sought),
		TEST(artifacts_that_documents_name_are_sources),
		TEST(certificates_of_repositories_are_overruled_one_by_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
