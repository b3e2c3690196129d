#include "conf/narrow.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

struct work {
	struct pmg_config *config;
	const struct pmg_managed *by;
	struct pmg_strv *notes;
};

#define ROW(KEY, RULE, MEMBER)                                                                     \
	{                                                                                          \
		.key = (KEY), .rule = (RULE), .offset = offsetof(struct pmg_config, MEMBER)        \
	}

static const struct pmg_narrow_row rows[] = {
	ROW("verbosity", PMG_NARROW_LATER, verbosity),
	ROW("intel.on_missing", PMG_NARROW_LATER, on_missing),
	ROW("intel.max_age", PMG_NARROW_LESSER, intel.max_age_s),
	ROW("intel.feeds", PMG_NARROW_UNION, intel.feeds),
	ROW("intel.private_origin", PMG_NARROW_LATER, packages.private_origin),
	ROW("intel.overrides", PMG_NARROW_WAIVERS, packages.overrides),
	ROW("trusted_packages", PMG_NARROW_WAIVERS, packages.trusted),
	ROW("dependency_cooldown.enabled", PMG_NARROW_OR, packages.enabled),
	ROW("dependency_cooldown.days", PMG_NARROW_LONGEST, packages.ages),
	ROW("dependency_cooldown.age", PMG_NARROW_LONGEST, packages.ages),
	ROW("dependency_cooldown.ages", PMG_NARROW_LONGEST, packages.ages),
	ROW("dependency_cooldown.mode", PMG_NARROW_LATER, packages.mode),
	ROW("dependency_cooldown.undated", PMG_NARROW_LATER, packages.undated),
	ROW("dependency_cooldown.security_fixes", PMG_NARROW_LATER, packages.fixes),
	ROW("dependency_cooldown.skip", PMG_NARROW_WAIVERS, packages.skip),
	ROW("proxy.registries", PMG_NARROW_UNION, registries),
	ROW("ledger.retention", PMG_NARROW_GREATER, ledger_retention_s),
	ROW("ledger.max_size", PMG_NARROW_GREATER, ledger_max_size),
	ROW("advisory_message", PMG_NARROW_REPLACE, advisory_message),
	ROW("inspection.enabled", PMG_NARROW_OR, inspection.enabled),
	ROW("inspection.block", PMG_NARROW_BITS, inspection.block),
	ROW("inspection.report", PMG_NARROW_BITS, inspection.report),
	ROW("sandbox.enabled", PMG_NARROW_OR, sandbox.enabled),
	ROW("sandbox.enforce_always", PMG_NARROW_OR, sandbox.enforce_always),
	ROW("sandbox.strict", PMG_NARROW_OR, sandbox.strict),
	ROW("sandbox.policies", PMG_NARROW_PER_MANAGER, sandbox.policies),
	ROW("sandbox.policy_templates", PMG_NARROW_UNION, sandbox.templates),
	{ 0 },
};

const struct pmg_narrow_row *pmg_narrow_rows(void)
{
	return rows;
}

static bool later(void *ours, const void *theirs)
{
	int *a = ours;
	const int *b = theirs;

	if (*a >= *b)
		return false;
	*a = *b;
	return true;
}

static bool greater(void *ours, const void *theirs)
{
	uint64_t *a = ours;
	const uint64_t *b = theirs;

	if (*a >= *b)
		return false;
	*a = *b;
	return true;
}

static bool lesser(void *ours, const void *theirs)
{
	uint64_t *a = ours;
	const uint64_t *b = theirs;

	if (*a <= *b)
		return false;
	*a = *b;
	return true;
}

static bool either(void *ours, const void *theirs)
{
	bool *a = ours;
	const bool *b = theirs;

	if (*a || !*b)
		return false;
	*a = true;
	return true;
}

static bool bits(void *ours, const void *theirs)
{
	uint32_t *a = ours;
	const uint32_t *b = theirs;

	if ((*a | *b) == *a)
		return false;
	*a |= *b;
	return true;
}

static bool replace(void *ours, const void *theirs)
{
	char **a = ours;
	char *const *b = theirs;

	if (pmg_streq(*a, *b))
		return false;
	free(*a);
	*a = *b ? pmg_xstrdup(*b) : NULL;
	return true;
}

