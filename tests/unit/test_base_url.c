#include "base/url.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

#include <cmocka.h>

static void addresses_are_read(void **state)
{
	static const struct {
		const char *text, *scheme, *userinfo, *host;
		uint16_t port;
		const char *path, *query, *shown;
	} rows[] = {
		{ "https://registry.test", "https", NULL, "registry.test", 443, "/", NULL,
		  "https://registry.test/" },
		{ "HTTP://Registry.TEST:80/A", "http", NULL, "registry.test", 80, "/A", NULL,
		  "http://registry.test/A" },
		{ "https://h:80/", "https", NULL, "h", 80, "/", NULL, "https://h:80/" },
		{ "https://u:p%40@h/x?q=1#f", "https", "u:p%40", "h", 443, "/x", "q=1",
		  "https://h/x" },
		{ "http://a@b@c/", "http", "a@b", "c", 80, "/", NULL, "http://c/" },
		{ "http://[::1]:4873/~x/", "http", NULL, "::1", 4873, "/~x/", NULL,
		  "http://[::1]:4873/~x/" },
		{ "https://h?q", "https", NULL, "h", 443, "/", "q", "https://h/" },
		{ "https://h#f?q", "https", NULL, "h", 443, "/", NULL, "https://h/" },
		{ "https://h:/", "https", NULL, "h", 443, "/", NULL, "https://h/" },
		{ "https://h/a/./b/../c", "https", NULL, "h", 443, "/a/c", NULL, "https://h/a/c" },
		{ "https://h/a/..", "https", NULL, "h", 443, "/", NULL, "https://h/" },
		{ "https://h/../../etc", "https", NULL, "h", 443, "/etc", NULL, "https://h/etc" },
		{ "https://h/a/.", "https", NULL, "h", 443, "/a/", NULL, "https://h/a/" },
		{ "https://h//a//", "https", NULL, "h", 443, "//a//", NULL, "https://h//a//" },
		{ "https://h/%2e%2e/a", "https", NULL, "h", 443, "/%2e%2e/a", NULL,
		  "https://h/%2e%2e/a" },
	};
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(url) struct pmg_url url = { 0 };
		pmg_autofree char *shown = NULL;

		assert_int_equal(pmg_url_parse(rows[i].text, &url, &err), 0);
		assert_string_equal(url.scheme, rows[i].scheme);
		assert_true(pmg_streq(url.userinfo, rows[i].userinfo));
		assert_string_equal(url.host, rows[i].host);
		assert_int_equal(url.port, rows[i].port);
		assert_string_equal(url.path, rows[i].path);
		assert_true(pmg_streq(url.query, rows[i].query));
		shown = pmg_url_text(&url);
		assert_string_equal(shown, rows[i].shown);
	}
}

static void anything_odd_is_refused(void **state)
{
	static const char *const rows[] = {
		"",
		"registry.test",
		"//registry.test/",
		"ftp://h/",
		"file:///etc/passwd",
		"https:/h/",
		"xhttps://h/",
		"https://",
		"https:///path",
		"https://h:0/",
		"https://h:65536/",
		"https://h:-1/",
		"https://h:8x/",
		"https://h:80:80/",
		"https://a b/",
		"https://h/a b",
		"https://h/\n",
		"https://h/\x01",
		"https://h\\@evil.test/",
		"https://h/\\..",
		"https://[::1/",
		"https://[h]/",
		"https://[::1]x/",
		"https://::1/",
		"https://h%20x/",
		"https://h\xc3\xa9/",
		"https://[fe80::1%25eth0]/",
	};
	pmg_auto(url) struct pmg_url url = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		if (pmg_url_parse(rows[i], &url, &err) != -PMG_E_PARSE)
			fail_msg("accepted: %s", rows[i]);
		assert_null(url.scheme);
		assert_null(url.host);
		assert_non_null(strstr(err.msg, "address \""));
	}
}

static void length_is_limited(void **state)
{
	static char text[PMG_URL_MAX + 2];
	pmg_auto(url) struct pmg_url url = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	(void)snprintf(text, sizeof text, "https://h/");
	memset(text + 10, 'a', PMG_URL_MAX + 1 - 10);
	assert_int_equal(pmg_url_parse(text, &url, &err), -PMG_E_PARSE);
	text[PMG_URL_MAX] = '\0';
	assert_int_equal(pmg_url_parse(text, &url, &err), 0);
}

