#include "conf/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/mem.h"

struct row {
	const char *text;
	int ret;
	uint64_t value;
};

static const struct row durations[] = {
	{ "30s", 0, 30 },
	{ "5m", 0, 300 },
	{ "36h", 0, 129600 },
	{ "7d", 0, 604800 },
	{ "2w", 0, 1209600 },
	{ "0d", 0, 0 },
	{ "7", -PMG_E_PARSE, 0 },
	{ "", -PMG_E_PARSE, 0 },
	{ "d", -PMG_E_PARSE, 0 },
	{ "7 d", -PMG_E_PARSE, 0 },
	{ "-7d", -PMG_E_PARSE, 0 },
	{ "1.5h", -PMG_E_PARSE, 0 },
	{ "1d12h", -PMG_E_PARSE, 0 },
	{ "7D", -PMG_E_PARSE, 0 },
	{ "10001d", -PMG_E_LIMIT, 0 },
	{ "99999999999999999999d", -PMG_E_LIMIT, 0 },
	{ "18446744073709551615w", -PMG_E_LIMIT, 0 },
};

static const struct row sizes[] = {
	{ "512K", 0, 524288 },
	{ "256M", 0, 268435456 },
	{ "2G", 0, 2147483648 },
	{ "256", -PMG_E_PARSE, 0 },
	{ "256MB", -PMG_E_PARSE, 0 },
	{ "256m", -PMG_E_PARSE, 0 },
	{ "18446744073709551615G", -PMG_E_LIMIT, 0 },
};

static void check(const struct row *rows, size_t n, uint64_t max,
		  int (*parse)(const char *, uint64_t, uint64_t *))
{
	uint64_t value;
	size_t i;

	for (i = 0; i < n; i++) {
		value = 4711;
		assert_int_equal(parse(rows[i].text, max, &value), rows[i].ret);
		assert_int_equal(value, rows[i].ret == 0 ? rows[i].value : 4711);
	}
}

static void a_duration_is_a_number_with_its_unit(void **state)
{
	(void)state;
	check(durations, PMG_ARRAY_LEN(durations), 864000000, pmg_duration_parse);
}

static void a_size_is_a_number_with_its_unit(void **state)
{
	(void)state;
	check(sizes, PMG_ARRAY_LEN(sizes), UINT64_MAX, pmg_size_parse);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_duration_is_a_number_with_its_unit),
		cmocka_unit_test(a_size_is_a_number_with_its_unit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
