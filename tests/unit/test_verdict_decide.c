#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../helper/folder.h"
#include "../helper/records.h"
#include "base/str.h"
#include "conf/packages.h"
#include "verdict/digest.h"
#include "verdict/judge.h"

#define NOW   1796000000 /* 2026-11-30T00:53:20Z */
#define HOUR  3600
#define DAY   86400
#define OLD   (NOW - 30 * DAY)
#define YOUNG (NOW - 3 * HOUR)

static const char *const feed[] = {
	RECORD("MAL-1", "bad", VERSIONS("\"1.0.0\"")),
	RECORD("MAL-2", "bad", VERSIONS("\"1.0.0\"")),
	RECORD("MAL-3", "ranged", RANGE("{\"introduced\":\"1.0.0\"},{\"fixed\":\"2.0.0\"}")),
	RECORD("GHSA-1", "good", RANGE("{\"introduced\":\"0\"},{\"fixed\":\"1.0.1\"}")),
	RECORD("GHSA-2", "good", RANGE("{\"introduced\":\"0\"},{\"fixed\":\"v1.0.1\"}")),
	RECORD("GHSA-3", "bad", RANGE("{\"introduced\":\"0\"},{\"fixed\":\"1.0.0\"}")),
	RECORD("MAL-4", "another", VERSIONS("\"1.0.0\"") "," HASH("sha256", ABC256)),
	NULL,
};

static char *dir, *index_path, *list_path;

static int setup(void **state)
{
	static const char list[] = "schema_version: 1\nblock: [{purl: \"pkg:npm/mine@1.0.0\"}]\n";

	(void)state;
	dir = folder_new();
	index_path = pmg_path_join(dir, "intel.db");
	list_path = pmg_path_join(dir, "blocklist.yml");
	(void)records_build(dir, "osv", feed);
	folder_write(dir, "blocklist.yml", list, strlen(list));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	folder_free(dir);
	free(index_path);
	free(list_path);
	return 0;
}

static void add(struct pmg_packages_list *list, const char *purl, const char *id)
{
	struct pmg_packages_entry entry = {
		.purl = pmg_xstrdup(purl),
		.id = id ? pmg_xstrdup(id) : NULL,
		.where = pmg_xstrdup("c.yml:3"),
		.reason = pmg_xstrdup("audited"),
	};

	pmg_packages_add(list, &entry);
}

static struct pmg_judge *open_judge(const struct pmg_packages *packages)
{
	struct pmg_judge *judge = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(pmg_judge_open(index_path, list_path, &judge, &err), 0);
	assert_int_equal(pmg_judge_set_packages(judge, packages, &err), 0);
	return judge;
}

static void decide(const struct pmg_packages *packages, const struct pmg_question *q,
		   struct pmg_judgement *out)
{
	pmg_auto(judge) struct pmg_judge *judge = open_judge(packages);
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(pmg_judge_decide(judge, q, out, &err), 0);
}

static void fresh(struct pmg_packages *packages)
{
	pmg_packages_init(packages);
	packages->now = NOW;
}

/* docs/packages.md, "What waives what": every way to be named, against everything that refuses. */
enum list { NOWHERE, TRUSTED, SKIPPED, OVERRIDDEN, LISTS };

static const char *const list_names[LISTS] = { "nowhere", "trusted", "skipped", "overridden" };

enum fault { LISTED, FILE_LISTED, UNREADABLE, TOO_YOUNG, UNDATED, ON_BLOCKLIST, FAULTS };

