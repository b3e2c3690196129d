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
static int young(void *ctx, const char *version, int64_t published, struct pmg_err *err)
{
	(void)version, (void)err;
	return published == PMG_PUBLISHED_NONE || published > *(const int64_t *)ctx;
}

/* By the name of a file: what its version ends in; of 4.0 nobody knows. */
static int64_t known(void *ctx, const char *file)
{
	(void)ctx;
	return strcmp(file, "x-4.0.zip") == 0 ? PMG_PUBLISHED_NONE : file[2] - '0';
}

static void what_has_no_date_may_get_one_from_elsewhere(void **state)
{
	pmg_auto(simple) struct pmg_simple *json = read_page(
		pmg_simple_json_new("x"),
		"{'files':["
		"{'filename':'x-3.0.zip','url':'x-3.0.zip','upload-time':'1970-01-01T00:00:09Z'},"
		"{'filename':'x-1.0.zip','url':'x-1.0.zip'}]}");
	pmg_auto(simple) struct pmg_simple *html = read_page(
		pmg_simple_html_new("x"), "<a href='x-1.0.zip'>1</a><a href='x-3.0.zip'>3</a>"
					  "<a href='x-4.0.zip'>4</a>");
	pmg_auto(filtered) struct pmg_filtered out = PMG_FILTERED_INIT;
	struct pmg_err err = PMG_ERR_INIT;
	int64_t limit = 2;

	(void)state;
	assert_true(pmg_simple_has_dates(json));
	pmg_simple_date(json, known, NULL);
	assert_int_equal(pmg_simple_file(json, 0).published, 9);
	assert_int_equal(pmg_simple_file(json, 1).published, 1);
	assert_false(pmg_simple_has_dates(html));
	pmg_simple_date(html, known, NULL);
	assert_int_equal(pmg_simple_count(html), 3);
	assert_string_equal(pmg_simple_file(html, 1).name, "x-3.0.zip");
	assert_string_equal(pmg_simple_file(html, 1).version, "3.0");
	assert_int_equal(pmg_simple_filter(html, young, &limit, &out, &err), 0);
	assert_int_equal(out.n, 2);
	assert_int_equal(out.left, 1);
	assert_string_equal(out.withheld[0].file, "x-3.0.zip");
	assert_string_equal(out.withheld[0].version, "3.0");
	assert_int_equal(out.withheld[0].published, 3);
	assert_int_equal(out.withheld[0].reason, 1);
	assert_string_equal(out.withheld[1].file, "x-4.0.zip");
	assert_int_equal(out.withheld[1].published, PMG_PUBLISHED_NONE);
}

static int no_answer(void *ctx, const char *version, int64_t published, struct pmg_err *err)
{
	(void)ctx, (void)version, (void)published;
	return pmg_err_set(err, PMG_E_DB, 0, "it is locked");
}

static void a_judge_without_an_answer_ends_it(void **state)
{
	pmg_auto(simple) struct pmg_simple *page =
		read_page(pmg_simple_html_new("x"), "<a href='x-1.0.zip'>1</a>");
	pmg_auto(filtered) struct pmg_filtered out = PMG_FILTERED_INIT;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_simple_filter(page, no_answer, NULL, &out, &err), -PMG_E_DB);
	assert_int_equal(err.code, PMG_E_DB);
	assert_string_equal(err.msg, "version 1.0 could not be judged: it is locked");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(charsets_in_which_tags_hide_are_told),
		cmocka_unit_test(what_has_no_date_may_get_one_from_elsewhere),
		cmocka_unit_test(a_judge_without_an_answer_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
