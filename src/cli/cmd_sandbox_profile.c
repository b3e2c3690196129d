#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "base/json.h"
#include "base/path.h"
#include "base/str.h"
#include "cli/cmd_sandbox.h"
#include "cli/front.h"
#include "conf/trusted.h"
#include "conf/yaml.h"
#include "policy/builtin.h"
#include "run/prepare.h"

#define PROFILE_MAX  1048576U
#define PROFILES_MAX 64U

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

/* Says why it could not be read, and which name may have been meant. */
static int no_profile(const char *name, struct pmg_err *err)
{
	const char *names[PROFILES_MAX + 1] = { NULL };
	pmg_autofree char *safe = pmg_out_quote(name);
	const char *nearest;
	size_t i, n = 0;

	for (i = 0; pmg_builtins[i].name && n < PROFILES_MAX; i++)
		if (strcmp(pmg_builtins[i].kind, "profile") == 0)
			names[n++] = pmg_builtins[i].name;
	nearest = pmg_str_nearest(name, names);
	err->code = PMG_E_CONFIG; /* it is what the user wrote that is wrong */
	(void)pmg_err_wrap(err, "profile %s", safe);
	return nearest ? pmg_err_hint(err, "did you mean \"%s\"?", nearest) : -PMG_E_CONFIG;
}

/* Text of a profile: built in, or the user's. @param[out] file  path of the latter */
static int read_text(const struct pmg_strv *env, const char *name, char **text, char **file,
		     struct pmg_err *err)
{
	const struct pmg_builtin *builtin = pmg_builtin_find("profile", name);
	pmg_auto(dirs) struct pmg_dirs dirs = { 0 };
	pmg_autofree char *below = NULL;
	size_t len;
	int r;

	if (builtin) {
		*text = pmg_xstrdup(builtin->text);
		return 0;
	}
	r = pmg_dirs_find(env, &dirs, err);
	if (r < 0)
		return r;
	below = pmg_xasprintf("profiles/%s.yml", name);
	*file = strchr(name, '/') ? pmg_xstrdup(name) : pmg_path_join(dirs.config, below);
	return pmg_io_slurp(*file, PROFILE_MAX, text, &len, err) < 0 ? no_profile(name, err) : 0;
}

/* The manager that a profile is for: itself, or what it inherits from. Caller frees. */
static char *manager_of(const char *name, const char *text, const char *file)
{
	pmg_auto(yaml) struct pmg_yaml *doc = NULL;
	struct pmg_err scratch = PMG_ERR_INIT;
	const char *inherits = NULL;

	if (file && pmg_yaml_parse(file, text, strlen(text), &doc, &scratch) == 0)
		inherits = pmg_yaml_str(doc, "inherits");
	return pmg_xstrdup(inherits ? inherits : name);
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
	pmg_autofree char *text = NULL;
	pmg_autofree char *file = NULL;
	pmg_autofree char *manager = NULL;
	struct pmg_run_want want = { .env = &env, .profile = name };
	char sh[] = "sh", *argv[] = { sh, NULL };
	size_t i;
	int r;

	pmg_front_environment(&env);
	if (!opts->json && !opts->plan && !opts->resolved) {
		r = read_text(&env, name, &text, &file, err);
		if (r == 0)
			(void)fputs(text, call->out->to);
		return r;
	}
	if (read_text(&env, name, &text, &file, err) < 0)
		return -(int)err->code;
	manager = manager_of(name, text, file);
	want.command = pmg_pm_find(manager) == NULL;
	want.tool = argv[0] = want.command ? sh : manager;
	want.argv = argv;
	r = pmg_prepare_policy(&want, &prepared, err);
	if (r < 0)
		return r;
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
