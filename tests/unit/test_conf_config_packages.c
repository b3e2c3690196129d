#include "conf/config_packages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "conf/config.h"
#include "conf/managed.h"

#define V1 "schema_version: 1\n"

static int parse(const char *text, struct pmg_managed *out, struct pmg_err *err)
{
	pmg_autofree char *all = pmg_xasprintf(V1 "%s", text);

	return pmg_managed_parse("/m.yml", all, strlen(all), out, err);
}

static void every_key_takes_effect(void **state)
{
	pmg_auto(managed) struct pmg_managed m = { 0 };
	const struct pmg_packages *p = &m.config.packages;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(
		parse("dependency_cooldown:\n"
		      "  enabled: false\n"
		      "  age: 36h\n"
		      "  mode: fail\n"
		      "  undated: warn\n"
		      "  security_fixes: wait\n"
		      "  ages: [{purl: 'pkg:npm/@acme/*', age: 0d}]\n"
		      "  skip: [{purl: 'pkg:npm/a', reason: ours}]\n"
		      "trusted_packages: [{purl: 'pkg:npm/b@1.0.0', expires: 2027-01-31}]\n"
		      "intel:\n"
		      "  private_origin: block\n"
		      "  overrides:\n"
		      "    - {ecosystem: pypi, name: c, version: 1.0+x, id: MAL-1, reason: wrong,\n"
		      "       expires: 2027-01-31T10:00:00Z}\n",
		      &m, &err),
		0);
	assert_false(p->enabled);
	assert_int_equal(p->mode, PMG_COOLDOWN_FAIL);
	assert_int_equal(p->undated, PMG_UNDATED_WARN);
	assert_int_equal(p->fixes, PMG_FIXES_WAIT);
	assert_int_equal(p->private_origin, PMG_PRIVATE_BLOCK);
	assert_int_equal(p->ages.n, 2);
	assert_null(p->ages.v[0].purl);
	assert_int_equal(p->ages.v[0].age_s, 36 * 3600);
	assert_string_equal(p->ages.v[0].where, "/m.yml:4");
	assert_string_equal(p->ages.v[1].purl, "pkg:npm/@acme/*");
	assert_int_equal(p->ages.v[1].age_s, 0);
	assert_string_equal(p->skip.v[0].reason, "ours");
	assert_int_equal(p->skip.v[0].expires, 0);
	assert_string_equal(p->trusted.v[0].purl, "pkg:npm/b@1.0.0");
	assert_string_equal(p->trusted.v[0].where, "/m.yml:10");
	assert_int_equal(p->trusted.v[0].expires, 1801353600); /* 2027-01-31T00:00:00Z */
	assert_string_equal(p->overrides.v[0].purl, "pkg:pypi/c@1.0+x");
	assert_string_equal(p->overrides.v[0].id, "MAL-1");
	assert_int_equal(p->overrides.v[0].expires, 1801353600 + 36000);
}

/* Report: units differ from tool to tool. Here there is one, or it is an error; never 0. */
static const struct {
	const char *text;
	uint64_t as_age, as_days; /* seconds; 0: refused */
} ages[] = {
	{ "7", 0, 7 * 86400 },
	{ "7d", 7 * 86400, 0 },
	{ "168h", 7 * 86400, 0 },
	{ "10080m", 7 * 86400, 0 },
	{ "1w", 7 * 86400, 0 },
	{ "-1", 0, 0 },
	{ "7 days", 0, 0 },
	{ "abc", 0, 0 },
	{ "", 0, 0 },
	{ "'7'", 0, 0 },
	{ "'7d'", 7 * 86400, 0 },
	{ "7.5d", 0, 0 },
	{ "7D", 0, 0 },
	{ "+7d", 0, 0 },
	{ "0", 0, 0 },
	{ "0d", 0, 0 },
	{ "1d12h", 0, 0 },
	{ "3650d", 315360000, 0 },
	{ "3651d", 0, 0 },
	{ "3650", 0, 315360000 },
	{ "3651", 0, 0 },
	{ "99999999999999999999d", 0, 0 },
	{ "[7d]", 0, 0 },
	{ "0x7", 0, 0 },
	{ "18446744073709551623", 0, 0 },
};

static void an_age_has_its_unit_and_days_have_none(void **state)
{
	size_t i, k;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(ages); i++)
		for (k = 0; k < 2; k++) {
			pmg_auto(managed) struct pmg_managed m = { 0 };
			uint64_t want = k ? ages[i].as_days : ages[i].as_age;
			struct pmg_err err = PMG_ERR_INIT;
			pmg_autofree char *text = pmg_xasprintf("dependency_cooldown: {%s: %s}\n",
								k ? "days" : "age", ages[i].text);
			int r = parse(text, &m, &err);

			if (r != (want ? 0 : -PMG_E_CONFIG))
				fail_msg("%s: %d %s", text, r, err.msg);
			if (want)
				assert_int_equal(m.config.packages.ages.v[0].age_s, want);
			else
				assert_non_null(strstr(err.msg, "/m.yml:2:"));
		}
}

