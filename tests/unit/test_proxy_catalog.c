#include "proxy/catalog.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "pm/version.h"

static void registry(struct pmg_catalog *catalog, enum pmg_eco eco, const char *url)
{
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(pmg_catalog_add_registry(catalog, eco, url, &err), 0);
}

static struct pmg_catalog *some_registries(void)
{
	struct pmg_catalog *catalog = pmg_catalog_new();

	registry(catalog, PMG_ECO_NPM, "https://registry.test/");
	registry(catalog, PMG_ECO_NPM, "https://registry.test/private%2fnpm/");
	registry(catalog, PMG_ECO_NPM, "http://127.0.0.1:4873");
	registry(catalog, PMG_ECO_PYPI, "https://mixed.test/simple/");
	registry(catalog, PMG_ECO_NPM, "https://mixed.test/npm/");
	return catalog;
}

/* "kind name@version ..." of what an address asks for. */
static char *ask(const struct pmg_catalog *catalog, const char *address)
{
	static const char *const kinds[] = { "other", "metadata", "artifact" };
	struct pmg_str text = PMG_STR_INIT(65536);
	pmg_auto(asked) struct pmg_asked asked = { 0 };
	pmg_auto(url) struct pmg_url url = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	assert_int_equal(pmg_url_parse(address, &url, &err), 0);
	pmg_catalog_ask(catalog, &url, &asked);
	assert_int_equal(pmg_str_adds(&text, asked.is_odd      ? "odd"
					     : !asked.is_known ? "unknown"
							       : kinds[asked.kind]),
			 0);
	if (asked.kind == PMG_PATH_METADATA)
		assert_int_equal(pmg_str_addf(&text, "#%zu", asked.registry), 0);
	for (i = 0; i < asked.who.n; i++)
		assert_int_equal(
			pmg_str_addf(&text, " %s@%s", asked.who.v[i].name,
				     asked.who.v[i].version ? asked.who.v[i].version : "?"),
			0);
	return pmg_str_steal(&text);
}

struct row {
	const char *address, *want;
};

static void check_rows(const struct pmg_catalog *catalog, const struct row *rows, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		pmg_autofree char *got = ask(catalog, rows[i].address);

		if (strcmp(got, rows[i].want) != 0)
			fail_msg("%s is \"%s\", not \"%s\"", rows[i].address, got, rows[i].want);
	}
}

static void requests_are_read_relative_to_their_registry(void **state)
{
	static const struct row rows[] = {
		{ "https://registry.test/x", "metadata#0 x@?" },
		{ "https://REGISTRY.test./x/-/x-1.0.0.tgz", "artifact x@1.0.0" },
		{ "https://registry.test/%40a%2fx/-/x-1.0.0.tgz", "artifact @a/x@1.0.0" },
		{ "http://registry.test/x/-/x-1.0.0.tgz", "artifact x@1.0.0" },
		{ "https://registry.test:8443/x/-/x-1.0.0.tgz", "unknown" },
		{ "https://other.test/x/-/x-1.0.0.tgz", "unknown" },
		{ "https://registry.test/private/npm/x", "metadata#1 x@?" },
		{ "https://registry.test/private%2Fnpm/@a/x", "metadata#1 @a/x@?" },
		{ "https://registry.test/private/npm/x/-/x-1.0.0.tgz", "artifact x@1.0.0" },
		{ "https://registry.test/-/v1/search?text=x", "other" },
		{ "http://127.0.0.1:4873/x/-/x-1.0.0.tgz", "artifact x@1.0.0" },
		{ "http://127.1:4873/x/-/x-1.0.0.tgz", "artifact x@1.0.0" },
		{ "http://127.0.0.1:4874/x/-/x-1.0.0.tgz", "unknown" },
		{ "https://mixed.test/simple/a-b/", "metadata#3 a-b@?" },
		{ "https://mixed.test/packages/ab/a_b-1.0-py3-none-any.whl", "artifact a_b@1.0" },
		{ "https://mixed.test/npm/x", "metadata#4 x@?" },
		{ "https://mixed.test/other/x/-/x-1.0.0.tgz", "artifact x@1.0.0 x@1.0.0" },
		{ "https://registry.test/%2e%2e/x/-/x-1.0.0.tgz", "odd" },
		{ "https://registry.test/%2578/-/x-1.0.0.tgz", "odd" },
		{ "https://other.test/%2e%2e/x", "unknown" },
	};
	pmg_auto(catalog) struct pmg_catalog *catalog = some_registries();

	(void)state;
	check_rows(catalog, rows, PMG_ARRAY_LEN(rows));
}

