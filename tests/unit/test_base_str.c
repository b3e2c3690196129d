#include "base/str.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void a_buffer_never_passes_its_limit(void **state)
{
	pmg_auto(str) struct pmg_str str = PMG_STR_INIT(5);

	(void)state;
	assert_int_equal(pmg_str_adds(&str, "abc"), 0);
	assert_int_equal(pmg_str_adds(&str, "def"), -PMG_E_LIMIT);
	assert_string_equal(str.s, "abc"); /* nothing was added */
	assert_int_equal(pmg_str_addf(&str, "%d", 12), 0);
	assert_string_equal(str.s, "abc12");
	assert_int_equal(pmg_str_add(&str, "", 0), 0);
	assert_int_equal(pmg_str_add(&str, "x", 1), -PMG_E_LIMIT);
	assert_int_equal(pmg_str_reserve(&str, SIZE_MAX), -PMG_E_LIMIT);
	assert_int_equal(str.len, 5);
}

static void a_buffer_is_used_again_after_each_way_out(void **state)
{
	pmg_auto(str) struct pmg_str str = PMG_STR_INIT(100);
	pmg_autofree char *empty = pmg_str_steal(&str);
	pmg_autofree char *text = NULL;

	(void)state;
	assert_string_equal(empty, "");
	assert_int_equal(pmg_str_adds(&str, "hello"), 0);
	text = pmg_str_steal(&str);
	assert_string_equal(text, "hello");
	assert_int_equal(str.len, 0);
	assert_int_equal(pmg_str_adds(&str, "again"), 0);
	pmg_str_clear(&str);
	assert_string_equal(str.s, "");
	pmg_str_done(&str);
	assert_int_equal(pmg_str_adds(&str, "third"), 0);
	assert_string_equal(str.s, "third");
}

static void what_is_consumed_leaves_at_the_front(void **state)
{
	pmg_auto(str) struct pmg_str str = PMG_STR_INIT(100);

	(void)state;
	pmg_str_consume(&str, 0); /* empty: there is no memory yet */
	assert_int_equal(pmg_str_add(&str, "a\0bc", 4), 0);
	pmg_str_consume(&str, 2);
	assert_int_equal(str.len, 2);
	assert_string_equal(str.s, "bc");
	pmg_str_consume(&str, 2);
	assert_string_equal(str.s, "");
}

static void reserved_room_can_be_filled(void **state)
{
	pmg_auto(str) struct pmg_str str = PMG_STR_INIT(1000);

	(void)state;
	assert_int_equal(pmg_str_reserve(&str, 1000), 0);
	memset(str.s, 'x', 1000);
	str.len = 1000;
	assert_int_equal(pmg_str_reserve(&str, 1), -PMG_E_LIMIT);
	assert_int_equal(pmg_str_reserve(&str, 0), 0);
}

static void equality_knows_null(void **state)
{
	(void)state;
	assert_true(pmg_streq(NULL, NULL));
	assert_true(pmg_streq("a", "a"));
	assert_false(pmg_streq("a", NULL));
	assert_false(pmg_streq(NULL, ""));
	assert_false(pmg_streq("a", "A"));
}

static void prefixes_and_suffixes_are_found(void **state)
{
	static const struct {
		const char *s, *part;
		bool prefix, nocase, suffix;
	} rows[] = {
		{ "abc", "", true, true, true },     { "abc", "ab", true, true, false },
		{ "abc", "AB", false, true, false }, { "abc", "bc", false, false, true },
		{ "abc", "abc", true, true, true },  { "abc", "abcd", false, false, false },
		{ "", "a", false, false, false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		assert_int_equal(pmg_str_has_prefix(rows[i].s, rows[i].part), rows[i].prefix);
		assert_int_equal(pmg_str_has_prefix_nocase(rows[i].s, rows[i].part),
				 rows[i].nocase);
		assert_int_equal(pmg_str_has_suffix(rows[i].s, rows[i].part), rows[i].suffix);
	}
}

static void numbers_are_read_strictly(void **state)
{
	static const struct {
		const char *text;
		uint64_t max;
		int result;
		uint64_t n;
	} rows[] = {
		{ "0", 10, 0, 0 },
		{ "10", 10, 0, 10 },
		{ "0010", 10, 0, 10 },
		{ "18446744073709551615", UINT64_MAX, 0, UINT64_MAX },
		{ "11", 10, -PMG_E_LIMIT, 0 },
		{ "18446744073709551616", UINT64_MAX, -PMG_E_LIMIT, 0 },
		{ "99999999999999999999999", UINT64_MAX, -PMG_E_LIMIT, 0 },
		{ "", 10, -PMG_E_PARSE, 0 },
		{ " 1", 10, -PMG_E_PARSE, 0 },
		{ "1 ", 10, -PMG_E_PARSE, 0 },
		{ "+1", 10, -PMG_E_PARSE, 0 },
		{ "-1", 10, -PMG_E_PARSE, 0 },
		{ "0x1", 10, -PMG_E_PARSE, 0 },
		{ "1.0", 10, -PMG_E_PARSE, 0 },
	};
	uint64_t n;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		n = 77;
		assert_int_equal(pmg_parse_uint(rows[i].text, rows[i].max, &n), rows[i].result);
		assert_int_equal(n, rows[i].result == 0 ? rows[i].n : 77);
	}
}

