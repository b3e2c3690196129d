#include "run/learned.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

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

static char *put(const char *path, const char *lines, int64_t today)
{
	pmg_auto(strv) struct pmg_strv list = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	pmg_strv_split(&list, lines, ",");
	assert_int_equal(pmg_learned_put(path, &list, today, &err), 0);
	return text_of(path);
}

static void of_a_thing_the_last_line_counts_and_old_ones_go(void **state)
{
	static const struct {
		const char *before, *lines;
		int64_t today;
		const char *after;
	} rows[] = {
		{ NULL, "npm a source 1.0.0 -", 1000, "npm a source 1.0.0 - 1000\n" },
		{ NULL, "npm b source 1.0.0 s,npm a source 1.0.1 -,npm b source 1.0.0 n", 1400,
		  "npm a source 1.0.0 - 1000\nnpm b source 1.0.0 s 1400\nnpm a source 1.0.1 - "
		  "1400\n" },
		{ NULL, "npm b source 1.0.0 n", 1401,
		  "npm a source 1.0.1 - 1400\nnpm b source 1.0.0 n 1401\n" },
		{ "npm a source 1.0.1 - 9999\nrubbish\n\nnpm c source 1.0.1 - 1400x\n 7\n"
		  "npm a source 1.0.2 - 1401",
		  "npm b source 1.0.0 n", 1401,
		  "npm a source 1.0.2 - 1401\nnpm b source 1.0.0 n 1401\n" },
	};
	pmg_auto(folder) char *root = folder_new();
	pmg_autofree char *path = pmg_path_join(root, "contents");
	pmg_autofree char *big = pmg_xcalloc(1, PMG_LEARNED_FILE_MAX + 1);
	pmg_autofree char *anew = NULL;
	struct stat st;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *after = NULL;

		if (rows[i].before)
			folder_write(root, "contents", rows[i].before, strlen(rows[i].before));
		after = put(path, rows[i].lines, rows[i].today);
		assert_string_equal(after, rows[i].after);
	}
	memset(big, 'x', PMG_LEARNED_FILE_MAX + 1);
	folder_write(root, "contents", big, PMG_LEARNED_FILE_MAX + 1);
	anew = put(path, "npm a source 1 -", 1);
	assert_string_equal(anew, "npm a source 1 - 1\n");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(new_lines_join_and_known_ones_do_not),
		cmocka_unit_test(the_oldest_lines_go),
		cmocka_unit_test(of_a_thing_the_last_line_counts_and_old_ones_go),
		cmocka_unit_test(a_file_too_large_to_be_ours_is_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
