#include "proxy/jsonstrict.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"

struct notes {
	struct pmg_str out;
	const char *json; /* whole; NULL: offsets are not checked */
	const char *stop; /* a key that ends the reading */
};

/* Writes items as "{0 k1:name s1:value }0" and holds their offsets against the document. */
static int note(void *ctx, const struct pmg_jsonstrict_item *item, struct pmg_err *err)
{
	static const char *const signs[] = { "k", "s", "v", "{", "[", "}" };
	struct notes *notes = ctx;
	size_t n = item->len < 100 ? item->len : 4;
	const char *at = notes->json ? notes->json + item->at : NULL;

	assert_int_equal(pmg_str_addf(&notes->out, "%s%s%u", notes->out.len ? " " : "",
				      signs[item->event], item->depth),
			 0);
	if (item->len > 0)
		assert_int_equal(pmg_str_addf(&notes->out, "%s%s%.*s", item->is_cut ? "~" : ":",
					      item->has_escape ? "!" : "", (int)n, item->text),
				 0);
	if (at && item->event <= PMG_JSONSTRICT_STRING) {
		assert_int_equal(*at, '"');
		assert_int_equal(item->end - item->at, item->len + 2);
		assert_memory_equal(at + 1, item->text, item->len);
	} else if (at) {
		assert_non_null(strchr(
			item->event == PMG_JSONSTRICT_SCALAR ? "-0123456789tfn" : "{}[]", *at));
	}
	if (notes->stop && item->len == strlen(notes->stop) &&
	    memcmp(item->text, notes->stop, item->len) == 0)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "stopped");
	return 0;
}

static int scan(struct notes *notes, const char *text, size_t len, size_t piece, unsigned told,
		struct pmg_err *err)
{
	static struct pmg_jsonstrict scan;
	size_t i;
	int r = 0;

	notes->out = (struct pmg_str)PMG_STR_INIT(1 << 20);
	pmg_jsonstrict_init(&scan, told, note, notes);
	for (i = 0; r == 0 && i < len; i += piece)
		r = pmg_jsonstrict_feed(&scan, text + i, len - i < piece ? len - i : piece, err);
	return r < 0 ? r : pmg_jsonstrict_finish(&scan, err);
}

static void documents_are_told_whatever_the_pieces(void **state)
{
	static const struct {
		const char *json, *items;
		unsigned told;
	} rows[] = {
		{ "{}", "{0 }0", 9 },
		{ "{\"a\":\"b\"}", "{0 k1:a s1:b }0", 9 },
		{ " { \"a\" : [ \"b\" , 1 , {\"c\":null}, \"d\" ] ,\r\n\t\"e\":\"f\"} ",
		  "{0 k1:a [1 s2:b v2:1 {2 k3:c v3:n }2 s2:d ]1 k1:e s1:f }0", 9 },
		{ "[\"a\",\"\",[],{}]", "[0 s1:a s1 [1 ]1 {1 }1 ]0", 9 },
		{ "\"a\"", "s0:a", 9 },
		{ "true", "v0:t", 9 },
		{ "{\"a\":-0.5e+10,\"b\":false,\"c\":12E3,\"d\":0}",
		  "{0 k1:a v1:- k1:b v1:f k1:c v1:1 k1:d v1:0 }0", 9 },
		{ "[\"\\u00e9\\n\\\"\\\\\\/\",\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"]",
		  "[0 s1:!\\u00e9\\n\\\"\\\\\\/ s1:\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80 ]0", 9 },
		{ "{\"a\":{\"b\":{\"c\":1},\"d\":2},\"e\":3}", "{0 k1:a {1 }1 k1:e v1:3 }0", 1 },
		{ "{\"long enough for words\":\"of eight bytes, \xc3\xa9, and more\"}",
		  "{0 k1:long enough for words s1:of eight bytes, \xc3\xa9, and more }0", 9 },
	};
	struct pmg_err err = PMG_ERR_INIT;
	struct notes notes = { 0 };
	size_t i, piece;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		for (piece = 1; piece < 60; piece++) {
			char want[256];
			char *bracket;

			/* What closes is told alike. */
			(void)snprintf(want, sizeof want, "%s", rows[i].items);
			for (bracket = want; (bracket = strchr(bracket, ']')); *bracket = '}')
				;
			notes.json = rows[i].json;
			assert_int_equal(scan(&notes, rows[i].json, strlen(rows[i].json), piece,
					      rows[i].told, &err),
					 0);
			assert_string_equal(notes.out.s, want);
			pmg_str_done(&notes.out);
		}
}

