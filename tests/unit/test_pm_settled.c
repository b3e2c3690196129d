#include "pm/settled.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../helper/folder.h"
#include "base/path.h"
#include "base/str.h"
#include "pm/places.h"

/* Command lines, the packages that are refused, and whether they may go on all the same. */
static const struct {
	const char *line, *names;
	bool mends;
} rows[] = {
	{ "npm ci", "bad", false },
	{ "npm ci bad", "bad", false },
	{ "npm install", "bad", false },
	{ "npm i other", "bad", false },
	{ "npm uninstall bad", "bad", true },
	{ "npm rm other", "bad", true },
	{ "npm --loglevel silly update", "bad", true },
	{ "npm audit fix", "bad", true },
	{ "npm install bad@2", "bad", true },
	{ "npm install @s/bad@2 --save-dev", "@s/bad", true },
	{ "npm install bad@2", "bad worse", false },
	{ "npm install bad@2 worse@2", "bad worse", true },
	{ "npm run build", "bad", false },
	{ "npm --what-is-this x uninstall bad", "bad", false }, /* which word is the verb? */
	{ "npm", "bad", false },
	{ "npx bad", "bad", false },
	{ "pnpm remove bad", "bad", true },
	{ "pnpm install --frozen-lockfile", "bad", false },
	{ "pnpm add bad@2", "bad", true },
	{ "yarn", "bad", false },
	{ "yarn remove bad", "bad", true },
	{ "yarn add bad@^2", "bad", true },
	{ "bun remove bad", "bad", true },
	{ "bun install", "bad", false },
	{ "uv sync", "bad", false },
	{ "uv remove bad", "bad", true },
	{ "uv lock --upgrade-package bad", "bad", true },
	{ "uv pip install Bad.Name==2", "bad-name", true },
	{ "poetry install", "bad", false },
	{ "poetry update bad", "bad", true },
	{ "pip install -r requirements.txt", "bad", false },
	{ "pip install bad>=2", "Bad", true },
	{ "pip install other", "bad", false },
};

static const struct pmg_pm *manager(struct pmg_strv *words, const char *line)
{
	const struct pmg_pm *pm;

	pmg_strv_split(words, line, " ");
	pm = pmg_pm_find(words->v[0]);
	assert_non_null(pm);
	return pm;
}

static void what_removes_or_replaces_goes_on(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(strv) struct pmg_strv words = { 0 }, names = { 0 };
		const struct pmg_pm *pm = manager(&words, rows[i].line);

		pmg_strv_split(&names, rows[i].names, " ");
		if (pmg_settled_mends(pm, pmg_strv_argv(&words), &names) != rows[i].mends)
			fail_msg("%s", rows[i].line);
	}
}

static void what_may_install_first_what_is_pinned_is_known(void **state)
{
	static const struct {
		const char *line;
		bool lands;
	} lines[] = {
		{ "uv run x.py", true },
		{ "npm run build", false },
		{ "npm ls", false },
		/* Of an option that nobody knows the verb may be the value. */
		{ "pnpm install --config.side-effects-cache=false", true },
		{ "pnpm --what-is-this install run x", true },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(lines); i++) {
		pmg_auto(strv) struct pmg_strv words = { 0 };
		const struct pmg_pm *pm = manager(&words, lines[i].line);

		if (pmg_settled_lands(pm, pmg_strv_argv(&words)) != lines[i].lands)
			fail_msg("%s", lines[i].line);
	}
}

static void put(const char *folder, const char *name, const char *text)
{
	folder_write(folder, name, text, strlen(text));
}

