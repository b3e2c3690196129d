#include "violation/record.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "tests/helper/folder.h"
#include "violation/ledger.h"

/* Everything filled, packages in the order in which the ledger lists them. */
static void fill(struct pmg_record *record)
{
	struct pmg_wire_judged bad = {
		.eco = pmg_xstrdup("npm"),
		.name = pmg_xstrdup("bad"),
		.version = pmg_xstrdup("1.0.0"),
		.verdict = pmg_xstrdup("block"),
		.reason = pmg_xstrdup("on your block list"),
		.diag = 3006,
		.note = pmg_xstrdup("why\nnot"),
		.url = pmg_xstrdup("http://registry.test/b"),
	};
	struct pmg_wire_judged ok = {
		.eco = pmg_xstrdup("pypi"),
		.name = pmg_xstrdup("ok"),
		.version = pmg_xstrdup("2"),
		.verdict = pmg_xstrdup("allow"),
		.url = pmg_xstrdup("http://pypi.test/o"),
	};
	struct pmg_wire_passed passed = { pmg_xstrdup("h.test:443"), pmg_xstrdup("tunnel") };
	struct pmg_wire_trouble trouble = { pmg_xstrdup("r.test:443"), pmg_xstrdup("refused"),
					    4001 };

	struct pmg_event denied = { .code = 2001,
				    .op = PMG_EVENT_READ,
				    .by = PMG_EVENT_BY_BROKER,
				    .target = pmg_xstrdup("/h/.ssh/id_x"),
				    .rule = pmg_xstrdup("**/.ssh"),
				    .layer = pmg_xstrdup("mandatory"),
				    .source = pmg_xstrdup("built-in:14"),
				    .package = pmg_xstrdup("x@1"),
				    .script = pmg_xstrdup("install"),
				    .how_known = pmg_xstrdup("tree"),
				    .allow = pmg_xstrdup("read=/h/.ssh/id_x"),
				    .sensitive = true,
				    .first = 100,
				    .last = 101 };
	struct pmg_event bare = { .code = 2009,
				  .op = PMG_EVENT_CONNECT,
				  .by = PMG_EVENT_BY_PROXY,
				  .target = pmg_xstrdup("tcp 10.99.0.1:80"),
				  .first = 100,
				  .last = 100 };

	(void)snprintf(record->id, sizeof record->id, "r-20261129-0001");
	record->profile = pmg_xstrdup("npm");
	pmg_strv_add(&denied.process, "npm");
	pmg_strv_add(&denied.process, "node");
	(void)pmg_record_denied(record, &denied);
	(void)pmg_record_denied(record, &bare);
	record->started = 100;
	record->ended = 102;
	record->tool = pmg_xstrdup("npx");
	pmg_strv_add(&record->argv, "npx");
	record->cwd = pmg_xstrdup("/p");
	record->exit = 1;
	record->fingerprint = pmg_xstrdup("abc");
	record->lost = 3;
	record->index_present = true;
	record->index_built = 86400;
	record->index_state = pmg_xstrdup("fresh");
	record->index_checked = 172800;
	record->index_records = 7;
	bad.more = 168;
	pmg_strv_add(&bad.ids, "MAL-1");
	pmg_strv_add(&bad.sources, "blocklist");
	pmg_strv_add(&ok.findings, "native: x.so");
	pmg_strv_add(&ok.waivers, "known malware (MAL-2), waived by trusted_packages");
	(void)pmg_record_judged(record, &bad);
	(void)pmg_record_judged(record, &ok);
	(void)pmg_record_passed(record, &passed);
	(void)pmg_record_trouble(record, &trouble);
}

static void a_record_looks_the_same_before_and_after_the_ledger(void **state)
{
	static const struct pmg_ledger_keep keep = { 0, 0 };
	static const struct pmg_ledger_query query = { .limit = 1 };
	pmg_auto(folder) char *root = folder_new();
	pmg_autofree char *path = pmg_path_join(root, "ledger.db");
	pmg_auto(record) struct pmg_record record = { 0 };
	pmg_auto(json) struct json_t *before = NULL;
	pmg_auto(json) struct json_t *list = NULL;
	pmg_autofree char *before_text = NULL;
	pmg_autofree char *after_text = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	fill(&record);
	before = pmg_record_json(&record);
	before_text = pmg_json_dump(before);
	assert_int_equal(pmg_ledger_write(path, &record, &keep, &err), 0);
	assert_int_equal(pmg_ledger_list(path, &query, &list, &err), 0);
	after_text = pmg_json_dump(pmg_json_at(list, 0));
	assert_string_equal(before_text, after_text);
}

static void an_empty_record_has_all_lists(void **state)
{
	pmg_auto(record) struct pmg_record record = { 0 };
	pmg_auto(json) struct json_t *json = pmg_record_json(&record);
	static const char *const keys[] = { "argv", "packages", "passed", "troubles",
					    "violations" };
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(keys); i++)
		assert_true(pmg_json_is_array(pmg_json_get(json, keys[i])));
	assert_null(pmg_json_get(json, "started"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_record_looks_the_same_before_and_after_the_ledger),
		cmocka_unit_test(an_empty_record_has_all_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
