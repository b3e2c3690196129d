#include "policy/mandatory.h"

#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "policy/glob.h"
#include "policy/mandatory_priv.h"
#include "policy/scrub.h"
#include "policy/vars.h"

static bool reads_again(const char *manager)
{
	return strcmp(manager, "yarn") == 0 || strcmp(manager, "bun") == 0;
}

static int add_text(struct pmg_policy *policy, const struct pmg_policy_facts *facts,
		    const struct pmg_mandatory_row *row, const char *text, struct pmg_err *err)
{
	static const struct {
		unsigned bit;
		enum pmg_access access;
	} kinds[] = { { PMG_MANDATORY_READ, PMG_ACCESS_READ },
		      { PMG_MANDATORY_WRITE, PMG_ACCESS_WRITE },
		      { PMG_MANDATORY_EXEC, PMG_ACCESS_EXEC },
		      { PMG_MANDATORY_UNIX, PMG_ACCESS_UNIX },
		      { PMG_MANDATORY_CONNECT, PMG_ACCESS_CONNECT } };
	pmg_autofree char *source =
		pmg_xasprintf("built-in mandatory:%zu", (size_t)(row - pmg_mandatory_rows) + 1);
	pmg_autofree char *copy = pmg_xstrdup(text);
	/* A command that a person runs by itself is no manager, whatever it is called. */
	bool exec = strcmp(facts->manager, "exec") == 0;
	unsigned flags = row->flags & (exec ? ~(unsigned)PMG_MANDATORY_SCRIPT : ~0U);
	bool is_bun = strcmp(facts->manager, "bun") == 0;
	struct pmg_policy_rule rule = {
		.rank = flags & PMG_MANDATORY_HOOK   ? PMG_RANK_HOOKS
			: flags & PMG_MANDATORY_OPEN ? PMG_RANK_OPT_OUT
						     : PMG_RANK_MANDATORY_DENY,
		/* Of this one run: in no fingerprint. */
		.layer = pmg_str_has_prefix(row->name, "${RUNDIR}") ? PMG_LAYER_RUN
								    : PMG_LAYER_MANDATORY,
		.roles = flags & PMG_MANDATORY_SCRIPT    ? PMG_ROLE_SCRIPT
			 : flags & PMG_MANDATORY_MANAGER ? PMG_ROLE_MANAGER
							 : PMG_ROLE_ANY,
		.sensitive = !(flags & (PMG_MANDATORY_QUIET | PMG_MANDATORY_OPEN)) &&
			     !((flags & PMG_MANDATORY_DOTENV) && is_bun),
		.reads_empty = ((flags & PMG_MANDATORY_EMPTY) && reads_again(facts->manager)) ||
			       ((flags & PMG_MANDATORY_DOTENV) && is_bun),
		.packages_exempt = !(flags & (PMG_MANDATORY_PACKAGE | PMG_MANDATORY_OPEN)),
		.text = copy,
		.source = source,
	};
	size_t i;
	int r = 0;

	for (i = 0; r == 0 && i < PMG_ARRAY_LEN(kinds); i++) {
		rule.access = kinds[i].access;
		if (row->what & kinds[i].bit)
			r = pmg_policy_add(policy, &rule, err);
	}
	return r;
}

/* A pattern, and the one that it is with links resolved. */
static int add_both(struct pmg_policy *policy, const struct pmg_policy_facts *facts,
		    const struct pmg_mandatory_row *row, const char *text, struct pmg_err *err)
{
	pmg_autofree char *real = pmg_vars_real(facts, text);
	int r = add_text(policy, facts, row, text, err);

	return r == 0 && real ? add_text(policy, facts, row, real, err) : r;
}

static int add_fixed(struct pmg_policy *policy, const struct pmg_policy_facts *facts,
		     const struct pmg_mandatory_row *row, struct pmg_err *err)
{
	pmg_auto(strv) struct pmg_strv texts = { 0 };
	const char *missing;
	size_t i;
	int r = 0;

	if (row->what == PMG_MANDATORY_CONNECT || row->name[0] == '@')
		return add_text(policy, facts, row, row->name, err);
	/* Without a repository there is nothing of git to close. */
	if (pmg_vars_expand(facts, row->name, &texts, &missing) > 0)
		return 0;
	for (i = 0; r == 0 && i < texts.n; i++)
		r = add_both(policy, facts, row, texts.v[i], err);
	return r;
}

/* Where names of the list lie: what stands before each. Hundreds of names, a few places. */
struct places {
	struct pmg_strv home, project;
};

