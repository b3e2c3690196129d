#include "sandbox/lockdown.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/msg.h"
#include "base/str.h"
#include "sandbox/sandbox.h"
#include "violation/wire.h"

static const struct pmg_driver locks = { .name = "locks", .locks_network = true };
static const struct pmg_driver opens = { .name = "opens", .opens_network = true };
static const struct pmg_driver neither = { .name = "neither" };
static const struct pmg_driver both = { .name = "both",
					.locks_network = true,
					.opens_network = true };

/* Every pair of switches on every driver. */
static const struct {
	bool proxy_only, direct_dns;
	const struct pmg_driver *driver;
	const char *msg; /* NULL: it can */
} pairs[] = {
	{ true, false, &locks, NULL },
	{ true, false, &both, NULL },
	{ true, false, &opens, "/p.yml:3: driver opens cannot give network_via_proxy_only: true" },
	{ true, false, &neither,
	  "/p.yml:3: driver neither cannot give network_via_proxy_only: true" },
	{ false, false, &locks,
	  "/p.yml:3: driver locks cannot give network_via_proxy_only: false" },
	{ false, false, &opens, NULL },
	{ false, false, &both, NULL },
	{ false, false, &neither,
	  "/p.yml:3: driver neither cannot give network_via_proxy_only: false" },
	{ true, true, &locks, "/p.yml:4: driver locks cannot give allow_direct_dns: true" },
	{ true, true, &opens, "/p.yml:3: driver opens cannot give network_via_proxy_only: true" },
	{ true, true, &both, NULL },
	{ false, true, &opens, NULL },
	{ false, true, &locks, "/p.yml:3: driver locks cannot give network_via_proxy_only: false" },
};

static void a_switch_has_its_effect_or_nothing_runs(void **state)
{
	char source[] = "/p.yml:3", dns[] = "/p.yml:4";
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(pairs); i++) {
		const struct pmg_policy policy = { .proxy_only = pairs[i].proxy_only,
						   .direct_dns = pairs[i].direct_dns,
						   .proxy_only_source = source,
						   .direct_dns_source = dns };
		struct pmg_err err = PMG_ERR_INIT;
		int r = pmg_lockdown_can(&policy, pairs[i].driver, &err);

		if (r != (pairs[i].msg ? -PMG_E_UNSUPPORTED : 0))
			fail_msg("row %zu: %d %s", i, r, err.msg);
		if (!pairs[i].msg)
			continue;
		assert_string_equal(err.msg, pairs[i].msg);
		assert_int_equal(err.diag, 2107);
		assert_int_equal(pmg_code_exit(err.code), PMG_EXIT_UNAVAILABLE);
		assert_true(err.hint[0] != '\0');
	}
}

static void the_driver_of_this_version_locks_and_opens_nothing(void **state)
{
	(void)state;
	assert_true(pmg_driver_full.locks_network);
	assert_false(pmg_driver_full.opens_network);
}

#define OURS "http://pmg:t@127.0.0.1:61080"

static const struct {
	const char *proxy;
	const char *why; /* NULL: it is ours */
} addresses[] = {
	{ OURS, NULL },
	{ NULL, "it has no address" },
	{ "", "its address cannot be read" },
	{ "http://pmg:t@127.0.0.1:port", "its address cannot be read" },
	{ "http://pmg:t@127.0.0.1:0", "its address cannot be read" },
	{ "http://pmg:t@127.0.0.1:65536", "its address cannot be read" },
	{ "http://pmg:t@127.0.0.1:-1", "its address cannot be read" },
	{ "http://pmg:t@127.0.0.1", "its port is not that of the run's listener" },
	{ "http://pmg:t@127.0.0.1:3128", "its port is not that of the run's listener" },
	{ "http://pmg:t@10.99.0.1:61080", "its address is not on loopback" },
	{ "http://pmg:t@proxy.test:61080", "its address is not on loopback" },
	{ "http://127.0.0.1:61080", "its address has no token" },
};

static void without_a_live_proxy_of_ours_nothing_runs(void **state)
{
	struct pmg_policy policy = { .proxy_only = true };
	struct pmg_err err = PMG_ERR_INIT;
	int fds[2];
	size_t i;

	(void)state;
	assert_int_equal(pmg_msg_pair(fds, &err), 0);
	for (i = 0; i < PMG_ARRAY_LEN(addresses); i++) {
		pmg_autofree char *msg =
			pmg_xasprintf("network_via_proxy_only, and no live proxy of pmg's: %s",
				      addresses[i].why ? addresses[i].why : "");
		int r = pmg_lockdown_check(&policy, &locks, addresses[i].proxy, fds[0], &err);

		if (r != (addresses[i].why ? -PMG_E_UNSUPPORTED : 0))
			fail_msg("%s: %d", addresses[i].proxy, r);
		if (!addresses[i].why)
			continue;
		assert_string_equal(err.msg, msg);
		assert_int_equal(err.diag, 2107);
	}
	assert_int_equal(pmg_lockdown_check(&policy, &locks, OURS, -1, &err), -PMG_E_UNSUPPORTED);
	assert_non_null(strstr(err.msg, "it has ended"));
	(void)close(fds[1]);
	assert_int_equal(pmg_lockdown_check(&policy, &locks, OURS, fds[0], &err),
			 -PMG_E_UNSUPPORTED);
	assert_non_null(strstr(err.msg, "it has ended"));
	/* Where another way out is open it is not asked for. */
	policy.proxy_only = false;
	assert_int_equal(pmg_lockdown_check(&policy, &opens, NULL, -1, &err), 0);
	(void)close(fds[0]);
}

/* The driver asks itself, before it builds anything: as any user, on any kernel. */
static void the_driver_builds_nothing_without_it(void **state)
{
	pmg_auto(policy) struct pmg_policy *policy = pmg_policy_new();
	pmg_auto(sandbox) struct pmg_sandbox sandbox = PMG_SANDBOX_INIT;
	pmg_auto(msg) struct pmg_msg msg = { 0 };
	const struct pmg_sandbox_want want = { .driver = &pmg_driver_full,
					       .policy = policy,
					       .proxy = "http://pmg:t@10.99.0.1:61080",
					       .proxy_fd = -1 };
	struct pmg_err err = PMG_ERR_INIT, why = PMG_ERR_INIT;

	(void)state;
	policy->proxy_only = true;
	pmg_policy_seal(policy);
	assert_int_equal(pmg_sandbox_start(&want, &sandbox, &err), 0);
	assert_int_equal(pmg_msg_recv(sandbox.fd, &msg, &err), 1);
	assert_int_equal(msg.type, PMG_WIRE_FAILED);
	assert_int_equal(pmg_wire_failed_decode(msg.body, &why, &err), 0);
	assert_int_equal(why.code, PMG_E_UNSUPPORTED);
	assert_int_equal(why.diag, 2107);
	assert_non_null(strstr(why.msg, "its address is not on loopback"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_switch_has_its_effect_or_nothing_runs),
		cmocka_unit_test(the_driver_of_this_version_locks_and_opens_nothing),
		cmocka_unit_test(without_a_live_proxy_of_ours_nothing_runs),
		cmocka_unit_test(the_driver_builds_nothing_without_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
