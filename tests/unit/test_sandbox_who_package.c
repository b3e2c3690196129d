#include "sandbox/who_priv.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/str.h"
#include "tests/helper/folder.h"

typedef bool (*reader)(const char *text, size_t len, struct pmg_package *out);

static void each_kind_of_file_says_name_and_version(void **state)
{
	static const struct {
		reader read;
		const char *text, *is;
	} rows[] = {
		{ pmg_package_json, "{\"name\":\"a\",\"version\":\"1.2.3\"}", "a@1.2.3" },
		{ pmg_package_json, "{\"name\":\"@s/a\"}", "@s/a" },
		{ pmg_package_json, "{\"version\":\"1\"}", NULL },
		{ pmg_package_json, "{\"name\":7}", NULL },
		{ pmg_package_json, "{\"name\":\"\"}", NULL },
		{ pmg_package_json, "{\"name\":\"a\\nb\",\"version\":\"1\"}", NULL },
		{ pmg_package_json, "{\"name\":\"a\",\"version\":\"1\\u001b[2J\"}", "a" },
		{ pmg_package_json, "\xef\xbb\xbf{\"name\":\"a\",\"version\":\" 1.0.0\\n\"}",
		  "a@1.0.0" },
		{ pmg_package_json,
		  "{\"name\":\"b\",\"version\":\"9\",\"name\":\"a\",\"version\":\"1\"}", "a@1" },
		{ pmg_package_json, "{\"name\":\"a\",\"x\":1,\"x\":1,\"version\":\"1\"}", "a@1" },
		{ pmg_package_json, "[1]", NULL },
		{ pmg_package_json, "{", NULL },
		{ pmg_package_pkginfo, "Metadata-Version: 2.1\nName: six\nVersion: 1.16\n",
		  "six@1.16" },
		{ pmg_package_pkginfo, "Name: six\r\nVersion: 2\r\n\r\nName: other\n", "six@2" },
		{ pmg_package_pkginfo, "\nName: six\n", NULL },
		{ pmg_package_pkginfo, "Name-Like: x\nName: y", "y" },
		{ pmg_package_pyproject, "[project]\nname = \"p\"\nversion='3'\n", "p@3" },
		{ pmg_package_pyproject, "[build-system]\nname = \"x\"\n[project]\nname=\"p\"",
		  "p" },
		{ pmg_package_pyproject, "[project]\nname = \"p", NULL },
		{ pmg_package_pyproject, "[project]\nname = [\"p\"]", NULL },
		{ pmg_package_pyproject, "[project.urls]\nname = \"x\"", NULL },
		{ pmg_package_pyproject, "", NULL },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(package) struct pmg_package package = { 0 };
		pmg_autofree char *text = NULL;

		assert_int_equal(rows[i].read(rows[i].text, strlen(rows[i].text), &package),
				 rows[i].is != NULL);
		text = pmg_package_text(&package);
		if (rows[i].is && text)
			assert_string_equal(text, rows[i].is);
		else
			assert_null(text);
	}
}

static void a_name_that_is_too_long_is_none(void **state)
{
	pmg_auto(package) struct pmg_package package = { 0 };
	char text[PMG_PACKAGE_NAME_MAX + 16];
	int n = snprintf(text, sizeof text, "Name: ");

	(void)state;
	memset(text + n, 'a', PMG_PACKAGE_NAME_MAX + 1);
	assert_false(pmg_package_pkginfo(text, (size_t)n + PMG_PACKAGE_NAME_MAX + 1, &package));
	assert_true(pmg_package_pkginfo(text, (size_t)n + PMG_PACKAGE_NAME_MAX, &package));
}

