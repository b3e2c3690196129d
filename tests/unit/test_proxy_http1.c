#include "proxy/http1.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"

#define GET "GET / HTTP/1.1\r\n"

static void a_request_is_read_whole(void **state)
{
	static const char text[] = "\r\nPOST /a?b=c HTTP/1.1\r\nHost: x.test\r\n"
				   "Empty:\r\nX-Two:  a b \t\r\n\r\n";
	pmg_auto(head) struct pmg_head head = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	size_t scanned = 0;

	(void)state;
	assert_int_equal(pmg_head_end(text, sizeof text - 1, &scanned), sizeof text - 1);
	assert_int_equal(pmg_request_parse(text, sizeof text - 1, &head, &err), 0);
	assert_string_equal(head.method, "POST");
	assert_string_equal(head.target, "/a?b=c");
	assert_int_equal(head.minor, 1);
	assert_int_equal(head.n, 3);
	assert_string_equal(pmg_head_get(&head, "hOST"), "x.test");
	assert_string_equal(pmg_head_get(&head, "empty"), "");
	assert_string_equal(pmg_head_get(&head, "x-two"), "a b");
	assert_null(pmg_head_get(&head, "x-three"));
}

static void the_end_of_a_head_is_found_whatever_the_pieces(void **state)
{
	static const char text[] = "GET / HTTP/1.1\r\nA: b\r\n\r\nGET /next";
	const ssize_t want = (ssize_t)strlen("GET / HTTP/1.1\r\nA: b\r\n\r\n");
	size_t piece, scanned, len;
	ssize_t r;

	(void)state;
	for (piece = 1; piece < sizeof text; piece++) {
		scanned = 0;
		for (len = piece, r = 0; r == 0; len += piece)
			r = pmg_head_end(text, len < sizeof text - 1 ? len : sizeof text - 1,
					 &scanned);
		assert_int_equal(r, want);
	}
}

static void ends_that_two_readers_see_differently_are_refused(void **state)
{
	static const struct {
		const char *text;
		size_t len;
	} rows[] = {
		{ "GET / HTTP/1.1\n\n", 16 },
		{ "GET / HTTP/1.1\r\nA: b\nC: d\r\n\r\n", 30 },
		{ "GET / HTTP/1.1\r\nA: \0b\r\n\r\n", 25 },
		{ "\nGET / HTTP/1.1\r\n\r\n", 19 },
	};
	size_t i, scanned;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		scanned = 0;
		assert_int_equal(pmg_head_end(rows[i].text, rows[i].len, &scanned), -PMG_E_PARSE);
	}
}

static void a_head_without_end_is_refused_at_the_limit(void **state)
{
	static char big[PMG_HTTP_HEAD_MAX + 10];
	size_t scanned = 0;

	(void)state;
	memset(big, 'a', sizeof big);
	assert_int_equal(pmg_head_end(big, PMG_HTTP_HEAD_MAX - 1, &scanned), 0);
	assert_int_equal(pmg_head_end(big, sizeof big, &scanned), -PMG_E_LIMIT);
}

