#include "net/upstream.h"

#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <curl/curl.h>

#include "../helper/scripted.h"
#include "base/io.h"
#include "base/str.h"

#define ESTABLISHED "HTTP/1.1 200 Connection established\r\n\r\n"

/* A transfer and all it needs. trusted signs what the bundle accepts, other does not. */
struct fixture {
	struct pmg_ca *trusted, *other;
	struct pmg_bundle *bundle;
	struct scripted server, parent;
	CURL *easy;
	struct pmg_str body, heads;
	struct pmg_err err;
};

static size_t collect(char *bytes, size_t size, size_t n, void *out)
{
	return pmg_str_add(out, bytes, size * n) < 0 ? 0 : size * n;
}

static int make_bundle(struct fixture *f)
{
	pmg_autofree char *path = pmg_xasprintf("test-upstream-%ld.pem", (long)getpid());
	const char *pem = pmg_ca_pem(f->trusted);
	pmg_auto(strv) struct pmg_strv files = { 0 }, dirs = { 0 }, notes = { 0 };
	int r = pmg_io_replace(path, pem, strlen(pem), 0600, &f->err);

	pmg_strv_add(&files, path);
	f->bundle = pmg_bundle_new();
	if (r == 0)
		r = pmg_bundle_complete(f->bundle, &files, &dirs, &notes, &f->err);
	(void)unlink(path);
	return r;
}

static int setup(void **state)
{
	struct fixture *f = pmg_xcalloc(1, sizeof *f);

	*state = f;
	f->body.max = f->heads.max = 1 << 20;
	f->easy = curl_easy_init();
	return f->easy && pmg_ca_new(&f->trusted, &f->err) == 0 &&
			       pmg_ca_new(&f->other, &f->err) == 0 && make_bundle(f) == 0
		       ? 0
		       : -1;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	scripted_stop(&f->server);
	scripted_stop(&f->parent);
	curl_easy_cleanup(f->easy);
	pmg_bundle_free(f->bundle);
	pmg_ca_free(f->trusted);
	pmg_ca_free(f->other);
	pmg_str_done(&f->body);
	pmg_str_done(&f->heads);
	free(f);
	return 0;
}

static struct pmg_url parsed(const char *text)
{
	struct pmg_url url = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(pmg_url_parse(text, &url, &err), 0);
	return url;
}

static struct pmg_route *routed(const char *proxy, const char *no_proxy)
{
	struct pmg_route *route = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(pmg_route_new(proxy, proxy, no_proxy, &route, &err), 0);
	return route;
}

/* Fetch to the end. @return HTTP status, or the negated code with f->err set */
static long fetch(struct fixture *f, const char *address, const char *proxy, const char *no_proxy)
{
	pmg_auto(url) struct pmg_url url = parsed(address);
	pmg_auto(route) struct pmg_route *route = routed(proxy, no_proxy);
	long status = 0;
	CURLcode code;

	pmg_str_clear(&f->body);
	pmg_str_clear(&f->heads);
	assert_int_equal(pmg_upstream_prepare(f->easy, &url, route, f->bundle, &f->err), 0);
	(void)curl_easy_setopt(f->easy, CURLOPT_WRITEFUNCTION, collect);
	(void)curl_easy_setopt(f->easy, CURLOPT_WRITEDATA, &f->body);
	(void)curl_easy_setopt(f->easy, CURLOPT_HEADERFUNCTION, collect);
	(void)curl_easy_setopt(f->easy, CURLOPT_HEADERDATA, &f->heads);
	code = curl_easy_perform(f->easy);
	if (code != CURLE_OK)
		return pmg_upstream_error((int)code, f->easy, &url, route, &f->err);
	(void)curl_easy_getinfo(f->easy, CURLINFO_RESPONSE_CODE, &status);
	return status;
}

static char *to(const struct scripted *server, const char *scheme, const char *tail)
{
	return pmg_xasprintf("%s://127.0.0.1:%u%s", scheme, server->port, tail);
}

static void a_trusted_registry_is_asked_for_just_that_path(void **state)
{
	struct fixture *f = *state;
	pmg_autofree char *address = NULL;

	scripted_start(&(struct script){ .ca = f->trusted, .tls = true }, &f->server);
	address = to(&f->server, "https", "/@s%2fp//x/%2e%2e/y?z=1&w=/../");
	assert_int_equal(fetch(f, address, NULL, NULL), 200);
	assert_true(
		pmg_str_has_prefix(f->body.s, "GET /@s%2fp//x/%2e%2e/y?z=1&w=/../ HTTP/1.1\r\n"));
	assert_null(strstr(f->body.s, "Authorization"));
}

