#include "proxy/dns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

#define HEAD           "\x12\x34\x01\x00\0\1\0\0\0\0\0\0"
#define OPT            "\0\0\x29\x10\0\0\0\0\0\0\0"
#define IN_A           "\0\1\0\1"
#define BYTES(literal) (literal), sizeof(literal) - 1

static void one_question_is_read(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		int code;
		const char *name;
		uint16_t type;
		bool has_opt;
	} rows[] = {
		{ BYTES(HEAD "\4Host\4TEST\0" IN_A), PMG_DNS_OK, "host.test", 1, false },
		{ BYTES("\0\0\1\0\0\1\0\0\0\0\0\1\1a\0\0\x1c\0\1" OPT), PMG_DNS_OK, "a", 28, true },
		{ BYTES(HEAD "\0" IN_A), PMG_DNS_OK, "", 1, false },
		{ BYTES(HEAD "\5_http\1x\0\0\x41\0\1"), PMG_DNS_OK, "_http.x", 65, false },
		{ BYTES(HEAD "\1x\0\0\xff\0\1"), PMG_DNS_REFUSED, "x", 255, false },
		{ BYTES(HEAD "\1x\0\0\xfc\0\1"), PMG_DNS_REFUSED, "x", 252, false },
		{ BYTES(HEAD "\1x\0\0\1\0\3"), PMG_DNS_REFUSED, "x", 1, false },
		/* a dot, a NUL or a byte of no letter within a label */
		{ BYTES(HEAD "\3a.b\0" IN_A), PMG_DNS_NXDOMAIN, "a?b", 1, false },
		{ BYTES(HEAD "\3a\0b\0" IN_A), PMG_DNS_NXDOMAIN, "a?b", 1, false },
		{ BYTES(HEAD "\1\xe4\0" IN_A), PMG_DNS_NXDOMAIN, "?", 1, false },
	};
	struct pmg_dns_query query;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		assert_int_equal(pmg_dns_read(rows[i].bytes, rows[i].len, &query), rows[i].code);
		assert_string_equal(query.name, rows[i].name);
		assert_int_equal(query.type, rows[i].type);
		assert_int_equal(query.has_opt, rows[i].has_opt);
		assert_true(query.question > 0);
	}
}

static void anything_else_is_malformed_or_no_query(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		int code;
	} rows[] = {
		{ BYTES(""), -PMG_E_PARSE },
		{ BYTES("\x12\x34\x01\x00\0\1\0\0\0\0\0"), -PMG_E_PARSE },
		{ BYTES("\x12\x34\x81\x00\0\1\0\0\0\0\0\0\1x\0" IN_A), -PMG_E_PARSE }, /* answer */
		{ BYTES("\x12\x34\x28\x00\0\1\0\0\0\0\0\0\1x\0" IN_A),
		  PMG_DNS_NOTIMP }, /* update */
		{ BYTES(HEAD), PMG_DNS_FORMERR },
		{ BYTES(HEAD "\1x"), PMG_DNS_FORMERR },
		{ BYTES(HEAD "\1x\0\0\1\0"), PMG_DNS_FORMERR },
		{ BYTES(HEAD "\5x\0" IN_A), PMG_DNS_FORMERR },
		{ BYTES(HEAD "\xc0\x0c" IN_A), PMG_DNS_FORMERR }, /* points to itself */
		{ BYTES(HEAD "\x40x\0" IN_A), PMG_DNS_FORMERR },
		{ BYTES(HEAD "\1x\0" IN_A "x"), PMG_DNS_FORMERR }, /* more behind it */
		{ BYTES("\x12\x34\x01\x00\0\2\0\0\0\0\0\0\1x\0" IN_A "\1y\0" IN_A),
		  PMG_DNS_FORMERR },
		{ BYTES("\x12\x34\x01\x00\0\0\0\0\0\0\0\0"), PMG_DNS_FORMERR },
		{ BYTES("\x12\x34\x01\x00\0\1\0\1\0\0\0\0\1x\0" IN_A), PMG_DNS_FORMERR },
		{ BYTES("\x12\x34\x01\x00\0\1\0\0\0\0\0\1\1x\0" IN_A), PMG_DNS_FORMERR },
		{ BYTES("\x12\x34\x01\x00\0\1\0\0\0\0\0\2\1x\0" IN_A OPT OPT), PMG_DNS_FORMERR },
		/* version 1 of EDNS; options longer than what is there */
		{ BYTES("\x12\x34\x01\x00\0\1\0\0\0\0\0\1\1x\0" IN_A "\0\0\x29\x10\0\0\1\0\0\0\0"),
		  PMG_DNS_FORMERR },
		{ BYTES("\x12\x34\x01\x00\0\1\0\0\0\0\0\1\1x\0" IN_A "\0\0\x29\x10\0\0\0\0\0\0\1"),
		  PMG_DNS_FORMERR },
	};
	struct pmg_dns_query query;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		assert_int_equal(pmg_dns_read(rows[i].bytes, rows[i].len, &query), rows[i].code);
		assert_int_equal(query.question, 0);
	}
}

