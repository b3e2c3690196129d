#include "net/upstream.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <curl/curl.h>

#include "base/str.h"

struct fixture {
	CURL *easy;
	struct pmg_url url;
	struct pmg_route *direct, *parent;
	struct pmg_err err;
};

static int setup(void **state)
{
	struct fixture *f = pmg_xcalloc(1, sizeof *f);

	*state = f;
	f->easy = curl_easy_init();
	return f->easy && pmg_url_parse("https://registry.test/p?token=x", &f->url, &f->err) == 0 &&
			       pmg_route_new(NULL, NULL, NULL, &f->direct, &f->err) == 0 &&
			       pmg_route_new("http://me:secret@proxy.test:3128", NULL, NULL,
					     &f->parent, &f->err) == 0
		       ? 0
		       : -1;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	pmg_route_free(f->direct);
	pmg_route_free(f->parent);
	pmg_url_done(&f->url);
	curl_easy_cleanup(f->easy);
	free(f);
	return 0;
}

/* Causes that no server on this host can bring about, and those it can, once more. */
static void each_cause_has_a_number_words_and_a_hint(void **state)
{
	static const struct {
		CURLcode code;
		int diag;
		int result;
		const char *words;
	} rows[] = {
		{ CURLE_PEER_FAILED_VERIFICATION, 4001, -PMG_E_TLS, "not for this host" },
		{ CURLE_SSL_ISSUER_ERROR, 4001, -PMG_E_TLS, "certificate refused" },
		{ CURLE_SSL_CACERT_BADFILE, 4001, -PMG_E_TLS, "without roots" },
		{ CURLE_COULDNT_RESOLVE_PROXY, 4002, -PMG_E_NETWORK, "name is not known" },
		{ CURLE_PROXY, 4002, -PMG_E_NETWORK, "refused" },
		{ CURLE_COULDNT_RESOLVE_HOST, 4003, -PMG_E_NETWORK, "host name not found" },
		{ CURLE_COULDNT_CONNECT, 4004, -PMG_E_NETWORK, "no connection" },
		{ CURLE_OPERATION_TIMEDOUT, 4005, -PMG_E_TIMEOUT, "no answer in time" },
		{ CURLE_PARTIAL_FILE, 4006, -PMG_E_NETWORK, "cut short" },
		{ CURLE_GOT_NOTHING, 4006, -PMG_E_NETWORK, "closed" },
		{ CURLE_RECV_ERROR, 4006, -PMG_E_NETWORK, "broke" },
		{ CURLE_SEND_ERROR, 4006, -PMG_E_NETWORK, "broke" },
		{ CURLE_SEND_FAIL_REWIND, 4006, -PMG_E_NETWORK, "broke" },
		{ CURLE_WEIRD_SERVER_REPLY, 4006, -PMG_E_NETWORK, "not HTTP" },
		{ CURLE_UNSUPPORTED_PROTOCOL, 4006, -PMG_E_NETWORK, "not HTTP" },
		{ CURLE_BAD_CONTENT_ENCODING, 4006, -PMG_E_NETWORK, "decoded" },
		{ CURLE_HTTP2, 4006, -PMG_E_NETWORK, "HTTP/2" },
		{ CURLE_HTTP2_STREAM, 4006, -PMG_E_NETWORK, "HTTP/2" },
		{ CURLE_SSL_CONNECT_ERROR, 4007, -PMG_E_TLS, "handshake" },
		{ CURLE_SSL_CIPHER, 4007, -PMG_E_TLS, "handshake" },
	};
	struct fixture *f = *state;
	size_t i;
	int r;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		r = pmg_upstream_error((int)rows[i].code, f->easy, &f->url, f->direct, &f->err);
		assert_int_equal(r, rows[i].result);
		assert_int_equal(f->err.diag, rows[i].diag);
		assert_true(pmg_str_has_prefix(f->err.msg, "registry.test:443: "));
		assert_non_null(strstr(f->err.msg, rows[i].words));
		assert_string_not_equal(f->err.hint, "");
		assert_null(strstr(f->err.msg, "token"));
	}
}

static void what_pmg_ended_itself_is_no_fault_of_the_network(void **state)
{
	static const CURLcode codes[] = { CURLE_WRITE_ERROR, CURLE_ABORTED_BY_CALLBACK,
					  CURLE_URL_MALFORMAT };
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(codes); i++) {
		assert_int_equal(
			pmg_upstream_error((int)codes[i], f->easy, &f->url, f->direct, &f->err),
			-PMG_E_INTERNAL);
		assert_int_equal(f->err.diag, 0);
	}
}

static void the_parent_is_named_without_its_password(void **state)
{
	struct fixture *f = *state;

	(void)pmg_upstream_error(CURLE_COULDNT_CONNECT, f->easy, &f->url, f->parent, &f->err);
	assert_string_equal(f->err.msg, "registry.test:443: no connection (through the parent "
					"proxy proxy.test:3128)");
	assert_null(strstr(f->err.hint, "secret"));
}

#define WITH_HANDLE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_HANDLE(each_cause_has_a_number_words_and_a_hint),
		WITH_HANDLE(what_pmg_ended_itself_is_no_fault_of_the_network),
		WITH_HANDLE(the_parent_is_named_without_its_password),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
