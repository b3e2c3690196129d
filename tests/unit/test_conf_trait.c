#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "conf/trait.h"

static void every_kind_has_a_name_that_is_read_back_and_words(void **state)
{
	unsigned kind;

	(void)state;
	for (kind = 0; kind < PMG_TRAIT_MAX; kind++) {
		assert_non_null(pmg_trait_name(kind));
		assert_int_equal(pmg_trait_parse(pmg_trait_name(kind)), kind);
		assert_true(strlen(pmg_trait_text(kind)) > 0);
		assert_true(strlen(pmg_trait_noun(kind)) > 0);
	}
	assert_null(pmg_trait_names()[PMG_TRAIT_MAX]);
	assert_int_equal(pmg_trait_parse("Traversal"), PMG_TRAIT_MAX);
	assert_int_equal(pmg_trait_parse(""), PMG_TRAIT_MAX);
}

/* What honest packages have as well must not stop them. */
static void only_what_no_honest_package_has_blocks_by_itself(void **state)
{
	static const unsigned hostile[] = { PMG_TRAIT_TRAVERSAL,  PMG_TRAIT_LINK_OUTSIDE,
					    PMG_TRAIT_DEVICE,     PMG_TRAIT_OVERSIZED,
					    PMG_TRAIT_UNREADABLE, PMG_TRAIT_AMBIGUOUS };
	uint32_t expected = 0;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof hostile / sizeof *hostile; i++)
		expected |= PMG_TRAIT_BIT(hostile[i]);
	assert_int_equal(pmg_trait_blocking(), expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_has_a_name_that_is_read_back_and_words),
		cmocka_unit_test(only_what_no_honest_package_has_blocks_by_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
