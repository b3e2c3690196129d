#include "base/clock.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/mem.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

static void dates_are_read(void **state)
{
	static const struct {
		const char *text;
		int64_t when;
	} rows[] = {
		{ "1970-01-01T00:00:00Z", 0 },
		{ "2026-11-29T10:00:00Z", 1795946400 },
		{ "2026-11-29t10:00:00z", 1795946400 },
		{ "2026-11-29 10:00:00Z", 1795946400 },
		{ "2026-11-29T10:00:00.123456Z", 1795946400 },
		{ "2026-11-29T11:30:00.9+01:30", 1795946400 },
		{ "2026-11-29T09:00:00-01:00", 1795946400 },
		{ "2024-02-29T00:00:00Z", 1709164800 },
		{ "1969-12-31T23:59:59Z", -1 },
		{ "2016-12-31T23:59:60Z", 1483228800 }, /* a leap second */
	};
	int64_t when;
	size_t i;

	(void)state;
	for (i = 0; i < N(rows); i++) {
		when = 5;
		assert_int_equal(pmg_clock_parse(rows[i].text, &when), 0);
		assert_int_equal(when, rows[i].when);
	}
}

static void what_is_no_date_is_refused(void **state)
{
	static const char *const rows[] = {
		"",
		"2026-11-29",
		"2026-11-29T10:00:00",
		"2026-11-29T10:00Z",
		"2026-13-01T00:00:00Z",
		"2026-00-01T00:00:00Z",
		"2026-01-32T00:00:00Z",
		"2023-02-29T00:00:00Z",
		"2023-04-31T00:00:00Z",
		"2026-11-29T24:00:00Z",
		"2026-11-29T10:60:00Z",
		"2026-11-29T10:00:61Z",
		"2026-11-29T10:00:00.Z",
		"2026-11-29T10:00:00Zx",
		"2026-11-29T10:00:00+1:00",
		"2026-11-29T10:00:00+0100",
		"2026-11-29T10:00:00+24:00",
		" 2026-11-29T10:00:00Z",
		"+026-11-29T10:00:00Z",
		"Sun, 29 Nov 2026 10:00:00 GMT",
	};
	int64_t when = 5;
	size_t i;

	(void)state;
	for (i = 0; i < N(rows); i++) {
		assert_int_equal(pmg_clock_parse(rows[i], &when), -PMG_E_PARSE);
		assert_int_equal(when, 5);
	}
}

static void dates_are_written(void **state)
{
	static const struct {
		int64_t when;
		const char *text;
	} rows[] = {
		{ 0, "1970-01-01T00:00:00Z" },
		{ 1795946400, "2026-11-29T10:00:00Z" },
		{ 253402300799, "9999-12-31T23:59:59Z" },
		{ 253402300800, "0000-00-00T00:00:00Z" }, /* five digits: would be cut */
		{ -62135596800 - 1, "0000-00-00T00:00:00Z" },
		{ INT64_MAX, "0000-00-00T00:00:00Z" },
		{ INT64_MIN, "0000-00-00T00:00:00Z" },
	};
	char text[PMG_RFC3339_LEN];
	size_t i;

	(void)state;
	for (i = 0; i < N(rows); i++) {
		pmg_clock_format(rows[i].when, text);
		assert_string_equal(text, rows[i].text);
	}
}

static void the_monotonic_clock_moves_on(void **state)
{
	uint64_t before = pmg_clock_ms();
	struct timespec nap = { 0, 3000000 };

	(void)state;
	(void)nanosleep(&nap, NULL);
	assert_true(pmg_clock_ms() > before);
	assert_true(pmg_clock_now() > 1700000000);
}

static void a_span_is_told_in_one_unit(void **state)
{
	static const struct {
		int64_t span;
		const char *text;
	} spans[] = {
		{ -5, "0 s" },      { 59, "59 s" },
		{ 60, "1 min" },    { 3599, "59 min" },
		{ 3600, "1 h" },    { 129600, "36 h" },
		{ 172799, "47 h" }, { 172800, "2 d" },
		{ 432000, "5 d" },  { INT64_MAX, "106751991167300 d" },
	};
	char text[PMG_SPAN_LEN];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof spans / sizeof *spans; i++) {
		pmg_clock_span(spans[i].span, text);
		assert_string_equal(text, spans[i].text);
	}
}

static void an_age_is_said_in_its_largest_unit(void **state)
{
	static const struct {
		int64_t age;
		const char *text;
	} rows[] = { { -5, "0 seconds" }, { 1, "1 second" },    { 59, "59 seconds" },
		     { 60, "1 minute" },  { 7199, "1 hour" },   { 86399, "23 hours" },
		     { 86400, "1 day" },  { 864000, "10 days" } };
	size_t i;

	(void)state;
	for (i = 0; i < N(rows); i++) {
		pmg_autofree char *text = pmg_clock_age(1000000, 1000000 + rows[i].age);

		assert_string_equal(text, rows[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dates_are_read),
		cmocka_unit_test(what_is_no_date_is_refused),
		cmocka_unit_test(dates_are_written),
		cmocka_unit_test(a_span_is_told_in_one_unit),
		cmocka_unit_test(the_monotonic_clock_moves_on),
		cmocka_unit_test(an_age_is_said_in_its_largest_unit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
