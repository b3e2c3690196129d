#include "base/json.h"

#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

static void a_document_goes_in_and_out_unchanged(void **state)
{
	static const char *const rows[] = {
		"{}",
		"[]",
		"null",
		"\"text\"",
		"{\"b\":1,\"a\":[true,false,null,-5],\"c\":{\"d\":\"\\u0001\\n\\\"\"}}",
		"9223372036854775807",
	};
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(json) struct json_t *json = NULL;
		pmg_autofree char *text = NULL;

		assert_int_equal(pmg_json_parse("t", rows[i], strlen(rows[i]), &json, &err), 0);
		text = pmg_json_dump(json);
		assert_string_equal(text, rows[i]);
	}
}

/* Else a document would be one for us and another for who reads on. */
static void nothing_hides_behind_a_nul(void **state)
{
	static const char text[] = "{}\0{\"a\":1}";
	struct pmg_err err = PMG_ERR_INIT;
	struct json_t *json = NULL;

	(void)state;
	assert_int_equal(pmg_json_parse("doc", text, sizeof text - 1, &json, &err), -PMG_E_PARSE);
	assert_string_equal(err.msg, "doc: a NUL byte");
	assert_null(json);
	assert_int_equal(pmg_json_parse("doc", text, 2, &json, &err), 0);
	pmg_json_free(json);
}

static void what_is_no_json_is_refused_with_its_place(void **state)
{
	static const struct {
		const char *text;
		const char *says;
	} rows[] = {
		{ "", "doc:1:" },
		{ "{", "doc:1:" },
		{ "{}x", "doc:1:" },
		{ "{\n\"a\": }", "doc:2:" },
		{ "{\"a\":1,\"a\":2}", "duplicate" },
		{ "'a'", "doc:1:" },
		{ "[1,]", "doc:1:" },
		{ "\"\xff\"", "doc:1:" },
		{ "\"\\u0000\"", "doc:1:" },
		{ "99999999999999999999", "doc:1:" },
	};
	struct pmg_err err = PMG_ERR_INIT;
	struct json_t *json = NULL;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		assert_int_equal(
			pmg_json_parse("doc", rows[i].text, strlen(rows[i].text), &json, &err),
			-PMG_E_PARSE);
		assert_non_null(strstr(err.msg, rows[i].says));
		assert_null(json);
	}
}

/* A file that the tool reads must not be unreadable for us. */
static void a_file_of_javascript_is_read_as_it_does(void **state)
{
	static const struct {
		const char *text, *version; /* NULL: cannot be read */
	} rows[] = {
		{ "{\"version\":\"1\"}", "1" },
		{ "\xef\xbb\xbf{\"version\":\"1\"}", "1" },
		{ "\xef\xbb\xbf\xef\xbb\xbf{\"version\":\"1\"}", NULL },
		{ "{\"version\":\"1\",\"version\":\"2\"}", "2" },
		{ "{\"a\":1,\"a\":1,\"version\":\"3\"}", "3" },
		{ "\xef\xbb", NULL },
		{ "{\"version\":\"1\"}x", NULL },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		pmg_auto(json) struct json_t *json = NULL;
		struct pmg_err err = PMG_ERR_INIT;
		int r = pmg_json_parse_as_js("t", rows[i].text, strlen(rows[i].text), &json, &err);

		assert_int_equal(r, rows[i].version ? 0 : -PMG_E_PARSE);
		assert_true(pmg_streq(pmg_json_str(json, "version"), rows[i].version));
	}
}

static void depth_is_limited(void **state)
{
	pmg_autofree char *text = pmg_xmalloc(100000);
	struct pmg_err err = PMG_ERR_INIT;
	struct json_t *json = NULL;

	(void)state;
	memset(text, '[', 100000);
	assert_int_equal(pmg_json_parse("doc", text, 100000, &json, &err), -PMG_E_PARSE);
	assert_null(json);
}

/* The parser's own words repeat what stands there: they end on somebody's terminal. */
static void an_error_holds_no_control_bytes(void **state)
{
	static const char *const rows[] = { "\x1b", "[\x1b[31m", "{\"a\x07\":1}", "a\xe2\x80\xae" };
	struct pmg_err err = PMG_ERR_INIT;
	struct json_t *json = NULL;
	const char *p;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		assert_int_equal(pmg_json_parse("doc", rows[i], strlen(rows[i]), &json, &err),
				 -PMG_E_PARSE);
		for (p = err.msg; *p; p++)
			assert_true((unsigned char)*p >= 0x20 && (unsigned char)*p < 0x7f);
	}
}

