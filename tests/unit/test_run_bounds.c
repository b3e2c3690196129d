#include "run/bounds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/str.h"
#include "run/run.h"
#include "tests/helper/folder.h"

#define V1 "schema_version: 1\n"

static void parse(const char *text, struct pmg_managed *managed)
{
	pmg_autofree char *all = pmg_xasprintf(V1 "%s", text);
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(pmg_managed_parse("/m.yml", all, strlen(all), managed, &err), 0);
}

#define LOCK   "global_lockdown: true\n"
#define WALLS  "sandbox: {enabled: true}\n"
#define PINNED "sandbox: {policies: {npm: {profile: ours}}}\n"

enum { NO_SANDBOX, PROFILE, OURS, ALLOW, DRIVER, ENV, ASKS };

/* Each thing a person can ask for, and what managed policy says to it. */
static const struct {
	const char *managed;
	const char *refuses[ASKS]; /* NULL: it is taken */
} rows[] = {
	{ NULL, { NULL } },
	{ "verbosity: normal\n", { NULL } },
	{ "global_lockdown: false\n", { NULL } },
	{ WALLS, { [NO_SANDBOX] = "--no-sandbox is refused by managed policy (/m.yml:2)" } },
	{ "sandbox: {enabled: false}\n", { NULL } },
	{ "sandbox: {policies: {npm: {enabled: true}}}\n",
	  { [NO_SANDBOX] = "--no-sandbox is refused by managed policy (/m.yml)" } },
	{ "sandbox: {policies: {pip: {enabled: true}}}\n", { NULL } },
	{ PINNED, { [PROFILE] = "--sandbox-profile is refused by managed policy (/m.yml:2)" } },
	{ LOCK,
	  { [NO_SANDBOX] = "--no-sandbox is refused by managed policy (/m.yml:2)",
	    [PROFILE] = "--sandbox-profile is refused by managed policy (/m.yml:2)",
	    [OURS] = "--sandbox-profile is refused by managed policy (/m.yml:2)",
	    [ALLOW] = "--sandbox-allow is refused by managed policy (/m.yml:2)",
	    [DRIVER] = "--driver is refused by managed policy (/m.yml:2)",
	    [ENV] = "PMG_SANDBOX_DRIVER is refused by managed policy (/m.yml:2)" } },
	{ LOCK "sandbox: {enabled: false}\n",
	  { [NO_SANDBOX] = "--no-sandbox is refused by managed policy (/m.yml:2)",
	    [PROFILE] = "--sandbox-profile is refused by managed policy (/m.yml:2)",
	    [OURS] = "--sandbox-profile is refused by managed policy (/m.yml:2)",
	    [ALLOW] = "--sandbox-allow is refused by managed policy (/m.yml:2)",
	    [DRIVER] = "--driver is refused by managed policy (/m.yml:2)",
	    [ENV] = "PMG_SANDBOX_DRIVER is refused by managed policy (/m.yml:2)" } },
};

static void what_would_loosen_is_refused_by_the_line_that_says_so(void **state)
{
	pmg_auto(strv) struct pmg_strv allows = { 0 };
	size_t i;
	int ask;

	(void)state;
	pmg_strv_add(&allows, "read=/x");
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(bounds) struct pmg_bounds bounds = { 0 };

		if (rows[i].managed)
			parse(rows[i].managed, &bounds.managed);
		for (ask = 0; ask < ASKS; ask++) {
			const char *profiles[ASKS] = { [PROFILE] = "mine", [OURS] = "ours" };
			const struct pmg_run_want want = {
				.no_sandbox = ask == NO_SANDBOX,
				.profile = profiles[ask],
				.allows = ask == ALLOW ? &allows : NULL,
				.driver = ask == DRIVER || ask == ENV ? "full" : NULL,
				.driver_is_env = ask == ENV,
			};
			const char *msg = rows[i].refuses[ask];
			struct pmg_err err = PMG_ERR_INIT;
			int r = pmg_bounds_check(&bounds, &want, "npm", &err);

			if (r != (msg ? -PMG_E_CONFIG : 0))
				fail_msg("row %zu, %d: %d", i, ask, r);
			if (!msg)
				continue;
			assert_string_equal(err.msg, msg);
			assert_int_equal(err.diag, 1001);
			assert_int_equal(pmg_code_exit(err.code), PMG_EXIT_CONFIG);
		}
	}
}