/* Of values with one member. Lists are below. */
static const struct {
	bool (*narrow)(void *ours, const void *theirs); /* @return was it changed? */
	size_t size;                                    /* 0: narrow() takes over as well */
} scalars[PMG_NARROW_MAX] = {
	[PMG_NARROW_LATER] = { later, sizeof(int) },
	[PMG_NARROW_GREATER] = { greater, sizeof(uint64_t) },
	[PMG_NARROW_LESSER] = { lesser, sizeof(uint64_t) },
	[PMG_NARROW_OR] = { either, sizeof(bool) },
	[PMG_NARROW_BITS] = { bits, sizeof(uint32_t) },
	[PMG_NARROW_REPLACE] = { replace, 0 },
};

static void note(struct work *work, unsigned line, const char *what, const char *key)
{
	pmg_autofree char *who = pmg_managed_who(work->by, key);

	pmg_strv_addf(work->notes, "%s:%u: %s does not hold: %s", work->config->path, line, what,
		      who);
}

static void narrow_scalar(struct work *work, const struct pmg_narrow_row *row)
{
	void *ours = (char *)work->config + row->offset;
	const void *theirs = (const char *)&work->by->config + row->offset;
	unsigned line = pmg_config_line(work->config, row->key);

	if (!line && scalars[row->rule].size > 0)
		memcpy(ours, theirs, scalars[row->rule].size);
	else if (scalars[row->rule].narrow(ours, theirs) && line)
		note(work, line, row->key, row->key);
	if (!line) /* what this file says is not to be undone by the next */
		pmg_config_add_key(work->config, row->key,
				   pmg_config_line(&work->by->config, row->key));
}

static void add_registries(struct work *work)
{
	const struct pmg_config *by = &work->by->config;
	struct pmg_config *to = work->config;
	size_t i;

	for (i = 0; i < by->n_registries; i++) {
		const struct pmg_config_registry *from = &by->registries[i];
		pmg_autofree char *text = pmg_url_text(&from->url);
		struct pmg_config_registry new = { .line = from->line };
		struct pmg_err scratch = PMG_ERR_INIT;

		if (pmg_url_parse(text, &new.url, &scratch) < 0)
			continue; /* it was parsed before */
		new.ecosystem = pmg_xstrdup(from->ecosystem);
		new.scope = from->scope ? pmg_xstrdup(from->scope) : NULL;
		new.is_private = from->is_private;
		new.file = pmg_xstrdup(by->path);
		to->registries = pmg_grow(to->registries, to->n_registries, &to->cap_registries,
					  sizeof *to->registries);
		to->registries[to->n_registries++] = new;
	}
}

static void add_feeds(struct work *work)
{
	const struct pmg_config_intel *by = &work->by->config.intel;
	size_t i;

	for (i = 0; i < by->n_feeds; i++)
		pmg_config_add_feed(&work->config->intel, &by->feeds[i], work->by->config.path);
}

/* Before the user's: a name is looked up from the front. */
static void add_templates(struct work *work)
{
	const struct pmg_config_sandbox *by = &work->by->config.sandbox;
	struct pmg_config_sandbox *to = &work->config->sandbox;
	struct pmg_config_template *all;
	size_t i, n = by->n_templates + to->n_templates;

	if (by->n_templates == 0)
		return;
	all = pmg_xcalloc(n, sizeof *all);
	for (i = 0; i < by->n_templates; i++)
		all[i] = (struct pmg_config_template){
			.name = pmg_xstrdup(by->templates[i].name),
			.path = pmg_xstrdup(by->templates[i].path),
			.line = by->templates[i].line,
			.managed = true,
		};
	for (i = 0; i < to->n_templates; i++)
		all[by->n_templates + i] = to->templates[i];
	free(to->templates);
	to->templates = all;
	to->n_templates = to->cap_templates = n;
}

static struct pmg_config_policy *policy_for(struct work *work, const char *manager)
{
	struct pmg_config_sandbox *to = &work->config->sandbox;
	size_t i;

