#include "policy/plan.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "policy/plan_priv.h"
#include "policy/policy.h"

#define PLAN_TEXT_MAX (SIZE_MAX / 4) /* grows with rules, whose sizes are checked where read */

static const char *const enforced_names[] = {
	[PMG_ENFORCED_PROXY] = "proxy",   [PMG_ENFORCED_KERNEL] = "kernel",
	[PMG_ENFORCED_BROKER] = "broker", [PMG_ENFORCED_OBSERVED] = "observed",
	[PMG_ENFORCED_FRONT] = "front",
};
_Static_assert(PMG_ARRAY_LEN(enforced_names) == PMG_ENFORCED_MAX, "a name for each");

static void rule_done(struct pmg_rule *rule)
{
	pmg_auto_freep(&rule->op);
	pmg_auto_freep(&rule->terms);
	pmg_auto_freep(&rule->target);
	pmg_auto_freep(&rule->layer);
	pmg_auto_freep(&rule->source);
}

void pmg_plan_free(struct pmg_plan *plan)
{
	size_t i;

	if (!plan)
		return;
	for (i = 0; i < plan->n_rules; i++)
		rule_done(&plan->rules[i]);
	pmg_auto_freep(&plan->rules);
	pmg_auto_freep(&plan->tool);
	pmg_auto_freep(&plan->manager);
	pmg_auto_freep(&plan->program);
	pmg_auto_freep(&plan->cwd);
	pmg_auto_freep(&plan->profile);
	pmg_auto_freep(&plan);
}

struct pmg_plan *pmg_plan_new(void)
{
	return pmg_xcalloc(1, sizeof(struct pmg_plan));
}

void pmg_plan_add_terms(struct pmg_plan *plan, const char *op, const char *terms,
			const char *target, const char *layer, const char *source,
			enum pmg_enforced enforced)
{
	plan->rules = pmg_grow(plan->rules, plan->n_rules, &plan->cap_rules, sizeof *plan->rules);
	plan->rules[plan->n_rules++] = (struct pmg_rule){
		.op = pmg_xstrdup(op),
		.terms = pmg_xstrdup(terms),
		.target = pmg_xstrdup(target),
		.layer = pmg_xstrdup(layer),
		.source = pmg_xstrdup(source),
		.enforced = enforced,
	};
}

void pmg_plan_add(struct pmg_plan *plan, const char *op, const char *target, const char *layer,
		  const char *source, enum pmg_enforced enforced)
{
	pmg_plan_add_terms(plan, op, "", target, layer, source, enforced);
}

/* As a person asks: where from, what network, which files, and last the two hundred variables. */
static size_t place_of(const char *op)
{
	static const char *const ops[] = { "fetch",    "artifact", "tunnel", "net-connect",
					   "net-bind", "read",     "write",  "exec",
					   "unix",     "set",      "env" };
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(ops); i++)
		if (strcmp(ops[i], op) == 0)
			break;
	return i;
}

/* What a rule decides. Where it was written does not change the run. */
static int compare_meaning(const struct pmg_rule *a, const struct pmg_rule *b)
{
	size_t left = place_of(a->op), right = place_of(b->op);
	int r = left != right ? (left < right ? -1 : 1) : strcmp(a->op, b->op);

	if (r == 0)
		r = strcmp(a->target, b->target);
	if (r == 0)
		r = strcmp(a->terms, b->terms);
	return r ? r : (int)a->enforced - (int)b->enforced;
}

static int compare(const void *left, const void *right)
{
	const struct pmg_rule *a = left, *b = right;
	int r = compare_meaning(a, b);

	if (r == 0)
		r = strcmp(a->layer, b->layer);
	return r ? r : strcmp(a->source, b->source);
}

void pmg_plan_seal(struct pmg_plan *plan)
{
	size_t i, kept = 0;

	if (plan->n_rules == 0)
		return;
	qsort(plan->rules, plan->n_rules, sizeof *plan->rules, compare);
	for (i = 1; i < plan->n_rules; i++) {
		if (compare(&plan->rules[kept], &plan->rules[i]) == 0)
			rule_done(&plan->rules[i]);
		else
			plan->rules[++kept] = plan->rules[i];
	}
	plan->n_rules = kept + 1;
}

