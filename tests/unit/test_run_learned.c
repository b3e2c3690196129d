#include "run/learned.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/io.h"
#include "base/path.h"
#include "tests/helper/folder.h"

static void add(const char *path, const char *line)
{
	pmg_auto(strv) struct pmg_strv lines = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	pmg_strv_add(&lines, line);
	assert_int_equal(pmg_learned_add(path, &lines, PMG_LEARNED_LINES_MAX, &err), 0);
}

static char *text_of(const char *path)
{
	struct pmg_err err = PMG_ERR_INIT;
	char *text = NULL;
	size_t len;

	assert_int_equal(pmg_io_slurp(path, 1U << 20, &text, &len, &err), 0);
	return text;
}

static void new_lines_join_and_known_ones_do_not(void **state)
{
	pmg_auto(folder) char *root = folder_new();
	pmg_autofree char *path = pmg_path_join(root, "cache/pmg/artifact-hosts");
	pmg_auto(strv) struct pmg_strv none = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;

	(void)state;
	assert_int_equal(pmg_learned_add(path, &none, PMG_LEARNED_LINES_MAX, &err), 0);
	assert_int_equal(access(path, F_OK), -1);
	add(path, "npm http://registry.test/ a.test:443");
	add(path, "npm http://registry.test/ b.test:443");
	add(path, "npm http://registry.test/ a.test:443");
	add(path, "two\nlines");
	text = text_of(path);
	assert_string_equal(text, "npm http://registry.test/ a.test:443\n"
				  "npm http://registry.test/ b.test:443\n");
}

static void the_oldest_lines_go(void **state)
{
	pmg_auto(folder) char *root = folder_new();
	pmg_autofree char *path = pmg_path_join(root, "artifact-hosts");
	pmg_auto(strv) struct pmg_strv lines = { 0 };
	pmg_autofree char *text = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	unsigned i;

	(void)state;
	for (i = 0; i < PMG_LEARNED_LINES_MAX + 1; i++)
		pmg_strv_addf(&lines, "line %u", i);
	assert_int_equal(pmg_learned_add(path, &lines, PMG_LEARNED_LINES_MAX, &err), 0);
	text = text_of(path);
	assert_memory_equal(text, "line 1\nline 2\n", 14);
}

static void a_file_too_large_to_be_ours_is_left_alone(void **state)
{
	pmg_auto(folder) char *root = folder_new();
	pmg_autofree char *path = pmg_path_join(root, "artifact-hosts");
	pmg_autofree char *big = pmg_xcalloc(1, PMG_LEARNED_FILE_MAX + 1);
	pmg_auto(strv) struct pmg_strv lines = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	memset(big, 'x', PMG_LEARNED_FILE_MAX + 1);
	folder_write(root, "artifact-hosts", big, PMG_LEARNED_FILE_MAX + 1);
	pmg_strv_add(&lines, "a");
	assert_int_equal(pmg_learned_add(path, &lines, PMG_LEARNED_LINES_MAX, &err), -PMG_E_LIMIT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(new_lines_join_and_known_ones_do_not),
		cmocka_unit_test(the_oldest_lines_go),
		cmocka_unit_test(a_file_too_large_to_be_ours_is_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
