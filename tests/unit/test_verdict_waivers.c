#include "verdict/waivers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"

#define D 86400U

static void add(struct pmg_packages_list *list, const char *purl, int layer, uint64_t age_s)
{
	struct pmg_packages_entry entry = {
		.purl = purl ? pmg_xstrdup(purl) : NULL,
		.where = pmg_xasprintf("%d:%zu", layer, list->n),
		.layer = layer,
		.age_s = age_s,
	};

	pmg_packages_add(list, &entry);
}

/* Ages of three files: all, a scope, one package; 0 is not said, 1 stands for none at all. */
static const struct {
	uint64_t user, user_scope, user_name, project, managed, managed_scope;
	const char *name;
	uint64_t age_s;
	const char *where;
} ages[] = {
	{ 0, 0, 0, 0, 0, 0, "x", 5 * D, "default" },
	{ 2 * D, 0, 0, 0, 0, 0, "x", 2 * D, "0:0" },
	{ 9 * D, 0, 0, 0, 0, 0, "x", 9 * D, "0:0" },
	{ 0, 1, 0, 0, 0, 0, "x", 5 * D, "default" },
	{ 0, 1, 0, 0, 0, 0, "@a/x", 1, "0:0" },
	{ 2 * D, 14 * D, 0, 0, 0, 0, "@a/x", 14 * D, "0:1" },
	{ 2 * D, 14 * D, 3 * D, 0, 0, 0, "@a/x", 3 * D, "0:2" },
	{ 2 * D, 14 * D, 3 * D, 0, 0, 0, "@a/y", 14 * D, "0:1" },
	/* a project's file tightens */
	{ 0, 0, 0, 2 * D, 0, 0, "x", 5 * D, "default" },
	{ 0, 0, 0, 9 * D, 0, 0, "x", 9 * D, "1:0" },
	{ 2 * D, 0, 0, 3 * D, 0, 0, "x", 3 * D, "1:1" },
	{ 4 * D, 0, 0, 3 * D, 0, 0, "x", 4 * D, "0:0" },
	{ 0, 1, 0, 3 * D, 0, 0, "@a/x", 3 * D, "1:1" },
	/* managed policy is what holds without others, and what holds them */
	{ 0, 0, 0, 0, 2 * D, 0, "x", 2 * D, "2:0" },
	{ 0, 0, 0, 0, 9 * D, 0, "x", 9 * D, "2:0" },
	{ 2 * D, 0, 0, 0, 9 * D, 0, "x", 9 * D, "2:1" },
	{ 9 * D, 0, 0, 0, 2 * D, 0, "x", 9 * D, "0:0" },
	{ 0, 0, 0, 0, 9 * D, 1, "@a/x", 1, "2:1" },
	{ 2 * D, 0, 0, 0, 9 * D, 1, "@a/x", 2 * D, "0:0" },
	{ 0, 1, 0, 0, 9 * D, 0, "@a/x", 9 * D, "2:1" },
	{ 2 * D, 0, 0, 0, 0, 14 * D, "@a/x", 14 * D, "2:1" },
	{ 2 * D, 0, 0, 0, 0, 14 * D, "x", 2 * D, "0:0" },
	{ 0, 0, 0, 0, 0, 14 * D, "x", 5 * D, "default" },
};

static void the_nearest_rule_of_a_file_counts_and_of_files_the_longest(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(ages); i++) {
		const struct {
			const char *purl;
			int layer;
			uint64_t age_s;
		} entries[] = {
			{ NULL, PMG_PACKAGES_USER, ages[i].user },
			{ "pkg:npm/@a/*", PMG_PACKAGES_USER, ages[i].user_scope },
			{ "pkg:npm/@a/x", PMG_PACKAGES_USER, ages[i].user_name },
			{ NULL, PMG_PACKAGES_PROJECT, ages[i].project },
			{ NULL, PMG_PACKAGES_MANAGED, ages[i].managed },
			{ "pkg:npm/@a/*", PMG_PACKAGES_MANAGED, ages[i].managed_scope },
		};
		pmg_auto(packages) struct pmg_packages p = { 0 };
		pmg_auto(waivers) struct pmg_waivers *w = NULL;
		struct pmg_err err = PMG_ERR_INIT;
		const char *where;
		uint64_t age_s;
		size_t k;

		for (k = 0; k < PMG_ARRAY_LEN(entries); k++)
			if (entries[k].age_s)
				add(&p.ages, entries[k].purl, entries[k].layer, entries[k].age_s);
		assert_int_equal(pmg_waivers_new(&p, &w, &err), 0);
		age_s = pmg_waivers_min_age(w, PMG_ECO_NPM, ages[i].name, &where);
		if (age_s != ages[i].age_s || strcmp(where, ages[i].where) != 0)
			fail_msg("row %zu: %llu s by %s", i, (unsigned long long)age_s, where);
	}
}

static void an_age_is_of_one_ecosystem(void **state)
{
	pmg_auto(packages) struct pmg_packages p = { 0 };
	pmg_auto(waivers) struct pmg_waivers *w = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	const char *where;

	(void)state;
	add(&p.ages, "pkg:pypi/*", PMG_PACKAGES_USER, 9 * D);
	add(&p.ages, "pkg:pypi/*", PMG_PACKAGES_USER, 8 * D);
	assert_int_equal(pmg_waivers_new(&p, &w, &err), 0);
	assert_int_equal(pmg_waivers_min_age(w, PMG_ECO_PYPI, "x", &where), 9 * D);
	assert_int_equal(pmg_waivers_min_age(w, PMG_ECO_NPM, "x", &where), 5 * D);
	assert_int_equal(pmg_waivers_min_age(w, PMG_ECO_PYPI, "y", &where), 9 * D);
}

