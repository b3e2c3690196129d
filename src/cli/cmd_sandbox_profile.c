#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "cli/cmd_sandbox.h"
#include "cli/front.h"
#include "run/prepare.h"

struct show_opts {
	bool json;
	bool plan;
	bool resolved;
};

static const struct pmg_opt show_opts[] = {
	{ PMG_OPT_FLAG, 0, "json", offsetof(struct show_opts, json), 0, NULL,
	  "print the rules as JSON" },
	{ PMG_OPT_FLAG, 0, "plan", offsetof(struct show_opts, plan), 0, NULL,
	  "show how each rule is held, and the fingerprint" },
	{ PMG_OPT_FLAG, 0, "resolved", offsetof(struct show_opts, resolved), 0, NULL,
	  "show the rules as they come to in this folder" },
	{ 0 },
};

const struct pmg_cmd pmg_sandbox_profile_cmds[] = {
	{ .name = "show",
	  .synopsis = "[--resolved] [--plan] [--json] NAME",
	  .summary = "show a profile: as written, or what it comes to here",
	  .min = 1,
	  .max = 1,
	  .opts = show_opts,
	  .opts_size = sizeof(struct show_opts),
	  .run = pmg_cmd_sandbox_profile_show },
	{ 0 },
};

/* As a run finds it. @return -PMG_E_CONFIG where there is none: it is what the user wrote that is
 * wrong */
static int find(const struct pmg_strv *env, const char *name, struct pmg_library_item *item,
		struct pmg_err *err)
{
	pmg_auto(shelf) struct pmg_shelf shelf = { 0 };
	int r = pmg_shelf_open(env, &shelf, err);

	if (r == 0)
		r = pmg_library_find(&shelf.library, PMG_LIBRARY_PROFILE, name, item, err);
	return r == -PMG_E_NOTFOUND ? pmg_err_as(err, PMG_E_CONFIG) : r;
}

static int print_text(const struct pmg_library_item *item, const struct pmg_out *out,
		      struct pmg_err *err)
{
	pmg_autofree char *text = NULL;
	size_t len = 0;
	int r = pmg_library_text(item, &text, &len, err);

	if (r == 0)
		(void)fwrite(text, 1, len, out->to);
	return r == -PMG_E_NOTFOUND ? pmg_err_as(err, PMG_E_CONFIG) : r;
}

/* The manager that a profile is for: itself, or what it inherits from. */
static char *manager_of(struct pmg_library_item *item)
{
	pmg_library_describe(item);
	return pmg_xstrdup(!item->official && item->inherits ? item->inherits : item->name);
}

static bool is_allow(const struct pmg_policy_rule *rule)
{
	return rule->rank == PMG_RANK_ALLOW || rule->rank == PMG_RANK_OPT_OUT;
}

static struct json_t *rule_json(const struct pmg_policy_rule *rule)
{
	static const char *const roles[] = {
		[PMG_ROLE_MANAGER] = "manager", [PMG_ROLE_SCRIPT] = "script", [PMG_ROLE_ANY] = "any"
	};
	struct json_t *json = pmg_json_object();

	pmg_json_set_str(json, "access", pmg_access_name(rule->access));
	pmg_json_set_bool(json, "allow", is_allow(rule));
	pmg_json_set_str(json, "role", roles[rule->roles & PMG_ROLE_ANY]);
	pmg_json_set_str(json, "pattern", rule->text);
	pmg_json_set_str(json, "layer", pmg_layer_name(rule->layer));
	pmg_json_set_str(json, "source", rule->source);
	pmg_json_set_bool(json, "sensitive", rule->sensitive);
	return json;
}

static void print_json(const struct pmg_policy *policy, const struct pmg_out *out)
{
	pmg_auto(json) struct json_t *rules = pmg_json_array();
	size_t i;

	for (i = 0; i < policy->n_rules; i++)
		pmg_json_add(rules, rule_json(&policy->rules[i]));
	pmg_out_json(out, rules);
}

static void print_resolved(const struct pmg_policy *policy, const struct pmg_out *out)
{
	size_t i;

	for (i = 0; i < policy->n_rules; i++) {
		const struct pmg_policy_rule *rule = &policy->rules[i];
		pmg_autofree char *pattern = pmg_out_quote(rule->text);
		pmg_autofree char *source = pmg_out_quote(rule->source);

		(void)fprintf(out->to, "%s %s%s %s  (%s: %s)\n", pmg_access_name(rule->access),
			      is_allow(rule) ? "allow" : "deny",
			      rule->roles == PMG_ROLE_ANY      ? ""
			      : rule->roles == PMG_ROLE_SCRIPT ? " script"
							       : " manager",
			      pattern, pmg_layer_name(rule->layer), source);
	}
}

static void print_plan(const struct pmg_prepared *prepared, const char *manager,
		       const struct pmg_out *out)
{
	pmg_auto(plan) struct pmg_plan *shown = pmg_plan_new();
	pmg_autofree char *text = NULL;

	shown->manager = pmg_xstrdup(manager);
	shown->cwd = pmg_xstrdup(prepared->cwd);
	pmg_plan_policy(shown, prepared->policy);
	pmg_bounds_plan(&prepared->bounds, shown);
	pmg_plan_seal(shown);
	text = pmg_plan_text(shown);
	(void)fputs(text, out->to);
}

int pmg_cmd_sandbox_profile_show(const struct pmg_call *call, struct pmg_err *err)
{
	const struct show_opts *opts = call->opts;
	const char *name = call->operands[0];
	pmg_auto(strv) struct pmg_strv env = { 0 };
	pmg_auto(prepared) struct pmg_prepared prepared = { 0 };
	pmg_auto(library_item) struct pmg_library_item item = { 0 };
	pmg_autofree char *manager = NULL;
	pmg_autofree char *bound = NULL;
	struct pmg_run_want want = { .env = &env, .profile = name, .no_proxy = true };
	char sh[] = "sh", *argv[] = { sh, NULL };
	size_t i;
	int r;

	pmg_front_environment(&env);
	r = find(&env, name, &item, err);
	if (r < 0)
		return r;
	if (!opts->json && !opts->plan && !opts->resolved)
		return print_text(&item, call->out, err);
	manager = manager_of(&item);
	want.command = pmg_pm_find(manager) == NULL;
	want.tool = argv[0] = want.command ? sh : manager;
	want.argv = argv;
	r = pmg_prepare_policy(&want, &prepared, err);
	if (r < 0)
		return r;
	bound = pmg_bounds_text(&prepared.bounds.managed);
	if (bound)
		pmg_out_note(call->out, "%s", bound);
	for (i = 0; i < prepared.policy->notes.n; i++)
		pmg_out_note(call->out, "%s", prepared.policy->notes.v[i]);
	if (opts->json)
		print_json(prepared.policy, call->out);
	else if (opts->plan)
		print_plan(&prepared, want.command ? "exec" : manager, call->out);
	else
		print_resolved(prepared.policy, call->out);
	return 0;
}
