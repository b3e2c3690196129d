#include "conf/ini.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"

struct row {
	const char *text;
	const char *entries; /* "section|key|value|line;" of each */
};

/* What npm's own package `ini` makes of these lines. */
static const struct row npm[] = {
	{ "a=b\n", "|a|b|1;" },
	{ "a = b ; c\n", "|a|b|1;" },
	{ "a=b#c\n", "|a|b|1;" },
	{ "a=\"b # c\"\n", "|a|b # c|1;" },
	{ "a='b c'\n", "|a|b c|1;" },
	{ "a='\"b\"'\n", "|a|b|1;" },
	{ "a=\"x\\u0041\"\n", "|a|xA|1;" },
	{ "a=b\\;c\n", "|a|b;c|1;" },
	{ "a=b\\\\\n", "|a|b\\|1;" },
	{ "a=b\\x\n", "|a|b\\x|1;" },
	{ "[sec] \nk=v\n", "sec|k|v|2;" },
	{ "[a] x=1\n", "|[a] x|1|1;" },
	{ "x[]=1\nx[]=2\n", "|x|1|1;|x|2|2;" },
	{ "'q'=1\n", "|q|1|1;" },
	{ "noval\n", "|noval|true|1;" },
	{ "=x\n\n ; c\n# d\n", "" },
	{ "a==b\n", "|a|=b|1;" },
	{ "a=\"b\n", "|a|\"b|1;" },
	{ "a=1\rb=2\r\nc=3", "|a|1|1;|b|2|2;|c|3|3;" },
	{ "\xef\xbb\xbf@acme:registry = https://registry.test/ \n",
	  "|@acme:registry|https://registry.test/|1;" },
	{ "//registry.test/:_authToken=${TOKEN}\n", "|//registry.test/:_authToken|${TOKEN}|1;" },
};

static const struct row python[] = {
	{ "[global]\nindex-url = https://registry.test/simple\n",
	  "global|index-url|https://registry.test/simple|2;" },
	{ "[global]\nIndex_URL: x\n", "global|index-url|x|2;" },
	{ "[global]\nextra-index-url =\n    a\n    b\n\n    c\n",
	  "global|extra-index-url|\na\nb\nc|2;" },
	{ "[global]\na = 1 ; no comment\n", "global|a|1 ; no comment|2;" },
	{ "# c\n[a]\n; c\nx = 1\n   # c\n  y\n[b]\nx = 2\n", "a|x|1\ny|4;b|x|2|8;" },
	{ "[a]\nx = 1\ny = 2\n", "a|x|1|2;a|y|2|3;" },
	{ "[a]\n  x = 1\n  y = 2\n", "a|x|1|2;a|y|2|3;" },
	{ "[a]\nno delimiter\n= x\n", "" },
	{ "[a]\r\nx = 1\r\n", "a|x|1|2;" },
};

static void check(enum pmg_ini_dialect dialect, const struct row *rows, size_t n)
{
	struct pmg_err err = PMG_ERR_INIT;
	size_t i, k;

	for (i = 0; i < n; i++) {
		pmg_auto(str) struct pmg_str got = PMG_STR_INIT(4096);
		pmg_auto(ini) struct pmg_ini ini = { 0 };

		assert_int_equal(
			pmg_ini_parse(dialect, "f", rows[i].text, strlen(rows[i].text), &ini, &err),
			0);
		for (k = 0; k < ini.n; k++)
			assert_int_equal(pmg_str_addf(&got, "%s|%s|%s|%u;", ini.entries[k].section,
						      ini.entries[k].key, ini.entries[k].value,
						      ini.entries[k].line),
					 0);
		assert_string_equal(got.s ? got.s : "", rows[i].entries);
	}
}

static void npmrc_is_read_as_npm_reads_it(void **state)
{
	(void)state;
	check(PMG_INI_NPMRC, npm, PMG_ARRAY_LEN(npm));
}

static void pip_conf_is_read_as_python_reads_it(void **state)
{
	(void)state;
	check(PMG_INI_PYTHON, python, PMG_ARRAY_LEN(python));
}

static const struct {
	const char *text;
	const char *value;
} expansions[] = {
	{ "plain", "plain" },       { "${X}", "xx" },
	{ "a${X}b${X}", "axxbxx" }, { "${NONE}", "${NONE}" },
	{ "${NONE?}", "" },         { "${X?}", "xx" },
	{ "${NONE-word}", "word" }, { "${NONE:-word}", "word" },
	{ "${EMPTY-word}", "" },    { "${EMPTY:-word}", "word" },
	{ "${X:-word}", "xx" },     { "\\${X}", "${X}" },
	{ "\\\\${X}", "\\xx" },     { "\\\\\\${X}", "\\${X}" },
	{ "\\n$X", "\\n$X" },       { "${X", "${X" },
	{ "${}", "${}" },           { "a\\", "a\\" },
};

static void variables_are_put_in_as_npm_does(void **state)
{
	pmg_auto(strv) struct pmg_strv env = { 0 };
	size_t i;

	(void)state;
	pmg_strv_add(&env, "X=xx");
	pmg_strv_add(&env, "EMPTY=");
	for (i = 0; i < PMG_ARRAY_LEN(expansions); i++) {
		pmg_autofree char *got = pmg_ini_expand(expansions[i].text, &env);

		assert_string_equal(got, expansions[i].value);
	}
}

static void size_and_count_have_limits(void **state)
{
	pmg_auto(str) struct pmg_str many = PMG_STR_INIT(PMG_INI_TEXT_MAX);
	struct pmg_err err = PMG_ERR_INIT;
	struct pmg_ini ini = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i <= PMG_INI_ENTRIES_MAX; i++)
		assert_int_equal(pmg_str_adds(&many, "a=1\n"), 0);
	assert_int_equal(pmg_ini_parse(PMG_INI_NPMRC, "f", many.s, many.len, &ini, &err),
			 -PMG_E_LIMIT);
	assert_string_equal(err.msg, "f: more than 16384 entries");
	assert_int_equal(
		pmg_ini_parse(PMG_INI_NPMRC, "f", many.s, PMG_INI_TEXT_MAX + 1, &ini, &err),
		-PMG_E_LIMIT);
	assert_string_equal(err.msg, "f: larger than 1048576 bytes");
	assert_null(ini.entries);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(npmrc_is_read_as_npm_reads_it),
		cmocka_unit_test(pip_conf_is_read_as_python_reads_it),
		cmocka_unit_test(variables_are_put_in_as_npm_does),
		cmocka_unit_test(size_and_count_have_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