static void what_is_absent_or_of_another_type_reads_as_nothing(void **state)
{
	static const char text[] =
		"{\"s\":\"x\",\"n\":7,\"t\":true,\"r\":1.5,\"o\":{},\"l\":[1,2]}";
	pmg_auto(json) struct json_t *json = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_json_parse("t", text, strlen(text), &json, &err), 0);
	assert_string_equal(pmg_json_str(json, "s"), "x");
	assert_null(pmg_json_str(json, "n"));
	assert_null(pmg_json_str(json, "none"));
	assert_null(pmg_json_str(NULL, "s"));
	assert_int_equal(pmg_json_int(json, "n"), 7);
	assert_int_equal(pmg_json_int(json, "s"), 0);
	assert_int_equal(pmg_json_int(json, "r"), 0);
	assert_true(pmg_json_bool(json, "t"));
	assert_false(pmg_json_bool(json, "n"));
	assert_true(pmg_json_is_object(pmg_json_get(json, "o")));
	assert_false(pmg_json_is_object(pmg_json_get(json, "l")));
	assert_true(pmg_json_is_array(pmg_json_get(json, "l")));
	assert_int_equal(pmg_json_len(pmg_json_get(json, "l")), 2);
	assert_int_equal(pmg_json_len(pmg_json_get(json, "o")), 0);
	assert_null(pmg_json_at(pmg_json_get(json, "l"), 2));
	assert_null(pmg_json_iter(pmg_json_get(json, "l")));
	assert_null(pmg_json_iter(NULL));
}

static void an_object_is_walked_in_its_order(void **state)
{
	static const char text[] = "{\"z\":1,\"a\":2,\"m\":3}";
	pmg_auto(json) struct json_t *json = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	char keys[8] = "";
	size_t n = 0;

	(void)state;
	assert_int_equal(pmg_json_parse("t", text, strlen(text), &json, &err), 0);
	pmg_json_object_each (json, it) {
		assert_true(n < sizeof keys - 1);
		keys[n++] = pmg_json_iter_key(it)[0];
		assert_non_null(pmg_json_iter_value(it));
	}
	assert_string_equal(keys, "zam");
}

static void what_is_built_is_valid_whatever_the_text(void **state)
{
	pmg_auto(json) struct json_t *json = pmg_json_object();
	struct json_t *list = pmg_json_array();
	pmg_autofree char *text = NULL;

	(void)state;
	pmg_json_set_str(json, "good", "\xc3\xbc");
	pmg_json_set_str(json, "bad",
			 "a\xff"
			 "b");
	pmg_json_set_str(json, "none", NULL);
	pmg_json_set_int(json, "n", INT64_MIN);
	pmg_json_set_bool(json, "t", true);
	pmg_json_add_str(list, "x\ny");
	pmg_json_add(list, pmg_json_object());
	pmg_json_set(json, "l", list);
	text = pmg_json_dump(json);
	assert_string_equal(text, "{\"good\":\"\xc3\xbc\",\"bad\":\"a\\\\xffb\","
				  "\"n\":-9223372036854775808,\"t\":true,\"l\":[\"x\\ny\",{}]}");
}

static void a_count_is_never_negative(void **state)
{
	static const struct {
		uint64_t n;
		const char *text;
	} rows[] = { { 0, "{\"n\":0}" },
		     { INT64_MAX, "{\"n\":9223372036854775807}" },
		     { UINT64_MAX, "{\"n\":9223372036854775807}" } };
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(json) struct json_t *json = pmg_json_object();
		pmg_autofree char *text = NULL;

		pmg_json_set_count(json, "n", rows[i].n);
		text = pmg_json_dump(json);
		assert_string_equal(text, rows[i].text);
	}
}

static void a_list_of_texts_keeps_its_order(void **state)
{
	pmg_auto(strv) struct pmg_strv list = { 0 };
	pmg_auto(json) struct json_t *none = pmg_json_strv(&list);
	pmg_auto(json) struct json_t *array = NULL;
	pmg_autofree char *empty = pmg_json_dump(none);
	pmg_autofree char *text = NULL;

	(void)state;
	pmg_strv_add(&list, "b");
	pmg_strv_add(&list, "a\xff");
	array = pmg_json_strv(&list);
	text = pmg_json_dump(array);
	assert_string_equal(empty, "[]");
	assert_string_equal(text, "[\"b\",\"a\\\\xff\"]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_document_goes_in_and_out_unchanged),
		cmocka_unit_test(nothing_hides_behind_a_nul),
		cmocka_unit_test(what_is_no_json_is_refused_with_its_place),
		cmocka_unit_test(a_file_of_javascript_is_read_as_it_does),
		cmocka_unit_test(depth_is_limited),
		cmocka_unit_test(an_error_holds_no_control_bytes),
		cmocka_unit_test(what_is_absent_or_of_another_type_reads_as_nothing),
		cmocka_unit_test(an_object_is_walked_in_its_order),
		cmocka_unit_test(what_is_built_is_valid_whatever_the_text),
		cmocka_unit_test(a_count_is_never_negative),
		cmocka_unit_test(a_list_of_texts_keeps_its_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
