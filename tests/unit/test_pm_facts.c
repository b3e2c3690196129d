#include "pm/facts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void a_registry_is_a_place_without_credentials_and_ends_in_a_slash(void **state)
{
	pmg_auto(facts) struct pmg_facts facts = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;

	(void)state;
	assert_int_equal(pmg_facts_registry(&facts, PMG_ECO_NPM, "https://u:p@Registry.test/repo?x",
					    "@acme", "/p/.npmrc", 3, &err),
			 0);
	assert_int_equal(facts.n_registries, 1);
	text = pmg_url_text(&facts.registries[0].base);
	assert_string_equal(text, "https://registry.test/repo/");
	assert_null(facts.registries[0].base.userinfo);
	assert_null(facts.registries[0].base.query);
	assert_string_equal(facts.registries[0].scope, "@acme");
	assert_string_equal(facts.registries[0].origin.what, "/p/.npmrc");
	assert_int_equal(facts.registries[0].origin.line, 3);
}

static void equal_registries_are_kept_once_with_the_first_origin(void **state)
{
	static const struct {
		const char *url;
		const char *scope;
		size_t n;
	} rows[] = {
		{ "https://r.test/a", NULL, 1 },     { "https://R.test:443/a/", NULL, 1 },
		{ "https://r.test/a", "@x", 2 },     { "http://r.test/a", NULL, 3 },
		{ "https://r.test:444/a", NULL, 4 }, { "https://r.test/b", NULL, 5 },
	};
	pmg_auto(facts) struct pmg_facts facts = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		assert_int_equal(pmg_facts_registry(&facts, PMG_ECO_NPM, rows[i].url, rows[i].scope,
						    i == 0 ? "first" : "later", 0, &err),
				 0);
		assert_int_equal(facts.n_registries, rows[i].n);
	}
	assert_string_equal(facts.registries[0].origin.what, "first");
}

static void a_registry_that_cannot_be_read_is_an_error_or_a_note(void **state)
{
	pmg_auto(facts) struct pmg_facts facts = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(
		pmg_facts_registry(&facts, PMG_ECO_NPM, "ftp://r.test/", NULL, "x", 0, &err),
		-PMG_E_PARSE);
	assert_int_equal(pmg_facts_try_registry(&facts, PMG_ECO_NPM, "ftp://r.test/", NULL,
						"/p/.npmrc", 4, &err),
			 0);
	assert_int_equal(facts.n_registries, 0);
	assert_int_equal(facts.notes.n, 1);
	assert_string_equal(facts.notes.v[0],
			    "/p/.npmrc:4: registry not understood: address \"ftp://r.test/\": "
			    "neither http:// nor https://");
}

static void the_number_of_registries_is_limited(void **state)
{
	pmg_auto(facts) struct pmg_facts facts = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;
	int r = 0;

	(void)state;
	for (i = 0; i <= PMG_REGISTRIES_MAX && r == 0; i++) {
		pmg_autofree char *url = pmg_xasprintf("https://r%zu.test/", i);

		r = pmg_facts_try_registry(&facts, PMG_ECO_NPM, url, NULL, "x", 0, &err);
	}
	assert_int_equal(r, -PMG_E_LIMIT);
	assert_string_equal(err.msg, "more than 256 registries");
	assert_int_equal(facts.n_registries, PMG_REGISTRIES_MAX);
}

static void sources_are_artifacts_over_http_and_nothing_else(void **state)
{
	static const struct {
		const char *url;
		const char *kept; /* NULL: no artifact */
	} rows[] = {
		{ "https://h.test/x-1.0.0.tgz", "https://h.test/x-1.0.0.tgz" },
		{ "https://u:p@h.test/x.tgz#sha512-abc", "https://h.test/x.tgz" },
		{ "http://h.test:8080/x.whl", "http://h.test:8080/x.whl" },
		{ "git+https://h.test/x.git", NULL },
		{ "https://h.test/x.git#main", NULL },
		{ "git@h.test:x/y.git", NULL },
		{ "file:../x.tgz", NULL },
		{ "./x.tgz", NULL },
		{ "^1.0.0", NULL },
	};
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(facts) struct pmg_facts facts = { 0 };
		pmg_autofree char *text = NULL;

		assert_int_equal(
			pmg_facts_source(&facts, PMG_ECO_NPM, rows[i].url, "x", "1.0.0", &err), 0);
		assert_int_equal(facts.n_sources, rows[i].kept ? 1 : 0);
		if (!rows[i].kept)
			continue;
		text = pmg_url_text(&facts.sources[0].url);
		assert_string_equal(text, rows[i].kept);
		assert_null(facts.sources[0].url.userinfo);
		assert_string_equal(facts.sources[0].name, "x");
		assert_string_equal(facts.sources[0].version, "1.0.0");
	}
}

static void a_note_is_said_once(void **state)
{
	pmg_auto(facts) struct pmg_facts facts = { 0 };

	(void)state;
	pmg_facts_note(&facts, "%s", "x");
	pmg_facts_note(&facts, "%s", "x");
	assert_int_equal(facts.notes.n, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_registry_is_a_place_without_credentials_and_ends_in_a_slash),
		cmocka_unit_test(equal_registries_are_kept_once_with_the_first_origin),
		cmocka_unit_test(a_registry_that_cannot_be_read_is_an_error_or_a_note),
		cmocka_unit_test(the_number_of_registries_is_limited),
		cmocka_unit_test(sources_are_artifacts_over_http_and_nothing_else),
		cmocka_unit_test(a_note_is_said_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
