#include "conf/overrides.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/io.h"
#include "base/str.h"
#include "tests/helper/folder.h"

#define V1 "schema_version: 1\n"

static char *top, *file, *config_file;

static int setup(void **state)
{
	(void)state;
	top = folder_new();
	file = pmg_path_join(top, PMG_OVERRIDES_FILE);
	config_file = pmg_path_join(top, "config.yml");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(file);
	free(config_file);
	folder_free(top);
	return 0;
}

static const struct pmg_override entry = {
	.ecosystem = "npm",
	.name = "@acme/x",
	.version = "1.0.0",
	.id = "MAL-1",
	.reason = "a \"feed\" error: {x} # \\ \xf0\x9f\x98\x80\ttab",
	.expires = 1780000000,
};

static void what_is_written_is_read_with_the_configuration(void **state)
{
	pmg_auto(config) struct pmg_config config = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	static const char own[] = V1 "intel: {overrides: [{ecosystem: pypi, name: y, version: '2', "
				     "id: M, reason: r}]}\n";
	struct pmg_override next = entry;
	const struct pmg_packages_list *list = &config.packages.overrides;
	pmg_autofree char *where = pmg_xasprintf("%s:5", file);

	(void)state;
	next.id = "MAL-2";
	next.expires = 0;
	assert_int_equal(pmg_overrides_add(file, &entry, &err), 1);
	assert_int_equal(pmg_overrides_add(file, &entry, &err), 0);
	assert_int_equal(pmg_overrides_add(file, &next, &err), 1);
	folder_write(top, "config.yml", own, strlen(own));
	assert_int_equal(pmg_config_load(config_file, &config, &err), 0);
	assert_int_equal(list->n, 3);
	assert_string_equal(list->v[0].purl, "pkg:pypi/y@2");
	assert_string_equal(list->v[1].purl, "pkg:npm/@acme/x@1.0.0");
	assert_string_equal(list->v[1].id, "MAL-1");
	assert_string_equal(list->v[1].reason, entry.reason);
	assert_string_equal(list->v[1].where, where);
	assert_int_equal(list->v[1].expires, 1780000000);
	assert_string_equal(list->v[2].id, "MAL-2");
	assert_int_equal(list->v[2].expires, 0);
}

static void what_a_person_wrote_stays(void **state)
{
	static const char mine[] = "# mine\n" V1 "overrides:\n"
				   "  - ecosystem: npm # theirs is wrong\n"
				   "    name: x\n"
				   "    version: 1.0.0\n"
				   "    id: MAL-9\n"
				   "    reason: looked at"; /* no new line at the end */
	pmg_autofree char *text = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	size_t len;

	(void)state;
	folder_write(top, PMG_OVERRIDES_FILE, mine, strlen(mine));
	assert_int_equal(pmg_overrides_add(file, &entry, &err), 1);
	assert_int_equal(pmg_io_slurp(file, 65536, &text, &len, &err), 0);
	assert_memory_equal(text, mine, strlen(mine));
	assert_true(pmg_str_has_prefix(text + strlen(mine), "\n  - {ecosystem: npm, name: "));
}

static void where_nothing_can_be_written_behind_nothing_is_written(void **state)
{
	static const char *const texts[] = {
		V1 "overrides: []\n",
		"overrides: [{ecosystem: npm, name: x, version: 1.0.0, id: M, reason: r}]\n" V1,
		"overrides:\n" V1,
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(texts); i++) {
		pmg_autofree char *text = NULL;
		struct pmg_err err = PMG_ERR_INIT;
		size_t len;

		folder_write(top, PMG_OVERRIDES_FILE, texts[i], strlen(texts[i]));
		assert_int_equal(pmg_overrides_add(file, &entry, &err), -PMG_E_CONFIG);
		assert_int_equal(pmg_io_slurp(file, 65536, &text, &len, &err), 0);
		assert_string_equal(text, texts[i]);
	}
}

#define ONE(id)                                                                                    \
	"  - {ecosystem: npm, name: \"@acme/x\", version: \"1.0.0\", id: \"" id                    \
	"\", reason: \"r\"}\n"
#define OTHER                                                                                      \
	"  - ecosystem: npm # of another\n"                                                        \
	"    name: y\n"                                                                            \
	"    version: 1.0.0\n"                                                                     \
	"    id: MAL-1\n"                                                                          \
	"    reason: r\n"                                                                          \
	"\n"                                                                                       \
	"  # mine\n"
#define LONG                                                                                       \
	"  - ecosystem: npm\n"                                                                     \
	"    name: '@acme/x'\n"                                                                    \
	"    version: 1.0.0\n"                                                                     \
	"    id: MAL-3\n"                                                                          \
	"    reason: r\n"

