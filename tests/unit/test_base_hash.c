#include "base/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* FIPS 180-4, examples of SHA-256. */
static void sha256_follows_its_test_vectors(void **state)
{
	static const struct {
		const char *text, *hex;
	} rows[] = {
		{ "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
		{ "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
		{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
	};
	char hex[PMG_SHA256_HEX];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		pmg_sha256_hex(rows[i].text, strlen(rows[i].text), hex);
		assert_string_equal(hex, rows[i].hex);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sha256_follows_its_test_vectors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
