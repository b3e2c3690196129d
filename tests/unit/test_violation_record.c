#include "violation/record.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

static bool judged(struct pmg_record *record, const char *name, const char *version,
		   const char *verdict)
{
	struct pmg_wire_judged m = {
		.eco = pmg_xstrdup("npm"),
		.name = pmg_xstrdup(name),
		.version = pmg_xstrdup(version),
		.verdict = pmg_xstrdup(verdict),
		.url = pmg_xstrdup("http://registry.test/"),
	};
	bool is_new = pmg_record_judged(record, &m);

	assert_null(m.name);
	return is_new;
}

static void equal_events_are_counted_not_repeated(void **state)
{
	pmg_auto(record) struct pmg_record record = { 0 };

	(void)state;
	assert_true(pmg_record_is_empty(&record));
	assert_true(judged(&record, "x", "1.0.0", "allow"));
	assert_false(judged(&record, "x", "1.0.0", "allow"));
	assert_true(judged(&record, "x", "1.0.0", "block"));
	assert_true(judged(&record, "x1", ".0.0", "allow"));
	assert_int_equal(record.n_packages, 3);
	assert_int_equal(record.packages[0].count, 2);
	assert_int_equal(record.n_blocked, 1);
	assert_false(pmg_record_is_empty(&record));
}

static void what_was_found_in_two_files_of_a_version_stands_together(void **state)
{
	static const char *const found[] = { "native: a.so", "build: setup.py", "native: a.so" };
	pmg_auto(record) struct pmg_record record = { 0 };
	pmg_autofree char *all = NULL;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(found); i++) {
		struct pmg_wire_judged m = { .eco = pmg_xstrdup("pypi"),
					     .name = pmg_xstrdup("x"),
					     .version = pmg_xstrdup("1.0"),
					     .verdict = pmg_xstrdup("allow") };

		pmg_strv_add(&m.findings, found[i]);
		assert_int_equal(pmg_record_judged(&record, &m), i == 0);
	}
	all = pmg_strv_join(&record.packages[0].what.findings, ", ", 100);
	assert_string_equal(all, "native: a.so, build: setup.py");
	assert_int_equal(record.packages[0].count, 3);
}

static void a_flood_of_allowed_packages_leaves_room_for_blocks(void **state)
{
	pmg_auto(record) struct pmg_record record = { 0 };
	char name[32];
	unsigned i;

	(void)state;
	for (i = 0; i < PMG_RECORD_ALLOWED_MAX + 10; i++) {
		(void)snprintf(name, sizeof name, "p%u", i);
		(void)judged(&record, name, "1", "allow");
	}
	assert_int_equal(record.n_packages, PMG_RECORD_ALLOWED_MAX);
	assert_int_equal(record.lost, 10);
	for (i = 0; i < PMG_RECORD_BLOCKED_MAX + 5; i++) {
		(void)snprintf(name, sizeof name, "p%u", i);
		(void)judged(&record, name, "1", "indeterminate");
	}
	assert_int_equal(record.n_blocked, PMG_RECORD_BLOCKED_MAX);
	assert_int_equal(record.lost, 15);
}

static void passed_and_troubles_are_bounded(void **state)
{
	pmg_auto(record) struct pmg_record record = { 0 };
	unsigned i;

	(void)state;
	for (i = 0; i < 2 * (PMG_RECORD_OTHERS_MAX + 3); i++) {
		struct pmg_wire_passed p = { pmg_xasprintf("h%u.test:443", i / 2),
					     pmg_xstrdup("tunnel") };
		struct pmg_wire_trouble t = { pmg_xasprintf("h%u.test:443", i / 2),
					      pmg_xstrdup("refused"), 4001 };

		(void)pmg_record_passed(&record, &p);
		(void)pmg_record_trouble(&record, &t);
		assert_null(p.target);
		assert_null(t.target);
	}
	assert_int_equal(record.n_passed, PMG_RECORD_OTHERS_MAX);
	assert_int_equal(record.n_troubles, PMG_RECORD_OTHERS_MAX);
	assert_int_equal(record.passed[0].count, 2);
	assert_int_equal(record.lost, 12);
}

static void a_run_id_says_the_day(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;
	char a[PMG_RUN_ID], b[PMG_RUN_ID];
	int same = 0, i;

	(void)state;
	assert_int_equal(pmg_run_id(1795910400, a, &err), 0);
	assert_int_equal(strlen(a), strlen("r-20261129-1a2b"));
	assert_memory_equal(a, "r-20261129-", 11);
	for (i = 0; i < 4; i++) {
		assert_int_equal(pmg_run_id(1795910400, b, &err), 0);
		same += strcmp(a, b) == 0;
	}
	assert_true(same < 4);
}

static void refusals_make_a_record_and_say_when_one_was_sensitive(void **state)
{
	pmg_auto(record) struct pmg_record record = { 0 };
	struct pmg_event event = { .code = 2001, .target = pmg_xstrdup("/a") };

	(void)state;
	assert_true(pmg_record_denied(&record, &event));
	assert_null(event.target);
	assert_false(pmg_record_is_empty(&record));
	assert_false(pmg_record_has_sensitive(&record));
	event = (struct pmg_event){ .code = 2001, .target = pmg_xstrdup("/a") };
	assert_false(pmg_record_denied(&record, &event));
	event = (struct pmg_event){ .code = 2001, .target = pmg_xstrdup("/b"), .sensitive = true };
	assert_true(pmg_record_denied(&record, &event));
	assert_true(pmg_record_has_sensitive(&record));
}

static void a_refusal_is_taken_from_its_message(void **state)
{
	pmg_auto(record) struct pmg_record record = { 0 };
	pmg_auto(json) struct json_t *no_event = pmg_json_array();
	pmg_auto(json) struct json_t *body = NULL;
	struct pmg_event event = { .code = 2001, .target = pmg_xstrdup("/a") };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	pmg_event_clean(&event);
	body = pmg_event_encode(&event);
	assert_int_equal(pmg_record_denied_read(&record, no_event, &err), -PMG_E_PEER);
	assert_int_equal(record.events.n, 0);
	assert_int_equal(pmg_record_denied_read(&record, body, &err), 0);
	assert_int_equal(record.events.n, 1);
	assert_string_equal(record.events.v[0].target, "/a");
	pmg_event_done(&event);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_events_are_counted_not_repeated),
		cmocka_unit_test(what_was_found_in_two_files_of_a_version_stands_together),
		cmocka_unit_test(a_flood_of_allowed_packages_leaves_room_for_blocks),
		cmocka_unit_test(passed_and_troubles_are_bounded),
		cmocka_unit_test(a_run_id_says_the_day),
		cmocka_unit_test(refusals_make_a_record_and_say_when_one_was_sensitive),
		cmocka_unit_test(a_refusal_is_taken_from_its_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