static const char *const files[][2] = {
	{ "package.json", "{\"name\":\"root\",\"version\":\"0.1.0\"}" },
	{ "src/deep/x", "" },
	{ "local/package.json", "{\"name\":\"local-dep\",\"version\":\"2.0.0\"}" },
	{ "local/lib/x", "" },
	{ "node_modules/evil/package.json", "{\"name\":\"innocent\",\"version\":\"6.6.6\"}" },
	{ "node_modules/evil/lib/x", "" },
	{ "node_modules/evil/lib/package.json", "{\"name\":\"no\",\"version\":\"9\"}" },
	{ "node_modules/@s/a/package.json", "{\"version\":\"1.0.0\"}" },
	{ "node_modules/.bin/x", "" },
	{ "node_modules/.pnpm/b@3/node_modules/b/package.json", "{\"version\":\"3.0.0\"}" },
	{ "node_modules/bare/x", "" },
	{ "venv/site-packages/six/PKG-INFO", "Name: six\nVersion: 1.16\n" },
	{ "node_modules/.store/evil-npm-6.6.6-0a1b2c3d4e/package/package.json",
	  "{\"name\":\"innocent\",\"version\":\"6.6.6\"}" },
	{ "node_modules/.store/evil-npm-6.6.6-0a1b2c3d4e/package/lib/x", "" },
	{ "node_modules/.store/@s-a-npm-1.0.0-0a1b2c3d4e/package/package.json",
	  "{\"name\":\"@s/a\",\"version\":\"1.0.0\"}" },
	{ "deps/other/package.json", "{\"name\":\"innocent\",\"version\":\"6.6.6\"}" },
	{ "deps/@s/c/package.json", "{\"name\":\"innocent\",\"version\":\"1.0.0\"}" },
	{ "deps/@s/c/lib/x", "" },
	{ "src/deps/other/package.json", "{\"name\":\"innocent\",\"version\":\"6.6.6\"}" },
};

static const struct {
	const char *dir, *is;
	bool own;
	const char *called;
} places[] = {
	{ "", "root@0.1.0", true, NULL },
	{ "src/deep", "root@0.1.0", true, NULL },
	{ "local", "local-dep@2.0.0", false, NULL },
	{ "local/lib", "local-dep@2.0.0", false, NULL },
	{ "node_modules", "root@0.1.0", true, NULL },
	{ "node_modules/.bin", "root@0.1.0", true, NULL },
	{ "node_modules/@s", "root@0.1.0", true, NULL },
	{ "node_modules/evil", "evil@6.6.6", false, "innocent@6.6.6" }, /* by where it lies */
	{ "node_modules/evil/lib", "evil@6.6.6", false, "innocent@6.6.6" },
	{ "node_modules/@s/a", "@s/a@1.0.0", false, NULL },
	{ "node_modules/.pnpm/b@3/node_modules/b", "b@3.0.0", false, NULL },
	{ "node_modules/bare", "bare", false, NULL },
	{ "venv/site-packages/six", "six@1.16", false, NULL },
	/* berry's store, as far as its folder says the name */
	{ "node_modules/.store/evil-npm-6.6.6-0a1b2c3d4e/package/lib", "evil@6.6.6", false,
	  "innocent@6.6.6" },
	{ "node_modules/.store/@s-a-npm-1.0.0-0a1b2c3d4e/package", "@s/a@1.0.0", false, NULL },
	{ "deps/other", "other@6.6.6", false, "innocent@6.6.6" }, /* of package_folders */
	{ "deps/@s/c/lib", "@s/c@1.0.0", false, "innocent@1.0.0" },
	{ "src/deps/other", "innocent@6.6.6", false, NULL }, /* of none */
};

static void fill_policy(struct pmg_policy *policy, const char *project, const char *home)
{
	policy->project = pmg_xstrdup(project);
	policy->home = pmg_xstrdup(home);
	pmg_strv_add(&policy->dependency_names, "node_modules");
	pmg_strv_add(&policy->dependency_names, "site-packages");
	pmg_strv_take(&policy->package_folders, pmg_path_join(project, "deps"));
}

static void empty_policy(struct pmg_policy *policy)
{
	free(policy->project);
	free(policy->home);
	pmg_strv_done(&policy->dependency_names);
	pmg_strv_done(&policy->package_folders);
}

static bool package_of(const struct pmg_policy *policy, const char *path, struct pmg_package *out)
{
	pmg_autofd int dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	assert_true(dir >= 0);
	return pmg_package_of(policy, dir, path, out);
}