	for (i = 0; i < to->n_policies; i++)
		if (strcmp(to->policies[i].manager, manager) == 0)
			return &to->policies[i];
	to->policies =
		pmg_grow(to->policies, to->n_policies, &to->cap_policies, sizeof *to->policies);
	to->policies[to->n_policies] =
		(struct pmg_config_policy){ .manager = pmg_xstrdup(manager), .enabled = true };
	return &to->policies[to->n_policies++];
}

static int refuse_profile(const struct work *work, const struct pmg_config_policy *policy,
			  const char *key, struct pmg_err *err)
{
	pmg_autofree char *who = pmg_managed_who(work->by, key);

	(void)pmg_err_set(err, PMG_E_CONFIG, 0, "%s:%u: profile \"%s\" for %s is refused by %s",
			  work->config->path, policy->line, policy->profile, policy->manager, who);
	(void)pmg_err_hint(err, "take \"profile\" out of it: which profile is used there is not "
				"yours to choose");
	return pmg_err_diag(err, PMG_DIAG_MANAGED);
}

static int pin_profile(struct work *work, const struct pmg_config_policy *theirs,
		       struct pmg_config_policy *ours, struct pmg_err *err)
{
	if (ours->profile && strcmp(ours->profile, theirs->profile) != 0)
		return refuse_profile(work, ours, "sandbox.policies", err);
	free(ours->profile);
	ours->profile = pmg_xstrdup(theirs->profile);
	ours->pinned = true;
	return 0;
}

static int narrow_policies(struct work *work, struct pmg_err *err)
{
	const struct pmg_config_sandbox *by = &work->by->config.sandbox;
	size_t i;
	int r = 0;

	for (i = 0; r == 0 && i < by->n_policies; i++) {
		const struct pmg_config_policy *theirs = &by->policies[i];
		struct pmg_config_policy *ours = policy_for(work, theirs->manager);

		if (theirs->has_enabled && !ours->has_enabled)
			ours->enabled = theirs->enabled;
		if (theirs->profile)
			r = pin_profile(work, theirs, ours, err);
	}
	return r;
}

/* To switch a manager off is to loosen "sandbox.enabled" too; and to lock all switches is to lock
 * the choice of a profile. */
static int check_managers(struct work *work, struct pmg_err *err)
{
	struct pmg_config_sandbox *to = &work->config->sandbox;
	size_t i;

	for (i = 0; i < to->n_policies; i++) {
		struct pmg_config_policy *ours = &to->policies[i];
		pmg_autofree char *what =
			pmg_xasprintf("sandbox.policies.%s.enabled", ours->manager);

		if (!ours->enabled && pmg_managed_wants_walls(work->by, ours->manager)) {
			ours->enabled = true;
			note(work, ours->line, what, "sandbox.enabled");
		}
		if (work->by->lockdown && ours->profile && !ours->pinned)
			return refuse_profile(work, ours, "global_lockdown", err);
	}
	return 0;
}

static int layer_of(const struct work *work)
{
	return work->by->of_project ? PMG_PACKAGES_PROJECT : PMG_PACKAGES_MANAGED;
}

/* Copies of its entries, with the layer that they are of. */
static void add_entries(struct work *work, size_t offset)
{
	const void *from = (const char *)&work->by->config + offset;
	struct pmg_packages_list *to = (void *)((char *)work->config + offset);
	size_t i = to->n;

	pmg_packages_copy(to, from);
	for (; i < to->n; i++)
		to->v[i].layer = layer_of(work);
}

/* The age for all packages that a file has; NULL: it has none. */
static const struct pmg_packages_entry *base_age(const struct pmg_packages_list *ages, int layer)
{
	size_t i;

	for (i = 0; i < ages->n; i++)
		if (!ages->v[i].purl && ages->v[i].layer == layer)
			return &ages->v[i];
	return NULL;
}

static const char *const age_keys[] = { "dependency_cooldown.days", "dependency_cooldown.age",
					"dependency_cooldown.ages" };

/* The first key of ages that a file has; NULL: it has none. */
static const char *age_key(const struct pmg_config *config)
{
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(age_keys); i++)
		if (pmg_config_line(config, age_keys[i]))
			return age_keys[i];
	return NULL;
}

