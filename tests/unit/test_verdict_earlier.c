#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "verdict/earlier.h"

static const char text[] = "npm a source 1.2.0 - 20000\n"
			   "npm a source 1.10.0 sx 20001\n"
			   "npm a source 1.3.0 n 20001\n"
			   "npm a source 3.0.0 - 20001\n"
			   "pypi b-c wheel 1.0 - 20001\n"
			   "npm damaged source\n\n \n    \n"
			   "npm damaged source 0.1.0\n"
			   "npm damaged source 0.2.0 \n"
			   "npm @s/new source 2.0.0-rc.1 z? 20001";

/* What is told of a file that has all of it. Caller frees. */
static char *told(enum pmg_eco eco, const char *name, const char *version, bool is_wheel)
{
	static const enum pmg_trait kinds[] = { PMG_TRAIT_SCRIPTS, PMG_TRAIT_BUILD,
						PMG_TRAIT_STARTUP, PMG_TRAIT_NATIVE,
						PMG_TRAIT_BINARY,  PMG_TRAIT_LINK };
	const struct pmg_earlier_file file = { eco, name, version, is_wheel };
	pmg_auto(earlier) struct pmg_earlier *earlier = pmg_earlier_new(pmg_xstrdup(text));
	pmg_auto(traits) struct pmg_traits findings = { 0 };
	pmg_auto(strv) struct pmg_strv lines = { 0 };
	uint32_t old;
	size_t i;

	pmg_earlier_compare(earlier, &file, &findings);
	assert_int_equal(pmg_traits_kinds(&findings), 0);
	for (i = 0; i < PMG_ARRAY_LEN(kinds); i++)
		pmg_traits_add(&findings, kinds[i], "k%zu", i);
	old = pmg_traits_kinds(&findings);
	pmg_earlier_compare(earlier, &file, &findings);
	pmg_traits_list(&findings, PMG_TRAIT_ALL & ~old, &lines);
	return pmg_strv_join(&lines, "; ", 1000);
}

static void what_the_version_before_did_not_have_is_told(void **state)
{
	static const struct {
		enum pmg_eco eco;
		const char *name, *version;
		bool is_wheel;
		const char *expected;
	} rows[] = {
		{ PMG_ECO_NPM, "a", "1.2.0", false, "" }, /* nothing is known of those below it */
		{ PMG_ECO_NPM, "other", "9.0.0", false, "" },
		{ PMG_ECO_NPM, "a", "1.2.1", false,
		  "new-scripts: not in 1.2.0: k0; new-build: not in 1.2.0: k1; "
		  "new-startup: not in 1.2.0: k2; new-native: not in 1.2.0: k3; "
		  "new-binary: not in 1.2.0: k4" },
		{ PMG_ECO_NPM, "a", "2.0.0", false,
		  "new-build: not in 1.10.0: k1; new-startup: not in 1.10.0: k2; "
		  "new-native: not in 1.10.0: k3" },
		{ PMG_ECO_PYPI, "a", "9", false, "" },
		{ PMG_ECO_PYPI, "B_c", "1.0.0", true, "" }, /* the same version */
		{ PMG_ECO_PYPI, "b.C", "1.1", false, "" },
		{ PMG_ECO_PYPI, "b.C", "1.1", true,
		  "new-scripts: not in 1.0: k0; new-build: not in 1.0: k1; "
		  "new-startup: not in 1.0: k2; new-native: not in 1.0: k3; "
		  "new-binary: not in 1.0: k4" },
		{ PMG_ECO_NPM, "damaged", "1.0.0", false, "" },
		{ PMG_ECO_NPM, "@s/new", "2.0.0", false,
		  "new-scripts: not in 2.0.0-rc.1: k0; new-build: not in 2.0.0-rc.1: k1; "
		  "new-startup: not in 2.0.0-rc.1: k2; new-native: not in 2.0.0-rc.1: k3; "
		  "new-binary: not in 2.0.0-rc.1: k4" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *lines =
			told(rows[i].eco, rows[i].name, rows[i].version, rows[i].is_wheel);

		assert_string_equal(lines, rows[i].expected);
	}
}

static void what_is_kept_is_read_by_the_next_run(void **state)
{
	struct pmg_earlier_file file = { PMG_ECO_PYPI, "B_c", "1.0", true };
	pmg_auto(earlier) struct pmg_earlier *first = pmg_earlier_new(NULL);
	pmg_auto(earlier) struct pmg_earlier *next = NULL;
	pmg_auto(traits) struct pmg_traits findings = { 0 };
	pmg_autofree char *lines = NULL;

	(void)state;
	pmg_earlier_keep(first, &file, &findings);
	pmg_traits_add(&findings, PMG_TRAIT_SCRIPTS, "x");
	pmg_traits_add(&findings, PMG_TRAIT_BINARY, "y");
	file.version = "1.1";
	pmg_earlier_keep(first, &file, &findings);
	file.name = "b c"; /* could stand for another line */
	pmg_earlier_keep(first, &file, &findings);
	file.name = "b-c";
	file.version = "1\n2";
	pmg_earlier_keep(first, &file, &findings);
	lines = pmg_strv_join(pmg_earlier_kept(first), "\n", 1000);
	assert_string_equal(lines, "pypi b-c wheel 1.0 -\npypi b-c wheel 1.1 sx.E162C485");
	next = pmg_earlier_new(pmg_xstrdup(lines));
	file.version = "1.2";
	pmg_traits_add(&findings, PMG_TRAIT_NATIVE, "z");
	pmg_earlier_compare(next, &file, &findings);
	assert_int_equal(findings.counts[PMG_TRAIT_NEW_NATIVE], 1);
	assert_int_equal(findings.counts[PMG_TRAIT_NEW_SCRIPTS], 0);
	assert_int_equal(findings.counts[PMG_TRAIT_NEW_BINARY], 0);
	pmg_traits_add(&findings, PMG_TRAIT_SCRIPTS, "another");
	pmg_earlier_compare(next, &file, &findings);
	assert_string_equal(findings.texts[PMG_TRAIT_NEW_SCRIPTS].v[0], "otherwise in 1.1: x");
}

/* Whatever a file holds it does no harm, and so much of it and no more is read. */
static void a_flood_is_bounded(void **state)
{
	pmg_auto(str) struct pmg_str flood = PMG_STR_INIT(SIZE_MAX / 2);
	struct pmg_earlier_file file = { PMG_ECO_NPM, "a", "2.0.0", false };
	pmg_auto(earlier) struct pmg_earlier *earlier = NULL;
	pmg_auto(traits) struct pmg_traits findings = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i <= PMG_EARLIER_MAX; i++)
		assert_int_equal(pmg_str_addf(&flood, "npm p%zu source 1.0.0 -\n", i), 0);
	assert_int_equal(pmg_str_adds(&flood, "npm a source 1.0.0 -\n"), 0);
	earlier = pmg_earlier_new(pmg_str_steal(&flood));
	pmg_traits_add(&findings, PMG_TRAIT_SCRIPTS, "x");
	pmg_earlier_compare(earlier, &file, &findings);
	assert_int_equal(findings.counts[PMG_TRAIT_NEW_SCRIPTS], 0);
	for (i = 0; i <= PMG_EARLIER_MAX; i++)
		pmg_earlier_keep(earlier, &file, &findings);
	assert_int_equal(pmg_earlier_kept(earlier)->n, PMG_EARLIER_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_version_before_did_not_have_is_told),
		cmocka_unit_test(what_is_kept_is_read_by_the_next_run),
		cmocka_unit_test(a_flood_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
