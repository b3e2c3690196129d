#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "cli/summary.h"

/* @param reason  NULL: it was let in */
static void judged_of(struct pmg_record *record, const char *eco, const char *name,
		      const char *version, int diag, const char *reason, const char *instead)
{
	struct pmg_wire_judged m = {
		.eco = pmg_xstrdup(eco),
		.name = pmg_xstrdup(name),
		.version = pmg_xstrdup(version),
		.verdict = pmg_xstrdup(reason ? "withheld" : "allow"),
		.reason = reason ? pmg_xstrdup(reason) : NULL,
		.diag = diag,
		.instead = instead ? pmg_xstrdup(instead) : NULL,
		.url = pmg_xstrdup("http://registry.test/x"),
	};

	if (diag == 3001)
		pmg_strv_add(&m.ids, "MAL-1");
	assert_true(pmg_record_judged(record, &m));
}

static void judged(struct pmg_record *record, const char *name, const char *version, int diag,
		   const char *reason, const char *instead)
{
	judged_of(record, "npm", name, version, diag, reason, instead);
}

static const struct pmg_summary_how worked = { .notes = true };
static const struct pmg_summary_how failed = { .failed = true, .notes = true, .config = "/c" };
static const struct pmg_summary_how detailed = { .notes = true, .details = true };
static const struct pmg_summary_how asking = { .failed = true, .notes = true, .asks = true };
static const struct pmg_summary_how quiet = { 0 };
static const struct pmg_summary_how quiet_failed = { .failed = true };

static char *said(const struct pmg_record *record, const struct pmg_summary_how *how)
{
	struct pmg_out out = { 0 };
	char *text = NULL;
	size_t len = 0;

	out.messages = open_memstream(&text, &len);
	pmg_summary_withheld(&out, record, how);
	assert_int_equal(fclose(out.messages), 0);
	return text;
}

static void one_line_says_what_was_withheld_and_what_came_instead(void **state)
{
	pmg_auto(record) struct pmg_record record = { 0 };
	pmg_autofree char *text = NULL, *brief = NULL, *none = NULL;

	(void)state;
	judged(&record, "pkg", "5.1.0", 3003, "1 h old, min age 5 d", "5.0.9");
	judged(&record, "pkg", "5.0.10", 3001, "known malware", NULL);
	judged(&record, "pkg", "5.0.9", 0, NULL, NULL);
	judged(&record, "other\033[31m", "2.0.0", 3003, "2 d old, min age 5 d", "1.9.0");
	judged(&record, "third", "1.0.0", 3003, "0 s old, min age 5 d", NULL);
	assert_int_equal(record.n_withheld, 4);
	assert_int_equal(record.n_blocked, 0);
	text = said(&record, &detailed);
	assert_string_equal(
		text, "pmg: withheld: pkg 5.1.0 (1 h old, min age 5 d), 5.0.10 (known malware "
		      "MAL-1, PMG3001) (npm); 5.0.9 used instead\n"
		      "pmg: withheld: other\\x1b[31m 2.0.0 (2 d old, min age 5 d) (npm); 1.9.0 "
		      "offered instead\n"
		      "pmg: withheld: third 1.0.0 (0 s old, min age 5 d) (npm)\n");
	/* What the tool never fetched is not news: counted. */
	brief = said(&record, &worked);
	assert_string_equal(
		brief, "pmg: withheld: pkg 5.1.0 (1 h old, min age 5 d), 5.0.10 (known malware "
		       "MAL-1, PMG3001) (npm); 5.0.9 used instead\n"
		       "pmg: withheld: versions of 2 more packages; -v says which\n");
	none = said(&record, &quiet);
	assert_string_equal(none, "");
}

