#include "verdict/lists.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "base/strv.h"
#include "pm/version.h"

static int on_record(void *arg, const struct pmg_osv *record, const char *text, struct pmg_err *err)
{
	const struct pmg_osv_affected *a = record->affected;
	pmg_autofree char *versions = pmg_strv_join(&a->versions, " ", 1000);

	(void)err;
	assert_int_equal(record->n_affected, 1);
	assert_true(record->malware);
	assert_int_equal(a->n_intervals, a->versions.n == 0);
	assert_string_equal(text, versions);
	pmg_strv_addf(arg, "%s %s %s [%s]%s%s", record->id, pmg_eco_name(a->eco), a->name, versions,
		      record->note ? " " : "", record->note ? record->note : "");
	return 0;
}

static void on_unread(void *arg, const char *place, const char *why)
{
	pmg_strv_addf(arg, "unread %s: %s", place, why);
}

static void on_harmless(void *arg)
{
	pmg_strv_add(arg, "harmless");
}

static int read_list(const char *path, const char *text, const enum pmg_eco *eco,
		     struct pmg_strv *told, struct pmg_err *err)
{
	const struct pmg_list_want want = { path, "team", eco };
	const struct pmg_list_sink sink = { on_record, on_unread, on_harmless, NULL, told };

	return pmg_list_read(&want, text, strlen(text), &sink, err);
}

#define A(name, version, reason)                                                                   \
	"{\"package_name\":\"" name "\",\"version\":\"" version "\",\"reason\":\"" reason "\"}"

static const struct {
	const char *path, *text;
	const char *told[6];
} lists[] = {
	{ "/x/malware_npm.json",
	  "[" A("@a\\/b", "*", "MALWARE") "," A("x", "v1.0.0+b", "malware") "," A(
		  "y", "1.0.0", "TELEMETRY") "," A("y", "1.0.0", "PROTESTWARE") "," A("z", "odd",
										      "NEW") "]",
	  { "aikido:npm/@a/b npm @a/b []", "aikido:npm/x@v1.0.0+b npm x [1.0.0]", "harmless",
	    "harmless", "aikido:npm/z@odd npm z [odd]" } },
	{ "malware_pypi.json",
	  "\xef\xbb\xbf\n[" A("Foo_Bar", "1.0", "MALWARE") ",{\"package_name\":\"x\"},7," A(
		  "", "1", "MALWARE") "," A("x", "", "MALWARE") "]",
	  { "aikido:pypi/foo-bar@1.0 pypi foo-bar [1]", "unread [1]: no version",
	    "unread [2]: no package_name", "unread [3]: a package has no name",
	    "unread [4]: a version is empty" } },
	{ "samples/pypi/manifest.json",
	  "{\"A.b\":null,\"x\":[\"1.0\",\"2\"],\"y\":[]}",
	  { "datadog:pypi/a-b pypi a-b []", "datadog:pypi/x pypi x [1 2]",
	    "unread y: names no version" } },
	{ "team.yml",
	  "schema_version: 1\nblock:\n"
	  "  - purl: \"pkg:npm/left-pad@1.3.0\"\n    reason: \"we use our own\"\n"
	  "  - {purl: \"pkg:pypi/Some_Name\", created: 2026-11-29T10:00:00Z}\n",
	  { "team:npm/left-pad@1.3.0 npm left-pad [1.3.0] we use our own",
	    "team:pypi/some-name pypi some-name []" } },
	{ "team.yml",
	  "schema_version: 1\nblock:\n"
	  "  - {purl: \"pkg:npm/x@^1\"}\n  - {purl: \"pkg:npm/x@odd\"}\n",
	  { "unread pkg:npm/x@^1: a range, not one exact version", "team:npm/x@odd npm x [odd]" } },
	{ "npm.json",
	  "[" A("x", "1.x", "MALWARE") "]",
	  { "unread [0]: a range, not one exact version" } },
	{ "team.json",
	  "{\"schema_version\": 1, \"block\": [{\"purl\": \"pkg:npm/x\"}]}",
	  { "team:npm/x npm x []" } },
};

static void entries_become_records_with_ids_that_say_where_from(void **state)
{
	size_t i, k;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(lists); i++) {
		pmg_auto(strv) struct pmg_strv told = { 0 };
		struct pmg_err err = PMG_ERR_INIT;

		if (read_list(lists[i].path, lists[i].text, NULL, &told, &err) != 1)
			fail_msg("%s: %s", lists[i].path, err.msg);
		for (k = 0; lists[i].told[k]; k++)
			if (k >= told.n || !pmg_streq(told.v[k], lists[i].told[k]))
				fail_msg("%s: %s, not %s", lists[i].path,
					 k < told.n ? told.v[k] : "nothing", lists[i].told[k]);
		assert_int_equal(told.n, k);
	}
}

static const char *const records[] = {
	"{\"id\":\"MAL-1\",\"schema_version\":\"1.7\",\"affected\":[]}",
	"{}",
	"{\"x\":1}",
	"{\"x\":null,\"y\":{}}",
	"{\"x\":[1]}",
	"{\"x\":null,\"x\":null}",
	"{",
	"",
};

static void what_is_no_list_is_left_to_others(void **state)
{
	static const enum pmg_eco npm = PMG_ECO_NPM;
	pmg_auto(strv) struct pmg_strv told = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(records); i++)
		if (read_list("npm.json", records[i], &npm, &told, &err) != 0)
			fail_msg("%s", records[i]);
	assert_int_equal(read_list("npm", "\xff\xfe bytes", &npm, &told, &err), 0);
	assert_int_equal(told.n, 0);
}