static const struct fault_row {
	const char *what;
	struct pmg_question q;
	int diag;
	bool waived[LISTS][2]; /* by an entry without, and with the version */
} faults[FAULTS] = {
	[LISTED] = { "known malware",
		     { .name = "bad", .version = "1.0.0", .published = OLD },
		     3001,
		     { [TRUSTED] = { true, true }, [OVERRIDDEN] = { false, true } } },
	[FILE_LISTED] = { "the file itself is known malware",
			  { .name = "good", .version = "1.0.0", .published = OLD },
			  3002,
			  { [TRUSTED] = { true, true }, [OVERRIDDEN] = { false, true } } },
	[UNREADABLE] = { "its name or version cannot be read",
			 { .name = "ranged", .version = "odd", .published = OLD },
			 3005,
			 { [TRUSTED] = { true, false } } },
	[TOO_YOUNG] = { "too young",
			{ .name = "good", .version = "1.0.0", .published = YOUNG },
			3003,
			{ [TRUSTED] = { true, true }, [SKIPPED] = { true, true } } },
	[UNDATED] = { "no publish time",
		      { .name = "good", .version = "1.0.0", .published = PMG_DATE_NONE },
		      3003,
		      { [TRUSTED] = { true, true }, [SKIPPED] = { true, true } } },
	[ON_BLOCKLIST] = { "on your block list",
			   { .name = "mine", .version = "1.0.0", .published = OLD },
			   3006,
			   { { false, false } } },
};

static void name_it(struct pmg_packages *p, enum list list, const char *name, bool versioned)
{
	pmg_autofree char *purl = pmg_xasprintf("pkg:npm/%s%s", name, versioned ? "@1.0.0" : "");

	if (list == TRUSTED)
		add(&p->trusted, purl, NULL);
	if (list == SKIPPED)
		add(&p->skip, purl, NULL);
	if (list == OVERRIDDEN && versioned) {
		add(&p->overrides, purl, "MAL-1");
		add(&p->overrides, purl, "MAL-2");
		add(&p->overrides, purl, "MAL-4");
	}
}

static void check_cell(const struct fault_row *row, enum list list, bool versioned)
{
	pmg_auto(packages) struct pmg_packages p = { 0 };
	pmg_auto(judgement) struct pmg_judgement j = { 0 };
	struct pmg_digest digest;
	struct pmg_question q = row->q;
	struct pmg_err err = PMG_ERR_INIT;
	bool waived = row->waived[list][versioned];

	fresh(&p);
	name_it(&p, list, q.name, versioned);
	assert_int_equal(pmg_digest_hex(PMG_DIGEST_SHA256, ABC256, &digest, &err), 0);
	if (row->diag == 3002)
		q.sha256 = digest.bytes;
	decide(&p, &q, &j);
	if ((j.verdict == PMG_VERDICT_ALLOW) != waived ||
	    pmg_reason_diag(j.reason) != (waived ? 0 : row->diag) || (j.waivers.n > 0) != waived)
		fail_msg("%s, %s %s version: PMG%d, %zu waivers", row->what, list_names[list],
			 versioned ? "with" : "without", pmg_reason_diag(j.reason), j.waivers.n);
}

static void each_list_waives_what_the_table_says(void **state)
{
	enum list list;
	size_t i;

	(void)state;
	for (i = 0; i < FAULTS; i++)
		for (list = 0; list < LISTS; list++) {
			check_cell(&faults[i], list, false);
			check_cell(&faults[i], list, true);
		}
}

/* Reports: two lists, each with or without a version, against malware and age at once. */
static void to_skip_the_wait_never_waives_malware(void **state)
{
	struct pmg_question q = { .name = "bad", .version = "1.0.0", .published = YOUNG };
	enum { WITHOUT = 1, WITH = 2, BOTH = 3 };
	int trusted, skipped;

	(void)state;
	for (trusted = 0; trusted <= BOTH; trusted++)
		for (skipped = 0; skipped <= BOTH; skipped++) {
			pmg_auto(packages) struct pmg_packages p = { 0 };
			pmg_auto(judgement) struct pmg_judgement j = { 0 };

			fresh(&p);
			if (trusted & WITHOUT)
				name_it(&p, TRUSTED, "bad", false);
			if (trusted & WITH)
				name_it(&p, TRUSTED, "bad", true);
			if (skipped & WITHOUT)
				name_it(&p, SKIPPED, "bad", false);
			if (skipped & WITH)
				name_it(&p, SKIPPED, "bad", true);
			decide(&p, &q, &j);
			assert_int_equal(j.verdict,
					 trusted ? PMG_VERDICT_ALLOW : PMG_VERDICT_BLOCK);
			assert_int_equal(pmg_reason_diag(j.reason), trusted ? 0 : 3001);
			assert_int_equal(j.waivers.n, trusted ? 2 : 0);
		}
}

