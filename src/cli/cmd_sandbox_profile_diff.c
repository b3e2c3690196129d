#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "cli/cmd_sandbox.h"
#include "cli/front.h"
#include "cli/subject.h"
#include "policy/diff.h"
#include "run/prepare.h"

/* Both are of the same folder; each of the manager that it is for. */
static int resolve(const char *name, struct pmg_prepared *out, const struct pmg_out *to,
		   struct pmg_err *err)
{
	pmg_auto(subject) struct pmg_subject subject = { 0 };
	size_t i;
	int r;

	pmg_front_environment(&subject.env);
	r = pmg_subject_profile(name, &subject, err);
	if (r == 0)
		r = pmg_prepare_policy(&subject.want, out, err);
	for (i = 0; r == 0 && i < out->policy->notes.n; i++)
		pmg_out_note(to, "%s", out->policy->notes.v[i]);
	return r;
}

static struct json_t *rules_json(const struct pmg_differences *found, bool more)
{
	struct json_t *list = pmg_json_array();
	size_t i;

	for (i = 0; i < found->n; i++) {
		struct pmg_policy_rule rule = *found->v[i].rule; /* borrows */
		struct json_t *json;

		if (found->v[i].more != more)
			continue;
		rule.roles = found->v[i].roles;
		json = pmg_sandbox_rule_json(&rule);
		pmg_json_set_str(json, "in", found->v[i].is_in_b ? "b" : "a");
		pmg_json_add(list, json);
	}
	return list;
}

static void set_value(struct json_t *json, const char *key, const struct pmg_switched *row,
		      uint64_t value)
{
	if (row->is_switch)
		pmg_json_set_bool(json, key, value != 0);
	else
		pmg_json_set_count(json, key, value);
}

static struct json_t *settings_json(const struct pmg_differences *found)
{
	struct json_t *list = pmg_json_array();
	size_t i;

	for (i = 0; i < found->n_switched; i++) {
		struct json_t *json = pmg_json_object();

		pmg_json_set_str(json, "name", found->switched[i].name);
		set_value(json, "a", &found->switched[i], found->switched[i].a);
		set_value(json, "b", &found->switched[i], found->switched[i].b);
		pmg_json_add(list, json);
	}
	return list;
}

static void print_json(char *const *names, const struct pmg_differences *found,
		       const struct pmg_out *out)
{
	pmg_auto(json) struct json_t *json = pmg_json_object();

	pmg_json_set_str(json, "a", names[0]);
	pmg_json_set_str(json, "b", names[1]);
	pmg_json_set(json, "more", rules_json(found, true));
	pmg_json_set(json, "less", rules_json(found, false));
	pmg_json_set(json, "settings", settings_json(found));
	pmg_out_json(out, json);
}

/* What is allowed more by a deny that is gone, or less by one that is new, says so. */
static void print_rule(const struct pmg_difference *difference, FILE *to)
{
	const struct pmg_policy_rule *rule = difference->rule;
	pmg_autofree char *pattern = pmg_out_quote(rule->text);
	pmg_autofree char *source = pmg_out_quote(rule->source);
	bool denies = difference->more != difference->is_in_b;

	(void)fprintf(to, "%c %s %s%s%s  (%s: %s)\n", difference->more ? '+' : '-',
		      pmg_access_name(rule->access),
		      difference->roles == PMG_ROLE_ANY      ? ""
		      : difference->roles == PMG_ROLE_SCRIPT ? "script "
							     : "manager ",
		      pattern,
		      !denies               ? ""
		      : difference->is_in_b ? ", denied"
					    : ", no longer denied",
		      pmg_layer_name(rule->layer), source);
}

static void print_text(char *const *names, const struct pmg_differences *found,
		       const struct pmg_out *out)
{
	pmg_autofree char *a = pmg_out_quote(names[0]);
	pmg_autofree char *b = pmg_out_quote(names[1]);
	size_t i;

	for (i = 0; i < found->n; i++) {
		if (i == 0 || found->v[i - 1].more != found->v[i].more)
			(void)fprintf(out->to, "%s allows %s than %s:\n", b,
				      found->v[i].more ? "more" : "less", a);
		print_rule(&found->v[i], out->to);
	}
	for (i = 0; i < found->n_switched; i++)
		(void)fprintf(out->to, "%s: %" PRIu64 ", then %" PRIu64 "\n",
			      found->switched[i].name, found->switched[i].a, found->switched[i].b);
	if (found->n == 0 && found->n_switched == 0)
		pmg_out_note(out, "%s and %s allow the same here", a, b);
}

int pmg_cmd_sandbox_profile_diff(const struct pmg_call *call, struct pmg_err *err)
{
	const bool *json = call->opts;
	pmg_auto(prepared) struct pmg_prepared a = { 0 };
	pmg_auto(prepared) struct pmg_prepared b = { 0 };
	pmg_auto(differences) struct pmg_differences found = { 0 };
	int r = resolve(call->operands[0], &a, call->out, err);

	if (r == 0)
		r = resolve(call->operands[1], &b, call->out, err);
	if (r < 0)
		return r;
	pmg_policy_diff(a.policy, b.policy, &found);
	if (*json)
		print_json(call->operands, &found, call->out);
	else
		print_text(call->operands, &found, call->out);
	return 0;
}
