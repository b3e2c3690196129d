#include "verdict/blocklist.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "../helper/folder.h"
#include "base/str.h"
#include "conf/managed.h"

#define NOW 1796032800 /* 2026-11-30T10:00:00Z */

static void must(int r, const struct pmg_err *err)
{
	if (r < 0)
		fail_msg("%s", err->msg);
}

static struct pmg_purl purl(const char *text)
{
	struct pmg_purl out = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	must(pmg_purl_parse(text, &out, &err), &err);
	return out;
}

static const char sample[] = "schema_version: 1\n"
			     "block:\n"
			     "  - {purl: \"pkg:npm/left-pad@v1.0.0\", reason: \"why: not\"}\n"
			     "  - purl: pkg:pypi/Some.Name\n"
			     "    created: 2026-11-29T10:00:00Z\n"
			     "  - purl: pkg:npm/%40a/b@1.0.0\n"
			     "  - purl: pkg:npm/%40a/b\n"
			     "  - purl: pkg:pypi/x@v_05\n";

static const struct {
	enum pmg_eco eco;
	const char *name, *version, *text; /* text: of the entry that is found */
} finds[] = {
	{ PMG_ECO_NPM, "left-pad", "1.0.0", "pkg:npm/left-pad@v1.0.0" },
	{ PMG_ECO_NPM, "left-pad", "1.0.1", NULL },
	{ PMG_ECO_NPM, "left-pad", NULL, NULL },
	{ PMG_ECO_PYPI, "left-pad", "1.0.0", NULL },
	{ PMG_ECO_PYPI, "some-name", "7", "pkg:pypi/Some.Name" },
	{ PMG_ECO_PYPI, "some-name", NULL, "pkg:pypi/Some.Name" },
	{ PMG_ECO_NPM, "@a/b", "1.0.0", "pkg:npm/%40a/b" },
	{ PMG_ECO_NPM, "@a/b", "2.0.0", "pkg:npm/%40a/b" },
	{ PMG_ECO_NPM, "@a/bc", "2.0.0", NULL },
	{ PMG_ECO_PYPI, "x", "v_05", "pkg:pypi/x@v_05" },
	{ PMG_ECO_PYPI, "x", "5", NULL },
};

static void entries_are_found(void **state)
{
	pmg_auto(folder) char *dir = folder_new();
	pmg_autofree char *path = pmg_path_join(dir, "blocklist.yml");
	pmg_auto(blocklist) struct pmg_blocklist list = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	const struct pmg_block *block;
	size_t i;

	(void)state;
	folder_write(dir, "blocklist.yml", sample, strlen(sample));
	must(pmg_blocklist_load(path, &list, &err), &err);
	assert_int_equal(list.n, 5);
	assert_string_equal(list.v[0].reason, "why: not");
	assert_string_equal(list.v[1].created, "2026-11-29T10:00:00Z");
	for (i = 0; i < PMG_ARRAY_LEN(finds); i++) {
		block = pmg_blocklist_find(&list, finds[i].eco, finds[i].name, finds[i].version);
		if (!pmg_streq(block ? block->text : NULL, finds[i].text))
			fail_msg("%s@%s: %s", finds[i].name, finds[i].version,
				 block ? block->text : "none");
	}
}

static void no_file_is_an_empty_list(void **state)
{
	pmg_auto(blocklist) struct pmg_blocklist list = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_blocklist_load("/nowhere/blocklist.yml", &list, &err), 0);
	assert_int_equal(list.n, 0);
	assert_null(pmg_blocklist_find(&list, PMG_ECO_NPM, "x", "1.0.0"));
}

static const struct {
	const char *text, *why;
} wrong[] = {
	{ "", "schema_version" },
	{ "block: []\n", "schema_version" },
	{ "schema_version: 2\n", ":1:" },
	{ "schema_version: 0\n", ":1:17: \"schema_version\" must be 1" },
	{ "schema_version: 1\nblcok: []\n", ":2:1: " },
	{ "schema_version: 1\nblock: {}\n", ":2:8: " },
	{ "schema_version: 1\nblock:\n  - reason: x\n", ":3:" },
	{ "schema_version: 1\nblock:\n  - pkg:npm/x\n", ":3:5: " },
	{ "schema_version: 1\nblock:\n  - purl: left-pad\n", ":3:11: package URL \"left-pad\"" },
	{ "schema_version: 1\nblock:\n  - purl: \"pkg:npm/left-pad@^1\"\n",
	  ":3:11: \"^1\" is not one exact npm version" },
	{ "schema_version: 1\nblock:\n  - {reason: x, purl: \"pkg:pypi/x@1.*\"}\n",
	  ":3:23: \"1.*\" is not one exact pypi version" },
	{ "schema_version: 1\nblock:\n  - purl: [a]\n", ":3:11: " },
	{ "schema_version: 1\nblock:\n  - {purl: \"pkg:npm/x\", created: soon}\n",
	  "must be a date" },
	{ "schema_version: 1\nblock:\n  - {purl: \"pkg:npm/x\", until: soon}\n", "until" },
	{ "schema_version: 1\nblock: *x\n", ":2:8: " },
};

