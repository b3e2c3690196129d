#include "run/withheld.h"

#include <string.h>

#include "base/str.h"
#include "policy/scrub.h"

#define SHIM_NAMES_MAX 1024U

/* @param rule  NULL: its shape alone */
static void note(struct pmg_record *record, const struct pmg_policy_rule *rule, const char *name)
{
	pmg_auto(event) struct pmg_event event = {
		.code = pmg_scrub_is_channel(name) ? 2008 : 2003,
		.op = PMG_EVENT_ENV,
		.by = PMG_EVENT_BY_BROKER,
		.first = record->started,
		.last = record->started,
		.count = 1,
	};

	event.target = pmg_xstrdup(name);
	event.rule = pmg_xstrdup(rule                         ? rule->text
				 : pmg_scrub_is_channel(name) ? "PMG_*"
							      : "a name like that of a credential");
	event.layer = pmg_xstrdup(pmg_layer_name(rule ? rule->layer : PMG_LAYER_MANDATORY));
	event.source = pmg_xstrdup(rule ? rule->source : "built-in mandatory");
	if (!rule || rule->rank != PMG_RANK_MANAGED_DENY)
		event.allow = pmg_xasprintf("env=%s", name);
	(void)pmg_record_denied(record, &event);
}

static bool is_told(const struct pmg_policy_rule *rule, const char *name)
{
	/* Those of a run around this one: it has its own. */
	if (strcmp(name, "PMG_RUN") == 0 || strcmp(name, "PMG_VIA") == 0)
		return false;
	if (pmg_scrub_is_channel(name) || pmg_scrub_is_secret_name(name))
		return true;
	return rule && (rule->rank == PMG_RANK_MANAGED_DENY || !pmg_scrub_is_harmless(name));
}

void pmg_withheld_note(struct pmg_record *record, const struct pmg_policy *policy,
		       const struct pmg_strv *names)
{
	size_t i;

	for (i = 0; i < names->n; i++) {
		struct pmg_decision decision = { 0 };

		if (policy)
			decision = pmg_policy_ask(policy, PMG_ACCESS_ENV, PMG_ROLE_MANAGER,
						  names->v[i]);
		/* What a pattern allows went for its look. */
		if (decision.allowed || is_told(decision.rule, names->v[i]))
			note(record, decision.allowed ? NULL : decision.rule, names->v[i]);
	}
}

void pmg_withheld_patterns(const struct pmg_policy *policy, const struct pmg_strv *names,
			   struct pmg_strv *notes)
{
	size_t i;

	for (i = 0; policy && i < names->n; i++) {
		const struct pmg_decision decision =
			pmg_policy_ask(policy, PMG_ACCESS_ENV, PMG_ROLE_MANAGER, names->v[i]);

		if (decision.allowed && decision.rule->layer != PMG_LAYER_BUILTIN)
			pmg_strv_addf(notes,
				      "[PMG2003] %s looks like a credential: %s (%s) does not let "
				      "it through, its own name does",
				      names->v[i], decision.rule->text, decision.rule->source);
	}
}

/* Folders of shims as their managers make them, by their last parts. */
static const struct {
	const char *manager, *folder, *variables;
} shims[] = {
	{ "mise", "mise/shims", "MISE_" },       { "mise", "rtx/shims", "RTX_" },
	{ "asdf", ".asdf/shims", "ASDF_" },      { "asdf", "asdf/shims", "ASDF_" },
	{ "volta", ".volta/bin", "VOLTA_" },     { "nodenv", ".nodenv/shims", "NODENV_" },
	{ "pyenv", ".pyenv/shims", "PYENV_" },   { "rbenv", ".rbenv/shims", "RBENV_" },
	{ "goenv", ".goenv/shims", "GOENV_" },   { "proto", ".proto/shims", "PROTO_" },
	{ "nodenv", "nodenv/shims", "NODENV_" }, { "pyenv", "pyenv/shims", "PYENV_" },
};

static bool lies_in(const char *program, const char *folder)
{
	const char *slash = strrchr(program, '/');
	size_t len = slash ? (size_t)(slash - program) : 0, n = strlen(folder);

	return len > n && program[len - n - 1] == '/' && strncmp(program + len - n, folder, n) == 0;
}

static void lacks(struct pmg_record *record, const char *program, const char *name)
{
	pmg_auto(event) struct pmg_event event = {
		.code = 2006,
		.op = PMG_EVENT_ENV,
		.by = PMG_EVENT_BY_BROKER,
		.first = record->ended,
		.last = record->ended,
		.count = 1,
	};

	event.target = pmg_xstrdup(name);
	event.source = pmg_xstrdup(program);
	event.allow = pmg_xasprintf("env=%s", name);
	(void)pmg_record_denied(record, &event);
}

char *pmg_withheld_shim(struct pmg_record *record, const char *program,
			const struct pmg_strv *names)
{
	pmg_auto(str) struct pmg_str found = PMG_STR_INIT(SHIM_NAMES_MAX);
	size_t i, k;

	for (i = 0; i < PMG_ARRAY_LEN(shims); i++)
		if (lies_in(program, shims[i].folder))
			break;
	if (i == PMG_ARRAY_LEN(shims))
		return NULL;
	for (k = 0; k < names->n; k++) {
		if (!pmg_str_has_prefix(names->v[k], shims[i].variables))
			continue;
		lacks(record, program, names->v[k]);
		(void)!pmg_str_addf(&found, "%s%s", found.len ? ", " : "", names->v[k]);
	}
	if (!found.len)
		return NULL;
	return pmg_xasprintf("[PMG2006] %s is a shim of %s, which did not get %s: "
			     "\"pmg sandbox allow env=NAME\" lets one through",
			     program, shims[i].manager, found.s);
}
