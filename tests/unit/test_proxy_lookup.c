#include "proxy/lookup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proxy/refused.h"

/* What would have been recorded; the record itself is tested by test_proxy_refused. */
static char *recorded;

void __wrap_pmg_refused_resolve(struct pmg_refused *refused, const struct pmg_peer *peer,
				const char *name, const struct pmg_policy_rule *rule);
void __wrap_pmg_refused_resolve(struct pmg_refused *refused, const struct pmg_peer *peer,
				const char *name, const struct pmg_policy_rule *rule)
{
	(void)refused;
	(void)peer;
	(void)rule;
	free(recorded);
	recorded = pmg_xstrdup(name);
}

struct world {
	struct pmg_service service;
	struct pmg_catalog *catalog;
};

static void add(struct pmg_hosts *hosts, const char *text, enum pmg_role roles)
{
	pmg_autofree char *copy = pmg_xstrdup(text);
	pmg_autofree char *source = pmg_xstrdup("built-in:1");
	const struct pmg_wire_netrule rule = { .rank = PMG_RANK_ALLOW,
					       .roles = (int)roles,
					       .layer = PMG_LAYER_BUILTIN,
					       .text = copy,
					       .source = source };
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(pmg_hosts_add(hosts, &rule, &err), 0);
}

static int setup(void **state)
{
	struct world *w = pmg_xcalloc(1, sizeof *w);
	struct pmg_err err = PMG_ERR_INIT;

	w->service.catalog = w->catalog = pmg_catalog_new();
	w->service.names = pmg_names_new();
	w->service.hosts = pmg_hosts_new();
	assert_int_equal(pmg_catalog_add_registry(w->catalog, PMG_ECO_NPM,
						  "http://registry.test:4873/", &err),
			 0);
	add(w->service.hosts, "registry", PMG_ROLE_MANAGER);
	add(w->service.hosts, "good.test:443", PMG_ROLE_SCRIPT);
	pmg_hosts_seal(w->service.hosts);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	pmg_catalog_free(w->catalog);
	pmg_names_free(w->service.names);
	pmg_hosts_free(w->service.hosts);
	free(recorded);
	recorded = NULL;
	free(w);
	return 0;
}

/* @return bytes of the answer */
static size_t ask(struct world *w, const struct pmg_peer *peer, const char *name, unsigned type,
		  unsigned char *out)
{
	unsigned char query[PMG_DNS_QUERY_MAX] = { 0, 1, 1, 0, 0, 1 };
	size_t at = 12, n;

	free(recorded);
	recorded = NULL;
	while (*name) {
		n = strcspn(name, ".");
		query[at++] = (unsigned char)n;
		memcpy(query + at, name, n);
		at += n;
		name += n + (name[n] == '.');
	}
	query[++at] = 0;
	query[++at] = (unsigned char)type;
	query[at += 2] = 1;
	return pmg_lookup_answer(&w->service, peer, query, at + 1, out);
}

static unsigned rcode(const unsigned char *answer)
{
	return answer[3] & 15U;
}

static void every_name_has_an_address_that_tells_it_again(void **state)
{
	unsigned char out[PMG_DNS_ANSWER_MAX];
	struct world *w = *state;
	struct in6_addr v6 = { { { [10] = 0xff, 0xff } } };
	size_t n;

	n = ask(w, NULL, "Good.Test", PMG_DNS_A, out);
	assert_int_equal(rcode(out), PMG_DNS_OK);
	memcpy(v6.s6_addr + 12, out + n - 4, 4);
	assert_string_equal(pmg_names_find(w->service.names, &v6), "good.test");
	n = ask(w, NULL, "good.test", PMG_DNS_AAAA, out);
	memcpy(&v6, out + n - 16, 16);
	assert_string_equal(pmg_names_find(w->service.names, &v6), "good.test");
	n = ask(w, NULL, "localhost", PMG_DNS_A, out);
	assert_memory_equal(out + n - 4, "\x7f\0\0\1", 4);
	n = ask(w, NULL, "x.localhost", PMG_DNS_AAAA, out);
	assert_memory_equal(out + n - 16, &in6addr_loopback, 16);
	(void)ask(w, NULL, "good.test", 65, out);
	assert_int_equal(rcode(out), PMG_DNS_OK);
	assert_int_equal(out[7], 0);
}