static void a_source_names_what_its_address_does_not(void **state)
{
	static const struct {
		const char *url, *name, *version;
	} sources[] = {
		{ "https://cdn.test/blob/1?k=v", "x", "1.0.0" },
		{ "https://cdn.test:8443/plain.tgz", NULL, NULL },
		{ "https://registry.test/y/-/y-1.0.0.tgz", "y", "1.0.0" },
	};
	static const struct row rows[] = {
		{ "https://cdn.test/blob/1?k=v", "artifact x@1.0.0" },
		{ "https://cdn.test/blob//1?k=v", "artifact x@1.0.0" },
		{ "http://cdn.test/blob/%31?k=v", "artifact x@1.0.0" },
		{ "https://cdn.test/blob/1", "other" },
		{ "https://cdn.test/blob/2?k=v", "other" },
		{ "https://cdn.test:8443/plain.tgz", "artifact" },
		{ "https://cdn.test:8443/plain.tgz?again", "artifact" },
		{ "https://cdn.test:9443/plain.tgz", "unknown" },
	};
	pmg_auto(catalog) struct pmg_catalog *catalog = some_registries();
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	assert_false(pmg_catalog_knows(catalog, "cdn.test", 443));
	for (i = 0; i < PMG_ARRAY_LEN(sources); i++)
		assert_int_equal(pmg_catalog_add_source(catalog, PMG_ECO_NPM, sources[i].url,
							sources[i].name, sources[i].version, &err),
				 0);
	assert_true(pmg_catalog_knows(catalog, "CDN.test", 443));
	check_rows(catalog, rows, PMG_ARRAY_LEN(rows));
}

static void learn(struct pmg_catalog *catalog, size_t from, enum pmg_path_kind kind,
		  const char *address, const char *name, const char *version)
{
	pmg_auto(url) struct pmg_url url = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(pmg_url_parse(address, &url, &err), 0);
	pmg_catalog_learn(catalog, from, kind, &url, name, version);
}

static void what_is_learned_is_judged_beside_the_shape(void **state)
{
	static const struct row rows[] = {
		{ "https://dl.test/get/77", "artifact x@1.0.0" },
		{ "https://dl.test/get/78", "other" },
		{ "https://dl.test/a/-/a-2.0.0.tgz", "artifact b@1.0.0 a@2.0.0" },
		{ "https://files.test/p/a-1.0-1.tar.gz", "artifact a@1.0-1" },
		{ "https://files.test/p/b-1.0-1.tar.gz", "artifact b@1.0-1 b-1.0@1" },
		{ "https://pages.test/pypi/a/", "metadata#3 a@?" },
	};
	pmg_auto(catalog) struct pmg_catalog *catalog = some_registries();

	(void)state;
	assert_false(pmg_catalog_is_taught(catalog, 0));
	learn(catalog, 0, PMG_PATH_ARTIFACT, "https://dl.test/get/77", "x", "1.0.0");
	assert_true(pmg_catalog_is_taught(catalog, 0));
	assert_false(pmg_catalog_is_taught(catalog, 3));
	learn(catalog, 0, PMG_PATH_ARTIFACT, "https://dl.test/a/-/a-2.0.0.tgz", "b", "1.0.0");
	learn(catalog, 3, PMG_PATH_ARTIFACT, "https://files.test/p/a-1.0-1.tar.gz", "a", "1.0-1");
	learn(catalog, 3, PMG_PATH_METADATA, "https://pages.test/pypi/a/", "a", NULL);
	check_rows(catalog, rows, PMG_ARRAY_LEN(rows));
}

static void two_claims_on_one_address_are_both_judged(void **state)
{
	pmg_auto(catalog) struct pmg_catalog *catalog = some_registries();
	pmg_autofree char *got = NULL;

	(void)state;
	learn(catalog, 0, PMG_PATH_ARTIFACT, "https://dl.test/get/77", "good", "1.0.0");
	learn(catalog, 0, PMG_PATH_ARTIFACT, "https://dl.test/get/77", "evil", "1.0.0");
	learn(catalog, 0, PMG_PATH_ARTIFACT, "https://dl.test/get/77", "good", "1.0.0");
	got = ask(catalog, "https://dl.test/get/77");
	assert_string_equal(got, "artifact good@1.0.0 evil@1.0.0");
}

