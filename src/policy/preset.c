#include "policy/preset.h"

#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "policy/glob.h"
#include "policy/mandatory.h"
#include "policy/sensitive.h"
#include "policy/vars.h"

bool pmg_preset_is_git_config(const struct pmg_draft_entry *entry)
{
	static const char *const texts[] = { "${GITDIR}/config", "${PROJECT}/.git/config",
					     "${CWD}/.git/config" };
	size_t i;

	for (i = 0; entry->access == PMG_ACCESS_READ && i < PMG_ARRAY_LEN(texts); i++)
		if (strcmp(entry->text, texts[i]) == 0)
			return true;
	return false;
}

static bool is_in_tree(const struct pmg_policy_facts *facts, const char *pattern)
{
	const char *const dirs[] = { facts->project, facts->cwd };
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(dirs); i++) {
		pmg_autofree char *dir = dirs[i] ? pmg_glob_escape(dirs[i]) : NULL;

		if (dir && pmg_path_is_under(pattern, dir))
			return true;
	}
	return false;
}

bool pmg_preset_strays(const struct pmg_policy_facts *facts, const char *text, const char *real)
{
	return is_in_tree(facts, text) && !is_in_tree(facts, real);
}

/* One member of "[...]"; p is behind the "[". @return behind the "]" */
static const char *take_set(const char *p, char *member)
{
	bool negated = *p == '!';
	const char *first = p + negated, *end = first + 1;

	while (*end && *end != ']')
		end += *end == '\\' && end[1] ? 2 : 1;
	if (!negated && *first == '\\')
		first++;
	*member = negated ? 'x' : *first;
	return *end ? end + 1 : end;
}

char *pmg_preset_instance(const struct pmg_glob *glob, const char *pattern, const char *fill)
{
	pmg_auto(str) struct pmg_str out = PMG_STR_INIT(2 * PMG_GLOB_MAX);
	pmg_autofree char *clean = NULL;
	const char *p = pattern;
	int r = 0;

	while (r == 0 && *p) {
		char c = *p++;

		if (c == '*' && *p == '*')
			p++;
		else if (c == '*')
			r = pmg_str_adds(&out, fill);
		else if (c == '?')
			r = pmg_str_adds(&out, "x");
		else if (c == '\\' && *p)
			r = pmg_str_add(&out, p++, 1);
		else {
			if (c == '[')
				p = take_set(p, &c);
			r = pmg_str_add(&out, &c, 1);
		}
	}
	if (r < 0 || !out.s)
		return NULL;
	clean = pmg_path_clean(out.s);
	return pmg_glob_match(glob, clean) ? pmg_steal_ptr(&clean) : NULL;
}

static int say_closed(const struct pmg_draft_entry *entry, const struct pmg_policy_rule *rule,
		      struct pmg_err *err)
{
	pmg_autofree char *safe = pmg_str_quote(entry->text, strlen(entry->text), 200);

	(void)pmg_err_set(err, PMG_E_CONFIG, 0, "a preset does not open \"%s\": %s is closed (%s)",
			  safe, rule->text, rule->source);
	return pmg_err_hint(err, "who needs it allows it by name: pmg sandbox allow %s=...",
			    pmg_access_name(entry->access));
}

/* "~/.ss?" and "${PROJECT}/.e*": a pattern that is written around what is closed. One star for a
 * whole name is not: that means all there is. */
static int check_around(const struct pmg_policy *policy, const struct pmg_draft_entry *entry,
			const char *pattern, struct pmg_err *err)
{
	size_t len = strlen(pattern), all = pmg_str_has_suffix(pattern, "/**") ? strlen("/**") : 0;
	pmg_autofree char *base = pmg_xstrndup(pattern, len - all);
	const char *last = pmg_path_name(base);
	pmg_auto(glob) struct pmg_glob *glob = NULL;
	size_t i;
	int r = *base ? pmg_glob_new(base, &glob, err) : 0;

	if (r < 0 || !glob || !strpbrk(last, "*?[") || strspn(last, "*") == strlen(last))
		return r;
	for (i = policy->first[entry->access]; i < policy->first[entry->access + 1]; i++) {
		const struct pmg_policy_rule *rule = &policy->rules[i];
		pmg_autofree char *least = NULL;

		if (rule->layer != PMG_LAYER_MANDATORY || rule->rank > PMG_RANK_MANDATORY_DENY ||
		    rule->rank == PMG_RANK_OPT_OUT)
			continue;
		least = pmg_glob_shortest(rule->glob);
		if (least && pmg_glob_match(glob, least))
			return say_closed(entry, rule, err);
	}
	return 0;
}

