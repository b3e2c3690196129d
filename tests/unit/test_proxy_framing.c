#include "proxy/framing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"

static void request_bodies_end_in_one_way_or_are_refused(void **state)
{
	static const struct {
		const char *version, *fields;
		int code;
		enum pmg_framing framing;
		uint64_t length;
	} rows[] = {
		{ "1.1", "", 0, PMG_FRAMING_NONE, 0 },
		{ "1.1", "Content-Length: 0\r\n", 0, PMG_FRAMING_NONE, 0 },
		{ "1.1", "Content-Length: 17\r\n", 0, PMG_FRAMING_LENGTH, 17 },
		{ "1.0", "Content-Length: 17\r\n", 0, PMG_FRAMING_LENGTH, 17 },
		{ "1.1", "Transfer-Encoding: Chunked\r\n", 0, PMG_FRAMING_CHUNKED, 0 },
		{ "1.0", "Transfer-Encoding: chunked\r\n", -PMG_E_PARSE, 0, 0 },
		{ "1.1", "Content-Length: 5\r\nContent-Length: 5\r\n", -PMG_E_PARSE, 0, 0 },
		{ "1.1", "Content-Length: 5\r\ncontent-length: 6\r\n", -PMG_E_PARSE, 0, 0 },
		{ "1.1", "Content-Length: 5, 5\r\n", -PMG_E_PARSE, 0, 0 },
		{ "1.1", "Content-Length: +5\r\n", -PMG_E_PARSE, 0, 0 },
		{ "1.1", "Content-Length: 0x5\r\n", -PMG_E_PARSE, 0, 0 },
		{ "1.1", "Content-Length: -1\r\n", -PMG_E_PARSE, 0, 0 },
		{ "1.1", "Content-Length:\r\n", -PMG_E_PARSE, 0, 0 },
		{ "1.1", "Content-Length: 99999999999999999999\r\n", -PMG_E_LIMIT, 0, 0 },
		{ "1.1", "Content-Length: 1152921504606846977\r\n", -PMG_E_LIMIT, 0, 0 },
		{ "1.1", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", -PMG_E_PARSE, 0,
		  0 },
		{ "1.1", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
		  -PMG_E_PARSE, 0, 0 },
		{ "1.1", "Transfer-Encoding: identity\r\n", -PMG_E_PARSE, 0, 0 },
		{ "1.1", "Transfer-Encoding: gzip, chunked\r\n", -PMG_E_PARSE, 0, 0 },
		{ "1.1", "Transfer-Encoding: xchunked\r\n", -PMG_E_PARSE, 0, 0 },
		{ "1.1", "Transfer-Encoding: \"chunked\"\r\n", -PMG_E_PARSE, 0, 0 },
		{ "1.1", "Transfer-Encoding:\r\n", -PMG_E_PARSE, 0, 0 },
	};
	struct pmg_err err = PMG_ERR_INIT;
	enum pmg_framing framing;
	uint64_t length;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *text =
			pmg_xasprintf("POST / HTTP/%s\r\n%s\r\n", rows[i].version, rows[i].fields);
		pmg_auto(head) struct pmg_head head = { 0 };

		assert_int_equal(pmg_request_parse(text, strlen(text), &head, &err), 0);
		framing = PMG_FRAMING_CLOSE;
		length = 4711;
		assert_int_equal(pmg_request_framing(&head, &framing, &length, &err), rows[i].code);
		assert_int_equal(framing, rows[i].code ? PMG_FRAMING_CLOSE : rows[i].framing);
		assert_int_equal(length, rows[i].code ? 4711 : rows[i].length);
	}
}

static void response_bodies_follow_method_status_and_fields(void **state)
{
	static const struct {
		const char *method;
		int status;
		const char *fields;
		int code;
		enum pmg_framing framing;
		uint64_t length;
	} rows[] = {
		{ "GET", 200, "Content-Length: 5\r\n", 0, PMG_FRAMING_LENGTH, 5 },
		{ "GET", 200, "Content-Length: 0\r\n", 0, PMG_FRAMING_LENGTH, 0 },
		{ "GET", 200, "", 0, PMG_FRAMING_CLOSE, 0 },
		{ "GET", 200, "Transfer-Encoding: chunked\r\n", 0, PMG_FRAMING_CHUNKED, 0 },
		{ "GET", 200, "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", 0,
		  PMG_FRAMING_CHUNKED, 0 },
		{ "HEAD", 200, "Content-Length: 5\r\n", 0, PMG_FRAMING_NONE, 0 },
		{ "GET", 304, "Content-Length: 5\r\n", 0, PMG_FRAMING_NONE, 0 },
		{ "GET", 204, "", 0, PMG_FRAMING_NONE, 0 },
		{ "GET", 200, "Content-Length: 5\r\nContent-Length: 5\r\n", 0, PMG_FRAMING_LENGTH,
		  5 },
		{ "GET", 200, "Content-Length: 5\r\nContent-Length: 6\r\n", -PMG_E_PARSE, 0, 0 },
		{ "GET", 200, "Content-Length: five\r\n", -PMG_E_PARSE, 0, 0 },
	};
	struct pmg_err err = PMG_ERR_INIT;
	enum pmg_framing framing;
	uint64_t length;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *text =
			pmg_xasprintf("HTTP/1.1 %d X\r\n%s\r\n", rows[i].status, rows[i].fields);
		pmg_auto(head) struct pmg_head head = { 0 };

		assert_int_equal(pmg_response_parse(text, strlen(text), &head, &err), 0);
		framing = PMG_FRAMING_CHUNKED;
		length = 4711;
		assert_int_equal(
			pmg_response_framing(&head, rows[i].method, &framing, &length, &err),
			rows[i].code);
		if (rows[i].code == 0) {
			assert_int_equal(framing, rows[i].framing);
			assert_int_equal(length, rows[i].length);
		}
	}
}

