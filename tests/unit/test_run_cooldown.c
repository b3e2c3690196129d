#include "run/cooldown.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "conf/config.h"
#include "conf/narrow.h"

#define V1    "schema_version: 1\n"
#define CLOCK 1796000000 /* 2026-11-30T00:53:20Z */
#define DAY   86400

/* A user's file, what managed policy says, and the command line. */
struct outcome {
	struct pmg_managed user, managed;
	struct pmg_strv notes;
	struct pmg_err err;
	int r;
};

static void outcome_done(struct outcome *o)
{
	pmg_managed_done(&o->user);
	pmg_managed_done(&o->managed);
	pmg_strv_done(&o->notes);
}
PMG_DEFINE_AUTO_DONE(outcome, struct outcome, outcome_done);

static void parse(const char *path, const char *text, struct pmg_managed *out)
{
	pmg_autofree char *all = pmg_xasprintf(V1 "%s", text);
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(pmg_managed_parse(path, all, strlen(all), out, &err), 0);
}

static void apply(const char *user, const char *managed, const struct pmg_run_want *want,
		  struct outcome *o)
{
	struct pmg_err err = PMG_ERR_INIT;

	parse("/u.yml", user, &o->user);
	if (managed)
		parse("/m.yml", managed, &o->managed);
	assert_int_equal(pmg_narrow(&o->user.config, &o->managed, &o->notes, &err), 0);
	pmg_strv_done(&o->notes);
	o->err = (struct pmg_err)PMG_ERR_INIT;
	o->r = pmg_cooldown_apply(want, &o->managed, CLOCK, &o->user.config.packages, &o->notes,
				  &o->err);
}

/* Report: 7, 7d, 168h, 10080m, 1w, -1, 7 days, abc. */
static const struct {
	const char *text;
	uint64_t age_s; /* 0: refused */
} ages[] = {
	{ "7", 0 },        { "7d", 7 * DAY }, { "168h", 7 * DAY }, { "10080m", 7 * DAY },
	{ "1w", 7 * DAY }, { "-1", 0 },       { "7 days", 0 },     { "abc", 0 },
	{ "", 0 },         { "0d", 0 },       { "3651d", 0 },
};

static void an_age_on_the_command_line_has_its_unit_too(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(ages); i++) {
		const struct pmg_run_want want = { .min_age = ages[i].text };
		pmg_auto(outcome) struct outcome o = { 0 };
		const struct pmg_packages_list *list = &o.user.config.packages.ages;

		apply("dependency_cooldown: {enabled: false, days: 30}\n", NULL, &want, &o);
		if (o.r != (ages[i].age_s ? 0 : -PMG_E_USAGE))
			fail_msg("%s: %d", ages[i].text, o.r);
		assert_int_equal(list->n, 1);
		assert_int_equal(list->v[0].age_s, ages[i].age_s ? ages[i].age_s : 30 * DAY);
		assert_int_equal(o.user.config.packages.enabled, ages[i].age_s > 0);
		if (ages[i].age_s)
			assert_string_equal(list->v[0].where, "--min-age");
		else
			assert_true(pmg_str_has_prefix(o.err.msg, "--min-age \""));
	}
}

/* What managed policy lets the command line do. */
static const struct {
	const char *managed;
	const char *shorter, *longer, *skip; /* what is refused; NULL: taken */
} bounds[] = {
	{ NULL, NULL, NULL, NULL },
	{ "verbosity: normal\n", NULL, NULL, NULL },
	{ "dependency_cooldown: {mode: fail}\n", NULL, NULL, NULL },
	{ "dependency_cooldown: {days: 7}\n", "--min-age is refused by managed policy (/m.yml:2)",
	  NULL, "--skip-dependency-cooldown is refused by managed policy (/m.yml:2)" },
	{ "dependency_cooldown: {enabled: true}\n",
	  "--min-age is refused by managed policy (/m.yml:2)", NULL,
	  "--skip-dependency-cooldown is refused by managed policy (/m.yml:2)" },
	{ "global_lockdown: true\n", "--min-age is refused by managed policy (/m.yml:2)", NULL,
	  "--skip-dependency-cooldown is refused by managed policy (/m.yml:2)" },
};

static void check_bound(const char *managed, const struct pmg_run_want *want, const char *msg)
{
	pmg_auto(outcome) struct outcome o = { 0 };

	apply("", managed, want, &o);
	assert_int_equal(o.r, msg ? -PMG_E_CONFIG : 0);
	if (!msg)
		return;
	assert_string_equal(o.err.msg, msg);
	assert_int_equal(o.err.diag, 1001);
}

