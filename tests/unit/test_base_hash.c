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

/* Fowler, Noll, Vo: "The FNV Non-Cryptographic Hash Algorithm", appendix C. */
static void fnv1a_follows_its_test_vectors(void **state)
{
	static const struct {
		const char *text;
		uint32_t h;
	} rows[] = { { "", 0x811c9dc5 }, { "a", 0xe40c292c }, { "foobar", 0xbf9cf968 } };
	uint32_t h;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
		assert_int_equal(pmg_fnv1a(PMG_FNV1A_INIT, rows[i].text, strlen(rows[i].text)),
				 rows[i].h);
	h = pmg_fnv1a(PMG_FNV1A_INIT, "foo", 3);
	assert_int_equal(pmg_fnv1a(h, "bar", 3), 0xbf9cf968);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sha256_follows_its_test_vectors),
		cmocka_unit_test(fnv1a_follows_its_test_vectors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
