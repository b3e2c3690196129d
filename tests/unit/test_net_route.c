#include "net/route.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void a_parent_proxy_is_read_as_users_write_it(void **state)
{
	static const struct {
		const char *text, *address, *name;
	} rows[] = {
		{ NULL, "", "" },
		{ "", "", "" },
		{ "  ", "", "" },
		{ "http://proxy.test:3128", "http://proxy.test:3128", "proxy.test:3128" },
		{ " http://proxy.test:3128\n", "http://proxy.test:3128", "proxy.test:3128" },
		{ "http://Proxy.Test:3128/", "http://proxy.test:3128", "proxy.test:3128" },
		{ "HTTP://proxy.test", "http://proxy.test:80", "proxy.test:80" },
		{ "proxy.test:3128", "http://proxy.test:3128", "proxy.test:3128" },
		{ "proxy.test", "http://proxy.test:80", "proxy.test:80" },
		{ "https://proxy.test", "https://proxy.test:443", "proxy.test:443" },
		{ "socks5://127.0.0.1", "socks5://127.0.0.1:1080", "127.0.0.1:1080" },
		{ "socks5h://[::1]:9050", "socks5h://[::1]:9050", "[::1]:9050" },
		{ "http://me:p%40ss@proxy.test:1", "http://me:p%40ss@proxy.test:1",
		  "proxy.test:1" },
		{ "me:secret@proxy.test:1", "http://me:secret@proxy.test:1", "proxy.test:1" },
		{ "http://proxy.test:3128/pac?x#y", "http://proxy.test:3128", "proxy.test:3128" },
	};
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(route) struct pmg_route *route = NULL;

		assert_int_equal(pmg_route_new(rows[i].text, NULL, NULL, &route, &err), 0);
		assert_string_equal(pmg_route_find(route, "https", "a.test", 443), rows[i].address);
		assert_string_equal(pmg_route_name(route, "https", "a.test", 443), rows[i].name);
		assert_string_equal(pmg_route_find(route, "http", "a.test", 80), "");
	}
}

static void what_is_no_proxy_is_refused_without_showing_a_password(void **state)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{ "ftp://me:secret@proxy.test", "not http, https, socks5 or socks5h" },
		{ "http://me:secret@proxy.test:port", "no host and port can be read from it" },
		{ "http://me:sec@ret@proxy.test:1", "two @ in it" },
		{ "http://me:sec ret@proxy.test:1", "a blank or control byte" },
		{ "http://me:secret\x01@proxy.test:1", "a blank or control byte" },
		{ "http://", "no host and port" },
		{ "http://me:secret@", "no host and port" },
		{ "http://me:secret@/x", "no host and port" },
		{ "http:secret", "no host and port" },
	};
	struct pmg_err err = PMG_ERR_INIT;
	struct pmg_route *route = NULL;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		assert_int_equal(pmg_route_new(NULL, rows[i].text, NULL, &route, &err),
				 -PMG_E_CONFIG);
		assert_null(route);
		assert_non_null(strstr(err.msg, "parent proxy for http: "));
		assert_non_null(strstr(err.msg, rows[i].why));
		assert_null(strstr(err.msg, "sec"));
		assert_string_not_equal(err.hint, "");
	}
}

static void each_kind_of_target_has_its_own_parent(void **state)
{
	pmg_auto(route) struct pmg_route *route = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_route_new("s.test:1", "p.test:2", "b.test:443", &route, &err), 0);
	assert_string_equal(pmg_route_find(route, "https", "a.test", 443), "http://s.test:1");
	assert_string_equal(pmg_route_find(route, "http", "a.test", 80), "http://p.test:2");
	assert_string_equal(pmg_route_find(route, "https", "b.test", 443), "");
	assert_string_equal(pmg_route_name(route, "https", "b.test", 443), "");
	assert_string_equal(pmg_route_find(route, "http", "b.test", 80), "http://p.test:2");
}

static void a_too_long_list_of_exceptions_is_refused(void **state)
{
	pmg_autofree char *text = pmg_xmalloc(70001);
	struct pmg_err err = PMG_ERR_INIT;
	struct pmg_route *route = NULL;

	(void)state;
	memset(text, 'a', 70000);
	text[70000] = '\0';
	assert_int_equal(pmg_route_new("p.test:1", NULL, text, &route, &err), -PMG_E_LIMIT);
	assert_null(route);
	assert_int_equal(pmg_route_new(text, NULL, NULL, &route, &err), -PMG_E_CONFIG);
	assert_null(route);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_parent_proxy_is_read_as_users_write_it),
		cmocka_unit_test(what_is_no_proxy_is_refused_without_showing_a_password),
		cmocka_unit_test(each_kind_of_target_has_its_own_parent),
		cmocka_unit_test(a_too_long_list_of_exceptions_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