static const struct {
	const char *text, *msg;
} bad[] = {
	{ "dependency_cooldown: {days: 5, age: 5d}\n",
	  ":2:32: \"days\" and \"age\" say the same thing: keep one of them" },
	{ "dependency_cooldown: {dayz: 5}\n", ":2:23: unknown key \"dayz\"" },
	{ "dependency_cooldown: {mode: warn}\n",
	  ":2:29: \"dependency_cooldown.mode\" must be one of filter, fail, not \"warn\"" },
	{ "dependency_cooldown: {enabled: no}\n",
	  ":2:32: \"dependency_cooldown.enabled\" must be true or false, not \"no\"" },
	{ "dependency_cooldown: {ages: [{purl: 'pkg:npm/x'}]}\n", ":2:30: key \"age\" is missing" },
	{ "dependency_cooldown: {ages: [{purl: 'pkg:npm/x', age: 7}]}\n",
	  ":2:55: \"dependency_cooldown.ages[0].age\" must be an age with its unit (36h, 7d, 2w), "
	  "not \"7\"" },
	{ "dependency_cooldown: {skip: [pkg:npm/x]}\n", ":2:30: " },
	{ "dependency_cooldown: {skip: [{reason: x}]}\n", ":2:30: key \"purl\" is missing" },
	{ "trusted_packages: [{purl: 'pkg:npm/x', expires: soon}]\n",
	  ":2:49: \"trusted_packages[0].expires\" must be a day like 2027-01-31, or a time like "
	  "2027-01-31T10:00:00Z, not \"soon\"" },
	{ "trusted_packages: [{purl: 'pkg:npm/x', expires: 2027-02-30}]\n", ":2:49: " },
	{ "trusted_packages: {purl: 'pkg:npm/x'}\n", ":2:19: " },
	{ "intel: {overrides: [{ecosystem: npm, name: x, version: 1.0.0, id: M}]}\n",
	  ":2:21: key \"reason\" is missing" },
	{ "intel: {overrides: [{ecosystem: npm, name: x, version: 1.0.0, reason: r}]}\n",
	  ":2:21: key \"id\" is missing" },
	{ "intel: {overrides: [{ecosystem: npm, name: x, id: M, reason: r}]}\n",
	  ":2:21: key \"version\" is missing" },
	{ "intel: {overrides: [{ecosystem: npm, name: '@a/*', version: 1, id: M, reason: r}]}\n",
	  ":2:21: \"name\" or \"version\" is none of a package" },
	{ "intel: {overrides: [{ecosystem: npm, name: x, version: '1?y', id: M, reason: r}]}\n",
	  ":2:21: \"name\" or \"version\" is none of a package" },
	{ "intel: {private_origin: allow}\n",
	  ":2:25: \"intel.private_origin\" must be one of warn, block, not \"allow\"" },
};

static void what_is_wrong_is_an_error_with_its_place(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(bad); i++) {
		struct pmg_managed m = { .lockdown = true };
		struct pmg_err err = PMG_ERR_INIT;
		const char *at;

		assert_int_equal(parse(bad[i].text, &m, &err), -PMG_E_CONFIG);
		at = strstr(err.msg, "/m.yml");
		if (!at || !pmg_str_has_prefix(at + strlen("/m.yml"), bad[i].msg))
			fail_msg("row %zu: %s", i, err.msg);
		assert_true(m.lockdown);
	}
}

static void an_entry_written_as_text_is_shown_how_to_be_one(void **state)
{
	struct pmg_managed m = { .lockdown = true };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(parse("dependency_cooldown: {skip: [pkg:npm/x]}\n", &m, &err),
			 -PMG_E_CONFIG);
	assert_string_equal(err.hint, "{purl: \"pkg:npm/name@1.2.3\", reason: \"...\"}");
}

/* A project's file: what it may say, and what it may not. */
static const struct {
	const char *text, *msg; /* NULL: taken */
} project[] = {
	{ "dependency_cooldown: {enabled: true, days: 9, mode: fail, undated: block}\n", NULL },
	{ "dependency_cooldown: {age: 9d, security_fixes: wait}\n", NULL },
	{ "dependency_cooldown: {ages: [{purl: 'pkg:npm/x', age: 0d}]}\n", NULL },
	{ "intel: {private_origin: block}\n", NULL },
	{ "dependency_cooldown: {enabled: false}\n",
	  "\"dependency_cooldown.enabled\" can only be true in a project's file" },
	{ "dependency_cooldown: {mode: filter}\n",
	  "\"dependency_cooldown.mode\" can only be fail in a project's file" },
	{ "dependency_cooldown: {undated: warn}\n",
	  "\"dependency_cooldown.undated\" can only be block in a project's file" },
	{ "dependency_cooldown: {security_fixes: pass}\n",
	  "\"dependency_cooldown.security_fixes\" can only be wait in a project's file" },
	{ "dependency_cooldown: {skip: []}\n",
	  "\"dependency_cooldown.skip\" cannot be set by a project's file" },
	{ "dependency_cooldown: {days: 0}\n",
	  "\"dependency_cooldown.days\" must be more than nothing" },
	{ "trusted_packages: []\n", "\"trusted_packages\" cannot be set by a project's file" },
	{ "intel: {overrides: []}\n", "\"intel.overrides\" cannot be set by a project's file" },
	{ "intel: {private_origin: warn}\n",
	  "\"intel.private_origin\" can only be block in a project's file" },
};

static void a_projects_file_tightens_and_nothing_else(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(project); i++) {
		pmg_auto(managed) struct pmg_managed m = { 0 };
		pmg_autofree char *all = pmg_xasprintf(V1 "%s", project[i].text);
		struct pmg_err err = PMG_ERR_INIT;
		int r = pmg_managed_parse_project("/p.yml", all, strlen(all), &m, &err);

		if (r != (project[i].msg ? -PMG_E_CONFIG : 0) ||
		    (project[i].msg && !strstr(err.msg, project[i].msg)))
			fail_msg("row %zu: %d %s", i, r, err.msg);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_key_takes_effect),
		cmocka_unit_test(an_age_has_its_unit_and_days_have_none),
		cmocka_unit_test(what_is_wrong_is_an_error_with_its_place),
		cmocka_unit_test(an_entry_written_as_text_is_shown_how_to_be_one),
		cmocka_unit_test(a_projects_file_tightens_and_nothing_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