static void a_list_that_cannot_be_read_is_an_error_never_empty(void **state)
{
	pmg_auto(folder) char *dir = folder_new();
	pmg_autofree char *path = pmg_path_join(dir, "blocklist.yml");
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(wrong); i++) {
		pmg_auto(blocklist) struct pmg_blocklist list = { 0 };
		struct pmg_err err = PMG_ERR_INIT;

		folder_write(dir, "blocklist.yml", wrong[i].text, strlen(wrong[i].text));
		assert_int_equal(pmg_blocklist_load(path, &list, &err), -PMG_E_CONFIG);
		if (!strstr(err.msg, path) || !strstr(err.msg, wrong[i].why))
			fail_msg("%s", err.msg);
		assert_int_equal(list.n, 0);
	}
}

static void adding_keeps_what_is_there(void **state)
{
	pmg_auto(folder) char *dir = folder_new();
	pmg_autofree char *path = pmg_path_join(dir, "blocklist.yml");
	pmg_auto(blocklist) struct pmg_blocklist list = { 0 };
	pmg_auto(purl) struct pmg_purl new = purl("pkg:npm/@x/y@2.0.0");
	struct pmg_err err = PMG_ERR_INIT;
	const struct pmg_block *block;
	struct stat st;

	(void)state;
	folder_write(dir, "blocklist.yml", sample, strlen(sample));
	assert_int_equal(pmg_blocklist_add(path, &new, "say \"no\"\n# twice: \xc3\xa9", NOW, &err),
			 1);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	must(pmg_blocklist_load(path, &list, &err), &err);
	assert_int_equal(list.n, 6);
	assert_string_equal(list.v[0].text, "pkg:npm/left-pad@v1.0.0");
	assert_string_equal(list.v[0].reason, "why: not");
	assert_string_equal(list.v[1].text, "pkg:pypi/Some.Name");
	assert_string_equal(list.v[1].created, "2026-11-29T10:00:00Z");
	block = pmg_blocklist_find(&list, PMG_ECO_NPM, "@x/y", "2.0.0");
	assert_non_null(block);
	assert_string_equal(block->text, "pkg:npm/%40x/y@2.0.0");
	assert_string_equal(block->reason, "say \"no\"\n# twice: \xc3\xa9");
	assert_string_equal(block->created, "2026-11-30T10:00:00Z");
}

static void adding_twice_changes_the_reason_alone(void **state)
{
	pmg_auto(folder) char *dir = folder_new();
	pmg_autofree char *path = pmg_path_join(dir, "new/sub/blocklist.yml");
	pmg_auto(blocklist) struct pmg_blocklist list = { 0 };
	pmg_auto(purl) struct pmg_purl one = purl("pkg:pypi/A_b@1.0");
	pmg_auto(purl) struct pmg_purl same = purl("pkg:pypi/a-b@1.0.0");
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_blocklist_add(path, &one, NULL, NOW, &err), 1);
	assert_int_equal(pmg_blocklist_add(path, &same, "first", NOW + 1, &err), 2);
	assert_int_equal(pmg_blocklist_add(path, &same, "first", NOW + 1, &err), 0);
	assert_int_equal(pmg_blocklist_add(path, &one, NULL, NOW + 2, &err), 0);
	must(pmg_blocklist_load(path, &list, &err), &err);
	assert_int_equal(list.n, 1);
	assert_string_equal(list.v[0].text, "pkg:pypi/a-b@1.0");
	assert_string_equal(list.v[0].reason, "first");
	assert_string_equal(list.v[0].created, "2026-11-30T10:00:00Z");
}

static void removing_takes_exactly_that_entry(void **state)
{
	static const struct {
		const char *purl;
		int removed;
		size_t left;
	} rows[] = {
		{ "pkg:npm/nope", 0, 5 },           { "pkg:npm/left-pad", 0, 5 },
		{ "pkg:npm/%40a/b", 1, 4 },         { "pkg:npm/%40a/b", 0, 4 },
		{ "pkg:npm/left-pad@1.0.0", 1, 3 }, { "pkg:pypi/some_name", 1, 2 },
		{ "pkg:pypi/x@v_05", 1, 1 },        { "pkg:npm/@a/b@1.0.0", 1, 0 },
	};
	pmg_auto(folder) char *dir = folder_new();
	pmg_autofree char *path = pmg_path_join(dir, "blocklist.yml");
	size_t i;

	(void)state;
	folder_write(dir, "blocklist.yml", sample, strlen(sample));
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(blocklist) struct pmg_blocklist list = { 0 };
		pmg_auto(purl) struct pmg_purl p = purl(rows[i].purl);
		struct pmg_err err = PMG_ERR_INIT;

		assert_int_equal(pmg_blocklist_remove(path, &p, &err), rows[i].removed);
		must(pmg_blocklist_load(path, &list, &err), &err);
		assert_int_equal(list.n, rows[i].left);
	}
}

