#include "sandbox/driver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../helper/child.h"

#define ALL (PMG_CAP_FS | PMG_CAP_NET | PMG_CAP_REPORT)

static void every_row_is_whole(void **state)
{
	const struct pmg_driver *const *row;

	(void)state;
	assert_non_null(*pmg_driver_all());
	for (row = pmg_driver_all(); *row; row++) {
		assert_non_null((*row)->name);
		assert_true((*row)->probe != NULL);
		assert_true((*row)->keep != NULL);
	}
	assert_string_equal((*pmg_driver_all())->name, "full");
}

static void an_unknown_name_is_told_with_the_nearest(void **state)
{
	const struct pmg_driver *driver = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_driver_pick("ful", ALL, &driver, &err), -PMG_E_USAGE);
	assert_string_equal(err.msg, "there is no driver \"ful\"");
	assert_string_equal(err.hint, "did you mean \"full\"?");
	assert_null(driver);
}

/* Whatever this host gives: either all is there and it is picked, or nothing runs, with a reason.
 */
static int pick(void)
{
	const struct pmg_driver *driver = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	pmg_auto(probe) struct pmg_probe probe = { 0 };
	int r;

	CHILD_OK(pmg_driver_full.probe(&probe, &err), err);
	r = pmg_driver_pick(NULL, ALL, &driver, &err);
	CHILD_CHECK((r == 0) == (probe.caps == ALL));
	CHILD_CHECK((r == 0) == (driver == &pmg_driver_full));
	CHILD_CHECK(r == 0 || (r == -PMG_E_UNSUPPORTED && strstr(err.msg, probe.missing)));
	CHILD_CHECK(pmg_driver_pick("full", ALL, &driver, &err) == r);
	return 0;
}

static void what_is_picked_gives_all_or_nothing_is(void **state)
{
	(void)state;
	assert_int_equal(in_child(pick, false), 0);
	assert_int_equal(in_child(pick, true), 0);
}

/* A power that no driver has. */
static void a_driver_that_gives_less_is_not_picked(void **state)
{
	const struct pmg_driver *driver = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_driver_pick(NULL, 1U << 30, &driver, &err), -PMG_E_UNSUPPORTED);
	assert_null(driver);
	assert_non_null(strstr(err.msg, "no walls can be built here"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_is_whole),
		cmocka_unit_test(an_unknown_name_is_told_with_the_nearest),
		cmocka_unit_test(what_is_picked_gives_all_or_nothing_is),
		cmocka_unit_test(a_driver_that_gives_less_is_not_picked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
