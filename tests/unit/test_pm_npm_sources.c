#include "pm/npm_sources.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "learning.h"
#include "pm/manifest.h"

static int setup(void **state)
{
	static struct learning l;

	learning_begin(&l, "npm");
	learning_program(&l, "npm", "echo https://default.test/");
	learning_program(&l, "pnpm", "echo '{\"registry\": \"https://default.test/\"}'");
	*state = &l;
	return 0;
}

static int teardown(void **state)
{
	learning_end(*state);
	return 0;
}

/* Sources that a command line in the project leads to. */
static char *learn(struct learning *l, const char *line, struct pmg_facts *facts)
{
	const struct pmg_place *place = learning_place(l, line);
	const struct pmg_pm *pm = pmg_pm_find(place->argv[0]);
	struct pmg_err err = PMG_ERR_INIT;

	free(l->program);
	l->program = pmg_xasprintf("%s/bin/%s", l->top, pm->name);
	place = learning_place(l, line);
	if (pm->learn(place, facts, &err) < 0)
		fail_msg("%s", err.msg);
	return learning_sources(facts);
}

static const struct {
	const char *line;
	const char *sources;
} lines[] = {
	{ "npm i https://h.test/a.tgz", "https://h.test/a.tgz - -\n" },
	{ "npm i a@https://h.test/a.tgz b@1.0.0 c@npm:d@1", "https://h.test/a.tgz a -\n" },
	{ "npm i @s/a@https://h.test/a.tgz#x", "https://h.test/a.tgz @s/a -\n" },
	{ "npm i https://u:p@h.test/a.tgz", "https://h.test/a.tgz - -\n" },
	{ "npm exec --package=https://h.test/a.tgz -- a", "https://h.test/a.tgz - -\n" },
	{ "npx https://h.test/a.tgz", "https://h.test/a.tgz - -\n" },
	{ "pnpm add https://h.test/a.tgz", "https://h.test/a.tgz - -\n" },
	{ "pnpm dlx https://h.test/a.tgz", "https://h.test/a.tgz - -\n" },
	{ "npm i git+https://h.test/a.git h/a ./nowhere", "" },
};

static void addresses_on_the_command_line_count(void **state)
{
	struct learning *l = *state;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(lines); i++) {
		pmg_auto(facts) struct pmg_facts facts = { 0 };
		pmg_autofree char *got = learn(l, lines[i].line, &facts);

		assert_string_equal(got, lines[i].sources);
	}
}

static void every_group_of_a_manifest_counts(void **state)
{
	struct learning *l = *state;
	pmg_auto(facts) struct pmg_facts facts = { 0 };
	pmg_autofree char *got = NULL;
	pmg_autofree char *from = NULL;

	learning_write(
		l, "home/project/package.json",
		"\xef\xbb\xbf{\"dependencies\": {\"a\": \"https://h.test/a.tgz\", \"z\": \"1\"},"
		"\"devDependencies\": {\"b\": \"http://h.test/b.tgz\"},"
		"\"optionalDependencies\": {\"c\": \"https://h.test/c.tgz\"},"
		"\"peerDependencies\": {\"d\": \"https://h.test/d.tgz\"},"
		"\"overrides\": {\"e\": {\".\": \"1\", \"f\": \"https://h.test/f.tgz\"}},"
		"\"resolutions\": {\"g\": \"https://h.test/g.tgz\"},"
		"\"pnpm\": {\"overrides\": {\"h\": \"https://h.test/h.tgz\"}},"
		"\"publishConfig\": {\"registry\": \"https://p.test/\", \"access\": \"public\","
		" \"@s:registry\": \"https://s.test/\"}}");
	got = learn(l, "npm i", &facts);
	assert_string_equal(got, "https://h.test/a.tgz a -\n"
				 "http://h.test/b.tgz b -\n"
				 "https://h.test/c.tgz c -\n"
				 "https://h.test/d.tgz d -\n"
				 "https://h.test/f.tgz f -\n"
				 "https://h.test/g.tgz g -\n"
				 "https://h.test/h.tgz h -\n");
	from = learning_registries(l, &facts);
	assert_string_equal(from, "https://default.test/ <- default of npm\n"
				  "https://p.test/ <- {top}/home/project/package.json\n"
				  "https://s.test/ @s <- {top}/home/project/package.json\n");
}

static void folders_that_depend_on_each_other_are_followed_once(void **state)
{
	struct learning *l = *state;
	pmg_auto(facts) struct pmg_facts facts = { 0 };
	pmg_autofree char *got = NULL;

	learning_write(l, "home/project/package.json",
		       "{\"dependencies\": {\"a\": \"file:../a\"}}");
	learning_write(l, "home/a/package.json",
		       "{\"dependencies\": {\"b\": \"link:../b\", \"me\": \"file:../project\"}}");
	learning_write(l, "home/b/package.json",
		       "{\"dependencies\": {\"c\": \"https://h.test/c.tgz\", \"a\": \"../a\"}}");
	got = learn(l, "npm i", &facts);
	assert_string_equal(got, "https://h.test/c.tgz c -\n");
}