static void malformed_requests_are_refused(void **state)
{
	static const struct {
		const char *text;
		int code;
	} rows[] = {
		{ "GET / HTTP/1.1\r\n", -PMG_E_PARSE }, /* no end */
		{ "GET  / HTTP/1.1\r\n\r\n", -PMG_E_PARSE },
		{ "GET /  HTTP/1.1\r\n\r\n", -PMG_E_PARSE },
		{ "GET /\tHTTP/1.1\r\n\r\n", -PMG_E_PARSE },
		{ " GET / HTTP/1.1\r\n\r\n", -PMG_E_PARSE },
		{ "GET / HTTP/1.1 \r\n\r\n", -PMG_E_PARSE },
		{ "GET /\r\n\r\n", -PMG_E_PARSE }, /* HTTP/0.9 */
		{ "GET / HTTP/11\r\n\r\n", -PMG_E_PARSE },
		{ "GET / http/1.1\r\n\r\n", -PMG_E_PARSE },
		{ "GET / HTTP/2.0\r\n\r\n", -PMG_E_UNSUPPORTED },
		{ "GET / HTTP/1.2\r\n\r\n", -PMG_E_UNSUPPORTED },
		{ "G(T / HTTP/1.1\r\n\r\n", -PMG_E_PARSE },
		{ "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA / HTTP/1.1\r\n\r\n", -PMG_E_PARSE },
		{ "GET /#x HTTP/1.1\r\n\r\n", -PMG_E_PARSE },
		{ "GET /\x7f HTTP/1.1\r\n\r\n", -PMG_E_PARSE },
		{ GET "Host : x\r\n\r\n", -PMG_E_PARSE },      /* blank before the colon */
		{ GET "A: b\r\n C: d\r\n\r\n", -PMG_E_PARSE }, /* folded */
		{ GET " A: b\r\n\r\n", -PMG_E_PARSE },
		{ GET "A\r\n\r\n", -PMG_E_PARSE },
		{ GET ": b\r\n\r\n", -PMG_E_PARSE },
		{ GET "A: b\rC: d\r\n\r\n", -PMG_E_PARSE }, /* bare CR */
		{ GET "A: b\x01\r\n\r\n", -PMG_E_PARSE },
		{ GET "A\xff: b\r\n\r\n", -PMG_E_PARSE },
		{ GET "A: b\r\n\r\nmore", -PMG_E_PARSE },
		{ "\r\n\r\n" GET "\r\n", -PMG_E_PARSE },
	};
	struct pmg_err err = PMG_ERR_INIT;
	struct pmg_head head = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		assert_int_equal(pmg_request_parse(rows[i].text, strlen(rows[i].text), &head, &err),
				 rows[i].code);
		assert_true(err.msg[0]);
		assert_null(head.text);
	}
}

static void a_request_has_a_bounded_number_of_lines(void **state)
{
	pmg_auto(str) struct pmg_str text = PMG_STR_INIT(PMG_HTTP_HEAD_MAX);
	pmg_auto(head) struct pmg_head head = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	assert_int_equal(pmg_str_adds(&text, GET), 0);
	for (i = 0; i < PMG_HTTP_FIELDS_MAX; i++)
		assert_int_equal(pmg_str_adds(&text, "A: b\r\n"), 0);
	assert_int_equal(pmg_str_adds(&text, "\r\n"), 0);
	assert_int_equal(pmg_request_parse(text.s, text.len, &head, &err), 0);
	assert_int_equal(head.n, PMG_HTTP_FIELDS_MAX);
	pmg_head_done(&head);
	text.len -= 2;
	assert_int_equal(pmg_str_adds(&text, "C: d\r\n\r\n"), 0);
	assert_int_equal(pmg_request_parse(text.s, text.len, &head, &err), -PMG_E_LIMIT);
}

static void responses_are_read_as_servers_write_them(void **state)
{
	static const struct {
		const char *text;
		int code, status, minor;
		const char *reason, *a;
	} rows[] = {
		{ "HTTP/1.1 200 OK\r\nA: b\r\n\r\n", 0, 200, 1, "OK", "b" },
		{ "HTTP/1.1 200\r\nA: b\r\n\r\n", 0, 200, 1, "", "b" },
		{ "HTTP/1.0 404 Not  Found\nA: b\n\n", 0, 404, 0, "Not  Found", "b" },
		{ "HTTP/2 200 \r\na: b\r\n\r\n", 0, 200, 1, "", "b" },
		{ "HTTP/1.1 200 OK\r\nA: b\r\n  c\r\n\td\r\nE: f\r\n\r\n", 0, 200, 1, "OK",
		  "b    c  \td" },
		{ "HTTP/1.1 200 OK\r\nA: b", 0, 200, 1, "OK", "b" },
		{ "HTTP/1.1 2000 OK\r\n\r\n", -PMG_E_PARSE, 0, 0, NULL, NULL },
		{ "HTTP/1.1 20 OK\r\n\r\n", -PMG_E_PARSE, 0, 0, NULL, NULL },
		{ "HTTP/1.1 099 OK\r\n\r\n", -PMG_E_PARSE, 0, 0, NULL, NULL },
		{ "ICY 200 OK\r\n\r\n", -PMG_E_PARSE, 0, 0, NULL, NULL },
		{ "HTTP/1.1 200 OK\r\nA b\r\n\r\n", -PMG_E_PARSE, 0, 0, NULL, NULL },
		{ "HTTP/1.1 200 OK\r\nA: b\x02\r\n\r\n", -PMG_E_PARSE, 0, 0, NULL, NULL },
		{ "HTTP/1.1 200 O\rK\r\n\r\n", -PMG_E_PARSE, 0, 0, NULL, NULL },
		{ "", -PMG_E_PARSE, 0, 0, NULL, NULL },
	};
	struct pmg_err err = PMG_ERR_INIT;
	struct pmg_head head = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		assert_int_equal(
			pmg_response_parse(rows[i].text, strlen(rows[i].text), &head, &err),
			rows[i].code);
		if (rows[i].code < 0)
			continue;
		assert_int_equal(head.status, rows[i].status);
		assert_int_equal(head.minor, rows[i].minor);
		assert_string_equal(head.reason, rows[i].reason);
		assert_string_equal(pmg_head_get(&head, "a"), rows[i].a);
		pmg_head_done(&head);
	}
	assert_int_equal(pmg_response_parse("HTTP/1.1 200 OK\r\nA: \0b\r\n\r\n", 26, &head, &err),
			 -PMG_E_PARSE);
}