static void a_bound_of_managed_policy_can_be_lengthened_alone(void **state)
{
	const struct pmg_run_want shorter = { .min_age = "1d" }, longer = { .min_age = "8d" };
	const struct pmg_run_want skip = { .skip_cooldown = true };
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(bounds); i++) {
		check_bound(bounds[i].managed, &shorter, bounds[i].shorter);
		check_bound(bounds[i].managed, &longer, bounds[i].longer);
		check_bound(bounds[i].managed, &skip, bounds[i].skip);
	}
}

static const struct {
	const char *text;
	int64_t now; /* 0: refused */
} days[] = {
	{ "2026-11-30", 1795996800 },
	{ "2026-11-29T10:00:00Z", 1795946400 },
	{ "2026-11-29T10:00:00+02:00", 1795939200 },
	{ "2026-12-01", 0 }, /* to come */
	{ "2026-11-31", 0 },
	{ "yesterday", 0 },
	{ "30.11.2026", 0 },
	{ "1969-12-31", 0 },
	{ "", 0 },
};

static void a_day_that_was_can_be_gone_back_to(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(days); i++) {
		const struct pmg_run_want want = { .as_of = days[i].text };
		pmg_auto(outcome) struct outcome o = { 0 };

		apply("", NULL, &want, &o);
		if (o.r != (days[i].now ? 0 : -PMG_E_USAGE))
			fail_msg("%s: %d", days[i].text, o.r);
		assert_int_equal(o.user.config.packages.now, days[i].now);
		assert_int_equal(o.user.config.packages.as_of, days[i].now != 0);
	}
}

static void entries_expire_by_the_clock_and_are_named(void **state)
{
	const struct pmg_run_want want = { .as_of = "2026-11-01" };
	pmg_auto(outcome) struct outcome o = { 0 };

	(void)state;
	apply("trusted_packages: [{purl: 'pkg:npm/x', expires: 2026-11-15}]\n", NULL, &want, &o);
	assert_int_equal(o.r, 0);
	assert_true(o.user.config.packages.trusted.v[0].expired);
	assert_int_equal(o.notes.n, 1);
	assert_string_equal(o.notes.v[0],
			    "/u.yml:2: trusted_packages: the entry pkg:npm/x expired on "
			    "2026-11-15: it has no effect");
}

static void options_that_contradict_each_other_are_refused(void **state)
{
	const struct pmg_run_want want = { .min_age = "1d", .skip_cooldown = true };
	pmg_auto(outcome) struct outcome o = { 0 };

	(void)state;
	apply("", NULL, &want, &o);
	assert_int_equal(o.r, -PMG_E_USAGE);
}

static void the_plan_says_what_holds(void **state)
{
	const struct pmg_run_want none = { 0 },
				  back = { .as_of = "2026-11-01", .skip_cooldown = true };
	pmg_auto(plan) struct pmg_plan *plan = pmg_plan_new();
	pmg_auto(plan) struct pmg_plan *other = pmg_plan_new();
	pmg_auto(outcome) struct outcome o = { 0 };
	pmg_auto(outcome) struct outcome p = { 0 };
	pmg_autofree char *text = NULL;
	pmg_autofree char *text2 = NULL;

	(void)state;
	apply("dependency_cooldown: {age: 36h}\ntrusted_packages: [{purl: 'pkg:npm/x'}]\n", NULL,
	      &none, &o);
	pmg_cooldown_plan(&o.user.config.packages, plan);
	apply("", NULL, &back, &p);
	pmg_cooldown_plan(&p.user.config.packages, other);
	pmg_plan_seal(plan);
	pmg_plan_seal(other);
	text = pmg_plan_text(plan);
	text2 = pmg_plan_text(other);
	assert_non_null(strstr(text, "set dependency_cooldown.age=129600s"));
	assert_non_null(strstr(text, "(user: /u.yml:2)"));
	assert_non_null(strstr(text, "set trusted_packages=pkg:npm/x"));
	assert_non_null(strstr(text2, "set as_of=2026-11-01T00:00:00Z"));
	assert_non_null(strstr(text2, "set dependency_cooldown=off"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_age_on_the_command_line_has_its_unit_too),
		cmocka_unit_test(a_bound_of_managed_policy_can_be_lengthened_alone),
		cmocka_unit_test(a_day_that_was_can_be_gone_back_to),
		cmocka_unit_test(entries_expire_by_the_clock_and_are_named),
		cmocka_unit_test(options_that_contradict_each_other_are_refused),
		cmocka_unit_test(the_plan_says_what_holds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