/* Whoever names a package wants to know why there is no newer one; a list is worth knowing of. */
static void what_was_named_or_is_listed_comes_first(void **state)
{
	static const struct {
		const char *word, *text;
	} rows[] = {
		{ "alpha", "pmg: withheld: alpha 2.0.0 (young) (npm)\n"
			   "pmg: withheld: is-odd 3.0.1 (known malware MAL-1, PMG3001) (npm)\n"
			   "pmg: withheld: came 2.0.0 (young) (npm); 1.0.0 used instead\n"
			   "pmg: withheld: beta 2.0.0 (young) (npm)\n" },
		{ "alpha@latest",
		  "pmg: withheld: alpha 2.0.0 (young) (npm)\npmg: withheld: is-odd " },
		{ "beta", "pmg: withheld: beta 2.0.0 (young) (npm)\npmg: withheld: is-odd " },
		{ "alpha-x", "pmg: withheld: is-odd 3.0.1 (known malware MAL-1, PMG3001) (npm)\n"
			     "pmg: withheld: came 2.0.0 (young) (npm); 1.0.0 used instead\n"
			     "pmg: withheld: versions of 2 more packages; -v says which\n" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(record) struct pmg_record record = { 0 };
		pmg_autofree char *text = NULL;

		pmg_strv_add(&record.argv, "alpha"); /* the tool */
		pmg_strv_add(&record.argv, rows[i].word);
		judged(&record, "came", "2.0.0", 3003, "young", NULL);
		judged(&record, "came", "1.0.0", 0, NULL, NULL);
		judged(&record, "alpha", "2.0.0", 3003, "young", NULL);
		judged(&record, "beta", "2.0.0", 3003, "young", NULL);
		judged(&record, "is-odd", "3.0.1", 3001, "known malware", NULL);
		text = said(&record, &worked);
		if (strncmp(text, rows[i].text, strlen(rows[i].text)) != 0)
			fail_msg("%s: %s", rows[i].word, text);
	}
}

static void a_number_alone_is_not_of_more(void **state)
{
	pmg_auto(record) struct pmg_record record = { 0 };
	pmg_autofree char *one = NULL, *two = NULL;

	(void)state;
	judged(&record, "alpha", "2.0.0", 3003, "young", NULL);
	one = said(&record, &worked);
	assert_string_equal(one, "pmg: withheld: alpha 2.0.0 (young) (npm)\n");
	judged(&record, "beta", "2.0.0", 3003, "young", NULL);
	two = said(&record, &worked);
	assert_string_equal(two, "pmg: withheld: versions of 2 packages; -v says which\n");
}

static void what_is_told_by_number_is_counted(void **state)
{
	pmg_auto(record) struct pmg_record record = { 0 };
	pmg_autofree char *text = NULL;
	char version[] = "5.1.0";

	(void)state;
	for (; version[2] < '5'; version[2]++)
		judged(&record, "pkg", version, 3003, "1 h old, min age 5 d", NULL);
	judged(&record, "other", "2.0.0", 3003, "2 d old, min age 5 d", NULL);
	record.packages[3].what.more = 168;
	record.packages[4].what.more = 1;
	text = said(&record, &detailed);
	assert_string_equal(text, "pmg: withheld: pkg 5.1.0 (1 h old, min age 5 d), 5.2.0 (1 h "
				  "old, min age 5 d), 5.3.0 (1 h old, min age 5 d) and 169 more "
				  "(npm)\n"
				  "pmg: withheld: other 2.0.0 (2 d old, min age 5 d) and 1 more "
				  "(npm)\n");
}

static void a_run_that_failed_for_want_of_it_says_both_ways_out(void **state)
{
	pmg_auto(record) struct pmg_record record = { 0 };
	pmg_autofree char *text = NULL, *brief = NULL, *asked = NULL;

	(void)state;
	judged(&record, "a", "2.0.0", 0, NULL, NULL);
	judged(&record, "b", "2.0.0", 3003, "1 h old, min age 5 d", NULL);
	judged(&record, "c", "3.0.0", 3001, "known malware", NULL);
	judged(&record, "a", "2.1.0", 3003, "1 h old, min age 5 d", "2.0.0");
	record.packages[1].what.note = pmg_xstrdup("old enough on 2026-12-04");
	text = said(&record, &failed);
	assert_string_equal(
		text,
		"pmg: [PMG3004] b (npm): no version that was let in was taken; withheld: 2.0.0 (1 "
		"h old, min age 5 d, old enough on 2026-12-04)\n"
		"pmg:   ask for an older version of it or of what needs it, give "
		"--skip-dependency-cooldown for this once, or let it in: "
		"dependency_cooldown.skip in /c\n"
		"pmg:     - {purl: \"pkg:npm/b@2.0.0\", reason: \"...\"}\n"
		"pmg: [PMG3004] c (npm): no version that was let in was taken; withheld: 3.0.0 "
		"(known malware MAL-1, PMG3001)\n"
		"pmg: withheld: a 2.1.0 (1 h old, min age 5 d) (npm); 2.0.0 used instead\n");
	brief = said(&record, &quiet_failed);
	assert_non_null(strstr(brief, "pmg: [PMG3004] b (npm)"));
	assert_null(strstr(brief, "pmg: withheld: "));
	/* Nothing was to be taken. */
	asked = said(&record, &asking);
	assert_null(strstr(asked, "PMG3004"));
	assert_non_null(strstr(asked, "pmg: withheld: c 3.0.0 (known malware"));
}

static void refused(struct pmg_record *record, const char *name, const char *version)
{
	struct pmg_wire_judged m = {
		.eco = pmg_xstrdup("npm"),
		.name = pmg_xstrdup(name),
		.version = pmg_xstrdup(version),
		.verdict = pmg_xstrdup("block"),
		.reason = pmg_xstrdup("1 h old, min age 5 d"),
		.diag = 3003,
		.url = pmg_xstrdup("http://registry.test/x"),
	};

	assert_true(pmg_record_judged(record, &m));
}

/* The one that came last may be of another line than the one that was asked for. */
static void the_way_out_names_what_was_asked_for(void **state)
{
	static const struct {
		const char *eco, *typed, *refused, *reason, *entries;
	} rows[] = {
		{ "npm", "@a/b@26.6.7", NULL, "young",
		  "let it in: dependency_cooldown.skip in /c\npmg:     - {purl: "
		  "\"pkg:npm/%40a/b@26.6.7\", reason: \"...\"}\n" },
		{ "npm", "@a/b@^26", NULL, "young",
		  "let one of these in: dependency_cooldown.skip in /c\n"
		  "pmg:     - {purl: \"pkg:npm/%40a/b@24.19.4\", reason: \"...\"}\n"
		  "pmg:     - {purl: \"pkg:npm/%40a/b@26.6.7\", reason: \"...\"}\n"
		  "pmg:     - {purl: \"pkg:npm/%40a/b@1.0.0\", reason: \"...\"}\n" },
		{ "npm", "@a/c@26.6.7", NULL, "young", "let one of these in: " },
		{ "npm", "@a/b", "26.6.7", "young",
		  "let it in: dependency_cooldown.skip in /c\npmg:     - {purl: "
		  "\"pkg:npm/%40a/b@26.6.7\", reason: \"...\"}\n" },
		{ "npm", "@a/b@26.6.7", "26.6.7", "young",
		  "let it in: dependency_cooldown.skip in /c\npmg:     - {purl: "
		  "\"pkg:npm/%40a/b@26.6.7\", reason: \"...\"}\n" },
		{ "npm", "@a/b@26.6.7", NULL, "too young by --as-of", NULL },
		{ "pypi", "A_b==26.6.7", NULL, "young",
		  "let it in: dependency_cooldown.skip in /c\npmg:     - {purl: "
		  "\"pkg:pypi/a-b@26.6.7\", reason: \"...\"}\n" },
	};
	static const char *const there[] = { "24.19.4", "26.6.7", "1.0.0", "0.9.0" };
	size_t i, k;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(record) struct pmg_record record = { 0 };
		pmg_autofree char *text = NULL;
		const char *name = strcmp(rows[i].eco, "npm") == 0 ? "@a/b" : "a-b";

		pmg_strv_add(&record.argv, "tool");
		pmg_strv_add(&record.argv, rows[i].typed);
		for (k = 0; k < PMG_ARRAY_LEN(there); k++)
			judged_of(&record, rows[i].eco, name, there[k], 3003, rows[i].reason, NULL);
		if (rows[i].refused)
			refused(&record, name, rows[i].refused);
		text = said(&record, &failed);
		if (rows[i].entries ? !strstr(text, rows[i].entries)
				    : strstr(text, "dependency_cooldown") != NULL)
			fail_msg("%s: %s", rows[i].typed, text);
	}
}

