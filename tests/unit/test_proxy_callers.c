#include "proxy/callers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int add_from(struct pmg_callers *callers, const char *protocol, const char *from,
		    const char *target, enum pmg_role role, const char *package, uint64_t now)
{
	pmg_auto(wire_connect) struct pmg_wire_connect told = {
		.protocol = pmg_xstrdup(protocol),
		.local = pmg_xstrdup(from),
		.target = pmg_xstrdup(target),
		.role = (int)role,
		.package = package ? pmg_xstrdup(package) : NULL,
	};
	struct pmg_err err = PMG_ERR_INIT;

	return pmg_callers_add(callers, &told, now, &err);
}

static struct pmg_peer *take_from(struct pmg_callers *callers, const char *from, const char *to,
				  uint64_t now)
{
	struct pmg_err err = PMG_ERR_INIT;
	struct pmg_inet ends[2];

	assert_int_equal(pmg_inet_parse(from, &ends[0], &err), 0);
	assert_int_equal(pmg_inet_parse(to, &ends[1], &err), 0);
	return pmg_callers_take(callers, &ends[0], &ends[1], now);
}

/* From a port of 10.99.0.1. */
static int add(struct pmg_callers *callers, const char *protocol, int port, const char *target,
	       enum pmg_role role, const char *package, uint64_t now)
{
	pmg_autofree char *from = pmg_xasprintf("10.99.0.1:%d", port);

	return add_from(callers, protocol, from, target, role, package, now);
}

static struct pmg_peer *take(struct pmg_callers *callers, uint16_t port, const char *to,
			     uint64_t now)
{
	pmg_autofree char *from = pmg_xasprintf("10.99.0.1:%u", port);

	return take_from(callers, from, to, now);
}

/* In the run's network every address is local: who may bind takes the port at another one. */
static void a_port_at_another_address_is_somebody_else(void **state)
{
	pmg_auto(callers) struct pmg_callers *callers = pmg_callers_new();
	pmg_auto(peer) struct pmg_peer *peer = NULL;

	(void)state;
	assert_int_equal(add_from(callers, "tcp4", "127.0.0.1:4000", "127.0.0.1:61080",
				  PMG_ROLE_MANAGER, NULL, 1),
			 0);
	assert_null(take_from(callers, "127.0.0.2:4000", "127.0.0.1:61080", 2));
	assert_null(take_from(callers, "[::1]:4000", "127.0.0.1:61080", 2));
	peer = take_from(callers, "[::ffff:127.0.0.1]:4000", "127.0.0.1:61080", 2);
	assert_non_null(peer);
}

static void a_word_serves_one_connection_from_there_to_there(void **state)
{
	pmg_auto(callers) struct pmg_callers *callers = pmg_callers_new();
	pmg_auto(peer) struct pmg_peer *peer = NULL;

	(void)state;
	assert_int_equal(add(callers, "tcp4", 4000, "10.99.0.1:443", PMG_ROLE_SCRIPT, "a@1", 1000),
			 0);
	assert_null(take(callers, 4001, "10.99.0.1:443", 1001));
	assert_null(take(callers, 4000, "10.99.0.1:80", 1001));
	assert_null(take(callers, 4000, "10.99.0.2:443", 1001));
	peer = take(callers, 4000, "10.99.0.1:443", 1001);
	assert_non_null(peer);
	assert_int_equal(peer->role, PMG_ROLE_SCRIPT);
	assert_string_equal(peer->package, "a@1");
	assert_null(take(callers, 4000, "10.99.0.1:443", 1002));
}

static void any_address_and_mapped_ones_are_what_the_kernel_makes_of_them(void **state)
{
	static const struct {
		const char *protocol, *told, *seen;
	} rows[] = {
		{ "tcp4", "0.0.0.0:80", "127.0.0.1:80" },
		{ "tcp6", "[::]:80", "[::1]:80" },
		{ "tcp6", "[::ffff:10.99.0.1]:80", "10.99.0.1:80" },
	};
	pmg_auto(callers) struct pmg_callers *callers = pmg_callers_new();
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(peer) struct pmg_peer *peer = NULL;

		assert_int_equal(
			add(callers, rows[i].protocol, 5, rows[i].told, PMG_ROLE_MANAGER, NULL, 0),
			0);
		peer = take(callers, 5, rows[i].seen, 0);
		assert_non_null(peer);
		assert_int_equal(peer->role, PMG_ROLE_MANAGER);
	}
}

static void a_word_grows_old(void **state)
{
	pmg_auto(callers) struct pmg_callers *callers = pmg_callers_new();

	(void)state;
	assert_int_equal(add(callers, "tcp4", 4000, "10.99.0.1:443", PMG_ROLE_MANAGER, NULL, 1000),
			 0);
	assert_null(take(callers, 4000, "10.99.0.1:443", 1000 + PMG_CALLERS_MS));
	assert_int_equal(pmg_callers_count(callers), 0);
}