static void only_names_of_use_are_not_recorded(void **state)
{
	static const struct pmg_peer manager = { .role = PMG_ROLE_MANAGER };
	static const struct pmg_peer script = { .role = PMG_ROLE_SCRIPT };
	static const struct {
		const struct pmg_peer *peer;
		const char *name;
		unsigned type;
		bool is_recorded;
	} rows[] = {
		{ &script, "good.test", PMG_DNS_A, false },
		{ &manager, "good.test", PMG_DNS_A, false }, /* somebody may go there */
		{ NULL, "evil.test", PMG_DNS_A, true },
		{ &script, "evil.test", 16, true }, /* a TXT lookup carries secrets as well */
		{ &manager, "registry.test", PMG_DNS_A, false },
		{ NULL, "registry.test", PMG_DNS_A, false },
		{ &script, "registry.test", PMG_DNS_A, true },
		{ &script, "localhost", PMG_DNS_A, false },
		{ &script, "1.0.0.10.in-addr.arpa", PMG_DNS_PTR, false },
	};
	unsigned char out[PMG_DNS_ANSWER_MAX];
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		assert_true(ask(*state, rows[i].peer, rows[i].name, rows[i].type, out) > 0);
		assert_int_equal(recorded != NULL, rows[i].is_recorded);
		if (recorded)
			assert_string_equal(recorded, rows[i].name);
	}
}

static void addresses_have_names_only_when_they_are_ours(void **state)
{
	unsigned char out[PMG_DNS_ANSWER_MAX];
	struct world *w = *state;
	pmg_autofree char *name = NULL;
	size_t n;

	n = ask(w, NULL, "good.test", PMG_DNS_A, out);
	name = pmg_xasprintf("%d.%d.%d.%d.in-addr.arpa", out[n - 1], out[n - 2], out[n - 3],
			     out[n - 4]);
	n = ask(w, NULL, name, PMG_DNS_PTR, out);
	assert_memory_equal(out + n - 11, "\4good\4test\0", 11);
	(void)ask(w, NULL, name, PMG_DNS_A, out);
	assert_int_equal(rcode(out), PMG_DNS_OK);
	assert_int_equal(out[7], 0);
	(void)ask(w, NULL, "1.0.0.127.in-addr.arpa", PMG_DNS_PTR, out);
	assert_int_equal(rcode(out), PMG_DNS_OK);
	(void)ask(w, NULL, "1.0.0.10.in-addr.arpa", PMG_DNS_PTR, out);
	assert_int_equal(rcode(out), PMG_DNS_NXDOMAIN);
	(void)ask(w, NULL, "_dns.resolver.arpa", 64, out);
	assert_int_equal(rcode(out), PMG_DNS_NXDOMAIN);
}

/* "good.test.ns.test", as a resolver tries it with ndots:5, must lead on to "good.test". */
static void names_with_a_search_domain_behind_them_do_not_exist(void **state)
{
	unsigned char out[PMG_DNS_ANSWER_MAX];
	struct world *w = *state;

	pmg_hosts_set_search(w->service.hosts, "search ns.test test");
	(void)ask(w, NULL, "good.test.ns.test", PMG_DNS_A, out);
	assert_int_equal(rcode(out), PMG_DNS_NXDOMAIN);
	assert_null(recorded);
	(void)ask(w, NULL, "db.ns.test", PMG_DNS_A, out);
	assert_int_equal(rcode(out), PMG_DNS_OK);
	assert_int_equal(out[7], 1);
	assert_string_equal(recorded, "db.ns.test");     /* it may have been meant */
	(void)ask(w, NULL, "good.test", PMG_DNS_A, out); /* a rule names it */
	assert_int_equal(rcode(out), PMG_DNS_OK);
	assert_int_equal(out[7], 1);
}

static void what_is_no_query_gets_no_answer(void **state)
{
	unsigned char out[PMG_DNS_ANSWER_MAX];
	struct world *w = *state;

	assert_int_equal(pmg_lookup_answer(&w->service, NULL, "x", 1, out), 0);
	assert_int_equal(pmg_lookup_answer(&w->service, NULL, "\0\1\1\0\0\1\0\0\0\0\0\0", 12, out),
			 12);
	assert_int_equal(rcode(out), PMG_DNS_FORMERR);
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(every_name_has_an_address_that_tells_it_again),
		TEST(only_names_of_use_are_not_recorded),
		TEST(addresses_have_names_only_when_they_are_ours),
		TEST(names_with_a_search_domain_behind_them_do_not_exist),
		TEST(what_is_no_query_gets_no_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
