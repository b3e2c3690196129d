#include "run/links.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/str.h"
#include "tests/helper/folder.h"

static void make(const char *top, const char *name, const char *target, bool hard)
{
	pmg_autofree char *path = pmg_path_join(top, name);
	pmg_autofree char *from = hard ? pmg_path_join(top, target) : pmg_xstrdup(target);

	assert_int_equal(hard ? link(from, path) : symlink(from, path), 0);
}

static void links_that_lead_out_are_found_with_what_they_lead_to(void **state)
{
	static const struct {
		bool hard;
		const char *path, *target;
	} expected[] = {
		{ false, "p/a/deep", "outside" },
		{ false, "p/abs", "/etc" },
		{ false, "p/gone", "not/there" },
		{ true, "p/hard", "secret/key" },
		{ false, "p/node_modules/linked", "outside" },
	};
	pmg_auto(folder) char *top = folder_new();
	pmg_autofree char *project = pmg_path_join(top, "p");
	pmg_auto(links) struct pmg_links links = { 0 };
	size_t i;

	(void)state;
	folder_write(top, "secret/key", "k", 1);
	folder_write(top, "outside/f", "o", 1);
	folder_write(top, "p/a/file", "f", 1);
	folder_write(top, "p/node_modules/x/index.js", "x", 1);
	make(top, "p/a/deep", "../../outside", false);
	make(top, "p/abs", "/etc", false);
	make(top, "p/gone", "../not/there", false);
	make(top, "p/hard", "secret/key", true);
	make(top, "p/node_modules/linked", "../../outside", false);
	/* These stay within it, or are what managers make. */
	make(top, "p/inner", "a/file", false);
	make(top, "p/twice", "p/a/file", true);
	make(top, "store", "p/node_modules/x/index.js", true);
	pmg_links_escaping(project, top, &links);
	assert_int_equal(links.n, PMG_ARRAY_LEN(expected));
	assert_int_equal(links.found, links.n);
	assert_false(links.has_more);
	for (i = 0; i < links.n; i++) {
		pmg_autofree char *path = pmg_path_join(top, expected[i].path);
		pmg_autofree char *target = pmg_path_join(top, expected[i].target);

		assert_string_equal(links.v[i].path, path);
		assert_string_equal(links.v[i].target, target);
		assert_int_equal(links.v[i].is_hard, expected[i].hard);
	}
}

static void what_is_above_the_maximum_is_counted(void **state)
{
	pmg_auto(folder) char *top = folder_new();
	pmg_auto(links) struct pmg_links links = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < PMG_LINKS_MAX + 5; i++) {
		pmg_autofree char *name = pmg_xasprintf("l%zu", i);

		make(top, name, "/etc", false);
	}
	pmg_links_escaping(top, top, &links);
	assert_int_equal(links.n, PMG_LINKS_MAX);
	assert_int_equal(links.found, PMG_LINKS_MAX + 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(links_that_lead_out_are_found_with_what_they_lead_to),
		cmocka_unit_test(what_is_above_the_maximum_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
