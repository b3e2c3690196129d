#include "verdict/judge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "../helper/folder.h"
#include "../helper/records.h"
#include "base/str.h"
#include "pm/version.h"

static const char *const feed[] = {
	RECORD("MAL-2", "ever", EVER),
	RECORD("MAL-1", "ever", VERSIONS("\"1.0.0\"")),
	RECORD("MAL-3", "fixed", RANGE("{\"introduced\":\"1.0.0\"},{\"fixed\":\"2.0.0\"}")),
	RECORD_PYPI("MAL-4", "Some_Name", VERSIONS("\"1.0\",\"v_05\"")),
	RECORD_PYPI("MAL-5", "ranged", RANGE("{\"introduced\":\"1.0\"}")),
	NULL,
};

static const char blocklist[] = "schema_version: 1\nblock:\n"
				"  - {purl: \"pkg:npm/ever@9.0.0\", reason: ours}\n"
				"  - {purl: \"pkg:npm/mine\"}\n"
				"  - {purl: \"pkg:npm/once@1.0.0\"}\n";

static char *dir, *index_path, *list_path, *none_path;

static int setup(void **state)
{
	(void)state;
	dir = folder_new();
	index_path = pmg_path_join(dir, "intel.db");
	list_path = pmg_path_join(dir, "blocklist.yml");
	none_path = pmg_path_join(dir, "none");
	(void)records_build(dir, "osv", feed);
	folder_write(dir, "blocklist.yml", blocklist, strlen(blocklist));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	folder_free(dir);
	free(index_path);
	free(list_path);
	free(none_path);
	return 0;
}

static const struct {
	enum pmg_eco eco;
	const char *name, *version;
	enum pmg_verdict verdict;
	enum pmg_reason reason;
	const char *id, *source, *note; /* first id; NULL for none */
} rows[] = {
	{ PMG_ECO_NPM, "express", "4.0.0", PMG_VERDICT_ALLOW, PMG_REASON_NONE, NULL, NULL, NULL },
	{ PMG_ECO_NPM, "ever", "v1.0.0+x", PMG_VERDICT_BLOCK, PMG_REASON_MALWARE, "MAL-1", "osv",
	  NULL },
	{ PMG_ECO_NPM, "ever", "3.0.0", PMG_VERDICT_BLOCK, PMG_REASON_MALWARE, "MAL-2", "osv",
	  NULL },
	{ PMG_ECO_NPM, "ever", NULL, PMG_VERDICT_BLOCK, PMG_REASON_MALWARE, "MAL-2", "osv", NULL },
	{ PMG_ECO_NPM, "ever", "9.0.0", PMG_VERDICT_BLOCK, PMG_REASON_BLOCKLIST, NULL, "blocklist",
	  "ours" },
	{ PMG_ECO_NPM, "mine", NULL, PMG_VERDICT_BLOCK, PMG_REASON_BLOCKLIST, NULL, "blocklist",
	  NULL },
	{ PMG_ECO_NPM, "mine", "odd", PMG_VERDICT_BLOCK, PMG_REASON_BLOCKLIST, NULL, "blocklist",
	  NULL },
	{ PMG_ECO_NPM, "fixed", "1.5.0", PMG_VERDICT_BLOCK, PMG_REASON_MALWARE, "MAL-3", "osv",
	  NULL },
	{ PMG_ECO_NPM, "fixed", "2.0.0", PMG_VERDICT_ALLOW, PMG_REASON_NONE, NULL, NULL, NULL },
	{ PMG_ECO_NPM, "fixed", "odd", PMG_VERDICT_INDETERMINATE, PMG_REASON_INDETERMINATE, "MAL-3",
	  "osv", NULL },
	{ PMG_ECO_NPM, "fixed", NULL, PMG_VERDICT_ALLOW, PMG_REASON_NONE, NULL, NULL, NULL },
	{ PMG_ECO_PYPI, "some.name", "1", PMG_VERDICT_BLOCK, PMG_REASON_MALWARE, "MAL-4", "osv",
	  NULL },
	{ PMG_ECO_PYPI, "SOME-NAME", "v_05", PMG_VERDICT_BLOCK, PMG_REASON_MALWARE, "MAL-4", "osv",
	  NULL },
	{ PMG_ECO_PYPI, "some-name", "v_06", PMG_VERDICT_ALLOW, PMG_REASON_NONE, NULL, NULL, NULL },
	{ PMG_ECO_PYPI, "ranged", "0.9-old", PMG_VERDICT_INDETERMINATE, PMG_REASON_INDETERMINATE,
	  "MAL-5", "osv", NULL },
	/* not a name that could be on record, but one that can be asked */
	{ PMG_ECO_PYPI, "@a/b", "1.0.0", PMG_VERDICT_ALLOW, PMG_REASON_NONE, NULL, NULL, NULL },
	{ PMG_ECO_NPM, "", "1.0.0", PMG_VERDICT_INDETERMINATE, PMG_REASON_INDETERMINATE, NULL, NULL,
	  NULL },
	{ PMG_ECO_NPM, "a\nb", "1.0.0", PMG_VERDICT_INDETERMINATE, PMG_REASON_INDETERMINATE, NULL,
	  NULL, NULL },
};