/* Where the project's file is looked for; the first that is there is in force. */
static const struct {
	const char *cwd;
	const char *others[3]; /* files that are there */
	bool found;
} places[] = {
	{ "h/p", { "h/p/.pmg.yml" }, true },
	{ "h/p/a", { "h/p/.git/HEAD", "h/p/.pmg.yml" }, true },
	{ "h/p/a", { "h/p/.git/HEAD", "h/p/a/.pmg.yml", "h/p/a/package.json" }, false },
	{ "h/p/a", { "h/p/package.json", "h/p/.pmg.yml" }, true },
	{ "h/p/a", { "h/p/pyproject.toml", "h/p/.pmg.yml" }, true },
	{ "h/p/a", { "h/p/.pmg.yml" }, false },
	/* What lies about in the home makes it no project; who works there has it. */
	{ "h/p/a", { "h/package.json", "h/.pmg.yml" }, false },
	{ "h", { "h/.pmg.yml" }, true },
	{ "h/p/a", { "package.json", ".pmg.yml" }, false },
};

static void a_projects_file_lies_at_the_top_of_its_repository(void **state)
{
	size_t i, k;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(places); i++) {
		/* Not below the build folder, which is in a repository itself. */
		pmg_auto(folder) char *top = pmg_xstrdup("/tmp/pmg-test.XXXXXX");
		pmg_autofree char *home = pmg_xasprintf("%s/h", mkdtemp(top));
		pmg_autofree char *cwd = pmg_path_join(top, places[i].cwd);
		pmg_auto(config) struct pmg_config config = { 0 };
		pmg_auto(bounds) struct pmg_bounds bounds = { 0 };
		struct pmg_err err = PMG_ERR_INIT;

		folder_write(top, "h/p/a/x", "", 0);
		for (k = 0; k < 3 && places[i].others[k]; k++)
			folder_write(top, places[i].others[k], V1, strlen(V1));
		pmg_config_init(&config);
		assert_int_equal(pmg_bounds_load("/none", cwd, home, &config, &bounds, &err), 0);
		if (pmg_managed_is_in_force(&bounds.project) != places[i].found)
			fail_msg("row %zu", i);
		assert_false(pmg_managed_is_in_force(&bounds.managed));
	}
}

static void what_is_in_force_is_said_and_in_the_plan(void **state)
{
	pmg_auto(bounds) struct pmg_bounds bounds = { 0 };
	pmg_auto(plan) struct pmg_plan *plan = pmg_plan_new();
	pmg_autofree char *none = pmg_bounds_text(&bounds.managed);
	pmg_autofree char *text = NULL;
	pmg_autofree char *said = NULL;

	(void)state;
	assert_null(none);
	parse(LOCK, &bounds.managed);
	said = pmg_bounds_text(&bounds.managed);
	assert_string_equal(said, "managed policy is in force: /m.yml, global_lockdown");
	pmg_bounds_plan(&bounds, plan);
	pmg_plan_seal(plan);
	text = pmg_plan_text(plan);
	assert_non_null(strstr(text, "set managed_policy=/m.yml  (managed: /m.yml) by front\n"));
	assert_non_null(strstr(text, "set global_lockdown=true  (managed: /m.yml:2) by front\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_would_loosen_is_refused_by_the_line_that_says_so),
		cmocka_unit_test(a_projects_file_lies_at_the_top_of_its_repository),
		cmocka_unit_test(what_is_in_force_is_said_and_in_the_plan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
