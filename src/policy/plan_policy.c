#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/path.h"
#include "base/str.h"
#include "policy/plan_priv.h"
#include "policy/policy_priv.h"

static const char *const rank_terms[] = {
	[PMG_RANK_MANAGED_DENY] = "deny managed",
	[PMG_RANK_HOOKS] = "deny hooks",
	[PMG_RANK_OPT_OUT] = "allow opt-out",
	[PMG_RANK_MANDATORY_DENY] = "deny mandatory",
	[PMG_RANK_DENY] = "deny",
	[PMG_RANK_ALLOW] = "allow",
};
_Static_assert(PMG_ARRAY_LEN(rank_terms) == PMG_RANK_MAX, "terms for each");

static const char *const role_terms[] = {
	[PMG_ROLE_MANAGER] = " manager",
	[PMG_ROLE_SCRIPT] = " script",
	[PMG_ROLE_ANY] = "",
};

/* All that a rule says besides its pattern, in words that no pattern begins with. */
static char *terms_of(const struct pmg_policy_rule *rule)
{
	return pmg_xasprintf("%s%s%s%s%s", rank_terms[rule->rank],
			     role_terms[rule->roles & PMG_ROLE_ANY],
			     rule->sensitive ? " sensitive" : "",
			     rule->packages_exempt ? " not-in-packages" : "",
			     rule->reads_empty ? " reads-empty" : "");
}

static bool has_access(const struct pmg_subtree *tree, enum pmg_access access)
{
	return access == PMG_ACCESS_READ    ? tree->read
	       : access == PMG_ACCESS_WRITE ? tree->write
					    : tree->exec;
}

/* Does the kernel alone hold this rule? Landlock knows no roles and takes nothing back, so: an
 * allow that it can be given as it stands, or a deny where nothing is granted anyway. */
static bool is_kernels(const struct pmg_policy_rule *rule, const struct pmg_subtrees *trees)
{
	const char *fixed = pmg_glob_fixed(rule->glob);
	size_t i;

	if (pmg_rank_allows(rule->rank))
		return rule->roles == PMG_ROLE_ANY && pmg_glob_is_exact(rule->glob) &&
		       (rule->access != PMG_ACCESS_WRITE || pmg_glob_is_subtree(rule->glob));
	for (i = 0; i < trees->n; i++) {
		const char *path = trees->v[i].path;

		if (!has_access(&trees->v[i], rule->access))
			continue;
		if (pmg_path_is_under(fixed, path) || pmg_glob_match(rule->glob, path) ||
		    pmg_glob_may_match_below(rule->glob, path))
			return false;
	}
	return true;
}

static enum pmg_enforced enforced_by(const struct pmg_policy_rule *rule,
				     const struct pmg_subtrees *trees)
{
	static const enum pmg_enforced others[] = {
		[PMG_ACCESS_READ] = PMG_ENFORCED_BROKER,
		[PMG_ACCESS_WRITE] = PMG_ENFORCED_BROKER,
		[PMG_ACCESS_EXEC] = PMG_ENFORCED_OBSERVED,
		[PMG_ACCESS_CONNECT] = PMG_ENFORCED_PROXY,
		[PMG_ACCESS_BIND] = PMG_ENFORCED_BROKER,
		[PMG_ACCESS_UNIX] = PMG_ENFORCED_BROKER,
		[PMG_ACCESS_ENV] = PMG_ENFORCED_FRONT,
	};

	if (rule->access <= PMG_ACCESS_EXEC && is_kernels(rule, trees))
		return PMG_ENFORCED_KERNEL;
	return others[rule->access];
}

static void set(struct pmg_plan *plan, const struct pmg_policy *policy, const char *name,
		const char *value, enum pmg_enforced enforced)
{
	pmg_autofree char *target = pmg_xasprintf("%s=%s", name, value);

	pmg_plan_add(plan, "set", target, "profile", policy->profile ? policy->profile : "-",
		     enforced);
}

static void add_switches(struct pmg_plan *plan, const struct pmg_policy *policy)
{
	const struct {
		const char *name;
		bool value;
		enum pmg_enforced by;
	} rows[] = {
		{ "network_via_proxy_only", policy->proxy_only, PMG_ENFORCED_KERNEL },
		{ "allow_direct_dns", policy->direct_dns, PMG_ENFORCED_PROXY },
		{ "allow_network_bind", policy->any_bind, PMG_ENFORCED_BROKER },
		{ "allow_pty", policy->pty, PMG_ENFORCED_KERNEL },
	};
	const struct {
		const char *name;
		uint64_t value;
	} limits[] = {
		{ "limits.processes", policy->max_processes },
		{ "limits.open_files", policy->max_open_files },
	};
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		set(plan, policy, rows[i].name, rows[i].value ? "true" : "false", rows[i].by);
	for (i = 0; i < PMG_ARRAY_LEN(limits); i++) {
		pmg_autofree char *value = pmg_xasprintf("%" PRIu64, limits[i].value);

		if (limits[i].value)
			set(plan, policy, limits[i].name, value, PMG_ENFORCED_KERNEL);
	}
	for (i = 0; i < policy->dependency_names.n; i++)
		set(plan, policy, "dependency_folder", policy->dependency_names.v[i],
		    PMG_ENFORCED_BROKER);
	for (i = 0; i < policy->package_folders.n; i++)
		set(plan, policy, "package_folder", policy->package_folders.v[i],
		    PMG_ENFORCED_BROKER);
	for (i = 0; i < policy->manager_parts.n; i++)
		set(plan, policy, "manager_part", policy->manager_parts.v[i], PMG_ENFORCED_BROKER);
	if (policy->project)
		set(plan, policy, "project", policy->project, PMG_ENFORCED_BROKER);
}

void pmg_plan_policy(struct pmg_plan *plan, const struct pmg_policy *policy)
{
	pmg_auto(subtrees) struct pmg_subtrees trees = { 0 };
	size_t i;

	assert(policy->needs);
	pmg_policy_subtrees(policy, &trees);
	for (i = 0; i < policy->n_rules; i++) {
		const struct pmg_policy_rule *rule = &policy->rules[i];
		pmg_autofree char *terms = terms_of(rule);

		pmg_plan_add_terms(plan, pmg_access_name(rule->access), terms, rule->text,
				   pmg_layer_name(rule->layer), rule->source,
				   enforced_by(rule, &trees));
	}
	add_switches(plan, policy);
	if (policy->profile) {
		free(plan->profile);
		plan->profile = pmg_xstrdup(policy->profile);
	}
}
