#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sandbox/walls_priv.h"

static void what_was_added_is_there_and_nothing_else(void **state)
{
	pmg_auto(inodes) struct pmg_inodes *inodes = pmg_inodes_new();

	(void)state;
	assert_false(pmg_inodes_has(inodes, 0, 0));
	assert_true(pmg_inodes_add(inodes, 1, 2));
	assert_true(pmg_inodes_add(inodes, 1, 2));
	assert_true(pmg_inodes_has(inodes, 1, 2));
	assert_false(pmg_inodes_has(inodes, 2, 1));
	assert_false(pmg_inodes_has(inodes, 0, 0));
	assert_true(pmg_inodes_add(inodes, 0, 0));
	assert_true(pmg_inodes_has(inodes, 0, 0));
}

static void a_set_grows_and_loses_none(void **state)
{
	pmg_auto(inodes) struct pmg_inodes *inodes = pmg_inodes_new();
	ino_t ino;

	(void)state;
	for (ino = 0; ino < 10000; ino++)
		assert_true(pmg_inodes_add(inodes, ino % 3, ino * 4096));
	for (ino = 0; ino < 10000; ino++) {
		assert_true(pmg_inodes_has(inodes, ino % 3, ino * 4096));
		assert_false(pmg_inodes_has(inodes, ino % 3, ino * 4096 + 1));
		assert_false(pmg_inodes_has(inodes, 3, ino * 4096));
	}
}

static void a_full_set_says_so(void **state)
{
	pmg_auto(inodes) struct pmg_inodes *inodes = pmg_inodes_new();
	ino_t ino;

	(void)state;
	for (ino = 0; ino < PMG_INODES_MAX; ino++)
		assert_true(pmg_inodes_add(inodes, 7, ino));
	assert_false(pmg_inodes_add(inodes, 7, ino));
	assert_false(pmg_inodes_has(inodes, 7, ino));
	assert_true(pmg_inodes_add(inodes, 7, 5));
}

static void no_set_is_an_empty_one(void **state)
{
	(void)state;
	assert_false(pmg_inodes_has(NULL, 1, 2));
	pmg_inodes_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_added_is_there_and_nothing_else),
		cmocka_unit_test(a_set_grows_and_loses_none),
		cmocka_unit_test(a_full_set_says_so),
		cmocka_unit_test(no_set_is_an_empty_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
