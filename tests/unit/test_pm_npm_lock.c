#include "pm/npm_lock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "learning.h"
#include "pm/facts.h"

static void know(struct pmg_facts *facts)
{
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(
		pmg_facts_registry(facts, PMG_ECO_NPM, "https://r.test/npm", NULL, "x", 0, &err),
		0);
	assert_int_equal(
		pmg_facts_registry(facts, PMG_ECO_PYPI, "https://py.test/", NULL, "x", 0, &err), 0);
}

#define V3(entry) "{\"lockfileVersion\": 3, \"packages\": {" entry "}}"

static const struct {
	const char *text;
	const char *sources;
	bool ordinary; /* may be left unparsed */
} rows[] = {
	{ V3("\"\": {\"name\": \"me\", \"version\": \"1.0.0\"}"), "", true },
	{ V3("\"node_modules/x\": {\"version\": \"1.0.0\", "
	     "\"resolved\": \"https://r.test/npm/x/-/x-1.0.0.tgz\"}"),
	  "", true },
	{ V3("\"node_modules/x\": {\"version\": \"1.0.0\", "
	     "\"resolved\": \"https://h.test/x-1.0.0.tgz\"}"),
	  "https://h.test/x-1.0.0.tgz x 1.0.0\n", false },
	/* nested, scoped, alias */
	{ V3("\"node_modules/a/node_modules/@s/x\": {\"version\": \"2.0.0\", "
	     "\"resolved\": \"https://h.test/x.tgz\"}"),
	  "https://h.test/x.tgz @s/x 2.0.0\n", false },
	{ V3("\"node_modules/alias\": {\"name\": \"real\", \"version\": \"1.0.0\", "
	     "\"resolved\": \"https://h.test/x.tgz\"}"),
	  "https://h.test/x.tgz real 1.0.0\n", false },
	/* the registry's host, but not its usual shape */
	{ V3("\"node_modules/x\": {\"resolved\": \"https://r.test/other/x.tgz\"}"),
	  "https://r.test/other/x.tgz x -\n", false },
	{ V3("\"node_modules/x\": {\"resolved\": \"https://r.test/npm/download/x.tgz\"}"),
	  "https://r.test/npm/download/x.tgz x -\n", false },
	{ V3("\"node_modules/x\": {\"resolved\": \"https://py.test/x/-/x.tgz\"}"),
	  "https://py.test/x/-/x.tgz x -\n", false },
	/* a key that hides */
	{ V3("\"node_modules/x\": {\"r\\u0065solved\": \"https://h.test/x.tgz\"}"),
	  "https://h.test/x.tgz x -\n", false },
	{ V3("\"node_modules/x\": {\"resolved\"\n:\t\"https:\\/\\/h.test/x.tgz\"}"),
	  "https://h.test/x.tgz x -\n", false },
	/* what is no archive over http */
	{ V3("\"node_modules/x\": {\"resolved\": \"git+ssh://git@h.test/x.git#abc\"}"), "", false },
	{ V3("\"node_modules/x\": {\"resolved\": \"file:x.tgz\"}, "
	     "\"y\": {\"resolved\": \"packages/y\", \"link\": true}"),
	  "", true },
	{ V3("\"node_modules/x\": {\"version\": 1, \"resolved\": true, \"inBundle\": true}"), "",
	  true },
	/* version 1 */
	{ "{\"dependencies\": {\"x\": {\"version\": \"1.0.0\", "
	  "\"resolved\": \"https://h.test/x.tgz\", \"dependencies\": {\"y\": "
	  "{\"version\": \"https://h.test/y.tgz\"}}}}}",
	  "https://h.test/x.tgz x 1.0.0\nhttps://h.test/y.tgz y -\n", false },
	{ "{\"dependencies\": {\"x\": {\"version\": \"git+https://h.test/x.git#a\"}}}", "", false },
	{ "\xef\xbb\xbf" V3(""), "", true },
	{ "[]", "", true },
	{ "{\"packages\": [1], \"dependencies\": {\"x\": 1}}", "", true },
};

static void addresses_come_with_name_and_version(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(facts) struct pmg_facts facts = { 0 };
		struct pmg_err err = PMG_ERR_INIT;
		pmg_autofree char *got = NULL;
		size_t len = strlen(rows[i].text);

		know(&facts);
		assert_int_equal(pmg_npm_lock_is_ordinary(&facts, rows[i].text, len),
				 rows[i].ordinary);
		assert_int_equal(pmg_npm_lock_parse(&facts, "l", rows[i].text, len, &err), 0);
		got = learning_sources(&facts);
		assert_string_equal(got, rows[i].sources);
		/* What may be left unparsed must have nothing in it. */
		assert_false(rows[i].ordinary && facts.n_sources > 0);
	}
}

static void a_file_that_cannot_be_parsed_is_a_note(void **state)
{
	pmg_autofree char *top = folder_new();
	pmg_autofree char *file = pmg_path_join(top, "package-lock.json");
	pmg_auto(facts) struct pmg_facts facts = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	static const char text[] = "{\n<<<<<<< HEAD\n\"resolved\": \"https://h.test/x\"\n";

	(void)state;
	know(&facts);
	assert_int_equal(pmg_lock_read(&facts, file, pmg_npm_lock_parse, &err), 0); /* not there */
	assert_int_equal(facts.notes.n, 0);
	folder_write(top, "package-lock.json", text, strlen(text));
	assert_int_equal(pmg_lock_read(&facts, file, pmg_npm_lock_parse, &err), 0);
	assert_int_equal(facts.notes.n, 1);
	assert_true(pmg_str_has_prefix(facts.notes.v[0], file));
	assert_true(pmg_str_has_suffix(facts.notes.v[0],
				       "; packages that it names elsewhere are not judged"));
	folder_free(pmg_steal_ptr(&top));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_come_with_name_and_version),
		cmocka_unit_test(a_file_that_cannot_be_parsed_is_a_note),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