static void of_entries_the_first_that_holds_is_named(void **state)
{
	pmg_auto(packages) struct pmg_packages p = { 0 };
	pmg_auto(waivers) struct pmg_waivers *w = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	struct pmg_waived found;

	(void)state;
	add(&p.trusted, "pkg:npm/x@1.0.0", PMG_PACKAGES_USER, 0);
	add(&p.trusted, "pkg:npm/x", PMG_PACKAGES_USER, 0);
	add(&p.trusted, "pkg:npm/y@1.0.0", PMG_PACKAGES_USER, 0);
	p.trusted.v[0].expired = true;
	p.trusted.v[2].expired = true;
	assert_int_equal(pmg_waivers_new(&p, &w, &err), 0);
	found = pmg_waivers_find(w, PMG_WAIVER_TRUSTED, PMG_ECO_NPM, "x", "1.0.0", NULL, false);
	assert_string_equal(found.entry->where, "0:1");
	assert_null(found.expired);
	found = pmg_waivers_find(w, PMG_WAIVER_TRUSTED, PMG_ECO_NPM, "y", "1.0.0", NULL, false);
	assert_null(found.entry);
	assert_string_equal(found.expired->where, "0:2");
	found = pmg_waivers_find(w, PMG_WAIVER_SKIP, PMG_ECO_NPM, "x", "1.0.0", NULL, true);
	assert_null(found.entry);
	assert_true(pmg_waivers_skip_all(w, PMG_ECO_NPM, "x"));
	assert_false(pmg_waivers_skip_all(w, PMG_ECO_NPM, "y"));
}

static void a_wait_that_managed_policy_wants_is_waived_by_it_alone(void **state)
{
	static const struct {
		int layer;
		bool managed_wait, record, wait;
	} cells[] = {
		{ PMG_PACKAGES_USER, false, true, true },
		{ PMG_PACKAGES_USER, true, true, false },
		{ PMG_PACKAGES_MANAGED, false, true, true },
		{ PMG_PACKAGES_MANAGED, true, true, true },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(cells); i++) {
		pmg_auto(packages) struct pmg_packages p = { 0 };
		pmg_auto(waivers) struct pmg_waivers *w = NULL;
		struct pmg_err err = PMG_ERR_INIT;

		p.managed_wait = cells[i].managed_wait;
		add(&p.trusted, "pkg:npm/x", cells[i].layer, 0);
		assert_int_equal(pmg_waivers_new(&p, &w, &err), 0);
		assert_int_equal(
			pmg_waivers_find(w, PMG_WAIVER_TRUSTED, PMG_ECO_NPM, "x", "1", NULL, false)
					.entry != NULL,
			cells[i].record);
		assert_int_equal(
			pmg_waivers_find(w, PMG_WAIVER_TRUSTED, PMG_ECO_NPM, "x", "1", NULL, true)
					.entry != NULL,
			cells[i].wait);
		assert_int_equal(pmg_waivers_skip_all(w, PMG_ECO_NPM, "x"), cells[i].wait);
	}
}

static const struct {
	size_t list;
	const char *purl, *msg;
} refused[] = {
	{ offsetof(struct pmg_packages, trusted), "pkg:npm/*",
	  "0:0: trusted_packages: \"pkg:npm/*\" names too many packages for this list" },
	{ offsetof(struct pmg_packages, trusted), "x",
	  "0:0: trusted_packages: package URL \"x\": " },
	{ offsetof(struct pmg_packages, trusted), NULL,
	  "0:0: trusted_packages: an entry names no package" },
	{ offsetof(struct pmg_packages, skip), "pkg:npm/x@1.x",
	  "0:0: dependency_cooldown.skip: package pattern \"pkg:npm/x@1.x\": " },
	{ offsetof(struct pmg_packages, overrides), "pkg:npm/x",
	  "0:0: intel.overrides: \"pkg:npm/x\" has to name one version" },
	{ offsetof(struct pmg_packages, overrides), "pkg:npm/x@^1",
	  "0:0: intel.overrides: \"pkg:npm/x@^1\" has to name one version" },
	{ offsetof(struct pmg_packages, overrides), "pkg:npm/@a/*",
	  "0:0: intel.overrides: \"pkg:npm/@a/*\" names too many packages for this list" },
	{ offsetof(struct pmg_packages, ages), "pkg:npm/x@1.0.0",
	  "0:0: dependency_cooldown.ages: \"pkg:npm/x@1.0.0\" takes no version: an age is for all "
	  "of "
	  "a package" },
};

static void an_entry_that_says_too_much_or_nothing_is_an_error_with_its_place(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(refused); i++) {
		pmg_auto(packages) struct pmg_packages p = { 0 };
		struct pmg_waivers *w = NULL;
		struct pmg_err err = PMG_ERR_INIT;

		add((void *)((char *)&p + refused[i].list), refused[i].purl, PMG_PACKAGES_USER, 0);
		assert_int_equal(pmg_waivers_new(&p, &w, &err), -PMG_E_CONFIG);
		if (!pmg_str_has_prefix(err.msg, refused[i].msg))
			fail_msg("row %zu: %s", i, err.msg);
		assert_null(w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_nearest_rule_of_a_file_counts_and_of_files_the_longest),
		cmocka_unit_test(an_age_is_of_one_ecosystem),
		cmocka_unit_test(of_entries_the_first_that_holds_is_named),
		cmocka_unit_test(a_wait_that_managed_policy_wants_is_waived_by_it_alone),
		cmocka_unit_test(an_entry_that_says_too_much_or_nothing_is_an_error_with_its_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