static void what_is_no_json_is_refused_with_its_place(void **state)
{
	static const struct {
		const char *json, *message;
		size_t len; /* 0: of the text */
	} rows[] = {
		{ "", "byte 0: the document has not ended", 0 },
		{ "{\"a\":1", "byte 6: the document has not ended", 0 },
		{ "\xef\xbb\xbf{}", "byte 0: no value of JSON", 0 },
		{ "{} {}", "byte 3: something follows the document", 0 },
		{ "{}\0", "byte 2: something follows the document", 3 },
		{ "{\"a\":1,}", "byte 7: a key was expected", 0 },
		{ "[1,]", "byte 3: no value of JSON", 0 },
		{ "[,1]", "byte 1: no value of JSON", 0 },
		{ "{a:1}", "byte 1: a key was expected", 0 },
		{ "{'a':1}", "byte 1: a key was expected", 0 },
		{ "{\"a\" 1}", "byte 5: a colon was expected", 0 },
		{ "[1 2]", "byte 3: a comma was expected", 0 },
		{ "[1}", "byte 2: closes what is not open", 0 },
		{ "{\"a\":1]", "byte 6: closes what is not open", 0 },
		{ "]", "byte 0: no value of JSON", 0 },
		{ "{\"a\":}", "byte 5: no value of JSON", 0 },
		{ "[NaN]", "byte 1: no value of JSON", 0 },
		{ "[tru]", "byte 4: no value of JSON", 0 },
		{ "[nulll]", "byte 5: a comma was expected", 0 },
		{ "[01]", "byte 2: a comma was expected", 0 },
		{ "[1.]", "byte 3: no number of JSON", 0 },
		{ "[.5]", "byte 1: no value of JSON", 0 },
		{ "[+1]", "byte 1: no value of JSON", 0 },
		{ "[1e]", "byte 3: no number of JSON", 0 },
		{ "[-]", "byte 2: no number of JSON", 0 },
		{ "-", "byte 1: the document has not ended", 0 },
		{ "[1/**/]", "byte 2: a comma was expected", 0 },
		{ "[\"a\nb\"]", "byte 3: a control byte in a string", 0 },
		{ "[\"a\0b\"]", "byte 3: a control byte in a string", 7 },
		{ "[\"\\x41\"]", "byte 3: an escape that JSON does not have", 0 },
		{ "[\"\\u12g4\"]", "byte 6: an escape that JSON does not have", 0 },
		{ "[\"\\\0\"]", "byte 3: an escape that JSON does not have", 6 },
		{ "[\"\xff\"]", "byte 2: not UTF-8", 0 },
		{ "[\"\xc3\"]", "byte 3: not UTF-8", 0 },
		{ "[\"\xc0\xaf\"]", "byte 2: not UTF-8", 0 },
		{ "[\"\xe0\x80\xaf\"]", "byte 3: not UTF-8", 0 },
		{ "[\"\xed\xa0\x80\"]", "byte 3: not UTF-8", 0 },
		{ "[\"\xf4\x90\x80\x80\"]", "byte 3: not UTF-8", 0 },
		{ "[\xc2\xa0 1]", "byte 1: no value of JSON", 0 },
	};
	struct notes notes = { 0 };
	size_t i, piece, len;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		for (piece = 1; piece < 12; piece++) {
			struct pmg_err err = PMG_ERR_INIT;

			len = rows[i].len ? rows[i].len : strlen(rows[i].json);
			assert_int_equal(scan(&notes, rows[i].json, len, piece, 9, &err),
					 -PMG_E_PARSE);
			assert_string_equal(err.msg, rows[i].message);
			pmg_str_done(&notes.out);
		}
}

static void what_is_too_deep_is_refused_and_what_is_not_is_read(void **state)
{
	char json[2 * PMG_JSONSTRICT_DEPTH_MAX + 3];
	struct pmg_err err = PMG_ERR_INIT;
	struct notes notes = { 0 };
	size_t n = PMG_JSONSTRICT_DEPTH_MAX;

	(void)state;
	memset(json, '[', n);
	memset(json + n, ']', n);
	assert_int_equal(scan(&notes, json, 2 * n, 7, 0, &err), 0);
	assert_string_equal(notes.out.s, "[0 }0");
	pmg_str_done(&notes.out);
	memset(json, '[', n + 1);
	assert_int_equal(scan(&notes, json, n + 1, 7, 0, &err), -PMG_E_LIMIT);
	assert_string_equal(err.msg, "byte 256: nested deeper than 256");
	pmg_str_done(&notes.out);
}