static size_t found(const char *line, const char *cwd, const struct pmg_places *places,
		    size_t *tree)
{
	pmg_auto(strv) struct pmg_strv words = { 0 };
	pmg_auto(settled) struct pmg_settled settled = { 0 };
	pmg_auto(resolved) struct pmg_resolved pins = { 0 }, installed = { 0 };
	const struct pmg_pm *pm = manager(&words, line);
	struct pmg_err err = PMG_ERR_INIT;

	pmg_settled_find(pm, cwd, places, pmg_strv_argv(&words), &settled);
	assert_int_equal(pmg_settled_pins(&settled, &pins, &err), 0);
	assert_int_equal(pmg_settled_tree(&settled, &pins, true, &installed, &err), 0);
	*tree = installed.n;
	return pins.n;
}

static void lockfiles_and_what_is_installed_are_found(void **state)
{
	pmg_auto(folder) char *folder = folder_new();
	pmg_auto(places) struct pmg_places places = { .project = pmg_xstrdup(folder) };
	size_t tree = 0;

	(void)state;
	put(folder, "package-lock.json", "{\"packages\": {\"node_modules/x\": {}}}");
	put(folder, "node_modules/.package-lock.json",
	    "{\"packages\": {\"node_modules/x\": {}, \"node_modules/y\": {}}}");
	put(folder, "node_modules/.pnpm/lock.yaml", "packages:\n  x@1.0.0: {}\n");
	put(folder, "uv.lock", "[[package]]\nname = \"x\"\n");
	put(folder, "req/dev.txt", "a==1\nb==2\n");
	put(folder, "venv/lib/python3.11/site-packages/a-1.dist-info/RECORD", "");
	put(folder, ".venv/lib/python3.12/site-packages/b-1.dist-info/RECORD", "");
	pmg_strv_take(&places.prefixes, pmg_path_join(folder, "venv"));
	pmg_strv_take(&places.modules, pmg_path_join(folder, "node_modules"));

	assert_int_equal(found("npm ci", folder, &places, &tree), 1);
	assert_int_equal(tree, 2);
	assert_int_equal(found("npm view x", folder, &places, &tree), 0);
	assert_int_equal(tree, 0);
	/* Which word is the verb? */
	assert_int_equal(found("npm --what-is-this ci view", folder, &places, &tree), 1);
	/* Nothing of the project's */
	assert_int_equal(found("npm i -g x", folder, &places, &tree), 0);
	assert_int_equal(tree, 0);
	assert_int_equal(found("pnpm i", folder, &places, &tree), 0);
	assert_int_equal(tree, 1);
	assert_int_equal(found("uv sync", folder, &places, &tree), 1);
	assert_int_equal(tree, 2);
	assert_int_equal(found("pip install -r req/dev.txt", folder, &places, &tree), 2);
	assert_int_equal(tree, 1);
	/* Those that it names, and uv's */
	put(folder, "req/all", "-r dev.txt\n-c no.txt\n-r ../more.txt\nc==3\n");
	put(folder, "req/no.txt", "d==4\n");
	put(folder, "more.txt", "-r req/all\ne==5\n"); /* each other */
	assert_int_equal(found("pip install -r req/all", folder, &places, &tree), 4);
	assert_int_equal(found("uv pip install -r req/all", folder, &places, &tree), 5);
	assert_int_equal(found("uv pip install -r pyproject.toml", folder, &places, &tree), 1);
	assert_int_equal(found("pipx run x", folder, &places, &tree), 0);
	assert_int_equal(tree, 0);
	/* What the line names, and a script's own lockfile */
	pmg_strv_add(&places.asked, "command line");
	pmg_strv_add(&places.asked, "z==1");
	put(folder, "s.py.lock", "[[package]]\nname = \"y\"\nversion = \"1\"\n");
	pmg_strv_take(&places.locks, pmg_path_join(folder, "s.py.lock"));
	assert_int_equal(found("pipx run z", folder, &places, &tree), 1);
	assert_int_equal(found("uv run s.py", folder, &places, &tree), 3);
	pmg_strv_done(&places.asked);
	pmg_strv_done(&places.locks);
	/* What a setting puts in place of the project */
	put(folder, "sub/yarn.lock", "x@1:\n  version \"1.0.0\"\n");
	assert_int_equal(found("yarn", folder, &places, &tree), 0);
	pmg_strv_take(&places.moved, pmg_path_join(folder, "sub"));
	assert_int_equal(found("yarn", folder, &places, &tree), 1);
	/* In the prefix */
	put(folder, "venv/lib/node_modules/z/package.json", "{}");
	pmg_strv_take(&places.modules, pmg_path_join(folder, "venv/lib/node_modules"));
	assert_int_equal(found("npm i -g x", folder, &places, &tree), 0);
	assert_int_equal(tree, 1);
	assert_int_equal(found("npm ci", folder, &places, &tree), 1);
	assert_int_equal(tree, 3);
}