static void what_is_for_one_connection_only_is_stripped(void **state)
{
	static const char text[] =
		GET "Connection: close, X-Secret\r\nX-Secret: 1\r\n"
		    "Keep-Alive: 5\r\nProxy-Authorization: Basic x\r\n"
		    "Proxy-Connection: keep-alive\r\nTE: trailers\r\nTrailer: x\r\n"
		    "Transfer-Encoding: chunked\r\nUpgrade: h2c\r\n"
		    "Connection: x-other\r\nX-OTHER: 2\r\n"
		    "Accept: */*\r\nAuthorization: Bearer t\r\n\r\n";
	pmg_auto(head) struct pmg_head head = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_request_parse(text, sizeof text - 1, &head, &err), 0);
	pmg_head_strip(&head);
	assert_int_equal(head.n, 2);
	assert_string_equal(head.fields[0].name, "Accept");
	assert_string_equal(head.fields[1].name, "Authorization");
	pmg_head_remove(&head, "ACCEPT");
	assert_int_equal(head.n, 1);
	assert_int_equal(pmg_head_count(&head, "authorization"), 1);
}

static void keeping_the_connection_follows_version_and_lists(void **state)
{
	static const struct {
		const char *text;
		bool keeps;
	} rows[] = {
		{ "GET / HTTP/1.1\r\n\r\n", true },
		{ "GET / HTTP/1.0\r\n\r\n", false },
		{ "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", true },
		{ "GET / HTTP/1.0\r\nProxy-Connection: Keep-Alive\r\n\r\n", true },
		{ "GET / HTTP/1.1\r\nConnection: foo,CLOSE\r\n\r\n", false },
		{ "GET / HTTP/1.1\r\nConnection: foo\r\nConnection: close\r\n\r\n", false },
		{ "GET / HTTP/1.1\r\nConnection: closed\r\n\r\n", true },
		{ "GET / HTTP/1.1\r\nProxy-Connection: close\r\n\r\n", false },
	};
	struct pmg_err err = PMG_ERR_INIT;
	struct pmg_head head = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		assert_int_equal(pmg_request_parse(rows[i].text, strlen(rows[i].text), &head, &err),
				 0);
		assert_int_equal(pmg_head_keeps(&head), rows[i].keeps);
		pmg_head_done(&head);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_is_read_whole),
		cmocka_unit_test(the_end_of_a_head_is_found_whatever_the_pieces),
		cmocka_unit_test(ends_that_two_readers_see_differently_are_refused),
		cmocka_unit_test(a_head_without_end_is_refused_at_the_limit),
		cmocka_unit_test(malformed_requests_are_refused),
		cmocka_unit_test(a_request_has_a_bounded_number_of_lines),
		cmocka_unit_test(responses_are_read_as_servers_write_them),
		cmocka_unit_test(what_is_for_one_connection_only_is_stripped),
		cmocka_unit_test(keeping_the_connection_follows_version_and_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
