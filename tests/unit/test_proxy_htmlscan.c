#include "proxy/htmlscan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"

static void note(void *ctx, const char *tag, const char *href)
{
	struct pmg_str *out = ctx;

	assert_int_equal(pmg_str_addf(out, "%s%s=%s", out->len ? " " : "", tag,
				      strlen(href) < 200 ? href : "long"),
			 0);
}

static char *scan_pieces(const char *text, size_t piece)
{
	static struct pmg_htmlscan scan;
	struct pmg_str out = PMG_STR_INIT(1 << 20);
	size_t i, len = strlen(text);

	pmg_htmlscan_init(&scan, note, &out);
	for (i = 0; i < len; i += piece)
		pmg_htmlscan_feed(&scan, text + i, len - i < piece ? len - i : piece);
	return pmg_str_steal(&out);
}

static void links_are_found_whatever_the_pieces(void **state)
{
	static const struct {
		const char *html, *links;
	} rows[] = {
		{ "<!DOCTYPE html><html><body><a href=\"x.whl#sha256=0\">x</a></body>",
		  "a=x.whl#sha256=0" },
		{ "<A HREF='x'>", "a=x" },
		{ "<a data-x=\"<a href='y'>\" href = x >", "a=x" },
		{ "<a href=x/y>", "a=x/y" },
		{ "<a\nclass=z\nhref\n=\n\"x\"\n>", "a=x" },
		{ "<base href=\"https://b.test/\"><a href=x>", "base=https://b.test/ a=x" },
		{ "<a href=\"x?a=1&amp;b=2&#38;c&#x26;d&lt;&gt;&quot;&apos;\">",
		  "a=x?a=1&b=2&c&d<>\"'" },
		{ "<a href=\"a&b&#;&#x;&#0;&#300;&nope;\">", "a=a&b&#;&#x;&#0;&#300;&nope;" },
		{ "<a title=>more<a href=x>", "a=x" },
		{ "<!-- <a href=no> - -- > <a href=x>", "a=x" },
		{ "<!-- a --><a href=x><!-- b -- --><a href=y>", "a=x a=y" },
		{ "<!-x><a href=x><?php <a href=no> ?><a href=y>", "a=x a=y" },
		{ "<script>var a = \"<a href='no\";</script ><a href=x>", "a=x" },
		{ "<style>a{}</STYLE><a href=x>", "a=x" },
		{ "<script></scrip</</script><a href=x>", "a=x" },
		{ "< a href=no><a href=x>", "a=x" },
		{ "<<a href=x>", "a=x" },
		{ "</a href=no><a href=x>", "a=x" },
		{ "<a href=x href=y>", "a=x a=y" },
		{ "<a hrefs=no xhref=no href>", "" },
		{ "<a href=\"\">", "" },
		{ "<a/href=x/>", "a=x/" },
		{ "<a href=\"x", "" },
	};
	size_t i, piece;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		for (piece = 1; piece < 30; piece++) {
			pmg_autofree char *got = scan_pieces(rows[i].html, piece);

			assert_string_equal(got, rows[i].links);
		}
}

static void endless_names_and_values_are_passed_over(void **state)
{
	pmg_autofree char *html = pmg_xmalloc(PMG_HTMLSCAN_VALUE_MAX + 200);
	pmg_autofree char *fits = NULL;
	pmg_autofree char *over = NULL;
	pmg_autofree char *name = NULL;
	size_t n = PMG_HTMLSCAN_VALUE_MAX;

	(void)state;
	memset(html, 'x', n + 100);
	memcpy(html, "<a href=\"", 9);
	memcpy(html + 9 + n, "\"><a href=y>", 13);
	fits = scan_pieces(html, 1000);
	assert_string_equal(fits, "a=long a=y");
	memset(html + 9 + n, 'x', 20);
	memcpy(html + 9 + n + 1, "\"><a href=y>", 13);
	over = scan_pieces(html, 1000);
	assert_string_equal(over, "a=y");
	html[2] = 'x'; /* "<axhref=..." */
	name = scan_pieces(html, 1000);
	assert_string_equal(name, "a=y");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(links_are_found_whatever_the_pieces),
		cmocka_unit_test(endless_names_and_values_are_passed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
