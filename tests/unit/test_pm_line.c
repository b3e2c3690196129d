#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pm/version.h"

static const struct {
	enum pmg_eco eco;
	const char *base, *version;
	bool has;
} rows[] = {
	{ PMG_ECO_NPM, "1", "1.0.0", true },
	{ PMG_ECO_NPM, "1", "1.99.0", true },
	{ PMG_ECO_NPM, "1", "v1.2.3", true },
	{ PMG_ECO_NPM, "1", "2.0.0", false },
	{ PMG_ECO_NPM, "1", "10.0.0", false },
	{ PMG_ECO_NPM, "1", "0.9.9", false },
	{ PMG_ECO_NPM, "1", "1.0.1-rc.1", false }, /* no release */
	{ PMG_ECO_NPM, "1", "2.0.0-rc.1", false }, /* below 2.0.0, and not of 1 */
	{ PMG_ECO_NPM, "1.2.3", "1.2.2", false },
	{ PMG_ECO_NPM, "1.2.3", "1.3.0", true },
	{ PMG_ECO_NPM, "0.2", "0.2.9", true },
	{ PMG_ECO_NPM, "0.2", "0.3.0", false },
	{ PMG_ECO_NPM, "0", "0.3.0", true },
	{ PMG_ECO_NPM, "0", "1.0.0", false },
	{ PMG_ECO_NPM, "0.0", "0.0.7", true },
	{ PMG_ECO_NPM, "0.0", "0.1.0", false },
	{ PMG_ECO_NPM, "0.0.3", "0.0.3", true },
	{ PMG_ECO_NPM, "0.0.3", "0.0.4", false },
	{ PMG_ECO_NPM, "1", "latest", false },
	{ PMG_ECO_NPM, "1", "", false },
	{ PMG_ECO_NPM, "99999999999999999999", "99999999999999999999.1.0", true },
	{ PMG_ECO_PYPI, "1", "1.4.post1", true },
	{ PMG_ECO_PYPI, "1", "1.4+local", true },
	{ PMG_ECO_PYPI, "1", "1!1.4", false }, /* of another epoch */
	{ PMG_ECO_PYPI, "1", "1.4rc1", false },
	{ PMG_ECO_PYPI, "1", "1.4.dev3", false },
	{ PMG_ECO_PYPI, "1", "2.0", false },
	{ PMG_ECO_PYPI, "0.2", "0.2.1.4", true },
	{ PMG_ECO_PYPI, "0.2", "0.3", false },
	{ PMG_ECO_PYPI, "1", "1.2.3.4.5", false }, /* more numbers than are read */
};

static void a_line_has_its_releases_and_no_others(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		if (pmg_line_has(rows[i].eco, rows[i].base, rows[i].version) != rows[i].has)
			fail_msg("^%s and %s", rows[i].base, rows[i].version);
}

static const struct {
	enum pmg_eco eco;
	const char *base;
	bool valid;
} bases[] = {
	{ PMG_ECO_NPM, "1", true },           { PMG_ECO_NPM, "0.2", true },
	{ PMG_ECO_NPM, "1.2.3", true },       { PMG_ECO_NPM, "1.2.3.4", false },
	{ PMG_ECO_NPM, "1.2.3-rc", false },   { PMG_ECO_NPM, "v1", false },
	{ PMG_ECO_NPM, "", false },           { PMG_ECO_NPM, "x", false },
	{ PMG_ECO_NPM, "1.", false },         { PMG_ECO_NPM, "^1", false },
	{ PMG_ECO_NPM, " 1", false },         { PMG_ECO_NPM, "1+b", false },
	{ PMG_ECO_PYPI, "1.2.3.4", true },    { PMG_ECO_PYPI, "1.2.3.4.5", false },
	{ PMG_ECO_PYPI, "1a1", false },       { PMG_ECO_PYPI, "1!1", false },
	{ PMG_ECO_PYPI, "1.0.post1", false },
};

static void a_base_is_a_release_and_nothing_more(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(bases); i++)
		if (pmg_line_is_valid(bases[i].eco, bases[i].base) != bases[i].valid)
			fail_msg("^%s", bases[i].base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_has_its_releases_and_no_others),
		cmocka_unit_test(a_base_is_a_release_and_nothing_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
