#include "conf/trusted.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "base/path.h"
#include "base/str.h"

static char *top; /* a folder of our own, 0700 */
static char *file;

static int setup(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	top = pmg_xasprintf("%s/pmg-trusted-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : ".");
	if (!mkdtemp(top))
		return -1;
	file = pmg_path_join(top, "f.yml");
	return pmg_io_replace(file, "a: 1\n", 5, 0600, &err);
}

static int teardown(void **state)
{
	(void)state;
	(void)unlink(file);
	(void)rmdir(top);
	free(file);
	free(top);
	return 0;
}

static int slurp(struct pmg_err *err)
{
	pmg_autofree char *text = NULL;
	size_t len = 0;
	int r = pmg_trusted_slurp(file, 100, &text, &len, err);
	struct pmg_err scratch = PMG_ERR_INIT;

	assert_int_equal(pmg_trusted_check(file, &scratch), r);

	if (r == 0) {
		assert_string_equal(text, "a: 1\n");
		assert_int_equal(len, 5);
	} else {
		assert_null(text);
	}
	return r;
}

static const struct {
	mode_t file, folder;
	int ret;
} modes[] = {
	{ 0600, 0700, 0 },
	{ 0644, 0755, 0 },
	{ 0400, 0500, 0 },
	{ 0666, 0700, -PMG_E_CONFIG },
	{ 0620, 0700, -PMG_E_CONFIG },
	{ 0602, 0700, -PMG_E_CONFIG },
	{ 0600, 0770, -PMG_E_CONFIG },
	{ 0600, 0707, -PMG_E_CONFIG },
	{ 0600, 01777, 0 }, /* like /tmp: others cannot replace it */
};

static void what_others_could_write_is_not_read(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(modes); i++) {
		assert_int_equal(chmod(file, modes[i].file), 0);
		assert_int_equal(chmod(top, modes[i].folder), 0);
		assert_int_equal(slurp(&err), modes[i].ret);
		assert_int_equal(chmod(top, 0700), 0);
		if (modes[i].ret == 0)
			continue;
		assert_non_null(strstr(err.msg, "can be written to by others, so it is not read"));
		assert_true(pmg_str_has_prefix(err.hint, "chmod go-w "));
	}
	assert_int_equal(chmod(file, 0600), 0);
}

static void what_belongs_to_somebody_else_is_not_read(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(chown(file, 12345, 12345), 0);
	assert_int_equal(slurp(&err), -PMG_E_CONFIG);
	assert_non_null(strstr(err.msg, "belongs to user 12345, so it is not read"));
	assert_int_equal(chown(file, 0, 0), 0);
	assert_int_equal(slurp(&err), 0);
}

static void a_link_is_followed_and_the_folder_of_its_target_counts(void **state)
{
	pmg_autofree char *sub = pmg_path_join(top, "open");
	pmg_autofree char *target = pmg_path_join(sub, "t.yml");
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(mkdir(sub, 0700), 0);
	assert_int_equal(rename(file, target), 0);
	assert_int_equal(symlink("open/t.yml", file), 0);
	assert_int_equal(slurp(&err), 0);
	assert_int_equal(chmod(sub, 0777), 0);
	assert_int_equal(slurp(&err), -PMG_E_CONFIG);
	assert_int_equal(unlink(file), 0);
	assert_int_equal(rename(target, file), 0);
	assert_int_equal(rmdir(sub), 0);
}

static void missing_large_and_odd_files_are_told_apart(void **state)
{
	pmg_autofree char *none = pmg_path_join(top, "none");
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;
	struct pmg_yaml *doc = NULL;
	size_t len = 0;

	(void)state;
	assert_int_equal(pmg_trusted_slurp(none, 100, &text, &len, &err), -PMG_E_NOTFOUND);
	assert_int_equal(pmg_trusted_check(none, &err), -PMG_E_NOTFOUND);
	assert_int_equal(pmg_trusted_slurp(file, 4, &text, &len, &err), -PMG_E_LIMIT);
	assert_int_equal(mkfifo(none, 0600), 0);
	assert_int_equal(pmg_trusted_slurp(none, 100, &text, &len, &err), -PMG_E_CONFIG);
	assert_non_null(strstr(err.msg, "not a regular file"));
	assert_int_equal(unlink(none), 0);
	assert_null(text);
	assert_int_equal(pmg_trusted_yaml(file, &doc, &err), 0);
	assert_string_equal(pmg_yaml_str(doc, "a"), "1");
	pmg_yaml_free(doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_others_could_write_is_not_read),
		cmocka_unit_test(what_belongs_to_somebody_else_is_not_read),
		cmocka_unit_test(a_link_is_followed_and_the_folder_of_its_target_counts),
		cmocka_unit_test(missing_large_and_odd_files_are_told_apart),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