static void the_nearest_word_is_offered_when_it_is_near(void **state)
{
	static const char *const words[] = { "install", "list", "block", "unblock", "ci", NULL };
	static const struct {
		const char *typed, *near;
	} rows[] = {
		{ "isntall", "install" }, { "lsit", "list" }, { "list", "list" },
		{ "blok", "block" },      { "xyzzy", NULL },  { "", NULL },
	};
	char longest[200];
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		const char *near = pmg_str_nearest(rows[i].typed, words);

		assert_true(pmg_streq(near, rows[i].near));
	}
	memset(longest, 'a', sizeof longest - 1);
	longest[sizeof longest - 1] = '\0';
	assert_null(pmg_str_nearest(longest, words));
}

static void outside_text_cannot_speak_to_the_terminal(void **state)
{
	static const struct {
		const char *in;
		size_t max;
		const char *out;
	} rows[] = {
		{ "plain text", 100, "plain text" },
		{ "\x1b]0;title\x07", 100, "\\x1b]0;title\\x07" },
		{ "a\nb\tc\r", 100, "a\\x0ab\\x09c\\x0d" },
		{ "gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80", 100,
		  "gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80" },
		{ "\x7f", 100, "\\x7f" },
		{ "\xc2\x9b"
		  "31m",
		  100, "\\xc2\\x9b31m" },                            /* C1: CSI in one code point */
		{ "\xff\xc3", 100, "\\xff\\xc3" },                   /* not UTF-8, cut short */
		{ "\xc0\xaf", 100, "\\xc0\\xaf" },                   /* overlong */
		{ "\xed\xa0\x80", 100, "\\xed\\xa0\\x80" },          /* surrogate */
		{ "\xf4\x90\x80\x80", 100, "\\xf4\\x90\\x80\\x80" }, /* above U+10FFFF */
		{ "a\xe2\x80\xae"
		  "b",
		  100, "a\\xe2\\x80\\xaeb" },               /* U+202E */
		{ "\xe2\x81\xa6", 100, "\\xe2\\x81\\xa6" }, /* U+2066 */
		{ "abcdef", 3, "abc..." },
		{ "", 0, "" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *out = pmg_str_quote(rows[i].in, strlen(rows[i].in), rows[i].max);

		assert_string_equal(out, rows[i].out);
	}
}

/* RFC 4648 section 10. */
static void base64_and_hex_follow_their_test_vectors(void **state)
{
	static const struct {
		const char *text, *base64, *hex;
	} rows[] = {
		{ "", "", "" },
		{ "f", "Zg==", "66" },
		{ "fo", "Zm8=", "666f" },
		{ "foo", "Zm9v", "666f6f" },
		{ "foob", "Zm9vYg==", "666f6f62" },
		{ "fooba", "Zm9vYmE=", "666f6f6261" },
		{ "foobar", "Zm9vYmFy", "666f6f626172" },
		{ "\xff\xfe\xfd", "//79", "fffefd" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *b = pmg_base64(rows[i].text, strlen(rows[i].text));
		pmg_autofree char *h = pmg_hex(rows[i].text, strlen(rows[i].text));

		assert_string_equal(b, rows[i].base64);
		assert_string_equal(h, rows[i].hex);
	}
}

static void secrets_are_compared_whole(void **state)
{
	(void)state;
	assert_true(pmg_equal_secret("abc", "abc", 3));
	assert_false(pmg_equal_secret("abc", "abd", 3));
	assert_false(pmg_equal_secret("xbc", "abc", 3));
	assert_true(pmg_equal_secret("abc", "abd", 2));
	assert_true(pmg_equal_secret("", "", 0));
}

static void utf8_is_read_to_its_end_and_no_further(void **state)
{
	static const struct {
		const char *text;
		size_t left, len;
		uint32_t cp;
	} rows[] = {
		{ "a", 1, 1, 'a' },
		{ "\xc3\xbc", 2, 2, 0xfc },
		{ "\xe2\x82\xac", 3, 3, 0x20ac },
		{ "\xf0\x9f\x98\x80", 4, 4, 0x1f600 },
		{ "\xe2\x82\xac", 2, 0, 0 },     /* cut */
		{ "\xc0\xaf", 2, 0, 0 },         /* longer than need be */
		{ "\xed\xa0\x80", 3, 0, 0 },     /* half of a surrogate pair */
		{ "\xf4\x90\x80\x80", 4, 0, 0 }, /* above U+10FFFF */
		{ "\x80", 1, 0, 0 },
		{ "", 0, 0, 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		/* Exactly as large as it says: whoever reads on is caught by a sanitizer. */
		pmg_autofree char *text = malloc(rows[i].left);
		uint32_t cp = 0;

		assert_true(text || rows[i].left == 0);
		if (rows[i].left > 0)
			memcpy(text, rows[i].text, rows[i].left);
		assert_int_equal(pmg_utf8_len(text, rows[i].left, &cp), rows[i].len);
		if (rows[i].len > 0)
			assert_int_equal(cp, rows[i].cp);
	}
}

static void a_word_for_a_shell_is_what_it_was(void **state)
{
	static const char *const rows[][2] = {
		{ "read=/h/a-b_c.d", "read=/h/a-b_c.d" },
		{ "", "''" },
		{ "/h/a b", "'/h/a b'" },
		{ "$(rm x);`y`", "'$(rm x);`y`'" },
		{ "it's", "'it'\\''s'" },
		{ "~/x", "'~/x'" },
		{ "a\nb", "'a\nb'" },
		{ "\xc3\xa4", "'\xc3\xa4'" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *word = pmg_str_shell(rows[i][0]);

		assert_string_equal(word, rows[i][1]);
	}
}

static void base64_is_read_as_it_is_written_and_no_other_way(void **state)
{
	static const struct {
		const char *text, *bytes;
		size_t n;
	} rows[] = {
		{ "", "", 0 },        { "AA==", "\0", 1 },     { "/+8=", "\xff\xef", 2 },
		{ "Zm9v", "foo", 3 }, { "AA=", NULL, 1 },      { "AA", NULL, 1 },
		{ "AB==", NULL, 1 },  { "A_==", NULL, 1 },     { "AA=A", NULL, 1 },
		{ "AAAA", NULL, 1 },  { "Zm9vZm9v", NULL, 3 }, { "A===", NULL, 1 },
		{ "====", NULL, 1 },  { "Z\n9v", NULL, 3 },
	};
	unsigned char got[3];
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		bool is = pmg_base64_read(rows[i].text, strlen(rows[i].text), got, rows[i].n);

		if (is != (rows[i].bytes != NULL) ||
		    (is && memcmp(got, rows[i].bytes, rows[i].n) != 0))
			fail_msg("row %zu", i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(base64_is_read_as_it_is_written_and_no_other_way),
		cmocka_unit_test(a_buffer_never_passes_its_limit),
		cmocka_unit_test(a_buffer_is_used_again_after_each_way_out),
		cmocka_unit_test(what_is_consumed_leaves_at_the_front),
		cmocka_unit_test(reserved_room_can_be_filled),
		cmocka_unit_test(equality_knows_null),
		cmocka_unit_test(prefixes_and_suffixes_are_found),
		cmocka_unit_test(numbers_are_read_strictly),
		cmocka_unit_test(the_nearest_word_is_offered_when_it_is_near),
		cmocka_unit_test(outside_text_cannot_speak_to_the_terminal),
		cmocka_unit_test(base64_and_hex_follow_their_test_vectors),
		cmocka_unit_test(secrets_are_compared_whole),
		cmocka_unit_test(utf8_is_read_to_its_end_and_no_further),
		cmocka_unit_test(a_word_for_a_shell_is_what_it_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
