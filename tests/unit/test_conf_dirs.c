#include "conf/dirs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/env.h"
#include "base/path.h"
#include "base/str.h"

struct row {
	const char *env[4];
	const char *config;
	const char *state;
	const char *cache;
	const char *runtime;
};

static const struct row rows[] = {
	{ { "HOME=/h" }, "/h/.config/pmg", "/h/.local/state/pmg", "/h/.cache/pmg", NULL },
	{ { "HOME=/h/" }, "/h/.config/pmg", "/h/.local/state/pmg", "/h/.cache/pmg", NULL },
	{ { "HOME=/h", "XDG_CONFIG_HOME=/c", "XDG_RUNTIME_DIR=/run/user/7" },
	  "/c/pmg",
	  "/h/.local/state/pmg",
	  "/h/.cache/pmg",
	  "/run/user/7/pmg" },
	{ { "HOME=/h", "XDG_STATE_HOME=/s//x/", "XDG_CACHE_HOME=/k" },
	  "/h/.config/pmg",
	  "/s/x/pmg",
	  "/k/pmg",
	  NULL },
	/* relative and empty values do not count */
	{ { "HOME=/h", "XDG_CONFIG_HOME=c", "XDG_STATE_HOME=", "XDG_RUNTIME_DIR=run" },
	  "/h/.config/pmg",
	  "/h/.local/state/pmg",
	  "/h/.cache/pmg",
	  NULL },
};

static void assert_text(const char *got, const char *want)
{
	if (!want)
		assert_null(got);
	else
		assert_string_equal(got, want);
}

static void each_folder_is_where_its_variable_or_home_says(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;
	size_t i, k;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(strv) struct pmg_strv env = { 0 };
		pmg_auto(dirs) struct pmg_dirs dirs = { 0 };

		for (k = 0; k < PMG_ARRAY_LEN(rows[i].env) && rows[i].env[k]; k++)
			pmg_strv_add(&env, rows[i].env[k]);
		assert_int_equal(pmg_dirs_find(&env, &dirs, &err), 0);
		assert_string_equal(dirs.home, "/h");
		assert_text(dirs.config, rows[i].config);
		assert_text(dirs.state, rows[i].state);
		assert_text(dirs.cache, rows[i].cache);
		assert_text(dirs.runtime, rows[i].runtime);
	}
}

static void without_home_the_password_database_answers(void **state)
{
	static const char *const homes[] = { NULL, "HOME=", "HOME=relative" };
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(homes); i++) {
		pmg_auto(strv) struct pmg_strv env = { 0 };
		pmg_auto(dirs) struct pmg_dirs dirs = { 0 };

		if (homes[i])
			pmg_strv_add(&env, homes[i]);
		if (pmg_dirs_find(&env, &dirs, &err) < 0) {
			assert_int_equal(err.code, PMG_E_UNSUPPORTED);
			assert_string_equal(err.hint, "set HOME to an absolute path");
			assert_null(dirs.home);
			continue;
		}
		assert_true(dirs.home[0] == '/');
		assert_true(pmg_str_has_prefix(dirs.config, dirs.home));
	}
}

static void a_made_folder_is_private_and_others_folders_are_refused(void **state)
{
	pmg_autofree char *top =
		pmg_xasprintf("%s/pmg-dirs-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : ".");
	pmg_autofree char *deep = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	struct stat st;

	(void)state;
	assert_non_null(mkdtemp(top));
	deep = pmg_path_join(top, "a/b");
	assert_int_equal(pmg_dirs_make(deep, &err), 0);
	assert_int_equal(stat(deep, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(pmg_dirs_make(deep, &err), 0); /* again is fine */
	assert_int_equal(chmod(deep, 0770), 0);
	assert_int_equal(pmg_dirs_make(deep, &err), -PMG_E_CONFIG);
	assert_non_null(strstr(err.msg, "can be written to by others"));
	assert_true(pmg_str_has_prefix(err.hint, "chmod 700 "));
	if (geteuid() == 0) {
		assert_int_equal(chmod(deep, 0700), 0);
		assert_int_equal(chown(deep, 12345, 12345), 0);
		assert_int_equal(pmg_dirs_make(deep, &err), -PMG_E_CONFIG);
		assert_non_null(strstr(err.msg, "belongs to user 12345"));
	}
	assert_int_equal(rmdir(deep), 0);
	*strrchr(deep, '/') = '\0';
	assert_int_equal(rmdir(deep), 0);
	assert_int_equal(rmdir(top), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_folder_is_where_its_variable_or_home_says),
		cmocka_unit_test(without_home_the_password_database_answers),
		cmocka_unit_test(a_made_folder_is_private_and_others_folders_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
