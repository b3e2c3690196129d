#include "run/cooldown.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "conf/config_packages.h"
#include "conf/narrow.h"

static int bad_option(struct pmg_err *err, const char *option, const char *value, const char *why)
{
	pmg_autofree char *shown = pmg_str_quote(value, strlen(value), 64);

	return pmg_err_set(err, PMG_E_USAGE, 0, "%s \"%s\": %s", option, shown, why);
}

static int refused(const struct pmg_managed *managed, const char *option, struct pmg_err *err)
{
	const char *key = pmg_narrow_bounds_wait(managed);
	pmg_autofree char *who = pmg_managed_who(managed, key ? key : "global_lockdown");

	(void)pmg_err_set(err, PMG_E_CONFIG, 0, "%s is refused by %s", option, who);
	(void)pmg_err_hint(err, "leave it out; who looks after this machine can change it");
	return pmg_err_diag(err, PMG_DIAG_MANAGED);
}

/* How old every package has to be that no rule of its own is for. */
static uint64_t base_age(const struct pmg_packages *packages)
{
	uint64_t age_s = 0;
	size_t i;

	for (i = 0; i < packages->ages.n; i++)
		if (!packages->ages.v[i].purl && packages->ages.v[i].age_s > age_s)
			age_s = packages->ages.v[i].age_s;
	return age_s > 0 ? age_s : PMG_PACKAGES_AGE_S;
}

/* In the place of what config.yml says of ages. */
static void replace_ages(struct pmg_packages *packages, uint64_t age_s)
{
	struct pmg_packages_entry entry = { .where = pmg_xstrdup("--min-age"), .age_s = age_s };
	struct pmg_packages_list *ages = &packages->ages;
	size_t i, kept = 0;

	for (i = 0; i < ages->n; i++) {
		if (ages->v[i].layer == PMG_PACKAGES_USER)
			pmg_packages_entry_done(&ages->v[i]);
		else
			ages->v[kept++] = ages->v[i];
	}
	ages->n = kept;
	pmg_packages_add(ages, &entry);
	packages->enabled = true;
}

static int apply_min_age(const char *text, const struct pmg_managed *managed,
			 struct pmg_packages *packages, struct pmg_err *err)
{
	uint64_t age_s;
	int r = pmg_config_parse_age(text, &age_s);

	if (r == -PMG_E_LIMIT)
		return bad_option(err, "--min-age", text, "more than ten years");
	if (r < 0) {
		(void)bad_option(err, "--min-age", text, "no age with its unit");
		return pmg_err_hint(err, "write it like 36h, 7d or 2w");
	}
	if (age_s == 0) {
		(void)bad_option(err, "--min-age", text, "no age");
		return pmg_err_hint(err, "--skip-dependency-cooldown leaves the wait out");
	}
	if (packages->managed_wait && age_s < base_age(packages))
		return refused(managed, "--min-age", err);
	replace_ages(packages, age_s);
	return 0;
}

static int apply_as_of(const char *text, int64_t clock, struct pmg_packages *packages,
		       struct pmg_err *err)
{
	int64_t when;

	if (pmg_config_parse_day(text, &when) < 0 || when <= 0) {
		(void)bad_option(err, "--as-of", text, "no day");
		return pmg_err_hint(err, "write it like 2026-11-30 or 2026-11-30T10:00:00Z");
	}
	/* Then everything would be older than it is. */
	if (when > clock)
		return bad_option(err, "--as-of", text, "that day is yet to come");
	packages->now = when;
	packages->as_of = true;
	return 0;
}

int pmg_cooldown_apply(const struct pmg_run_want *want, const struct pmg_managed *managed,
		       int64_t clock, struct pmg_packages *packages, struct pmg_strv *notes,
		       struct pmg_err *err)
{
	int r = 0;

	if (want->skip_cooldown && want->min_age)
		return pmg_err_set(
			err, PMG_E_USAGE, 0,
			"--skip-dependency-cooldown and --min-age contradict each other");
	if (want->skip_cooldown && packages->managed_wait)
		return refused(managed, "--skip-dependency-cooldown", err);
	if (want->skip_cooldown)
		packages->enabled = false;
	if (want->min_age)
		r = apply_min_age(want->min_age, managed, packages, err);
	if (r == 0 && want->as_of)
		r = apply_as_of(want->as_of, clock, packages, err);
	if (r == 0)
		pmg_packages_date(packages, clock, notes);
	return r;
}

static void plan_entries(struct pmg_plan *plan, const char *key,
			 const struct pmg_packages_list *list)
{
	static const char *const layers[PMG_PACKAGES_LAYERS] = { "user", "project", "managed" };
	size_t i;

	for (i = 0; i < list->n; i++) {
		const struct pmg_packages_entry *entry = &list->v[i];
		pmg_autofree char *target =
			entry->purl
				? pmg_xasprintf("%s=%s%s%s", key, entry->purl, entry->id ? " " : "",
						entry->id ? entry->id : "")
				: pmg_xasprintf("%s=%llus", key, (unsigned long long)entry->age_s);

		if (!entry->expired)
			pmg_plan_add(plan, "set", target, layers[entry->layer], entry->where,
				     PMG_ENFORCED_PROXY);
	}
}

void pmg_cooldown_plan(const struct pmg_packages *packages, struct pmg_plan *plan)
{
	char day[PMG_RFC3339_LEN];

	if (packages->as_of) {
		pmg_autofree char *target = NULL;

		pmg_clock_format(packages->now, day);
		target = pmg_xasprintf("as_of=%s", day);
		pmg_plan_add(plan, "set", target, "flag", "--as-of", PMG_ENFORCED_PROXY);
	}
	if (!packages->enabled)
		pmg_plan_add(plan, "set", "dependency_cooldown=off", "flag", "switched off",
			     PMG_ENFORCED_PROXY);
	else if (packages->ages.n == 0)
		pmg_plan_add(plan, "set", "dependency_cooldown.age=5d", "default", "default",
			     PMG_ENFORCED_PROXY);
	else
		plan_entries(plan, "dependency_cooldown.age", &packages->ages);
	plan_entries(plan, "dependency_cooldown.skip", &packages->skip);
	plan_entries(plan, "trusted_packages", &packages->trusted);
	plan_entries(plan, "intel.overrides", &packages->overrides);
}
