#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "cli/cmd_sandbox.h"
#include "cli/front.h"
#include "cli/shelves.h"
#include "cli/subject.h"
#include "cli/table.h"
#include "run/prepare.h"
#include "sandbox/driver.h"
#include "sandbox/lockdown.h"

struct show_opts {
	const char *driver;
	bool json;
	bool plan;
	bool resolved;
};

_Static_assert(sizeof(struct show_opts) <= PMG_SANDBOX_PROFILE_SHOW_SIZE, "cmd_sandbox.h says so");

const struct pmg_opt pmg_sandbox_profile_show_opts[] = {
	{ PMG_OPT_TEXT, 0, "driver", offsetof(struct show_opts, driver), 0, "DRIVER",
	  "show what that driver holds of it, and what not" },
	{ PMG_OPT_FLAG, 0, "json", offsetof(struct show_opts, json), 0, NULL,
	  "print the rules as JSON" },
	{ PMG_OPT_FLAG, 0, "plan", offsetof(struct show_opts, plan), 0, NULL,
	  "show how each rule is held, and the fingerprint" },
	{ PMG_OPT_FLAG, 0, "resolved", offsetof(struct show_opts, resolved), 0, NULL,
	  "show the rules as they come to in this folder" },
	{ 0 },
};

static bool is_allow(const struct pmg_policy_rule *rule)
{
	return rule->rank == PMG_RANK_ALLOW || rule->rank == PMG_RANK_OPT_OUT;
}

struct json_t *pmg_sandbox_rule_json(const struct pmg_policy_rule *rule)
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
		pmg_json_add(rules, pmg_sandbox_rule_json(&policy->rules[i]));
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

static struct pmg_plan *plan_of(const struct pmg_prepared *prepared, const char *manager)
{
	pmg_auto(plan) struct pmg_plan *shown = pmg_plan_new();

	shown->manager = pmg_xstrdup(manager);
	shown->cwd = pmg_xstrdup(prepared->cwd);
	pmg_plan_policy(shown, prepared->policy);
	pmg_bounds_plan(&prepared->bounds, shown);
	pmg_plan_seal(shown);
	return pmg_steal_ptr(&shown);
}

static void print_plan(const struct pmg_plan *plan, const struct pmg_out *out)
{
	pmg_autofree char *text = pmg_plan_text(plan);

	(void)fputs(text, out->to);
}

/* What holds each kind of rule, and what a driver has to give for it. */
static const struct {
	const char *by;
	unsigned cap; /* 0: no driver is needed */
} kinds[] = {
	[PMG_ENFORCED_PROXY] = { "proxy", PMG_CAP_NET },
	[PMG_ENFORCED_KERNEL] = { "kernel", PMG_CAP_FS },
	[PMG_ENFORCED_BROKER] = { "broker", PMG_CAP_FS | PMG_CAP_REPORT },
	[PMG_ENFORCED_OBSERVED] = { "observed", PMG_CAP_FS | PMG_CAP_REPORT },
	[PMG_ENFORCED_FRONT] = { "front", 0 },
};
_Static_assert(PMG_ARRAY_LEN(kinds) == PMG_ENFORCED_MAX, "a row for each");

static bool is_held(const struct pmg_probe *probe, enum pmg_enforced by)
{
	return (probe->caps & kinds[by].cap) == kinds[by].cap;
}

static struct json_t *held_json(const struct pmg_plan *plan, const struct pmg_probe *probe)
{
	struct json_t *list = pmg_json_array();
	size_t i;

	for (i = 0; i < plan->n_rules; i++) {
		const struct pmg_rule *rule = &plan->rules[i];
		struct json_t *json = pmg_json_object();

		pmg_json_set_str(json, "access", rule->op);
		pmg_json_set_str(json, "terms", rule->terms);
		pmg_json_set_str(json, "pattern", rule->target);
		pmg_json_set_str(json, "layer", rule->layer);
		pmg_json_set_str(json, "source", rule->source);
		pmg_json_set_str(json, "by", kinds[rule->enforced].by);
		pmg_json_set_bool(json, "held", is_held(probe, rule->enforced));
		pmg_json_add(list, json);
	}
	return list;
}

