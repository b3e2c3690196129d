#include "pm/version.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static int sign(int c)
{
	return c < 0 ? -1 : c > 0;
}

struct order {
	enum pmg_eco eco;
	const char *a, *b;
	int sign;
};

static const struct order orders[] = {
	/* SemVer 2.0, 11.4 */
	{ PMG_ECO_NPM, "1.0.0-alpha", "1.0.0-alpha.1", -1 },
	{ PMG_ECO_NPM, "1.0.0-alpha.beta", "1.0.0-alpha.1", 1 },
	{ PMG_ECO_NPM, "1.0.0-rc.1", "1.0.0", -1 },
	{ PMG_ECO_NPM, "1.0.0-2", "1.0.0-11", -1 },
	{ PMG_ECO_NPM, "1.0.0-99999999999999999999998", "1.0.0-99999999999999999999999", -1 },
	/* build never matters */
	{ PMG_ECO_NPM, "1.0.0+a", "1.0.0+b.2", 0 },
	{ PMG_ECO_NPM, "1.0.0-x+a", "1.0.0-x", 0 },
	/* loose */
	{ PMG_ECO_NPM, "v1.0.0", "1.0.0", 0 },
	{ PMG_ECO_NPM, "=v1.0.0", "1.0.0", 0 },
	{ PMG_ECO_NPM, " 1.0.0 ", "1.0.0", 0 },
	{ PMG_ECO_NPM, "1", "1.0.0", 0 },
	{ PMG_ECO_NPM, "1.2", "1.2.0", 0 },
	{ PMG_ECO_NPM, "1.2-beta", "1.2.0-beta", 0 },
	{ PMG_ECO_NPM, "01.002.0", "1.2.0", 0 },
	{ PMG_ECO_NPM, "1.0.0rc1", "1.0.0-rc1", 0 },
	{ PMG_ECO_NPM, "1.2.3.4", "1.2.3", 0 },
	{ PMG_ECO_NPM, "1.2.3.4", "1.2.4", -1 },
	{ PMG_ECO_NPM, "1.0.0-01", "1.0.0-1", 0 },
	/* what is no version is below all that is */
	{ PMG_ECO_NPM, "latest", "0.0.0-0", -1 },
	{ PMG_ECO_NPM, "", "0.0.0-0", -1 },
	{ PMG_ECO_NPM, "1.0.0-", "0.0.0-0", -1 },
	{ PMG_ECO_NPM, "abc", "abd", -1 },
	{ PMG_ECO_NPM, "abc", "abc", 0 },
	/* PEP 440 */
	{ PMG_ECO_PYPI, "1.0", "1.0.0", 0 },
	{ PMG_ECO_PYPI, "1.0.dev1", "1.0a1", -1 },
	{ PMG_ECO_PYPI, "1.0a1.dev1", "1.0a1", -1 },
	{ PMG_ECO_PYPI, "1.0a1.post1", "1.0a1", 1 },
	{ PMG_ECO_PYPI, "1.0a1.post1.dev2", "1.0a1.post1", -1 },
	{ PMG_ECO_PYPI, "1.0.post1.dev1", "1.0", 1 },
	{ PMG_ECO_PYPI, "1.0rc1", "1.0", -1 },
	{ PMG_ECO_PYPI, "1.0C1", "1.0-rc_1", 0 },
	{ PMG_ECO_PYPI, "1.0preview", "1.0rc0", 0 },
	{ PMG_ECO_PYPI, "1.0-1", "1.0.post1", 0 },
	{ PMG_ECO_PYPI, "1.0rev", "1.0.post0", 0 },
	{ PMG_ECO_PYPI, "1.0", "1.0.post0", -1 },
	{ PMG_ECO_PYPI, "1.0", "1.0.dev", 1 },
	{ PMG_ECO_PYPI, "v1.0", "1.0", 0 },
	{ PMG_ECO_PYPI, "1!0.1", "99", 1 },
	{ PMG_ECO_PYPI, "00!1", "1", 0 },
	{ PMG_ECO_PYPI, "1.0+abc", "1.0", 1 },
	{ PMG_ECO_PYPI, "1.0+abc.5", "1.0+abc.10", -1 },
	{ PMG_ECO_PYPI, "1.0+abc", "1.0+5", -1 },
	{ PMG_ECO_PYPI, "1.0+Ubuntu-1", "1.0+ubuntu_01", 0 },
	{ PMG_ECO_PYPI, "20130101000000000000000", "20130101000000000000001", -1 },
	/* not PEP 440: below, by the old key, and equal only to itself */
	{ PMG_ECO_PYPI, "9999-bulbasaur", "0.dev0", -1 },
	{ PMG_ECO_PYPI, "1.0-x2", "1.0-x10", -1 },
	{ PMG_ECO_PYPI, "1.0-x", "1.0.0-x", -1 },
	{ PMG_ECO_PYPI, "1.0-X", "1.0-x", -1 },
	{ PMG_ECO_PYPI, "", "0", -1 },
};

