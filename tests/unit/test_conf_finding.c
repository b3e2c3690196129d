#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "conf/finding.h"

static void every_kind_has_a_name_that_is_read_back_and_words(void **state)
{
	unsigned kind;

	(void)state;
	for (kind = 0; kind < PMG_FINDING_MAX; kind++) {
		assert_non_null(pmg_finding_name(kind));
		assert_int_equal(pmg_finding_parse(pmg_finding_name(kind)), kind);
		assert_true(strlen(pmg_finding_text(kind)) > 0);
	}
	assert_null(pmg_finding_names()[PMG_FINDING_MAX]);
	assert_int_equal(pmg_finding_parse("Traversal"), PMG_FINDING_MAX);
	assert_int_equal(pmg_finding_parse(""), PMG_FINDING_MAX);
}

/* What honest packages have as well must not stop them. */
static void only_what_no_honest_package_has_blocks_by_itself(void **state)
{
	static const unsigned honest[] = { PMG_FINDING_SCRIPTS, PMG_FINDING_NATIVE,
					   PMG_FINDING_BUILD,   PMG_FINDING_LINK,
					   PMG_FINDING_BINARY,  PMG_FINDING_STARTUP };
	size_t i;

	(void)state;
	assert_true(pmg_finding_blocking() & PMG_FINDING_BIT(PMG_FINDING_TRAVERSAL));
	assert_int_equal(pmg_finding_blocking() & ~PMG_FINDING_ALL, 0);
	for (i = 0; i < sizeof honest / sizeof *honest; i++)
		assert_false(pmg_finding_blocking() & PMG_FINDING_BIT(honest[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_has_a_name_that_is_read_back_and_words),
		cmocka_unit_test(only_what_no_honest_package_has_blocks_by_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