static void each_use_says_what_and_by_whom(void **state)
{
	pmg_auto(packages) struct pmg_packages p = { 0 };
	pmg_auto(judgement) struct pmg_judgement j = { 0 };
	struct pmg_question q = { .name = "bad", .version = "1.0.0", .published = YOUNG };

	(void)state;
	fresh(&p);
	name_it(&p, TRUSTED, "bad", true);
	decide(&p, &q, &j);
	assert_int_equal(j.waivers.n, 2);
	assert_string_equal(j.waivers.v[0],
			    "known malware (MAL-1, MAL-2), waived by "
			    "trusted_packages pkg:npm/bad@1.0.0 (c.yml:3): audited");
	assert_string_equal(j.waivers.v[1], "too young, waived by trusted_packages "
					    "pkg:npm/bad@1.0.0 (c.yml:3): audited");
}

static void an_override_is_for_one_record_alone(void **state)
{
	pmg_auto(packages) struct pmg_packages p = { 0 };
	pmg_auto(judgement) struct pmg_judgement j = { 0 };
	struct pmg_question q = { .name = "bad", .version = "1.0.0", .published = OLD };

	(void)state;
	fresh(&p);
	add(&p.overrides, "pkg:npm/bad@1.0.0", "MAL-1");
	add(&p.overrides, "pkg:pypi/bad@1.0.0", "MAL-2");
	add(&p.overrides, "pkg:npm/bad@1.0.1", "MAL-2");
	decide(&p, &q, &j);
	assert_int_equal(j.verdict, PMG_VERDICT_BLOCK);
	assert_int_equal(j.ids.n, 1);
	assert_string_equal(j.ids.v[0], "MAL-2");
	assert_int_equal(j.waivers.n, 1);
	assert_string_equal(
		j.waivers.v[0],
		"MAL-1, waived by intel.overrides pkg:npm/bad@1.0.0 (c.yml:3): audited");
}

static void what_has_expired_is_named_and_helps_no_more(void **state)
{
	pmg_auto(packages) struct pmg_packages p = { 0 };
	pmg_auto(judgement) struct pmg_judgement j = { 0 };
	struct pmg_question q = { .name = "bad", .version = "1.0.0", .published = OLD };

	(void)state;
	fresh(&p);
	add(&p.trusted, "pkg:npm/bad", NULL);
	p.trusted.v[0].expires = NOW - 40 * DAY;
	pmg_packages_date(&p, NOW, NULL);
	decide(&p, &q, &j);
	assert_int_equal(j.verdict, PMG_VERDICT_BLOCK);
	assert_string_equal(j.note, "trusted_packages pkg:npm/bad (c.yml:3) expired on 2026-10-21");
}

static const struct {
	enum pmg_place_kind origin;
	int private_origin;
	bool by_file;
	int diag; /* 0: let in */
} origins[] = {
	{ PMG_PLACE_UNKNOWN, PMG_PRIVATE_WARN, false, 3001 },
	{ PMG_PLACE_PUBLIC, PMG_PRIVATE_WARN, false, 3001 },
	{ PMG_PLACE_PRIVATE, PMG_PRIVATE_WARN, false, 0 },
	{ PMG_PLACE_PRIVATE, PMG_PRIVATE_BLOCK, false, 3001 },
	{ PMG_PLACE_UNKNOWN, PMG_PRIVATE_WARN, true, 3002 },
	{ PMG_PLACE_PUBLIC, PMG_PRIVATE_WARN, true, 3002 },
	{ PMG_PLACE_PRIVATE, PMG_PRIVATE_WARN, true, 3002 },
	{ PMG_PLACE_PRIVATE, PMG_PRIVATE_BLOCK, true, 3002 },
};

