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
static bool denies_in(const struct pmg_policy *policy, enum pmg_access access,
		      const struct pmg_policy_rule *rule, const struct pmg_glob_path *path)
{
	if (pmg_rank_allows(rule->rank))
		return false;
	if (pmg_glob_match_path(rule->glob, path) &&
	    !pmg_policy_exempts(policy, access, rule, path->text))
		return true;
	return pmg_glob_may_match_below(rule->glob, path->text) &&
	       !(rule->packages_exempt && pmg_policy_is_exempt(policy, access, path->text, true));
}

/* What nobody may read, and a rule closes to somebody, is hidden. */
static bool hides_in(const struct pmg_policy *policy, enum pmg_access access,
		     const struct pmg_glob_path *path)
{
	unsigned denied = 0, allowed = 0;
	size_t i;

	for (i = policy->first[PMG_ACCESS_READ]; i < policy->first[PMG_ACCESS_READ + 1]; i++) {
		const struct pmg_policy_rule *rule = &policy->rules[i];

		if (denies_in(policy, access, rule, path))
			denied |= rule->roles;
		if (pmg_rank_allows(rule->rank) && pmg_glob_covers(rule->glob, path->text))
			allowed |= rule->roles;
	}
	return denied != 0 && !(allowed & ~denied & PMG_ROLE_ANY);
}