static void an_unknown_authority_is_refused(void **state)
{
	struct fixture *f = *state;
	pmg_autofree char *address = NULL;

	scripted_start(&(struct script){ .ca = f->other, .tls = true }, &f->server);
	address = to(&f->server, "https", "/");
	assert_int_equal(fetch(f, address, NULL, NULL), -PMG_E_TLS);
	assert_int_equal(f->err.diag, 4001);
	assert_non_null(strstr(f->err.msg, "127.0.0.1:"));
	assert_non_null(strstr(f->err.msg, "certificate refused: "));
	assert_non_null(strstr(f->err.msg, "issuer"));
	assert_non_null(strstr(f->err.hint, "SSL_CERT_FILE"));
	assert_int_equal(f->body.len, 0);
}

static void a_certificate_for_another_host_is_refused(void **state)
{
	struct fixture *f = *state;
	pmg_autofree char *address = NULL;

	scripted_start(&(struct script){ .ca = f->trusted, .tls = true, .host = "other.test" },
		       &f->server);
	address = to(&f->server, "https", "/");
	assert_int_equal(fetch(f, address, NULL, NULL), -PMG_E_TLS);
	assert_int_equal(f->err.diag, 4001);
	assert_non_null(strstr(f->err.msg, "it is not for this host"));
}

/* Case: an answer of HTTP/1.0, without a reason, in pieces. Only the number counts. */
static void a_parent_proxy_is_judged_by_its_status_alone(void **state)
{
	static const struct {
		const char *pieces[6];
		long status;
	} rows[] = {
		{ { "HTTP/1.0 200 Connection established\r\n\r\n" }, 200 },
		{ { "HTTP/1.1 200 OK\r\n\r\n" }, 200 },
		{ { "HTTP/1.1 200\r\n\r\n" }, 200 },
		{ { "HTTP/1.1 200 OK\r\nVia: x\r\nX-Long: yes\r\n\r\n" }, 200 },
		{ { "HT", "TP/1.1 20", "0 OK\r", "\n\r", "\n" }, 200 },
		{ { "HTTP/1.1 407 Proxy Authentication Required\r\n"
		    "Proxy-Authenticate: Basic realm=\"x\"\r\nContent-Length: 2\r\n\r\nno" },
		  407 },
		{ { "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n" }, 403 },
		{ { "HTTP/1.0 502 Bad Gateway\r\n\r\n" }, 502 },
	};
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *proxy = NULL;
		char number[32];
		long status;

		scripted_start(&(struct script){ .ca = f->trusted,
						 .host = "registry.test",
						 .connect_reply = rows[i].pieces,
						 .tls_inside = rows[i].status == 200 },
			       &f->parent);
		proxy = to(&f->parent, "http", "");
		status = fetch(f, "https://registry.test/p", proxy, NULL);
		assert_int_equal(pmg_upstream_connect_status(f->easy), rows[i].status);
		if (rows[i].status == 200) {
			assert_int_equal(status, 200);
			assert_true(pmg_str_has_prefix(f->body.s, "GET /p HTTP/1.1\r\n"));
			assert_null(strstr(f->heads.s, "Via"));
		} else {
			assert_int_equal(status, -PMG_E_NETWORK);
			assert_int_equal(f->err.diag, 4002);
			(void)snprintf(number, sizeof number, "answered %ld", rows[i].status);
			assert_non_null(strstr(f->err.msg, number));
			assert_non_null(strstr(f->err.msg, "registry.test:443"));
			assert_string_not_equal(f->err.hint, "");
		}
		scripted_stop(&f->parent);
	}
}

static void plain_http_goes_to_the_parent_with_its_password(void **state)
{
	struct fixture *f = *state;
	pmg_autofree char *proxy = NULL;

	scripted_start(&(struct script){ 0 }, &f->parent);
	proxy = pmg_xasprintf("http://me:p%%40ss@127.0.0.1:%u", f->parent.port);
	assert_int_equal(fetch(f, "http://registry.test/p?q", proxy, NULL), 200);
	assert_true(pmg_str_has_prefix(f->body.s, "GET http://registry.test/p?q HTTP/1.1\r\n"));
	assert_non_null(strstr(f->body.s, "Proxy-Authorization: Basic bWU6cEBzcw==\r\n"));
}