static void hosts_pass_from_run_to_run_by_the_cache(void **state)
{
	pmg_auto(catalog) struct pmg_catalog *catalog = some_registries();
	pmg_auto(catalog) struct pmg_catalog *next = some_registries();
	pmg_auto(strv) struct pmg_strv lines = { 0 };
	pmg_auto(strv) struct pmg_strv again = { 0 };
	pmg_autofree char *text = NULL;

	(void)state;
	learn(catalog, 3, PMG_PATH_ARTIFACT, "https://files.test/p/a-1.0.tar.gz", "a", "1.0");
	learn(catalog, 3, PMG_PATH_ARTIFACT, "https://files.test/p/b-1.0.tar.gz", "b", "1.0");
	learn(catalog, 0, PMG_PATH_ARTIFACT, "https://registry.test/a/-/a-1.0.0.tgz", "a", "1.0.0");
	learn(catalog, 0, PMG_PATH_ARTIFACT, "http://[::1]:81/a", "a", "1.0.0");
	pmg_catalog_learned(catalog, &lines);
	assert_int_equal(lines.n, 2);
	assert_string_equal(lines.v[0], "pypi https://mixed.test/simple/ files.test:443");
	assert_string_equal(lines.v[1], "npm https://registry.test/ [::1]:81");
	text = pmg_xasprintf("nonsense\nnpm https://gone.test/ x.test:443\n"
			     "npm https://mixed.test/simple/ wrong-eco.test:443\n"
			     "pypi https://mixed.test/simple/ bad port\n%s\n%s",
			     lines.v[0], lines.v[1]);
	assert_false(pmg_catalog_knows(next, "files.test", 443));
	pmg_catalog_add_cached(next, text);
	assert_true(pmg_catalog_knows(next, "files.test", 443));
	assert_true(pmg_catalog_knows(next, "::1", 81));
	assert_false(pmg_catalog_knows(next, "x.test", 443));
	assert_false(pmg_catalog_knows(next, "wrong-eco.test", 443));
	assert_false(pmg_catalog_is_taught(next, 3)); /* a cache may be stale */
	pmg_catalog_learned(next, &again);
	assert_int_equal(again.n, 0);
	learn(next, 3, PMG_PATH_ARTIFACT, "https://files.test/p/a-1.0.tar.gz", "a", "1.0");
	pmg_catalog_learned(next, &again);
	assert_int_equal(again.n, 1);
}

static void tables_are_bounded(void **state)
{
	pmg_auto(catalog) struct pmg_catalog *catalog = some_registries();
	char version[PMG_VERSION_MAX + 1];
	pmg_autofree char *last = NULL;
	pmg_autofree char *first = NULL;
	size_t i;

	(void)state;
	memset(version, '1', sizeof version - 1);
	version[sizeof version - 1] = '\0';
	for (i = 0; i < 20000; i++) { /* some 12 MB */
		pmg_autofree char *url = pmg_xasprintf("https://dl.test/get/%zu", i);

		learn(catalog, 0, PMG_PATH_ARTIFACT, url, "x", version);
	}
	first = ask(catalog, "https://dl.test/get/0");
	assert_true(pmg_str_has_prefix(first, "artifact x@1"));
	last = ask(catalog, "https://dl.test/get/19999");
	assert_string_equal(last, "other");
	learn(catalog, 0, PMG_PATH_ARTIFACT, "https://late.test/a", "x", version);
	assert_true(pmg_catalog_knows(catalog, "late.test", 443));
	for (i = 0; i < 2 * PMG_CATALOG_HOSTS_MAX; i++) {
		pmg_autofree char *url = pmg_xasprintf("https://h%zu.test/", i);

		learn(catalog, 0, PMG_PATH_ARTIFACT, url, "x", NULL);
	}
	assert_true(pmg_catalog_knows(catalog, "h1000.test", 443));
	assert_false(pmg_catalog_knows(catalog, "h1025.test", 443));
}

static void odd_registries_and_sources_are_refused(void **state)
{
	pmg_auto(catalog) struct pmg_catalog *catalog = pmg_catalog_new();
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	assert_int_equal(pmg_catalog_add_registry(catalog, PMG_ECO_NPM, "registry.test", &err),
			 -PMG_E_PARSE);
	assert_int_equal(
		pmg_catalog_add_registry(catalog, PMG_ECO_NPM, "https://r.test/%252f/", &err),
		-PMG_E_PARSE);
	assert_int_equal(
		pmg_catalog_add_source(catalog, PMG_ECO_NPM, "git+ssh://x", NULL, NULL, &err),
		-PMG_E_PARSE);
	assert_int_equal(pmg_catalog_count(catalog), 0);
	for (i = 0; i < PMG_REGISTRIES_MAX; i++)
		registry(catalog, PMG_ECO_NPM, "https://r.test/");
	assert_int_equal(pmg_catalog_add_registry(catalog, PMG_ECO_NPM, "https://r.test/", &err),
			 -PMG_E_LIMIT);
}

