#include "pm/pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "pm/version.h"

/* What users ask for: a scope, a package, a version, a line; each exactly. */
static const struct {
	const char *pattern;
	enum pmg_eco eco;
	const char *name, *version;
	bool matches;
} rows[] = {
	{ "pkg:npm/@acme/*", PMG_ECO_NPM, "@acme/ui", "1.0.0", true },
	{ "pkg:npm/%40acme/*", PMG_ECO_NPM, "@acme/ui", NULL, true },
	{ "pkg:npm/@acme/*", PMG_ECO_NPM, "@acmes/ui", "1.0.0", false },
	{ "pkg:npm/@acme/*", PMG_ECO_NPM, "@ACME/ui", "1.0.0", false },
	{ "pkg:npm/@acme/*", PMG_ECO_NPM, "acme", "1.0.0", false },
	{ "pkg:npm/@acme/*", PMG_ECO_PYPI, "acme", "1.0.0", false },
	{ "pkg:npm/pkg", PMG_ECO_NPM, "pkg", "1.2.3", true },
	{ "pkg:npm/pkg", PMG_ECO_NPM, "pkg", NULL, true },
	{ "pkg:npm/pkg", PMG_ECO_NPM, "pkg", "odd", true },
	{ "pkg:npm/pkg", PMG_ECO_NPM, "pkgs", "1.2.3", false },
	{ "pkg:npm/pkg", PMG_ECO_NPM, "@acme/pkg", "1.2.3", false },
	{ "pkg:npm/pkg", PMG_ECO_PYPI, "pkg", "1.2.3", false },
	{ "pkg:npm/pkg@1.2.3", PMG_ECO_NPM, "pkg", "1.2.3", true },
	{ "pkg:npm/pkg@1.2.3", PMG_ECO_NPM, "pkg", "v1.2.3+b", true },
	{ "pkg:npm/pkg@1.2.3", PMG_ECO_NPM, "pkg", "1.2.4", false },
	{ "pkg:npm/pkg@1.2.3", PMG_ECO_NPM, "pkg", "1.2.3-rc.1", false },
	{ "pkg:npm/pkg@1.2.3", PMG_ECO_NPM, "pkg", NULL, false },
	{ "pkg:npm/pkg@1.2.3", PMG_ECO_PYPI, "pkg", "1.2.3", false },
	{ "pkg:npm/pkg@^1", PMG_ECO_NPM, "pkg", "1.9.0", true },
	{ "pkg:npm/pkg@%5E1", PMG_ECO_NPM, "pkg", "1.9.0", true },
	{ "pkg:npm/pkg@^1", PMG_ECO_NPM, "pkg", "2.0.0", false },
	{ "pkg:npm/pkg@^1", PMG_ECO_NPM, "pkg", "2.0.0-rc.1", false },
	{ "pkg:npm/pkg@^1", PMG_ECO_NPM, "pkg", NULL, false },
	{ "pkg:npm/pkg@^1", PMG_ECO_NPM, "pkg", "odd", false },
	{ "pkg:npm/pkg@^1", PMG_ECO_PYPI, "pkg", "1.9.0", false },
	{ "pkg:npm/*", PMG_ECO_NPM, "@acme/ui", "1.0.0", true },
	{ "pkg:npm/*", PMG_ECO_PYPI, "x", "1.0.0", false },
	{ "pkg:pypi/Some_Name@1.0", PMG_ECO_PYPI, "some.name", "1", true },
	{ "pkg:pypi/some-name@^1", PMG_ECO_PYPI, "Some_Name", "1.4", true },
};

static void each_pattern_matches_exactly(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(pattern) struct pmg_pattern p = { 0 };
		pmg_autofree char *name = pmg_name_canonical(rows[i].eco, rows[i].name);
		pmg_autofree char *version =
			rows[i].version ? pmg_version_canonical(rows[i].eco, rows[i].version)
					: NULL;
		struct pmg_err err = PMG_ERR_INIT;

		assert_int_equal(pmg_pattern_parse(rows[i].pattern, &p, &err), 0);
		if ((pmg_pattern_has_name(&p, rows[i].eco, name) &&
		     pmg_pattern_has_version(&p, version)) != rows[i].matches)
			fail_msg("%s and %s %s@%s", rows[i].pattern, pmg_eco_name(rows[i].eco),
				 rows[i].name, rows[i].version ? rows[i].version : "-");
	}
}

/* What looks as if it matched something and never would, or matches more than it says. */
static const struct {
	const char *pattern, *why;
} refused[] = {
	{ "pkg", "it does not begin with pkg:" },
	{ "@acme/*", "what stands before its star" },
	{ "pkg:cargo/x", "its type is neither npm nor pypi" },
	{ "pkg:npm/", "its name cannot be read" },
	{ "pkg:npm/pkg@1.x", "neither one version nor ^" },
	{ "pkg:npm/pkg@>=1", "neither one version nor ^" },
	{ "pkg:npm/pkg@~1", "neither one version nor ^" },
	{ "pkg:npm/pkg@latest", "neither one version nor ^" },
	{ "pkg:npm/pkg@*", "a star stands only" },
	{ "pkg:npm/pk*", "a star stands only" },
	{ "pkg:npm/@*/ui", "a star stands only" },
	{ "pkg:npm/*/*", "what stands before its star" },
	{ "pkg:npm/a?b=/*", "what stands before its star" },
	{ "pkg:npm/a#/*", "what stands before its star" },
	{ "pkg:npm/a/*", "what stands before its star" },
	{ "pkg:pypi/@acme/*", "what stands before its star" },
	{ "pkg:npm/pkg@^", "behind \"^\"" },
	{ "pkg:npm/pkg@^1.0.0-rc", "behind \"^\"" },
	{ "pkg:npm/pkg@^latest", "behind \"^\"" },
	{ "", "it does not begin with pkg:" },
};

static void what_would_never_or_always_match_is_refused(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(refused); i++) {
		struct pmg_pattern p = { .eco = PMG_ECO_MAX };
		struct pmg_err err = PMG_ERR_INIT;

		if (pmg_pattern_parse(refused[i].pattern, &p, &err) != -PMG_E_PARSE ||
		    !strstr(err.msg, refused[i].why))
			fail_msg("%s: %s", refused[i].pattern, err.msg);
		assert_int_equal(p.eco, PMG_ECO_MAX);
		assert_non_null(strstr(err.hint, "pkg:"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_pattern_matches_exactly),
		cmocka_unit_test(what_would_never_or_always_match_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
