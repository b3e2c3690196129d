#include "proxy/simple.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "paging.h"

#define FILE1  "{'filename':'x-1.0.tar.gz','url':'https://f.test/x-1.0.tar.gz'}"
#define FILE2  "{'filename':'x-2.0.tar.gz','url':'https://f.test/x-2.0.tar.gz','hashes':{'url':'y'}}"
#define WHEEL2 "{ 'url' : '../x-2.0-py3-none-any.whl' , 'filename' : 'x-2.0-py3-none-any.whl' }"

static void files_that_are_withheld_are_gone(void **state)
{
	static const struct {
		const char *page, *withheld, *want;
	} rows[] = {
		{ "{}", " 1.0 ", "{}" },
		{ "{'files':[]}", " 1.0 ", "{'files':[]}" },
		{ "{'files':[" FILE1 "," FILE2 "]}", " ", "{'files':[" FILE1 "," FILE2 "]}" },
		{ "{'files':[" FILE1 "," FILE2 "]}", " 2.0 ", "{'files':[" FILE1 "]}" },
		{ "{'files':[" FILE1 "," FILE2 "]}", " 1.0 ", "{'files':[" FILE2 "]}" },
		{ "{'files':[" FILE1 "," FILE2 "]}", " 1.0 2.0 ", "{'files':[]}" },
		{ "{'name':'x','versions':['1.0','2.0'],'files':[" FILE1 " ,\n" FILE2 " ,\n" WHEEL2
		  "\n],'meta':{'files':[" FILE2 "]}}",
		  " 2.0 ",
		  "{'name':'x','versions':['1.0'],'files':[" FILE1 "\n],'meta':{'files':[" FILE2
		  "]}}" },
		/* Spelled in another way it is the same version; one that has no file stays. */
		{ "{'files':[" FILE1 "," FILE2 "],'versions':['1','2','3.0','v2.0.0']}", " 2.0 ",
		  "{'files':[" FILE1 "],'versions':['1','3.0']}" },
		/* A slash may be written with an escape. */
		{ "{'files':[{'filename':'x-2.0.tar.gz','url':'https:\\/\\/f.test\\/"
		  "x-2.0.tar.gz'}]}",
		  " 2.0 ", "{'files':[]}" },
		{ "{'files':[{'filename':'\\u0078-2.0.tar.gz','url':'/x-2.0.tar.gz'}]}", " 2.0 ",
		  "{'files':[]}" },
		/* Of no version that can be told. */
		{ "{'files':[{'filename':'y-2.0.tar.gz','url':'/y-2.0.tar.gz'}]}", " ? ",
		  "{'files':[]}" },
		{ "{'files':[{'filename':'x.exe','url':'/x.exe'}]}", " ? ", "{'files':[]}" },
		/* By an address that ends in no file, only the name counts. */
		{ "{'files':[{'filename':'x-2.0.tar.gz','url':'/get/17'}]}", " 2.0 ",
		  "{'files':[]}" },
	};
	size_t i, piece;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		for (piece = 1; piece < 70; piece += 1 + piece / 4) {
			pmg_autofree char *json = paging_quoted(rows[i].page),
					  *want = paging_quoted(rows[i].want), *got = NULL;

			got = paging_filter(pmg_simple_json_new("x"), json, strlen(json), piece,
					    rows[i].withheld);
			assert_string_equal(got, want);
		}
}

