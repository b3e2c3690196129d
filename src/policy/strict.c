/*
 * What `lint --strict` says beside the rest: nothing of it is wrong, and each hints at a profile
 * that does not do what its author meant. A program that cannot be started, since what runs it is
 * not allowed, is said without --strict too. The rules are made as for a run, for the made-up
 * project of lint.c, and asked.
 */
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/program.h"
#include "base/str.h"
#include "policy/build_priv.h"
#include "policy/glob.h"
#include "policy/host.h"
#include "policy/lint_priv.h"
#include "policy/preset.h"
#include "policy/scrub.h"
#include "policy/vars.h"

#define SHOWN_MAX 200U

/* One that is looked at, with the rules of the whole profile. */
struct strict {
	struct pmg_findings *out;
	const struct pmg_policy_facts *facts;
	const struct pmg_policy *policy;
	const struct pmg_draft_entry *entry;
	bool is_strict;
};

static void warn(const struct strict *s, const char *message, const char *hint)
{
	pmg_lint_warn(s->out, s->entry, message, hint);
}

static bool is_file(const struct pmg_draft_entry *entry)
{
	return entry->access <= PMG_ACCESS_EXEC;
}

static struct pmg_decision ask(const struct strict *s, enum pmg_role role, const char *path)
{
	return pmg_policy_ask(s->policy, s->entry->access, role, path);
}

/* The deny that keeps an allowance from ever allowing anything; NULL: it allows something. */
static const struct pmg_policy_rule *shadow_of(const struct strict *s, const char *const *samples,
					       size_t n)
{
	static const enum pmg_role roles[] = { PMG_ROLE_MANAGER, PMG_ROLE_SCRIPT };
	const struct pmg_policy_rule *shadow = NULL;
	size_t i, k;

	for (i = 0; i < n; i++)
		for (k = 0; k < PMG_ARRAY_LEN(roles); k++) {
			struct pmg_decision decision;

			if (!samples[i] || !(s->entry->roles & (unsigned)roles[k]))
				continue;
			decision = ask(s, roles[k], samples[i]);
			if (decision.allowed || !decision.rule)
				return NULL;
			shadow = decision.rule;
		}
	return shadow;
}

static void look_for_shadow(const struct strict *s, const struct pmg_glob *glob, const char *text)
{
	pmg_autofree char *one = pmg_preset_instance(glob, text, "");
	pmg_autofree char *other = pmg_preset_instance(glob, text, "x");
	pmg_autofree char *below =
		pmg_glob_is_subtree(glob) ? pmg_path_join(pmg_glob_fixed(glob), "x") : NULL;
	const char *const samples[] = { one, other, below };
	const struct pmg_policy_rule *shadow = shadow_of(s, samples, PMG_ARRAY_LEN(samples));
	pmg_autofree char *message = NULL;

	if (!shadow)
		return;
	message = pmg_xasprintf("allows nothing: %s is closed (%s: %s)", shadow->text,
				pmg_layer_name(shadow->layer), shadow->source);
	warn(s, message,
	     shadow->rank == PMG_RANK_MANDATORY_DENY
		     ? "only the one path, spelled out, opens what stays closed"
		     : "take the one or the other out");
}

static void look_for_width(const struct strict *s, const struct pmg_glob *glob)
{
	const struct {
		const char *dir, *what;
		bool write_only;
	} rows[] = {
		{ s->facts->home, "is all of the home", false },
		{ s->facts->project, "is all of the project, its sources and scripts too", true },
	};
	size_t i;

	/* It has a value where the command line names a folder, which may be any. */
	if (pmg_str_has_prefix(s->entry->text, "${OUTPUT}"))
		return;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *any = pmg_path_join(rows[i].dir, "any name of 1 file");

		if ((rows[i].write_only && s->entry->access != PMG_ACCESS_WRITE) ||
		    !pmg_glob_match(glob, any))
			continue;
		warn(s, rows[i].what, "name the folders that are needed");
		return;
	}
}

/* The kernel starts a program by its loader, a script by what it names: both have to be allowed. */
static void look_for_runner(const struct strict *s, const char *path)
{
	pmg_autofree char *runner = NULL;
	pmg_autofree char *real = NULL;
	pmg_autofree char *message = NULL;
	enum pmg_program_kind kind = pmg_program_look(path, &runner);
	pmg_auto(subtrees) struct pmg_subtrees subtrees = { 0 };
	size_t i;

	if (kind == PMG_PROGRAM_NONE || !runner)
		return;
	real = pmg_path_real(runner);
	pmg_policy_subtrees(s->policy, &subtrees);
	for (i = 0; real && i < subtrees.n; i++)
		if (subtrees.v[i].exec && pmg_path_is_under(real, subtrees.v[i].path))
			return;
	message = pmg_xasprintf("cannot be started: %s, which runs it, is not allowed", runner);
	warn(s, message, "allow that as well, or inherit from a built-in profile");
}