static void versions_are_ordered_both_ways(void **state)
{
	const struct order *o;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(orders); i++) {
		o = &orders[i];
		if (sign(pmg_version_compare(o->eco, o->a, o->b)) != o->sign ||
		    sign(pmg_version_compare(o->eco, o->b, o->a)) != -o->sign)
			fail_msg("%s and %s: expected %d", o->a, o->b, o->sign);
	}
}

/* version.h: texts are equal exactly for equal versions. */
static void canonical_forms_are_equal_exactly_for_equal_versions(void **state)
{
	const struct order *o;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(orders); i++) {
		pmg_autofree char *a = pmg_version_canonical(orders[i].eco, orders[i].a);
		pmg_autofree char *b = pmg_version_canonical(orders[i].eco, orders[i].b);

		o = &orders[i];
		if ((strcmp(a, b) == 0) != (o->sign == 0))
			fail_msg("%s -> %s, %s -> %s", o->a, a, o->b, b);
	}
}

static const struct {
	enum pmg_eco eco;
	const char *version, *canonical; /* NULL: not valid, comes back as it is */
} forms[] = {
	{ PMG_ECO_NPM, "v1.2", "1.2.0" },
	{ PMG_ECO_NPM, "1.2.3-RC.01+x", "1.2.3-RC.1" },
	{ PMG_ECO_NPM, "1.0.0-0", "1.0.0-0" },
	{ PMG_ECO_NPM, "1.0.0-a..b", NULL },
	{ PMG_ECO_NPM, "1.0.0+", NULL },
	{ PMG_ECO_NPM, "1.0.0-a_b", NULL },
	{ PMG_ECO_NPM, "1.x", NULL },
	{ PMG_ECO_NPM, ">=1.0.0", NULL },
	{ PMG_ECO_NPM, "1.0.0 || 2.0.0", NULL },
	{ PMG_ECO_NPM, "1.", NULL },
	{ PMG_ECO_NPM, "0.1.dev20230207", NULL },
	{ PMG_ECO_PYPI, "1.0.0", "1" },
	{ PMG_ECO_PYPI, "0.0.0", "0" },
	{ PMG_ECO_PYPI, "1.0.10", "1.0.10" },
	{ PMG_ECO_PYPI, "V1.0-Alpha.1_POST-02.dev+Ab-01", "1a1.post2.dev0+ab.1" },
	{ PMG_ECO_PYPI, "1.0c", "1rc0" },
	{ PMG_ECO_PYPI, "3!1.0", "3!1" },
	{ PMG_ECO_PYPI, "1.0+", NULL },
	{ PMG_ECO_PYPI, "1.0+a..b", NULL },
	{ PMG_ECO_PYPI, "1.0-bulbasaur", NULL },
	{ PMG_ECO_PYPI, "v_05", NULL },
	{ PMG_ECO_PYPI, "1!", NULL },
	{ PMG_ECO_PYPI, "1..0", NULL },
	{ PMG_ECO_PYPI, "", NULL },
};

static void equal_versions_have_one_canonical_form(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(forms); i++) {
		pmg_autofree char *c = pmg_version_canonical(forms[i].eco, forms[i].version);

		assert_string_equal(c, forms[i].canonical ? forms[i].canonical : forms[i].version);
		assert_int_equal(pmg_version_is_valid(forms[i].eco, forms[i].version),
				 forms[i].canonical != NULL);
	}
}