static void a_file_that_could_be_two_is_withheld(void **state)
{
	static const char *const rows[] = {
		"{'filename':'x-1.0.tar.gz','url':'/x-2.0.tar.gz'}",
		"{'filename':'x-1.0.tar.gz','url':'/x-1.0%2F..%2Fx-2.0.tar.gz'}",
		"{'filename':'x-1.0.tar.gz','url':'/x-1.0.tar.gz#egg=x-2.0'}",
		"{'filename':'x-1.0.tar.gz','url':'/x-1.0.tar.gz?a=1&egg=x-2.0'}",
		"{'filename':'x-1.0.tar.gz','url':'git+https://x.test/x-1.0.tar.gz'}",
		"{'filename':'x-1.0.tar.gz','url':'/y-1.0.tar.gz'}",
		"{'filename':'x-1.0.tar.gz'}",
		"{'url':'/x-1.0.tar.gz'}",
		"{'filename':'x-1.0.tar.gz','url':null}",
		"{'filename':{'filename':'x-1.0.tar.gz'},'url':'/x-1.0.tar.gz'}",
		"{'filename':'x-1.0.tar.gz','filename':'x-1.0.tar.gz','url':'/x-1.0.tar.gz'}",
		"{'filename':'x-1.0.tar.gz','url':'/x-2.0.tar.gz','url':'/x-1.0.tar.gz'}",
		"{'filename':'x-1.0.tar.gz','\\u0075rl':'/x-2.0.tar.gz','url':'/x-1.0.tar.gz'}",
		("{'upload-time':'2020-01-01T00:00:00Z','filename':'x-1.0.tar.gz','url':"
		 "'/x-1.0.tar.gz','upload-time':'2020-01-01T00:00:00Z'}"),
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *row = pmg_xasprintf("{'files':[%s,%s]}", rows[i], FILE2);
		pmg_autofree char *json = paging_quoted(row), *got = NULL,
				  *want = paging_quoted("{'files':[" FILE2 "]}");

		got = paging_filter(pmg_simple_json_new("x"), json, strlen(json), 9, " ");
		if (strcmp(got, want) != 0)
			fail_msg("%s: %s", rows[i], got);
	}
}

static void dates_are_those_of_each_file(void **state)
{
	static const struct {
		const char *date;
		int64_t want;
	} rows[] = {
		{ "'upload-time':'1970-01-02T00:00:00.123456Z'", 86400 },
		{ "'upload-time':'1970-01-02T00:00:00+00:00'", 86400 },
		{ "'upload-time':'1970-01-02'", PMG_PUBLISHED_NONE },
		{ "'upload-time':86400", PMG_PUBLISHED_NONE },
		{ "'upload-time':null", PMG_PUBLISHED_NONE },
		{ "'upload_time':'1970-01-02T00:00:00Z'", PMG_PUBLISHED_NONE },
		{ "'core-metadata':{'upload-time':'1970-01-02T00:00:00Z'}", PMG_PUBLISHED_NONE },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *row = pmg_xasprintf(
			"{'files':[{%s,'filename':'x-1.0.zip','url':'x-1.0.zip'}]}", rows[i].date);
		pmg_autofree char *json = paging_quoted(row);
		pmg_auto(simple) struct pmg_simple *page = pmg_simple_json_new("x");
		struct pmg_err err = PMG_ERR_INIT;

		assert_int_equal(paging_read(page, json, strlen(json), 7, &err), 0);
		assert_int_equal(pmg_simple_count(page), 1);
		assert_int_equal(pmg_simple_file(page, 0).published, rows[i].want);
		assert_int_equal(pmg_simple_has_dates(page), rows[i].want != PMG_PUBLISHED_NONE);
	}
}

static void what_could_be_read_in_two_ways_is_refused(void **state)
{
	static const struct {
		const char *page, *message;
	} rows[] = {
		{ "[]", "byte 0: the page is no object" },
		{ "{'files':[],'files':[]}", "byte 12: a key that decides stands there twice" },
		{ "{'versions':[],'versions':[]}",
		  "byte 15: a key that decides stands there twice" },
		{ "{'\\u0066iles':[]}", "byte 1: a key that decides, with an escape" },
		{ "{'files':{}}", "byte 9: \"files\" or \"versions\" is no list" },
		{ "{'files':['x']}", "byte 10: a file that is no object" },
		{ "{'files':[[]]}", "byte 10: a file that is no object" },
		{ "{'versions':[{}]}", "byte 13: a version that is no text" },
		{ "{'files':[}", "byte 10: no value of JSON" },
		{ "{'files':[", "byte 10: the document has not ended" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *json = paging_quoted(rows[i].page), *got = NULL;

		got = paging_filter(pmg_simple_json_new("x"), json, strlen(json), 3, " ");
		assert_string_equal(got, rows[i].message);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_that_are_withheld_are_gone),
		cmocka_unit_test(a_file_that_could_be_two_is_withheld),
		cmocka_unit_test(dates_are_those_of_each_file),
		cmocka_unit_test(what_could_be_read_in_two_ways_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