/* Where a manager has its packages elsewhere, or keeps no list, what lies there is looked at. */
static void folders_of_any_name_are_looked_through(void **state)
{
	static const struct {
		const char *line, *file;
		size_t n;
	} cases[] = {
		{ "bun install", "deps/x/package.json", 1 },
		{ "yarn", "deps/@s/x/package.json", 1 },
		{ "yarn", "deps/x-npm-1.0.0-0123456789/package/package.json", 1 },
		{ "yarn", "deps/.store/x-npm-1.0.0-0123456789/package/package.json", 1 },
		{ "pnpm i", "deps/@s+x@1.0.0/node_modules/@s/x/package.json", 1 },
		{ "npm ci", "deps/.store/x@1.0.0-hash/node_modules/x/package.json", 1 },
		{ "npm ci", "deps/.other/x/package.json", 0 },
		{ "pip install x", "base/lib/python3.11/site-packages/x-1.dist-info/RECORD", 1 },
		{ "pip install x", "base/local/lib/python3.11/dist-packages/x-1.dist-info/RECORD",
		  1 },
		{ "uv pip install x", "target/x-1.dist-info/RECORD", 1 },
	};
	size_t i, tree;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(cases); i++) {
		pmg_auto(folder) char *folder = folder_new();
		pmg_auto(places) struct pmg_places places = { .project = pmg_xstrdup(folder) };

		put(folder, cases[i].file, "{\"version\": \"1.0.0\", \"name\": \"x\"}");
		pmg_strv_take(&places.modules, pmg_path_join(folder, "deps"));
		pmg_strv_take(&places.bases, pmg_path_join(folder, "base"));
		pmg_strv_take(&places.targets, pmg_path_join(folder, "target"));
		(void)found(cases[i].line, folder, &places, &tree);
		/* Of a scoped one both names count. */
		if (strstr(cases[i].file, "@s/") ? tree != 2 : tree != cases[i].n)
			fail_msg("%s, %s: %zu", cases[i].line, cases[i].file, tree);
	}
}

