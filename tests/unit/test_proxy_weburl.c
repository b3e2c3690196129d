#include "proxy/weburl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "base/url.h"

/* What `new URL(text).href` of node says, but for user and fragment, which are left out here. The
 * test tests/proxy/withheld.py fetches the same kinds of spellings with node. */
static void addresses_are_read_as_by_node(void **state)
{
	static const struct {
		const char *text, *want; /* NULL: none that is followed here */
		bool is_odd, is_plain;
	} rows[] = {
		{ "http://h.test/a/-/a-1.0.0.tgz", "http://h.test/a/-/a-1.0.0.tgz", false, true },
		{ "https://h.test:444/x?y=1#z", "https://h.test:444/x?y=1", false, true },
		{ "HTTPS://H.test/x", "https://H.test/x", false, true },
		{ "http://h.test", "http://h.test/", false, true },
		{ "http://h.test?x", "http://h.test/?x", false, true },
		{ "http://h.test/x?", "http://h.test/x", false, true },
		{ "http://h.test/x?#", "http://h.test/x", false, true },
		{ "http://u:p@h.test/x", "http://h.test/x", false, true },
		{ "http://h.test/@s%2fa/-/a-1.0.0.tgz", "http://h.test/@s%2fa/-/a-1.0.0.tgz", false,
		  true },
		{ "http://h.test/a b\xc3\xa9", "http://h.test/a%20b%C3%A9", false, true },
		{ "http://h.test/x?a'b<", "http://h.test/x?a%27b%3C", false, true },
		{ "http://h.test/x//y/", "http://h.test/x//y/", false, true },
		{ "http://[::1]:80/x", "http://[::1]:80/x", false, true },
		/* Somebody else may read these otherwise. */
		{ "http:h.test/x", "http://h.test/x", true, false },
		{ "http:/h.test/x", "http://h.test/x", true, false },
		{ "http:///h.test/x", "http://h.test/x", true, false },
		{ "http:\\\\h.test\\x", "http://h.test/x", true, false },
		{ "http://h.test\\@other.test/x", "http://h.test/@other.test/x", true, false },
		{ "http://a@b@h.test/x", "http://h.test/x", true, false },
		{ " \x01http://h.test/x\n ", "http://h.test/x", true, false },
		{ "ht\ntp://h.\ttest/x\r", "http://h.test/x", true, false },
		{ "http://h.test/a/../x", "http://h.test/x", true, false },
		{ "http://h.test/a/%2e%2E/./x", "http://h.test/x", true, false },
		{ "http://h.test/a/.%2e", "http://h.test/", true, false },
		{ "http://h.test/../../x/.", "http://h.test/x/", true, false },
		{ "http://h.test/.../x", "http://h.test/.../x", false, true },
		{ "http://h.test/a/..\\x", "http://h.test/x", true, false },
		/* Nobody knows what a server makes of these. */
		{ "http://h.test/a%252fx", "http://h.test/a%252fx", false, false },
		{ "http://h.test/a%zz", "http://h.test/a%zz", false, false },
		{ "http://h.test/a%5cx", "http://h.test/a%5cx", false, false },
		{ "http://h.test/x?a\\b", "http://h.test/x?a\\b", false, false },
		{ "http://h.test:99999/x", "http://h.test:99999/x", false, false },
		{ "http://h.te%73t/x", NULL, false, false },
		{ "http://h\xef\xbc\x8etest/x", NULL, false, false },
		{ "http://h test/x", NULL, false, false },
		{ "http://", NULL, false, false },
		{ "http://u@/x", NULL, false, false },
		{ "/a/-/a-1.0.0.tgz", NULL, false, false },
		{ "//h.test/x", NULL, false, false },
		{ "httpx://h.test/x", NULL, false, false },
		{ "git+https://h.test/x", NULL, false, false },
		{ "data:application/gzip;base64,AA", NULL, false, false },
		{ "file:///x", NULL, false, false },
		{ "", NULL, false, false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		bool is_odd = false;
		pmg_autofree char *got = pmg_weburl(rows[i].text, &is_odd);

		if (!pmg_streq(got, rows[i].want) || (got && is_odd != rows[i].is_odd) ||
		    pmg_weburl_is_plain(rows[i].text) != rows[i].is_plain)
			fail_msg("%s: %s, %s", rows[i].text, got ? got : "none",
				 is_odd ? "odd" : "as it should be");
	}
}

static void what_is_too_long_is_none(void **state)
{
	pmg_autofree char *text = pmg_xmalloc(PMG_URL_MAX + 100);
	bool is_odd;

	(void)state;
	memset(text, 'a', PMG_URL_MAX + 99);
	memcpy(text, "http://h.test/", 14);
	text[PMG_URL_MAX + 99] = '\0';
	assert_null(pmg_weburl(text, &is_odd));
	assert_false(pmg_weburl_is_plain(text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_are_read_as_by_node),
		cmocka_unit_test(what_is_too_long_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