static void places_done(struct places *places)
{
	pmg_strv_done(&places->home);
	pmg_strv_done(&places->project);
}
PMG_DEFINE_AUTO_DONE(places, struct places, places_done);

static void find_places(const struct pmg_policy_facts *facts, struct places *out)
{
	static const char *const of_project[] = { "${PROJECT}/**/", "${CWD}/**/",
						  "${SOURCEDIR}/**/" };
	const char *missing;
	size_t i;

	(void)pmg_vars_expand(facts, "${HOME}/", &out->home, &missing);
	for (i = 0; i < PMG_ARRAY_LEN(of_project); i++) {
		/* What the project's rules cover needs none of its own. */
		if (i == 1 && facts->cwd && facts->project &&
		    pmg_path_is_under(facts->cwd, facts->project))
			continue;
		(void)pmg_vars_expand(facts, of_project[i], &out->project, &missing);
	}
}

static int add_below(struct pmg_policy *policy, const struct pmg_policy_facts *facts,
		     const struct pmg_mandatory_row *row, const struct pmg_strv *prefixes,
		     struct pmg_err *err)
{
	size_t i;
	int r = 0;

	for (i = 0; r == 0 && i < prefixes->n; i++) {
		pmg_autofree char *text = pmg_xasprintf("%s%s", prefixes->v[i], row->name);

		r = add_both(policy, facts, row, text, err);
	}
	return r;
}

static int add_row(struct pmg_policy *policy, const struct pmg_policy_facts *facts,
		   const struct places *places, const struct pmg_mandatory_row *row,
		   struct pmg_err *err)
{
	int r = 0;

	if (((row->flags & PMG_MANDATORY_SECRET) && !facts->git_secret) ||
	    ((row->flags & PMG_MANDATORY_PLAIN) && facts->git_secret))
		return 0;
	if (row->where & PMG_MANDATORY_HOME)
		r = add_below(policy, facts, row, &places->home, err);
	if (r == 0 && (row->where & PMG_MANDATORY_PROJECT))
		r = add_below(policy, facts, row, &places->project, err);
	if (r == 0 && (row->where & PMG_MANDATORY_FIXED))
		r = add_fixed(policy, facts, row, err);
	return r;
}

int pmg_mandatory_add(struct pmg_policy *policy, const struct pmg_policy_facts *facts,
		      struct pmg_err *err)
{
	pmg_auto(places) struct places places = { 0 };
	const struct pmg_mandatory_row *row;
	int r = pmg_scrub_add(policy, err);

	find_places(facts, &places);
	for (row = pmg_mandatory_rows; r == 0 && row->name; row++)
		r = add_row(policy, facts, &places, row, err);
	return r;
}

bool pmg_mandatory_is_hook(const char *path)
{
	const char *at = path;

	while ((at = strstr(at, "/.git/"))) {
		const char *hooks = strstr(at, "/hooks");

		at += strlen("/.git");
		if (!hooks || (hooks[6] != '\0' && hooks[6] != '/'))
			continue;
		if (hooks == at || pmg_str_has_prefix(at, "/modules/"))
			return true;
	}
	return false;
}

int pmg_mandatory_add_hooks(struct pmg_policy *policy, const struct pmg_policy_rule *rule,
			    struct pmg_err *err)
{
	static const char source[] = "built-in mandatory";
	pmg_auto(glob) struct pmg_glob *glob = NULL;
	pmg_autofree char *fixed = NULL;
	pmg_autofree char *text = NULL;
	pmg_autofree char *from = pmg_xstrdup(source);
	struct pmg_policy_rule hooks = { .access = rule->access,
					 .rank = PMG_RANK_HOOKS,
					 .layer = PMG_LAYER_MANDATORY,
					 .roles = PMG_ROLE_ANY,
					 .sensitive = true,
					 .source = from };
	int r = pmg_glob_new(rule->text, &glob, err);

	if (r < 0 || (rule->access != PMG_ACCESS_WRITE && rule->access != PMG_ACCESS_EXEC) ||
	    (pmg_glob_is_exact(glob) && !pmg_glob_is_subtree(glob)))
		return r < 0 ? r : 0;
	fixed = pmg_glob_escape(pmg_glob_fixed(glob));
	hooks.text = text = pmg_xasprintf("%s/**/.git/hooks/**", strcmp(fixed, "/") ? fixed : "");
	return pmg_policy_add(policy, &hooks, err);
}
