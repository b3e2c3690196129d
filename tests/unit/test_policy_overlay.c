#include "policy/overlay.h"

#include "building.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "policy/allow.h"

static struct pmg_overlay_entry entry_of(const char *text)
{
	struct pmg_overlay_entry entry = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	const char *value = NULL;

	if (pmg_allow_parse(text, &entry.type, &value, &err) < 0)
		fail_msg("%s", err.msg);
	entry.value = pmg_xstrdup(value);
	return entry;
}

static int add(struct pmg_overlay *overlay, const struct pmg_policy *policy, bool force,
	       const char *text, struct pmg_err *err)
{
	struct pmg_overlay_entry entry = entry_of(text);

	return pmg_overlay_add(overlay, policy, force, &entry, err);
}

static void what_is_saved_is_loaded_and_holds(void **state)
{
	static const struct building_row before = { "write", "s", "{project}/.astro/x", false };
	static const struct building_row rows[] = {
		{ "write", "s", "{project}/.astro/x", true },
		{ "read", "s", "{home}/a \"b\"", true },
		{ "read", "s", "{home}/old", false },
		{ "read", "s", "{home}/pip", false },
	};
	struct building b;
	pmg_auto(policy) struct pmg_policy *bare = NULL;
	pmg_auto(policy) struct pmg_policy *policy = NULL;
	pmg_auto(policy) struct pmg_policy *without = NULL;
	pmg_auto(overlay) struct pmg_overlay overlay = { 0 };
	pmg_auto(overlay) struct pmg_overlay again = { 0 };
	struct pmg_policy_want want = { .no_overlay = true };
	struct pmg_overlay_entry entry;
	struct pmg_err err = PMG_ERR_INIT;
	struct stat st;

	(void)state;
	building_begin(&b, "npm", "npm");
	bare = building_policy(&b, NULL, NULL);
	building_ask(&b, bare, &before, 1);
	assert_int_equal(pmg_overlay_load(b.config, b.project, &overlay, &err), 0);
	assert_int_equal(overlay.n_entries, 0);
	entry = entry_of("write=.astro/");
	entry.reason = pmg_xstrdup("astro: \"cache\"\n");
	entry.author = pmg_xstrdup("ann");
	entry.created = 1796000000;
	pmg_strv_add(&entry.tools, "npm");
	assert_int_equal(pmg_overlay_add(&overlay, bare, false, &entry, &err), 0);
	assert_string_equal(overlay.entries[0].value, "${PROJECT}/.astro/**");
	assert_int_equal(add(&overlay, bare, false, "read=~/a \"b\"", &err), 0);
	entry = entry_of("read=~/old");
	entry.expires = 1000;
	assert_int_equal(pmg_overlay_add(&overlay, bare, false, &entry, &err), 0);
	entry = entry_of("read=~/pip");
	pmg_strv_add(&entry.tools, "pip");
	assert_int_equal(pmg_overlay_add(&overlay, bare, false, &entry, &err), 0);
	assert_int_equal(add(&overlay, bare, false, "preset=git", &err), 0);
	if (pmg_overlay_save(&overlay, &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(stat(overlay.path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);

	assert_int_equal(pmg_overlay_load(b.config, b.project, &again, &err), 0);
	assert_int_equal(again.n_entries, 5);
	assert_string_equal(again.entries[0].reason, "astro: \"cache\"\n");
	assert_string_equal(again.entries[0].author, "ann");
	assert_int_equal(again.entries[0].created, 1796000000);
	assert_int_equal(again.entries[0].line, 5);
	assert_int_equal(again.entries[2].expires, 1000);
	assert_string_equal(again.entries[3].tools.v[0], "pip");

	policy = building_policy(&b, NULL, NULL);
	building_ask(&b, policy, rows, PMG_ARRAY_LEN(rows));
	want.facts = &b.facts;
	assert_int_equal(pmg_policy_build(&want, &without, &err), 0);
	building_ask(&b, without, &before, 1);

	/* Of the last entry the file goes. */
	assert_int_equal(pmg_overlay_remove(&again, bare, PMG_ACCESS_WRITE, ".astro/"), 1);
	assert_int_equal(pmg_overlay_remove(&again, bare, PMG_ACCESS_WRITE, ".astro/"), 0);
	while (again.n_entries > 0)
		assert_int_equal(pmg_overlay_remove(&again, bare, again.entries[0].type,
						    again.entries[0].value),
				 1);
	assert_int_equal(pmg_overlay_save(&again, &err), 0);
	assert_int_equal(stat(again.path, &st), -1);
	building_end(&b);
}

static void what_is_sensitive_needs_force_and_hooks_never_open(void **state)
{
	static const struct {
		const char *text;
		int plain, forced;
	} rows[] = {
		{ "read=.env", -PMG_E_USAGE, 0 },
		{ "read=${CWD}/.env", -PMG_E_USAGE, 0 },
		{ "read=~/.npmrc", -PMG_E_USAGE, 0 },
		{ "write=~/.bashrc", -PMG_E_USAGE, 0 },
		{ "env=LD_PRELOAD", -PMG_E_USAGE, 0 },
		{ "write=.git/hooks/x", -PMG_E_CONFIG, -PMG_E_CONFIG },
		{ "write=.husky/_/x", -PMG_E_CONFIG, -PMG_E_CONFIG },
		{ "read=docs/x", 0, 0 },
		{ "net-connect=host.test:443", 0, 0 },
	};
	struct building b;
	pmg_auto(policy) struct pmg_policy *policy = NULL;
	size_t i;

	(void)state;
	building_begin(&b, "npm", "npm");
	policy = building_policy(&b, NULL, NULL);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(overlay) struct pmg_overlay overlay = { 0 };
		struct pmg_err err = PMG_ERR_INIT;

		assert_int_equal(pmg_overlay_load(b.config, b.project, &overlay, &err), 0);
		if (add(&overlay, policy, false, rows[i].text, &err) != rows[i].plain ||
		    add(&overlay, policy, true, rows[i].text, &err) != rows[i].forced)
			fail_msg("%s: %s", rows[i].text, err.msg);
		assert_int_equal(overlay.n_entries, rows[i].forced == 0);
	}
	building_end(&b);
}

static void a_file_that_is_wrong_says_where(void **state)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{ "schema_version: 1\nrepository: /other\n", ":2:13: \"repository\" must be" },
		{ "schema_version: 1\nrepository: {project}\nentries:\n  - {type: raed, value: "
		  "x}\n",
		  ":4:12: \"type\"" },
		{ "schema_version: 1\nrepository: {project}\nentries:\n  - {type: read}\n",
		  "\"value\" is missing" },
		{ "schema_version: 1\nrepository: {project}\nentries:\n"
		  "  - {type: net-bind, value: \"127.0.0.1:x\"}\n",
		  ":4:29: \"value\"" },
		{ "schema_version: 1\nrepository: {project}\nentries:\n"
		  "  - {type: read, value: x, expires: soon}\n",
		  "\"expires\" must be a time" },
		{ "schema_version: 2\nrepository: {project}\n", "\"schema_version\"" },
	};
	struct building b;
	pmg_auto(overlay) struct pmg_overlay empty = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	building_begin(&b, "npm", "npm");
	assert_int_equal(pmg_overlay_load(b.config, b.project, &empty, &err), 0);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(overlay) struct pmg_overlay overlay = { 0 };

		building_write(&b, empty.path + strlen(b.top) + 1, rows[i].text);
		if (pmg_overlay_load(b.config, b.project, &overlay, &err) == 0)
			fail_msg("%s was taken", rows[i].text);
		if (!strstr(err.msg, rows[i].says))
			fail_msg("%s: %s", rows[i].text, err.msg);
		assert_null(overlay.path);
	}
	building_end(&b);
}

