#include "pm/pnpm_lock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "learning.h"
#include "pm/npm_lock.h"

#define HEAD "lockfileVersion: '9.0'\n\nimporters:\n\n  .:\n    dependencies: {}\n\npackages:\n\n"

static const struct {
	const char *text;
	const char *sources;
} rows[] = {
	{ HEAD "  x@1.0.0:\n    resolution: {integrity: sha512-abc}\n", "" },
	{ HEAD "  x@1.0.0:\n    resolution: {integrity: a, tarball: https://h.test/x.tgz}\n"
	       "    engines: {node: '>=1'}\n\n  y@2.0.0:\n    resolution: {integrity: b}\n",
	  "https://h.test/x.tgz x 1.0.0\n" },
	{ HEAD "  '@s/x@1.0.0(peer@2.0.0)':\n    resolution: {tarball: https://h.test/x.tgz}\n",
	  "https://h.test/x.tgz @s/x 1.0.0\n" },
	/* an address as a version: pnpm writes name and version below */
	{ HEAD "  x@https://h.test/x.tgz:\n    resolution: {tarball: https://h.test/x.tgz}\n"
	       "    version: 3.0.0\n",
	  "https://h.test/x.tgz x 3.0.0\n" },
	{ HEAD "  '@h.test/x.tgz':\n    resolution: {tarball: https://h.test/x.tgz}\n"
	       "    name: real\n    version: 3.0.0\n",
	  "https://h.test/x.tgz real 3.0.0\n" },
	/* as a formatter breaks the lines, and in block style */
	{ HEAD "  x@1.0.0:\n    resolution:\n      {\n        integrity: a,\n"
	       "        tarball: https://h.test/x.tgz,\n      }\n",
	  "https://h.test/x.tgz x 1.0.0\n" },
	{ HEAD "  x@1.0.0:\n    resolution:\n      tarball: https://h.test/x.tgz\n",
	  "https://h.test/x.tgz x 1.0.0\n" },
	/* pnpm 8, and 5 to 7 */
	{ "packages:\n  /x@1.0.0:\n    resolution: {tarball: https://h.test/x.tgz}\n",
	  "https://h.test/x.tgz x 1.0.0\n" },
	{ "packages:\n  /@s/x/1.0.0_peer@2.0.0:\n    resolution: {tarball: https://h.test/x.tgz}\n",
	  "https://h.test/x.tgz @s/x 1.0.0\n" },
	{ "packages:\n  /x/1.0.0:\n    resolution: {tarball: https://h.test/x.tgz}\n",
	  "https://h.test/x.tgz x 1.0.0\n" },
	/* two documents, as pnpm 11 writes */
	{ "packages:\n  a@1.0.0:\n    resolution: {tarball: https://h.test/a.tgz}\n---\n" HEAD
	  "  x@1.0.0:\n    resolution: {tarball: https://h.test/x.tgz}\n",
	  "https://h.test/a.tgz a 1.0.0\nhttps://h.test/x.tgz x 1.0.0\n" },
	/* hidden by an escape, git, local, elsewhere in the file */
	{ HEAD "  x@1.0.0:\n    resolution: {\"t\\x61rball\": https://h.test/x.tgz}\n",
	  "https://h.test/x.tgz x 1.0.0\n" },
	{ HEAD "  x@1.0.0:\n    resolution: {commit: a, repo: https://h.test/x.git, type: git}\n"
	       "  y@1.0.0:\n    resolution: {tarball: file:y.tgz}\n"
	       "snapshots:\n  z@1.0.0:\n    resolution: {tarball: https://h.test/z.tgz}\n",
	  "" },
	{ HEAD "  x:\n    resolution: {tarball: https://h.test/x.tgz}\n",
	  "https://h.test/x.tgz - -\n" },
	{ "", "" },
};

static void addresses_come_with_name_and_version(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(facts) struct pmg_facts facts = { 0 };
		struct pmg_err err = PMG_ERR_INIT;
		pmg_autofree char *got = NULL;

		assert_int_equal(
			pmg_pnpm_lock_parse(&facts, "l", rows[i].text, strlen(rows[i].text), &err),
			0);
		got = learning_sources(&facts);
		assert_string_equal(got, rows[i].sources);
	}
}

static void what_is_no_yaml_is_a_note(void **state)
{
	pmg_autofree char *top = folder_new();
	pmg_autofree char *file = pmg_path_join(top, "pnpm-lock.yaml");
	pmg_auto(facts) struct pmg_facts facts = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	static const char text[] = "packages:\n<<<<<<< HEAD\n  x: {tarball: [\n";

	(void)state;
	assert_int_equal(pmg_lock_read(&facts, file, pmg_pnpm_lock_parse, &err), 0);
	assert_int_equal(facts.notes.n, 0);
	folder_write(top, "pnpm-lock.yaml", text, strlen(text));
	assert_int_equal(pmg_lock_read(&facts, file, pmg_pnpm_lock_parse, &err), 0);
	assert_int_equal(facts.notes.n, 1);
	assert_true(pmg_str_has_prefix(facts.notes.v[0], file));
	folder_free(pmg_steal_ptr(&top));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_come_with_name_and_version),
		cmocka_unit_test(what_is_no_yaml_is_a_note),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
