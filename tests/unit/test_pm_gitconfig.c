#include "pm/gitconfig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "learning.h"

static int setup(void **state)
{
	static struct learning l;
	static const char *const names[] = { "a.pem", "b.pem", "home/h.pem", "home/project/p.pem",
					     "dir/x" };
	size_t i;

	learning_begin(&l, "npm");
	for (i = 0; i < PMG_ARRAY_LEN(names); i++)
		learning_write(&l, names[i], "-----BEGIN CERTIFICATE-----\n");
	pmg_env_set(&l.env, "GIT_CONFIG_NOSYSTEM", "1");
	*state = &l;
	return 0;
}

static int teardown(void **state)
{
	learning_end(*state);
	return 0;
}

static char *words(const struct pmg_strv *list)
{
	pmg_auto(str) struct pmg_str text = PMG_STR_INIT(65536);
	size_t i;

	for (i = 0; i < list->n; i++)
		assert_int_equal(pmg_str_addf(&text, "%s%s", i ? " " : "", list->v[i]), 0);
	return pmg_str_steal(&text);
}

/* What was found, in words that learning_text() understands. */
static void expect(struct learning *l, const char *files, const char *dirs, size_t warnings)
{
	pmg_auto(facts) struct pmg_facts facts = { 0 };
	pmg_autofree char *want_files = learning_text(l, files);
	pmg_autofree char *want_dirs = learning_text(l, dirs);
	pmg_autofree char *got_files = NULL;
	pmg_autofree char *got_dirs = NULL;

	pmg_gitconfig_certificates(learning_place(l, "npm i"), &facts);
	got_files = words(&facts.ca_files);
	got_dirs = words(&facts.ca_dirs);
	assert_string_equal(got_files, want_files);
	assert_string_equal(got_dirs, want_dirs);
	assert_int_equal(facts.warnings.n, warnings);
}

static void the_users_lines_are_read_as_git_reads_them(void **state)
{
	static const struct {
		const char *text;
		const char *files;
		const char *dirs;
		size_t warnings;
	} rows[] = {
		{ "", "", "", 0 },
		{ "[http]\n\tsslCAInfo = {top}/a.pem\n", "{top}/a.pem", "", 0 },
		{ "[HTTP]\nsslcainfo={top}/a.pem\n", "{top}/a.pem", "", 0 },
		{ "[http]\n\tsslCAInfo = \"{top}/a.pem\" \n", "{top}/a.pem", "", 0 },
		{ "[http]\n\tsslCAInfo = {top}/a.pem # ours\n", "{top}/a.pem", "", 0 },
		{ "[http]\n\tsslCAInfo = ~/h.pem\n", "{home}/h.pem", "", 0 },
		{ "[http]\n\tsslCAInfo = p.pem\n", "{project}/p.pem", "", 0 },
		{ "[http]\n\tsslCAPath = {top}/dir\n", "", "{top}/dir", 0 },
		{ "[http \"https://git.test\"]\n\tsslCAInfo = {top}/a.pem\n"
		  "[http \"https://b.test/x\"]\n\tsslCAInfo = {top}/b.pem\n",
		  "{top}/a.pem {top}/b.pem", "", 0 },
		{ "[http]\n\tsslCAInfo = {top}/none.pem\n", "", "", 1 },
		{ "[http]\n\tsslCAInfo =\n\tsslCAInfo\n", "", "", 1 }, /* "true" is no file */
		{ "[https]\n\tsslCAInfo = {top}/a.pem\n", "", "", 0 },
		{ "[user]\n\tsslCAInfo = {top}/a.pem\n", "", "", 0 },
		{ "sslCAInfo = {top}/a.pem\n", "", "", 0 },
		{ "[http]\n\tsslCert = {top}/a.pem\n\tsslVerify = false\n", "", "", 0 },
	};
	struct learning *l = *state;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		learning_write(l, "home/.gitconfig", rows[i].text);
		expect(l, rows[i].files, rows[i].dirs, rows[i].warnings);
	}
}

static void each_place_that_git_looks_at_counts(void **state)
{
	struct learning *l = *state;
	pmg_autofree char *other = pmg_path_join(l->top, "other");
	pmg_autofree char *system = pmg_path_join(l->top, "system");

	expect(l, "", "", 0);
	learning_write(l, "home/.gitconfig", "[http]\nsslCAInfo = {top}/a.pem\n");
	learning_write(l, "home/.config/git/config", "[http]\nsslCAInfo = {top}/b.pem\n");
	learning_write(l, "xdg/git/config", "[http]\nsslCAInfo = ~/h.pem\n");
	learning_write(l, "other", "[http]\nsslCAInfo = p.pem\n");
	learning_write(l, "system", "[http]\nsslCAInfo = {top}/b.pem\n");
	expect(l, "{top}/b.pem {top}/a.pem", "", 0);
	pmg_strv_addf(&l->env, "XDG_CONFIG_HOME=%s/xdg", l->top);
	expect(l, "{home}/h.pem {top}/a.pem", "", 0);
	pmg_env_set(&l->env, "GIT_CONFIG_SYSTEM", system);
	expect(l, "{home}/h.pem {top}/a.pem", "", 0);
	pmg_env_set(&l->env, "GIT_CONFIG_NOSYSTEM", "0");
	expect(l, "{top}/b.pem {home}/h.pem {top}/a.pem", "", 0);
	pmg_env_set(&l->env, "GIT_CONFIG_GLOBAL", other);
	expect(l, "{top}/b.pem {project}/p.pem", "", 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_users_lines_are_read_as_git_reads_them),
		TEST(each_place_that_git_looks_at_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
