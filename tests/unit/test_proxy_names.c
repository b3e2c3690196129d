#include "proxy/names.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct in6_addr address(const char *text)
{
	struct in6_addr v6;

	assert_int_equal(inet_pton(AF_INET6, text, &v6), 1);
	return v6;
}

static void a_name_has_an_address_of_each_kind_and_keeps_it(void **state)
{
	pmg_auto(names) struct pmg_names *names = pmg_names_new();
	struct in6_addr v4, v6, again4, again6;

	(void)state;
	pmg_names_give(names, "a.test", true, &v4, &v6);
	pmg_names_give(names, "b.test", true, &again4, &again6);
	assert_memory_not_equal(&v4, &again4, sizeof v4);
	assert_string_equal(pmg_names_find(names, &v4), "a.test");
	assert_string_equal(pmg_names_find(names, &v6), "a.test");
	assert_string_equal(pmg_names_find(names, &again6), "b.test");
	pmg_names_give(names, "a.test", false, &again4, &again6);
	assert_memory_equal(&v4, &again4, sizeof v4);
	assert_memory_equal(&v6, &again6, sizeof v6);
	assert_memory_equal(v4.s6_addr + 12, "\xc6\x12", 2);
	assert_memory_equal(v6.s6_addr, "\xfd\0\x70\x6d\0\x67\0\0\0\0\0\0", 12);
}

static void other_addresses_stand_for_nothing(void **state)
{
	static const struct {
		const char *address;
		bool is_ours;
	} rows[] = {
		{ "::ffff:198.18.0.0", true },
		{ "::ffff:198.19.255.255", true },
		{ "::ffff:198.18.77.1", true },
		{ "::ffff:198.20.0.1", false },
		{ "::ffff:198.17.0.1", false },
		{ "fd00:706d:67::1:0:1", true },
		{ "fd00:706d:67:1::1", true },
		{ "fd00:706d:68::1", false },
		{ "::1", false },
		{ "::ffff:127.0.0.1", false },
		{ "fd00:706d:67::", true },
	};
	pmg_auto(names) struct pmg_names *names = pmg_names_new();
	struct in6_addr v4, v6;
	size_t i;

	(void)state;
	pmg_names_give(names, "a.test", true, &v4, &v6);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		v6 = address(rows[i].address);
		assert_int_equal(pmg_names_is_ours(&v6), rows[i].is_ours);
		assert_null(pmg_names_find(names, &v6));
	}
}

static void give(struct pmg_names *names, size_t n, struct in6_addr *v4)
{
	struct in6_addr v6;
	char name[32];

	(void)snprintf(name, sizeof name, "n%zu.test", n);
	pmg_names_give(names, name, false, v4, &v6);
	assert_string_equal(pmg_names_find(names, v4), name);
	assert_string_equal(pmg_names_find(names, &v6), name);
}

static void a_flood_takes_only_what_nobody_needs(void **state)
{
	pmg_auto(names) struct pmg_names *names = pmg_names_new();
	struct in6_addr kept, v6, first, busy, v4;
	size_t i;

	(void)state;
	pmg_names_give(names, "kept.test", true, &kept, &v6);
	pmg_names_give(names, "busy.test", false, &busy, &v6);
	give(names, 0, &first);
	for (i = 1; i < 3 * PMG_NAMES_MAX; i++) {
		give(names, i, &v4);
		pmg_names_give(names, "busy.test", false, &v4, &v6);
		assert_memory_equal(&v4, &busy, sizeof v4);
	}
	assert_string_equal(pmg_names_find(names, &kept), "kept.test");
	/* An address whose name was forgotten leads nowhere rather than elsewhere. */
	assert_null(pmg_names_find(names, &first));
	assert_true(pmg_names_is_ours(&first));
}

static void addresses_come_again_only_after_all_others(void **state)
{
	pmg_auto(names) struct pmg_names *names = pmg_names_new();
	size_t i, round = PMG_NAMES_MAX - PMG_NAMES_KEPT;
	struct in6_addr first, v4;

	(void)state;
	give(names, 0, &first);
	for (i = 1; i < 31 * round; i++) {
		give(names, i, &v4);
		assert_memory_not_equal(&v4, &first, sizeof v4);
	}
	give(names, i, &v4);
	assert_memory_equal(&v4, &first, sizeof v4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_has_an_address_of_each_kind_and_keeps_it),
		cmocka_unit_test(other_addresses_stand_for_nothing),
		cmocka_unit_test(a_flood_takes_only_what_nobody_needs),
		cmocka_unit_test(addresses_come_again_only_after_all_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
