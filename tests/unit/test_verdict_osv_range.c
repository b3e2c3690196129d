#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "verdict/osv_priv.h"

/* Events as "i1 f2 l3": introduced, fixed, last_affected; ";" begins another range. Intervals as
   "[1,2)", "[1,2]", with nothing for no bound. */
static const struct {
	enum pmg_eco eco;
	const char *events, *intervals;
	size_t notes;
} rows[] = {
	{ PMG_ECO_NPM, "i0", "[,)", 0 },
	{ PMG_ECO_NPM, "i0.0.0", "[0.0.0,)", 0 },
	{ PMG_ECO_NPM, "i1.0.0 f2.0.0", "[1.0.0,2.0.0)", 0 },
	{ PMG_ECO_NPM, "i1.0.0 l2.0.0", "[1.0.0,2.0.0]", 0 },
	{ PMG_ECO_NPM, "f2.0.0 i1.0.0", "[1.0.0,2.0.0)", 0 },
	{ PMG_ECO_NPM, "i1 f2 i3 f4", "[1.0.0,2.0.0)[3.0.0,4.0.0)", 0 },
	{ PMG_ECO_NPM, "i3 f4 i1 f2", "[1.0.0,2.0.0)[3.0.0,4.0.0)", 0 },
	{ PMG_ECO_NPM, "i10 i9 f11", "[9.0.0,11.0.0)", 0 },
	{ PMG_ECO_NPM, "i0 f1.0.0-rc.1", "[,1.0.0-rc.1)", 0 },
	{ PMG_ECO_NPM, "i1 l1", "[1.0.0,1.0.0]", 0 },
	{ PMG_ECO_NPM, "i1 f2 i2", "[1.0.0,2.0.0)[2.0.0,)", 0 },
	{ PMG_ECO_NPM, "i1 f1", "", 0 },
	{ PMG_ECO_NPM, "f1", "", 0 },
	{ PMG_ECO_NPM, "l1", "", 0 },
	{ PMG_ECO_NPM, "", "", 0 },
	{ PMG_ECO_NPM, "i0;i4.1.1 l4.1.2", "[,)[4.1.1,4.1.2]", 0 },
	{ PMG_ECO_NPM, "ilatest f2", "[,2.0.0)", 1 },
	{ PMG_ECO_NPM, "i1 fnever", "[1.0.0,)", 1 },
	{ PMG_ECO_NPM, "x1 i1", "[1.0.0,)", 0 },
	{ PMG_ECO_PYPI, "i1.0 f1.0.post1", "[1,1.post1)", 0 },
	{ PMG_ECO_PYPI, "i1!0 f2", "[1!0,)", 0 },
	{ PMG_ECO_PYPI, "i1.0-bulbasaur", "[,)", 1 },
};

static const char *const keys[][2] = {
	{ "i", "introduced" }, { "f", "fixed" }, { "l", "last_affected" }, { "x", "limit" }
};

static struct json_t *new_range(struct json_t *list)
{
	struct json_t *range = pmg_json_object(), *events = pmg_json_array();

	pmg_json_set(range, "events", events);
	pmg_json_add(list, range);
	return events;
}

static struct json_t *ranges(const char *text)
{
	pmg_autofree char *copy = pmg_xstrdup(text);
	struct json_t *list = pmg_json_array(), *events = new_range(list), *event;
	char *save, *word, *next = copy, *part;
	size_t i;

	for (part = strsep(&next, ";"); part; part = strsep(&next, ";")) {
		for (word = strtok_r(part, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
			event = pmg_json_object();
			for (i = 0; i < PMG_ARRAY_LEN(keys); i++)
				if (keys[i][0][0] == word[0])
					pmg_json_set_str(event, keys[i][1], word + 1);
			pmg_json_add(events, event);
		}
		if (next)
			events = new_range(list);
	}
	return list;
}

static void events_become_intervals(void **state)
{
	size_t i, k;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(json) struct json_t *list = ranges(rows[i].events);
		pmg_auto(osv) struct pmg_osv r = { 0 };
		pmg_auto(str) struct pmg_str got = PMG_STR_INIT(1000);
		struct pmg_err err = PMG_ERR_INIT;
		struct pmg_osv_affected *a;

		r.affected = pmg_xcalloc(1, sizeof *r.affected);
		r.n_affected = 1;
		a = &r.affected[0];
		a->eco = rows[i].eco;
		assert_int_equal(pmg_osv_read_ranges(list, a, &r.notes, &err), 0);
		for (k = 0; k < a->n_intervals; k++)
			assert_int_equal(pmg_str_addf(&got, "[%s,%s%c", a->intervals[k].low,
						      a->intervals[k].high,
						      a->intervals[k].inclusive ? ']' : ')'),
					 0);
		if (!pmg_streq(got.s ? got.s : "", rows[i].intervals))
			fail_msg("%s: %s", rows[i].events, got.s);
		assert_int_equal(r.notes.n, rows[i].notes);
	}
}

static void commits_are_no_versions(void **state)
{
	pmg_auto(json) struct json_t *git = NULL;
	struct pmg_osv_affected a = { 0 };
	struct pmg_strv notes = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	static const char text[] = "[{\"type\":\"GIT\",\"events\":[{\"introduced\":\"0\"}]}]";

	(void)state;
	assert_int_equal(pmg_json_parse("t", text, strlen(text), &git, &err), 0);
	assert_int_equal(pmg_osv_read_ranges(git, &a, &notes, &err), 0);
	assert_int_equal(a.n_intervals, 0);
	assert_int_equal(pmg_osv_read_ranges(NULL, &a, &notes, &err), 0);
	assert_int_equal(a.n_intervals, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_become_intervals),
		cmocka_unit_test(commits_are_no_versions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