static void a_folder_belongs_to_the_package_it_lies_in(void **state)
{
	pmg_auto(folder) char *top = folder_new();
	struct pmg_policy policy = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(files); i++)
		folder_write(top, files[i][0], files[i][1], strlen(files[i][1]));
	fill_policy(&policy, top, "/");
	for (i = 0; i < PMG_ARRAY_LEN(places); i++) {
		pmg_auto(package) struct pmg_package package = { 0 };
		pmg_autofree char *joined = pmg_path_join(top, places[i].dir);
		pmg_autofree char *path = pmg_path_clean(joined), *text = NULL, *called = NULL;

		assert_true(package_of(&policy, path, &package));
		text = pmg_package_text(&package);
		assert_string_equal(text, places[i].is);
		assert_int_equal(package.own, places[i].own);
		called = pmg_package_called(&package);
		assert_true(pmg_streq(called, places[i].called));
		assert_true(pmg_path_is_under(path, package.folder));
	}
	empty_policy(&policy);
}

static void nobody_is_asked_above_project_or_home(void **state)
{
	pmg_auto(folder) char *top = folder_new();
	pmg_auto(package) struct pmg_package package = { 0 };
	pmg_autofree char *project = pmg_path_join(top, "p"), *home = pmg_path_join(top, "h");
	pmg_autofree char *in_project = pmg_path_join(project, "a"),
			  *in_home = pmg_path_join(home, "b");
	struct pmg_policy policy = { 0 };

	(void)state;
	folder_write(top, "package.json", files[0][1], strlen(files[0][1]));
	folder_write(top, "p/a/x", "", 0);
	folder_write(top, "h/b/x", "", 0);
	folder_write(top, "h/package.json", files[0][1], strlen(files[0][1]));
	fill_policy(&policy, project, home);
	assert_false(package_of(&policy, in_project, &package));
	assert_false(package_of(&policy, in_home, &package));
	assert_null(package.name);
	empty_policy(&policy);
}

/* What a package puts there instead of a file neither holds us up nor leads us elsewhere. */
static void only_a_regular_file_is_read(void **state)
{
	static const char *const names[] = { "fifo", "link", "folder", "large" };
	static const char info[] = "Name: other\nVersion: 9.9.9\n";
	pmg_auto(folder) char *top = folder_new();
	pmg_autofree char *large = pmg_xcalloc(1, PMG_PACKAGE_FILE_MAX + 1);
	struct pmg_policy policy = { 0 };
	size_t i;

	(void)state;
	fill_policy(&policy, top, "/");
	for (i = 0; i < PMG_ARRAY_LEN(names); i++) {
		pmg_auto(package) struct pmg_package package = { 0 };
		pmg_autofree char *made = pmg_xasprintf("node_modules/%s/x", names[i]);
		pmg_autofree char *dir = pmg_xasprintf("%s/node_modules/%s", top, names[i]);
		pmg_autofree char *file = pmg_path_join(dir, "package.json");
		pmg_autofree char *large_name =
			pmg_xasprintf("node_modules/%s/package.json", names[i]);

		folder_write(top, made, files[0][1], strlen(files[0][1]));
		if (i == 0)
			assert_int_equal(mkfifo(file, 0600), 0);
		else if (i == 1)
			assert_int_equal(symlink("x", file), 0);
		else if (i == 2)
			assert_int_equal(mkdir(file, 0700), 0);
		else
			folder_write(top, large_name, large, PMG_PACKAGE_FILE_MAX + 1);
		/* Nor does another file speak for it. */
		folder_write(dir, "PKG-INFO", info, sizeof info - 1);
		assert_true(package_of(&policy, dir, &package));
		assert_string_equal(package.name, names[i]);
		assert_null(package.version);
	}
	empty_policy(&policy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_of_file_says_name_and_version),
		cmocka_unit_test(a_name_that_is_too_long_is_none),
		cmocka_unit_test(a_folder_belongs_to_the_package_it_lies_in),
		cmocka_unit_test(nobody_is_asked_above_project_or_home),
		cmocka_unit_test(only_a_regular_file_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
