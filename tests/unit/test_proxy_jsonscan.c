#include "proxy/jsonscan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"

/* Writes items as "{0 k1:name s1:value }0". */
static void note(void *ctx, const struct pmg_jsonscan_item *item)
{
	static const char *const signs[] = { "{", "}", "[", "]", "k", "s" };
	struct pmg_str *out = ctx;

	assert_int_equal(
		pmg_str_addf(out, "%s%s%u", out->len ? " " : "", signs[item->event], item->depth),
		0);
	if (item->event < PMG_JSONSCAN_KEY)
		return;
	assert_int_equal(item->text[item->len], '\0');
	assert_int_equal(pmg_str_addf(out, "%s%s", item->cut ? "~" : ":",
				      item->len < 100 ? item->text : "long"),
			 0);
}

static char *scan_pieces(const char *text, size_t len, size_t piece)
{
	static struct pmg_jsonscan scan;
	struct pmg_str out = PMG_STR_INIT(1 << 20);
	size_t i;

	pmg_jsonscan_init(&scan, note, &out);
	for (i = 0; i < len; i += piece)
		pmg_jsonscan_feed(&scan, text + i, len - i < piece ? len - i : piece);
	return pmg_str_steal(&out);
}

static void documents_are_told_whatever_the_pieces(void **state)
{
	static const struct {
		const char *json, *items;
	} rows[] = {
		{ "{}", "{0 }0" },
		{ "{\"a\":\"b\"}", "{0 k1:a s1:b }0" },
		{ " { \"a\" : [ \"b\" , 1, {\"c\":null}, \"d\" ] , \"e\":\"f\"}",
		  "{0 k1:a [1 s2:b {2 k3:c }2 s2:d ]1 k1:e s1:f }0" },
		{ "[\"a\",\"b\"]", "[0 s1:a s1:b ]0" },
		{ "\"a\"", "s0:a" },
		{ "{\"\\u0061\\/\\\"\\\\\\n\":\"\\u00e9\\u20AC\\ud83d\\ude00\"}",
		  "{0 k1:a/\"\\\n s1:\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80 }0" },
		{ "[\"\\ud83d\",\"\\ud83dx\",\"\\ude00\",\"\\ud83d\\ud83d\\ude00\",\"\\ud83d\\n\"]",
		  "[0 s1:\xef\xbf\xbd s1:\xef\xbf\xbdx s1:\xef\xbf\xbd "
		  "s1:\xef\xbf\xbd\xf0\x9f\x98\x80 s1:\xef\xbf\xbd\n ]0" },
		{ "{\"a\":{\"b\":1},\"c\":2}", "{0 k1:a {1 k2:b }1 k1:c }0" },
		{ "\xef\xbb\xbf{\"a\":1e5}", "{0 k1:a }0" },
		{ "{\"a{\":\"}[\"}", "{0 k1:a{ s1:}[ }0" },
		{ "}]", "" },
	};
	size_t i, piece;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		for (piece = 1; piece < 40; piece++) {
			pmg_autofree char *got =
				scan_pieces(rows[i].json, strlen(rows[i].json), piece);

			assert_string_equal(got, rows[i].items);
		}
}

static void long_text_arrives_cut(void **state)
{
	pmg_autofree char *json = pmg_xmalloc(PMG_JSONSCAN_TEXT_MAX + 100);
	pmg_autofree char *whole = NULL;
	pmg_autofree char *cut = NULL;
	size_t n = PMG_JSONSCAN_TEXT_MAX;

	(void)state;
	memset(json, 'x', n + 99);
	json[0] = '"';
	json[n + 1] = '"';
	whole = scan_pieces(json, n + 2, 77);
	assert_string_equal(whole, "s0:long");
	json[n + 1] = 'x';
	json[n + 2] = '"';
	cut = scan_pieces(json, n + 3, 77);
	assert_string_equal(cut, "s0~long");
}

/* An attacker's nesting may neither end the scan nor hide what follows it. */
static void deep_nesting_hides_nothing_behind_it(void **state)
{
	pmg_auto(str) struct pmg_str json = PMG_STR_INIT(1 << 22);
	pmg_autofree char *got = NULL;
	size_t i;

	(void)state;
	assert_int_equal(pmg_str_adds(&json, "{\"a\":"), 0);
	for (i = 0; i < 100000; i++)
		assert_int_equal(pmg_str_adds(&json, i % 2 ? "[" : "{\"z\":"), 0);
	for (i = 100000; i > 0; i--)
		assert_int_equal(pmg_str_adds(&json, i % 2 ? "}" : "]"), 0);
	assert_int_equal(pmg_str_adds(&json, ",\"b\":\"c\"}"), 0);
	got = scan_pieces(json.s, json.len, 1000);
	assert_true(pmg_str_has_suffix(got, " }1 k1:b s1:c }0"));
	assert_true(strlen(got) < 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(documents_are_told_whatever_the_pieces),
		cmocka_unit_test(long_text_arrives_cut),
		cmocka_unit_test(deep_nesting_hides_nothing_behind_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