/* Counts first; then, one by one, what is not held. */
static void print_held(const struct pmg_plan *plan, const struct pmg_probe *probe, FILE *to)
{
	static const char *const heads[] = { "RULES", "HELD BY", "HERE", NULL };
	pmg_auto(table) struct pmg_table *table = pmg_table_new(heads);
	size_t by, i;

	for (by = 0; by < PMG_ENFORCED_MAX; by++) {
		pmg_autofree char *count = NULL;
		size_t n = 0;

		for (i = 0; i < plan->n_rules; i++)
			n += (size_t)plan->rules[i].enforced == by;
		count = pmg_xasprintf("%zu", n);
		if (n > 0)
			pmg_table_add(table, (const char *[]){ count, kinds[by].by,
							       is_held(probe, (enum pmg_enforced)by)
								       ? "yes"
								       : "no" });
	}
	pmg_table_print(table, to);
	for (i = 0; i < plan->n_rules; i++) {
		const struct pmg_rule *rule = &plan->rules[i];
		pmg_autofree char *target = pmg_out_quote(rule->target);

		if (!is_held(probe, rule->enforced))
			(void)fprintf(to, "not held: %s%s%s %s\n", rule->op,
				      *rule->terms ? " " : "", rule->terms, target);
	}
}

static int find_driver(const char *name, const struct pmg_driver **out, struct pmg_err *err)
{
	const struct pmg_driver *const *driver = pmg_driver_all();
	pmg_autofree char *safe = pmg_out_quote(name);

	while (*driver && strcmp((*driver)->name, name) != 0)
		driver++;
	*out = *driver;
	if (*driver)
		return 0;
	(void)pmg_err_set(err, PMG_E_USAGE, 0, "no driver \"%s\"", safe);
	return pmg_err_hint(err, "\"pmg sandbox doctor\" lists what there is");
}

/* @return 1: not all of it is held, so nothing would run */
static int print_driver(const char *name, const struct pmg_policy *policy,
			const struct pmg_plan *plan, const struct pmg_call *call,
			struct pmg_err *err)
{
	const struct show_opts *opts = call->opts;
	const struct pmg_driver *driver;
	pmg_auto(probe) struct pmg_probe probe = { 0 };
	struct pmg_err why = PMG_ERR_INIT;
	bool refused;
	int r = find_driver(name, &driver, err);

	if (r == 0)
		r = driver->probe(&probe, err);
	if (r < 0)
		return r;
	refused = pmg_lockdown_can(policy, driver, &why) < 0;
	if (opts->json) {
		pmg_auto(json) struct json_t *json = pmg_json_object();

		pmg_json_set_str(json, "driver", driver->name);
		pmg_json_set_bool(json, "usable", !probe.missing && !refused);
		pmg_json_set_str(json, "missing", probe.missing);
		pmg_json_set_str(json, "refused", refused ? why.msg : NULL);
		pmg_json_set(json, "rules", held_json(plan, &probe));
		pmg_out_json(call->out, json);
	} else {
		(void)fprintf(call->out->to, "driver %s: %s\n", driver->name,
			      probe.missing || refused ? "nothing would run" : "holds all of it");
		print_held(plan, &probe, call->out->to);
		if (probe.missing)
			(void)fprintf(call->out->to, "%s\n", probe.missing);
		if (refused)
			(void)fprintf(call->out->to, "%s\n", why.msg);
	}
	return probe.missing || refused;
}

static int print_policy(const struct pmg_prepared *prepared, const char *manager,
			const struct pmg_call *call, struct pmg_err *err)
{
	const struct show_opts *opts = call->opts;
	pmg_auto(plan) struct pmg_plan *plan =
		opts->plan || opts->driver ? plan_of(prepared, manager) : NULL;

	if (opts->driver)
		return print_driver(opts->driver, prepared->policy, plan, call, err);
	if (opts->json)
		print_json(prepared->policy, call->out);
	else if (opts->plan)
		print_plan(plan, call->out);
	else
		print_resolved(prepared->policy, call->out);
	return 0;
}

int pmg_cmd_sandbox_profile_show(const struct pmg_call *call, struct pmg_err *err)
{
	const struct show_opts *opts = call->opts;
	const char *name = call->operands[0];
	pmg_auto(subject) struct pmg_subject subject = { 0 };
	pmg_auto(prepared) struct pmg_prepared prepared = { 0 };
	pmg_auto(library_item) struct pmg_library_item item = { 0 };
	pmg_autofree char *bound = NULL;
	size_t i;
	int r;

	pmg_front_environment(&subject.env);
	if (!opts->json && !opts->plan && !opts->resolved && !opts->driver) {
		r = pmg_subject_find(&subject.env, name, &item, err);
		return r < 0 ? r : pmg_shelves_print(&item, call->out, err);
	}
	r = pmg_subject_profile(name, &subject, err);
	subject.want.no_proxy = !opts->driver;
	if (r == 0)
		r = pmg_prepare_policy(&subject.want, &prepared, err);
	if (r < 0)
		return r;
	bound = pmg_bounds_text(&prepared.bounds.managed);
	if (bound)
		pmg_out_note(call->out, "%s", bound);
	for (i = 0; i < prepared.policy->notes.n; i++)
		pmg_out_note(call->out, "%s", prepared.policy->notes.v[i]);
	return print_policy(&prepared, pmg_subject_manager(&subject), call, err);
}
