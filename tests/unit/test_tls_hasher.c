#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/str.h"
#include "tls/hasher.h"

/* FIPS 180-4, the examples of NIST for "abc". */
static void what_comes_in_pieces_has_the_digest_of_the_whole(void **state)
{
	static const struct {
		unsigned bits;
		const char *hex;
	} rows[] = {
		{ 256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
		{ 512, "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
		       "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f" },
	};
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(hasher) struct pmg_hasher *hasher = NULL;
		unsigned char digest[PMG_HASHER_MAX];
		pmg_autofree char *hex = NULL;

		assert_int_equal(pmg_hasher_new(rows[i].bits, &hasher, &err), 0);
		assert_int_equal(pmg_hasher_add(hasher, "a", 1, &err), 0);
		assert_int_equal(pmg_hasher_add(hasher, "", 0, &err), 0);
		assert_int_equal(pmg_hasher_add(hasher, "bc", 2, &err), 0);
		assert_int_equal(pmg_hasher_end(hasher, digest, &err), 0);
		hex = pmg_hex(digest, rows[i].bits / 8);
		assert_string_equal(hex, rows[i].hex);
	}
	pmg_hasher_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_comes_in_pieces_has_the_digest_of_the_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