static void a_version_longer_than_its_limit_is_not_valid(void **state)
{
	char text[PMG_VERSION_MAX + 2];
	int eco;

	(void)state;
	memset(text, '1', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	for (eco = 0; eco < PMG_ECO_MAX; eco++) {
		pmg_autofree char *c = NULL;

		assert_false(pmg_version_is_valid((enum pmg_eco)eco, text));
		c = pmg_version_canonical((enum pmg_eco)eco, text);
		assert_string_equal(c, text);
		assert_true(pmg_version_is_valid((enum pmg_eco)eco, text + 1));
	}
}

/* "c", "r" and "dev" grow to "rc0", ".post0" and ".dev0". */
static void the_canonical_form_of_the_longest_version_is_whole(void **state)
{
	static const char tail[] = "crdev+a", grown[] = "rc0.post0.dev0+a";
	char text[PMG_VERSION_MAX + 1];
	pmg_autofree char *c = NULL;

	(void)state;
	memset(text, '1', PMG_VERSION_MAX);
	memcpy(text + PMG_VERSION_MAX - strlen(tail), tail, sizeof tail);
	c = pmg_version_canonical(PMG_ECO_PYPI, text);
	assert_int_equal(strlen(c), PMG_VERSION_MAX - strlen(tail) + strlen(grown));
	assert_string_equal(c + PMG_VERSION_MAX - strlen(tail), grown);
}

static const struct {
	enum pmg_eco eco;
	const char *name, *canonical;
	bool valid;
} names[] = {
	{ PMG_ECO_PYPI, "Friendly.-_Bard", "friendly-bard", true },
	{ PMG_ECO_PYPI, "urlcon-", "urlcon-", true },
	{ PMG_ECO_PYPI, "_x__y", "-x-y", true },
	{ PMG_ECO_PYPI, "@a/b", "@a/b", false },
	{ PMG_ECO_PYPI, "", "", false },
	{ PMG_ECO_PYPI, "..", "-", false },
	{ PMG_ECO_NPM, "JSONStream", "JSONStream", true },
	{ PMG_ECO_NPM, "@a/b.c_d-e", "@a/b.c_d-e", true },
	{ PMG_ECO_NPM, "hello!'()*~", "hello!'()*~", true },
	{ PMG_ECO_NPM, "@a", "@a", false },
	{ PMG_ECO_NPM, "@a/", "@a/", false },
	{ PMG_ECO_NPM, "@/b", "@/b", false },
	{ PMG_ECO_NPM, "@a/b/c", "@a/b/c", false },
	{ PMG_ECO_NPM, "a/b", "a/b", false },
	{ PMG_ECO_NPM, "@../b", "@../b", false },
	{ PMG_ECO_NPM, "@a/..", "@a/..", false },
	{ PMG_ECO_NPM, "..", "..", false },
	{ PMG_ECO_NPM, "a b", "a b", false },
	{ PMG_ECO_NPM, "a\nb", "a\nb", false },
	{ PMG_ECO_NPM, "a%2fb", "a%2fb", false },
	{ PMG_ECO_NPM, "", "", false },
};

static void names_have_one_form_and_a_shape(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(names); i++) {
		pmg_autofree char *c = pmg_name_canonical(names[i].eco, names[i].name);

		assert_string_equal(c, names[i].canonical);
		if (pmg_name_is_valid(names[i].eco, names[i].name) != names[i].valid)
			fail_msg("%s: expected %d", names[i].name, names[i].valid);
	}
}

static void a_name_longer_than_its_limit_is_not_valid(void **state)
{
	char text[PMG_NAME_MAX + 2];

	(void)state;
	memset(text, 'a', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	assert_false(pmg_name_is_valid(PMG_ECO_NPM, text));
	assert_false(pmg_name_is_valid(PMG_ECO_PYPI, text));
	assert_true(pmg_name_is_valid(PMG_ECO_NPM, text + 1));
	assert_true(pmg_name_is_valid(PMG_ECO_PYPI, text + 1));
}

static void ecosystems_are_read_in_any_case(void **state)
{
	enum pmg_eco eco = PMG_ECO_MAX;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_eco_parse("PyPI", &eco, &err), 0);
	assert_int_equal(eco, PMG_ECO_PYPI);
	assert_int_equal(pmg_eco_parse("NPM", &eco, &err), 0);
	assert_string_equal(pmg_eco_name(eco), "npm");
	assert_int_equal(pmg_eco_parse("cargo\n", &eco, &err), -PMG_E_PARSE);
	assert_string_equal(err.msg, "ecosystem \"cargo\\x0a\" is not known");
	assert_int_equal(eco, PMG_ECO_NPM);
}