/* A text that another may have written: on one line, and no two rules read as one. */
static void add_field(struct pmg_str *text, const char *name, const char *value)
{
	pmg_autofree char *safe = pmg_str_quote(value, strlen(value), strlen(value));
	int r = pmg_str_addf(text, "%s%s", name, safe);

	assert(r == 0);
}

/* Is it built into pmg, or what pmg finds for itself: the same in each run of that tool? */
static bool is_built_in(const struct pmg_rule *rule)
{
	static const enum pmg_layer layers[] = { PMG_LAYER_BUILTIN, PMG_LAYER_MANDATORY,
						 PMG_LAYER_RUN };
	size_t i;

	for (i = 0; *rule->terms && i < PMG_ARRAY_LEN(layers); i++)
		if (strcmp(rule->layer, pmg_layer_name(layers[i])) == 0)
			return true;
	return false;
}

static void add_count(struct pmg_str *text, size_t n)
{
	int r = n > 0 ? pmg_str_addf(text, "%zu built-in rules: -v shows them\n", n) : 0;

	assert(r == 0);
}

static char *print(const struct pmg_plan *plan, bool brief)
{
	const struct {
		const char *name, *value;
	} heads[] = {
		{ "tool: ", plan->tool },       { "manager: ", plan->manager },
		{ "program: ", plan->program }, { "folder: ", plan->cwd },
		{ "profile: ", plan->profile },
	};
	pmg_auto(str) struct pmg_str text = PMG_STR_INIT(PLAN_TEXT_MAX);
	char fingerprint[PMG_SHA256_HEX];
	size_t i, hidden = 0;

	for (i = 0; i < PMG_ARRAY_LEN(heads); i++) {
		if (!heads[i].value)
			continue;
		add_field(&text, heads[i].name, heads[i].value);
		add_field(&text, "\n", "");
	}
	for (i = 0; i < plan->n_rules; i++) {
		const struct pmg_rule *rule = &plan->rules[i];

		if (brief && is_built_in(rule)) {
			hidden++;
			continue;
		}
		add_field(&text, "", rule->op);
		add_field(&text, *rule->terms ? " " : "", rule->terms);
		add_field(&text, " ", rule->target);
		add_field(&text, "  (", rule->layer);
		add_field(&text, ": ", rule->source);
		add_field(&text, ") by ", enforced_names[rule->enforced]);
		add_field(&text, "\n", "");
	}
	add_count(&text, hidden);
	pmg_plan_fingerprint(plan, fingerprint);
	add_field(&text, "fingerprint: ", fingerprint);
	add_field(&text, "\n", "");
	return pmg_str_steal(&text);
}

char *pmg_plan_text(const struct pmg_plan *plan)
{
	return print(plan, false);
}

char *pmg_plan_brief(const struct pmg_plan *plan)
{
	return print(plan, true);
}

/* With its length, and as it is: no two rules become one text. */
static void add_bytes(struct pmg_str *text, const char *before, const char *value)
{
	int r = pmg_str_addf(text, "%s%zu:%s", before, strlen(value), value);

	assert(r == 0);
}

void pmg_plan_fingerprint(const struct pmg_plan *plan, char out[PMG_SHA256_HEX])
{
	pmg_auto(str) struct pmg_str text = PMG_STR_INIT(PLAN_TEXT_MAX);
	const char *own = pmg_layer_name(PMG_LAYER_RUN); /* names the folder of this one run */
	const struct pmg_rule *rule, *last = NULL;
	size_t i;

	add_bytes(&text, "2 ", plan->profile ? plan->profile : "");
	for (i = 0; i < plan->n_rules; i++, last = rule) {
		rule = &plan->rules[i];
		if ((last && compare_meaning(last, rule) == 0) || strcmp(rule->layer, own) == 0)
			continue;
		add_bytes(&text, "\n", rule->op);
		add_bytes(&text, " ", rule->terms);
		add_bytes(&text, " ", rule->target);
		add_bytes(&text, " ", enforced_names[rule->enforced]);
	}
	pmg_sha256_hex(text.s, text.len, out);
}
