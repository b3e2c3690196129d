#include "proxy/dates.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void put(struct pmg_dates *dates, size_t registry, const char *name, const char *label,
		int64_t published)
{
	struct pmg_dates_page *page = pmg_dates_page_new(registry, name);

	pmg_dates_page_add(page, label, published);
	pmg_dates_put(dates, page);
}

static void each_label_has_its_date(void **state)
{
	pmg_auto(dates) struct pmg_dates *dates = pmg_dates_new();
	struct pmg_dates_page *page = pmg_dates_page_new(0, "a");
	char label[16];
	int64_t when = -7;
	int i;

	(void)state;
	for (i = 999; i >= 0; i--) {
		(void)snprintf(label, sizeof label, "1.%d.0", i);
		pmg_dates_page_add(page, label, 1000 + i);
	}
	pmg_dates_put(dates, page);
	for (i = 0; i < 1000; i++) {
		(void)snprintf(label, sizeof label, "1.%d.0", i);
		assert_int_equal(pmg_dates_find(dates, 0, "a", label, &when), PMG_DATED);
		assert_int_equal(when, 1000 + i);
	}
}

static void what_was_not_said_is_unknown_or_missing(void **state)
{
	pmg_auto(dates) struct pmg_dates *dates = pmg_dates_new();
	static const struct {
		size_t registry;
		const char *name, *label;
		enum pmg_dated want;
	} rows[] = {
		{ 0, "a", "1.0.0", PMG_DATED },
		{ 0, "a", "2.0.0", PMG_DATED_MISSING },
		{ 1, "a", "1.0.0", PMG_DATED_UNKNOWN },   /* another registry */
		{ 0, "b", "1.0.0", PMG_DATED_UNKNOWN },   /* another package */
		{ 0, "old", "1.0.0", PMG_DATED },         /* of an earlier run */
		{ 0, "old", "1.0.1", PMG_DATED_UNKNOWN }, /* which did not read all */
		{ 0, "none", "1.0.0", PMG_DATED_MISSING },
	};
	int64_t when;
	size_t i;

	(void)state;
	put(dates, 0, "a", "1.0.0", 5);
	pmg_dates_remember(dates, 0, "old", "1.0.0", 4);
	pmg_dates_put(dates, pmg_dates_page_new(0, "none"));
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		when = -7;
		assert_int_equal(
			pmg_dates_find(dates, rows[i].registry, rows[i].name, rows[i].label, &when),
			rows[i].want);
		assert_true((when != -7) == (rows[i].want == PMG_DATED));
	}
}

static void what_is_read_last_counts_and_of_two_dates_the_later(void **state)
{
	pmg_auto(dates) struct pmg_dates *dates = pmg_dates_new();
	struct pmg_dates_page *page = pmg_dates_page_new(0, "a");
	int64_t when = 0;

	(void)state;
	pmg_dates_remember(dates, 0, "a", "1.0.0", 9);
	put(dates, 0, "a", "1.0.0", 5);
	pmg_dates_remember(dates, 0, "a", "1.0.0", 9); /* an old line is no news */
	assert_int_equal(pmg_dates_find(dates, 0, "a", "1.0.0", &when), PMG_DATED);
	assert_int_equal(when, 5);
	pmg_dates_page_add(page, "1.0.0", 6);
	pmg_dates_page_add(page, "0.9.0", 9);
	pmg_dates_page_add(page, "1.0.0", 8);
	pmg_dates_page_add(page, "1.0.0", 7);
	pmg_dates_put(dates, page);
	assert_int_equal(pmg_dates_find(dates, 0, "a", "1.0.0", &when), PMG_DATED);
	assert_int_equal(when, 8);
	put(dates, 0, "a", "2.0.0", 1);
	assert_int_equal(pmg_dates_find(dates, 0, "a", "1.0.0", &when), PMG_DATED_MISSING);
}

/* A label that is too long is nobody's: it is missing, not another's. */
static void the_table_is_bounded(void **state)
{
	pmg_auto(dates) struct pmg_dates *dates = pmg_dates_new();
	char name[16], label[PMG_DATES_LABEL_MAX + 2];
	struct pmg_dates_page *page;
	int64_t when;
	int i, k;

	(void)state;
	memset(label, 'x', sizeof label - 1);
	label[sizeof label - 1] = '\0';
	put(dates, 0, "long", label, 5);
	assert_int_equal(pmg_dates_find(dates, 0, "long", label, &when), PMG_DATED_MISSING);
	for (i = 0; i < 100; i++) {
		(void)snprintf(name, sizeof name, "p%d", i);
		page = pmg_dates_page_new(0, name);
		for (k = 0; k < 1000; k++) {
			(void)snprintf(label, sizeof label, "%d.0.0-%0200d", k, k);
			pmg_dates_page_add(page, label, k);
		}
		pmg_dates_put(dates, page);
	}
	assert_int_equal(pmg_dates_find(dates, 0, "p0", "1.0.0", &when), PMG_DATED_UNKNOWN);
	assert_int_equal(pmg_dates_find(dates, 0, "p99", "1.0.0", &when), PMG_DATED_MISSING);
}

static void add_up(void *ctx, const char *label, int64_t published)
{
	assert_int_equal(label[0] - '0', published);
	*(int64_t *)ctx += published;
}

static void all_of_a_package_can_be_looked_at(void **state)
{
	pmg_auto(dates) struct pmg_dates *dates = pmg_dates_new();
	struct pmg_dates_page *page = pmg_dates_page_new(0, "a");
	int64_t sum = 0;

	(void)state;
	pmg_dates_page_add(page, "2", 2);
	pmg_dates_page_add(page, "1", 1);
	pmg_dates_put(dates, page);
	pmg_dates_remember(dates, 1, "a", "4", 4);
	pmg_dates_each(dates, 0, "a", add_up, &sum);
	assert_int_equal(sum, 3);
	pmg_dates_each(dates, 2, "a", add_up, &sum);
	assert_int_equal(sum, 3);
}

static void a_date_is_kept_once_and_not_again_by_the_next_run(void **state)
{
	pmg_auto(dates) struct pmg_dates *dates = pmg_dates_new();
	int64_t when = -7;

	(void)state;
	put(dates, 0, "a", "1", 5);
	put(dates, 0, "none", "1", PMG_DATES_NONE);
	pmg_dates_remember(dates, 1, "a", "1", 4);
	assert_false(pmg_dates_keep(dates, 0, "a", "2", &when));
	assert_false(pmg_dates_keep(dates, 0, "none", "1", &when));
	assert_false(pmg_dates_keep(dates, 1, "a", "1", &when));
	assert_int_equal(when, -7);
	assert_true(pmg_dates_keep(dates, 0, "a", "1", &when));
	assert_int_equal(when, 5);
	assert_false(pmg_dates_keep(dates, 0, "a", "1", &when));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_label_has_its_date),
		cmocka_unit_test(a_date_is_kept_once_and_not_again_by_the_next_run),
		cmocka_unit_test(what_was_not_said_is_unknown_or_missing),
		cmocka_unit_test(what_is_read_last_counts_and_of_two_dates_the_later),
		cmocka_unit_test(the_table_is_bounded),
		cmocka_unit_test(all_of_a_package_can_be_looked_at),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
