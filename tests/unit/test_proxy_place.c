#include "proxy/place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"

static void one_host_has_one_spelling(void **state)
{
	static const struct {
		const char *host, *want;
	} rows[] = {
		{ "Registry.Test", "registry.test" },
		{ "registry.test.", "registry.test" },
		{ "127.0.0.1", "127.0.0.1" },
		{ "127.1", "127.0.0.1" },
		{ "0x7f.0.0.01", "127.0.0.1" },
		{ "2130706433", "127.0.0.1" },
		{ "127.0.0.1.", "127.0.0.1" },
		{ "0:0:0:0:0:0:0:1", "::1" },
		{ "::ffff:127.0.0.1", "127.0.0.1" },
		{ "7zip.test", "7zip.test" },
		{ ".", "." },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *got = pmg_host_canonical(rows[i].host);

		assert_string_equal(got, rows[i].want);
	}
}

static void plain_and_tls_ports_are_one_service(void **state)
{
	(void)state;
	assert_true(pmg_port_is_same(8080, 8080));
	assert_true(pmg_port_is_same(80, 443));
	assert_true(pmg_port_is_same(443, 80));
	assert_false(pmg_port_is_same(443, 8443));
	assert_false(pmg_port_is_same(80, 8080));
}

static void a_path_that_reads_two_ways_has_no_plain_form(void **state)
{
	static const struct {
		const char *path, *want;
	} rows[] = {
		{ "/", "/" },
		{ "/a/b", "/a/b" },
		{ "/a/b/", "/a/b/" },
		{ "//a///b//", "/a/b/" },
		{ "/@a%2fb", "/@a/b" },
		{ "/%40a%2Fb/-/b-1.0.0.tgz", "/@a/b/-/b-1.0.0.tgz" },
		{ "/a%20b", "/a b" },
		{ "/a+b%2B", "/a+b+" },
		{ "/100%25", "/100%" },
		{ "/%65vil", "/evil" },
		{ "/%2565vil", NULL },
		{ "/%252e%252e/x", NULL },
		{ "/a/../b", NULL },
		{ "/a/./b", NULL },
		{ "/a/%2e%2E/b", NULL },
		{ "/a/..", NULL },
		{ "/a%2f..%2fb", NULL },
		{ "/...", "/..." },
		{ "/a%5cb", NULL },
		{ "/a\\b", NULL },
		{ "/a%00", NULL },
		{ "/a%0a", NULL },
		{ "/a%7f", NULL },
		{ "/a%", NULL },
		{ "/a%zz", NULL },
		{ "a", NULL },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *got = pmg_path_plain(rows[i].path);

		if (!pmg_streq(got, rows[i].want))
			fail_msg("%s became %s", rows[i].path, got ? got : "nothing");
	}
}

static void references_resolve_as_clients_do(void **state)
{
	static const struct {
		const char *reference, *want, *query;
	} rows[] = {
		{ "https://files.test/x.whl#sha256=ab", "https://files.test/x.whl", NULL },
		{ "HTTP://files.test:81/x.whl", "http://files.test:81/x.whl", NULL },
		{ "//files.test/x", "https://files.test/x", NULL },
		{ "/x?a=b", "https://index.test:8443/x", "a=b" },
		{ "x-1.0.tar.gz", "https://index.test:8443/simple/x/x-1.0.tar.gz", NULL },
		{ "../../packages/x", "https://index.test:8443/packages/x", NULL },
		{ "./x", "https://index.test:8443/simple/x/x", NULL },
		{ "?a", "https://index.test:8443/simple/x/", "a" },
		{ "#a", "https://index.test:8443/simple/x/", NULL },
		{ "  \n/x\t ", "https://index.test:8443/x", NULL },
		{ "/a b/\xc3\xa9", "https://index.test:8443/a%20b/%C3%A9", NULL },
		{ "/a\nb", "https://index.test:8443/ab", NULL },
		{ "a:b", NULL, NULL },
		{ "ftp://files.test/x", NULL, NULL },
		{ "https://", NULL, NULL },
	};
	pmg_auto(url) struct pmg_url base = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	assert_int_equal(pmg_url_parse("https://index.test:8443/simple/x/", &base, &err), 0);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(url) struct pmg_url url = { 0 };
		pmg_autofree char *text = NULL;

		if (pmg_reference_resolve(&base, rows[i].reference, &url, &err) < 0) {
			assert_null(rows[i].want);
			assert_null(url.host);
			continue;
		}
		text = pmg_url_text(&url);
		assert_string_equal(text, rows[i].want);
		assert_true(pmg_streq(url.query, rows[i].query));
	}
}

static void an_endless_reference_is_refused(void **state)
{
	pmg_autofree char *big = pmg_xcalloc(1, PMG_URL_MAX + 2);
	pmg_auto(url) struct pmg_url base = { 0 };
	struct pmg_url url = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	memset(big, 'a', PMG_URL_MAX + 1);
	assert_int_equal(pmg_url_parse("https://index.test/", &base, &err), 0);
	assert_int_equal(pmg_reference_resolve(&base, big, &url, &err), -PMG_E_LIMIT);
	assert_null(url.host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_host_has_one_spelling),
		cmocka_unit_test(plain_and_tls_ports_are_one_service),
		cmocka_unit_test(a_path_that_reads_two_ways_has_no_plain_form),
		cmocka_unit_test(references_resolve_as_clients_do),
		cmocka_unit_test(an_endless_reference_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
