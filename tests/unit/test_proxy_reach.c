#include "proxy/reach.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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

static const struct pmg_peer manager = { .role = PMG_ROLE_MANAGER };
static const struct pmg_peer script = { .role = PMG_ROLE_SCRIPT };

static void a_place_is_reached_by_role_and_rule(void **state)
{
	static const struct {
		const struct pmg_peer *peer;
		const char *host;
		uint16_t port;
		enum pmg_reach_how how;
		bool is_limited, may_ask;
	} rows[] = {
		{ NULL, "registry.test", 443, PMG_REACH_LOOK, false, false },
		{ NULL, "any.test", 443, PMG_REACH_PASS, false, true },
		{ &manager, "registry.test", 443, PMG_REACH_LOOK, false, false },
		{ &script, "registry.test", 443, PMG_REACH_LOOK, true, false },
		{ &manager, "any.test", 443, PMG_REACH_NO, false, true },
		{ &script, "good.test", 443, PMG_REACH_PASS, false, true },
		{ &manager, "good.test", 443, PMG_REACH_NO, false, true },
		{ &script, "bad.test", 443, PMG_REACH_NO, false, false },
		/* a rule that denies holds for a registry, one that allows takes the limits away */
		{ &manager, "denied.test", 443, PMG_REACH_NO, false, false },
		{ &script, "open.test", 443, PMG_REACH_LOOK, false, false },
	};
	pmg_auto(catalog) struct pmg_catalog *catalog = pmg_catalog_new();
	pmg_auto(hosts) struct pmg_hosts *hosts = pmg_hosts_new();
	struct pmg_service service = { .catalog = catalog, .hosts = hosts };
	struct pmg_err err = PMG_ERR_INIT;
	struct pmg_reach reach;
	size_t i;

	(void)state;
	assert_int_equal(
		pmg_catalog_add_registry(catalog, PMG_ECO_NPM, "https://registry.test/", &err), 0);
	assert_int_equal(
		pmg_catalog_add_registry(catalog, PMG_ECO_NPM, "https://denied.test/", &err), 0);
	assert_int_equal(pmg_catalog_add_registry(catalog, PMG_ECO_NPM, "https://open.test/", &err),
			 0);
	add(hosts, "registry", PMG_RANK_ALLOW, PMG_ROLE_ANY);
	add(hosts, "good.test", PMG_RANK_ALLOW, PMG_ROLE_SCRIPT);
	add(hosts, "open.test", PMG_RANK_ALLOW, PMG_ROLE_SCRIPT);
	add(hosts, "bad.test", PMG_RANK_DENY, PMG_ROLE_ANY);
	add(hosts, "denied.test", PMG_RANK_DENY, PMG_ROLE_ANY);
	pmg_hosts_seal(hosts);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		reach = pmg_reach_ask(&service, rows[i].peer, rows[i].host, rows[i].port);
		assert_int_equal(reach.how, rows[i].how);
		assert_int_equal(reach.is_limited, rows[i].is_limited);
		assert_int_equal(reach.may_ask, rows[i].may_ask);
	}
}

static void without_the_rule_registries_are_closed(void **state)
{
	pmg_auto(catalog) struct pmg_catalog *catalog = pmg_catalog_new();
	pmg_auto(hosts) struct pmg_hosts *hosts = pmg_hosts_new();
	struct pmg_service service = { .catalog = catalog, .hosts = hosts };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(
		pmg_catalog_add_registry(catalog, PMG_ECO_NPM, "https://registry.test/", &err), 0);
	pmg_hosts_seal(hosts);
	assert_int_equal(pmg_reach_ask(&service, &manager, "registry.test", 443).how, PMG_REACH_NO);
	assert_false(pmg_reach_ask(&service, &manager, "any.test", 443).may_ask);
}

static void scripts_fetch_packages_and_nothing_else(void **state)
{
	static const struct {
		const char *method, *url;
		bool has_body, fetches;
	} rows[] = {
		{ "GET", "https://registry.test/name", false, true },
		{ "HEAD", "https://registry.test/@scope%2fname", false, true },
		{ "GET", "https://registry.test/name/-/name-1.0.0.tgz", false, true },
		{ "GET", "https://registry.test/name?x=1", false, false },
		{ "GET", "https://registry.test/name", true, false },
		{ "PUT", "https://registry.test/name", false, false },
		{ "get", "https://registry.test/name", false, false },
		{ "GET", "https://registry.test/-/v1/search", false, false },
		{ "GET", "https://registry.test/-/whoami", false, false },
		{ "GET", "https://registry.test/", false, false },
		{ "GET", "https://registry.test/a%252fb", false, false },
		/* which of them are vulnerable: asked at the registry, and nowhere else */
		{ "POST", "https://registry.test/-/npm/v1/security/advisories/bulk", true, true },
		{ "POST", "https://registry.test/-/npm/v1/security/audits/quick", true, true },
		{ "POST", "https://registry.test/-/npm/v1/security/audits", true, true },
		{ "PUT", "https://registry.test/-/npm/v1/security/audits", true, false },
		{ "POST", "https://registry.test/-/npm/v1/security/audits?x=1", true, false },
		{ "POST", "https://registry.test/-/npm/v1/security/keys", true, false },
		{ "POST", "https://registry.test/-/npm/v1/tokens", true, false },
		{ "POST", "https://registry.test/x/-/npm/v1/security/audits", true, false },
		{ "POST", "https://artifacts.test/-/npm/v1/security/audits", true, false },
		{ "POST", "https://index.test/simple/-/npm/v1/security/audits", true, false },
	};
	pmg_auto(catalog) struct pmg_catalog *catalog = pmg_catalog_new();
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	assert_int_equal(
		pmg_catalog_add_registry(catalog, PMG_ECO_NPM, "https://registry.test/", &err), 0);
	assert_int_equal(
		pmg_catalog_add_registry(catalog, PMG_ECO_PYPI, "https://index.test/simple/", &err),
		0);
	assert_int_equal(pmg_catalog_add_source(catalog, PMG_ECO_NPM,
						"https://artifacts.test/a/-/a-1.0.0.tgz", "a",
						"1.0.0", &err),
			 0);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(asked) struct pmg_asked asked = { 0 };
		pmg_auto(url) struct pmg_url url = { 0 };

		assert_int_equal(pmg_url_parse(rows[i].url, &url, &err), 0);
		pmg_catalog_ask(catalog, &url, &asked);
		if (pmg_reach_fetches(rows[i].method, rows[i].has_body, &url, &asked) !=
		    rows[i].fetches)
			fail_msg("%s %s", rows[i].method, rows[i].url);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_place_is_reached_by_role_and_rule),
		cmocka_unit_test(without_the_rule_registries_are_closed),
		cmocka_unit_test(scripts_fetch_packages_and_nothing_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
