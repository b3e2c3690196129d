#include "policy/overlay.h"

#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "policy/allow.h"
#include "policy/draft.h"
#include "policy/overlay_priv.h"
#include "policy/sensitive.h"
#include "policy/vars.h"
#include "policy/wide.h"

#define SHOWN_MAX    96U
#define ADVICE_FORCE "name it once more with --force if a script really needs it"

void pmg_overlay_entry_done(struct pmg_overlay_entry *entry)
{
	free(entry->value);
	free(entry->reason);
	free(entry->author);
	pmg_strv_done(&entry->tools);
	*entry = (struct pmg_overlay_entry){ 0 };
}

void pmg_overlay_done(struct pmg_overlay *overlay)
{
	size_t i;

	for (i = 0; i < overlay->n_entries; i++)
		pmg_overlay_entry_done(&overlay->entries[i]);
	free(overlay->entries);
	free(overlay->path);
	free(overlay->repository);
	*overlay = (struct pmg_overlay){ 0 };
}

void pmg_overlay_append(struct pmg_overlay *overlay, struct pmg_overlay_entry *taken)
{
	overlay->entries = pmg_grow(overlay->entries, overlay->n_entries, &overlay->cap_entries,
				    sizeof *overlay->entries);
	overlay->entries[overlay->n_entries++] = *taken;
	*taken = (struct pmg_overlay_entry){ 0 };
}

int pmg_overlay_check(const struct pmg_overlay_entry *entry, struct pmg_err *err)
{
	if (entry->type != PMG_ALLOW_PRESET)
		return pmg_allow_check(PMG_LAYER_OVERLAY, (enum pmg_access)entry->type, false,
				       entry->value, err);
	if (pmg_draft_is_name(entry->value))
		return 0;
	return pmg_err_set(err, PMG_E_CONFIG, 0, "not the name of a preset");
}

bool pmg_overlay_is_live(const struct pmg_overlay_entry *entry, int64_t now, const char *tool,
			 const char *manager)
{
	if (entry->expires != 0 && entry->expires <= now)
		return false;
	return entry->tools.n == 0 || (tool && pmg_strv_has(&entry->tools, tool)) ||
	       (manager && pmg_strv_has(&entry->tools, manager));
}

static bool is_path(int type, const char *value)
{
	return type == PMG_ACCESS_READ || type == PMG_ACCESS_WRITE || type == PMG_ACCESS_EXEC ||
	       (type == PMG_ACCESS_UNIX && value[0] != '@');
}

/* "./.env" in packages/a and "packages/a/.env" are one entry, whoever's folder is the current. */
static char *settle(const struct pmg_overlay *overlay, const struct pmg_policy *policy, int type,
		    const char *value)
{
	struct pmg_policy_facts facts = { 0 };
	pmg_auto(strv) struct pmg_strv texts = { 0 };
	pmg_autofree char *typed = NULL;
	pmg_autofree char *root = NULL;
	const char *missing;

	if (!policy || !is_path(type, value))
		return pmg_xstrdup(value);
	facts.home = policy->home;
	facts.cwd = policy->cwd;
	facts.project = policy->project;
	if (pmg_vars_expand(&facts, value, &texts, &missing) > 0 || texts.n != 1)
		return pmg_xstrdup(value);
	typed = pmg_vars_typed(&facts, texts.v[0]);
	/* Of a package in the repository ${PROJECT} would be another folder than of its neighbour.
	 */
	root = pmg_glob_escape(policy->project);
	if (strcmp(policy->project, overlay->repository) == 0 && strlen(root) > 1 &&
	    pmg_path_is_under(typed, root) && typed[strlen(root)] == '/')
		return pmg_xasprintf("${PROJECT}%s", typed + strlen(root));
	return pmg_steal_ptr(&typed);
}

static int judge(const struct pmg_policy *policy, bool force, const struct pmg_overlay_entry *entry,
		 struct pmg_err *err)
{
	pmg_autofree char *safe = pmg_str_quote(entry->value, strlen(entry->value), SHOWN_MAX);
	const struct pmg_policy_rule *rule = NULL;
	enum pmg_sensitive is = PMG_SENSITIVE_NOT;
	pmg_autofree char *why = NULL;
	const char *wide;

