#include "pm/cached.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../helper/folder.h"
#include "base/str.h"
#include "pm/managers.h"

#define THERE                                                                                      \
	"sha512-"                                                                                  \
	"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=="
#define ELSE                                                                                       \
	"sha512-"                                                                                  \
	"BAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=="

static void find(const struct pmg_pm *pm, const char *cache, const char *store,
		 struct pmg_cached *out)
{
	pmg_auto(places) struct pmg_places places = { 0 };

	pmg_strv_add(&places.caches, cache);
	pmg_strv_add(&places.stores, store);
	pmg_cached_find(pm, &places, out);
}

static const struct {
	const struct pmg_pm *pm;
	const char *integrity;
	bool has;
} rows[] = {
	{ &pmg_pm_npm, THERE, true },
	{ &pmg_pm_npm, ELSE, false },
	/* By these its cache cannot be asked. */
	{ &pmg_pm_npm, NULL, true },
	{ &pmg_pm_npm, "sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA=", true },
	{ &pmg_pm_npm, ELSE " sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA=", true },
	{ &pmg_pm_npm, "sha512-AAAA", true },
	{ &pmg_pm_pnpm, ELSE, true },
	{ &pmg_pm_pip, NULL, true },
};

static void what_a_cache_surely_has_not_has_to_be_fetched(void **state)
{
	pmg_auto(folder) char *folder = folder_new();
	pmg_auto(str) struct pmg_str name = PMG_STR_INIT(4096);
	pmg_autofree char *cache = pmg_path_join(folder, "cache");
	pmg_autofree char *store = pmg_path_join(folder, "store");
	size_t i;

	(void)state;
	assert_int_equal(pmg_str_adds(&name, "cache/_cacache/content-v2/sha512/00/00/"), 0);
	for (i = 0; i < 62; i++)
		assert_int_equal(pmg_str_adds(&name, "00"), 0);
	folder_write(folder, name.s, "x", 1);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(cached) struct pmg_cached cached = { 0 };

		find(rows[i].pm, cache, store, &cached);
		if (pmg_cached_may_have(&cached, rows[i].integrity) != rows[i].has)
			fail_msg("row %zu", i);
	}
}

static void an_empty_cache_has_nothing_and_an_unknown_one_anything(void **state)
{
	pmg_auto(folder) char *folder = folder_new();
	pmg_autofree char *cache = pmg_path_join(folder, "cache");
	pmg_autofree char *store = pmg_path_join(folder, "store");
	pmg_auto(cached) struct pmg_cached none = { 0 }, empty = { 0 }, full = { 0 };
	const struct pmg_cached unknown = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	find(&pmg_pm_pnpm, cache, store, &none);
	assert_false(pmg_cached_may_have(&none, NULL));
	assert_int_equal(pmg_io_mkdirs(cache, 0700, &err), 0);
	find(&pmg_pm_pnpm, cache, store, &empty);
	assert_false(pmg_cached_may_have(&empty, THERE));
	folder_write(folder, "store/v10", "", 0);
	find(&pmg_pm_pnpm, cache, store, &full);
	assert_true(pmg_cached_may_have(&full, THERE));
	assert_true(pmg_cached_may_have(&unknown, THERE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_cache_surely_has_not_has_to_be_fetched),
		cmocka_unit_test(an_empty_cache_has_nothing_and_an_unknown_one_anything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
