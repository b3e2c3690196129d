#include "conf/trusted.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
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
	assert_int_equal(chmod(sub, 0700), 0);
	/* Where the link lies it can be replaced as well. */
	assert_int_equal(chmod(top, 0777), 0);
	assert_int_equal(slurp(&err), -PMG_E_CONFIG);
	assert_int_equal(chmod(top, 0700), 0);
	assert_int_equal(unlink(file), 0);
	assert_int_equal(rename(target, file), 0);
	assert_int_equal(rmdir(sub), 0);
}

#define ROOT "/mnt/etc/pmg"

/* A tree whose every folder is root's, in a mount namespace of this program's own. */
static bool make_root(void)
{
	struct pmg_err err = PMG_ERR_INIT;

	if (geteuid() != 0 || unshare(CLONE_NEWNS) < 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("none", "/mnt", "tmpfs", 0, "mode=755") < 0)
		return false;
	assert_int_equal(pmg_io_mkdirs(ROOT, 0755, &err), 0);
	assert_int_equal(pmg_io_replace(ROOT "/f.yml", "a: 1\n", 5, 0644, &err), 0);
	return true;
}

static const struct {
	const char *path;
	mode_t mode;
	uid_t owner;
	const char *says; /* NULL: believed */
} roots[] = {
	{ ROOT "/f.yml", 0644, 0, NULL },
	{ ROOT "/f.yml", 0600, 0, NULL },
	{ ROOT "/f.yml", 0664, 0, "f.yml can be written to by others than root" },
	{ ROOT "/f.yml", 0646, 0, "f.yml can be written to by others than root" },
	{ ROOT "/f.yml", 0644, 12345, "f.yml belongs to user 12345 and not to root" },
	{ ROOT, 0775, 0, "/mnt/etc/pmg can be written to by others than root" },
	{ ROOT, 01777, 0, "/mnt/etc/pmg can be written to by others than root" },
	{ ROOT, 0755, 12345, "/mnt/etc/pmg belongs to user 12345" },
	{ "/mnt/etc", 0777, 0, "/mnt/etc can be written to by others than root" },
	{ "/mnt/etc", 0755, 12345, "/mnt/etc belongs to user 12345" },
	{ "/mnt", 0757, 0, "/mnt can be written to by others than root" },
};

static void what_root_decides_is_roots_up_to_the_top(void **state)
{
	size_t i;

	(void)state;
	if (!make_root())
		skip();
	for (i = 0; i < PMG_ARRAY_LEN(roots); i++) {
		struct pmg_err err = PMG_ERR_INIT;
		struct stat was;

		assert_int_equal(stat(roots[i].path, &was), 0);
		assert_int_equal(chown(roots[i].path, roots[i].owner, 0), 0);
		assert_int_equal(chmod(roots[i].path, roots[i].mode), 0);
		assert_int_equal(pmg_trusted_root_check(ROOT "/f.yml", &err),
				 roots[i].says ? -PMG_E_CONFIG : 0);
		if (roots[i].says)
			assert_non_null(strstr(err.msg, roots[i].says));
		/* Nothing to believe: nobody is told of folders. */
		assert_int_equal(pmg_trusted_root_check(ROOT "/none.yml", &err), -PMG_E_NOTFOUND);
		assert_int_equal(chown(roots[i].path, was.st_uid, was.st_gid), 0);
		assert_int_equal(chmod(roots[i].path, was.st_mode & 07777), 0);
	}
}

static void what_root_decides_is_no_link_and_no_odd_file(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;
	size_t len = 0;

	(void)state;
	if (!make_root())
		skip();
	assert_int_equal(pmg_trusted_root_slurp(ROOT "/f.yml", 100, &text, &len, &err), 0);
	assert_string_equal(text, "a: 1\n");
	assert_int_equal(symlink("f.yml", ROOT "/link"), 0);
	assert_int_equal(symlink("nowhere", ROOT "/dangling"), 0);
	assert_int_equal(symlink("pmg", "/mnt/etc/other"), 0);
	assert_int_equal(mkfifo(ROOT "/fifo", 0600), 0);
	assert_int_equal(pmg_trusted_root_check(ROOT "/link", &err), -PMG_E_CONFIG);
	/* Else it would read as "there is none". */
	assert_int_equal(pmg_trusted_root_check(ROOT "/dangling", &err), -PMG_E_CONFIG);
	assert_int_equal(pmg_trusted_root_check("/mnt/etc/other/f.yml", &err), -PMG_E_CONFIG);
	assert_int_equal(pmg_trusted_root_check(ROOT "/fifo", &err), -PMG_E_CONFIG);
	assert_int_equal(pmg_trusted_root_check(ROOT "/f.yml/x", &err), -PMG_E_CONFIG);
	assert_int_equal(pmg_trusted_root_check("/mnt/none/f.yml", &err), -PMG_E_NOTFOUND);
}

static void a_users_own_file_is_not_what_root_decides(void **state)
{
	pmg_autofree char *real = pmg_path_real(file);
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	if (geteuid() == 0)
		assert_int_equal(chown(file, 12345, 12345), 0);
	assert_int_equal(pmg_trusted_root_check(real, &err), -PMG_E_CONFIG);
	assert_non_null(strstr(err.msg, "so it is not believed"));
	if (geteuid() == 0)
		assert_int_equal(chown(file, 0, 0), 0);
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
		cmocka_unit_test(a_users_own_file_is_not_what_root_decides),
		cmocka_unit_test(what_root_decides_is_roots_up_to_the_top),
		cmocka_unit_test(what_root_decides_is_no_link_and_no_odd_file),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