static void a_broken_list_is_not_overwritten(void **state)
{
	static const char broken[] = "schema_version: 1\nblock:\n  - purl: nonsense\n";
	pmg_auto(folder) char *dir = folder_new();
	pmg_autofree char *path = pmg_path_join(dir, "blocklist.yml");
	pmg_autofree char *text = NULL;
	pmg_auto(purl) struct pmg_purl p = purl("pkg:npm/x");
	struct pmg_err err = PMG_ERR_INIT;
	size_t len = 0;

	(void)state;
	folder_write(dir, "blocklist.yml", broken, strlen(broken));
	assert_int_equal(pmg_blocklist_add(path, &p, NULL, NOW, &err), -PMG_E_CONFIG);
	assert_int_equal(pmg_blocklist_remove(path, &p, &err), -PMG_E_CONFIG);
	must(pmg_io_slurp(path, 1000, &text, &len, &err), &err);
	assert_string_equal(text, broken);
}

static void a_reason_has_a_limit(void **state)
{
	pmg_auto(folder) char *dir = folder_new();
	pmg_autofree char *path = pmg_path_join(dir, "blocklist.yml");
	pmg_auto(purl) struct pmg_purl p = purl("pkg:npm/x");
	char reason[PMG_BLOCKLIST_REASON_MAX + 2];
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	memset(reason, 'r', sizeof reason - 1);
	reason[sizeof reason - 1] = '\0';
	assert_int_equal(pmg_blocklist_add(path, &p, reason, NOW, &err), -PMG_E_LIMIT);
	assert_int_not_equal(access(path, F_OK), 0);
	assert_int_equal(pmg_blocklist_add(path, &p, reason + 1, NOW, &err), 1);
}

static void commands_at_the_same_time_lose_nothing(void **state)
{
	pmg_auto(folder) char *dir = folder_new();
	pmg_autofree char *path = pmg_path_join(dir, "blocklist.yml");
	pmg_auto(blocklist) struct pmg_blocklist list = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	pid_t pids[6];
	size_t i;
	int status;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(pids); i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			pmg_autofree char *text = pmg_xasprintf("pkg:npm/p%zu", i);
			pmg_auto(purl) struct pmg_purl p = purl(text);

			_exit(pmg_blocklist_add(path, &p, NULL, NOW, &err) == 1 ? 0 : 1);
		}
	}
	for (i = 0; i < PMG_ARRAY_LEN(pids); i++) {
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
	must(pmg_blocklist_load(path, &list, &err), &err);
	assert_int_equal(list.n, PMG_ARRAY_LEN(pids));
}

static void managed_policy_has_a_list_of_its_own(void **state)
{
	static const char text[] = "schema_version: 1\nblock:\n  - pkg:npm/left-pad\n"
				   "  - 'pkg:pypi/Some.Name@v1.0'\n";
	pmg_auto(managed) struct pmg_managed managed = { 0 };
	pmg_auto(blocklist) struct pmg_blocklist list = { 0 };
	const struct pmg_block *block;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_managed_parse("/m.yml", text, strlen(text), &managed, &err), 0);
	assert_int_equal(pmg_blocklist_managed(&managed, &list, &err), 0);
	assert_int_equal(list.n, 2);
	block = pmg_blocklist_find(&list, PMG_ECO_NPM, "left-pad", "9.9.9");
	assert_non_null(block);
	assert_string_equal(block->text, "pkg:npm/left-pad");
	assert_string_equal(block->reason, "/m.yml:3");
	assert_non_null(pmg_blocklist_find(&list, PMG_ECO_PYPI, "some-name", "1"));
	assert_null(pmg_blocklist_find(&list, PMG_ECO_PYPI, "some-name", "2"));
}

static void what_is_no_package_url_is_an_error_and_no_shorter_list(void **state)
{
	static const char text[] = "schema_version: 1\nblock: ['pkg:npm/a', left-pad]\n";
	pmg_auto(managed) struct pmg_managed managed = { 0 };
	struct pmg_blocklist list = { .n = 7 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_managed_parse("/m.yml", text, strlen(text), &managed, &err), 0);
	assert_int_equal(pmg_blocklist_managed(&managed, &list, &err), -PMG_E_CONFIG);
	assert_int_equal(err.diag, 1001);
	assert_non_null(strstr(err.msg, "managed policy: /m.yml:2:22: "));
	assert_int_equal(list.n, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_are_found),
		cmocka_unit_test(no_file_is_an_empty_list),
		cmocka_unit_test(a_list_that_cannot_be_read_is_an_error_never_empty),
		cmocka_unit_test(adding_keeps_what_is_there),
		cmocka_unit_test(adding_twice_changes_the_reason_alone),
		cmocka_unit_test(removing_takes_exactly_that_entry),
		cmocka_unit_test(a_broken_list_is_not_overwritten),
		cmocka_unit_test(a_reason_has_a_limit),
		cmocka_unit_test(commands_at_the_same_time_lose_nothing),
		cmocka_unit_test(managed_policy_has_a_list_of_its_own),
		cmocka_unit_test(what_is_no_package_url_is_an_error_and_no_shorter_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