bool pmg_policy_is_pure(const struct pmg_policy *policy, enum pmg_access access, const char *path)
{
	pmg_auto(glob_path) struct pmg_glob_path parts;
	unsigned allowed = 0;
	size_t i;

	assert(policy->needs && access <= PMG_ACCESS_EXEC);
	pmg_glob_path_init(&parts, path);
	for (i = policy->first[access]; i < policy->first[access + 1]; i++) {
		const struct pmg_policy_rule *rule = &policy->rules[i];

		if (denies_in(policy, access, rule, &parts))
			return false;
		if (pmg_rank_allows(rule->rank) && !rule->packages_exempt &&
		    pmg_glob_covers(rule->glob, path))
			allowed |= rule->roles;
	}
	return (allowed & PMG_ROLE_ANY) == PMG_ROLE_ANY &&
	       (access == PMG_ACCESS_READ || !hides_in(policy, access, &parts));
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

/* In the project a file is one of many names anyway; elsewhere its folder (HOME) is far more than
 * the file, which only who names the file asks for. Nobody makes or removes devices. */
static bool may_open_folder(const struct pmg_policy *policy, const struct pmg_policy_rule *rule,
			    const char *path)
{
	if ((policy->project && pmg_path_is_under(path, policy->project)) ||
	    (policy->cwd && pmg_path_is_under(path, policy->cwd)))
		return true;
	return rule->rank == PMG_RANK_OPT_OUT && strrchr(path, '/') != path &&
	       !pmg_path_is_under(path, "/dev");
}

/* A file is made, renamed over and removed by rights on its folder: the broker has them, and tells
 * the names in it apart. */
static bool needs_folder(const struct pmg_policy *policy, const struct pmg_policy_rule *rule)
{
	return rule->access == PMG_ACCESS_WRITE && pmg_glob_is_exact(rule->glob) &&
	       !is_subtree_of(rule) && may_open_folder(policy, rule, pmg_glob_fixed(rule->glob));
}

/* Of "any node_modules of the project" the project is granted, with names in it that are closed;
 * and by itself that one which is most used and can be written without asking. */
static void add_pure(const struct pmg_policy *policy, const struct pmg_policy_rule *rule,
		     struct pmg_subtrees *out)
{
	pmg_autofree char *path = pmg_glob_shortest(rule->glob);

	if (path && rule->access == PMG_ACCESS_WRITE && pmg_glob_covers(rule->glob, path) &&
	    pmg_policy_is_pure(policy, PMG_ACCESS_WRITE, path))
		add(out, rule->access, pmg_steal_ptr(&path));
}

void pmg_policy_subtrees(const struct pmg_policy *policy, struct pmg_subtrees *out)
{
	size_t i;

	assert(policy->needs);
	for (i = 0; i < policy->first[PMG_ACCESS_EXEC + 1]; i++) {
		const struct pmg_policy_rule *rule = &policy->rules[i];
		const char *fixed = pmg_glob_fixed(rule->glob);

		if (!pmg_rank_allows(rule->rank))
			continue;
		add(out, rule->access,
		    needs_folder(policy, rule) ? pmg_path_dir(fixed) : pmg_xstrdup(fixed));
		add_pure(policy, rule, out);
	}
	join(out);
	for (i = 0; i < out->n; i++) {
		struct pmg_subtree *tree = &out->v[i];

		tree->pure_write =
			tree->write && pmg_policy_is_pure(policy, PMG_ACCESS_WRITE, tree->path);
	}
}

bool pmg_policy_can_name(const struct pmg_policy *policy, const char *path)
{
	pmg_auto(subtrees) struct pmg_subtrees trees = { 0 };
	pmg_autofree char *folder = pmg_path_dir(path);
	bool can = false;
	size_t i;

	pmg_policy_subtrees(policy, &trees);
	for (i = 0; i < trees.n && !can; i++)
		can = trees.v[i].write && pmg_path_is_under(folder, trees.v[i].path);
	return can;
}

/* Is it granted with a folder above it? */
static bool is_in_wider(const struct pmg_policy *policy, const char *path)
{
	size_t i;

	for (i = policy->first[PMG_ACCESS_EXEC]; i < policy->first[PMG_ACCESS_EXEC + 1]; i++) {
		const struct pmg_policy_rule *rule = &policy->rules[i];
		const char *fixed = pmg_glob_fixed(rule->glob);

		if (pmg_rank_allows(rule->rank) && is_subtree_of(rule) &&
		    pmg_path_is_under(path, fixed) && strcmp(path, fixed) != 0)
			return true;
	}
	return false;
}

void pmg_policy_program_folders(const struct pmg_policy *policy, struct pmg_strv *out)
{
	size_t i;

	assert(policy->needs);
	for (i = policy->first[PMG_ACCESS_EXEC]; i < policy->first[PMG_ACCESS_EXEC + 1]; i++) {
		const struct pmg_policy_rule *rule = &policy->rules[i];
		const char *path = pmg_glob_fixed(rule->glob);

		if (pmg_rank_allows(rule->rank) && is_subtree_of(rule) &&
		    pmg_policy_ask(policy, PMG_ACCESS_WRITE, PMG_ROLE_MANAGER, path).allowed &&
		    !is_in_wider(policy, path))
			(void)pmg_strv_add_once(out, path);
	}
}

static bool is_of_users(enum pmg_layer layer)
{
	return layer == PMG_LAYER_PROFILE || layer == PMG_LAYER_PRESET ||
	       layer == PMG_LAYER_OVERLAY || layer == PMG_LAYER_FLAG;
}

void pmg_policy_write_folders(const struct pmg_policy *policy, struct pmg_strv *out)
{
	size_t i;

	assert(policy->needs);
	for (i = policy->first[PMG_ACCESS_WRITE]; i < policy->first[PMG_ACCESS_WRITE + 1]; i++) {
		const struct pmg_policy_rule *rule = &policy->rules[i];
		const char *path = pmg_glob_fixed(rule->glob);

		if (pmg_rank_allows(rule->rank) && is_of_users(rule->layer) &&
		    is_subtree_of(rule) && !pmg_path_is_under(path, policy->project) &&
		    !pmg_path_is_under(path, policy->cwd) &&
		    pmg_policy_ask(policy, PMG_ACCESS_WRITE, PMG_ROLE_SCRIPT, path).allowed)
			(void)pmg_strv_add_once(out, path);
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

static bool is_anchored(const struct pmg_policy_rule *rule, const char *path)
{
	const char *fixed = pmg_glob_fixed(rule->glob);

	if (pmg_glob_is_exact(rule->glob)) /* by far most rules: no need to walk */
		return pmg_path_is_under(fixed, path) &&
		       (is_subtree_of(rule) || strlen(fixed) > strlen(path));
	return pmg_glob_anchors(rule->glob, path);
}

const struct pmg_policy_rule *pmg_policy_anchors_below(const struct pmg_policy *policy,
						       enum pmg_access access, const char *path)
{
	/* The project, moved, would be any folder, and what is in it perhaps a package. */
	bool is_project = policy->project && pmg_path_is_under(policy->project, path);
	pmg_auto(glob_path) struct pmg_glob_path parts;
	size_t i;

	assert(policy->needs && access <= PMG_ACCESS_EXEC);
	pmg_glob_path_init(&parts, path);
	for (i = policy->first[access]; i < policy->first[access + 1]; i++) {
		const struct pmg_policy_rule *rule = &policy->rules[i];

		/* All names of path are in what lies below it. */
		if (!pmg_glob_mask_has(&policy->needs[i], &parts.mask) &&
		    pmg_glob_is_exact(rule->glob))
			continue;
		if (pmg_rank_allows(rule->rank) ||
		    !(is_anchored(rule, path) || (is_project && rule->packages_exempt &&
						  pmg_glob_may_match_below(rule->glob, path))))
			continue;
		if (rule->packages_exempt && pmg_policy_is_exempt(policy, access, path, true))
			continue;
		if (!is_taken_back(policy, rule))
			return rule;
	}
	return NULL;
}
