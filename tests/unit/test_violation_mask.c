#include "violation/mask.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"

static const struct {
	const char *in[5];
	const char *out[5];
} rows[] = {
	{ { "npm", "install", "express" }, { "npm", "install", "express" } },
	{ { "npm", "install", "auth", "x" }, { "npm", "install", "auth", "x" } },
	{ { "npm", "publish", "--otp", "123456" }, { "npm", "publish", "--otp", "***" } },
	{ { "npm", "publish", "--otp=123456" }, { "npm", "publish", "--otp=***" } },
	{ { "npm", "--//registry.test/:_authToken=abc" },
	  { "npm", "--//registry.test/:_authToken=***" } },
	{ { "npm", "config", "set", "//registry.test/:_authToken", "abc" },
	  { "npm", "config", "set", "//registry.test/:_authToken", "***" } },
	{ { "npm", "config", "set", "//registry.test/:_password=abc" },
	  { "npm", "config", "set", "//registry.test/:_password=***" } },
	{ { "npm", "--Token", "--json" }, { "npm", "--Token", "--json" } },
	{ { "pip", "install", "-i", "https://u:pw@pypi.test/simple" },
	  { "pip", "install", "-i", "https://***@pypi.test/simple" } },
	{ { "pip", "--index-url=https://u:p@w@pypi.test/simple?key=1#a" },
	  { "pip", "--index-url=https://***@pypi.test/simple?***" } },
	{ { "npm", "i", "git+ssh://git@h.test:22/a@b.git" },
	  { "npm", "i", "git+ssh://***@h.test:22/a@b.git" } },
	{ { "pip", "install", "x @ https://t@h.test/x.whl and https://u:p@h.test" },
	  { "pip", "install", "x @ https://***@h.test/x.whl and https://***@h.test" } },
	{ { "npm", "i", "https://h.test\\@evil:x@y/" }, { "npm", "i", "https://***@y/" } },
	{ { "npm", "i", "https://m.test/https://u:p@h.test/x?a=https://u:p@h" },
	  { "npm", "i", "https://m.test/https://***@h.test/x?***" } },
	{ { "npm", "i", "x@https://h.test/@a/b#c" }, { "npm", "i", "x@https://h.test/@a/b#c" } },
};

static void secrets_are_masked_and_the_rest_is_kept(void **state)
{
	size_t i, k;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		char *argv[6] = { NULL };
		pmg_auto(strv) struct pmg_strv out = { 0 };

		for (k = 0; k < 5 && rows[i].in[k]; k++)
			argv[k] = (char *)(uintptr_t)rows[i].in[k];
		pmg_mask_argv(argv, &out);
		assert_int_equal(out.n, k);
		for (k = 0; k < out.n; k++)
			assert_string_equal(out.v[k], rows[i].out[k]);
	}
}

static void long_lines_are_cut(void **state)
{
	char *argv[PMG_MASK_ARGS + 3] = { NULL };
	pmg_autofree char *big = pmg_xcalloc(1, 5000);
	pmg_auto(strv) struct pmg_strv out = { 0 };
	size_t i;

	(void)state;
	memset(big, 'x', 4999);
	for (i = 0; i < PMG_MASK_ARGS + 2; i++)
		argv[i] = big;
	pmg_mask_argv(argv, &out);
	assert_int_equal(out.n, PMG_MASK_ARGS + 1);
	assert_string_equal(out.v[PMG_MASK_ARGS], "...");
	assert_int_equal(strlen(out.v[0]), PMG_MASK_ARG_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(secrets_are_masked_and_the_rest_is_kept),
		cmocka_unit_test(long_lines_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