static void look_at_text(const struct strict *s, const char *text)
{
	pmg_auto(glob) struct pmg_glob *glob = NULL;
	struct pmg_err scratch = PMG_ERR_INIT;
	pmg_autofree char *path = pmg_vars_unescape(text);

	if (pmg_glob_new(text, &glob, &scratch) < 0)
		return; /* said already */
	if (s->is_strict) {
		look_for_shadow(s, glob, text);
		look_for_width(s, glob);
	}
	if (s->entry->access == PMG_ACCESS_EXEC && path)
		look_for_runner(s, path);
}

static void look_at_file(const struct strict *s)
{
	pmg_auto(strv) struct pmg_strv texts = { 0 };
	const char *missing;
	size_t i;

	if (s->entry->deny || pmg_vars_expand(s->facts, s->entry->text, &texts, &missing) > 0)
		return;
	for (i = 0; i < texts.n; i++) {
		pmg_autofree char *text = pmg_vars_typed(s->facts, texts.v[i]);

		look_at_text(s, text);
	}
}

static void look_at_host(const struct strict *s)
{
	pmg_auto(host) struct pmg_host *host = NULL;
	struct pmg_err scratch = PMG_ERR_INIT;
	struct pmg_decision decision;
	pmg_autofree char *message = NULL;

	if (s->entry->deny || s->entry->access != PMG_ACCESS_CONNECT ||
	    pmg_host_new(s->entry->text, false, &host, &scratch) < 0 || !pmg_host_is_exact(host))
		return;
	decision = pmg_policy_ask_net(s->policy, PMG_ACCESS_CONNECT, PMG_ROLE_SCRIPT,
				      pmg_host_name(host), pmg_host_port(host));
	if (decision.allowed || !decision.rule)
		return;
	message = pmg_xasprintf("allows nothing: %s is closed (%s: %s)", decision.rule->text,
				pmg_layer_name(decision.rule->layer), decision.rule->source);
	warn(s, message, NULL);
}

/* A variable that comes or goes whatever the profile says of it. */
static void look_at_variable(const struct strict *s)
{
	const char *name = s->entry->text;
	bool kept;

	if (strchr(name, '*'))
		return;
	kept = pmg_scrub_keeps(s->policy, name, NULL);
	if (s->entry->deny && kept)
		warn(s, "stays all the same",
		     "pmg and every program need it, or an entry allows it");
	else if (!s->entry->deny && !kept)
		warn(s, "allows nothing: another entry denies it", NULL);
	else if (!s->entry->deny && !s->policy->listed_env &&
		 !pmg_policy_ask_closed(s->policy, PMG_ACCESS_ENV, PMG_ROLE_MANAGER, name).rule &&
		 !pmg_scrub_is_secret_name(name))
		warn(s, "is not needed: it stays anyway", NULL);
}

static void look_at_manager(struct pmg_findings *out, const struct pmg_yaml *item,
			    const char *const *known)
{
	const char *const *name = known;
	pmg_autofree char *message = NULL;
	pmg_autofree char *hint = NULL;
	pmg_autofree char *safe = NULL;
	const char *near;

	if (item->kind != PMG_YAML_SCALAR)
		return;
	while (*name && strcmp(*name, item->text) != 0)
		name++;
	if (*name)
		return;
	safe = pmg_str_quote(item->text, strlen(item->text), SHOWN_MAX);
	message = pmg_xasprintf("\"%s\" is no package manager that pmg guards", safe);
	near = pmg_str_nearest(item->text, known);
	hint = near ? pmg_xasprintf("did you mean \"%s\"?", near) : NULL;
	pmg_lint_add(out, false, item->line, item->column, message, hint);
}

static void look_at_entries(struct strict *s, const struct pmg_draft_entry *entries, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		s->entry = &entries[i];
		if (s->entry->layer != PMG_LAYER_PROFILE)
			continue; /* what it inherits is not its author's */
		if (is_file(s->entry))
			look_at_file(s);
		else if (!s->is_strict)
			continue;
		else if (s->entry->access == PMG_ACCESS_ENV)
			look_at_variable(s);
		else
			look_at_host(s);
	}
}

int pmg_lint_rules(const struct pmg_policy_facts *facts, const struct pmg_yaml *doc,
		   struct pmg_draft *whole, const char *const *managers, struct pmg_findings *out,
		   struct pmg_err *err)
{
	const struct pmg_yaml *list = pmg_yaml_get(doc, "package_managers");
	pmg_auto(policy) struct pmg_policy *policy = NULL;
	struct strict s = { .out = out, .facts = facts, .is_strict = managers != NULL };
	int r = pmg_build_draft(facts, whole, &policy, err);

	if (r < 0)
		return r;
	if (list && managers)
		pmg_yaml_each (list, item)
			look_at_manager(out, item, managers);
	s.policy = policy;
	look_at_entries(&s, whole->entries, whole->n_entries);
	return 0;
}
