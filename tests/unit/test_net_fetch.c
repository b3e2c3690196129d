#include "net/fetch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../helper/scripted.h"
#include "base/io.h"
#include "base/str.h"
#include "tests/helper/folder.h"

struct fixture {
	char *top, *to;
	struct pmg_ca *ca;
	struct pmg_route *route;
	struct pmg_bundle *bundle;
	struct pmg_fetch *fetch;
	struct scripted server;
	struct pmg_err err;
};

static int setup(void **state)
{
	struct fixture *f = pmg_xcalloc(1, sizeof *f);
	pmg_auto(strv) struct pmg_strv files = { 0 }, dirs = { 0 }, notes = { 0 };
	pmg_autofree char *pem = NULL;

	*state = f;
	f->top = folder_new();
	f->to = pmg_path_join(f->top, "file");
	pem = pmg_path_join(f->top, "ca.pem");
	if (pmg_ca_new(&f->ca, &f->err) < 0)
		return -1;
	folder_write(f->top, "ca.pem", pmg_ca_pem(f->ca), strlen(pmg_ca_pem(f->ca)));
	pmg_strv_add(&files, pem);
	f->bundle = pmg_bundle_new();
	return pmg_bundle_complete(f->bundle, &files, &dirs, &notes, &f->err) == 0 &&
			       pmg_route_new(NULL, NULL, NULL, &f->route, &f->err) == 0 &&
			       pmg_fetch_new(f->route, f->bundle, &f->fetch, &f->err) == 0
		       ? 0
		       : -1;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	scripted_stop(&f->server);
	pmg_fetch_free(f->fetch);
	pmg_route_free(f->route);
	pmg_bundle_free(f->bundle);
	pmg_ca_free(f->ca);
	free(f->to);
	folder_free(f->top);
	free(f);
	return 0;
}

/* What lies there; NULL: nothing. */
static char *held(const struct fixture *f, const char *suffix)
{
	pmg_autofree char *path = pmg_xasprintf("%s%s", f->to, suffix);
	struct pmg_err scratch = PMG_ERR_INIT;
	char *text = NULL;
	size_t len;

	return pmg_io_slurp(path, 65536, &text, &len, &scratch) < 0 ? NULL : text;
}

static void assert_held(const struct fixture *f, const char *suffix, const char *text)
{
	pmg_autofree char *got = held(f, suffix);

	if (!text) {
		assert_null(got);
		return;
	}
	assert_non_null(got);
	assert_string_equal(got, text);
}

/* Fetch from a server that answers so; what of want is set stays. */
static int fetch(struct fixture *f, const struct script *script, struct pmg_fetch_want want,
		 struct pmg_fetch_got *got)
{
	pmg_autofree char *url = NULL;

	scripted_stop(&f->server);
	scripted_start(script, &f->server);
	url = pmg_xasprintf("http%s://127.0.0.1:%u/f", script->tls ? "s" : "", f->server.port);
	want.url = url;
	want.to = f->to;
	want.max = want.max ? want.max : 4096;
	f->err = (struct pmg_err)PMG_ERR_INIT;
	return pmg_fetch_file(f->fetch, &want, got, &f->err);
}

#define ANSWER(text) (&(const struct script){ .answer = (text) })
#define PLAIN        ((struct pmg_fetch_want){ 0 })

static void a_file_comes_whole_with_its_validators(void **state)
{
	struct fixture *f = *state;
	pmg_auto(fetch_got) struct pmg_fetch_got got = { 0 };

	assert_int_equal(fetch(f,
			       ANSWER("HTTP/1.1 200 OK\r\nETag: \"a,b\"\r\nLast-Modified: Tue\r\n"
				      "Content-Length: 4\r\n\r\nbody"),
			       PLAIN, &got),
			 0);
	assert_held(f, "", "body");
	assert_held(f, ".part", NULL);
	assert_held(f, ".part.from", NULL);
	assert_string_equal(got.etag, "\"a,b\"");
	assert_string_equal(got.last_modified, "Tue");
	assert_int_equal(got.bytes, 4);
	assert_int_equal(got.status, 200);
}