/* before, the record or NULL for all, what is left (NULL: refused), and which were taken out */
static const struct {
	const char *before, *id, *after, *ids;
} removals[] = {
	{ V1 "overrides:\n" ONE("MAL-1") OTHER ONE("MAL-2"), NULL, V1 "overrides:\n" OTHER,
	  "MAL-1 MAL-2" },
	{ V1 "overrides:\n" ONE("MAL-1") OTHER ONE("MAL-2"), "MAL-2",
	  V1 "overrides:\n" ONE("MAL-1") OTHER, "MAL-2" },
	{ V1 "overrides:\n" ONE("MAL-1"), "MAL-2", V1 "overrides:\n" ONE("MAL-1"), "" },
	{ V1 "overrides:\n" LONG OTHER, NULL, V1 "overrides:\n" OTHER, "MAL-3" },
	{ "# mine\n" V1 "overrides:\n" LONG ONE("MAL-1"), NULL, "# mine\n" V1, "MAL-3 MAL-1" },
	{ V1 "overrides:\n  -\n    ecosystem: npm\n    name: '@acme/x'\n    version: 1.0.0\n"
	     "    id: M\n    reason: r\n",
	  NULL, NULL, ":4: the entry cannot be told from what is around it" },
	{ V1 "overrides: [{ecosystem: npm, name: '@acme/x', version: 1.0.0, id: M, reason: r},\n"
	     "  {ecosystem: npm, name: y, version: 1.0.0, id: M, reason: r}]\n",
	  NULL, NULL, ":2: the entry cannot be told from what is around it" },
	{ V1, NULL, V1, "" },
};

static void an_entry_is_taken_out_and_all_else_stays(void **state)
{
	struct pmg_override which = entry;
	size_t i, len;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(removals); i++) {
		const char *after = removals[i].after ? removals[i].after : removals[i].before;
		pmg_auto(strv) struct pmg_strv ids = { 0 };
		pmg_autofree char *text = NULL, *got = NULL;
		struct pmg_err err = PMG_ERR_INIT;
		int r;

		folder_write(top, PMG_OVERRIDES_FILE, removals[i].before,
			     strlen(removals[i].before));
		which.id = removals[i].id;
		r = pmg_overrides_remove(file, &which, &ids, &err);
		assert_int_equal(r, removals[i].after ? 0 : -PMG_E_CONFIG);
		got = r == 0 ? pmg_strv_join(&ids, " ", 100) : pmg_xstrdup(err.msg + strlen(file));
		assert_string_equal(got, removals[i].ids);
		assert_int_equal(pmg_io_slurp(file, 65536, &text, &len, &err), 0);
		assert_string_equal(text, after);
	}
	{
		pmg_auto(strv) struct pmg_strv ids = { 0 };
		pmg_auto(config) struct pmg_config config = { 0 };
		struct pmg_err err = PMG_ERR_INIT;

		/* Where the last was taken out, another can be written. */
		assert_int_equal(pmg_overrides_add(file, &entry, &err), 1);
		assert_int_equal(pmg_overrides_load(file, &config, &err), 0);
		assert_int_equal(config.packages.overrides.n, 1);
		assert_int_equal(unlink(file), 0);
		assert_int_equal(pmg_overrides_remove(file, &entry, &ids, &err), 0);
		assert_int_equal(ids.n, 0);
	}
}

static void a_wrong_file_is_an_error_with_its_place(void **state)
{
	static const struct {
		const char *text, *msg;
	} rows[] = {
		{ "overrides: []\n", ":1:1: key \"schema_version\" is missing" },
		{ V1 "override: []\n", ":2:1: unknown key \"override\"" },
		{ V1 "overrides: [{ecosystem: npm, name: x, version: 1.0.0, id: M}]\n",
		  ":2:13: key \"reason\" is missing" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(config) struct pmg_config config = { 0 };
		struct pmg_err err = PMG_ERR_INIT;

		folder_write(top, PMG_OVERRIDES_FILE, rows[i].text, strlen(rows[i].text));
		assert_int_equal(pmg_config_load(config_file, &config, &err), -PMG_E_CONFIG);
		assert_true(pmg_str_has_prefix(err.msg, file));
		assert_string_equal(err.msg + strlen(file), rows[i].msg);
		assert_int_equal(pmg_overrides_add(file, &entry, &err), -PMG_E_CONFIG);
	}
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(what_is_written_is_read_with_the_configuration),
		CASE(what_a_person_wrote_stays),
		CASE(where_nothing_can_be_written_behind_nothing_is_written),
		CASE(an_entry_is_taken_out_and_all_else_stays),
		CASE(a_wrong_file_is_an_error_with_its_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