	if (policy && entry->type != PMG_ALLOW_PRESET)
		is = pmg_sensitive_ask(policy, (enum pmg_access)entry->type, entry->value, &rule);
	why = rule ? pmg_xasprintf("%s, %s", rule->text, rule->source)
		   : pmg_xstrdup(is == PMG_SENSITIVE_NEVER ? "a git hook"
							   : "its name is that of a credential");
	switch (is) {
	case PMG_SENSITIVE_NEVER:
		return pmg_err_set(err, PMG_E_CONFIG, 0, "nothing opens %s (%s)", safe, why);
	case PMG_SENSITIVE_VAIN:
		(void)pmg_err_set(err, PMG_E_CONFIG, 0, "a pattern does not open %s (%s)", safe,
				  why);
		return pmg_err_hint(err, "name the one path that is meant");
	case PMG_SENSITIVE_FORCE:
		if (force)
			return 0;
		(void)pmg_err_set(err, PMG_E_USAGE, 0, "%s is closed for good reason (%s)", safe,
				  why);
		return pmg_err_hint(err, ADVICE_FORCE);
	case PMG_SENSITIVE_NOT:
		break;
	}
	wide = policy && entry->type != PMG_ALLOW_PRESET && !force
		       ? pmg_wide_why(policy, (enum pmg_access)entry->type, entry->value)
		       : NULL;
	if (!wide)
		return 0;
	(void)pmg_err_set(err, PMG_E_USAGE, 0, "%s is %s", safe, wide);
	return pmg_err_hint(err, "name what is needed of it, or add --force");
}

static bool is_same(const struct pmg_overlay_entry *a, const struct pmg_overlay_entry *b)
{
	size_t i;

	if (a->type != b->type || strcmp(a->value, b->value) != 0 || a->tools.n != b->tools.n)
		return false;
	for (i = 0; i < a->tools.n; i++)
		if (!pmg_strv_has(&b->tools, a->tools.v[i]))
			return false;
	return true;
}

static void drop(struct pmg_overlay *overlay, size_t i)
{
	pmg_overlay_entry_done(&overlay->entries[i]);
	overlay->n_entries--;
	memmove(&overlay->entries[i], &overlay->entries[i + 1],
		(overlay->n_entries - i) * sizeof *overlay->entries);
}

int pmg_overlay_add(struct pmg_overlay *overlay, const struct pmg_policy *policy, bool force,
		    struct pmg_overlay_entry *taken, struct pmg_err *err)
{
	pmg_auto(overlay_entry) struct pmg_overlay_entry entry = *taken;
	char *settled;
	size_t i;
	int r;

	*taken = (struct pmg_overlay_entry){ 0 };
	r = pmg_overlay_check(&entry, err);
	if (r < 0)
		return r;
	settled = settle(overlay, policy, entry.type, entry.value);
	free(entry.value);
	entry.value = settled;
	r = judge(policy, force, &entry, err);
	if (r < 0)
		return r;
	for (i = overlay->n_entries; i-- > 0;)
		if (is_same(&overlay->entries[i], &entry))
			drop(overlay, i);
	if (overlay->n_entries >= PMG_OVERLAY_ENTRIES_MAX)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "more than %u allowances",
				   PMG_OVERLAY_ENTRIES_MAX);
	pmg_overlay_append(overlay, &entry);
	return 0;
}

size_t pmg_overlay_remove(struct pmg_overlay *overlay, const struct pmg_policy *policy, int type,
			  const char *value)
{
	pmg_autofree char *settled = settle(overlay, policy, type, value);
	size_t i, before = overlay->n_entries;

	for (i = overlay->n_entries; i-- > 0;) {
		const struct pmg_overlay_entry *e = &overlay->entries[i];

		if (e->type == type &&
		    (strcmp(e->value, value) == 0 || strcmp(e->value, settled) == 0))
			drop(overlay, i);
	}
	return before - overlay->n_entries;
}
