#include "cli/summary.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

static void judged(struct pmg_record *record, const char *name, const char *version, int diag,
		   const char *reason)
{
	struct pmg_wire_judged m = {
		.eco = pmg_xstrdup("npm"),
		.name = pmg_xstrdup(name),
		.version = pmg_xstrdup(version),
		.verdict = pmg_xstrdup(diag ? "block" : "allow"),
		.reason = reason ? pmg_xstrdup(reason) : NULL,
		.diag = diag,
		.rule = diag == 3006 ? pmg_xstrdup("pkg:npm/%40acme/x") : NULL,
		.note = diag == 3006 ? pmg_xstrdup("because\033[31m") : NULL,
		.url = pmg_xstrdup("http://registry.test/x"),
	};

	if (diag == 3001) {
		pmg_strv_add(&m.ids, "MAL-1");
		pmg_strv_add(&m.ids, "MAL-2");
	}
	(void)pmg_record_judged(record, &m);
}

static void trouble(struct pmg_record *record, unsigned n)
{
	struct pmg_wire_trouble m = { pmg_xasprintf("r%u.test:443", n), pmg_xstrdup("no way"),
				      n == 0 ? 4004 : 0 };

	(void)pmg_record_trouble(record, &m);
}

/* What `fn` says of a record. */
static char *said(void (*fn)(const struct pmg_out *out, const struct pmg_record *record),
		  const struct pmg_record *record)
{
	struct pmg_out out = { 0 };
	char *text = NULL;
	size_t len = 0;

	out.messages = open_memstream(&text, &len);
	fn(&out, record);
	assert_int_equal(fclose(out.messages), 0);
	return text;
}

static void refusals(const struct pmg_out *out, const struct pmg_record *record)
{
	pmg_summary_refusals(out, record, &(struct pmg_summary_how){ .config = "/c/config.yml" });
}

static void each_refusal_says_what_why_and_what_would_allow_it(void **state)
{
	pmg_auto(record) struct pmg_record record = { 0 };
	pmg_autofree char *text = NULL;

	(void)state;
	judged(&record, "fine", "1.0.0", 0, NULL);
	judged(&record, "evil", "1.0.0", 3001, "known malware");
	judged(&record, "@acme/x", "2.0.0", 3006, "on your block list");
	judged(&record, "odd", "", 3005, "name or version cannot be read");
	judged(&record, "deep", "1.0.0", 3009, "inspection");
	judged(&record, "new", "2.0.0", 3003, "too young by --as-of");
	judged(&record, "@a/young", "2.0.0+\"x", 3003, "1 h old, min age 5 d");
	text = said(refusals, &record);
	assert_string_equal(
		text, "pmg: [PMG3001] refused evil@1.0.0 (npm): known malware MAL-1 MAL-2\n"
		      "pmg:   known malware; find out what asks for it and take that away\n"
		      "pmg:   if the feed is mistaken: pmg intel allow --reason \"...\" "
		      "pkg:npm/evil@1.0.0\n"
		      "pmg: [PMG3006] refused @acme/x@2.0.0 (npm): on your block list "
		      "(because\\x1b[31m)\n"
		      "pmg:   \"pmg intel unblock pkg:npm/%40acme/x\" allows it\n"
		      "pmg: [PMG3005] refused odd (npm): name or version cannot be read\n"
		      "pmg:   its name or version cannot be read, so nothing can be said of it\n"
		      "pmg: [PMG3009] refused deep@1.0.0 (npm): inspection\n"
		      "pmg:   look at the package by hand; \"pmg sandbox explain PMG3009\" says "
		      "what may be let in, and how\n"
		      "pmg: [PMG3003] refused new@2.0.0 (npm): too young by --as-of\n"
		      "pmg:   take an older one, or give --as-of a later day\n"
		      "pmg: [PMG3003] refused @a/young@2.0.0+\"x (npm): 1 h old, min age 5 d\n"
		      "pmg:   take an older one, give --skip-dependency-cooldown for this once, or "
		      "let exactly this one in: dependency_cooldown.skip in /c/config.yml\n"
		      "pmg:     - {purl: \"pkg:npm/%40a/young@2.0.0%2B%22x\", reason: \"...\"}\n");
}

