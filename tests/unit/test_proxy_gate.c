#include "proxy/gate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/str.h"
#include "tests/unit/linked.h"
#include "violation/wire.h"

/* The judge of these tests: "evil" is malware, "odd" cannot be read, "broken" cannot be asked,
 * "listed" is on the user's list, "@own/evil" is let in where it is private. */
int __wrap_pmg_judge_decide(struct pmg_judge *judge, const struct pmg_question *q,
			    struct pmg_judgement *out, struct pmg_err *err);
int __wrap_pmg_judge_decide(struct pmg_judge *judge, const struct pmg_question *q,
			    struct pmg_judgement *out, struct pmg_err *err)
{
	const char *name = q->name;
	size_t i;

	(void)judge;
	if (pmg_streq(name, "@own/evil") && q->origin == PMG_PLACE_PRIVATE) {
		pmg_strv_add(&out->waivers, "known malware, waived by its origin");
		return 0;
	}
	if (pmg_streq(name, "@own/evil"))
		name = "evil";
	if (pmg_streq(name, "broken"))
		return pmg_err_set(err, PMG_E_DB, 0, "database is locked");
	if (pmg_streq(name, "odd")) {
		out->verdict = PMG_VERDICT_INDETERMINATE;
		out->reason = PMG_REASON_INDETERMINATE;
	} else if (pmg_streq(name, "evil")) {
		out->verdict = PMG_VERDICT_BLOCK;
		out->reason = PMG_REASON_MALWARE;
		for (i = 1; i <= 5; i++)
			pmg_strv_addf(&out->ids, "MAL-2026-%zu", i);
		pmg_strv_add(&out->sources, "osv");
	} else if (pmg_streq(name, "listed")) {
		out->verdict = PMG_VERDICT_BLOCK;
		out->reason = PMG_REASON_BLOCKLIST;
		out->note = pmg_xstrdup("because\x1b[31m I say so");
	}
	return 0;
}

struct world {
	struct linked front;
	struct pmg_report *report;
};

static int setup(void **state)
{
	struct world *w = pmg_xcalloc(1, sizeof *w);

	linked_begin(&w->front);
	w->report = pmg_report_new(w->front.link);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	pmg_report_free(w->report);
	linked_end(&w->front);
	free(w);
	return 0;
}

/* All that the front was told, in short. */
static char *told(struct world *w)
{
	struct pmg_str text = PMG_STR_INIT(65536);
	struct pmg_err err = PMG_ERR_INIT;
	int r;

	pmg_link_send(w->front.link, 99, pmg_json_object()); /* so that this ends */
	for (;;) {
		pmg_auto(msg) struct pmg_msg msg = { 0 };
		pmg_auto(wire_judged) struct pmg_wire_judged judged = { 0 };
		pmg_auto(wire_passed) struct pmg_wire_passed passed = { 0 };
		pmg_auto(wire_trouble) struct pmg_wire_trouble trouble = { 0 };

		r = pmg_msg_recv(w->front.fds[1], &msg, &err);
		assert_int_equal(r, 1);
		if (msg.type == 99)
			return pmg_str_steal(&text);
		if (msg.type == PMG_WIRE_JUDGED) {
			assert_int_equal(pmg_wire_judged_decode(msg.body, &judged, &err), 0);
			r = pmg_str_addf(&text, "%s %s@%s %s %d %s%s%s; ", judged.verdict,
					 judged.name, judged.version,
					 judged.reason ? judged.reason : "-", judged.diag,
					 judged.url, judged.waivers.n ? " " : "",
					 judged.waivers.n ? judged.waivers.v[0] : "");
		} else if (msg.type == PMG_WIRE_PASSED) {
			assert_int_equal(pmg_wire_passed_decode(msg.body, &passed, &err), 0);
			r = pmg_str_addf(&text, "%s %s; ", passed.why, passed.target);
		} else {
			assert_int_equal(pmg_wire_trouble_decode(msg.body, &trouble, &err), 0);
			r = pmg_str_addf(&text, "trouble %s %s; ", trouble.target, trouble.what);
		}
		assert_int_equal(r, 0);
	}
}

static bool admit(struct world *w, struct pmg_asked *asked, const char *address,
		  struct pmg_refusal *out)
{
	pmg_auto(catalog) struct pmg_catalog *catalog = pmg_catalog_new();
	struct pmg_gate gate = { NULL, w->report, catalog };
	pmg_auto(url) struct pmg_url url = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(pmg_catalog_add_registry(catalog, PMG_ECO_NPM, "https://own.test/", &err),
			 0);
	pmg_catalog_set_private(catalog, 0, "@own");
	assert_int_equal(pmg_url_parse(address, &url, &err), 0);
	return pmg_gate_admit(&gate, asked, &url, out);
}