/* Registries, and whether the user says that what they have is their own, for which scope. */
static const struct {
	const char *name, *address;
	bool is_private;
} privacy[] = {
	{ "@acme/x", "https://npm.acme.test/@acme/x/-/x-1.0.0.tgz", true },
	{ "@acme/x", "https://NPM.acme.test./@acme%2fx/-/x-1.0.0.tgz", true },
	{ "x", "https://npm.acme.test/x/-/x-1.0.0.tgz", false }, /* not of the scope */
	{ "@acme2/x", "https://npm.acme.test/@acme2/x/-/x-1.0.0.tgz", false },
	{ "@acme/x", "https://cdn.acme.test/@acme/x/-/x-1.0.0.tgz", false }, /* learned there */
	{ "x", "https://all.acme.test/own/x/-/x-1.0.0.tgz", true },
	{ "x", "https://all.acme.test/x/-/x-1.0.0.tgz", false }, /* not below its base */
	{ "@acme/x", "https://mirror.test/@acme/x/-/x-1.0.0.tgz",
	  false }, /* others get there too */
	{ "@acme/x", "https://registry.test/@acme/x/-/x-1.0.0.tgz", false },
};

static void private_is_only_what_every_registry_of_the_address_says(void **state)
{
	pmg_auto(catalog) struct pmg_catalog *catalog = pmg_catalog_new();
	pmg_auto(url) struct pmg_url cdn = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	registry(catalog, PMG_ECO_NPM, "https://npm.acme.test/");
	registry(catalog, PMG_ECO_NPM, "https://all.acme.test/own/");
	registry(catalog, PMG_ECO_NPM, "https://mirror.test/");
	registry(catalog, PMG_ECO_NPM, "https://mirror.test/");
	registry(catalog, PMG_ECO_NPM, "https://registry.test/");
	registry(catalog, PMG_ECO_PYPI, "https://npm.acme.test/");
	pmg_catalog_set_private(catalog, 0, "@acme");
	pmg_catalog_set_private(catalog, 1, NULL);
	pmg_catalog_set_private(catalog, 2, "@acme");
	assert_int_equal(pmg_url_parse("https://cdn.acme.test/@acme/x/-/x-1.0.0.tgz", &cdn, &err),
			 0);
	pmg_catalog_learn(catalog, 0, PMG_PATH_ARTIFACT, &cdn, "@acme/x", "1.0.0");
	for (i = 0; i < PMG_ARRAY_LEN(privacy); i++) {
		pmg_auto(url) struct pmg_url url = { 0 };

		assert_int_equal(pmg_url_parse(privacy[i].address, &url, &err), 0);
		if (pmg_catalog_is_private(catalog, PMG_ECO_NPM, privacy[i].name, &url) !=
		    privacy[i].is_private)
			fail_msg("%s at %s", privacy[i].name, privacy[i].address);
		assert_false(pmg_catalog_is_private(catalog, PMG_ECO_PYPI, privacy[i].name, &url));
	}
	assert_true(pmg_catalog_owns_scope(catalog, PMG_ECO_NPM, "@acme/x"));
	assert_false(pmg_catalog_owns_scope(catalog, PMG_ECO_NPM, "@acme2/x"));
	assert_false(pmg_catalog_owns_scope(catalog, PMG_ECO_NPM, "x")); /* though one has all */
	assert_false(pmg_catalog_owns_scope(catalog, PMG_ECO_PYPI, "@acme/x"));
}

/* Names in a scope are asked of its registry alone, all others of those without one. */
static void a_name_is_at_home_where_managers_ask_for_it(void **state)
{
	static const struct {
		enum pmg_eco eco;
		const char *name;
		size_t n, first;
	} homes[] = {
		{ PMG_ECO_NPM, "x", 1, 0 },
		{ PMG_ECO_NPM, "@acme/x", 1, 1 },
		{ PMG_ECO_NPM, "@acmes/x", 1, 0 },
		{ PMG_ECO_PYPI, "x", 2, 2 },
	};
	pmg_auto(catalog) struct pmg_catalog *catalog = pmg_catalog_new();
	struct pmg_err err = PMG_ERR_INIT;
	size_t i, found[PMG_REGISTRIES_MAX];

	(void)state;
	assert_int_equal(pmg_catalog_add_registry(catalog, PMG_ECO_NPM, "https://a.test/", &err),
			 0);
	assert_int_equal(pmg_catalog_add_registry(catalog, PMG_ECO_NPM, "https://b.test/", &err),
			 0);
	assert_int_equal(pmg_catalog_add_registry(catalog, PMG_ECO_PYPI, "https://c.test/", &err),
			 0);
	assert_int_equal(pmg_catalog_add_registry(catalog, PMG_ECO_PYPI, "https://d.test/", &err),
			 0);
	pmg_catalog_set_scope(catalog, 1, "@acme");
	for (i = 0; i < PMG_ARRAY_LEN(homes); i++) {
		assert_int_equal(pmg_catalog_homes_of(catalog, homes[i].eco, homes[i].name, found),
				 homes[i].n);
		assert_int_equal(found[0], homes[i].first);
	}
}