static void a_name_of_a_private_registry_is_warned_of_and_a_file_is_refused(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(origins); i++) {
		pmg_auto(packages) struct pmg_packages p = { 0 };
		pmg_auto(judgement) struct pmg_judgement j = { 0 };
		struct pmg_question q = { .name = "bad",
					  .version = "1.0.0",
					  .published = OLD,
					  .origin = origins[i].origin };
		struct pmg_err err = PMG_ERR_INIT;
		struct pmg_digest digest;

		assert_int_equal(pmg_digest_hex(PMG_DIGEST_SHA256, ABC256, &digest, &err), 0);
		q.sha256 = origins[i].by_file ? digest.bytes : NULL;
		fresh(&p);
		p.private_origin = origins[i].private_origin;
		decide(&p, &q, &j);
		assert_int_equal(pmg_reason_diag(j.reason), origins[i].diag);
		assert_int_equal(j.waivers.n, origins[i].diag ? 0 : 1);
		if (!origins[i].diag)
			assert_non_null(strstr(j.waivers.v[0], "known malware (MAL-1, MAL-2)"));
	}
}

static const struct {
	int64_t published;
	bool enabled;
	int undated;
	int diag;
	int64_t age_s, eligible_at;
} ages[] = {
	{ NOW - 5 * DAY, true, PMG_UNDATED_BLOCK, 0, 5 * DAY, 0 },
	{ NOW - 5 * DAY + 1, true, PMG_UNDATED_BLOCK, 3003, 5 * DAY - 1, NOW + 1 },
	{ YOUNG, true, PMG_UNDATED_BLOCK, 3003, 3 * HOUR, YOUNG + 5 * DAY },
	{ YOUNG, false, PMG_UNDATED_BLOCK, 0, -1, 0 },
	{ NOW + DAY, true, PMG_UNDATED_BLOCK, 3003, 0, NOW + 6 * DAY },
	{ INT64_MAX, true, PMG_UNDATED_BLOCK, 3003, 0, 0 },
	{ 1, true, PMG_UNDATED_BLOCK, 0, NOW - 1, 0 },
	{ PMG_DATE_NONE, true, PMG_UNDATED_BLOCK, 3003, -1, 0 },
	{ PMG_DATE_NONE, true, PMG_UNDATED_WARN, 0, -1, 0 },
	{ PMG_DATE_NONE, false, PMG_UNDATED_BLOCK, 0, -1, 0 },
	{ -86400, true, PMG_UNDATED_BLOCK, 3003, -1, 0 }, /* before 1970: nobody's date */
	{ INT64_MIN, true, PMG_UNDATED_BLOCK, 3003, -1, 0 },
	{ PMG_DATE_UNASKED, true, PMG_UNDATED_BLOCK, 0, -1, 0 },
};

static void a_version_has_to_be_old_enough(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(ages); i++) {
		pmg_auto(packages) struct pmg_packages p = { 0 };
		pmg_auto(judgement) struct pmg_judgement j = { 0 };
		struct pmg_question q = { .name = "good",
					  .version = "1.0.0",
					  .published = ages[i].published };

		fresh(&p);
		p.enabled = ages[i].enabled;
		p.undated = ages[i].undated;
		decide(&p, &q, &j);
		if (pmg_reason_diag(j.reason) != ages[i].diag || j.age_s != ages[i].age_s ||
		    j.eligible_at != ages[i].eligible_at)
			fail_msg("row %zu: PMG%d, age %lld, eligible at %lld", i,
				 pmg_reason_diag(j.reason), (long long)j.age_s,
				 (long long)j.eligible_at);
		if (ages[i].diag)
			assert_string_equal(j.age_rule, "default");
	}
}

static const struct {
	int64_t published;
	const char *note;
} notes[] = {
	{ YOUNG, "old enough on 2026-12-04T21:53:20Z" },
	{ NOW + HOUR, "its registry says that it is yet to be published" },
	{ PMG_DATE_NONE, "its registry does not say when it was published" },
};

static void what_is_too_young_is_told_until_when(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(notes); i++) {
		pmg_auto(packages) struct pmg_packages p = { 0 };
		pmg_auto(judgement) struct pmg_judgement j = { 0 };
		struct pmg_question q = { .name = "good",
					  .version = "1.0.0",
					  .published = notes[i].published };

		fresh(&p);
		decide(&p, &q, &j);
		assert_string_equal(j.note, notes[i].note);
	}
}

