#include "pm/entries.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"

static struct pmg_packages packages;
static struct pmg_managed managed;

static int teardown(void **state)
{
	(void)state;
	pmg_packages_done(&packages);
	pmg_managed_done(&managed);
	packages = (struct pmg_packages){ 0 };
	managed = (struct pmg_managed){ 0 };
	return 0;
}

static void add(enum pmg_entries_of of, const char *purl, int layer, unsigned column)
{
	struct pmg_packages_list *lists[] = {
		[PMG_ENTRIES_SKIP] = &packages.skip,
		[PMG_ENTRIES_TRUSTED] = &packages.trusted,
		[PMG_ENTRIES_OVERRIDES] = &packages.overrides,
		[PMG_ENTRIES_AGES] = &packages.ages,
	};
	struct pmg_packages_entry entry = { .purl = purl ? pmg_xstrdup(purl) : NULL,
					    .where = pmg_xstrdup("c.yml:3"),
					    .column = column,
					    .layer = layer };

	pmg_packages_add(lists[of], &entry);
}

static const struct {
	enum pmg_entries_of of;
	const char *purl;
	const char *wrong; /* NULL: fine */
} rows[] = {
	{ PMG_ENTRIES_SKIP, "pkg:npm/*", NULL },
	{ PMG_ENTRIES_SKIP, "pkg:npm/x@^1", NULL },
	{ PMG_ENTRIES_SKIP, "pkg:npm/x@1.x",
	  "c.yml:3:7: dependency_cooldown.skip: package pattern \"pkg:npm/x@1.x\": " },
	{ PMG_ENTRIES_SKIP, NULL, "c.yml:3:7: dependency_cooldown.skip: an entry names no" },
	{ PMG_ENTRIES_TRUSTED, "pkg:npm/@s/*", NULL },
	{ PMG_ENTRIES_TRUSTED, "pkg:npm/*",
	  "c.yml:3:7: trusted_packages: \"pkg:npm/*\" names too many packages for this list" },
	{ PMG_ENTRIES_TRUSTED, "left-pad", "c.yml:3:7: trusted_packages: package URL " },
	{ PMG_ENTRIES_OVERRIDES, "pkg:pypi/x@1", NULL },
	{ PMG_ENTRIES_OVERRIDES, "pkg:pypi/x",
	  "c.yml:3:7: intel.overrides: \"pkg:pypi/x\" has to name one version" },
	{ PMG_ENTRIES_AGES, NULL, NULL },
	{ PMG_ENTRIES_AGES, "pkg:pypi/*", NULL },
	{ PMG_ENTRIES_AGES, "pkg:npm/x@1.0.0",
	  "c.yml:3:7: dependency_cooldown.ages: \"pkg:npm/x@1.0.0\" takes no version" },
};

static void each_list_has_its_patterns(void **state)
{
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		struct pmg_err err = PMG_ERR_INIT;
		int r;

		add(rows[i].of, rows[i].purl, PMG_PACKAGES_USER, 7);
		r = pmg_entries_check(&packages, &managed, &err);
		if (rows[i].wrong ? r != -PMG_E_CONFIG || err.diag != PMG_DIAG_CONFIG ||
					    !pmg_str_has_prefix(err.msg, rows[i].wrong)
				  : r != 0)
			fail_msg("row %zu: %d %s", i, r, err.msg);
		if (rows[i].wrong && strstr(rows[i].wrong, "too many"))
			assert_string_equal(err.hint,
					    "\"pkg:npm/@scope/*\" names the most that it takes");
		(void)teardown(state);
	}
}

static void whose_entry_it_is_decides_the_code(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	add(PMG_ENTRIES_TRUSTED, "x", PMG_PACKAGES_MANAGED, 0);
	assert_int_equal(pmg_entries_check(&packages, &managed, &err), -PMG_E_CONFIG);
	assert_int_equal(err.diag, PMG_DIAG_MANAGED);
	assert_true(pmg_str_has_prefix(err.msg, "c.yml:3: trusted_packages: "));
}

static void what_managed_policy_blocks_is_a_package_or_one_version(void **state)
{
	static const struct {
		const char *text, *wrong;
	} blocks[] = {
		{ "pkg:npm/x", NULL },
		{ "pkg:npm/x@1.0.0", NULL },
		{ "pkg:npm/x@^1", "managed policy: m.yml:2:5: \"^1\" is not one exact npm" },
		{ "left-pad", "managed policy: m.yml:2:5: " },
	};
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(blocks); i++) {
		struct pmg_err err = PMG_ERR_INIT;
		int r;

		managed.config.path = pmg_xstrdup("m.yml");
		managed.block.v = pmg_xcalloc(1, sizeof *managed.block.v);
		managed.block.v[0] = (struct pmg_managed_entry){
			.text = pmg_xstrdup(blocks[i].text), .line = 2, .column = 5
		};
		managed.block.n = 1;
		r = pmg_entries_check(&packages, &managed, &err);
		if (blocks[i].wrong ? r != -PMG_E_CONFIG || err.diag != PMG_DIAG_MANAGED ||
					      !pmg_str_has_prefix(err.msg, blocks[i].wrong)
				    : r != 0)
			fail_msg("row %zu: %d %s", i, r, err.msg);
		(void)teardown(state);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(each_list_has_its_patterns, teardown),
		cmocka_unit_test_teardown(whose_entry_it_is_decides_the_code, teardown),
		cmocka_unit_test(what_managed_policy_blocks_is_a_package_or_one_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
