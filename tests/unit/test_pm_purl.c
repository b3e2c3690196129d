#include "pm/purl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"

static const struct {
	const char *text;
	enum pmg_eco eco;
	const char *name, *version, *again; /* again: the canonical text */
} good[] = {
	{ "pkg:npm/express@4.18.2", PMG_ECO_NPM, "express", "4.18.2", "pkg:npm/express@4.18.2" },
	{ "pkg:npm/express", PMG_ECO_NPM, "express", NULL, "pkg:npm/express" },
	{ "pkg:npm/%40angular/core@1.0.0", PMG_ECO_NPM, "@angular/core", "1.0.0",
	  "pkg:npm/%40angular/core@1.0.0" },
	{ "pkg:npm/@angular/core@1.0.0", PMG_ECO_NPM, "@angular/core", "1.0.0",
	  "pkg:npm/%40angular/core@1.0.0" },
	{ "pkg:npm/@angular/core", PMG_ECO_NPM, "@angular/core", NULL, "pkg:npm/%40angular/core" },
	{ "pkg:npm/%40angular%2fcore", PMG_ECO_NPM, "@angular/core", NULL,
	  "pkg:npm/%40angular/core" },
	{ "PKG:NPM/JSONStream@1.0.0", PMG_ECO_NPM, "JSONStream", "1.0.0",
	  "pkg:npm/JSONStream@1.0.0" },
	{ "pkg://npm//a@1%2Bb", PMG_ECO_NPM, "a", "1+b", "pkg:npm/a@1%2Bb" },
	{ "pkg:npm/a@1+b", PMG_ECO_NPM, "a", "1+b", "pkg:npm/a@1%2Bb" },
	{ "pkg:npm/a@1?vcs_url=git@x/y@2#sub/dir", PMG_ECO_NPM, "a", "1", "pkg:npm/a@1" },
	{ "pkg:npm/a/", PMG_ECO_NPM, "a", NULL, "pkg:npm/a" },
	{ "pkg:pypi/Django_Rest.Framework@1!2.0", PMG_ECO_PYPI, "django-rest-framework", "1!2.0",
	  "pkg:pypi/django-rest-framework@1%212.0" },
};

static void package_urls_are_read_and_written(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(good); i++) {
		pmg_auto(purl) struct pmg_purl purl = { 0 };
		pmg_autofree char *again = NULL;
		struct pmg_err err = PMG_ERR_INIT;

		if (pmg_purl_parse(good[i].text, &purl, &err) < 0)
			fail_msg("%s", err.msg);
		assert_int_equal(purl.eco, good[i].eco);
		assert_string_equal(purl.name, good[i].name);
		if (!pmg_streq(purl.version, good[i].version))
			fail_msg("%s: version %s", good[i].text, purl.version);
		again = pmg_purl_format(&purl);
		assert_string_equal(again, good[i].again);
	}
}

static const struct {
	const char *text, *why;
} wrong[] = {
	{ "", "does not begin" },        { "npm/express", "does not begin" },
	{ "pkg:", "no type" },           { "pkg:npm", "no type" },
	{ "pkg:npm/", "name" },          { "pkg:npm/@", "name" },
	{ "pkg:npm/@1.0.0", "name" },    { "pkg:cargo/serde@1.0.0", "neither npm nor pypi" },
	{ "pkg:npm/a@", "version" },     { "pkg:npm/a@%zz", "version" },
	{ "pkg:npm/a@1%00", "version" }, { "pkg:npm/a%00b", "name" },
	{ "pkg:npm/a/b", "name" },       { "pkg:npm/%40a/b/c", "name" },
	{ "pkg:npm/../x", "name" },      { "pkg:npm/a\nb", "name" },
	{ "pkg:pypi/@a/b", "name" },
};

static void what_is_no_package_url_is_an_error_that_says_why(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(wrong); i++) {
		struct pmg_purl purl = { 0 };
		struct pmg_err err = PMG_ERR_INIT;

		assert_int_equal(pmg_purl_parse(wrong[i].text, &purl, &err), -PMG_E_PARSE);
		if (!strstr(err.msg, wrong[i].why))
			fail_msg("%s: %s", wrong[i].text, err.msg);
		assert_null(strchr(err.msg, '\n'));
		assert_non_null(strstr(err.hint, "pkg:npm/%40scope"));
		assert_null(purl.name);
		assert_null(purl.version);
	}
}

static void a_package_url_has_a_limit(void **state)
{
	char text[PMG_PURL_MAX + 2];
	struct pmg_purl purl = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	memset(text, 'a', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	memcpy(text, "pkg:npm/a?", 10);
	assert_int_equal(pmg_purl_parse(text, &purl, &err), -PMG_E_PARSE);
	text[sizeof text - 2] = '\0';
	assert_int_equal(pmg_purl_parse(text, &purl, &err), 0);
	pmg_purl_done(&purl);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(package_urls_are_read_and_written),
		cmocka_unit_test(what_is_no_package_url_is_an_error_that_says_why),
		cmocka_unit_test(a_package_url_has_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