static void packages_are_judged(void **state)
{
	pmg_auto(judge) struct pmg_judge *judge = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	assert_int_equal(pmg_judge_open(index_path, list_path, &judge, &err), 0);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(judgement) struct pmg_judgement j = { 0 };

		assert_int_equal(
			pmg_judge_ask(judge, rows[i].eco, rows[i].name, rows[i].version, &j, &err),
			0);
		if (j.verdict != rows[i].verdict || j.reason != rows[i].reason)
			fail_msg("%s@%s: %s", rows[i].name, rows[i].version,
				 pmg_verdict_name(j.verdict));
		assert_true(pmg_streq(j.ids.n ? j.ids.v[0] : NULL, rows[i].id));
		assert_true(pmg_streq(j.sources.n ? j.sources.v[0] : NULL, rows[i].source));
		assert_true(pmg_streq(j.note, rows[i].note));
		assert_int_equal(j.rule != NULL, j.reason == PMG_REASON_BLOCKLIST);
	}
}

/* What lies there and hides its version may be any that is on record. */
static void a_version_that_cannot_be_read_may_be_any(void **state)
{
	static const struct {
		enum pmg_eco eco;
		const char *name, *version;
		enum pmg_reason reason;
	} cases[] = {
		{ PMG_ECO_NPM, "express", NULL, PMG_REASON_NONE },
		{ PMG_ECO_NPM, "express", "odd", PMG_REASON_NONE },
		{ PMG_ECO_NPM, "fixed", NULL, PMG_REASON_INDETERMINATE },
		{ PMG_ECO_NPM, "fixed", "2.0.0", PMG_REASON_NONE },
		{ PMG_ECO_NPM, "ever", NULL, PMG_REASON_MALWARE },
		{ PMG_ECO_PYPI, "Some.Name", NULL, PMG_REASON_INDETERMINATE },
		{ PMG_ECO_PYPI, "some-name", "v_06", PMG_REASON_INDETERMINATE },
		{ PMG_ECO_PYPI, "some-name", "6", PMG_REASON_NONE },
		{ PMG_ECO_NPM, "once", NULL, PMG_REASON_INDETERMINATE }, /* the block list */
		{ PMG_ECO_NPM, "once", "1.0.0/", PMG_REASON_INDETERMINATE },
		{ PMG_ECO_PYPI, "ultralytics", NULL, PMG_REASON_INDETERMINATE }, /* built in */
		{ PMG_ECO_NPM, "ultralytics", NULL, PMG_REASON_NONE },
	};
	pmg_auto(judge) struct pmg_judge *judge = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	assert_int_equal(pmg_judge_open(index_path, list_path, &judge, &err), 0);
	for (i = 0; i < PMG_ARRAY_LEN(cases); i++) {
		const struct pmg_question q = { .eco = cases[i].eco,
						.name = cases[i].name,
						.version = cases[i].version,
						.any_version = true,
						.published = PMG_DATE_UNASKED };
		pmg_auto(judgement) struct pmg_judgement j = { 0 };

		assert_int_equal(pmg_judge_decide(judge, &q, &j, &err), 0);
		if (j.reason != cases[i].reason)
			fail_msg("row %zu: %s", i, pmg_reason_text(j.reason));
		assert_int_equal(j.verdict == PMG_VERDICT_ALLOW, j.reason == PMG_REASON_NONE);
	}
}

