#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "verdict/findings.h"

static void the_first_of_a_kind_are_told_and_the_rest_is_counted(void **state)
{
	pmg_auto(findings) struct pmg_findings findings = { 0 };
	pmg_auto(strv) struct pmg_strv list = { 0 };
	pmg_autofree char *text = NULL;
	unsigned i;

	(void)state;
	for (i = 0; i < 1000; i++)
		pmg_findings_add(&findings, PMG_FINDING_NATIVE, "x%u.so", i);
	pmg_findings_add(&findings, PMG_FINDING_TRAVERSAL, "../%s", "\033[2Jx");
	pmg_findings_list(&findings, PMG_FINDING_ALL, &list);
	text = pmg_strv_join(&list, "; ", 1000);
	assert_string_equal(text, "traversal: ../\\x1b[2Jx; native: x0.so; native: x1.so; "
				  "native: x2.so; native: x3.so; native: and 996 more");
	assert_int_equal(pmg_findings_kinds(&findings),
			 PMG_FINDING_BIT(PMG_FINDING_NATIVE) |
				 PMG_FINDING_BIT(PMG_FINDING_TRAVERSAL));
}

static void only_the_kinds_that_are_asked_for_are_told(void **state)
{
	pmg_auto(findings) struct pmg_findings findings = { 0 };
	pmg_auto(strv) struct pmg_strv list = { 0 };

	(void)state;
	pmg_findings_add(&findings, PMG_FINDING_NATIVE, "x");
	pmg_findings_add(&findings, PMG_FINDING_LINK, "y");
	pmg_findings_list(&findings, PMG_FINDING_BIT(PMG_FINDING_NATIVE), &list);
	assert_int_equal(list.n, 1);
	assert_string_equal(list.v[0], "native: x");
	assert_int_equal(pmg_findings_first(&findings, PMG_FINDING_ALL), PMG_FINDING_LINK);
	assert_int_equal(pmg_findings_first(&findings, PMG_FINDING_BIT(PMG_FINDING_CASE)),
			 PMG_FINDING_MAX);
}

static void a_long_text_is_cut(void **state)
{
	pmg_auto(findings) struct pmg_findings findings = { 0 };
	char text[5000];

	(void)state;
	memset(text, 'a', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	pmg_findings_add(&findings, PMG_FINDING_LINK, "%s", text);
	assert_true(strlen(findings.texts[PMG_FINDING_LINK].v[0]) < PMG_FINDINGS_TEXT_MAX + 8);
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
