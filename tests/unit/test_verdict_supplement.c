#include "verdict/supplement.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/str.h"
#include "pm/version.h"
#include "verdict/judge.h"

static const struct {
	enum pmg_eco eco;
	const char *name, *version;
	const char *id; /* NULL: nothing known */
} rows[] = {
	{ PMG_ECO_NPM, "event-stream", "3.3.6", "built-in:npm/event-stream" },
	{ PMG_ECO_NPM, "event-stream", "3.3.5", NULL },
	{ PMG_ECO_NPM, "event-stream", "3.3.66", NULL },
	{ PMG_ECO_NPM, "event-stream", "", NULL },
	{ PMG_ECO_NPM, "event-stream", NULL, NULL },
	{ PMG_ECO_NPM, "flatmap-stream", "0.1.1", "built-in:npm/flatmap-stream" },
	{ PMG_ECO_NPM, "ua-parser-js", "0.7.29", "GHSA-pjwm-rvh2-c87w" },
	{ PMG_ECO_NPM, "ua-parser-js", "0.8.0", "GHSA-pjwm-rvh2-c87w" },
	{ PMG_ECO_NPM, "ua-parser-js", "1.0.0", "GHSA-pjwm-rvh2-c87w" },
	{ PMG_ECO_NPM, "ua-parser-js", "1.0.1", NULL },
	{ PMG_ECO_NPM, "colors", "v1.4.44-liberty-2", "built-in:npm/colors" },
	{ PMG_ECO_NPM, "axios", "1.14.1", "MAL-2026-2307" },
	{ PMG_ECO_NPM, "axios", "1.14.0", NULL },
	{ PMG_ECO_PYPI, "axios", "1.14.1", NULL },
	{ PMG_ECO_PYPI, "Ctx", "0.1.2.0", "GHSA-67r3-h899-9w95" },
	{ PMG_ECO_PYPI, "ultralytics", "8.3.46", "built-in:pypi/ultralytics" },
	{ PMG_ECO_PYPI, "ultralytics", "8.3.44", NULL },
	{ PMG_ECO_PYPI, "guardrails_ai", "0.10.1", "built-in:pypi/guardrails-ai" },
};

/* As the judge does it, without an index, and so without any import. */
static void known_hijacks_are_blocked_without_an_index(void **state)
{
	pmg_auto(judge) struct pmg_judge *judge = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	assert_int_equal(
		pmg_judge_open("/nonexistent/intel.db", "/nonexistent/list.yml", &judge, &err), 0);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(judgement) struct pmg_judgement j = { 0 };

		assert_int_equal(
			pmg_judge_ask(judge, rows[i].eco, rows[i].name, rows[i].version, &j, &err),
			0);
		if ((j.verdict == PMG_VERDICT_BLOCK) != (rows[i].id != NULL))
			fail_msg("%s@%s: %s", rows[i].name, rows[i].version,
				 pmg_verdict_name(j.verdict));
		if (!rows[i].id)
			continue;
		assert_int_equal(j.reason, PMG_REASON_MALWARE);
		assert_int_equal(j.ids.n, 1);
		assert_string_equal(j.ids.v[0], rows[i].id);
		assert_string_equal(j.sources.v[0], "built-in");
	}
}

static void it_adds_to_what_the_index_says(void **state)
{
	pmg_auto(index_answer) struct pmg_index_answer answer = { .hit = PMG_INDEX_HIT };
	pmg_auto(index_answer) struct pmg_index_answer unsure = { .hit = PMG_INDEX_UNSURE };

	(void)state;
	pmg_strv_add(&answer.ids, "MAL-2026-2307");
	pmg_strv_add(&answer.ids, "zzz");
	pmg_strv_add(&answer.sources, "osv");
	assert_true(pmg_supplement_find(PMG_ECO_NPM, "axios", "1.14.1", &answer));
	assert_int_equal(answer.ids.n, 2);
	assert_int_equal(answer.sources.n, 2);
	assert_string_equal(answer.sources.v[0], "built-in");
	pmg_strv_add(&unsure.ids, "MAL-1");
	assert_false(pmg_supplement_find(PMG_ECO_NPM, "axios", "1.14.2", &unsure));
	assert_int_equal(unsure.hit, PMG_INDEX_UNSURE);
	assert_true(pmg_supplement_find(PMG_ECO_NPM, "axios", "1.14.1", &unsure));
	assert_int_equal(unsure.hit, PMG_INDEX_HIT);
	assert_int_equal(unsure.ids.n, 1);
	assert_true(pmg_supplement_count() > 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_hijacks_are_blocked_without_an_index),
		cmocka_unit_test(it_adds_to_what_the_index_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
