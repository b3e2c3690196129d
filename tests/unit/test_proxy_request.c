#include "proxy/request.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"

static void parse(const char *text, struct pmg_head *head)
{
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(pmg_request_parse(text, strlen(text), head, &err), 0);
}

static void a_request_leads_to_one_place_or_is_refused(void **state)
{
	static const struct pmg_inside https = { "https", "r.test", 443 };
	static const struct pmg_inside http = { "http", "127.0.0.1", 4873 };
	static const struct pmg_inside six = { "http", "::1", 80 };
	static const struct {
		const struct pmg_inside *inside;
		const char *line, *host, *want; /* want: address, or NULL */
		int status;
	} rows[] = {
		{ NULL, "CONNECT r.test:443", NULL, "https://r.test/", 0 },
		{ NULL, "CONNECT R.Test:8443", "other.test", "https://r.test:8443/", 0 },
		{ NULL, "CONNECT [::1]:443", NULL, "https://[::1]/", 0 },
		{ NULL, "CONNECT r.test", NULL, NULL, 400 },
		{ NULL, "CONNECT r.test:0", NULL, NULL, 400 },
		{ NULL, "CONNECT https://r.test:443/", NULL, NULL, 400 },
		{ NULL, "CONNECT u@r.test:443", NULL, NULL, 400 },
		{ NULL, "GET http://r.test/a?b", "ignored.test", "http://r.test/a", 0 },
		{ NULL, "GET https://r.test/a", NULL, "https://r.test/a", 0 },
		{ NULL, "GET http://r.test", NULL, "http://r.test/", 0 },
		{ NULL, "GET http://r.test/a/../b", NULL, "http://r.test/b", 0 },
		{ NULL, "GET http://u:p@r.test/", NULL, NULL, 400 },
		{ NULL, "GET ftp://r.test/", NULL, NULL, 400 },
		{ NULL, "GET /a", "r.test", NULL, 400 },
		{ NULL, "OPTIONS *", "r.test", NULL, 400 },
		{ NULL, "GET http://r.test\\@evil.test/", NULL, NULL, 400 },
		{ &https, "GET /a?b", "r.test", "https://r.test/a", 0 },
		{ &https, "GET /a", "R.TEST:443", "https://r.test/a", 0 },
		{ &https, "GET /a", "r.test.", "https://r.test/a", 0 },
		{ &https, "GET /a", "r.test:80", NULL, 421 },
		{ &https, "GET /a", "evil.test", NULL, 421 },
		{ &https, "GET /a", "r.test, evil.test", NULL, 400 },
		{ &https, "GET /a", "", NULL, 400 },
		{ &https, "GET /a", NULL, NULL, 400 },
		{ &https, "GET https://r.test/a", "r.test", "https://r.test/a", 0 },
		{ &https, "GET https://evil.test/a", "r.test", NULL, 421 },
		{ &https, "GET http://r.test/a", "r.test", NULL, 421 },
		{ &https, "CONNECT r.test:443", "r.test", NULL, 400 },
		{ &https, "GET //evil.test/a", "r.test", "https://r.test//evil.test/a", 0 },
		{ &https, "OPTIONS *", "r.test", NULL, 400 },
		{ &http, "GET /a", "127.0.0.1:4873", "http://127.0.0.1:4873/a", 0 },
		{ &http, "GET /a", "127.1:4873", "http://127.0.0.1:4873/a", 0 },
		{ &http, "GET /a", "127.0.0.1", NULL, 421 },
		{ &six, "GET /a", "[0:0::1]", "http://[::1]/a", 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *text = pmg_xasprintf(
			"%s HTTP/1.1\r\n%s%s%s\r\n", rows[i].line, rows[i].host ? "Host: " : "",
			rows[i].host ? rows[i].host : "", rows[i].host ? "\r\n" : "");
		pmg_auto(head) struct pmg_head head = { 0 };
		pmg_auto(request) struct pmg_request request = { 0 };
		pmg_autofree char *got = NULL;
		struct pmg_err err = PMG_ERR_INIT;
		int status = 0, r;

		parse(text, &head);
		r = pmg_request_read(&head, rows[i].inside, &request, &status, &err);
		got = r == 0 ? pmg_url_text(&request.url) : NULL;
		if (!pmg_streq(got, rows[i].want) || (r < 0 && status != rows[i].status))
			fail_msg("%s with Host %s: %s, %d %s", rows[i].line, rows[i].host,
				 got ? got : "refused", status, err.msg);
	}
}

static void two_hosts_are_refused(void **state)
{
	static const struct pmg_inside inside = { "https", "r.test", 443 };
	pmg_auto(head) struct pmg_head head = { 0 };
	struct pmg_request request = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	int status = 0;

	(void)state;
	parse("GET / HTTP/1.1\r\nHost: r.test\r\nHost: r.test\r\n\r\n", &head);
	assert_int_equal(pmg_request_read(&head, &inside, &request, &status, &err), -PMG_E_PARSE);
	assert_int_equal(status, 400);
	assert_null(request.url.host);
}

static void bodies_and_expectations_are_read(void **state)
{
	static const struct {
		const char *text;
		int status;
		enum pmg_framing framing;
		bool wants_continue, keeps, is_head;
	} rows[] = {
		{ "PUT http://r.test/ HTTP/1.1\r\nContent-Length: 3\r\nExpect: "
		  "100-Continue\r\n\r\n",
		  0, PMG_FRAMING_LENGTH, true, true, false },
		{ "GET http://r.test/ HTTP/1.1\r\nExpect: 100-continue\r\n\r\n", 0,
		  PMG_FRAMING_NONE, false, true, false },
		{ "PUT http://r.test/ HTTP/1.0\r\nContent-Length: 3\r\nExpect: "
		  "100-continue\r\n\r\n",
		  0, PMG_FRAMING_LENGTH, false, false, false },
		{ "HEAD http://r.test/ HTTP/1.1\r\nConnection: close\r\n\r\n", 0, PMG_FRAMING_NONE,
		  false, false, true },
		{ "PUT http://r.test/ HTTP/1.1\r\nContent-Length: 3\r\nExpect: x\r\n\r\n", 417, 0,
		  false, false, false },
		{ "PUT http://r.test/ HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: "
		  "chunked\r\n\r\n",
		  400, 0, false, false, false },
		{ "CONNECT r.test:443 HTTP/1.1\r\nContent-Length: 3\r\n\r\n", 400, 0, false, false,
		  false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(head) struct pmg_head head = { 0 };
		pmg_auto(request) struct pmg_request request = { 0 };
		struct pmg_err err = PMG_ERR_INIT;
		int status = 0;

		parse(rows[i].text, &head);
		if (pmg_request_read(&head, NULL, &request, &status, &err) < 0) {
			assert_int_equal(status, rows[i].status);
			continue;
		}
		assert_int_equal(rows[i].status, 0);
		assert_int_equal(request.framing, rows[i].framing);
		assert_int_equal(request.wants_continue, rows[i].wants_continue);
		assert_int_equal(request.keeps, rows[i].keeps);
		assert_int_equal(request.is_head, rows[i].is_head);
	}
}

static void an_address_beyond_the_limit_is_414(void **state)
{
	pmg_autofree char *path = pmg_xcalloc(1, PMG_URL_MAX + 1);
	pmg_autofree char *text = NULL;
	pmg_auto(head) struct pmg_head head = { 0 };
	struct pmg_request request = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	int status = 0;

	(void)state;
	memset(path, 'a', PMG_URL_MAX);
	text = pmg_xasprintf("GET http://r.test/%s HTTP/1.1\r\n\r\n", path);
	parse(text, &head);
	assert_int_equal(pmg_request_read(&head, NULL, &request, &status, &err), -PMG_E_PARSE);
	assert_int_equal(status, 414);
}

static void only_the_token_lets_pass(void **state)
{
	static const struct {
		const char *field;
		bool passes;
	} rows[] = {
		{ "Proxy-Authorization: Basic cG1nOnRva2Vu\r\n", true },
		{ "proxy-authorization: bASIC   cG1nOnRva2Vu\r\n", true },
		{ "Authorization: Basic cG1nOnRva2Vu\r\n", false },
		{ "Proxy-Authorization: Basic cG1nOnRva2Vv\r\n", false },
		{ "Proxy-Authorization: Basic cG1nOnRva2V\r\n", false },
		{ "Proxy-Authorization: Basic cG1nOnRva2Vu=\r\n", false },
		{ "Proxy-Authorization: Bearer cG1nOnRva2Vu\r\n", false },
		{ "Proxy-Authorization: Basic\r\n", false },
		{ "Proxy-Authorization: Basic x\r\nProxy-Authorization: Basic cG1nOnRva2Vu\r\n",
		  false },
		{ "", false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *text =
			pmg_xasprintf("CONNECT r.test:443 HTTP/1.1\r\n%s\r\n", rows[i].field);
		pmg_auto(head) struct pmg_head head = { 0 };

		parse(text, &head);
		assert_int_equal(pmg_request_is_authorized(&head, "cG1nOnRva2Vu"), rows[i].passes);
	}
}

static void metadata_is_asked_for_in_codings_that_can_be_read(void **state)
{
	static const struct {
		const char *field, *want;
	} rows[] = {
		{ "Accept-Encoding: gzip, deflate, br\r\n", "gzip" },
		{ "Accept-Encoding: br\r\nAccept-Encoding: x, GZIP;q=0.5\r\n", "gzip" },
		{ "Accept-Encoding: *\r\n", "gzip" },
		{ "Accept-Encoding: br\r\n", "identity" },
		{ "Accept-Encoding: gzip;q=0\r\n", "identity" },
		{ "Accept-Encoding: gzip; q=0.000, br\r\n", "identity" },
		{ "", NULL },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *text = pmg_xasprintf(
			"GET / HTTP/1.1\r\nHost: r.test\r\n%sContent-Length: 3\r\nExpect: x\r\n"
			"Authorization: Bearer t\r\nConnection: close\r\n\r\n",
			rows[i].field);
		pmg_auto(head) struct pmg_head head = { 0 };
		pmg_auto(head) struct pmg_head other = { 0 };

		parse(text, &head);
		pmg_request_clean(&head, true);
		assert_true(pmg_streq(pmg_head_get(&head, "accept-encoding"), rows[i].want));
		assert_int_equal(head.n, rows[i].want ? 2 : 1);
		assert_string_equal(pmg_head_get(&head, "authorization"), "Bearer t");
		parse(text, &other);
		pmg_request_clean(&other, false);
		assert_null(pmg_head_get(&other, "host"));
		assert_int_equal(pmg_head_count(&other, "accept-encoding"),
				 rows[i].want ? 1 + (i == 1) : 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_leads_to_one_place_or_is_refused),
		cmocka_unit_test(two_hosts_are_refused),
		cmocka_unit_test(bodies_and_expectations_are_read),
		cmocka_unit_test(an_address_beyond_the_limit_is_414),
		cmocka_unit_test(only_the_token_lets_pass),
		cmocka_unit_test(metadata_is_asked_for_in_codings_that_can_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
