#include "run/outer.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/env.h"
#include "tests/helper/folder.h"

static void add_registry(struct pmg_facts *facts, const char *url, const char *scope)
{
	struct pmg_registry registry = { .eco = PMG_ECO_NPM };
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(pmg_url_parse(url, &registry.base, &err), 0);
	registry.scope = scope ? pmg_xstrdup(scope) : NULL;
	facts->registries = pmg_grow(facts->registries, facts->n_registries, &facts->cap_registries,
				     sizeof *facts->registries);
	facts->registries[facts->n_registries++] = registry;
}

static void add_source(struct pmg_facts *facts, const char *url, const char *name,
		       const char *version)
{
	struct pmg_source source = { .eco = PMG_ECO_NPM };
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(pmg_url_parse(url, &source.url, &err), 0);
	source.name = name ? pmg_xstrdup(name) : NULL;
	source.version = version ? pmg_xstrdup(version) : NULL;
	facts->sources = pmg_grow(facts->sources, facts->n_sources, &facts->cap_sources,
				  sizeof *facts->sources);
	facts->sources[facts->n_sources++] = source;
}

static void fill(struct pmg_facts *facts)
{
	add_registry(facts, "http://registry.test/", NULL);
	add_registry(facts, "http://acme.test/npm/", "@acme");
	add_source(facts, "http://h.test/x.tgz", "x", "1.0.0");
	add_source(facts, "http://h.test/y.tgz?v=1", "name\nwith a line", NULL);
}

static const struct {
	const char *registry, *scope; /* registry NULL: a source */
	const char *url, *name, *version;
	bool covered;
} rows[] = {
	{ "http://registry.test/", NULL, NULL, NULL, NULL, true },
	{ "http://acme.test/npm/", "@acme", NULL, NULL, NULL, true },
	{ "http://acme.test/npm/", NULL, NULL, NULL, NULL, false },
	{ "http://acme.test/", "@acme", NULL, NULL, NULL, false },
	{ "http://other.test/", NULL, NULL, NULL, NULL, false },
	{ NULL, NULL, "http://h.test/x.tgz", "x", "1.0.0", true },
	{ NULL, NULL, "http://h.test/x.tgz", "x", "2.0.0", false },
	{ NULL, NULL, "http://h.test/x.tgz", NULL, NULL, false },
	{ NULL, NULL, "http://h.test/y.tgz?v=1", "name\nwith a line", NULL, true },
	{ NULL, NULL, "http://h.test/y.tgz?v=2", "name\nwith a line", NULL, false },
};

static void an_outer_run_is_used_only_when_it_knows_all(void **state)
{
	pmg_auto(folder) char *root = folder_new();
	pmg_auto(run_folder) struct pmg_folder folder = PMG_FOLDER_INIT;
	pmg_auto(facts) struct pmg_facts known = { 0 };
	pmg_auto(outer) struct pmg_outer outer = { 0 };
	pmg_auto(strv) struct pmg_strv env = { 0 };
	pmg_autofree char *bundle = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	pmg_env_set(&env, "TMPDIR", root);
	assert_int_equal(pmg_folder_make(&env, &folder, &err), 0);
	fill(&known);
	assert_int_equal(pmg_outer_write(&folder, "http://pmg:t@127.0.0.1:9", true, &known, &err),
			 0);
	pmg_env_set(&env, "PMG_RUN", folder.path);
	assert_true(pmg_outer_find(&env, &outer));
	assert_string_equal(outer.proxy, "http://pmg:t@127.0.0.1:9");
	bundle = pmg_path_join(folder.path, "bundle.pem");
	assert_string_equal(outer.bundle, bundle);
	assert_true(pmg_outer_covers(&outer, &known));
	assert_false(outer.walls); /* the note says so, and this process sees that it is not so */
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(facts) struct pmg_facts facts = { 0 };

		if (rows[i].registry)
			add_registry(&facts, rows[i].registry, rows[i].scope);
		else
			add_source(&facts, rows[i].url, rows[i].name, rows[i].version);
		assert_int_equal(pmg_outer_covers(&outer, &facts), rows[i].covered);
	}
}

static void what_is_no_living_run_of_ours_is_none(void **state)
{
	static const char *const notes[] = {
		NULL, "", "http://x", "http://x\n", "ftp://x\nwalls\n", "\nhttp://x\nwalls\n"
	};
	pmg_auto(folder) char *root = folder_new();
	pmg_auto(strv) struct pmg_strv env = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	pmg_env_set(&env, "TMPDIR", root);
	for (i = 0; i < PMG_ARRAY_LEN(notes); i++) {
		pmg_auto(run_folder) struct pmg_folder folder = PMG_FOLDER_INIT;
		pmg_auto(outer) struct pmg_outer outer = { 0 };

		assert_int_equal(pmg_folder_make(&env, &folder, &err), 0);
		if (notes[i])
			folder_write(folder.path, PMG_OUTER_NOTE, notes[i], strlen(notes[i]));
		pmg_env_set(&env, "PMG_RUN", folder.path);
		assert_false(pmg_outer_find(&env, &outer));
		assert_null(outer.proxy);
	}
	/* A whole note, and nobody who holds the lock: the run is dead, its port may be another's.
	 */
	folder_write(root, "dead/" PMG_OUTER_NOTE, "http://pmg:t@127.0.0.1:9\nno walls\n", 34);
	{
		pmg_autofree char *dead = pmg_path_join(root, "dead");
		pmg_auto(outer) struct pmg_outer outer = { 0 };

		pmg_env_set(&env, "PMG_RUN", dead);
		assert_false(pmg_outer_find(&env, &outer));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_outer_run_is_used_only_when_it_knows_all),
		cmocka_unit_test(what_is_no_living_run_of_ours_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