static void an_error_shows_no_password_and_no_control_bytes(void **state)
{
	static const char *const rows[] = {
		"https://user:s3cret@h:0/",
		"https://user:s3cret@h/\x1b[31m",
		"https://user:s3cret word@h/",
		"nothttp://user:s3cret@h/",
	};
	pmg_auto(url) struct pmg_url url = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		assert_int_equal(pmg_url_parse(rows[i], &url, &err), -PMG_E_PARSE);
		assert_null(strstr(err.msg, "s3cret"));
		assert_null(strchr(err.msg, '\x1b'));
	}
}

static void hosts_and_ports_are_read(void **state)
{
	static const struct {
		const char *text;
		int result;
		const char *host;
		uint16_t port;
	} rows[] = {
		{ "H.test:8080", 0, "h.test", 8080 },
		{ "h", 0, "h", 443 },
		{ "[2001:DB8::1]", 0, "2001:db8::1", 443 },
		{ "[::1]:1", 0, "::1", 1 },
		{ "127.0.0.1:65535", 0, "127.0.0.1", 65535 },
		{ "h:", 0, "h", 443 },
		{ "h:0", -PMG_E_PARSE, NULL, 0 },
		{ "h:99999", -PMG_E_PARSE, NULL, 0 },
		{ "::1", -PMG_E_PARSE, NULL, 0 },
		{ "h/x", -PMG_E_PARSE, NULL, 0 },
		{ "u@h", -PMG_E_PARSE, NULL, 0 },
		{ ":80", -PMG_E_PARSE, NULL, 0 },
		{ "", -PMG_E_PARSE, NULL, 0 },
	};
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *host = NULL;
		uint16_t port = 7;

		assert_int_equal(pmg_hostport_parse(rows[i].text, 443, &host, &port, &err),
				 rows[i].result);
		assert_true(pmg_streq(host, rows[i].host));
		assert_int_equal(port, rows[i].result == 0 ? rows[i].port : 7);
	}
}

static void what_is_encoded_is_read_once(void **state)
{
	static const char *const rows[][2] = {
		{ "", "" },         { "abc", "abc" },   { "%40acme%2Ftool", "@acme/tool" },
		{ "%2f", "/" },     { "a%20b", "a b" }, { "+", "+" },
		{ "%252f", "%2f" }, { "%", NULL },      { "%4", NULL },
		{ "%zz", NULL },    { "%00", NULL },    { "%c3%bc", "\xc3\xbc" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *out = pmg_url_decode(rows[i][0]);

		assert_true(pmg_streq(out, rows[i][1]));
	}
}

static void loopback_is_known_by_name_and_number(void **state)
{
	static const struct {
		const char *host;
		bool is;
	} rows[] = {
		{ "localhost", true },
		{ "a.localhost", true },
		{ "127.0.0.1", true },
		{ "127.255.0.9", true },
		{ "::1", true },
		{ "0.0.0.0", false },
		{ "128.0.0.1", false },
		{ "localhost.test", false },
		{ "xlocalhost", false },
		{ "::ffff:8.8.8.8", false },
		{ "::ffff:127.0.0.1", true },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		assert_int_equal(pmg_host_is_loopback(rows[i].host), rows[i].is);
}

static void authority_has_brackets_where_needed(void **state)
{
	pmg_auto(url) struct pmg_url url = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;

	(void)state;
	assert_int_equal(pmg_url_parse("https://[::1]/", &url, &err), 0);
	text = pmg_url_authority(&url);
	assert_string_equal(text, "[::1]:443");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_are_read),
		cmocka_unit_test(anything_odd_is_refused),
		cmocka_unit_test(length_is_limited),
		cmocka_unit_test(an_error_shows_no_password_and_no_control_bytes),
		cmocka_unit_test(hosts_and_ports_are_read),
		cmocka_unit_test(what_is_encoded_is_read_once),
		cmocka_unit_test(loopback_is_known_by_name_and_number),
		cmocka_unit_test(authority_has_brackets_where_needed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