/* A lockfile may pin hundreds of them. */
static void of_versions_that_are_too_young_the_first_are_told(void **state)
{
	pmg_auto(record) struct pmg_record record = { .id = "r-1" };
	pmg_autofree char *text = NULL;
	unsigned i;

	(void)state;
	for (i = 0; i < PMG_SUMMARY_YOUNG + 2; i++) {
		pmg_autofree char *name = pmg_xasprintf("y%u", i);

		judged(&record, name, "1.0.0", 3003, "1 h old, min age 5 d");
	}
	judged(&record, "bad", "1.0.0", 3001, "known malware");
	text = said(refusals, &record);
	assert_non_null(strstr(text, "refused y7@1.0.0"));
	assert_null(strstr(text, "refused y8@1.0.0"));
	assert_non_null(strstr(text, "refused bad@1.0.0"));
	assert_non_null(strstr(text,
			       "pmg: 2 more versions are refused for their age: \"pmg audit list "
			       "--run r-1 --json\" has them\n"));
}

static void no_refusal_says_nothing(void **state)
{
	pmg_auto(record) struct pmg_record record = { 0 };
	pmg_autofree char *text = NULL;

	(void)state;
	judged(&record, "fine", "1.0.0", 0, NULL);
	text = said(refusals, &record);
	assert_string_equal(text, "");
}

static void waived(struct pmg_record *record, const char *name, const char *verdict,
		   const char *waiver)
{
	struct pmg_wire_judged m = {
		.eco = pmg_xstrdup("npm"),
		.name = pmg_xstrdup(name),
		.version = pmg_xstrdup("1.0.0"),
		.verdict = pmg_xstrdup(verdict),
		.url = pmg_xstrdup("http://registry.test/x"),
	};

	pmg_strv_add(&m.waivers, waiver);
	(void)pmg_record_judged(record, &m);
}

static void each_use_of_a_waiver_is_said_by_what_it_is(void **state)
{
	pmg_auto(record) struct pmg_record record = { .id = "r-1" };
	pmg_autofree char *text = NULL;
	pmg_autofree char *more = NULL;
	unsigned i;

	(void)state;
	judged(&record, "fine", "1.0.0", 0, NULL);
	waived(&record, "refused-all-the-same", "block", "too young, waived by me");
	waived(&record, "x", "allow", "too young, waived by trusted_packages\033[31m");
	for (i = 0; i < 7; i++) {
		pmg_autofree char *name = pmg_xasprintf("y%u", i);

		waived(&record, name, "allow", "too young, waived by undated");
	}
	text = said(pmg_summary_waivers, &record);
	assert_string_equal(text,
			    "pmg: let in x@1.0.0 (npm): too young, waived by "
			    "trusted_packages\\x1b[31m\n"
			    "pmg: let in y0@1.0.0, y1@1.0.0, y2@1.0.0, y3@1.0.0, y4@1.0.0 and 2 "
			    "more (npm): too young, waived by undated\n");
	for (i = 0; i < PMG_SUMMARY_WAIVERS; i++) {
		pmg_autofree char *name = pmg_xasprintf("z%u", i);

		waived(&record, name, "allow", name);
	}
	more = said(pmg_summary_waivers, &record);
	assert_non_null(strstr(more, "pmg: 2 more let in all the same: \"pmg audit list --run r-1 "
				     "--json\"\n"));
	assert_null(strstr(more, "z18"));
}

static void only_the_first_troubles_are_shown(void **state)
{
	pmg_auto(record) struct pmg_record record = { .id = "r-1" };
	pmg_autofree char *text = NULL;
	unsigned i;

	(void)state;
	for (i = 0; i < PMG_SUMMARY_TROUBLES + 2; i++)
		trouble(&record, i);
	text = said(pmg_summary_troubles, &record);
	assert_memory_equal(text, "pmg: [PMG4004] r0.test:443: no way\n", 35);
	assert_non_null(strstr(text, "pmg: r4.test:443: no way\n"
				     "pmg: 2 more: \"pmg audit list --run r-1 --json\"\n"));
}

