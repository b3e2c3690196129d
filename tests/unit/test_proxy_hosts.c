#include "proxy/hosts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

static void add(struct pmg_hosts *hosts, const char *text, enum pmg_rank rank, enum pmg_role roles)
{
	pmg_autofree char *copy = pmg_xstrdup(text);
	pmg_autofree char *source = pmg_xstrdup("built-in:1");
	const struct pmg_wire_netrule rule = { .rank = (int)rank,
					       .roles = (int)roles,
					       .layer = PMG_LAYER_BUILTIN,
					       .text = copy,
					       .source = source };
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(pmg_hosts_add(hosts, &rule, &err), 0);
}

static struct pmg_hosts *example(void)
{
	struct pmg_hosts *hosts = pmg_hosts_new();

	add(hosts, "registry", PMG_RANK_ALLOW, PMG_ROLE_MANAGER);
	add(hosts, "*.acme.test:443", PMG_RANK_ALLOW, PMG_ROLE_ANY);
	add(hosts, "git.test:22", PMG_RANK_ALLOW, PMG_ROLE_SCRIPT);
	add(hosts, "127.0.0.1:5432", PMG_RANK_ALLOW, PMG_ROLE_SCRIPT);
	add(hosts, "localhost:6379", PMG_RANK_ALLOW, PMG_ROLE_SCRIPT);
	add(hosts, "[fd00::5]:81", PMG_RANK_ALLOW, PMG_ROLE_SCRIPT);
	add(hosts, "bad.acme.test", PMG_RANK_DENY, PMG_ROLE_ANY);
	pmg_hosts_seal(hosts);
	return hosts;
}

static void rules_are_asked_by_role_host_and_port(void **state)
{
	static const struct {
		enum pmg_role role;
		const char *host;
		uint16_t port;
		bool allowed;
	} rows[] = {
		{ PMG_ROLE_SCRIPT, "a.acme.test", 443, true },
		{ PMG_ROLE_SCRIPT, "A.ACME.TEST.", 443, true },
		{ PMG_ROLE_MANAGER, "a.acme.test", 443, true },
		{ PMG_ROLE_SCRIPT, "a.acme.test", 80, false },
		{ PMG_ROLE_SCRIPT, "acme.test", 443, false },
		{ PMG_ROLE_SCRIPT, "bad.acme.test", 443, false },
		{ PMG_ROLE_SCRIPT, "git.test", 22, true },
		{ PMG_ROLE_MANAGER, "git.test", 22, false },
		{ PMG_ROLE_SCRIPT, "127.0.0.1", 5432, true },
		{ PMG_ROLE_SCRIPT, "127.1", 5432, true },
		{ PMG_ROLE_SCRIPT, "::ffff:127.0.0.1", 5432, true },
		{ PMG_ROLE_SCRIPT, "127.0.0.2", 5432, false },
		{ PMG_ROLE_SCRIPT, "localhost", 5432, false }, /* may be another address */
		{ PMG_ROLE_SCRIPT, "::1", 6379, true },
		{ PMG_ROLE_SCRIPT, "127.0.0.1", 6379, true },
		{ PMG_ROLE_SCRIPT, "fd00:0::5", 81, true },
		{ PMG_ROLE_SCRIPT, "registry", 443, false },
		{ PMG_ROLE_MANAGER, "registry", 443, false },
		{ PMG_ROLE_MANAGER, "REGISTRY.", 443, false },
	};
	pmg_auto(hosts) struct pmg_hosts *hosts = example();
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		assert_int_equal(
			pmg_hosts_ask(hosts, rows[i].role, rows[i].host, rows[i].port).allowed,
			rows[i].allowed);
	assert_string_equal(pmg_hosts_ask(hosts, PMG_ROLE_SCRIPT, "bad.acme.test", 1).rule->text,
			    "bad.acme.test");
	assert_null(pmg_hosts_ask(hosts, PMG_ROLE_SCRIPT, "other.test", 443).rule);
}

