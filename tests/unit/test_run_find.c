#include "run/find.h"

#include <errno.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/env.h"
#include "base/io.h"
#include "base/path.h"
#include "base/str.h"
#include "run/self.h"
#include "tests/helper/folder.h"

PMG_SELF_NOTE; /* this program plays pmg */

static char *root;

static char *at(const char *name)
{
	return pmg_path_join(root, name);
}

static void program(const char *name, const void *bytes, size_t len, mode_t mode)
{
	pmg_autofree char *path = at(name);

	folder_write(root, name, bytes, len);
	assert_int_equal(chmod(path, mode), 0);
}

static void script(const char *name, const char *text, mode_t mode)
{
	program(name, text, strlen(text), mode);
}

static void copy_of_self(const char *name)
{
	pmg_autofree char *bytes = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	size_t len;

	assert_int_equal(pmg_io_slurp("/proc/self/exe", 64U << 20, &bytes, &len, &err), 0);
	program(name, bytes, len, 0755);
}

static void links_to(const char *target, const char *soft, const char *hard)
{
	pmg_autofree char *a = at(soft);
	pmg_autofree char *b = hard ? at(hard) : NULL;

	assert_int_equal(symlink(target, a), 0);
	if (b)
		assert_int_equal(link(target, b), 0);
}

static int make_programs(void **state)
{
	pmg_autofree char *self = pmg_path_real("/proc/self/exe");

	(void)state;
	root = folder_new();
	script("real/npm", "#!/usr/bin/env node\n", 0755);
	script("other/npm", "\177ELF is only how it begins", 0755);
	script("sh/npm", "#!/bin/sh\nexec pmg npm \"$@\"\n", 0755);
	script("env/npm", "#! /usr/bin/env bash\npmg npm \"$@\"\n", 0755);
	script("plain/npm", "no mode to run it", 0644);
	script("folder/npm/file", "", 0644);
	script("link/other", "", 0600);
	script("hard/other", "", 0600);
	script("chain/other", "", 0600);
	copy_of_self("copy/npm");
	links_to(self, "link/npm", "hard/npm");
	links_to("../copy/npm", "chain/npm", NULL);
	return 0;
}

static int remove_programs(void **state)
{
	(void)state;
	folder_free(root);
	return 0;
}

/* PATH of folders below root, written "a:b". */
static void set_path(struct pmg_strv *env, const char *folders)
{
	pmg_auto(str) struct pmg_str path = PMG_STR_INIT(65536);
	size_t len;

	for (; *folders; folders += len + (folders[len] == ':')) {
		len = strcspn(folders, ":");
		assert_int_equal(pmg_str_addf(&path, "%s%s/%.*s", path.len ? ":" : "", root,
					      (int)len, folders),
				 0);
	}
	pmg_env_set(env, "PATH", path.len ? path.s : "");
}

static char *id_of(const char *name)
{
	pmg_autofree char *path = at(name);
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return pmg_xasprintf("%llx:%llx", (unsigned long long)st.st_dev,
			     (unsigned long long)st.st_ino);
}

static const struct {
	const char *path;
	const char *found; /* below root; NULL: none */
	int errnum;
} rows[] = {
	{ "real", "real/npm", 0 },
	{ "missing:real:other", "real/npm", 0 },
	{ "other:real", "other/npm", 0 },
	{ "link:hard:copy:chain:real", "real/npm", 0 },
	{ "link:link:link", NULL, ENOENT },
	{ "folder:real", "real/npm", 0 },
	{ "folder", NULL, ENOENT },
	{ "plain:real", "real/npm", 0 },
	{ "plain:link", NULL, EACCES },
	{ "sh:real", "sh/npm", 0 },
	{ "", NULL, ENOENT },
};

static void the_first_program_that_is_not_pmg_is_found(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(strv) struct pmg_strv env = { 0 };
		pmg_auto(found) struct pmg_found found = { 0 };
		pmg_autofree char *expected = rows[i].found ? at(rows[i].found) : NULL;
		struct pmg_err err = PMG_ERR_INIT;
		int r;

		set_path(&env, rows[i].path);
		r = pmg_find_program("npm", &env, "/", &found, &err);
		if (expected) {
			assert_int_equal(r, 0);
			assert_string_equal(found.program, expected);
			assert_int_equal(found.depth, 1);
			continue;
		}
		assert_int_equal(r, -PMG_E_NOTFOUND);
		assert_int_equal(err.errnum, rows[i].errnum);
		assert_int_equal(err.diag, 5001);
		assert_null(found.program);
	}
}

