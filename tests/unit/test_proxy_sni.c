#include "proxy/sni.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"

#define BYTES(literal) (literal), sizeof(literal) - 1

/* A ClientHello with these extensions, in records of at most `cut` bytes. */
static void hello(struct pmg_str *out, const char *extensions, size_t len, size_t cut)
{
	pmg_auto(str) struct pmg_str body = PMG_STR_INIT(100000);
	pmg_auto(str) struct pmg_str message = PMG_STR_INIT(100000);
	char random[32] = { 0 };
	size_t at, n;

	assert_int_equal(pmg_str_add(&body, "\3\3", 2), 0);
	assert_int_equal(pmg_str_add(&body, random, 32), 0);
	assert_int_equal(pmg_str_add(&body, "\0\0\2\x13\1\1\0", 7), 0);
	if (extensions) {
		char length[2] = { (char)(len >> 8), (char)len };

		assert_int_equal(pmg_str_add(&body, length, 2), 0);
		assert_int_equal(pmg_str_add(&body, extensions, len), 0);
	}
	{
		char head[4] = { 1, (char)(body.len >> 16), (char)(body.len >> 8), (char)body.len };

		assert_int_equal(pmg_str_add(&message, head, 4), 0);
	}
	assert_int_equal(pmg_str_add(&message, body.s, body.len), 0);
	for (at = 0; at < message.len; at += n) {
		char record[5] = { 22, 3, 1 };

		n = message.len - at < cut ? message.len - at : cut;
		record[3] = (char)(n >> 8);
		record[4] = (char)n;
		assert_int_equal(pmg_str_add(out, record, 5), 0);
		assert_int_equal(pmg_str_add(out, message.s + at, n), 0);
	}
}

static void names_are_found_and_odd_ones_are_refused(void **state)
{
	static const struct {
		const char *extensions;
		size_t len;
		int code;
		const char *name;
	} rows[] = {
		{ BYTES("\0\0\0\xe\0\xc\0\0\x9Host.Test"), 1, "host.test" },
		{ BYTES("\0\x10\0\1x\0\0\0\6\0\4\0\0\1a\xff\1\0\1\0"), 1, "a" },
		{ BYTES("\xff\1\0\1\0"), 1, NULL },
		{ BYTES(""), 1, NULL },
		{ NULL, 0, 1, NULL },
		/* two names; a name of another kind; lengths that do not fit; no host's name */
		{ BYTES("\0\0\0\xa\0\x8\0\0\1a\0\0\1b"), -PMG_E_PARSE, NULL },
		{ BYTES("\0\0\0\6\0\4\0\0\1a\0\0\0\6\0\4\0\0\1b"), -PMG_E_PARSE, NULL },
		{ BYTES("\0\0\0\6\0\4\1\0\1a"), -PMG_E_PARSE, NULL },
		{ BYTES("\0\0\0\6\0\4\0\0\2a"), -PMG_E_PARSE, NULL },
		{ BYTES("\0\0\0\5\0\3\0\0\0"), -PMG_E_PARSE, NULL },
		{ BYTES("\0\0\0\7\0\4\0\0\1a"), -PMG_E_PARSE, NULL },
		{ BYTES("\0\0\0\6\0\4\0\0\1\0"), -PMG_E_PARSE, NULL },
		{ BYTES("\0\0\0\6\0\4\0\0\1/"), -PMG_E_PARSE, NULL },
		{ BYTES("\0\0\0"), -PMG_E_PARSE, NULL },
	};
	static const size_t cuts[] = { 16384, 3, 1 };
	size_t i, k, n;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows) * PMG_ARRAY_LEN(cuts); i++) {
		pmg_auto(str) struct pmg_str bytes = PMG_STR_INIT(100000);
		pmg_autofree char *name = NULL;

		k = i / PMG_ARRAY_LEN(cuts);
		hello(&bytes, rows[k].extensions, rows[k].len, cuts[i % PMG_ARRAY_LEN(cuts)]);
		for (n = 0; n < bytes.len; n++)
			assert_int_equal(pmg_sni_read((void *)bytes.s, n, &name), 0);
		assert_int_equal(pmg_sni_read((void *)bytes.s, n, &name), rows[k].code);
		if (rows[k].name)
			assert_string_equal(name, rows[k].name);
		else
			assert_null(name);
	}
}

static void what_is_no_hello_is_said_at_once(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
	} rows[] = {
		{ BYTES("G") },
		{ BYTES("\x16\2") },
		{ BYTES("\x16\3\1\0\0") },
		{ BYTES("\x16\3\1\xff\xff") },
		{ BYTES("\x16\3\1\0\4\2\0\0\0") },
		{ BYTES("\x16\3\1\0\4\1\0\xff\xff") }, /* larger than any client's */
		{ BYTES("\x16\3\1\0\6\1\0\0\1xx") },   /* more in the record than the message */
		{ BYTES("\x16\3\1\0\4\1\0\0\0") },
		{ BYTES("\x16\3\1\0\1\1\x15\3\1\0\1\1") },
	};
	pmg_autofree char *name = NULL;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		assert_int_equal(pmg_sni_read((const void *)rows[i].bytes, rows[i].len, &name),
				 -PMG_E_PARSE);
	assert_null(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_found_and_odd_ones_are_refused),
		cmocka_unit_test(what_is_no_hello_is_said_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