static const struct {
	const char *path, *text;
	int r;
	const char *msg, *hint;
} wrong[] = {
	{ "list.json", "[" A("x", "1", "MALWARE") "]", -PMG_E_USAGE, "of which ecosystem",
	  "--ecosystem" },
	{ "npm-and-pypi.json", "{\"x\":null}", -PMG_E_USAGE, "of which ecosystem", "--ecosystem" },
	{ "/npm/deep/snpm.json", "{\"x\":null}", -PMG_E_USAGE, "of which ecosystem",
	  "--ecosystem" },
	{ "npm.json", "[]", -PMG_E_PARSE, "an empty list", "package_name" },
	{ "npm.json", "[1]", -PMG_E_PARSE, "not of packages", "package_name" },
	{ "npm.json", "[{\"package_name\":\"x\",\"package_name\":\"y\"}]", -PMG_E_PARSE,
	  "npm.json: [0]:1:", "" },
	{ "t.yml", "block:\n  - {purl: \"pkg:npm/x\"}\n", -PMG_E_CONFIG, "schema_version", "" },
	{ "t.yml", "schema_version: 1\nblock:\n  - {purl: \"pkg:gem/x\"}\n", -PMG_E_CONFIG,
	  "t.yml:3:12: ", "" },
	{ "t.yml", "schema_version: 1\nblock:\n  - {purl: \"pkg:npm/x\", why: y}\n", -PMG_E_CONFIG,
	  "t.yml:3:25: ", "" },
	{ "notes.txt", "just some text\n", -PMG_E_CONFIG, "notes.txt:1:1: ", "schema_version: 1" },
	{ "t.json", "{\"schema_version\": 1, \"block\": [{\"purl\": \"x\"}]}", -PMG_E_CONFIG,
	  "t.json:1:42: ", "" },
};

static void a_list_that_is_wrong_says_where(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(wrong); i++) {
		pmg_auto(strv) struct pmg_strv told = { 0 };
		struct pmg_err err = PMG_ERR_INIT;
		int r = read_list(wrong[i].path, wrong[i].text, NULL, &told, &err);

		if (r != wrong[i].r || !strstr(err.msg, wrong[i].msg) ||
		    !strstr(err.hint, wrong[i].hint))
			fail_msg("%s: %d %s (%s)", wrong[i].text, r, err.msg, err.hint);
		assert_int_equal(told.n, 0);
	}
}

/* It is read item by item: what came before was told, and nothing is made of it. */
static void a_list_that_goes_wrong_later_is_an_error_too(void **state)
{
	pmg_autofree char *blanks = pmg_xcalloc(1, PMG_LIST_ITEM_MAX + 1);
	pmg_autofree char *large = NULL;
	size_t i;

	(void)state;
	memset(blanks, ' ', PMG_LIST_ITEM_MAX);
	large = pmg_xasprintf("[%s,{%s}]", A("x", "1.0.0", "MALWARE"), blanks);
	{
		const struct {
			const char *text, *msg;
			int r;
		} rows[] = {
			{ "[" A("x", "1.0.0", "MALWARE") "] []", "behind the end", -PMG_E_PARSE },
			{ "[" A("x", "1.0.0", "MALWARE") ",{", "has no end", -PMG_E_PARSE },
			{ "[" A("x", "1.0.0", "MALWARE") ",tru]",
			  "npm.json: [1]:1:", -PMG_E_PARSE },
			{ large, "npm.json: [1]: larger than 8388608 bytes", -PMG_E_LIMIT },
		};

		for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
			pmg_auto(strv) struct pmg_strv told = { 0 };
			struct pmg_err err = PMG_ERR_INIT;

			assert_int_equal(read_list("npm.json", rows[i].text, NULL, &told, &err),
					 rows[i].r);
			if (!strstr(err.msg, rows[i].msg))
				fail_msg("%s", err.msg);
			assert_int_equal(told.n, 1);
		}
	}
}

static void a_name_that_is_too_long_for_an_id_has_one_all_the_same(void **state)
{
	pmg_auto(strv) struct pmg_strv told = { 0 };
	pmg_autofree char *text = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	char name[151], gone[PMG_NAME_MAX + 2];

	(void)state;
	memset(name, 'n', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	memset(gone, 'n', sizeof gone - 1);
	gone[sizeof gone - 1] = '\0';
	text = pmg_xasprintf("{\"%s\":null,\"%sx\":null,\"%s\":null}", name, name, gone);
	assert_int_equal(read_list("npm.json", text, NULL, &told, &err), 1);
	assert_int_equal(told.n, 3);
	assert_int_equal(strcspn(told.v[0], " "), strlen("datadog:npm/") + 32);
	assert_memory_not_equal(told.v[0], told.v[1], strlen("datadog:npm/") + 32);
	assert_non_null(strstr(told.v[2], "its name is too long"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_become_records_with_ids_that_say_where_from),
		cmocka_unit_test(what_is_no_list_is_left_to_others),
		cmocka_unit_test(a_list_that_is_wrong_says_where),
		cmocka_unit_test(a_list_that_goes_wrong_later_is_an_error_too),
		cmocka_unit_test(a_name_that_is_too_long_for_an_id_has_one_all_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