static void the_workspace_above_and_its_members_count(void **state)
{
	static const struct {
		const char *line;
		const char *top;  /* package.json */
		const char *yaml; /* pnpm-workspace.yaml */
		const char *sources;
	} rows[] = {
		{ "npm i", "{\"workspaces\": [\"packages/*\", \"project\"]}", NULL,
		  "https://h.test/m.tgz m -\n" },
		{ "npm i", "{\"workspaces\": {\"packages\": [\"./packages/**\"]}}", NULL,
		  "https://h.test/m.tgz m -\n" },
		{ "pnpm i", "{}", "packages:\n  - 'packages/*'\n  - '!packages/x'\n",
		  "https://h.test/m.tgz m -\n" },
		{ "npm i", "{}", NULL, "" },
	};
	struct learning *l = *state;
	size_t i;

	/* The home is where a search ends, so the workspace is the home here. */
	learning_write(l, "home/packages/m/package.json",
		       "{\"dependencies\": {\"m\": \"https://h.test/m.tgz\"}}");
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(facts) struct pmg_facts facts = { 0 };
		pmg_autofree char *got = NULL;

		learning_write(l, "home/package.json", rows[i].top);
		learning_write(l, "home/pnpm-workspace.yaml", rows[i].yaml ? rows[i].yaml : "");
		got = learn(l, rows[i].line, &facts);
		assert_string_equal(got, rows[i].sources);
	}
}

static void lockfiles_of_the_manager_count(void **state)
{
	struct learning *l = *state;
	pmg_auto(facts) struct pmg_facts npm = { 0 };
	pmg_auto(facts) struct pmg_facts pnpm = { 0 };
	pmg_autofree char *got_npm = NULL;
	pmg_autofree char *got_pnpm = NULL;

	learning_write(l, "home/project/package-lock.json",
		       "{\"packages\": {\"node_modules/a\": {\"version\": \"1.0.0\", \"resolved\": "
		       "\"https://h.test/a.tgz\"}, \"node_modules/b\": {\"resolved\": "
		       "\"https://default.test/b/-/b-1.0.0.tgz\"}}}");
	learning_write(l, "home/project/npm-shrinkwrap.json",
		       "{\"dependencies\": {\"c\": {\"version\": \"https://h.test/c.tgz\"}}}");
	learning_write(l, "home/project/pnpm-lock.yaml",
		       "packages:\n  d@1.0.0:\n    resolution: {tarball: https://h.test/d.tgz}\n");
	got_npm = learn(l, "npm ci", &npm);
	assert_string_equal(got_npm, "https://h.test/a.tgz a 1.0.0\nhttps://h.test/c.tgz c -\n");
	got_pnpm = learn(l, "pnpm i", &pnpm);
	assert_string_equal(got_pnpm, "https://h.test/d.tgz d 1.0.0\n"
				      "https://h.test/a.tgz a 1.0.0\nhttps://h.test/c.tgz c -\n");
}

static void a_project_ends_at_its_repository(void **state)
{
	struct learning *l = *state;
	pmg_auto(facts) struct pmg_facts facts = { 0 };
	pmg_autofree char *got = NULL;

	learning_write(l, "home/package.json",
		       "{\"dependencies\": {\"a\": \"https://h.test/a.tgz\"}}");
	learning_write(l, "home/project/.git", "gitdir: x\n");
	got = learn(l, "npm i", &facts);
	assert_string_equal(got, "");
}

static void too_many_folders_are_a_limit(void **state)
{
	struct learning *l = *state;
	pmg_auto(facts) struct pmg_facts facts = { 0 };
	pmg_auto(manifests) struct pmg_manifests walk = { .facts = &facts };
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;
	int r = 0;

	(void)l;
	for (i = 0; i < PMG_MANIFESTS_MAX + 1 && r == 0; i++) {
		pmg_autofree char *dir = pmg_xasprintf("/nowhere/%zu", i);

		r = pmg_manifest_read(&walk, dir, NULL, &err);
	}
	assert_int_equal(r, -PMG_E_LIMIT);
	assert_string_equal(err.msg, "more than 4096 folders with a package.json");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(addresses_on_the_command_line_count),
		TEST(every_group_of_a_manifest_counts),
		TEST(folders_that_depend_on_each_other_are_followed_once),
		TEST(the_workspace_above_and_its_members_count),
		TEST(lockfiles_of_the_manager_count),
		TEST(a_project_ends_at_its_repository),
		TEST(too_many_folders_are_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