/* Feed in pieces of that size. @return as pmg_chunked_next(); *rest is what was not used */
static int feed(const char *text, size_t piece, struct pmg_str *body, size_t *rest)
{
	struct pmg_chunked chunked = { 0 };
	size_t len = strlen(text), at = 0, used, n, have;
	const char *data;
	int r = 0;

	while (at < len && r == 0) {
		have = len - at < piece ? len - at : piece;
		r = pmg_chunked_next(&chunked, text + at, have, &used, &data, &n);
		if (r < 0)
			break;
		assert_true(used > 0 || r == 1);
		assert_int_equal(pmg_str_add(body, data, n), 0);
		at += used;
	}
	*rest = len - at;
	return r;
}

static void chunks_are_read_whatever_the_pieces(void **state)
{
	static const struct {
		const char *text;
		int code;
		const char *body;
		size_t rest;
	} rows[] = {
		{ "5\r\nhello\r\n0\r\n\r\n", 1, "hello", 0 },
		{ "5\r\nhello\r\n00A\r\n, 10 bytes\r\n0\r\n\r\nGET /", 1, "hello, 10 bytes", 5 },
		{ "1;a=b;c=\"d\"\r\nx\r\n0;z\r\n\r\n", 1, "x", 0 },
		{ "1\r\nx\r\n0\r\nTrailer: 1\r\nMore: 2\r\n\r\n", 1, "x", 0 },
		{ "0\r\n\r\n", 1, "", 0 },
		{ "5\r\nhel", 0, "hel", 0 },
	};
	size_t i, piece, rest = 0;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		for (piece = 1; piece < 60; piece++) {
			pmg_auto(str) struct pmg_str body = PMG_STR_INIT(4096);

			assert_int_equal(feed(rows[i].text, piece, &body, &rest), rows[i].code);
			assert_string_equal(body.s ? body.s : "", rows[i].body);
			assert_int_equal(rest, rows[i].rest);
		}
}

static void malformed_chunks_are_refused(void **state)
{
	static const char *const rows[] = {
		"\r\n",
		"x\r\n",
		" 5\r\nhello\r\n",
		"5 \r\nhello\r\n",
		"0x5\r\nhello\r\n",
		"+5\r\n",
		"-5\r\n",
		"5\nhello\n",
		"5\r\nhello0\r\n",
		"5\r\nhello\n0\r\n\r\n",
		"5\r\r\n",
		"5;\n\r\n",
		"0\r\n\n",
		"0\r\nA: \x01\r\n",
		"5\r\nhello\r\r\n",
		"0\r\nA\n\r\n",
	};
	size_t i, rest;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(str) struct pmg_str body = PMG_STR_INIT(4096);

		assert_int_equal(feed(rows[i], 100, &body, &rest), -PMG_E_PARSE);
	}
}

static void sizes_and_lines_of_chunks_are_bounded(void **state)
{
	pmg_autofree char *zeros = pmg_xcalloc(1, PMG_HTTP_EXT_MAX + 10);
	pmg_autofree char *trailer = pmg_xcalloc(1, PMG_HTTP_TRAILER_MAX + 20);
	pmg_auto(str) struct pmg_str body = PMG_STR_INIT(4096);
	size_t rest;

	(void)state;
	assert_int_equal(feed("2000000000000000\r\n", 100, &body, &rest), -PMG_E_LIMIT);
	assert_int_equal(feed("fffffffffffffffff\r\n", 100, &body, &rest), -PMG_E_LIMIT);
	memset(zeros, '0', PMG_HTTP_EXT_MAX + 5);
	assert_int_equal(feed(zeros, 100, &body, &rest), -PMG_E_LIMIT);
	memset(trailer, 'a', PMG_HTTP_TRAILER_MAX + 10);
	trailer[0] = '0';
	trailer[1] = '\r';
	trailer[2] = '\n';
	assert_int_equal(feed(trailer, 100, &body, &rest), -PMG_E_LIMIT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(request_bodies_end_in_one_way_or_are_refused),
		cmocka_unit_test(response_bodies_follow_method_status_and_fields),
		cmocka_unit_test(chunks_are_read_whatever_the_pieces),
		cmocka_unit_test(malformed_chunks_are_refused),
		cmocka_unit_test(sizes_and_lines_of_chunks_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
