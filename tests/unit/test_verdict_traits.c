#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "verdict/traits.h"

static void the_first_of_a_kind_are_told_and_the_rest_is_counted(void **state)
{
	pmg_auto(traits) struct pmg_traits findings = { 0 };
	pmg_auto(strv) struct pmg_strv list = { 0 };
	pmg_autofree char *text = NULL;
	unsigned i;

	(void)state;
	for (i = 0; i < 1000; i++)
		pmg_traits_add(&findings, PMG_TRAIT_NATIVE, "x%u.so", i);
	pmg_traits_add(&findings, PMG_TRAIT_TRAVERSAL, "../%s", "\033[2Jx");
	pmg_traits_list(&findings, PMG_TRAIT_ALL, &list);
	text = pmg_strv_join(&list, "; ", 1000);
	assert_string_equal(text, "traversal: ../\\x1b[2Jx; native: x0.so; native: x1.so; "
				  "native: x2.so; native: x3.so; native: and 996 more");
	assert_int_equal(pmg_traits_kinds(&findings),
			 PMG_TRAIT_BIT(PMG_TRAIT_NATIVE) | PMG_TRAIT_BIT(PMG_TRAIT_TRAVERSAL));
}

static void only_the_kinds_that_are_asked_for_are_told(void **state)
{
	pmg_auto(traits) struct pmg_traits findings = { 0 };
	pmg_auto(strv) struct pmg_strv list = { 0 };

	(void)state;
	pmg_traits_add(&findings, PMG_TRAIT_NATIVE, "x");
	pmg_traits_add(&findings, PMG_TRAIT_LINK, "y");
	pmg_traits_list(&findings, PMG_TRAIT_BIT(PMG_TRAIT_NATIVE), &list);
	assert_int_equal(list.n, 1);
	assert_string_equal(list.v[0], "native: x");
	assert_int_equal(pmg_traits_first(&findings, PMG_TRAIT_ALL), PMG_TRAIT_LINK);
	assert_int_equal(pmg_traits_first(&findings, PMG_TRAIT_BIT(PMG_TRAIT_CASE)), PMG_TRAIT_MAX);
}

static void a_long_text_is_cut(void **state)
{
	pmg_auto(traits) struct pmg_traits findings = { 0 };
	char text[5000];

	(void)state;
	memset(text, 'a', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	pmg_traits_add(&findings, PMG_TRAIT_LINK, "%s", text);
	assert_true(strlen(findings.texts[PMG_TRAIT_LINK].v[0]) < PMG_TRAITS_TEXT_MAX + 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_of_a_kind_are_told_and_the_rest_is_counted),
		cmocka_unit_test(only_the_kinds_that_are_asked_for_are_told),
		cmocka_unit_test(a_long_text_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