static void every_reading_must_be_allowed(void **state)
{
	static const struct {
		const char *first, *second;
		bool admitted;
		const char *text, *told;
	} rows[] = {
		{ "good", NULL, true, NULL, "allow good@1 - 0 https://r.test/x; " },
		{ "good", "fine", true, NULL, "allow good@1 - 0 https://r.test/x; " },
		{ "evil", NULL, false,
		  "pmg blocked evil@1: known malware (MAL-2026-1, MAL-2026-2, MAL-2026-3 and 2 "
		  "more) [PMG3001]",
		  "block evil@1 known malware 3001 https://r.test/x; " },
		{ "good", "evil", false, NULL,
		  "block evil@1 known malware 3001 https://r.test/x; " },
		{ "odd", NULL, false, NULL,
		  "block odd@1 its name or version cannot be read 3005 https://r.test/x; " },
		{ "broken", NULL, false,
		  "pmg blocked broken@1: it could not be judged: database is locked [PMG3005]",
		  "block broken@1 it could not be judged: database is locked 3005 "
		  "https://r.test/x; " },
		{ "listed", NULL, false,
		  "pmg blocked listed@1: on your block list: because\\x1b[31m I say so [PMG3006]",
		  "block listed@1 on your block list 3006 https://r.test/x; " },
	};
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(asked) struct pmg_asked asked = { .kind = PMG_PATH_ARTIFACT,
							   .is_known = true };
		struct pmg_refusal refusal = { 0 };
		pmg_autofree char *got = NULL;
		struct world *w;

		assert_int_equal(i > 0 ? teardown(state) : 0, 0);
		assert_int_equal(i > 0 ? setup(state) : 0, 0);
		w = *state;
		pmg_identities_add(&asked.who, PMG_ECO_NPM, rows[i].first, "1");
		if (rows[i].second)
			pmg_identities_add(&asked.who, PMG_ECO_NPM, rows[i].second, "1");
		assert_int_equal(admit(w, &asked, "https://r.test/x?token=1", &refusal),
				 rows[i].admitted);
		assert_int_equal(refusal.status, rows[i].admitted ? 0 : 403);
		if (rows[i].text)
			assert_string_equal(refusal.text, rows[i].text);
		got = told(w);
		assert_string_equal(got, rows[i].told);
	}
}

static void where_it_comes_from_is_asked_too_and_each_use_is_told(void **state)
{
	struct world *w = *state;
	pmg_auto(asked) struct pmg_asked asked = { .kind = PMG_PATH_ARTIFACT, .is_known = true };
	struct pmg_refusal refusal = { 0 };
	pmg_autofree char *got = NULL;

	pmg_identities_add(&asked.who, PMG_ECO_NPM, "@own/evil", "1");
	assert_false(admit(w, &asked, "https://r.test/x", &refusal));
	assert_true(admit(w, &asked, "https://own.test/x", &refusal));
	got = told(w);
	assert_string_equal(got, "block @own/evil@1 known malware 3001 https://r.test/x; "
				 "allow @own/evil@1 - 0 https://own.test/x known malware, waived "
				 "by its origin; ");
}

static void an_answer_is_told_once_and_a_refusal_given_every_time(void **state)
{
	struct world *w = *state;
	pmg_auto(asked) struct pmg_asked asked = { .kind = PMG_PATH_ARTIFACT, .is_known = true };
	struct pmg_refusal refusal = { 0 };
	pmg_autofree char *first = NULL;
	pmg_autofree char *second = NULL;

	pmg_identities_add(&asked.who, PMG_ECO_PYPI, "evil", NULL);
	assert_false(admit(w, &asked, "https://r.test/x", &refusal));
	first = told(w);
	assert_string_equal(first, "block evil@ known malware 3001 https://r.test/x; ");
	assert_int_equal(refusal.eco, PMG_ECO_PYPI);
	assert_false(admit(w, &asked, "https://r.test/x", &refusal));
	second = told(w);
	assert_string_equal(second, "");
}

static void reason_phrases_are_plain_ascii(void **state)
{
	struct world *w = *state;
	pmg_auto(asked) struct pmg_asked asked = { .kind = PMG_PATH_ARTIFACT, .is_known = true };
	struct pmg_refusal refusal = { 0 };

	pmg_identities_add(&asked.who, PMG_ECO_NPM, "good\xc3\xa9", "1");
	pmg_identities_add(&asked.who, PMG_ECO_NPM, "evil", "1\xff\r\nX: y");
	assert_false(admit(w, &asked, "https://r.test/x", &refusal));
	assert_string_equal(refusal.reason, "Blocked by pmg: evil@1???X: y: known malware");
	assert_null(strpbrk(refusal.text, "\r\n\xff"));
}