static void pre_releases_and_lines_are_told(void **state)
{
	static const struct {
		enum pmg_eco eco;
		const char *version;
		bool is_prerelease;
	} versions[] = {
		{ PMG_ECO_NPM, "1.0.0", false },        { PMG_ECO_NPM, "1.0.0-rc.1", true },
		{ PMG_ECO_NPM, "v1.0.0-0", true },      { PMG_ECO_NPM, "1.0.0+rc.1", false },
		{ PMG_ECO_NPM, "nonsense", false },     { PMG_ECO_PYPI, "1.0", false },
		{ PMG_ECO_PYPI, "1.0rc1", true },       { PMG_ECO_PYPI, "1.0.dev1", true },
		{ PMG_ECO_PYPI, "1.0.post1", false },   { PMG_ECO_PYPI, "1.0+local", false },
		{ PMG_ECO_PYPI, "nonsense-rc", false },
	};
	static const struct {
		const char *a, *b;
		bool is_same;
	} lines[] = {
		{ "1.0.0", "1.9.3", true },
		{ "1.0.0", "2.0.0", false },
		{ "1.0.0", "1.0.0-rc.1", false },
		{ "1.0.0-rc.1", "1.2.0-rc2", true },
		{ "1.0.0-rc.1", "1.0.0-beta.1", false },
		{ "1.0.0-rc.1", "1.0.0-rcx.1", false },
		{ "1.0.0-0", "1.1.0-7.x", true },
		{ "1.0.0-0", "1.1.0-rc.0", false },
		{ "01.0.0", "1.0.0", true },
		{ "nonsense", "nonsense", false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(versions); i++)
		if (pmg_version_is_prerelease(versions[i].eco, versions[i].version) !=
		    versions[i].is_prerelease)
			fail_msg("%s", versions[i].version);
	for (i = 0; i < PMG_ARRAY_LEN(lines); i++)
		if (pmg_semver_is_same_line(lines[i].a, lines[i].b) != lines[i].is_same ||
		    pmg_semver_is_same_line(lines[i].b, lines[i].a) != lines[i].is_same)
			fail_msg("%s %s", lines[i].a, lines[i].b);
}

static void a_range_is_no_version_and_what_is_odd_may_be_one(void **state)
{
	static const char *const ranges[2][12] = {
		[PMG_ECO_NPM] = { "^1", "~1.0.0", "1.x", "x", "*", "1", "v1.0", ">=1.0.0",
				  "1.0.0 - 2.0.0", "1.0.0 || 2.0.0", "latest", NULL },
		[PMG_ECO_PYPI] = { "==1.0", "!=1", "~=1.0", ">1", "1.*", "1,2", "latest", NULL },
	};
	static const char *const odd[2][7] = {
		[PMG_ECO_NPM] = { "1.0.0", "v1.0.0-rc.1+b", "=1.0.0", "1.0.0.1", "odd", "", NULL },
		[PMG_ECO_PYPI] = { "1", "1!2.0.post1", "v_05", "1.0-x", "0.1~dev", "", NULL },
	};
	size_t eco, i;

	(void)state;
	for (eco = 0; eco < 2; eco++) {
		for (i = 0; ranges[eco][i]; i++)
			if (!pmg_version_is_range((enum pmg_eco)eco, ranges[eco][i]))
				fail_msg("%s", ranges[eco][i]);
		for (i = 0; odd[eco][i]; i++)
			if (pmg_version_is_range((enum pmg_eco)eco, odd[eco][i]))
				fail_msg("%s", odd[eco][i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(versions_are_ordered_both_ways),
		cmocka_unit_test(canonical_forms_are_equal_exactly_for_equal_versions),
		cmocka_unit_test(equal_versions_have_one_canonical_form),
		cmocka_unit_test(a_version_longer_than_its_limit_is_not_valid),
		cmocka_unit_test(the_canonical_form_of_the_longest_version_is_whole),
		cmocka_unit_test(names_have_one_form_and_a_shape),
		cmocka_unit_test(a_name_longer_than_its_limit_is_not_valid),
		cmocka_unit_test(ecosystems_are_read_in_any_case),
		cmocka_unit_test(pre_releases_and_lines_are_told),
		cmocka_unit_test(a_range_is_no_version_and_what_is_odd_may_be_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
