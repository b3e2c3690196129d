#include "net/no_proxy.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool past(const char *text, const char *host, uint16_t port)
{
	pmg_auto(no_proxy) struct pmg_no_proxy *list = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(pmg_no_proxy_new(text, &list, &err), 0);
	return pmg_no_proxy_match(list, host, port);
}

static void every_spelling_that_tools_accept_is_understood(void **state)
{
	static const struct {
		const char *list, *host;
		uint16_t port;
		bool past;
	} rows[] = {
		/* nothing */
		{ NULL, "a.test", 443, false },
		{ "", "a.test", 443, false },
		{ " , ,,", "a.test", 443, false },
		/* names */
		{ "a.test", "a.test", 443, true },
		{ "a.test", "A.Test", 443, true },
		{ "A.TEST", "a.test", 443, true },
		{ "a.test", "x.a.test", 443, true },
		{ "a.test", "xa.test", 443, false },
		{ "a.test", "a.test.evil", 443, false },
		{ "a.test", "a.test.", 443, true },
		{ "a.test.", "a.test", 443, true },
		{ ".a.test", "x.a.test", 443, true },
		{ ".a.test", "a.test", 443, true },
		{ ".a.test", "xa.test", 443, false },
		{ "*.a.test", "x.a.test", 443, true },
		{ "*.a.test", "xa.test", 443, false },
		{ "a.*.test", "a.b.test", 443, false },
		{ "localhost", "localhost", 80, true },
		{ "localhost", "127.0.0.1", 80, false },
		{ ".", "a.test", 443, false },
		/* separators */
		{ "b.test,a.test", "a.test", 443, true },
		{ "b.test, a.test", "a.test", 443, true },
		{ "b.test a.test", "a.test", 443, true },
		{ "\tb.test ,\ta.test ", "a.test", 443, true },
		{ "localhost, 127.0.0.*, .corp", "registry.corp", 443, true },
		{ "localhost, 127.0.0.*, .corp", "127.0.0.9", 443, true },
		{ "localhost, 127.0.0.*, .corp", "127.0.1.9", 443, false },
		/* ports */
		{ "a.test:8443", "a.test", 8443, true },
		{ "a.test:8443", "a.test", 443, false },
		{ "a.test:8443", "x.a.test", 8443, true },
		{ "a.test:", "a.test", 443, false },
		{ "a.test:0", "a.test", 443, false },
		{ "a.test:x", "a.test", 443, false },
		{ "a.test:65536", "a.test", 443, false },
		{ "127.0.0.1:8080", "127.0.0.1", 8080, true },
		{ "127.0.0.1:8080", "127.0.0.1", 8081, false },
		/* addresses */
		{ "127.0.0.1", "127.0.0.1", 80, true },
		{ "127.0.0.1", "127.0.0.11", 80, false },
		{ "127.0.0.1", "1.127.0.0.1", 80, false },
		{ "0.1", "127.0.0.1", 80, false },
		{ "::1", "::1", 80, true },
		{ "0:0:0:0:0:0:0:1", "::1", 80, true },
		{ "[::1]", "::1", 80, true },
		{ "[::1]:80", "::1", 80, true },
		{ "[::1]:80", "::1", 81, false },
		{ "[::1", "::1", 80, false },
		{ "[::1]x", "::1", 80, false },
		{ "::ffff:10.1.2.3", "10.1.2.3", 80, true },
		/* networks */
		{ "10.0.0.0/8", "10.255.1.2", 80, true },
		{ "10.0.0.0/8", "11.0.0.1", 80, false },
		{ "10.0.0.0/8", "10.a.test", 80, false },
		{ "10.1.2.3/9", "10.127.0.1", 80, true },
		{ "10.1.2.3/9", "10.128.0.1", 80, false },
		{ "0.0.0.0/0", "192.0.2.1", 80, true },
		{ "0.0.0.0/0", "2001:db8::1", 80, false },
		{ "10.0.0.0/33", "10.0.0.0", 80, false },
		{ "10.0.0.0/", "10.0.0.0", 80, false },
		{ "10.0.0.0/-1", "10.0.0.0", 80, false },
		{ "a.test/8", "a.test", 80, false },
		{ "2001:db8::/32", "2001:db8:1::1", 80, true },
		{ "2001:db8::/32", "2001:db9::1", 80, false },
		{ "[2001:db8::]/32", "2001:db8:1::1", 80, true },
		{ "127.0.0.*", "127.0.0.1", 80, true },
		{ "127.*", "127.9.9.9", 80, true },
		{ "127.*.*.*", "127.9.9.9", 80, true },
		{ "127.*", "128.0.0.1", 80, false },
		{ "127.0.0.*:80", "127.0.0.1", 81, false },
		{ "127.0.0.1.*", "127.0.0.1", 80, false },
		{ "300.*", "44.0.0.1", 80, false },
		{ "foo.*", "foo.bar", 80, false },
		/* everything */
		{ "*", "a.test", 443, true },
		{ "*", "::1", 443, true },
		{ "b.test, *", "a.test", 443, true },
		{ "*:8443", "a.test", 443, false },
		{ "*:8443", "a.test", 8443, true },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		if (past(rows[i].list, rows[i].host, rows[i].port) != rows[i].past)
			fail_msg("\"%s\" for %s:%u should %s", rows[i].list ? rows[i].list : "",
				 rows[i].host, rows[i].port, rows[i].past ? "match" : "not match");
}

static void a_list_above_the_limit_is_refused(void **state)
{
	pmg_autofree char *text = pmg_xmalloc(PMG_NO_PROXY_MAX + 2);
	struct pmg_no_proxy *list = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	memset(text, ',', PMG_NO_PROXY_MAX + 1);
	text[PMG_NO_PROXY_MAX + 1] = '\0';
	assert_int_equal(pmg_no_proxy_new(text, &list, &err), -PMG_E_LIMIT);
	assert_null(list);
	assert_string_equal(err.msg, "NO_PROXY: longer than 65536 bytes");
	text[PMG_NO_PROXY_MAX] = '\0';
	assert_int_equal(pmg_no_proxy_new(text, &list, &err), 0);
	pmg_no_proxy_free(list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_spelling_that_tools_accept_is_understood),
		cmocka_unit_test(a_list_above_the_limit_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