static int closed(const struct pmg_policy *policy, const struct pmg_draft_entry *entry,
		  const char *path, struct pmg_err *err)
{
	static const enum pmg_role roles[] = { PMG_ROLE_SCRIPT, PMG_ROLE_MANAGER };
	pmg_autofree char *safe = pmg_str_quote(entry->text, strlen(entry->text), 200);
	struct pmg_decision decision;
	size_t i;

	if (pmg_mandatory_is_hook(path))
		return pmg_err_set(err, PMG_E_CONFIG, 0,
				   "a preset does not open \"%s\": git's hooks are closed", safe);
	for (i = 0; i < PMG_ARRAY_LEN(roles); i++) {
		decision = pmg_policy_ask_closed(policy, entry->access, roles[i], path);
		if (decision.allowed || !decision.rule)
			continue;
		return say_closed(entry, decision.rule, err);
	}
	return 0;
}

#define DEPTHS 6 /* of folders in the home that "~/" and stars for names are tried with */

/* Everything that a person has is no preset's to open: be it in folders of whatever name. */
static bool is_all_of(const struct pmg_glob *glob, const char *home)
{
	pmg_autofree char *path = pmg_xstrdup(home);
	bool all = false;
	int i;

	for (i = 0; !all && i < DEPTHS; i++) {
		char *next = pmg_path_join(path, "any name of 1 file");

		free(path);
		path = next;
		all = pmg_glob_match(glob, path);
	}
	return all;
}

static int check_width(const struct pmg_policy_facts *facts, const struct pmg_glob *glob,
		       const char *text, struct pmg_err *err)
{
	pmg_autofree char *safe = pmg_str_quote(text, strlen(text), 200);

	if (!is_all_of(glob, facts->home))
		return 0;
	(void)pmg_err_set(err, PMG_E_CONFIG, 0, "a preset does not open all of the home: \"%s\"",
			  safe);
	return pmg_err_hint(err, "name the folders that are needed");
}

static int check_pattern(const struct pmg_policy *policy, const struct pmg_policy_facts *facts,
			 const struct pmg_draft_entry *entry, const char *pattern,
			 struct pmg_err *err)
{
	static const char *const fills[] = { "", "x" };
	pmg_auto(glob) struct pmg_glob *glob = NULL;
	size_t i;
	int r = pmg_glob_new(pattern, &glob, err);

	if (r == 0)
		r = check_width(facts, glob, entry->text, err);
	if (r == 0)
		r = check_around(policy, entry, pattern, err);
	for (i = 0; r == 0 && i < PMG_ARRAY_LEN(fills); i++) {
		pmg_autofree char *path = pmg_preset_instance(glob, pattern, fills[i]);

		if (path)
			r = closed(policy, entry, path, err);
	}
	return r;
}

static int check_host(const struct pmg_policy *policy, const char *text, struct pmg_err *err)
{
	const struct pmg_policy_rule *rule = NULL;

	if (pmg_sensitive_ask(policy, PMG_ACCESS_CONNECT, text, &rule) == PMG_SENSITIVE_NOT ||
	    !rule)
		return 0;
	return pmg_err_set(err, PMG_E_CONFIG, 0, "a preset does not open \"%s\": %s is closed (%s)",
			   text, rule->text, rule->source);
}

int pmg_preset_check(const struct pmg_policy *policy, const struct pmg_policy_facts *facts,
		     const struct pmg_draft_entry *entry, struct pmg_err *err)
{
	pmg_auto(strv) struct pmg_strv texts = { 0 };
	const char *missing;
	size_t i;
	int r = 0;

	if (entry->access == PMG_ACCESS_CONNECT)
		return check_host(policy, entry->text, err);
	if (entry->access > PMG_ACCESS_EXEC || pmg_preset_is_git_config(entry))
		return 0;
	/* What has no value here opens nothing here. */
	if (pmg_vars_expand(facts, entry->text, &texts, &missing) > 0)
		return 0;
	for (i = 0; r == 0 && i < texts.n; i++) {
		pmg_autofree char *text = pmg_vars_typed(facts, texts.v[i]);
		pmg_autofree char *real = pmg_vars_real(facts, text);

		r = check_pattern(policy, facts, entry, text, err);
		if (r == 0 && real && !pmg_preset_strays(facts, text, real))
			r = check_pattern(policy, facts, entry, real, err);
	}
	return r;
}