static void a_long_text_is_cut_whatever_the_pieces(void **state)
{
	char json[PMG_JSONSTRICT_TEXT_MAX + 20];
	struct pmg_err err = PMG_ERR_INIT;
	struct notes notes = { 0 };
	size_t n = PMG_JSONSTRICT_TEXT_MAX;

	(void)state;
	memset(json, 'x', sizeof json);
	json[0] = '"';
	json[n + 1] = '"';
	assert_int_equal(scan(&notes, json, n + 2, 100, 0, &err), 0);
	assert_string_equal(notes.out.s, "s0:xxxx");
	pmg_str_done(&notes.out);
	json[n + 1] = 'x';
	json[n + 2] = '"';
	assert_int_equal(scan(&notes, json, n + 3, 100, 0, &err), 0);
	assert_string_equal(notes.out.s, "s0~xxxx");
	pmg_str_done(&notes.out);
	assert_int_equal(scan(&notes, json, n + 3, n + 3, 0, &err), 0);
	assert_string_equal(notes.out.s, "s0~xxxx");
	pmg_str_done(&notes.out);
}

static void who_is_told_may_end_it(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;
	struct notes notes = { .stop = "b" };

	(void)state;
	assert_int_equal(scan(&notes, "{\"a\":1,\"b\":2}", 13, 13, 9, &err), -PMG_E_LIMIT);
	assert_string_equal(err.msg, "stopped");
	assert_string_equal(notes.out.s, "{0 k1:a v1:1 k1:b");
	pmg_str_done(&notes.out);
}

static void escapes_are_decoded(void **state)
{
	static const struct {
		const char *text, *want; /* NULL: stands for nothing that we take */
	} rows[] = {
		{ "", "" },
		{ "abc", "abc" },
		{ "\\\"\\\\\\/\\b\\f\\n\\r\\t", "\"\\/\b\f\n\r\t" },
		{ "\\u0076ersion", "version" },
		{ "\\u00e9\\u20AC", "\xc3\xa9\xe2\x82\xac" },
		{ "\\ud83d\\ude00", "\xf0\x9f\x98\x80" },
		{ "\\ud83d", NULL },
		{ "\\ud83dx", NULL },
		{ "\\ud83d\\n12345", NULL },
		{ "\\ud83d\\u0041", NULL },
		{ "\\ude00", NULL },
		{ "\\u0000", NULL },
	};
	char out[64];
	size_t i;
	int n;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		n = pmg_jsonstrict_decode(rows[i].text, strlen(rows[i].text), out);
		if (!rows[i].want) {
			assert_int_equal(n, -PMG_E_PARSE);
			continue;
		}
		assert_int_equal(n, strlen(rows[i].want));
		assert_string_equal(out, rows[i].want);
	}
}

static int keyed(void *ctx, const struct pmg_jsonstrict_item *item, struct pmg_err *err)
{
	static const char *const names[] = { "version", "time", NULL };
	int64_t when = -1;

	if (item->event == PMG_JSONSTRICT_KEY)
		return pmg_str_addf(ctx, "%d ", pmg_jsonstrict_key(item, names));
	if (item->depth != 1)
		return 0;
	(void)err;
	if (pmg_jsonstrict_date(item, &when) < 0)
		return pmg_str_adds(ctx, "- ");
	return pmg_str_addf(ctx, "@%d ", (int)when);
}

static void keys_and_dates_are_told(void **state)
{
	static const char json[] =
		"{\"time\":\"1970-01-01T00:00:05Z\",\"version\":\"1970-01-01T00:00:06.5+00:00\","
		"\"versio\":5,\"\\u0076ersion\":\"1970-01-01\",\"time\\ud800\":[],"
		"\"\\u0020time\":\"1970-01-01T00:00:0\\u0035Z\"}";
	static struct pmg_jsonstrict scan;
	pmg_auto(str) struct pmg_str out = PMG_STR_INIT(999);
	pmg_autofree char *want = pmg_xasprintf("1 @5 0 @6 -1 - %d - -1 - - -1 - ", -PMG_E_PARSE);
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	pmg_jsonstrict_init(&scan, 1, keyed, &out);
	assert_int_equal(pmg_jsonstrict_feed(&scan, json, sizeof json - 1, &err), 0);
	assert_string_equal(out.s, want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(documents_are_told_whatever_the_pieces),
		cmocka_unit_test(what_is_no_json_is_refused_with_its_place),
		cmocka_unit_test(what_is_too_deep_is_refused_and_what_is_not_is_read),
		cmocka_unit_test(a_long_text_is_cut_whatever_the_pieces),
		cmocka_unit_test(who_is_told_may_end_it),
		cmocka_unit_test(escapes_are_decoded),
		cmocka_unit_test(keys_and_dates_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