static void the_word_registry_says_who_reaches_them(void **state)
{
	pmg_auto(hosts) struct pmg_hosts *hosts = example();
	pmg_auto(hosts) struct pmg_hosts *none = pmg_hosts_new();
	pmg_auto(hosts) struct pmg_hosts *denied = pmg_hosts_new();

	(void)state;
	assert_true(pmg_hosts_registry(hosts, PMG_ROLE_MANAGER).allowed);
	assert_false(pmg_hosts_registry(hosts, PMG_ROLE_SCRIPT).allowed);
	pmg_hosts_seal(none);
	assert_false(pmg_hosts_registry(none, PMG_ROLE_MANAGER).allowed);
	add(denied, "registry", PMG_RANK_ALLOW, PMG_ROLE_ANY);
	add(denied, "registry", PMG_RANK_DENY, PMG_ROLE_SCRIPT);
	pmg_hosts_seal(denied);
	assert_true(pmg_hosts_registry(denied, PMG_ROLE_MANAGER).allowed);
	assert_false(pmg_hosts_registry(denied, PMG_ROLE_SCRIPT).allowed);
}

static void a_name_is_reachable_when_anybody_may_go_there(void **state)
{
	pmg_auto(hosts) struct pmg_hosts *hosts = example();

	(void)state;
	assert_true(pmg_hosts_reachable(hosts, "x.acme.test"));
	assert_true(pmg_hosts_reachable(hosts, "git.test"));
	assert_false(pmg_hosts_reachable(hosts, "bad.acme.test"));
	assert_false(pmg_hosts_reachable(hosts, "other.test"));
	assert_false(pmg_hosts_reachable(hosts, "registry"));
}

static void what_is_no_rule_is_refused(void **state)
{
	static char text[] = "x.test", bad[] = "a b", source[] = "s";
	const struct pmg_wire_netrule good = { .rank = PMG_RANK_ALLOW,
					       .roles = PMG_ROLE_ANY,
					       .layer = PMG_LAYER_FLAG,
					       .text = text,
					       .source = source };
	pmg_auto(hosts) struct pmg_hosts *hosts = pmg_hosts_new();
	struct pmg_wire_netrule rule;
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	rule = good;
	rule.rank = PMG_RANK_MAX;
	assert_int_equal(pmg_hosts_add(hosts, &rule, &err), -PMG_E_PEER);
	rule.rank = -1;
	assert_int_equal(pmg_hosts_add(hosts, &rule, &err), -PMG_E_PEER);
	rule = good;
	rule.roles = 0;
	assert_int_equal(pmg_hosts_add(hosts, &rule, &err), -PMG_E_PEER);
	rule.roles = 4;
	assert_int_equal(pmg_hosts_add(hosts, &rule, &err), -PMG_E_PEER);
	rule = good;
	rule.layer = PMG_LAYER_MAX;
	assert_int_equal(pmg_hosts_add(hosts, &rule, &err), -PMG_E_PEER);
	rule = good;
	rule.text = bad;
	assert_int_equal(pmg_hosts_add(hosts, &rule, &err), -PMG_E_CONFIG);
	for (i = 0; i < PMG_HOSTS_RULES_MAX; i++)
		assert_int_equal(pmg_hosts_add(hosts, &good, &err), 0);
	assert_int_equal(pmg_hosts_add(hosts, &good, &err), -PMG_E_LIMIT);
}

static void domains_that_resolvers_search_are_known(void **state)
{
	static const char conf[] = "# search no.test\nsearch old.test\nnameserver 127.0.0.53\n"
				   "search\tNs.Cluster.Test  cluster.test.\noptions ndots:5\n";
	pmg_auto(hosts) struct pmg_hosts *hosts = pmg_hosts_new();

	(void)state;
	assert_int_equal(pmg_hosts_searched(hosts, "a.cluster.test"), 0);
	pmg_hosts_set_search(hosts, conf);
	assert_int_equal(pmg_hosts_searched(hosts, "a.b.ns.cluster.test"), 3);
	assert_int_equal(pmg_hosts_searched(hosts, "a.cluster.test"), 1);
	assert_int_equal(pmg_hosts_searched(hosts, "cluster.test"), 0);
	assert_int_equal(pmg_hosts_searched(hosts, "acluster.test"), 0);
	assert_int_equal(pmg_hosts_searched(hosts, "a.old.test"), 0);
	assert_int_equal(pmg_hosts_searched(hosts, "a.no.test"), 0);
	pmg_hosts_set_search(hosts, "domain corp.test\r\n");
	assert_int_equal(pmg_hosts_searched(hosts, "db.corp.test"), 2);
	assert_int_equal(pmg_hosts_searched(hosts, "a.cluster.test"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_are_asked_by_role_host_and_port),
		cmocka_unit_test(the_word_registry_says_who_reaches_them),
		cmocka_unit_test(a_name_is_reachable_when_anybody_may_go_there),
		cmocka_unit_test(domains_that_resolvers_search_are_known),
		cmocka_unit_test(what_is_no_rule_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
