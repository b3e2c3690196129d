#include "verdict/waivers.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

/* An entry with its pattern read. */
struct rule {
	const struct pmg_packages_entry *entry; /* of policy */
	struct pmg_pattern pattern;
	bool every; /* of ages: it has no pattern */
};

struct rules {
	struct rule *v;
	size_t n;
	const struct rule **near; /* those of the package that was last asked for */
	size_t n_near;
};

struct pmg_waivers {
	struct pmg_packages policy;
	struct rules lists[PMG_ENTRIES_LISTS];
	enum pmg_eco eco; /* of the package that was last asked for */
	char *name;       /* NULL: none yet */
};

void pmg_waivers_free(struct pmg_waivers *waivers)
{
	size_t i, k;

	if (!waivers)
		return;
	for (i = 0; i < PMG_ENTRIES_LISTS; i++) {
		struct rules *rules = &waivers->lists[i];

		for (k = 0; k < rules->n; k++)
			pmg_pattern_done(&rules->v[k].pattern);
		free(rules->v);
		free(rules->near);
	}
	pmg_packages_done(&waivers->policy);
	free(waivers->name);
	free(waivers);
}

static int read_list(struct pmg_waivers *waivers, enum pmg_entries_of of, struct pmg_err *err)
{
	const struct pmg_packages_list *from = pmg_entries_list(&waivers->policy, of);
	struct rules *rules = &waivers->lists[of];
	int r = 0;

	rules->v = pmg_xcalloc(from->n + 1, sizeof *rules->v);
	rules->near = pmg_xcalloc(from->n + 1, sizeof(*rules->near));
	for (; r == 0 && rules->n < from->n; rules->n++) {
		struct rule *rule = &rules->v[rules->n];

		rule->entry = &from->v[rules->n];
		rule->every = !rule->entry->purl;
		r = pmg_entry_read(rule->entry, of, &rule->pattern, err);
	}
	return r;
}

int pmg_waivers_new(const struct pmg_packages *packages, struct pmg_waivers **out,
		    struct pmg_err *err)
{
	pmg_auto(waivers) struct pmg_waivers *waivers = pmg_xcalloc(1, sizeof *waivers);
	struct pmg_packages *copy = &waivers->policy;
	enum pmg_entries_of of;
	int r = 0;

	*copy = *packages;
	copy->ages = copy->skip = copy->trusted = copy->overrides = (struct pmg_packages_list){ 0 };
	pmg_packages_copy(&copy->ages, &packages->ages);
	pmg_packages_copy(&copy->skip, &packages->skip);
	pmg_packages_copy(&copy->trusted, &packages->trusted);
	pmg_packages_copy(&copy->overrides, &packages->overrides);
	for (of = 0; r == 0 && of < PMG_ENTRIES_LISTS; of++)
		r = read_list(waivers, of, err);
	if (r < 0)
		return r;
	*out = pmg_steal_ptr(&waivers);
	return 0;
}

const struct pmg_packages *pmg_waivers_policy(const struct pmg_waivers *waivers)
{
	return &waivers->policy;
}

/* A document of a package has thousands of versions, and each is a question. */
static void turn_to(struct pmg_waivers *waivers, enum pmg_eco eco, const char *name)
{
	size_t i, k;

	if (waivers->name && waivers->eco == eco && strcmp(waivers->name, name) == 0)
		return;
	free(waivers->name);
	waivers->name = pmg_xstrdup(name);
	waivers->eco = eco;
	for (i = 0; i < PMG_ENTRIES_LISTS; i++) {
		struct rules *rules = &waivers->lists[i];

		rules->n_near = 0;
		for (k = 0; k < rules->n; k++)
			if (rules->v[k].every ||
			    pmg_pattern_has_name(&rules->v[k].pattern, eco, name))
				rules->near[rules->n_near++] = &rules->v[k];
	}
}

static bool may_waive(const struct pmg_waivers *waivers, const struct pmg_packages_entry *entry,
		      const char *id, bool wait)
{
	if (id && !pmg_streq(id, entry->id))
		return false;
	return !wait || !waivers->policy.managed_wait || entry->layer == PMG_PACKAGES_MANAGED;
}

struct pmg_waived pmg_waivers_find(struct pmg_waivers *waivers, enum pmg_waiver_list list,
				   enum pmg_eco eco, const char *name, const char *version,
				   const char *id, bool wait)
{
	const struct rules *rules = &waivers->lists[list];
	struct pmg_waived found = { NULL, NULL };
	size_t i;

	turn_to(waivers, eco, name);
	for (i = 0; i < rules->n_near && !found.entry; i++) {
		const struct rule *rule = rules->near[i];

		if (!may_waive(waivers, rule->entry, id, wait) ||
		    !pmg_pattern_has_version(&rule->pattern, version))
			continue;
		if (!rule->entry->expired)
			found.entry = rule->entry;
		else if (!found.expired)
			found.expired = rule->entry;
	}
	if (found.entry)
		found.expired = NULL;
	return found;
}

/* 0: for every package; the nearer a rule is to one package the greater. */
static int nearness(const struct rule *rule)
{
	return rule->every ? 0 : 1 + (PMG_PATTERN_ALL - (int)rule->pattern.of);
}

/* Of one file the nearest rule counts, and of two as near the longer age. NULL: it has none. */
static const struct rule *nearest(const struct rules *rules, int layer)
{
	const struct rule *best = NULL;
	size_t i;

	for (i = 0; i < rules->n_near; i++) {
		const struct rule *rule = rules->near[i];

		if (rule->entry->layer != layer)
			continue;
		if (!best || nearness(rule) > nearness(best) ||
		    (nearness(rule) == nearness(best) && rule->entry->age_s > best->entry->age_s))
			best = rule;
	}
	return best;
}

uint64_t pmg_waivers_min_age(struct pmg_waivers *waivers, enum pmg_eco eco, const char *name,
			     const char **where)
{
	const struct rules *rules = &waivers->lists[PMG_ENTRIES_AGES];
	uint64_t age = 0;
	bool settled = false;
	int layer;

	*where = "default";
	turn_to(waivers, eco, name);
	for (layer = 0; layer < PMG_PACKAGES_LAYERS; layer++) {
		const struct rule *rule = nearest(rules, layer);

		if (!rule)
			continue;
		/* A project's file tightens; what holds without it is not its to say. */
		settled = settled || layer != PMG_PACKAGES_PROJECT;
		if (strcmp(*where, "default") != 0 && rule->entry->age_s <= age)
			continue;
		age = rule->entry->age_s;
		*where = rule->entry->where;
	}
	if (settled || age > PMG_PACKAGES_AGE_S)
		return age;
	*where = "default";
	return PMG_PACKAGES_AGE_S;
}

bool pmg_waivers_skip_all(struct pmg_waivers *waivers, enum pmg_eco eco, const char *name)
{
	static const enum pmg_waiver_list lists[] = { PMG_WAIVER_SKIP, PMG_WAIVER_TRUSTED };
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(lists); i++)
		if (pmg_waivers_find(waivers, lists[i], eco, name, NULL, NULL, true).entry)
			return true;
	return false;
}