/* Exactly the version that ends a vulnerability, and only its age. */
static const struct {
	const char *name, *version;
	int64_t published;
	int fixes, diag;
} fixed[] = {
	{ "good", "1.0.1", YOUNG, PMG_FIXES_PASS, 0 },
	{ "good", "v1.0.1+b", YOUNG, PMG_FIXES_PASS, 0 },
	{ "good", "1.0.1", YOUNG, PMG_FIXES_WAIT, 3003 },
	{ "good", "1.0.2", YOUNG, PMG_FIXES_PASS, 3003 },
	{ "good", "1.0.0", YOUNG, PMG_FIXES_PASS, 3003 },
	{ "good", "1.0.1", NOW + HOUR, PMG_FIXES_PASS, 3003 },
	{ "good", "1.0.1", PMG_DATE_NONE, PMG_FIXES_PASS, 3003 },
	{ "other", "1.0.1", YOUNG, PMG_FIXES_PASS, 3003 },
	{ "bad", "1.0.0", YOUNG, PMG_FIXES_PASS, 3001 },
};

static void what_ends_a_vulnerability_need_not_wait(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(fixed); i++) {
		pmg_auto(packages) struct pmg_packages p = { 0 };
		pmg_auto(judgement) struct pmg_judgement j = { 0 };
		struct pmg_question q = { .name = fixed[i].name,
					  .version = fixed[i].version,
					  .published = fixed[i].published };

		fresh(&p);
		p.fixes = fixed[i].fixes;
		decide(&p, &q, &j);
		if (pmg_reason_diag(j.reason) != fixed[i].diag)
			fail_msg("row %zu: PMG%d", i, pmg_reason_diag(j.reason));
		assert_int_equal(j.waivers.n, fixed[i].diag ? 0 : 1);
		if (!fixed[i].diag)
			assert_string_equal(j.waivers.v[0],
					    "too young, waived by dependency_cooldown."
					    "security_fixes: it ends GHSA-1, GHSA-2");
	}
}

/* A note is sent on, and a message that is too long would end the conversation. */
static void texts_of_the_configuration_are_cut(void **state)
{
	pmg_auto(packages) struct pmg_packages p = { 0 };
	pmg_auto(judgement) struct pmg_judgement j = { 0 };
	struct pmg_question q = { .name = "bad", .version = "1.0.0", .published = YOUNG };
	char text[4000];

	(void)state;
	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	fresh(&p);
	add(&p.trusted, "pkg:npm/bad", NULL);
	free(p.trusted.v[0].where);
	free(p.trusted.v[0].reason);
	p.trusted.v[0].where = pmg_xstrdup(text);
	p.trusted.v[0].reason = pmg_xstrdup(text);
	p.trusted.v[0].expired = true;
	decide(&p, &q, &j);
	assert_true(strlen(j.note) < 512);
	pmg_judgement_done(&j);
	p.trusted.v[0].expired = false;
	decide(&p, &q, &j);
	assert_true(strlen(j.waivers.v[0]) < 1024);
}

