#include "pm/args.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "base/strv.h"

static const char flags[] = "global json save-dev version";
static const char maybes[] = "color";
static const char values[] = "loglevel prefix proxy registry workspace";
static const char recent[] = "omit";
static const struct pmg_arg_short shorts[] = {
	{ "g", "global", NULL },     { "D", "save-dev", NULL },
	{ "C", "prefix", NULL },     { "w", "workspace", NULL },
	{ "d", "loglevel", "info" }, { "reg", "registry", NULL },
	{ "i", "registry", NULL },   { 0 },
};
static const struct pmg_arg_table nopt = { .flags = flags,
					   .maybes = maybes,
					   .values = values,
					   .recent = recent,
					   .shorts = shorts,
					   .nopt = true };
static const struct pmg_arg_table optparse = { .flags = flags, .values = values, .shorts = shorts };

struct row {
	const char *line; /* words behind the program */
	const char *seen; /* "operand", "name=value", "name"; "?" before what is not sure, "!"
			     negated */
};

static const struct row nopt_rows[] = {
	{ "install x", "install x" },
	{ "--json install", "json install" },
	{ "-g install", "global install" },
	{ "-gD install", "save-dev install" },
	{ "-w a install", "workspace=a install" },
	{ "-C dir install", "prefix=dir install" },
	{ "--omit a install", "?omit=a install" },
	{ "--omit=a install", "omit=a install" },
	{ "-gw a install", "?workspace=a install" },
	{ "-wg a install", "?global a install" },
	{ "--prefix a install", "prefix=a install" },
	{ "--prefix=a install", "prefix=a install" },
	{ "-prefix a install", "prefix=a install" },
	{ "---prefix a", "prefix=a" },
	{ "-d ls", "loglevel=info ls" },
	{ "--reg=u ls", "registry=u ls" },
	{ "--regis u ls", "?registry=u ls" },
	{ "--prox u", "?proxy=u" },
	{ "--pr u", "?pr u" },
	{ "--no-json ls", "!json ls" },
	{ "--no-proxy ls", "?!proxy ls" },
	{ "--no-no-json ls", "?json ls" },
	{ "--json false ls", "?json=false ls" },
	{ "--json=false ls", "json=false ls" },
	{ "--json=install ls", "?json=install ls" },
	{ "--color ls", "?color=ls" },
	{ "--color --json", "?color json" },
	{ "--color=always ls", "?color=always ls" },
	{ "--weird ls", "?weird ls" },
	{ "--weird=x ls", "?weird=x ls" },
	{ "--@acme:registry=u i", "?@acme:registry=u i" },
	{ "--prefix --json ls", "?prefix json ls" },
	{ "--prefix", "prefix" },
	{ "x -- --json -g", "x --json -g" },
	{ "-- x", "x" },
	{ "--- x", "x" },
	{ "- x", "- x" },
	{ "--", "" },
	{ "", "" },
};

static const struct row optparse_rows[] = {
	{ "install -i u x", "install registry=u x" },
	{ "install -iu x", "install registry=u x" },
	{ "install -gi u x", "install registry=u x" },
	{ "install -gD x", "install save-dev x" },
	{ "install -gz x", "install ?z x" },
	{ "--proxy u ls", "proxy=u ls" },
	{ "--prox=u ls", "?proxy=u ls" },
	{ "--prox u ls", "?proxy=u ls" },
	{ "--json false", "json false" },
	{ "--proxy -x", "?proxy=-x" },
	{ "--no-proxy u", "?no-proxy u" },
	{ "--- x", "?- x" },
	{ "-- --json", "--json" },
	{ "- x", "- x" },
};

static void check(const struct pmg_arg_table *table, const struct row *rows, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		pmg_autofree char *line = pmg_xasprintf("tool %s", rows[i].line);
		pmg_auto(str) struct pmg_str got = PMG_STR_INIT(4096);
		pmg_auto(strv) struct pmg_strv words = { 0 };
		pmg_auto(args) struct pmg_args args = { .table = table };
		struct pmg_arg arg;
		char *word, *save = NULL;

		for (word = strtok_r(line, " ", &save); word; word = strtok_r(NULL, " ", &save))
			pmg_strv_add(&words, word);
		args.argv = pmg_strv_argv(&words);
		while (pmg_args_next(&args, &arg)) {
			assert_true(arg.first + arg.n <= words.n);
			if (got.len > 0)
				assert_int_equal(pmg_str_adds(&got, " "), 0);
			if (arg.kind == PMG_ARG_OPERAND)
				assert_int_equal(pmg_str_adds(&got, arg.value), 0);
			else
				assert_int_equal(pmg_str_addf(&got, "%s%s%s%s%s",
							      arg.sure ? "" : "?",
							      arg.negated ? "!" : "", arg.name,
							      arg.value ? "=" : "",
							      arg.value ? arg.value : ""),
						 0);
		}
		assert_string_equal(got.s ? got.s : "", rows[i].seen);
	}
}

static void npm_lines_are_read_as_nopt_does(void **state)
{
	(void)state;
	check(&nopt, nopt_rows, PMG_ARRAY_LEN(nopt_rows));
}

static void pip_lines_are_read_as_optparse_does(void **state)
{
	(void)state;
	check(&optparse, optparse_rows, PMG_ARRAY_LEN(optparse_rows));
}

static void behind_the_first_operand_all_may_belong_to_a_script(void **state)
{
	char tool[] = "npx", a[] = "-w", b[] = "x", c[] = "prog", d[] = "--proxy", e[] = "u";
	char *argv[] = { tool, a, b, c, d, e, NULL };
	pmg_auto(args) struct pmg_args args = { .table = &nopt,
						.argv = argv,
						.stop_at_first = true };
	struct pmg_arg arg;

	(void)state;
	assert_true(pmg_args_next(&args, &arg));
	assert_string_equal(arg.name, "workspace");
	assert_int_equal(arg.first, 1);
	assert_int_equal(arg.n, 2);
	assert_true(pmg_args_next(&args, &arg));
	assert_string_equal(arg.value, "prog");
	assert_true(pmg_args_next(&args, &arg));
	assert_int_equal(arg.kind, PMG_ARG_OPERAND);
	assert_string_equal(arg.value, "--proxy");
	assert_true(pmg_args_next(&args, &arg));
	assert_false(pmg_args_next(&args, &arg));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(npm_lines_are_read_as_nopt_does),
		cmocka_unit_test(pip_lines_are_read_as_optparse_does),
		cmocka_unit_test(behind_the_first_operand_all_may_belong_to_a_script),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