static void details_count_what_was_judged(void **state)
{
	struct pmg_run_result result = {
		.blocklist = 1, .requests = 9, .bytes = 2500, .took_ms = 1234
	};
	struct pmg_wire_passed passed = { pmg_xstrdup("h.test:443"), pmg_xstrdup("tunnel") };
	struct pmg_out out = { 0 };
	char *text = NULL;
	size_t len = 0;

	(void)state;
	(void)snprintf(result.record.id, sizeof result.record.id, "r-1");
	result.record.index_present = true;
	result.record.index_built = 86400;
	result.index.state = PMG_INDEX_FRESH;
	result.index.checked = pmg_clock_now() - 7 * 3600 - 60;
	result.record.index_records = 7;
	judged(&result.record, "fine", "1.0.0", 0, NULL);
	judged(&result.record, "evil", "1.0.0", 3001, "known malware");
	(void)pmg_record_passed(&result.record, &passed);
	out.messages = open_memstream(&text, &len);
	pmg_summary_details(&out, &result);
	assert_int_equal(fclose(out.messages), 0);
	assert_string_equal(
		text, "pmg: not judged: h.test:443 (tunnel, 1 time)\n"
		      "pmg: index: 7 records of 1970-01-02T00:00:00Z, brought up to date 7 hours "
		      "ago; block list: 1 entry\n"
		      "pmg: run r-1: 2 packages judged, 1 refused, 1 host not judged; "
		      "9 requests, 2 kB, 1.2 s\n");
	free(text);
	pmg_run_result_done(&result);
}

/* The last lines of the details of a run. */
static void assert_details_end(const struct pmg_run_result *result, const char *expected)
{
	struct pmg_out out = { 0 };
	char *text = NULL;
	size_t len = 0;

	out.messages = open_memstream(&text, &len);
	pmg_summary_details(&out, result);
	assert_int_equal(fclose(out.messages), 0);
	assert_true(len >= strlen(expected));
	assert_string_equal(text + len - strlen(expected), expected);
	free(text);
}

static void one_of_a_thing_is_said_in_the_singular(void **state)
{
	struct pmg_run_result result = { .requests = 1, .fetches = true };

	(void)state;
	(void)snprintf(result.record.id, sizeof result.record.id, "r-1");
	result.record.index_present = true;
	result.record.index_records = 1;
	result.index.state = PMG_INDEX_STALE;
	result.index.checked = pmg_clock_now() - 86400 - 60;
	judged(&result.record, "fine", "1.0.0", 0, NULL);
	assert_details_end(
		&result,
		"pmg: index: 1 record of 1970-01-01T00:00:00Z, brought up to date 1 day ago "
		"(old); block list: 0 entries\n"
		"pmg: run r-1: 1 package judged, 0 refused, 0 hosts not judged; "
		"1 request, 0 kB, 0.0 s\n");
	pmg_run_result_done(&result);
}

/* Else "0 packages judged" of an install from the cache reads as if all was well. */
static void an_install_that_fetched_nothing_says_what_is_not_seen(void **state)
{
	struct pmg_run_result result = { .fetches = true };

	(void)state;
	assert_details_end(&result, "0.0 s\npmg: no package was fetched; what came from the tool's "
				    "own cache is not seen\n");
	result.fetches = false;
	assert_details_end(&result, "0 requests, 0 kB, 0.0 s\n");
}

static void details_say_that_there_was_no_index(void **state)
{
	struct pmg_run_result result = { 0 };
	struct pmg_out out = { 0 };
	char *text = NULL;
	size_t len = 0;

	(void)state;
	out.messages = open_memstream(&text, &len);
	pmg_summary_details(&out, &result);
	assert_int_equal(fclose(out.messages), 0);
	assert_true(pmg_str_has_prefix(text, "pmg: index: none; block list: 0 entries\n"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_refusal_says_what_why_and_what_would_allow_it),
		cmocka_unit_test(of_versions_that_are_too_young_the_first_are_told),
		cmocka_unit_test(no_refusal_says_nothing),
		cmocka_unit_test(each_use_of_a_waiver_is_said_by_what_it_is),
		cmocka_unit_test(only_the_first_troubles_are_shown),
		cmocka_unit_test(details_count_what_was_judged),
		cmocka_unit_test(one_of_a_thing_is_said_in_the_singular),
		cmocka_unit_test(an_install_that_fetched_nothing_says_what_is_not_seen),
		cmocka_unit_test(details_say_that_there_was_no_index),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
