#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "policy/policy_priv.h"

void pmg_hidden_done(struct pmg_hidden *hidden)
{
	pmg_strv_done(&hidden->roots);
	pmg_strv_done(&hidden->paths);
}

static bool is_open(const struct pmg_policy *policy, enum pmg_access access, const char *path)
{
	return pmg_policy_ask(policy, access, PMG_ROLE_MANAGER, path).allowed ||
	       pmg_policy_ask(policy, access, PMG_ROLE_SCRIPT, path).allowed;
}

static bool is_readable(const struct pmg_policy *policy, const char *path)
{
	return is_open(policy, PMG_ACCESS_READ, path);
}

/* What is closed for reading is written and started only by a rule that is stronger. */
static bool is_used(const struct pmg_policy *policy, const char *path)
{
	return is_readable(policy, path) || is_open(policy, PMG_ACCESS_WRITE, path) ||
	       is_open(policy, PMG_ACCESS_EXEC, path) || is_open(policy, PMG_ACCESS_UNIX, path);
}

/* @param weakest  what allows is stronger than this */
static bool is_opened_below(const struct pmg_policy *policy, const char *path,
			    enum pmg_rank weakest)
{
	size_t i;

	for (i = 0; i < policy->n_rules; i++) {
		const struct pmg_policy_rule *other = &policy->rules[i];

		if (other->glob && pmg_rank_allows(other->rank) && other->rank < weakest &&
		    pmg_glob_may_match_below(other->glob, path))
			return true;
	}
	return false;
}

/* May anybody read at path or, of a subtree, anything in it? Then it is not hidden as a whole. */
static bool is_open_to_some(const struct pmg_policy *policy, const struct pmg_policy_rule *rule)
{
	const char *path = pmg_glob_fixed(rule->glob);
	size_t i;

	if (is_used(policy, path))
		return true;
	if (!pmg_glob_is_subtree(rule->glob))
		return false;
	if (is_opened_below(policy, path, rule->rank))
		return true;
	if ((rule->roles & PMG_ROLE_ANY) == PMG_ROLE_ANY && !rule->packages_exempt)
		return false;
	for (i = policy->first[PMG_ACCESS_READ]; i < policy->first[PMG_ACCESS_READ + 1]; i++)
		if (pmg_rank_allows(policy->rules[i].rank) &&
		    pmg_glob_may_match_below(policy->rules[i].glob, path))
			return true;
	return false;
}

bool pmg_policy_hides(const struct pmg_policy *policy, const char *path)
{
	const struct pmg_policy_rule *manager =
		pmg_policy_ask(policy, PMG_ACCESS_READ, PMG_ROLE_MANAGER, path).rule;
	const struct pmg_policy_rule *script =
		pmg_policy_ask(policy, PMG_ACCESS_READ, PMG_ROLE_SCRIPT, path).rule;
	const struct pmg_policy_rule *rule = manager ? manager : script;

	if (!rule || is_used(policy, path))
		return false;
	if (manager && script && script->rank < manager->rank)
		rule = script;
	return !is_opened_below(policy, path, rule->rank);
}

/* Where a pattern meets what can be read at all: the rest is closed without a mask. */
static void add_roots(const struct pmg_policy *policy, const struct pmg_policy_rule *deny,
		      struct pmg_hidden *out)
{
	const char *fixed = pmg_glob_fixed(deny->glob);
	size_t i;

	for (i = policy->first[PMG_ACCESS_READ]; i < policy->first[PMG_ACCESS_READ + 1]; i++) {
		const struct pmg_policy_rule *rule = &policy->rules[i];
		const char *open;

		if (!pmg_rank_allows(rule->rank))
			continue;
		open = pmg_glob_fixed(rule->glob);
		if (pmg_glob_is_exact(rule->glob) && !pmg_glob_is_subtree(rule->glob)) {
			if (pmg_glob_match(deny->glob, open) && pmg_policy_hides(policy, open))
				pmg_strv_add_once(&out->paths, open);
		} else if (pmg_path_is_under(fixed, open)) {
			pmg_strv_add_once(&out->roots, fixed);
		} else if (pmg_path_is_under(open, fixed) &&
			   (pmg_glob_match(deny->glob, open) ||
			    pmg_glob_may_match_below(deny->glob, open))) {
			pmg_strv_add_once(&out->roots, open);
		}
	}
}

/* A root within another is walked with it. */
static void drop_nested(struct pmg_strv *roots)
{
	size_t i, k;

	pmg_strv_sort(roots);
	for (i = roots->n; i-- > 1;) {
		for (k = 0; k < i && !pmg_path_is_under(roots->v[i], roots->v[k]); k++)
			;
		if (k < i)
			pmg_strv_remove(roots, i);
	}
}

bool pmg_policy_hides_below(const struct pmg_policy *policy, const char *dir)
{
	size_t i;

	assert(policy->needs);
	for (i = policy->first[PMG_ACCESS_READ]; i < policy->first[PMG_ACCESS_READ + 1]; i++)
		if (!pmg_rank_allows(policy->rules[i].rank) &&
		    pmg_glob_may_match_below(policy->rules[i].glob, dir))
			return true;
	return false;
}

void pmg_policy_hidden(const struct pmg_policy *policy, struct pmg_hidden *out)
{
	size_t i;

	assert(policy->needs);
	for (i = policy->first[PMG_ACCESS_READ]; i < policy->first[PMG_ACCESS_READ + 1]; i++) {
		const struct pmg_policy_rule *rule = &policy->rules[i];
		const char *fixed = pmg_glob_fixed(rule->glob);

		if (pmg_rank_allows(rule->rank))
			continue;
		if (!pmg_glob_is_exact(rule->glob) || pmg_streq(fixed, "/"))
			add_roots(policy, rule, out);
		else if (!is_open_to_some(policy, rule))
			pmg_strv_add_once(&out->paths, fixed);
		else if (pmg_glob_is_subtree(rule->glob)) /* in part: each thing is asked for */
			pmg_strv_add_once(&out->roots, fixed);
	}
	drop_nested(&out->roots);
	pmg_strv_sort(&out->paths);
}

static bool is_searched(const struct pmg_policy *policy, const char *root, const char *path)
{
	pmg_autofree char *at = pmg_path_dir(path);

	while (strlen(at) > strlen(root)) {
		char *up = pmg_path_dir(at);
		bool replaced = pmg_strv_has(&policy->dependency_names, pmg_path_name(at));

		free(at);
		at = up;
		if (replaced)
			return false;
	}
	return true;
}

bool pmg_hidden_has(const struct pmg_hidden *hidden, const struct pmg_policy *policy,
		    const char *path)
{
	size_t i;

	for (i = 0; i < hidden->paths.n; i++)
		if (pmg_path_is_under(path, hidden->paths.v[i]))
			return true;
	for (i = 0; i < hidden->roots.n; i++)
		if (pmg_path_is_under(path, hidden->roots.v[i]) &&
		    strcmp(path, hidden->roots.v[i]) != 0 &&
		    is_searched(policy, hidden->roots.v[i], path) && pmg_policy_hides(policy, path))
			return true;
	return false;
}