/* What has another in its place is known, and asked only by who goes there himself. */
static void a_replaced_registry_is_known_and_not_asked(void **state)
{
	static const struct {
		const char *name, *address; /* NULL: none */
		bool is_foreign;
		size_t asked, pinned; /* the only home; of a pin */
	} rows[] = {
		{ "x", NULL, false, 1, 1 },
		{ "@acme/x", NULL, false, 2, 2 },
		{ "x", "https://own.test/x/-/x-1.0.0.tgz", false, 1, 1 },
		{ "x", "https://public.test/x/-/x-1.0.0.tgz", false, 0, 1 },
		{ "@acme/x", "https://public.test/@acme/x/-/x-1.0.0.tgz", false, 0, 2 },
		{ "x", "https://files.test/x-1.0.0.tgz", false, 1, 1 },
		{ "x", "https://public-files.test/x-1.0.0.tgz", false, 0, 1 },
		{ "x", "https://git.test/x-1.0.0.tgz", true, 1, 1 },
		{ "@acme/x", "https://git.test/x-1.0.0.tgz", true, 2, 2 },
	};
	pmg_auto(catalog) struct pmg_catalog *catalog = pmg_catalog_new();
	size_t i, found[PMG_REGISTRIES_MAX];
	bool is_foreign = false;

	(void)state;
	registry(catalog, PMG_ECO_NPM, "https://public.test/");
	registry(catalog, PMG_ECO_NPM, "https://own.test/");
	registry(catalog, PMG_ECO_NPM, "https://acme.test/");
	registry(catalog, PMG_ECO_PYPI, "https://public.test/simple/");
	pmg_catalog_set_replaced(catalog, 0);
	pmg_catalog_set_scope(catalog, 2, "@acme");
	pmg_catalog_set_replaced(catalog, 3);
	pmg_catalog_add_cached(catalog, "npm https://public.test/ files.test:443\n"
					"npm https://own.test/ files.test:443\n"
					"npm https://public.test/ public-files.test:443\n");
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(url) struct pmg_url url = { 0 };
		struct pmg_err err = PMG_ERR_INIT;

		if (!rows[i].address) {
			assert_int_equal(
				pmg_catalog_homes_of(catalog, PMG_ECO_NPM, rows[i].name, found), 1);
			assert_int_equal(found[0], rows[i].pinned);
			continue;
		}
		assert_int_equal(pmg_url_parse(rows[i].address, &url, &err), 0);
		assert_int_equal(pmg_catalog_homes(catalog, &url, PMG_ECO_NPM, rows[i].name, found,
						   &is_foreign),
				 1);
		assert_int_equal(found[0], rows[i].asked);
		assert_int_equal(is_foreign, rows[i].is_foreign);
		assert_int_equal(pmg_catalog_homes_pinned(catalog, &url, PMG_ECO_NPM, rows[i].name,
							  found, &is_foreign),
				 1);
		assert_int_equal(found[0], rows[i].pinned);
		assert_int_equal(is_foreign, rows[i].is_foreign);
	}
	/* Where there is no other, it is asked. */
	assert_int_equal(pmg_catalog_homes_of(catalog, PMG_ECO_PYPI, "x", found), 1);
	assert_int_equal(found[0], 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_replaced_registry_is_known_and_not_asked),
		cmocka_unit_test(a_name_is_at_home_where_managers_ask_for_it),
		cmocka_unit_test(requests_are_read_relative_to_their_registry),
		cmocka_unit_test(a_source_names_what_its_address_does_not),
		cmocka_unit_test(what_is_learned_is_judged_beside_the_shape),
		cmocka_unit_test(two_claims_on_one_address_are_both_judged),
		cmocka_unit_test(hosts_pass_from_run_to_run_by_the_cache),
		cmocka_unit_test(tables_are_bounded),
		cmocka_unit_test(private_is_only_what_every_registry_of_the_address_says),
		cmocka_unit_test(odd_registries_and_sources_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