static void as_of_a_day_nothing_later_exists(void **state)
{
	static const struct {
		int64_t published;
		bool enabled;
		int diag;
	} days[] = {
		{ NOW + 1, true, 3003 },        { NOW + 1, false, 3003 },
		{ NOW - 1, false, 0 },          { NOW - 1, true, 0 },
		{ PMG_DATE_NONE, false, 3003 }, { PMG_DATE_UNASKED, true, 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(days); i++) {
		pmg_auto(packages) struct pmg_packages p = { 0 };
		pmg_auto(judgement) struct pmg_judgement j = { 0 };
		struct pmg_question q = { .name = "good",
					  .version = "1.0.0",
					  .published = days[i].published };

		fresh(&p);
		p.as_of = true;
		p.enabled = days[i].enabled;
		name_it(&p, TRUSTED, "good", false); /* no help against what does not exist */
		decide(&p, &q, &j);
		assert_int_equal(pmg_reason_diag(j.reason), days[i].diag);
		if (days[i].diag) {
			pmg_autofree char *text = pmg_judgement_text(&j);

			assert_string_equal(j.age_rule, "--as-of");
			assert_string_equal(text, "too young by --as-of");
		}
	}
}

static const struct {
	bool enabled, as_of;
	const char *skip, *trusted;
	bool needs;
} needs[] = {
	{ true, false, NULL, NULL, true },
	{ false, false, NULL, NULL, false },
	{ false, true, NULL, NULL, true },
	{ true, false, "pkg:npm/@a/*", NULL, false },
	{ true, true, "pkg:npm/@a/*", NULL, true },
	{ true, false, NULL, "pkg:npm/@a/x", false },
	{ true, false, "pkg:npm/@a/x@1.0.0", NULL, true },
	{ true, false, NULL, "pkg:npm/@a/x@^1", true },
	{ true, false, "pkg:pypi/*", NULL, true },
};

static void dates_are_needed_where_age_could_matter(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(needs); i++) {
		pmg_auto(packages) struct pmg_packages p = { 0 };
		pmg_auto(judge) struct pmg_judge *judge = NULL;

		fresh(&p);
		p.enabled = needs[i].enabled;
		p.as_of = needs[i].as_of;
		if (needs[i].skip)
			add(&p.skip, needs[i].skip, NULL);
		if (needs[i].trusted)
			add(&p.trusted, needs[i].trusted, NULL);
		judge = open_judge(&p);
		if (pmg_judge_needs_dates(judge, PMG_ECO_NPM, "@a/x") != needs[i].needs)
			fail_msg("row %zu", i);
	}
}

static void the_policy_comes_as_text_too_and_the_defaults_hold_without(void **state)
{
	pmg_auto(packages) struct pmg_packages p = { 0 };
	pmg_auto(judge) struct pmg_judge *judge = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;
	pmg_autofree char *bad = NULL;

	(void)state;
	assert_int_equal(pmg_judge_open(index_path, list_path, &judge, &err), 0);
	assert_true(pmg_judge_filters(judge));
	assert_true(pmg_judge_needs_dates(judge, PMG_ECO_NPM, "x"));
	fresh(&p);
	p.mode = PMG_COOLDOWN_FAIL;
	add(&p.skip, "pkg:npm/x", NULL);
	text = pmg_packages_encode(&p);
	assert_int_equal(pmg_judge_hear_packages(judge, text, strlen(text), &err), 0);
	assert_false(pmg_judge_filters(judge));
	assert_false(pmg_judge_needs_dates(judge, PMG_ECO_NPM, "x"));
	/* What cannot be taken leaves what is there. */
	add(&p.skip, "odd", NULL);
	bad = pmg_packages_encode(&p);
	assert_int_equal(pmg_judge_hear_packages(judge, bad, strlen(bad), &err), -PMG_E_CONFIG);
	assert_int_equal(pmg_judge_hear_packages(judge, "{}", 2, &err), -PMG_E_PEER);
	assert_false(pmg_judge_needs_dates(judge, PMG_ECO_NPM, "x"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_list_waives_what_the_table_says),
		cmocka_unit_test(to_skip_the_wait_never_waives_malware),
		cmocka_unit_test(each_use_says_what_and_by_whom),
		cmocka_unit_test(an_override_is_for_one_record_alone),
		cmocka_unit_test(what_has_expired_is_named_and_helps_no_more),
		cmocka_unit_test(a_name_of_a_private_registry_is_warned_of_and_a_file_is_refused),
		cmocka_unit_test(a_version_has_to_be_old_enough),
		cmocka_unit_test(what_is_too_young_is_told_until_when),
		cmocka_unit_test(what_ends_a_vulnerability_need_not_wait),
		cmocka_unit_test(texts_of_the_configuration_are_cut),
		cmocka_unit_test(as_of_a_day_nothing_later_exists),
		cmocka_unit_test(dates_are_needed_where_age_could_matter),
		cmocka_unit_test(the_policy_comes_as_text_too_and_the_defaults_hold_without),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