/* Pages of PyPI are asked for by one spelling, files are named by another. */
static void a_project_is_one_in_every_spelling(void **state)
{
	pmg_auto(record) struct pmg_record record = { 0 };
	pmg_autofree char *text = NULL;

	(void)state;
	judged_of(&record, "pypi", "my-name", "2.0", 3003, "1 h old, min age 5 d", NULL);
	judged_of(&record, "pypi", "My_Name", "1.9", 0, NULL, NULL);
	judged_of(&record, "npm", "my.name", "2.0.0", 3003, "1 h old, min age 5 d", NULL);
	judged_of(&record, "npm", "my-name", "1.9.0", 0, NULL, NULL);
	text = said(&record, &detailed);
	assert_string_equal(
		text, "pmg: withheld: my-name 2.0 (1 h old, min age 5 d) (pypi); 1.9 used instead\n"
		      "pmg: withheld: my.name 2.0.0 (1 h old, min age 5 d) (npm)\n");
}

static size_t lines_of(const char *text)
{
	size_t n = 0;

	for (; (text = strchr(text, '\n')); text++)
		n++;
	return n;
}

static void many_are_counted(void **state)
{
	pmg_auto(record) struct pmg_record record = { .id = "r-1" };
	pmg_autofree char *text = NULL, *more = NULL;
	char name[16], version[16];
	unsigned i, k;

	(void)state;
	for (i = 0; i < PMG_SUMMARY_DETAILED + 3; i++)
		for (k = 0; k < 6; k++) {
			(void)snprintf(name, sizeof name, "p%u", i);
			(void)snprintf(version, sizeof version, "%u", k);
			/* The last is what was taken. */
			judged(&record, name, version, k < 5 ? 3003 : 0, k < 5 ? "young" : NULL,
			       NULL);
		}
	text = said(&record, &worked);
	assert_int_equal(lines_of(text), PMG_SUMMARY_WITHHELD + 1);
	assert_non_null(strstr(text, "p0 0 (young), 1 (young), 2 (young) and 2 more (npm); 5 used "
				     "instead\n"));
	assert_non_null(strstr(text, "versions of 48 more packages; -v says which\n"));
	more = said(&record, &detailed);
	assert_int_equal(lines_of(more), PMG_SUMMARY_DETAILED + 1);
	assert_non_null(strstr(more, "versions of 3 more packages: \"pmg audit list --run r-1 "
				     "--json\"\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_line_says_what_was_withheld_and_what_came_instead),
		cmocka_unit_test(what_was_named_or_is_listed_comes_first),
		cmocka_unit_test(a_number_alone_is_not_of_more),
		cmocka_unit_test(what_is_told_by_number_is_counted),
		cmocka_unit_test(a_run_that_failed_for_want_of_it_says_both_ways_out),
		cmocka_unit_test(the_way_out_names_what_was_asked_for),
		cmocka_unit_test(a_project_is_one_in_every_spelling),
		cmocka_unit_test(many_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