/* A word on the manager whose connection never came must not make a script the manager. */
static void the_lesser_role_goes_first(void **state)
{
	pmg_auto(callers) struct pmg_callers *callers = pmg_callers_new();
	pmg_auto(peer) struct pmg_peer *peer = NULL;

	(void)state;
	assert_int_equal(add(callers, "tcp4", 4000, "10.99.0.1:443", PMG_ROLE_MANAGER, NULL, 1), 0);
	assert_int_equal(add(callers, "tcp4", 4000, "10.99.0.1:443", PMG_ROLE_SCRIPT, NULL, 2), 0);
	peer = take(callers, 4000, "10.99.0.1:443", 3);
	assert_non_null(peer);
	assert_int_equal(peer->role, PMG_ROLE_SCRIPT);
}

static void a_flood_of_scripts_pushes_out_only_its_own(void **state)
{
	pmg_auto(callers) struct pmg_callers *callers = pmg_callers_new();
	pmg_auto(peer) struct pmg_peer *peer = NULL;
	pmg_auto(peer) struct pmg_peer *newest = NULL;
	int i;

	(void)state;
	assert_int_equal(add(callers, "tcp4", 9, "10.99.0.1:443", PMG_ROLE_MANAGER, NULL, 0), 0);
	for (i = 0; i < 50000; i++)
		assert_int_equal(
			add(callers, "tcp4", 10 + i, "10.99.0.1:443", PMG_ROLE_SCRIPT, "x@1", 1),
			0);
	assert_int_equal(pmg_callers_count(callers), PMG_CALLERS_MAX + 1);
	peer = take(callers, 9, "10.99.0.1:443", 2);
	assert_non_null(peer);
	newest = take(callers, 50009, "10.99.0.1:443", 2);
	assert_non_null(newest);
	assert_null(take(callers, 10, "10.99.0.1:443", 2));
}

static void the_last_word_on_an_udp_port_holds(void **state)
{
	pmg_auto(callers) struct pmg_callers *callers = pmg_callers_new();
	char name[16];
	int i;

	(void)state;
	assert_null(pmg_callers_udp(callers, 4000, 0));
	assert_int_equal(add(callers, "udp4", 4000, "10.0.0.1:53", PMG_ROLE_SCRIPT, "a@1", 0), 0);
	assert_int_equal(add(callers, "udp6", 4000, "[::1]:53", PMG_ROLE_SCRIPT, "b@1", 0), 0);
	assert_string_equal(pmg_callers_udp(callers, 4000, 1)->package, "b@1");
	assert_string_equal(pmg_callers_udp(callers, 4000, 2)->package, "b@1");
	assert_null(pmg_callers_udp(callers, 4000, PMG_CALLERS_LONG));
	assert_null(take(callers, 4000, "10.0.0.1:53", 1));
	for (i = 0; i < 3 * (int)PMG_CALLERS_UDP; i++) {
		(void)snprintf(name, sizeof name, "p%d", i);
		assert_int_equal(
			add(callers, "udp4", 5000 + i, "10.0.0.1:53", PMG_ROLE_SCRIPT, name, 1), 0);
		assert_string_equal(pmg_callers_udp(callers, (uint16_t)(5000 + i), 1)->package,
				    name);
	}
	assert_null(pmg_callers_udp(callers, 4000, 1));
}

static void nonsense_is_refused(void **state)
{
	static const struct {
		const char *protocol;
		int port;
		const char *target;
	} rows[] = {
		{ "sctp", 1, "10.0.0.1:1" },     { "tcp4", 0, "10.0.0.1:1" },
		{ "tcp4", 65536, "10.0.0.1:1" }, { "tcp4", -1, "10.0.0.1:1" },
		{ "tcp4", 1, "host.test:1" },    { "", 1, "10.0.0.1:1" },
	};
	pmg_auto(callers) struct pmg_callers *callers = pmg_callers_new();
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		assert_int_equal(add(callers, rows[i].protocol, rows[i].port, rows[i].target,
				     PMG_ROLE_MANAGER, NULL, 0),
				 -PMG_E_PEER);
	assert_int_equal(pmg_callers_count(callers), 0);
	/* A role that is none is that of a script. */
	assert_int_equal(add(callers, "tcp4", 1, "10.0.0.1:1", (enum pmg_role)3, NULL, 0), 0);
	{
		pmg_auto(peer) struct pmg_peer *peer = take(callers, 1, "10.0.0.1:1", 0);

		assert_int_equal(peer->role, PMG_ROLE_SCRIPT);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_port_at_another_address_is_somebody_else),
		cmocka_unit_test(a_word_serves_one_connection_from_there_to_there),
		cmocka_unit_test(any_address_and_mapped_ones_are_what_the_kernel_makes_of_them),
		cmocka_unit_test(a_word_grows_old),
		cmocka_unit_test(the_lesser_role_goes_first),
		cmocka_unit_test(a_flood_of_scripts_pushes_out_only_its_own),
		cmocka_unit_test(the_last_word_on_an_udp_port_holds),
		cmocka_unit_test(nonsense_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
