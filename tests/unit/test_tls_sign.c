#include "tls/sign.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "tests/helper/signing.h"

/* RFC 8032, 7.1, "TEST 1": the empty message. */
static const char rfc_signature[] =
	"e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701c"
	"f9b46bd25bf5f0595bbe24655141438e7a100b";

static struct pmg_sign_key *key_of(const char *pem)
{
	struct pmg_sign_key *key = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(pmg_sign_key_read("key", pem, strlen(pem), &key, &err), 0);
	return key;
}

static void the_vector_of_the_standard_holds(void **state)
{
	pmg_auto(sign_key) struct pmg_sign_key *key = key_of(SIGN_KEY);
	unsigned char signature[PMG_SIGNATURE_LEN];
	struct pmg_pubkey own, read;
	pmg_autofree char *hex = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_sign(key, "", 0, signature, &err), 0);
	hex = pmg_hex(signature, sizeof signature);
	assert_string_equal(hex, rfc_signature);
	pmg_sign_public(key, &own);
	assert_int_equal(pmg_pubkey_read("k", SIGN_PUBLIC, &read, &err), 0);
	assert_memory_equal(&own, &read, sizeof own);
	assert_int_equal(strlen(own.id), 16);
	assert_int_equal(pmg_verify(&read, "", 0, signature, &err), 0);
}

static void a_changed_byte_is_no_signature(void **state)
{
	static const char text[] = "file intel.db";
	pmg_auto(sign_key) struct pmg_sign_key *key = key_of(SIGN_KEY);
	pmg_auto(sign_key) struct pmg_sign_key *other = key_of(SIGN_OTHER);
	unsigned char signature[PMG_SIGNATURE_LEN];
	struct pmg_pubkey own, another;
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	pmg_sign_public(key, &own);
	pmg_sign_public(other, &another);
	assert_int_equal(pmg_sign(key, text, sizeof text, signature, &err), 0);
	assert_int_equal(pmg_verify(&own, text, sizeof text, signature, &err), 0);
	assert_int_equal(pmg_verify(&own, text, sizeof text - 1, signature, &err), -PMG_E_TLS);
	assert_int_equal(pmg_verify(&another, text, sizeof text, signature, &err), -PMG_E_TLS);
	for (i = 0; i < sizeof signature; i++) {
		signature[i] ^= 1;
		assert_int_equal(pmg_verify(&own, text, sizeof text, signature, &err), -PMG_E_TLS);
		signature[i] ^= 1;
	}
}

static void a_public_key_is_read_in_three_shapes(void **state)
{
	static const char *const shapes[] = {
		SIGN_PUBLIC,
		SIGN_PUBLIC_SPKI,
		" " SIGN_PUBLIC "\n",
		"-----BEGIN PUBLIC KEY-----\n" SIGN_PUBLIC_SPKI "\n-----END PUBLIC KEY-----\n",
	};
	static const char *const bad[] = {
		"",
		"AAAA",
		SIGN_PUBLIC "AAAA",
		"-----BEGIN PUBLIC KEY-----\n" SIGN_PUBLIC_SPKI,
		"MCowBQYDK2VuAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=", /* X25519 */
		"11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURp=", /* bits behind its end */
		SIGN_KEY,
	};
	struct pmg_pubkey first, next;
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	assert_int_equal(pmg_pubkey_read("k", shapes[0], &first, &err), 0);
	for (i = 1; i < PMG_ARRAY_LEN(shapes); i++) {
		assert_int_equal(pmg_pubkey_read("k", shapes[i], &next, &err), 0);
		assert_memory_equal(&first, &next, sizeof first);
	}
	for (i = 0; i < PMG_ARRAY_LEN(bad); i++)
		if (pmg_pubkey_read("k", bad[i], &next, &err) != -PMG_E_PARSE)
			fail_msg("row %zu is a key", i);
}

static void another_kind_of_key_or_one_with_a_password_is_none(void **state)
{
	static const char *const bad[] = {
		"",
		"no key",
		SIGN_BEGIN "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgriEw8D3jfMBsngOT\n"
			   "9uz721UHvCQWcwd0PbXMdT9R7MKhRANCAASlFahFtBVxtI9gqeADVEDRIhdgL1i5\n"
			   "4sno0yjT7FdXYyeM3RvOq3kTcAVOsutLaEKu4QFHNuGTMJgMZxm3WOqC" SIGN_END,
		"-----BEGIN ENCRYPTED PRIVATE KEY-----\n"
		"MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAj72hWQGqdGbAICCAAw\n"
		"DAYIKoZIhvcNAgkFADAdBglghkgBZQMEAQIEEOisV3/dcyHLKRBuCycrupsEQA4Y\n"
		"wkYF+ZU4gghYGDtVvbmROR+5Su3/yQKC/y2lDM0x/LtQGUDMbccngnJ5VnK9jHdS\n"
		"AVG08kyxTwvav+t8JJY=\n-----END ENCRYPTED PRIVATE KEY-----\n",
	};
	struct pmg_sign_key *key = NULL;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(bad); i++) {
		struct pmg_err err = PMG_ERR_INIT;

		assert_int_equal(pmg_sign_key_read("file", bad[i], strlen(bad[i]), &key, &err),
				 -PMG_E_PARSE);
		assert_null(key);
		assert_non_null(strstr(err.msg, "file: not a private key"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_vector_of_the_standard_holds),
		cmocka_unit_test(a_changed_byte_is_no_signature),
		cmocka_unit_test(a_public_key_is_read_in_three_shapes),
		cmocka_unit_test(another_kind_of_key_or_one_with_a_password_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
