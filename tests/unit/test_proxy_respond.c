#include "proxy/respond.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void an_answer_is_framed_and_never_cached(void **state)
{
	static const struct {
		struct pmg_answer answer;
		const char *want;
	} rows[] = {
		{ { .status = 407,
		    .field = "Proxy-Authenticate: Basic realm=\"pmg\"",
		    .keeps = true },
		  "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Type: text/plain; "
		  "charset=utf-8\r\nContent-Length: 0\r\nCache-Control: no-store\r\n"
		  "Proxy-Authenticate: Basic realm=\"pmg\"\r\nConnection: keep-alive\r\n\r\n" },
		{ { .status = 403, .reason = "No", .type = "application/json", .body = "{}" },
		  "HTTP/1.1 403 No\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
		  "Cache-Control: no-store\r\nConnection: close\r\n\r\n{}" },
		{ { .status = 502, .body = "gone", .is_head = true },
		  "HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/plain; charset=utf-8\r\n"
		  "Content-Length: 4\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(str) struct pmg_str out = PMG_STR_INIT(4096);

		assert_int_equal(pmg_answer_write(&rows[i].answer, &out), 0);
		assert_string_equal(out.s, rows[i].want);
	}
}

/* What a client may take for the answer to what it asked. */
static void only_errors_and_what_leads_elsewhere_have_no_content(void **state)
{
	static const struct {
		const char *head;
		bool redirects, has_content;
	} rows[] = {
		{ "HTTP/1.1 200 OK\r\n", false, true },
		{ "HTTP/1.1 200 OK\r\nLocation: /x\r\n", false, true },
		{ "HTTP/1.1 203 OK\r\n", false, true },
		{ "HTTP/1.1 204 No Content\r\n", false, false },
		{ "HTTP/1.1 206 Partial Content\r\n", false, true },
		{ "HTTP/1.1 300 Multiple Choices\r\nLocation: /x\r\n", false, true },
		{ "HTTP/1.1 301 Moved\r\n", false, true },
		{ "HTTP/1.1 301 Moved\r\nLocation: /x\r\n", true, false },
		{ "HTTP/1.1 302 Found\r\nlocation:\r\n", true, false },
		{ "HTTP/1.1 303 See Other\r\nLocation: /x\r\n", true, false },
		{ "HTTP/1.1 304 Not Modified\r\n", false, false },
		{ "HTTP/1.1 305 Use Proxy\r\nLocation: /x\r\n", false, true },
		{ "HTTP/1.1 307 Moved\r\nLocation: /x\r\n", true, false },
		{ "HTTP/1.1 308 Moved\r\nLocation: /x\r\n", true, false },
		{ "HTTP/1.1 399 Odd\r\nLocation: /x\r\n", false, true },
		{ "HTTP/1.1 404 Not Found\r\n", false, false },
		{ "HTTP/1.1 502 Bad Gateway\r\nLocation: /x\r\n", false, false },
	};
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(head) struct pmg_head head = { 0 };

		assert_int_equal(
			pmg_response_parse(rows[i].head, strlen(rows[i].head), &head, &err), 0);
		assert_int_equal(pmg_response_redirects(&head), rows[i].redirects);
		assert_int_equal(pmg_response_has_content(&head), rows[i].has_content);
	}
}

static void responses_keep_their_bytes_and_change_their_framing(void **state)
{
	static const struct {
		const char *head, *method;
		int minor;
		bool keeps;
		const char *want;
		enum pmg_framing framing;
		bool still_keeps;
	} rows[] = {
		{ "HTTP/1.1 200 Fine by me\r\nETag: \"x\"\r\nContent-Length: "
		  "5\r\nContent-Encoding: "
		  "gzip\r\nConnection: x-y\r\nX-Y: 1\r\n",
		  "GET", 1, true,
		  "HTTP/1.1 200 Fine by me\r\nETag: \"x\"\r\nContent-Encoding: gzip\r\n"
		  "Content-Length: 5\r\n\r\n",
		  PMG_FRAMING_LENGTH, true },
		{ "HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\nTrailer: x\r\n", "GET", 1, true,
		  "HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n", PMG_FRAMING_CHUNKED,
		  true },
		{ "HTTP/1.0 200 OK\r\n", "GET", 1, true,
		  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", PMG_FRAMING_CHUNKED,
		  true },
		{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n", "GET", 0, true,
		  "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", PMG_FRAMING_CLOSE, false },
		{ "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n", "GET", 0, true,
		  "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: keep-alive\r\n\r\n",
		  PMG_FRAMING_LENGTH, true },
		{ "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n", "GET", 1, false,
		  "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\n",
		  PMG_FRAMING_LENGTH, false },
		{ "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n", "HEAD", 1, true,
		  "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", PMG_FRAMING_NONE, true },
		{ "HTTP/1.1 304 Not Modified\r\nETag: W/\"x\"\r\n", "GET", 1, true,
		  "HTTP/1.1 304 Not Modified\r\nETag: W/\"x\"\r\n\r\n", PMG_FRAMING_NONE, true },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(str) struct pmg_str out = PMG_STR_INIT(4096);
		pmg_auto(head) struct pmg_head head = { 0 };
		struct pmg_outgoing outgoing = { 0 };
		struct pmg_err err = PMG_ERR_INIT;
		enum pmg_framing framing;
		uint64_t length;

		assert_int_equal(
			pmg_response_parse(rows[i].head, strlen(rows[i].head), &head, &err), 0);
		assert_int_equal(
			pmg_response_framing(&head, rows[i].method, &framing, &length, &err), 0);
		assert_int_equal(pmg_response_write(&head, framing, length, rows[i].minor,
						    rows[i].keeps, &outgoing, &out),
				 0);
		assert_string_equal(out.s, rows[i].want);
		assert_int_equal(outgoing.framing, rows[i].framing);
		assert_int_equal(outgoing.keeps, rows[i].still_keeps);
	}
}

static void errors_for_npm_are_json(void **state)
{
	pmg_autofree char *json = pmg_error_json("no \"x\"\n");

	(void)state;
	assert_string_equal(json, "{\"error\":\"no \\\"x\\\"\\n\"}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_answer_is_framed_and_never_cached),
		cmocka_unit_test(only_errors_and_what_leads_elsewhere_have_no_content),
		cmocka_unit_test(responses_keep_their_bytes_and_change_their_framing),
		cmocka_unit_test(errors_for_npm_are_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