static void a_parent_spoken_to_by_tls_is_verified_too(void **state)
{
	struct fixture *f = *state;
	pmg_autofree char *good = NULL, *bad = NULL, *other = NULL;

	if (!(curl_version_info(CURLVERSION_NOW)->features & CURL_VERSION_HTTPS_PROXY))
		skip();
	scripted_start(&(struct script){ .ca = f->trusted, .tls = true }, &f->parent);
	good = to(&f->parent, "https", "");
	assert_int_equal(fetch(f, "http://registry.test/p", good, NULL), 200);
	scripted_stop(&f->parent);
	scripted_start(&(struct script){ .ca = f->other, .tls = true }, &f->parent);
	bad = to(&f->parent, "https", "");
	assert_int_equal(fetch(f, "http://registry.test/p", bad, NULL), -PMG_E_TLS);
	assert_int_equal(f->err.diag, 4001);
	assert_true(pmg_str_has_prefix(f->err.msg, "parent proxy 127.0.0.1:"));
	assert_non_null(strstr(f->err.msg, "issuer"));
	scripted_stop(&f->parent);
	scripted_start(&(struct script){ .ca = f->trusted, .tls = true, .host = "x.test" },
		       &f->parent);
	other = to(&f->parent, "https", "");
	assert_int_equal(fetch(f, "http://registry.test/p", other, NULL), -PMG_E_TLS);
	assert_true(pmg_str_has_prefix(f->err.msg, "parent proxy 127.0.0.1:"));
	assert_non_null(strstr(f->err.msg, "it is not for this host"));
}

static void no_proxy_goes_past_the_parent(void **state)
{
	struct fixture *f = *state;
	pmg_autofree char *address = NULL, *dead = NULL;

	scripted_start(&(struct script){ 0 }, &f->server);
	address = to(&f->server, "http", "/");
	dead = pmg_xasprintf("http://127.0.0.1:%u", scripted_dead_port());
	assert_int_equal(fetch(f, address, dead, "localhost, 127.0.0.*"), 200);
	assert_int_equal(fetch(f, address, dead, "localhost"), -PMG_E_NETWORK);
	assert_int_equal(f->err.diag, 4004);
	assert_non_null(strstr(f->err.msg, "through the parent proxy 127.0.0.1:"));
	assert_non_null(strstr(f->err.msg, "Connection refused"));
}

static void the_environment_is_not_asked(void **state)
{
	static const char *const names[] = { "http_proxy", "HTTPS_PROXY", "https_proxy",
					     "ALL_PROXY", "all_proxy" };
	struct fixture *f = *state;
	pmg_autofree char *address = NULL, *dead = NULL, *proxy = NULL;
	size_t i;

	scripted_start(&(struct script){ 0 }, &f->server);
	address = to(&f->server, "http", "/");
	proxy = to(&f->server, "http", "");
	dead = pmg_xasprintf("http://127.0.0.1:%u", scripted_dead_port());
	for (i = 0; i < PMG_ARRAY_LEN(names); i++)
		(void)setenv(names[i], dead, 1);
	assert_int_equal(fetch(f, address, NULL, NULL), 200);
	for (i = 0; i < PMG_ARRAY_LEN(names); i++)
		(void)unsetenv(names[i]);
	(void)setenv("NO_PROXY", "*", 1);
	(void)setenv("no_proxy", "*", 1);
	assert_int_equal(fetch(f, "http://registry.test/", proxy, NULL), 200);
	assert_true(pmg_str_has_prefix(f->body.s, "GET http://registry.test/ "));
	(void)unsetenv("NO_PROXY");
	(void)unsetenv("no_proxy");
}

static void a_redirect_is_handed_on_not_followed(void **state)
{
	struct fixture *f = *state;
	pmg_autofree char *address = NULL;

	scripted_start(&(struct script){ .answer = "HTTP/1.1 302 Found\r\nLocation: "
						   "http://127.0.0.1:1/\r\nContent-Length: "
						   "0\r\n\r\n" },
		       &f->server);
	address = to(&f->server, "http", "/");
	assert_int_equal(fetch(f, address, NULL, NULL), 302);
}

