#include <assert.h>
#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "policy/policy_priv.h"

void pmg_hidden_done(struct pmg_hidden *hidden)
{
	pmg_strv_done(&hidden->roots);
	pmg_strv_done(&hidden->paths);
}

static bool is_readable(const struct pmg_policy *policy, const char *path)
{
	return pmg_policy_ask(policy, PMG_ACCESS_READ, PMG_ROLE_MANAGER, path).allowed ||
	       pmg_policy_ask(policy, PMG_ACCESS_READ, PMG_ROLE_SCRIPT, path).allowed;
}

/* May anybody read at path or, of a subtree, anything in it? Then it is not hidden as a whole. */
static bool is_open_to_some(const struct pmg_policy *policy, const struct pmg_policy_rule *rule)
{
	const char *path = pmg_glob_fixed(rule->glob);
	size_t i;

	if (is_readable(policy, path))
		return true;
	if (!pmg_glob_is_subtree(rule->glob))
		return false;
	for (i = policy->first[PMG_ACCESS_READ]; i < policy->first[PMG_ACCESS_READ + 1]; i++) {
		const struct pmg_policy_rule *other = &policy->rules[i];

		if (pmg_rank_allows(other->rank) &&
		    (other->rank < rule->rank || (rule->roles & PMG_ROLE_ANY) != PMG_ROLE_ANY ||
		     rule->packages_exempt) &&
		    pmg_glob_may_match_below(other->glob, path))
			return true;
	}
	return false;
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
			if (pmg_glob_match(deny->glob, open) && !is_readable(policy, open))
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