/* Whether a document has to be read to find what is to be left out of it. */
static void a_package_is_known_when_any_version_is(void **state)
{
	static const struct {
		enum pmg_eco eco;
		const char *name;
		bool want;
	} names[] = {
		{ PMG_ECO_NPM, "express", false },   { PMG_ECO_NPM, "ever", true },
		{ PMG_ECO_NPM, "mine", true },       { PMG_ECO_NPM, "fixed", true },
		{ PMG_ECO_PYPI, "SOME-NAME", true }, { PMG_ECO_PYPI, "ever", false },
		{ PMG_ECO_PYPI, "mine", false },     { PMG_ECO_NPM, "", true },
		{ PMG_ECO_NPM, "mind", false },      { PMG_ECO_NPM, "minf", false },
		{ PMG_ECO_NPM, "coa", true }, /* built in */
		{ PMG_ECO_PYPI, "coa", false },
	};
	pmg_auto(judge) struct pmg_judge *judge = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	assert_int_equal(pmg_judge_open(index_path, list_path, &judge, &err), 0);
	for (i = 0; i < PMG_ARRAY_LEN(names); i++)
		if (pmg_judge_knows(judge, names[i].eco, names[i].name) != names[i].want)
			fail_msg("%s", names[i].name);
}

static void all_ids_are_told_sorted(void **state)
{
	pmg_auto(judge) struct pmg_judge *judge = NULL;
	pmg_auto(judgement) struct pmg_judgement j = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_judge_open(index_path, none_path, &judge, &err), 0);
	assert_int_equal(pmg_judge_ask(judge, PMG_ECO_NPM, "ever", "1.0.0", &j, &err), 0);
	assert_int_equal(j.ids.n, 2);
	assert_string_equal(j.ids.v[0], "MAL-1");
	assert_string_equal(j.ids.v[1], "MAL-2");
	assert_int_equal(j.sources.n, 1);
}

static void names_and_versions_that_are_too_long_are_indeterminate(void **state)
{
	pmg_auto(judge) struct pmg_judge *judge = NULL;
	char text[PMG_NAME_MAX + 2];
	struct pmg_err err = PMG_ERR_INIT;
	struct pmg_judgement j = { 0 };

	(void)state;
	memset(text, '1', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	assert_int_equal(pmg_judge_open(none_path, none_path, &judge, &err), 0);
	assert_int_equal(pmg_judge_ask(judge, PMG_ECO_NPM, text, "1.0.0", &j, &err), 0);
	assert_int_equal(j.verdict, PMG_VERDICT_INDETERMINATE);
	assert_int_equal(pmg_judge_ask(judge, PMG_ECO_NPM, "x", text, &j, &err), 0);
	assert_int_equal(j.verdict, PMG_VERDICT_INDETERMINATE);
	assert_int_equal(pmg_judge_ask(judge, PMG_ECO_NPM, text + 1, text + 1, &j, &err), 0);
	assert_int_equal(j.verdict, PMG_VERDICT_ALLOW);
}

static void without_an_index_the_block_list_still_counts(void **state)
{
	pmg_auto(judge) struct pmg_judge *judge = NULL;
	pmg_auto(judgement) struct pmg_judgement j = { 0 };
	struct pmg_index_info info;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_judge_open(none_path, list_path, &judge, &err), 0);
	pmg_judge_info(judge, &info);
	assert_false(info.present);
	assert_int_equal(info.records, 0);
	assert_int_equal(info.blocklist, 3);
	assert_int_equal(pmg_judge_ask(judge, PMG_ECO_NPM, "mine", "1.0.0", &j, &err), 0);
	assert_int_equal(j.verdict, PMG_VERDICT_BLOCK);
}

static void the_index_says_how_old_and_large_it_is(void **state)
{
	pmg_auto(judge) struct pmg_judge *judge = NULL;
	struct pmg_index_info info;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_judge_open(index_path, none_path, &judge, &err), 0);
	pmg_judge_info(judge, &info);
	assert_true(info.present);
	assert_int_equal(info.built, RECORDS_NOW);
	assert_int_equal(info.records, 5);
	assert_int_equal(info.packages, 4);
	assert_int_equal(info.blocklist, 0);
}