static void what_breaks_is_named(void **state)
{
	static const struct {
		const char *scheme, *answer;
		bool reset;
		int diag;
		int code;
		const char *words;
	} rows[] = {
		{ "http", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort", false, 4006,
		  PMG_E_NETWORK, "cut short" },
		{ "http", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nshort\r\n",
		  false, 4006, PMG_E_NETWORK, "cut short" },
		{ "http", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort", true, 4006,
		  PMG_E_NETWORK, "broke" },
		{ "http", "", false, 4006, PMG_E_NETWORK, "without an answer" },
		{ "http", "SSH-2.0-x\r\n", false, 4006, PMG_E_NETWORK, "not HTTP" },
		{ "https", "HTTP/1.1 400 Bad Request\r\n\r\n", false, 4007, PMG_E_TLS,
		  "TLS handshake failed" },
	};
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		const struct script script = { .answer = rows[i].answer,
					       .reset = rows[i].reset,
					       .at_once = rows[i].diag == 4007 };
		pmg_autofree char *address = NULL;
		long r;

		scripted_start(&script, &f->server);
		address = to(&f->server, rows[i].scheme, "/");
		r = fetch(f, address, NULL, NULL);
		scripted_stop(&f->server);
		if (r != -rows[i].code || f->err.diag != rows[i].diag ||
		    !strstr(f->err.msg, rows[i].words))
			fail_msg("row %zu: %ld, PMG%d, %s", i, r, f->err.diag, f->err.msg);
	}
}

static void a_server_that_says_nothing_times_out(void **state)
{
	struct fixture *f = *state;
	pmg_autofree char *address = NULL;

	scripted_start(&(struct script){ .hang = true }, &f->server);
	address = to(&f->server, "http", "/");
	(void)curl_easy_setopt(f->easy, CURLOPT_TIMEOUT_MS, 200L);
	assert_int_equal(fetch(f, address, NULL, NULL), -PMG_E_TIMEOUT);
	assert_int_equal(f->err.diag, 4005);
}

static void connect_for(struct fixture *f, const char *address, const char *proxy)
{
	pmg_auto(url) struct pmg_url url = parsed(address);
	pmg_auto(route) struct pmg_route *route = routed(proxy, NULL);
	char buf[16] = "";
	size_t n = 0, turns;
	CURLcode code;

	assert_int_equal(pmg_upstream_prepare_tunnel(f->easy, &url, route, f->bundle, &f->err), 0);
	assert_int_equal(curl_easy_perform(f->easy), CURLE_OK);
	assert_int_equal(curl_easy_send(f->easy, "ping", 4, &n), CURLE_OK);
	assert_int_equal(n, 4);
	for (turns = 0; turns < 200; turns++) {
		code = curl_easy_recv(f->easy, buf, sizeof buf, &n);
		if (code != CURLE_AGAIN)
			break;
		(void)usleep(5000);
	}
	assert_int_equal(code, CURLE_OK);
	assert_int_equal(n, 4);
	assert_memory_equal(buf, "ping", 4);
}

static void a_tunnel_carries_bytes_as_they_are(void **state)
{
	static const char *const established[] = { ESTABLISHED, NULL };
	struct fixture *f = *state;
	pmg_autofree char *address = NULL, *proxy = NULL;

	scripted_start(&(struct script){ .echo = true }, &f->server);
	address = to(&f->server, "https", "/");
	connect_for(f, address, NULL);
	curl_easy_cleanup(f->easy); /* a bare connection belongs to its handle */
	f->easy = curl_easy_init();
	scripted_start(&(struct script){ .echo = true, .connect_reply = established }, &f->parent);
	proxy = to(&f->parent, "http", "");
	connect_for(f, "https://git.test/", proxy);
}

#define FETCHING(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FETCHING(a_trusted_registry_is_asked_for_just_that_path),
		FETCHING(an_unknown_authority_is_refused),
		FETCHING(a_certificate_for_another_host_is_refused),
		FETCHING(a_parent_proxy_is_judged_by_its_status_alone),
		FETCHING(plain_http_goes_to_the_parent_with_its_password),
		FETCHING(a_parent_spoken_to_by_tls_is_verified_too),
		FETCHING(no_proxy_goes_past_the_parent),
		FETCHING(the_environment_is_not_asked),
		FETCHING(a_redirect_is_handed_on_not_followed),
		FETCHING(what_breaks_is_named),
		FETCHING(a_server_that_says_nothing_times_out),
		FETCHING(a_tunnel_carries_bytes_as_they_are),
	};
	int r;

	(void)sigaction(SIGPIPE, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
	(void)curl_global_init(CURL_GLOBAL_DEFAULT);
	r = cmocka_run_group_tests(tests, NULL, NULL);
	curl_global_cleanup();
	return r;
}