static void names_have_a_maximum(void **state)
{
	unsigned char bytes[PMG_DNS_QUERY_MAX + 1] = { 0x12, 0x34, 1, 0, 0, 1 };
	struct pmg_dns_query query;
	size_t at = 12, i;

	(void)state;
	for (i = 0; i < 4; i++) { /* 3 * 64 + 61 = 253 as text, and the last label of 61 */
		bytes[at] = i < 3 ? 63 : 61;
		memset(bytes + at + 1, 'a', bytes[at]);
		at += 1U + bytes[at];
	}
	memcpy(bytes + at, "\0" IN_A, 5);
	assert_int_equal(pmg_dns_read(bytes, at + 5, &query), PMG_DNS_OK);
	assert_int_equal(strlen(query.name), PMG_DNS_NAME_MAX);
	bytes[12 + 3 * 64]++;
	memcpy(bytes + at, "a\0" IN_A, 6);
	assert_int_equal(pmg_dns_read(bytes, at + 6, &query), PMG_DNS_FORMERR);
	assert_int_equal(pmg_dns_read(bytes, sizeof bytes, &query), PMG_DNS_FORMERR);
}

static void answers_are_what_resolvers_read(void **state)
{
	static const char asked[] = HEAD "\4Host\4TEST\0" IN_A;
	static const char with_opt[] = "\x12\x34\x00\x00\0\1\0\0\0\0\0\1\1x\0\0\x0c\0\1" OPT;
	struct pmg_dns_answer answer = { .has_data = true, .address = { 198, 18, 0, 9 } };
	unsigned char out[PMG_DNS_ANSWER_MAX];
	struct pmg_dns_query query;
	size_t n;

	(void)state;
	assert_int_equal(pmg_dns_read(BYTES(asked), &query), 0);
	n = pmg_dns_write(asked, &query, &answer, out);
	assert_int_equal(n, sizeof asked - 1 + 16);
	assert_memory_equal(out, "\x12\x34\x81\x80\0\1\0\1\0\0\0\0", 12);
	assert_memory_equal(out + 12, asked + 12, sizeof asked - 1 - 12); /* case as asked */
	assert_memory_equal(out + sizeof asked - 1, "\xc0\x0c\0\1\0\1\0\0\0\5\0\4\xc6\x12\0\x09",
			    16);

	assert_int_equal(pmg_dns_read(BYTES(with_opt), &query), 0);
	answer = (struct pmg_dns_answer){ .has_data = true, .name = "a.test" };
	n = pmg_dns_write(with_opt, &query, &answer, out);
	assert_int_equal(n, 12 + 7 + 12 + 8 + 11);
	assert_memory_equal(out + 12 + 7 + 10, "\0\x08\1a\4test\0", 10);
	assert_memory_equal(out + n - 11, "\0\0\x29\x04\xd0\0\0\0\0\0\0", 11);

	assert_int_equal(pmg_dns_read(BYTES(HEAD), &query), PMG_DNS_FORMERR);
	answer = (struct pmg_dns_answer){ .rcode = PMG_DNS_FORMERR };
	assert_int_equal(pmg_dns_write(HEAD, &query, &answer, out), 12);
	assert_memory_equal(out, "\x12\x34\x81\x81\0\0\0\0\0\0\0\0", 12);
}

static void reverse_names_are_read(void **state)
{
	static const unsigned char v4[16] = { [10] = 0xff, 0xff, 198, 18, 0, 1 };
	static const unsigned char v6[16] = { 0xfd, 0, 0x70, 0x6d, 0, 0x67, [15] = 1 };
	unsigned char address[16];

	(void)state;
	assert_true(pmg_dns_reverse("1.0.18.198.in-addr.arpa", address));
	assert_memory_equal(address, v4, 16);
	assert_true(pmg_dns_reverse(
		"1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.7.6.0.0.d.6.0.7.0.0.d.f.ip6.arpa",
		address));
	assert_memory_equal(address, v6, 16);
	assert_false(pmg_dns_reverse("1.0.18.in-addr.arpa", address));
	assert_false(pmg_dns_reverse("256.0.18.198.in-addr.arpa", address));
	assert_false(pmg_dns_reverse("x.0.18.198.in-addr.arpa", address));
	assert_false(pmg_dns_reverse("1.2.ip6.arpa", address));
	assert_false(pmg_dns_reverse("host.test", address));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_question_is_read),
		cmocka_unit_test(anything_else_is_malformed_or_no_query),
		cmocka_unit_test(names_have_a_maximum),
		cmocka_unit_test(answers_are_what_resolvers_read),
		cmocka_unit_test(reverse_names_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