/* All ages at once, by the first of their keys: verdict/waivers.h finds the longest. */
static void narrow_ages(struct work *work, const struct pmg_narrow_row *row)
{
	const char *key = age_key(&work->by->config);
	/* Those of a file that was read are of layer 0. */
	const struct pmg_packages_entry *base =
		base_age(&work->by->config.packages.ages, PMG_PACKAGES_USER);
	const struct pmg_packages_entry *own =
		base_age(&work->config->packages.ages, PMG_PACKAGES_USER);
	const char *own_key = age_key(work->config);

	if (!pmg_streq(key, row->key))
		return;
	if (base && own && own_key && own->age_s < base->age_s)
		note(work, pmg_config_line(work->config, own_key), own_key, key);
	add_entries(work, row->offset);
}

/* A list of the user's is without effect, or part of it. */
static void drop_entries(struct work *work, struct pmg_packages_list *list, const char *key,
			 const char *why)
{
	pmg_autofree char *where = NULL; /* of the first: not every entry stands in config.yml */
	pmg_autofree char *who = pmg_managed_who(work->by, why);
	size_t i, kept = 0;

	for (i = 0; i < list->n; i++) {
		if (list->v[i].layer != PMG_PACKAGES_USER) {
			list->v[kept++] = list->v[i];
			continue;
		}
		where = where ? where : pmg_steal_ptr(&list->v[i].where);
		pmg_packages_entry_done(&list->v[i]);
	}
	if (where)
		pmg_strv_addf(work->notes, "%s: %s does not hold: %s", where, key, who);
	list->n = kept;
}

const char *pmg_narrow_bounds_wait(const struct pmg_managed *by)
{
	const char *key = age_key(&by->config);

	if (by->of_project || key)
		return by->of_project ? NULL : key;
	if (pmg_config_line(&by->config, "dependency_cooldown.enabled") &&
	    by->config.packages.enabled)
		return "dependency_cooldown.enabled";
	return NULL;
}

/* A bound that everybody can waive is none, and to lock all switches is to lock these. */
static void check_waivers(struct work *work)
{
	struct pmg_packages *ours = &work->config->packages;
	const char *key = pmg_narrow_bounds_wait(work->by);

	if (work->by->of_project)
		return;
	if (work->by->lockdown) {
		drop_entries(work, &ours->trusted, "trusted_packages", "global_lockdown");
		drop_entries(work, &ours->overrides, "intel.overrides", "global_lockdown");
		key = key ? key : "global_lockdown";
	}
	if (!key)
		return;
	ours->managed_wait = true;
	drop_entries(work, &ours->skip, "dependency_cooldown.skip", key);
}

static int narrow_list(struct work *work, const struct pmg_narrow_row *row, struct pmg_err *err)
{
	if (row->rule == PMG_NARROW_PER_MANAGER)
		return narrow_policies(work, err);
	if (row->rule == PMG_NARROW_LONGEST) {
		narrow_ages(work, row);
		return 0;
	}
	if (row->rule == PMG_NARROW_WAIVERS) {
		add_entries(work, row->offset);
		return 0;
	}
	if (row->offset == offsetof(struct pmg_config, registries))
		add_registries(work);
	else if (row->offset == offsetof(struct pmg_config, intel.feeds))
		add_feeds(work);
	else
		add_templates(work);
	return 0;
}

int pmg_narrow(struct pmg_config *config, const struct pmg_managed *by, struct pmg_strv *notes,
	       struct pmg_err *err)
{
	struct work work = { config, by, notes };
	const struct pmg_narrow_row *row;
	int r = 0;

	if (!pmg_managed_is_in_force(by))
		return 0;
	for (row = rows; r == 0 && row->key; row++) {
		if (!pmg_config_line(&by->config, row->key))
			continue;
		if (scalars[row->rule].narrow)
			narrow_scalar(&work, row);
		else
			r = narrow_list(&work, row, err);
	}
	if (r == 0)
		r = check_managers(&work, err);
	if (r == 0)
		check_waivers(&work);
	if (pmg_config_line(&by->config, "verbosity"))
		config->least_verbosity = by->config.verbosity;
	return r;
}
