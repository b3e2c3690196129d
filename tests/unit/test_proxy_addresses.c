#include "proxy/addresses.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/str.h"

static size_t add(struct pmg_addresses *addresses, const char *address, const char *name,
		  size_t room)
{
	struct pmg_address as = { .kind = PMG_PATH_ARTIFACT, .name = name, .version = "1" };
	pmg_auto(url) struct pmg_url url = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(pmg_url_parse(address, &url, &err), 0);
	return pmg_addresses_add(addresses, &url, &as, room);
}

static const struct pmg_address *find(const struct pmg_addresses *addresses, const char *address,
				      bool with_query)
{
	pmg_auto(url) struct pmg_url url = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(pmg_url_parse(address, &url, &err), 0);
	return pmg_addresses_find(addresses, &url, with_query);
}

static void one_address_is_found_by_all_its_spellings(void **state)
{
	static const struct {
		const char *address;
		bool with_query, found;
	} rows[] = {
		{ "https://H.test/a/b?q", true, true },
		{ "http://h.test./a//%62?q", true, true },
		{ "https://h.test:443/a/b?q", true, true },
		{ "https://h.test/a/b", true, false },
		{ "https://h.test/a/b?q", false, false },
		{ "https://h.test/a/b?Q", true, false },
		{ "https://h.test:8443/a/b?q", true, false },
		{ "https://h.test/a/b/?q", true, false },
		{ "https://h.test/%2e/a/b?q", true, false },
	};
	pmg_auto(addresses) struct pmg_addresses *addresses = pmg_addresses_new();
	size_t i;

	(void)state;
	assert_true(add(addresses, "https://h.test/a/b?q", "x", 10000) > 0);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		assert_int_equal(find(addresses, rows[i].address, rows[i].with_query) != NULL,
				 rows[i].found);
}

static void several_identities_are_kept_up_to_a_bound(void **state)
{
	pmg_auto(addresses) struct pmg_addresses *addresses = pmg_addresses_new();
	const struct pmg_address *at;
	size_t i, n = 0;

	(void)state;
	for (i = 0; i < 2 * PMG_ADDRESSES_SAME_MAX; i++) {
		pmg_autofree char *name = pmg_xasprintf("x%zu", i);

		assert_int_equal(add(addresses, "https://h.test/a", name, 10000) > 0,
				 i < PMG_ADDRESSES_SAME_MAX);
		assert_int_equal(add(addresses, "https://h.test/a", name, 10000), 0);
	}
	for (at = find(addresses, "https://h.test/a", true); at; at = at->next)
		n++;
	assert_int_equal(n, PMG_ADDRESSES_SAME_MAX);
}

static void what_does_not_fit_or_reads_two_ways_is_not_taken(void **state)
{
	pmg_auto(addresses) struct pmg_addresses *addresses = pmg_addresses_new();
	size_t cost;

	(void)state;
	assert_int_equal(add(addresses, "https://h.test/%252e", "x", 10000), 0);
	cost = add(addresses, "https://h.test/a", "x", 10000);
	assert_int_equal(add(addresses, "https://h.test/b", "x", cost - 1), 0);
	assert_null(find(addresses, "https://h.test/b", true));
	assert_int_equal(add(addresses, "https://h.test/b", "x", cost), cost);
	assert_string_equal(find(addresses, "https://h.test/b", true)->name, "x");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_address_is_found_by_all_its_spellings),
		cmocka_unit_test(several_identities_are_kept_up_to_a_bound),
		cmocka_unit_test(what_does_not_fit_or_reads_two_ways_is_not_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
