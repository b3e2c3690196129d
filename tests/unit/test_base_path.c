#include "base/path.h"

#include <errno.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

static void an_absolute_name_stands_alone_when_joined(void **state)
{
	static const struct {
		const char *dir, *name, *path;
	} rows[] = {
		{ "/a", "b", "/a/b" }, { "/a/", "b", "/a/b" }, { "/", "b", "/b" },
		{ "/a", "/b", "/b" },  { "", "b", "b" },       { "a", "b/c", "a/b/c" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *path = pmg_path_join(rows[i].dir, rows[i].name);

		assert_string_equal(path, rows[i].path);
	}
}

static void a_clean_path_says_the_same_in_fewer_words(void **state)
{
	static const char *const rows[][2] = {
		{ "/", "/" },
		{ "//", "/" },
		{ "/a/b", "/a/b" },
		{ "/a//b/", "/a/b" },
		{ "/a/./b/.", "/a/b" },
		{ "/a/../b", "/b" },
		{ "/a/b/../../..", "/" },
		{ "/..", "/" },
		{ "/../../etc", "/etc" },
		{ "/ws/../.aws/credentials", "/.aws/credentials" },
		{ "/a/...", "/a/..." },
		{ "/a/..b", "/a/..b" },
		{ "", "." },
		{ ".", "." },
		{ "./a", "a" },
		{ "a/../b", "a/../b" }, /* a may be a link: only the kernel knows where .. leads */
		{ "../a/", "../a" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *path = pmg_path_clean(rows[i][0]);

		assert_string_equal(path, rows[i][1]);
	}
}

static void a_neighbour_is_not_below(void **state)
{
	static const struct {
		const char *path, *dir;
		bool under;
	} rows[] = {
		{ "/ws", "/ws", true }, { "/ws/a", "/ws", true },   { "/ws-evil", "/ws", false },
		{ "/w", "/ws", false }, { "/", "/ws", false },      { "/anything", "/", true },
		{ "/", "/", true },     { "relative", "/", false }, { "/ws/a", "/ws/a/b", false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		assert_int_equal(pmg_path_is_under(rows[i].path, rows[i].dir), rows[i].under);
}

static void last_component_and_the_rest(void **state)
{
	static const struct {
		const char *path, *name, *dir;
	} rows[] = {
		{ "/a/b", "b", "/a" }, { "/a", "a", "/" },  { "a", "a", "." },
		{ "/", "", "/" },      { "a/b", "b", "a" }, { "", "", "." },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *dir = pmg_path_dir(rows[i].path);

		assert_string_equal(pmg_path_name(rows[i].path), rows[i].name);
		assert_string_equal(dir, rows[i].dir);
	}
}

static void what_is_not_there_does_not_resolve(void **state)
{
	pmg_autofree char *real = pmg_path_real("/proc/self/../self/.");
	pmg_autofree char *none = NULL;

	(void)state;
	assert_non_null(real);
	errno = 0;
	none = pmg_path_real("/no/such/thing");
	assert_null(none);
	assert_int_equal(errno, ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_absolute_name_stands_alone_when_joined),
		cmocka_unit_test(a_clean_path_says_the_same_in_fewer_words),
		cmocka_unit_test(a_neighbour_is_not_below),
		cmocka_unit_test(last_component_and_the_rest),
		cmocka_unit_test(what_is_not_there_does_not_resolve),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