static void what_the_caller_has_is_asked_about_as_it_was_told(void **state)
{
	struct fixture *f = *state;
	pmg_auto(fetch_got) struct pmg_fetch_got echoed = { 0 }, same = { 0 }, lie = { 0 };
	pmg_autofree char *head = NULL;

	assert_int_equal(fetch(f, &(const struct script){ .answer = NULL },
			       (struct pmg_fetch_want){ .etag = "\"x\"", .last_modified = "Tue" },
			       &echoed),
			 0);
	head = held(f, "");
	assert_non_null(strstr(head, "If-None-Match: \"x\"\r\n"));
	assert_null(strstr(head, "If-Modified-Since"));
	assert_null(strstr(head, "Range"));
	assert_int_equal(fetch(f, ANSWER("HTTP/1.1 304 Not Modified\r\n\r\n"),
			       (struct pmg_fetch_want){ .last_modified = "Tue" }, &same),
			 0);
	assert_true(same.unchanged);
	assert_held(f, "", head); /* as it was */
	/* Who was not asked has nothing that could be unchanged. */
	assert_int_equal(fetch(f, ANSWER("HTTP/1.1 304 Not Modified\r\n\r\n"), PLAIN, &lie),
			 -PMG_E_NETWORK);
	assert_false(lie.unchanged);
}

static void what_was_cut_off_stays_and_says_of_what_it_is_a_part(void **state)
{
	struct fixture *f = *state;
	pmg_auto(fetch_got) struct pmg_fetch_got got = { 0 };
	pmg_autofree char *from = NULL;

	assert_int_equal(fetch(f,
			       ANSWER("HTTP/1.1 200 OK\r\nETag: \"e\"\r\nContent-Length: 20\r\n\r\n"
				      "0123456789"),
			       PLAIN, &got),
			 -PMG_E_NETWORK);
	assert_int_equal(f->err.diag, 4006);
	assert_held(f, "", NULL);
	assert_held(f, ".part", "0123456789");
	from = held(f, ".part.from");
	assert_non_null(from);
	assert_true(pmg_str_has_suffix(from, "/f\n\"e\"\n"));
}

/* As above, of the server that answers so. */
static int go_on(struct fixture *f, const char *part, const char *tag, const char *answer,
		 struct pmg_fetch_got *got)
{
	const struct script script = { .answer = answer };
	pmg_autofree char *url = NULL;
	pmg_autofree char *from = NULL;
	struct pmg_fetch_want want = { .to = f->to, .max = 4096, .etag = "\"old\"" };

	scripted_stop(&f->server);
	scripted_start(&script, &f->server);
	url = pmg_xasprintf("http://127.0.0.1:%u/f", f->server.port);
	from = pmg_xasprintf("%s\n%s\n", url, tag);
	folder_write(f->top, "file.part", part, strlen(part));
	folder_write(f->top, "file.part.from", from, strlen(from));
	want.url = url;
	f->err = (struct pmg_err)PMG_ERR_INIT;
	return pmg_fetch_file(f->fetch, &want, got, &f->err);
}

static void a_part_is_gone_on_with_where_the_server_has_the_same_file(void **state)
{
	struct fixture *f = *state;
	pmg_auto(fetch_got) struct pmg_fetch_got whole = { 0 }, anew = { 0 }, asked = { 0 };
	pmg_autofree char *head = NULL;

	assert_int_equal(go_on(f, "01234", "\"e\"",
			       "HTTP/1.1 206 Partial Content\r\nETag: \"e\"\r\n"
			       "Content-Range: bytes 5-9/10\r\nContent-Length: 5\r\n\r\n56789",
			       &whole),
			 0);
	assert_held(f, "", "0123456789");
	assert_held(f, ".part", NULL);
	assert_int_equal(whole.resumed, 5);
	assert_int_equal(whole.bytes, 10);
	/* Another file by now: the server sends all of it. */
	assert_int_equal(go_on(f, "01234", "\"e\"",
			       "HTTP/1.1 200 OK\r\nETag: \"n\"\r\nContent-Length: 3\r\n\r\nnew",
			       &anew),
			 0);
	assert_held(f, "", "new");
	assert_int_equal(anew.resumed, 0);
	assert_string_equal(anew.etag, "\"n\"");
	assert_int_equal(go_on(f, "01234", "\"e\"", NULL, &asked), 0);
	head = held(f, "");
	assert_non_null(strstr(head, "Range: bytes=5-\r\nIf-Range: \"e\"\r\n"));
	assert_null(strstr(head, "If-None-Match"));
}

static void a_part_without_a_strong_validator_is_begun_anew(void **state)
{
	struct fixture *f = *state;
	pmg_auto(fetch_got) struct pmg_fetch_got got = { 0 };
	pmg_autofree char *head = NULL;

	assert_int_equal(go_on(f, "01234", "W/\"e\"", NULL, &got), 0);
	head = held(f, "");
	assert_null(strstr(head, "Range"));
	assert_int_equal(got.resumed, 0);
}

