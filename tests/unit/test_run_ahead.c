#include "run/ahead.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/path.h"
#include "tests/helper/folder.h"

static bool is_folder(const char *root, const char *name)
{
	pmg_autofree char *path = pmg_path_join(root, name);
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static void make(struct pmg_ahead *ahead, const char *root, const char *name)
{
	pmg_autofree char *path = pmg_path_join(root, name);

	pmg_ahead_make(ahead, path);
}

static void what_stayed_empty_goes_and_what_was_used_or_there_stays(void **state)
{
	pmg_auto(folder) char *root = folder_new();
	struct pmg_ahead ahead = { 0 };

	(void)state;
	folder_write(root, "there/file", "x", 1);
	make(&ahead, root, "a/b/c");
	make(&ahead, root, "used/cache/");
	make(&ahead, root, "there");
	make(&ahead, root, "there/file/below"); /* cannot be: nothing happens */
	assert_true(is_folder(root, "a/b/c"));
	assert_true(is_folder(root, "used/cache"));
	folder_write(root, "used/cache/index", "x", 1);
	pmg_ahead_done(&ahead);
	assert_false(is_folder(root, "a"));
	assert_true(is_folder(root, "used/cache"));
	assert_true(is_folder(root, "there"));
	pmg_ahead_done(&ahead);
}

static void put(struct pmg_ahead *ahead, const char *root, const char *name)
{
	pmg_autofree char *path = pmg_path_join(root, name);

	pmg_ahead_make_file(ahead, path);
}

static bool is_there(const char *root, const char *name)
{
	pmg_autofree char *path = pmg_path_join(root, name);

	return access(path, F_OK) == 0;
}

static void a_file_that_stayed_empty_goes_unless_it_was_there(void **state)
{
	pmg_auto(folder) char *root = folder_new();
	struct pmg_ahead ahead = { 0 }, other = { 0 };

	(void)state;
	folder_write(root, "there", "", 0);
	put(&ahead, root, "there");
	put(&ahead, root, "unused");
	put(&ahead, root, "written");
	put(&ahead, root, "none/file"); /* no folder is made for it: the tool would not either */
	assert_true(is_there(root, "unused"));
	assert_false(is_there(root, "none"));
	folder_write(root, "written", "x", 1);
	pmg_ahead_done(&ahead);
	assert_true(is_there(root, "there"));
	assert_false(is_there(root, "unused"));
	assert_true(is_there(root, "written"));
	/* Another run counts on it too. */
	put(&ahead, root, "shared");
	put(&other, root, "shared");
	pmg_ahead_done(&ahead);
	assert_true(is_there(root, "shared"));
	pmg_ahead_done(&other);
}

static void the_mode_is_that_of_a_tool(void **state)
{
	pmg_auto(folder) char *root = folder_new();
	pmg_auto(ahead) struct pmg_ahead ahead = { 0 };
	pmg_autofree char *path = pmg_path_join(root, "a");
	mode_t old = umask(027);
	struct stat st;

	(void)state;
	pmg_ahead_make(&ahead, path);
	(void)umask(old);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0750);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_stayed_empty_goes_and_what_was_used_or_there_stays),
		cmocka_unit_test(a_file_that_stayed_empty_goes_unless_it_was_there),
		cmocka_unit_test(the_mode_is_that_of_a_tool),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
