#include "proxy/simple.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "paging.h"

static void charsets_in_which_tags_hide_are_told(void **state)
{
	static const struct {
		const char *type;
		bool is_readable;
	} rows[] = {
		{ NULL, true },
		{ "text/html", true },
		{ "text/html; charset=utf-8", true },
		{ "text/html;Charset=\"UTF-8\"; x=y", true },
		{ "text/html; charset=iso-8859-1", true },
		{ "text/html; charset=utf-7", false },
		{ "text/html; charset=utf-16", false },
		{ "text/html; charset=utf-8x", false },
		{ "text/html; charset=utf-8; charset=utf-7", false },
		{ "text/html; charset=", false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		if (pmg_simple_is_readable(rows[i].type) != rows[i].is_readable)
			fail_msg("%s", rows[i].type);
}

static struct pmg_simple *read_page(struct pmg_simple *page, const char *row)
{
	pmg_autofree char *text = paging_quoted(row);
	struct pmg_err err = PMG_ERR_INIT;

	if (paging_read(page, text, strlen(text), 11, &err) < 0)
		fail_msg("%s: %s", row, err.msg);
	return page;
}

/* Withholds what is younger than ctx. */
static int young(void *ctx, const char *version, int64_t published)
{
	(void)version;
	return published == PMG_PUBLISHED_NONE || published > *(const int64_t *)ctx;
}

static void html_takes_its_dates_from_json(void **state)
{
	pmg_auto(simple) struct pmg_simple *json = read_page(
		pmg_simple_json_new("x"),
		"{'files':["
		"{'filename':'x-3.0.zip','url':'x-3.0.zip','upload-time':'1970-01-01T00:00:03Z'},"
		"{'filename':'x-1.0.zip','url':'x-1.0.zip','upload-time':'1970-01-01T00:00:01Z'},"
		"{'filename':'x-2.0.zip','url':'x-2.0.zip','upload-time':'1970-01-01T00:00:02Z'},"
		"{'filename':'x-2.0.zip','url':'x-2.0.zip','upload-time':'1970-01-01T00:00:09Z'},"
		"{'filename':'x-2.5.zip','url':'x-2.5.zip','upload-time':'1970-01-01T00:00:09Z'},"
		"{'filename':'x-2.5.zip','url':'x-2.5.zip'}]}");
	pmg_auto(simple) struct pmg_simple *html =
		read_page(pmg_simple_html_new("x"),
			  "<a href='x-1.0.zip'>1</a><a href='x-2.0.zip'>2</a><a href='x-2.5.zip'>"
			  "25</a><a href='x-3.0.zip'>3</a><a href='x-4.0.zip'>4</a>");
	pmg_auto(filtered) struct pmg_filtered out = PMG_FILTERED_INIT;
	struct pmg_err err = PMG_ERR_INIT;
	int64_t limit = 3;
	bool is_there;

	(void)state;
	assert_true(pmg_simple_has_dates(json));
	assert_false(pmg_simple_has_dates(html));
	pmg_simple_take_dates(html, json);
	assert_int_equal(pmg_simple_count(html), 5);
	assert_int_equal(pmg_simple_file(html, 0).published, 1);
	assert_int_equal(pmg_simple_file(html, 1).published, 9); /* the later one */
	assert_int_equal(pmg_simple_file(html, 2).published, PMG_PUBLISHED_NONE);
	assert_int_equal(pmg_simple_file(html, 3).published, 3);
	assert_int_equal(pmg_simple_file(html, 4).published, PMG_PUBLISHED_NONE);
	assert_string_equal(pmg_simple_file(html, 3).name, "x-3.0.zip");
	assert_string_equal(pmg_simple_file(html, 3).version, "3.0");
	assert_int_equal(pmg_simple_published(json, "x-9.0.zip", &is_there), PMG_PUBLISHED_NONE);
	assert_false(is_there);
	assert_int_equal(pmg_simple_filter(html, young, &limit, &out, &err), 0);
	assert_int_equal(out.n, 3);
	assert_int_equal(out.left, 2);
	assert_string_equal(out.withheld[0].file, "x-2.0.zip");
	assert_string_equal(out.withheld[0].version, "2.0");
	assert_int_equal(out.withheld[0].published, 9);
	assert_int_equal(out.withheld[0].reason, 1);
	assert_string_equal(out.withheld[2].file, "x-4.0.zip");
}

static int no_answer(void *ctx, const char *version, int64_t published)
{
	(void)ctx, (void)version, (void)published;
	return -PMG_E_DB;
}

static void a_judge_without_an_answer_ends_it(void **state)
{
	pmg_auto(simple) struct pmg_simple *page =
		read_page(pmg_simple_html_new("x"), "<a href='x-1.0.zip'>1</a>");
	pmg_auto(filtered) struct pmg_filtered out = PMG_FILTERED_INIT;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_simple_filter(page, no_answer, NULL, &out, &err), -PMG_E_DB);
	assert_string_equal(err.msg, "version 1.0 could not be judged");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(charsets_in_which_tags_hide_are_told),
		cmocka_unit_test(html_takes_its_dates_from_json),
		cmocka_unit_test(a_judge_without_an_answer_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