static void too_many_readings_and_odd_addresses_are_refused(void **state)
{
	struct world *w = *state;
	pmg_auto(asked) struct pmg_asked asked = { .kind = PMG_PATH_ARTIFACT, .is_known = true };
	struct pmg_asked odd = { .is_known = true, .is_odd = true };
	struct pmg_refusal refusal = { 0 };
	pmg_autofree char *got = NULL;

	asked.who.overflow = true;
	assert_false(admit(w, &asked, "https://r.test/a-1-2.zip", &refusal));
	assert_int_equal(refusal.status, 403);
	got = told(w);
	assert_string_equal(got, "block a-1-2.zip@ its address can be read in too many ways 3005 "
				 "https://r.test/a-1-2.zip; ");
	assert_false(admit(w, &odd, "https://r.test/%252e", &refusal));
	assert_int_equal(refusal.status, 400);
}

static void what_is_not_judged_is_told(void **state)
{
	static const struct {
		struct pmg_asked asked;
		const char *address, *told;
	} rows[] = {
		{ { .is_known = true, .kind = PMG_PATH_METADATA }, "https://r.test/x", "" },
		{ { .is_known = true }, "https://r.test/-/v1/search", "" },
		{ { .is_known = true, .looks_like_artifact = true },
		  "https://r.test/a.tgz",
		  "artifact https://r.test/a.tgz; " },
		{ { .is_known = true, .kind = PMG_PATH_ARTIFACT },
		  "https://r.test/blob",
		  "artifact https://r.test/blob; " },
		{ { 0 }, "http://u:p@h.test/a?b", "request http://h.test/a; " },
		{ { 0 }, "http://h.test/a?c", "" },
		{ { .looks_like_artifact = true },
		  "http://h.test/a.zip",
		  "artifact http://h.test/a.zip; " },
	};
	struct world *w = *state;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		struct pmg_asked asked = rows[i].asked;
		struct pmg_refusal refusal = { 0 };
		pmg_autofree char *got = NULL;

		assert_true(admit(w, &asked, rows[i].address, &refusal));
		got = told(w);
		assert_string_equal(got, rows[i].told);
	}
}

static void tables_of_what_was_told_are_bounded(void **state)
{
	struct world *w = *state;
	struct pmg_err err = PMG_ERR_INIT;
	size_t i, last = 0;
	pmg_autofree char *after = NULL;

	for (i = 0; i < PMG_REPORT_PASSED_MAX + 3; i++) {
		pmg_autofree char *target = pmg_xasprintf("h%zu.test:443", i);
		pmg_autofree char *got = NULL;

		pmg_report_passed(w->report, target, "tunnel");
		got = told(w);
		last = got[0] ? i : last;
		if (i == PMG_REPORT_PASSED_MAX)
			assert_string_equal(got, "tunnel (and more); ");
	}
	assert_int_equal(last, PMG_REPORT_PASSED_MAX);
	for (i = 0; i < 2; i++) {
		(void)pmg_err_set(&err, PMG_E_NETWORK, 0, "no");
		pmg_report_trouble(w->report, "h.test:443", &err);
	}
	after = told(w);
	assert_string_equal(after, "trouble h.test:443 no; ");
}

static void a_target_is_not_told_twice_in_one_line(void **state)
{
	static const struct {
		const char *msg;
		const char *told;
	} rows[] = {
		{ "h.test:443: no connection", "trouble h.test:443 no connection; " },
		{ "h.test:4430: no connection", "trouble h.test:443 h.test:4430: no connection; " },
		{ "h.test:443", "trouble h.test:443 h.test:443; " },
		{ "parent proxy p.test:1: no", "trouble h.test:443 parent proxy p.test:1: no; " },
	};
	struct world *w = *state;
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *got = NULL;

		(void)pmg_err_set(&err, PMG_E_NETWORK, 0, "%s", rows[i].msg);
		pmg_report_trouble(w->report, "h.test:443", &err);
		got = told(w);
		assert_string_equal(got, rows[i].told);
	}
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(every_reading_must_be_allowed),
		TEST(where_it_comes_from_is_asked_too_and_each_use_is_told),
		TEST(an_answer_is_told_once_and_a_refusal_given_every_time),
		TEST(reason_phrases_are_plain_ascii),
		TEST(too_many_readings_and_odd_addresses_are_refused),
		TEST(what_is_not_judged_is_told),
		TEST(tables_of_what_was_told_are_bounded),
		TEST(a_target_is_not_told_twice_in_one_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
