#include "pm/managers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "learning.h"

#define DEFAULT "https://default.test/ <- default of bun\n"

static int setup(void **state)
{
	static struct learning l;

	learning_begin(&l, "bun");
	/* It is asked by a script of pmg's own, in a folder that is all of its home. */
	learning_program(&l, "bun",
			 "[ \"$1\" = -e ] || exit 1\n[ \"$HOME\" = \"$PWD\" ] || exit 1\n"
			 "[ \"$BUN_INSTALL\" = \"$PWD\" ] || exit 1\necho https://default.test/");
	*state = &l;
	return 0;
}

static void every_file_and_variable_that_bun_reads_names_registries(void **state)
{
	struct learning *l = *state;
	pmg_auto(facts) struct pmg_facts facts = { 0 };
	pmg_autofree char *got = NULL;

	learning_write(l, "home/project/bunfig.toml",
		       "[install]\nregistry = \"https://fig.test\"\n"
		       "[install.scopes]\nacme = \"https://acme.test/\"\n"
		       "\"@other\" = { token = \"t\", url = \"https://other.test/\" }\n"
		       "[run]\nregistry = \"https://not-read.test\"\n");
	learning_write(l, "home/project/own.toml",
		       "install.registry = {url = 'https://own.test', token = 't'}\n");
	learning_write(l, "home/.bunfig.toml", "[install]\nregistry='https://home.test/'\n");
	learning_write(l, "home/project/.env", "A=b\nNPM_CONFIG_REGISTRY=\"https://dot.test/\"\n");
	learning_write(l, "home/project/.npmrc", "registry=https://npmrc.test/\n");
	pmg_env_set(&l->env, "BUN_CONFIG_REGISTRY", "https://bunenv.test/");
	pmg_env_set(&l->env, "npm_config_registry", "https://npmenv.test/");
	learn_ok(l, "bun add x --registry https://line.test/ --config own.toml", &facts);
	got = learning_registries(l, &facts);
	assert_string_equal(got, "https://line.test/ <- command line\n"
				 "https://bunenv.test/ <- environment BUN_CONFIG_REGISTRY\n"
				 "https://npmenv.test/ <- environment npm_config_registry\n"
				 "https://dot.test/ <- {top}/home/project/.env:2\n"
				 "https://own.test/ <- {top}/home/project/own.toml:1\n"
				 "https://fig.test/ <- {top}/home/project/bunfig.toml:2\n"
				 "https://acme.test/ @acme <- {top}/home/project/bunfig.toml:4\n"
				 "https://other.test/ @other <- {top}/home/project/bunfig.toml:5\n"
				 "https://home.test/ <- {top}/home/.bunfig.toml:2\n"
				 "https://npmrc.test/ <- {top}/home/project/.npmrc:1\n" DEFAULT);
}

static void certificates_of_a_file_end_the_run_with_its_line(void **state)
{
	static const struct {
		const char *file, *text, *msg; /* behind the folder; NULL: fine */
	} rows[] = {
		{ "home/project/bunfig.toml", "[install]\ncafile = \"x.pem\"\n",
		  "/home/project/bunfig.toml:2: with \"cafile\" set here bun cannot be led through "
		  "pmg" },
		{ "home/.bunfig.toml", "[install]\nca = [\"x\"]\n",
		  "/home/.bunfig.toml:2: with \"ca\" set here bun cannot be led through pmg" },
		{ "home/project/.npmrc", "cafile=x.pem\n",
		  "/home/project/.npmrc:1: with \"cafile\" set here bun cannot be led through "
		  "pmg" },
		{ "home/.npmrc", "\nca=x\n",
		  "/home/.npmrc:2: with \"ca\" set here bun cannot be led through pmg" },
		/* no bun reads this one */
		{ "etc/npmrc", "cafile=x.pem\n", NULL },
		{ "home/project/bunfig.toml", "[install]\ncache = false\n[[[\n", NULL },
	};
	struct learning *l = *state;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(facts) struct pmg_facts facts = { 0 };
		struct pmg_err err = PMG_ERR_INIT;
		int r;

		learning_write(l, rows[i].file, rows[i].text);
		r = pmg_bun_learn(learning_place(l, "bun i"), &facts, &err);
		learning_write(l, rows[i].file, "");
		learning_refuses(l, r, &err, rows[i].msg);
	}
}

static void what_follows_a_script_is_the_scripts(void **state)
{
	static const struct {
		const char *line, *left; /* NULL: all */
	} rows[] = {
		{ "bun add x --cafile u", "bun add x" }, { "bun run x --cafile u", NULL },
		{ "bun x y --cafile u", NULL },          { "bun script.ts --cafile u", NULL },
		{ "bun --cwd a run x --ca u", NULL },
	};
	struct learning *l = *state;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(facts) struct pmg_facts facts = { 0 };

		learn_ok(l, rows[i].line, &facts);
		learning_line_is(&facts, rows[i].left ? rows[i].left : rows[i].line);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, learning_teardown)

static void no_registry_is_asked_that_bun_would_not_ask(void **state)
{
	static const struct learning_row asks[] = {
		{ NULL, NULL, NULL, "bun i", "https://default.test/" },
		{ "home/.bunfig.toml", "[install]\nregistry='https://user.test/'\n", NULL, "bun i",
		  "https://user.test/" },
		{ "home/.npmrc", "registry=https://user.test/\n", NULL, "bun i",
		  "https://user.test/" },
		{ NULL, NULL, "BUN_CONFIG_REGISTRY=https://env.test/", "bun i",
		  "https://env.test/" },
		/* Within walls it is closed to bun. */
		{ "home/project/.env", "BUN_CONFIG_REGISTRY=https://dot.test/\n", NULL, "bun i",
		  "https://dot.test/ https://default.test/" },
	};
	struct learning *l = *state;

	learning_ask_rows(l, asks, PMG_ARRAY_LEN(asks));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(no_registry_is_asked_that_bun_would_not_ask),
		TEST(every_file_and_variable_that_bun_reads_names_registries),
		TEST(certificates_of_a_file_end_the_run_with_its_line),
		TEST(what_follows_a_script_is_the_scripts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
