#include "pm/bun_lock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "learning.h"
#include "pm/facts.h"

#define HEAD                                                                                       \
	"{\n  \"lockfileVersion\": 1,\n  \"workspaces\": {\n    \"\": {\n"                         \
	"      \"dependencies\": {\n        \"x\": \"1.0.0\",\n      },\n    },\n  },\n"           \
	"  \"packages\": {\n"

static const struct {
	const char *text;
	const char *sources;
} rows[] = {
	{ HEAD "    \"x\": [\"x@1.0.0\", \"\", {}, \"sha512-ab\"],\n\n  }\n}\n", "" },
	{ HEAD "    \"x\": [\"x@1.0.0\", \"https://h.test/x.tgz\", { \"bin\": \"x\" }, \"s\"],\n",
	  "https://h.test/x.tgz x 1.0.0\n" },
	{ HEAD "    \"y/x\": [\"@s/x@1.0.0\", \"https://h.test/x.tgz\", {}, \"s\"],\r\n",
	  "https://h.test/x.tgz @s/x 1.0.0\n" },
	{ HEAD "    \"x\": [\"x@1.0.0\", \"https://known.test/x/-/x-1.0.0.tgz\", {}, \"s\"],\n",
	  "" },
	{ HEAD "    \"x\": [\"x@https://h.test/x.tgz\", { \"dependencies\": {} }, \"s\"],\n",
	  "https://h.test/x.tgz x -\n" },
	{ HEAD "    \"x\": [\"x\\u00401.0.0\", \"http\\u0073://h.test/x.tgz\", {}, \"s\"],\n",
	  "https://h.test/x.tgz x 1.0.0\n" },
	{ HEAD "    \"x\": [\"x@github:a/b#c\", {}, \"a-b-c\", \"s\"],\n"
	       "    \"w\": [\"w@workspace:packages/w\"],\n    \"f\": [\"f@file:f.tgz\", {}],\n",
	  "" },
	{ "[", "" },
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

		assert_int_equal(pmg_facts_registry(&facts, PMG_ECO_NPM, "https://known.test", NULL,
						    "test", 0, &err),
				 0);
		assert_int_equal(
			pmg_bun_lock_parse(&facts, "l", rows[i].text, strlen(rows[i].text), &err),
			0);
		got = learning_sources(&facts);
		if (strcmp(got, rows[i].sources) != 0)
			fail_msg("row %zu: %s", i, got);
	}
}

static void the_lockfile_of_a_project_is_found(void **state)
{
	pmg_auto(facts) struct pmg_facts facts = { 0 };
	pmg_autofree char *got = NULL;
	struct learning l;

	(void)state;
	learning_begin(&l, "bun");
	learning_program(&l, "bun", "echo https://default.test/");
	learning_write(&l, "home/project/bun.lock", rows[1].text);
	learn_ok(&l, "bun i", &facts);
	got = learning_sources(&facts);
	assert_string_equal(got, rows[1].sources);
	learning_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_come_with_name_and_version),
		cmocka_unit_test(the_lockfile_of_a_project_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
