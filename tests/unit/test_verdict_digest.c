#include "verdict/digest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../helper/records.h"
#include "base/str.h"

/* Of "abc": FIPS 180-4, examples. */
static const struct {
	const char *text;
	int r;
	enum pmg_digest_alg alg;
	const char *hex;
} sris[] = {
	{ "sha512-" ABC512_BASE64, 0, PMG_DIGEST_SHA512, ABC512 },
	{ "sha256-" ABC256_BASE64, 0, PMG_DIGEST_SHA256, ABC256 },
	{ "  sha1-qZk+NkcGgWq6PiVxeFDCbJzQ2J0=\tsha256-" ABC256_BASE64 "?x=y\n", 0,
	  PMG_DIGEST_SHA256, ABC256 },
	{ "sha256-" ABC256_BASE64 " sha512-" ABC512_BASE64, 0, PMG_DIGEST_SHA512, ABC512 },
	{ "", -PMG_E_NOTFOUND, 0, NULL },
	{ "sha1-qZk+NkcGgWq6PiVxeFDCbJzQ2J0=", -PMG_E_NOTFOUND, 0, NULL },
	{ "SHA512-" ABC512_BASE64, -PMG_E_NOTFOUND, 0, NULL },
	{ "sha512-", -PMG_E_PARSE, 0, NULL },
	{ "sha512-" ABC256_BASE64, -PMG_E_PARSE, 0, NULL },
	{ "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0", -PMG_E_PARSE, 0, NULL },
	{ "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa1=", -PMG_E_PARSE, 0, NULL },
	{ "sha256-ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0=", -PMG_E_PARSE, 0, NULL },
	{ "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAF===", -PMG_E_PARSE, 0, NULL },
	{ "sha512-x sha256-" ABC256_BASE64, -PMG_E_PARSE, 0, NULL },
};

static void integrity_is_read_as_the_specification_says(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(sris); i++) {
		struct pmg_digest digest = { 0 };
		struct pmg_err err = PMG_ERR_INIT;
		pmg_autofree char *hex = NULL;

		if (pmg_digest_sri(sris[i].text, &digest, &err) != sris[i].r)
			fail_msg("\"%s\": %s", sris[i].text, err.msg);
		assert_int_equal(digest.alg, sris[i].alg);
		if (!sris[i].hex)
			continue;
		hex = pmg_hex(digest.bytes, pmg_digest_len(digest.alg));
		assert_string_equal(hex, sris[i].hex);
	}
}

static const struct {
	enum pmg_digest_alg alg;
	const char *text;
	bool ok;
} hexes[] = {
	{ PMG_DIGEST_SHA256, ABC256, true },
	{ PMG_DIGEST_SHA512, ABC512, true },
	{ PMG_DIGEST_SHA256, "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD",
	  true },
	{ PMG_DIGEST_SHA512, ABC256, false },
	{ PMG_DIGEST_SHA256, ABC256 "0", false },
	{ PMG_DIGEST_SHA256, "", false },
	{ PMG_DIGEST_SHA256, "ga7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
	  false },
	{ 0, "", false },
	{ 7, ABC256, false },
};

static void hexadecimal_is_read_by_its_length(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(hexes); i++) {
		struct pmg_digest digest = { 0 };
		struct pmg_err err = PMG_ERR_INIT;
		int r = pmg_digest_hex(hexes[i].alg, hexes[i].text, &digest, &err);

		assert_int_equal(r, hexes[i].ok ? 0 : -PMG_E_PARSE);
		assert_int_equal(digest.bytes[0] != 0, hexes[i].ok);
		if (hexes[i].ok)
			assert_int_equal(strlen(hexes[i].text), 2 * pmg_digest_len(hexes[i].alg));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integrity_is_read_as_the_specification_says),
		cmocka_unit_test(hexadecimal_is_read_by_its_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
