#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "policy/policy_priv.h"

void pmg_subtrees_done(struct pmg_subtrees *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		free(list->v[i].path);
	free(list->v);
	*list = (struct pmg_subtrees){ 0 };
}

static bool is_subtree_of(const struct pmg_policy_rule *rule)
{
	return pmg_glob_is_subtree(rule->glob);
}

/* Does a deny keep path, or can it keep anything below it, from anybody? */
static bool denies_in(const struct pmg_policy *policy, const struct pmg_policy_rule *rule,
		      const char *path)
{
	bool exempt = rule->packages_exempt;

	if (pmg_rank_allows(rule->rank))
		return false;
	if (pmg_glob_match(rule->glob, path) &&
	    !(exempt && pmg_policy_is_exempt(policy, rule->access, path, false)))
		return true;
	return pmg_glob_may_match_below(rule->glob, path) &&
	       !(exempt && pmg_policy_is_exempt(policy, rule->access, path, true));
}

bool pmg_policy_is_pure(const struct pmg_policy *policy, enum pmg_access access, const char *path)
{
	unsigned allowed = 0;
	size_t i;

	assert(policy->needs && access <= PMG_ACCESS_EXEC);
	for (i = policy->first[access]; i < policy->first[access + 1]; i++) {
		const struct pmg_policy_rule *rule = &policy->rules[i];

		if (denies_in(policy, rule, path))
			return false;
		if (pmg_rank_allows(rule->rank) && !rule->packages_exempt &&
		    pmg_glob_covers(rule->glob, path))
			allowed |= rule->roles;
	}
	return (allowed & PMG_ROLE_ANY) == PMG_ROLE_ANY;
}

static int compare_paths(const void *left, const void *right)
{
	const struct pmg_subtree *a = left, *b = right;

	return strcmp(a->path, b->path);
}

static void add(struct pmg_subtrees *list, enum pmg_access access, char *path)
{
	list->v = pmg_grow(list->v, list->n, &list->cap, sizeof *list->v);
	list->v[list->n++] = (struct pmg_subtree){
		.path = path,
		.read = access == PMG_ACCESS_READ,
		.write = access == PMG_ACCESS_WRITE,
		.exec = access == PMG_ACCESS_EXEC,
	};
}

/* No path twice: what is granted for it is joined. */
static void join(struct pmg_subtrees *list)
{
	size_t i, kept = 0;

	if (list->n > 0)
		qsort(list->v, list->n, sizeof *list->v, compare_paths);
	for (i = 0; i < list->n; i++) {
		struct pmg_subtree *last = kept > 0 ? &list->v[kept - 1] : NULL;

		if (!last || strcmp(last->path, list->v[i].path) != 0) {
			list->v[kept++] = list->v[i];
			continue;
		}
		last->read |= list->v[i].read;
		last->write |= list->v[i].write;
		last->exec |= list->v[i].exec;
		free(list->v[i].path);
	}
	list->n = kept;
}

void pmg_policy_subtrees(const struct pmg_policy *policy, struct pmg_subtrees *out)
{
	size_t i;

	assert(policy->needs);
	for (i = 0; i < policy->first[PMG_ACCESS_EXEC + 1]; i++) {
		const struct pmg_policy_rule *rule = &policy->rules[i];
		const char *fixed;

		if (!pmg_rank_allows(rule->rank))
			continue;
		fixed = pmg_glob_fixed(rule->glob);
		/* A file is made, renamed over and removed by rights on its folder. */
		if (rule->access == PMG_ACCESS_WRITE && pmg_glob_is_exact(rule->glob) &&
		    !is_subtree_of(rule))
			add(out, rule->access, pmg_path_dir(fixed));
		else
			add(out, rule->access, pmg_xstrdup(fixed));
	}
	join(out);
	for (i = 0; i < out->n; i++) {
		struct pmg_subtree *tree = &out->v[i];

		tree->pure_read =
			tree->read && pmg_policy_is_pure(policy, PMG_ACCESS_READ, tree->path);
		tree->pure_write =
			tree->write && pmg_policy_is_pure(policy, PMG_ACCESS_WRITE, tree->path);
	}
}

/* An exact rule that a stronger one takes back for everybody. */
static bool is_taken_back(const struct pmg_policy *policy, const struct pmg_policy_rule *rule)
{
	const char *path = pmg_glob_fixed(rule->glob);

	return pmg_glob_is_exact(rule->glob) && !is_subtree_of(rule) &&
	       pmg_policy_ask(policy, rule->access, PMG_ROLE_MANAGER, path).allowed &&
	       pmg_policy_ask(policy, rule->access, PMG_ROLE_SCRIPT, path).allowed;
}

static bool is_anchored(const struct pmg_policy *policy, const struct pmg_policy_rule *rule,
			const char *path)
{
	const char *fixed = pmg_glob_fixed(rule->glob);

	/* The project, moved, would be any folder, and what is in it perhaps a package. */
	if (rule->packages_exempt && policy->project && pmg_path_is_under(policy->project, path) &&
	    pmg_glob_may_match_below(rule->glob, path))
		return true;
	if (pmg_glob_is_exact(rule->glob)) /* by far most rules: no need to walk */
		return pmg_path_is_under(fixed, path) &&
		       (is_subtree_of(rule) || strlen(fixed) > strlen(path));
	return (pmg_path_is_under(fixed, path) || pmg_path_is_under(path, fixed)) &&
	       pmg_glob_anchors(rule->glob, path);
}

const struct pmg_policy_rule *pmg_policy_anchors_below(const struct pmg_policy *policy,
						       enum pmg_access access, const char *path)
{
	size_t i;

	assert(policy->needs && access <= PMG_ACCESS_EXEC);
	for (i = policy->first[access]; i < policy->first[access + 1]; i++) {
		const struct pmg_policy_rule *rule = &policy->rules[i];

		if (pmg_rank_allows(rule->rank) || !is_anchored(policy, rule, path))
			continue;
		if (rule->packages_exempt && pmg_policy_is_exempt(policy, access, path, true))
			continue;
		if (!is_taken_back(policy, rule))
			return rule;
	}
	return NULL;
}
