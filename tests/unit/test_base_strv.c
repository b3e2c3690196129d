#include "base/strv.h"

#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

static void a_list_is_terminated_at_every_length(void **state)
{
	pmg_auto(strv) struct pmg_strv list = { 0 };
	size_t i;

	(void)state;
	assert_non_null(pmg_strv_argv(&list));
	assert_null(pmg_strv_argv(&list)[0]);
	for (i = 0; i < 100; i++) {
		pmg_strv_addf(&list, "%zu", i);
		assert_int_equal(list.n, i + 1);
		assert_null(list.v[list.n]);
	}
	assert_string_equal(list.v[99], "99");
}

static void removing_keeps_the_order(void **state)
{
	pmg_auto(strv) struct pmg_strv list = { 0 };

	(void)state;
	pmg_strv_add(&list, "a");
	pmg_strv_add(&list, "b");
	pmg_strv_take(&list, pmg_xstrdup("c"));
	pmg_strv_remove(&list, 1);
	assert_int_equal(list.n, 2);
	assert_string_equal(list.v[0], "a");
	assert_string_equal(list.v[1], "c");
	assert_null(list.v[2]);
	pmg_strv_remove(&list, 1);
	pmg_strv_remove(&list, 0);
	assert_int_equal(list.n, 0);
	assert_null(list.v[0]);
}

static void a_word_is_added_once(void **state)
{
	pmg_auto(strv) struct pmg_strv list = { 0 };

	(void)state;
	assert_false(pmg_strv_has(&list, "a"));
	assert_true(pmg_strv_add_once(&list, "a"));
	assert_false(pmg_strv_add_once(&list, "a"));
	assert_true(pmg_strv_add_once(&list, "A"));
	assert_int_equal(list.n, 2);
}

static void sorting_is_by_bytes(void **state)
{
	static const char *const words[] = { "b", "a", "B", "\xc3\xa4", "", NULL };
	static const char *const sorted[] = { "", "B", "a", "b", "\xc3\xa4" };
	pmg_auto(strv) struct pmg_strv list = { 0 };
	size_t i;

	(void)state;
	pmg_strv_sort(&list); /* nothing there */
	for (i = 0; words[i]; i++)
		pmg_strv_add(&list, words[i]);
	pmg_strv_sort(&list);
	for (i = 0; i < PMG_ARRAY_LEN(sorted); i++)
		assert_string_equal(list.v[i], sorted[i]);
}

static void an_array_is_copied_to_the_end(void **state)
{
	char one[] = "1", two[] = "2";
	char *more[] = { one, two, NULL };
	pmg_auto(strv) struct pmg_strv list = { 0 };

	(void)state;
	pmg_strv_add(&list, "0");
	pmg_strv_extend(&list, more);
	one[0] = 'x';
	assert_int_equal(list.n, 3);
	assert_string_equal(list.v[1], "1");
	assert_string_equal(list.v[2], "2");
}

static void splitting_leaves_empty_pieces_out(void **state)
{
	static const struct {
		const char *text;
		const char *first;
		size_t n;
	} rows[] = {
		{ "", NULL, 0 },     { ":", NULL, 0 },      { "a", "a", 1 },
		{ "a:b c", "a", 3 }, { "::a: b:", "a", 2 }, { " \t", NULL, 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(strv) struct pmg_strv list = { 0 };

		pmg_strv_split(&list, rows[i].text, ": \t");
		assert_int_equal(list.n, rows[i].n);
		if (rows[i].first)
			assert_string_equal(list.v[0], rows[i].first);
	}
}

static void joining_leaves_out_what_does_not_fit(void **state)
{
	static const struct {
		const char *words, *between;
		size_t max;
		const char *joined;
	} rows[] = {
		{ "", ", ", 99, "" },
		{ "a", ", ", 99, "a" },
		{ "a b c", ", ", 99, "a, b, c" },
		{ "a b c", "", 99, "abc" },
		{ "a b c", ", ", 7, "a, b, c" },
		{ "a b c", ", ", 6, "a, b" },
		{ "a long b", " ", 3, "a" }, /* not "a b": it would say that they are neighbours */
		{ "long", " ", 3, "" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(strv) struct pmg_strv list = { 0 };
		pmg_autofree char *joined = NULL;

		pmg_strv_split(&list, rows[i].words, " ");
		joined = pmg_strv_join(&list, rows[i].between, rows[i].max);
		assert_string_equal(joined, rows[i].joined);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(joining_leaves_out_what_does_not_fit),
		cmocka_unit_test(splitting_leaves_empty_pieces_out),
		cmocka_unit_test(a_list_is_terminated_at_every_length),
		cmocka_unit_test(removing_keeps_the_order),
		cmocka_unit_test(a_word_is_added_once),
		cmocka_unit_test(sorting_is_by_bytes),
		cmocka_unit_test(an_array_is_copied_to_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