static void what_is_there_and_cannot_be_read_is_an_error(void **state)
{
	pmg_autofree char *bad_index = pmg_path_join(dir, "bad.db");
	pmg_autofree char *bad_list = pmg_path_join(dir, "bad.yml");
	struct pmg_judge *judge = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	folder_write(dir, "bad.db", "garbage", 7);
	folder_write(dir, "bad.yml", "garbage", 7);
	assert_int_equal(pmg_judge_open(bad_index, list_path, &judge, &err), -PMG_E_DB);
	assert_non_null(strstr(err.hint, "import the feeds again"));
	assert_int_equal(pmg_judge_open(index_path, bad_list, &judge, &err), -PMG_E_CONFIG);
	assert_null(judge);
}

static void what_others_could_have_written_is_not_believed(void **state)
{
	const char *const paths[] = { index_path, list_path };
	struct pmg_judge *judge = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(paths); i++) {
		assert_int_equal(chmod(paths[i], 0666), 0);
		assert_int_equal(pmg_judge_open(index_path, list_path, &judge, &err),
				 -PMG_E_CONFIG);
		assert_null(judge);
		assert_non_null(strstr(err.msg, paths[i]));
		assert_non_null(strstr(err.hint, "chmod go-w"));
		assert_int_equal(chmod(paths[i], 0600), 0);
	}
}

/* A page that rots while the index is open: no answer, so nothing passes. */
static void an_index_that_breaks_later_gives_no_answer(void **state)
{
	pmg_autofree char *path = pmg_path_join(dir, "rot.db");
	pmg_autofree char *text = NULL;
	pmg_auto(judge) struct pmg_judge *judge = NULL;
	pmg_auto(judgement) struct pmg_judgement j = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	size_t len = 0, page;
	char *bytes;

	(void)state;
	assert_int_equal(pmg_io_slurp(index_path, 1U << 24, &text, &len, &err), 0);
	bytes = text;
	for (page = 4096; page < len; page += 4096)
		if (memmem(bytes + page, 4096, "Some", 4) || memmem(bytes + page, 4096, "some", 4))
			memset(bytes + page, 0x5a, 4096);
	folder_write(dir, "rot.db", text, len);
	assert_int_equal(pmg_judge_open(path, none_path, &judge, &err), 0);
	assert_int_equal(pmg_judge_ask(judge, PMG_ECO_PYPI, "some-name", "1.0", &j, &err),
			 -PMG_E_DB);
	assert_non_null(strstr(err.hint, "import the feeds again"));
	assert_int_equal(j.verdict, PMG_VERDICT_ALLOW); /* untouched */
	assert_null(j.ids.v);
}

static void every_reason_has_a_number_and_words(void **state)
{
	int reason;

	(void)state;
	for (reason = 0; reason < PMG_REASON_MAX; reason++)
		assert_true(strlen(pmg_reason_text((enum pmg_reason)reason)) > 0);
	assert_int_equal(pmg_reason_diag(PMG_REASON_NONE), 0);
	assert_int_equal(pmg_reason_diag(PMG_REASON_MALWARE), 3001);
	assert_int_equal(pmg_reason_diag(PMG_REASON_INDETERMINATE), 3005);
	assert_int_equal(pmg_reason_diag(PMG_REASON_BLOCKLIST), 3006);
	assert_string_equal(pmg_verdict_name(PMG_VERDICT_INDETERMINATE), "indeterminate");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packages_are_judged),
		cmocka_unit_test(a_version_that_cannot_be_read_may_be_any),
		cmocka_unit_test(a_package_is_known_when_any_version_is),
		cmocka_unit_test(all_ids_are_told_sorted),
		cmocka_unit_test(names_and_versions_that_are_too_long_are_indeterminate),
		cmocka_unit_test(without_an_index_the_block_list_still_counts),
		cmocka_unit_test(the_index_says_how_old_and_large_it_is),
		cmocka_unit_test(what_is_there_and_cannot_be_read_is_an_error),
		cmocka_unit_test(what_others_could_have_written_is_not_believed),
		cmocka_unit_test(an_index_that_breaks_later_gives_no_answer),
		cmocka_unit_test(every_reason_has_a_number_and_words),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