static void a_preset_that_is_gone_allows_nothing_and_is_noted(void **state)
{
	struct building b;
	pmg_auto(overlay) struct pmg_overlay overlay = { 0 };
	pmg_auto(policy) struct pmg_policy *policy = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	building_begin(&b, "npm", "npm");
	assert_int_equal(pmg_overlay_load(b.config, b.project, &overlay, &err), 0);
	assert_int_equal(add(&overlay, NULL, false, "preset=gone", &err), 0);
	assert_int_equal(pmg_overlay_save(&overlay, &err), 0);
	policy = building_policy(&b, NULL, NULL);
	assert_int_equal(policy->notes.n, 1);
	assert_non_null(strstr(policy->notes.v[0], "gone"));
	building_end(&b);
}

static void a_neighbour_in_the_repository_is_another_folder(void **state)
{
	struct building b;
	pmg_auto(overlay) struct pmg_overlay overlay = { 0 };
	pmg_auto(policy) struct pmg_policy *policy = NULL;
	pmg_autofree char *package = NULL;
	pmg_autofree char *wanted = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	building_begin(&b, "npm", "npm");
	building_write(&b, "home/project/packages/a/package.json", "{}");
	package = pmg_path_join(b.project, "packages/a");
	wanted = pmg_path_join(package, "dist");
	b.facts.cwd = b.facts.project = package;
	policy = building_policy(&b, NULL, NULL);
	assert_int_equal(pmg_overlay_load(b.config, b.project, &overlay, &err), 0);
	assert_int_equal(add(&overlay, policy, false, "write=dist", &err), 0);
	assert_string_equal(overlay.entries[0].value, wanted);
	building_end(&b);
}

