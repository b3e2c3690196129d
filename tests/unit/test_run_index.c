#include "run/index.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/str.h"

#define DAY 86400

/* What the proxy found, and what comes of it. */
struct found {
	bool present;
	int64_t age;
};

static int check(const struct found *found, bool managed, const char *ci, int told,
		 struct pmg_run_index *out, struct pmg_err *err)
{
	pmg_auto(config) struct pmg_config config = { 0 };
	pmg_auto(managed) struct pmg_managed by = { 0 };
	pmg_auto(strv) struct pmg_strv env = { 0 };
	const struct pmg_wire_ready ready = { .index_present = found->present,
					      .index_checked = pmg_clock_now() - found->age };

	pmg_config_init(&config);
	if (told >= 0) {
		pmg_config_add_key(&config, "intel.on_missing", 2);
		config.on_missing = told;
	}
	if (managed)
		by.config.path = pmg_xstrdup("/m.yml");
	if (ci)
		pmg_strv_add(&env, ci);
	return pmg_run_index_check(&config, &by, &env, &ready, out, err);
}

static void without_a_young_index_a_run_goes_on_only_where_a_person_reads(void **state)
{
	static const struct {
		struct found found;
		bool managed;
		const char *ci;
		int told;        /* -1: not */
		const char *msg; /* NULL: goes on */
		enum pmg_index_state state;
	} rows[] = {
		{ { true, 0 }, true, "CI=true", PMG_ON_MISSING_BLOCK, NULL, PMG_INDEX_FRESH },
		{ { false, 0 }, false, NULL, -1, NULL, PMG_INDEX_MISSING },
		{ { false, 0 }, false, "CI=false", -1, NULL, PMG_INDEX_MISSING },
		{ { false, 0 }, true, "CI=1", PMG_ON_MISSING_WARN, NULL, PMG_INDEX_MISSING },
		{ { true, 8 * DAY }, false, NULL, -1, NULL, PMG_INDEX_STALE },
		{ { false, 0 },
		  false,
		  "CI=true",
		  -1,
		  "no malware index yet, and intel.on_missing is block, as always where CI is set",
		  PMG_INDEX_MISSING },
		{ { false, 0 },
		  true,
		  NULL,
		  -1,
		  "no malware index yet, and intel.on_missing is block, as always under managed "
		  "policy",
		  PMG_INDEX_MISSING },
		{ { true, 8 * DAY },
		  false,
		  NULL,
		  PMG_ON_MISSING_BLOCK,
		  "the malware index was last brought up to date 8 days ago, intel.max_age is 7 "
		  "days, and intel.on_missing is block",
		  PMG_INDEX_STALE },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		struct pmg_run_index got = { 0 };
		struct pmg_err err = PMG_ERR_INIT;
		int r = check(&rows[i].found, rows[i].managed, rows[i].ci, rows[i].told, &got,
			      &err);

		assert_int_equal(got.state, rows[i].state);
		assert_int_equal(r, rows[i].msg ? -PMG_E_UNSUPPORTED : 0);
		if (!rows[i].msg)
			continue;
		assert_string_equal(err.msg, rows[i].msg);
		assert_int_equal(err.diag, 3007);
		assert_non_null(strstr(err.hint, "pmg intel update"));
	}
}

static void one_line_says_what_is_wrong_and_what_helps(void **state)
{
	pmg_auto(config) struct pmg_config config = { 0 };
	struct pmg_run_index index = { PMG_INDEX_FRESH, 0 };
	pmg_autofree char *missing = NULL;
	pmg_autofree char *stale = NULL;

	(void)state;
	pmg_config_init(&config);
	assert_null(pmg_run_index_note(&config, &index));
	index.state = PMG_INDEX_MISSING;
	missing = pmg_run_index_note(&config, &index);
	assert_string_equal(missing, "no malware index yet, only the block list and the built-in "
				     "list are checked; \"pmg "
				     "intel update\" fetches one");
	index = (struct pmg_run_index){ PMG_INDEX_STALE, pmg_clock_now() - 30 * DAY };
	stale = pmg_run_index_note(&config, &index);
	assert_string_equal(stale, "the malware index was last brought up to date 30 days ago, "
				   "intel.max_age is 7 days: \"pmg intel update\" does it");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_young_index_a_run_goes_on_only_where_a_person_reads),
		cmocka_unit_test(one_line_says_what_is_wrong_and_what_helps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
