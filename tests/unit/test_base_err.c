#include "base/err.h"

#include <errno.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void setting_returns_the_negated_code_and_names_errno(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_err_set(&err, PMG_E_SYS, ENOENT, "open %s", "/x"), -PMG_E_SYS);
	assert_string_equal(err.msg, "open /x: No such file or directory");
	assert_int_equal(err.errnum, ENOENT);
	assert_string_equal(err.hint, "");
}

static void wrapping_puts_context_in_front(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	(void)pmg_err_set(&err, PMG_E_CONFIG, 0, "a:1:2: no");
	assert_int_equal(pmg_err_wrap(&err, "profile %s", "npm"), -PMG_E_CONFIG);
	assert_string_equal(err.msg, "profile npm: a:1:2: no");
}

static void long_text_is_cut_not_overrun(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;
	char big[2000];

	(void)state;
	memset(big, 'x', sizeof big - 1);
	big[sizeof big - 1] = '\0';
	(void)pmg_err_set(&err, PMG_E_PARSE, EIO, "%s", big);
	assert_int_equal(strlen(err.msg), sizeof err.msg - 1);
	(void)pmg_err_wrap(&err, "%s", big);
	assert_int_equal(strlen(err.msg), sizeof err.msg - 1);
}

static void hint_and_number_last_until_the_next_error(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;
	char text[PMG_DIAG_LEN];

	(void)state;
	(void)pmg_err_set(&err, PMG_E_TLS, 0, "no");
	assert_int_equal(pmg_err_hint(&err, "first"), -PMG_E_TLS);
	assert_int_equal(pmg_err_hint(&err, "try %d", 2), -PMG_E_TLS);
	assert_int_equal(pmg_err_diag(&err, 4001), -PMG_E_TLS);
	assert_string_equal(err.hint, "try 2");
	pmg_diag_text(err.diag, text);
	assert_string_equal(text, "PMG4001");
	(void)pmg_err_set(&err, PMG_E_SYS, 0, "other");
	assert_string_equal(err.hint, "");
	assert_int_equal(err.diag, 0);
}

static void what_counts_as_another_code_says_the_same(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	(void)pmg_err_set(&err, PMG_E_NOTFOUND, ENOENT, "no profile x");
	(void)pmg_err_hint(&err, "y?");
	(void)pmg_err_diag(&err, 2106);
	assert_int_equal(pmg_err_as(&err, PMG_E_USAGE), -PMG_E_USAGE);
	assert_int_equal(err.code, PMG_E_USAGE);
	assert_string_equal(err.msg, "no profile x: No such file or directory");
	assert_string_equal(err.hint, "y?");
	assert_int_equal(err.diag, 2106);
}

static void every_code_has_an_exit_status(void **state)
{
	int code, exit;

	(void)state;
	for (code = 1; code < PMG_E_MAX; code++) {
		exit = pmg_code_exit((enum pmg_code)code);
		assert_true(exit == 120 || exit == 121 || exit == 125);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(setting_returns_the_negated_code_and_names_errno),
		cmocka_unit_test(wrapping_puts_context_in_front),
		cmocka_unit_test(long_text_is_cut_not_overrun),
		cmocka_unit_test(hint_and_number_last_until_the_next_error),
		cmocka_unit_test(what_counts_as_another_code_says_the_same),
		cmocka_unit_test(every_code_has_an_exit_status),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