/* Environments that come to be in the run; and of those beside the project what is new. */
static void environments_are_found_when_they_are_made(void **state)
{
	static const struct {
		const char *file;
		size_t n; /* found from then on */
	} steps[] = {
		{ "c/envs/a/lib/python3.11/site-packages/there-1.dist-info/METADATA", 0 },
		{ "c/envs/a/lib/python3.11/site-packages/new-1.dist-info/METADATA", 1 },
		{ "c/envs/b/lib/python3.11/site-packages/there-1.dist-info/METADATA", 2 },
		{ "c/own-x/lib/python3.11/site-packages/new-2.dist-info/METADATA", 3 },
	};
	pmg_auto(folder) char *folder = folder_new();
	pmg_auto(places) struct pmg_places places = { .project = pmg_xstrdup(folder) };
	pmg_auto(strv) struct pmg_strv words = { 0 };
	pmg_auto(settled) struct pmg_settled settled = { 0 };
	const struct pmg_pm *pm = manager(&words, "uv run x.py");
	pmg_autofree char *last = NULL;
	pmg_auto(stamps) struct pmg_stamps stamps = { 0 };
	pmg_auto(resolved) struct pmg_resolved no_pins = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	pmg_strv_take(&places.beside, pmg_path_join(folder, "c/envs/*"));
	pmg_strv_take(&places.envs, pmg_path_join(folder, "c/own-*"));
	put(folder, steps[0].file, "");
	pmg_settled_find(pm, folder, &places, pmg_strv_argv(&words), &settled);
	last = pmg_settled_stamp(&settled, &stamps);
	for (i = 0; i < PMG_ARRAY_LEN(steps); i++) {
		pmg_auto(resolved) struct pmg_resolved set = { 0 };
		pmg_autofree char *now = NULL;

		if (i > 0)
			put(folder, steps[i].file, "");
		now = pmg_settled_stamp(&settled, &stamps);
		assert_int_equal(pmg_settled_tree(&settled, &no_pins, true, &set, &err), 0);
		if (set.n != steps[i].n || (strcmp(now, last) == 0) != (i == 0))
			fail_msg("%s: %zu", steps[i].file, set.n);
		free(last);
		last = pmg_steal_ptr(&now);
	}
}

/* "a?" of what is told of but lies where nobody looks, "a" of what does. Caller frees. */
static char *lying(const char *line, const char *folder, const struct pmg_places *places)
{
	pmg_auto(strv) struct pmg_strv words = { 0 };
	pmg_auto(settled) struct pmg_settled settled = { 0 };
	pmg_auto(resolved) struct pmg_resolved no_pins = { 0 }, set = { 0 };
	pmg_auto(str) struct pmg_str out = PMG_STR_INIT(1U << 16);
	const struct pmg_pm *pm = manager(&words, line);
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	pmg_settled_find(pm, folder, places, pmg_strv_argv(&words), &settled);
	assert_int_equal(pmg_settled_tree(&settled, &no_pins, true, &set, &err), 0);
	pmg_resolved_sort(&set);
	for (i = 0; i < set.n; i++)
		assert_int_equal(pmg_str_addf(&out, "%s@%s%s ", set.v[i].name, set.v[i].version,
					      set.v[i].there ? "" : "?"),
				 0);
	return pmg_str_steal(&out);
}

static void what_lies_there_is_told_from_what_is_said_to(void **state)
{
	static const struct {
		const char *line, *told;
	} cases[] = {
		{ "npm install", "e@1 only@1? x@1 y@1? y@2 " },
		{ "pnpm install", "e@1 i@1 p@1 p@2? x@1 y@2 " },
		{ "uv sync", "a@1 b@1? t@1 " },
		{ "pip install -t t a", "t@1? v@1 " },
	};
	static const char *const files[][2] = {
		/* "x" is called that, "i" is an alias of "e", "y" is another version */
		{ "node_modules/.package-lock.json",
		  "{\"packages\": {\"node_modules/x\": {\"version\": \"1\"},"
		  "\"node_modules/only\": {\"version\": \"1\"},"
		  "\"node_modules/i\": {\"name\": \"e\", \"version\": \"1\"},"
		  "\"node_modules/y\": {\"version\": \"1\"}}}" },
		{ "node_modules/x/package.json", "{\"name\": \"x\", \"version\": \"1\"}" },
		{ "node_modules/i/package.json", "{\"name\": \"e\", \"version\": \"1\"}" },
		{ "node_modules/y/package.json", "{\"name\": \"y\", \"version\": \"2\"}" },
		{ ".venv/lib/python3.11/site-packages/a-1.dist-info/METADATA", "" },
		{ ".venv/lib/python3.0/site-packages/b-1.dist-info/METADATA", "" },
		{ "real/python3.11", "" },
		{ "t/t-1.dist-info/METADATA", "" },
		{ "v/lib/python3.9/site-packages/v-1.dist-info/METADATA", "" },
	};
	pmg_auto(folder) char *folder = folder_new();
	pmg_auto(places) struct pmg_places places = { .project = pmg_xstrdup(folder) };
	pmg_autofree char *link = NULL;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(files); i++)
		put(folder, files[i][0], files[i][1]);
	put(folder, ".venv/bin/x", "");
	link = pmg_path_join(folder, ".venv/bin/python");
	assert_int_equal(symlink("../../real/python3.11", link), 0);
	pmg_strv_take(&places.modules, pmg_path_join(folder, "node_modules"));
	pmg_strv_take(&places.targets, pmg_path_join(folder, "t"));
	for (i = 0; i < PMG_ARRAY_LEN(cases); i++) {
		pmg_autofree char *got = NULL;

		if (i == 1) { /* in pnpm's own list, one that lies there and one that does not */
			put(folder, "node_modules/.pnpm/lock.yaml",
			    "packages:\n  p@1: {}\n  p@2: {}\n");
			put(folder, "node_modules/.pnpm/p@1/node_modules/p/package.json",
			    "{\"name\": \"p\", \"version\": \"1\"}");
		}
		if (i == 2)
			pmg_strv_done(&places.modules);
		if (i == 3)
			pmg_strv_take(&places.bases, pmg_path_join(folder, "v"));
		got = lying(cases[i].line, folder, &places);
		if (strcmp(got, cases[i].told) != 0)
			fail_msg("%s: %s", cases[i].line, got);
	}
}

