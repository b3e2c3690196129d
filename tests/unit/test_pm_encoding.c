#include "pm/encoding.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TEXT(s) (s), sizeof(s) - 1

static void texts_with_a_mark_become_utf8(void **state)
{
	static const struct {
		const char *text;
		size_t len;
		const char *is; /* NULL: has no mark */
	} rows[] = {
		{ TEXT("x==1\n"), NULL },
		{ TEXT(""), NULL },
		{ TEXT("\xff"), NULL },
		{ TEXT("\xef\xbb\xbfx"), NULL },
		{ TEXT("\xff\xfex\0=\0\n\0"), "x=\n" },
		{ TEXT("\xfe\xff\0x\0=\0\n"), "x=\n" },
		{ TEXT("\xff\xfe"), "" },
		{ TEXT("\xff\xfex\0y"), "x" }, /* half a character */
		{ TEXT("\xff\xfe\x28\x20\xe9\0"), "\xe2\x80\xa8\xc3\xa9" },
		{ TEXT("\xfe\xff\xd8\x3d\xde\x00"), "\xf0\x9f\x98\x80" },
		{ TEXT("\xfe\xff\xd8\x3d\0x"), "\xef\xbf\xbdx" }, /* a half without the other */
		{ TEXT("\xfe\xff\xde\x00"), "\xef\xbf\xbd" },
		{ TEXT("\xff\xfe\0\0x\0\0\0"), "x" },
		{ TEXT("\0\0\xfe\xff\0\0\0x\0\x01\xf6\0"), "x\xf0\x9f\x98\x80" },
		{ TEXT("\0\0\xfe\xff\x7f\xff\xff\xff"), "\xef\xbf\xbd" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		size_t len = 0;
		pmg_autofree char *got = pmg_encoding_plain(rows[i].text, rows[i].len, &len);

		if (!rows[i].is ? got != NULL
				: !got || strcmp(got, rows[i].is) != 0 || len != strlen(got))
			fail_msg("row %zu: %s", i, got ? got : "none");
	}
}

static void a_declared_encoding_may_say_something_else(void **state)
{
	static const struct {
		const char *text, *is; /* NULL: as it stands */
	} rows[] = {
		{ "x==1\n", NULL },
		{ "", NULL },
		{ "# -*- coding: UTF-8 -*-\n", NULL },
		{ "# vim: fileencoding=iso_8859-1\n", NULL },
		{ "# coding: utf-7\nx\n", "utf-7" },
		{ "#\n# coding=utf_16\n", "utf_16" },
		{ "#\n#\n# coding: utf-7\n", NULL }, /* the third line */
		{ " # coding: utf-7\n", NULL },
		{ "# encoding of nothing, coding: unicode_escape", "unicode_escape" },
		{ "# coding:\n", NULL },
		{ "# coding", NULL },
		{ "# coding: utf-8-but-much-longer-than-any\n", "utf-8-but-much-longer-than-any" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *got = pmg_encoding_odd(rows[i].text, strlen(rows[i].text));

		if (rows[i].is ? !got || strcmp(got, rows[i].is) != 0 : got != NULL)
			fail_msg("row %zu: %s", i, got ? got : "none");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_with_a_mark_become_utf8),
		cmocka_unit_test(a_declared_encoding_may_say_something_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