static void empty_and_relative_parts_of_PATH_mean_the_current_folder(void **state)
{
	static const char *const paths[] = { ":/nowhere", "/nowhere:", "/nowhere::/nowhere", "." };
	pmg_autofree char *cwd = at("real");
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(paths); i++) {
		pmg_auto(strv) struct pmg_strv env = { 0 };
		pmg_auto(found) struct pmg_found found = { 0 };
		struct pmg_err err = PMG_ERR_INIT;

		pmg_env_set(&env, "PATH", paths[i]);
		assert_int_equal(pmg_find_program("npm", &env, cwd, &found, &err), 0);
		assert_true(pmg_str_has_prefix(found.program, cwd));
	}
}

/* Who left the trace, and which program it names; what is found on sh:env:real then. */
static const struct {
	enum { SELF, PARENT, OTHER } who;
	const char *passed[3];
	const char *found;
} traces[] = {
	{ SELF, { "sh/npm" }, "env/npm" },
	{ SELF, { "sh/npm", "env/npm" }, "real/npm" },
	{ SELF, { "sh/npm", "env/npm", "real/npm" }, NULL },
	{ PARENT, { "sh/npm" }, "env/npm" },
	{ PARENT, { "sh/npm", "env/npm" }, "real/npm" },
	/* npm itself is no shell script: when it starts npm again, npm is what it means. */
	{ PARENT, { "sh/npm", "env/npm", "real/npm" }, "real/npm" },
	{ OTHER, { "sh/npm", "env/npm" }, "sh/npm" },
};

static void programs_that_lead_back_to_pmg_are_passed_over(void **state)
{
	const pid_t pids[] = { getpid(), getppid(), 1 };
	size_t i, k;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(traces); i++) {
		pmg_auto(strv) struct pmg_strv env = { 0 };
		pmg_auto(found) struct pmg_found before = { 0 }, found = { 0 };
		pmg_autofree char *expected = traces[i].found ? at(traces[i].found) : NULL;
		pmg_autofree char *via = NULL;
		struct pmg_err err = PMG_ERR_INIT;
		int r;

		for (k = 0; k < 3 && traces[i].passed[k]; k++)
			pmg_strv_take(&before.passed, id_of(traces[i].passed[k]));
		before.depth = 4;
		via = pmg_found_via(&before, pids[traces[i].who]);
		pmg_env_set(&env, "PMG_VIA", via);
		set_path(&env, "sh:env:real");
		r = pmg_find_program("npm", &env, "/", &found, &err);
		assert_int_equal(r, expected ? 0 : -PMG_E_NOTFOUND);
		if (!expected)
			continue;
		assert_string_equal(found.program, expected);
		assert_int_equal(found.depth, 5);
		assert_int_equal(found.passed.n, traces[i].who == OTHER ? 1 : k + 1);
	}
}

static void endless_starts_within_each_other_end(void **state)
{
	static const struct {
		const char *via;
		int r;
	} vias[] = {
		{ "31 1", 0 },
		{ "32 1", -PMG_E_LIMIT },
		{ "4000000000 1", -PMG_E_LIMIT },
		{ "nonsense", 0 },
		{ "99999999999999999999 1", 0 },
		{ "", 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(vias); i++) {
		pmg_auto(strv) struct pmg_strv env = { 0 };
		pmg_auto(found) struct pmg_found found = { 0 };
		struct pmg_err err = PMG_ERR_INIT;

		set_path(&env, "real");
		pmg_env_set(&env, "PMG_VIA", vias[i].via);
		assert_int_equal(pmg_find_program("npm", &env, "/", &found, &err), vias[i].r);
		if (vias[i].r < 0)
			assert_int_equal(err.diag, 5002);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_program_that_is_not_pmg_is_found),
		cmocka_unit_test(empty_and_relative_parts_of_PATH_mean_the_current_folder),
		cmocka_unit_test(programs_that_lead_back_to_pmg_are_passed_over),
		cmocka_unit_test(endless_starts_within_each_other_end),
	};

	return cmocka_run_group_tests(tests, make_programs, remove_programs);
}