static void what_has_changed_has_another_stamp(void **state)
{
	/* Put there one after the other; each time it is another one. */
	static const struct {
		const char *file, *text;
	} steps[] = {
		{ "package-lock.json", "{}" },
		{ "package-lock.json", "[]" }, /* as long, and put in its place */
		{ "node_modules/x/package.json", "{}" },
		{ "node_modules/x/package.json", "[]" },
		{ "node_modules/x/node_modules/y/package.json", "{}" },
		{ "node_modules/.store/k/node_modules/x/package.json", "{}" },
		{ "node_modules/.package-lock.json", "{}" },
		{ "node_modules/.store/k/node_modules/y/package.json", "{}" },
	};
	pmg_auto(folder) char *folder = folder_new();
	pmg_auto(places) struct pmg_places places = { .project = pmg_xstrdup(folder) };
	pmg_auto(strv) struct pmg_strv words = { 0 };
	pmg_auto(settled) struct pmg_settled settled = { 0 };
	const struct pmg_pm *pm = manager(&words, "npm ci");
	pmg_auto(stamps) struct pmg_stamps stamps = { 0 };
	pmg_autofree char *last = NULL;
	size_t i;

	(void)state;
	pmg_strv_take(&places.modules, pmg_path_join(folder, "node_modules"));
	pmg_settled_find(pm, folder, &places, pmg_strv_argv(&words), &settled);
	last = pmg_settled_stamp(&settled, &stamps);
	for (i = 0; i < PMG_ARRAY_LEN(steps); i++) {
		pmg_autofree char *now = NULL, *same = NULL;

		put(folder, steps[i].file, steps[i].text);
		now = pmg_settled_stamp(&settled, &stamps);
		same = pmg_settled_stamp(&settled, &stamps);
		if (strcmp(now, last) == 0)
			fail_msg("%s %s", steps[i].file, steps[i].text);
		assert_string_equal(now, same);
		free(last);
		last = pmg_steal_ptr(&now);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_removes_or_replaces_goes_on),
		cmocka_unit_test(what_may_install_first_what_is_pinned_is_known),
		cmocka_unit_test(lockfiles_and_what_is_installed_are_found),
		cmocka_unit_test(folders_of_any_name_are_looked_through),
		cmocka_unit_test(environments_are_found_when_they_are_made),
		cmocka_unit_test(what_lies_there_is_told_from_what_is_said_to),
		cmocka_unit_test(what_has_changed_has_another_stamp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
