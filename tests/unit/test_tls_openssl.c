#include "tls/openssl_priv.h"

#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <openssl/err.h>

static void the_newest_reason_is_told_and_the_queue_is_empty(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	ERR_raise(ERR_LIB_SSL, SSL_R_NO_SHARED_CIPHER);
	ERR_raise(ERR_LIB_SSL, SSL_R_HTTP_REQUEST);
	assert_int_equal(pmg_tls_fail(&err, "shake hands"), -PMG_E_TLS);
	assert_string_equal(err.msg, "shake hands: http request");
	assert_int_equal(ERR_peek_error(), 0);
}

static void without_a_reason_it_says_so(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	ERR_clear_error();
	assert_int_equal(pmg_tls_fail(&err, "shake hands"), -PMG_E_TLS);
	assert_string_equal(err.msg, "shake hands: unknown reason");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_newest_reason_is_told_and_the_queue_is_empty),
		cmocka_unit_test(without_a_reason_it_says_so),
	};

	(void)OPENSSL_init_ssl(OPENSSL_INIT_LOAD_SSL_STRINGS, NULL); /* its words */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