static void another_part_than_was_asked_for_is_not_taken(void **state)
{
	static const char *const answers[] = {
		"HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 4-9/10\r\n"
		"Content-Length: 6\r\n\r\n456789",
		"HTTP/1.1 206 Partial Content\r\nContent-Length: 5\r\n\r\n56789",
		"HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 5-8/10\r\n"
		"Content-Length: 4\r\n\r\n5678",
		"HTTP/1.1 416 Range Not Satisfiable\r\nContent-Length: 0\r\n\r\n",
	};
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(answers); i++) {
		pmg_auto(fetch_got) struct pmg_fetch_got got = { 0 };

		assert_int_equal(go_on(f, "01234", "\"e\"", answers[i], &got), -PMG_E_NETWORK);
		assert_held(f, "", NULL);
	}
}

static void what_may_not_be_is_refused(void **state)
{
	static const struct {
		const char *answer;
		int r;
		const char *what;
	} rows[] = {
		{ "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno", -PMG_E_NOTFOUND,
		  "not there (status 404)" },
		{ "HTTP/1.1 500 Oops\r\nContent-Length: 2\r\n\r\nno", -PMG_E_NETWORK,
		  "the server answered with status 500" },
		{ "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n", -PMG_E_NETWORK, NULL },
		{ "HTTP/1.1 302 Found\r\nLocation: ftp://h.test/\r\nContent-Length: 0\r\n\r\n",
		  -PMG_E_NETWORK, "neither http:// nor https://" },
		{ "HTTP/1.1 302 Found\r\nLocation: /f\r\nContent-Length: 0\r\n\r\n", -PMG_E_NETWORK,
		  "more than 5 redirects" },
		{ "HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n", -PMG_E_NETWORK,
		  "a redirect that leads nowhere" },
		{ "HTTP/1.1 302 Found\r\nLocation: http://u:p@127.0.0.1/\r\n"
		  "Content-Length: 0\r\n\r\n",
		  -PMG_E_NETWORK, "a redirect with a password in it" },
		{ "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx",
		  -PMG_E_NETWORK, "packs the file" },
	};
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(fetch_got) struct pmg_fetch_got got = { 0 };
		int r = fetch(f, ANSWER(rows[i].answer), PLAIN, &got);

		if (r != rows[i].r || (rows[i].what && !strstr(f->err.msg, rows[i].what)))
			fail_msg("row %zu: %d, %s", i, r, f->err.msg);
		assert_int_equal(f->err.diag == 4009, i < 2);
		assert_held(f, "", NULL);
	}
}

static void a_redirect_from_https_never_leads_to_http(void **state)
{
	struct fixture *f = *state;
	pmg_auto(fetch_got) struct pmg_fetch_got got = { 0 };
	const struct script script = {
		.tls = true,
		.ca = f->ca,
		.answer = "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/x\r\n"
			  "Content-Length: 0\r\n\r\n",
	};

	assert_int_equal(fetch(f, &script, PLAIN, &got), -PMG_E_NETWORK);
	assert_non_null(strstr(f->err.msg, "a redirect from https to http://127.0.0.1"));
}

static void a_file_has_a_largest_size(void **state)
{
	struct fixture *f = *state;
	pmg_auto(fetch_got) struct pmg_fetch_got got = { 0 }, exact = { 0 };
	static const char answer[] = "HTTP/1.1 200 OK\r\nETag: \"e\"\r\n\r\n12345678";

	assert_int_equal(fetch(f, ANSWER(answer), (struct pmg_fetch_want){ .max = 7 }, &got),
			 -PMG_E_LIMIT);
	assert_held(f, "", NULL);
	assert_held(f, ".part", NULL);
	assert_int_equal(fetch(f, ANSWER(answer), (struct pmg_fetch_want){ .max = 8 }, &exact), 0);
	assert_held(f, "", "12345678");
}

static void a_secret_in_an_address_is_not_shown(void **state)
{
	struct fixture *f = *state;
	pmg_auto(fetch_got) struct pmg_fetch_got got = { 0 };
	pmg_autofree char *url =
		pmg_xasprintf("http://127.0.0.1:%u/f?sig=s3cret", scripted_dead_port());
	const struct pmg_fetch_want want = { .url = url, .to = f->to, .max = 9 };

	assert_int_equal(pmg_fetch_file(f->fetch, &want, &got, &f->err), -PMG_E_NETWORK);
	assert_int_equal(f->err.diag, 4004);
	assert_null(strstr(f->err.msg, "s3cret"));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_file_comes_whole_with_its_validators),
		CASE(what_the_caller_has_is_asked_about_as_it_was_told),
		CASE(what_was_cut_off_stays_and_says_of_what_it_is_a_part),
		CASE(a_part_is_gone_on_with_where_the_server_has_the_same_file),
		CASE(a_part_without_a_strong_validator_is_begun_anew),
		CASE(another_part_than_was_asked_for_is_not_taken),
		CASE(what_may_not_be_is_refused),
		CASE(a_redirect_from_https_never_leads_to_http),
		CASE(a_file_has_a_largest_size),
		CASE(a_secret_in_an_address_is_not_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