static void overlays_are_listed_and_held_while_they_change(void **state)
{
	pmg_auto(overlay) struct pmg_overlay overlay = { 0 };
	pmg_auto(strv) struct pmg_strv repositories = { 0 };
	pmg_auto(strv) struct pmg_strv broken = { 0 };
	pmg_auto(policy) struct pmg_policy *bare = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *dir = NULL;
	pmg_autofd int other = -1;
	struct building b;
	int held;

	(void)state;
	building_begin(&b, "npm", "npm");
	bare = building_policy(&b, NULL, NULL);
	assert_int_equal(pmg_overlay_repositories(b.config, &repositories, &broken, &err), 0);
	assert_int_equal(repositories.n + broken.n, 0);
	held = pmg_overlay_lock(b.config, &err);
	assert_true(held >= 0);
	dir = pmg_path_join(b.config, "overlays");
	other = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(flock(other, LOCK_EX | LOCK_NB), -1);
	assert_int_equal(close(held), 0);
	assert_int_equal(flock(other, LOCK_EX | LOCK_NB), 0);
	assert_int_equal(pmg_overlay_load(b.config, b.project, &overlay, &err), 0);
	assert_int_equal(add(&overlay, bare, false, "write=a", &err), 0);
	assert_int_equal(pmg_overlay_save(&overlay, &err), 0);
	building_write(&b, "home/.config/pmg/overlays/copy.yml",
		       "schema_version: 1\nrepository: {project}\n");
	building_write(&b, "home/.config/pmg/overlays/bad.yml", "schema_version: [\n");
	assert_int_equal(pmg_overlay_repositories(b.config, &repositories, &broken, &err), 0);
	assert_int_equal(repositories.n, 1);
	assert_string_equal(repositories.v[0], b.project);
	assert_int_equal(broken.n, 2);
	building_end(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_saved_is_loaded_and_holds),
		cmocka_unit_test(what_is_sensitive_needs_force_and_hooks_never_open),
		cmocka_unit_test(a_file_that_is_wrong_says_where),
		cmocka_unit_test(a_preset_that_is_gone_allows_nothing_and_is_noted),
		cmocka_unit_test(a_neighbour_in_the_repository_is_another_folder),
		cmocka_unit_test(overlays_are_listed_and_held_while_they_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
