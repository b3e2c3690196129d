#include "policy/build.h"

#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "policy/allow.h"
#include "policy/build_priv.h"
#include "policy/glob.h"
#include "policy/mandatory.h"
#include "policy/preset.h"
#include "policy/vars.h"

/* Below a folder so called lie packages that were installed, each in a folder of its own. */
static const char *const dependency_names[] = { "node_modules", "site-packages", "dist-packages",
						".venv", "venv" };

void pmg_policy_facts_done(struct pmg_policy_facts *facts)
{
	pmg_strv_done(&facts->caches);
	pmg_strv_done(&facts->stores);
	pmg_strv_done(&facts->prefixes);
	pmg_strv_done(&facts->programs);
	pmg_strv_done(&facts->configs);
	pmg_strv_done(&facts->plain_configs);
	pmg_strv_done(&facts->modules);
	pmg_strv_done(&facts->parts);
	pmg_strv_done(&facts->git_configs);
	pmg_strv_done(&facts->git_dirs);
	pmg_strv_done(&facts->hooks);
	pmg_strv_done(&facts->outputs);
	pmg_strv_done(&facts->operands);
	pmg_strv_done(&facts->source_dirs);
	pmg_strv_done(&facts->dists);
	*facts = (struct pmg_policy_facts){ 0 };
}

static void build_done(struct pmg_build *b)
{
	pmg_draft_done(&b->draft);
	pmg_policy_free(b->policy);
	pmg_policy_free(b->denies);
	pmg_strv_done(&b->through);
}
PMG_DEFINE_AUTO_DONE(build, struct pmg_build, build_done);

struct pmg_policy *pmg_build_begin(const struct pmg_policy_facts *facts)
{
	struct pmg_policy *policy = pmg_policy_new();
	size_t i;

	policy->project = pmg_xstrdup(facts->project);
	policy->cwd = pmg_xstrdup(facts->cwd);
	policy->home = pmg_xstrdup(facts->home);
	for (i = 0; i < PMG_ARRAY_LEN(dependency_names); i++)
		pmg_strv_add(&policy->dependency_names, dependency_names[i]);
	for (i = 0; i < facts->modules.n; i++)
		if (!pmg_strv_has(&policy->dependency_names, pmg_path_name(facts->modules.v[i])))
			pmg_strv_add(&policy->package_folders, facts->modules.v[i]);
	for (i = 0; i < facts->parts.n; i++)
		pmg_strv_add(&policy->manager_parts, facts->parts.v[i]);
	return policy;
}

static bool is_python(const char *manager)
{
	static const char *const names[] = { "pip", "uv", "poetry", "pipx" };
	size_t i = 0;

	while (i < PMG_ARRAY_LEN(names) && strcmp(names[i], manager) != 0)
		i++;
	return i < PMG_ARRAY_LEN(names);
}

static void begin(struct pmg_build *b)
{
	const struct pmg_policy_facts *facts = b->facts;
	struct pmg_policy *policy = pmg_build_begin(facts);
	struct pmg_draft *draft = &b->draft;

	b->policy = policy;
	b->denies = pmg_build_begin(facts);
	policy->profile = pmg_xstrdup(draft->name);
	policy->proxy_only = draft->proxy_only;
	policy->direct_dns = draft->direct_dns;
	policy->proxy_only_source = pmg_steal_ptr(&draft->proxy_only_source);
	policy->direct_dns_source = pmg_steal_ptr(&draft->direct_dns_source);
	policy->any_bind = draft->any_bind;
	policy->has_manager = strcmp(facts->manager, "exec") != 0;
	policy->runs_code = facts->runs_code;
	policy->is_python = is_python(facts->manager);
	policy->pty = draft->pty;
	policy->listed_env = draft->listed_env;
	policy->max_processes = draft->max_processes;
	policy->max_open_files = draft->max_open_files;
	pmg_strv_extend(&policy->notes, pmg_strv_argv(&draft->notes));
	if (strcmp(facts->manager, "exec") == 0 && pmg_path_is_under(facts->home, facts->cwd))
		pmg_strv_addf(&policy->notes,
			      "%s is or holds the home, so nothing in it is open; name what is "
			      "needed by --sandbox-allow",
			      facts->cwd);
}

static int check_presets(const struct pmg_build *b, struct pmg_err *err)
{
	size_t i;
	int r = 0;

	for (i = 0; r == 0 && i < b->draft.n_entries; i++) {
		const struct pmg_draft_entry *entry = &b->draft.entries[i];

		if (entry->layer == PMG_LAYER_PRESET && !entry->official)
			r = pmg_preset_check(b->policy, b->facts, entry, err);
		if (r < 0) {
			pmg_autofree char *place = pmg_draft_place(entry);

			(void)pmg_err_wrap(err, "%s", place);
		}
	}
	return r;
}

/* A pattern that was typed for what only an exact path opens would be silently in vain. */
static int check_pattern(const struct pmg_build *b, const char *text, int type, const char *value,
			 struct pmg_err *err)
{
	pmg_autofree char *name = pmg_vars_unescape(pmg_path_name(value));
	pmg_autofree char *probe = NULL;
	struct pmg_decision decision;

	if (type > PMG_ACCESS_EXEC || !strpbrk(value, "*?[") || !name || !*name)
		return 0;
	probe = pmg_path_join(b->policy->project, name);
	decision = pmg_policy_ask(b->policy, (enum pmg_access)type, PMG_ROLE_SCRIPT, probe);
	if (decision.allowed || !decision.rule || decision.rule->rank > PMG_RANK_MANDATORY_DENY)
		return 0;
	(void)pmg_err_set(err, PMG_E_CONFIG, 0,
			  "--sandbox-allow %s: a pattern does not open %s (%s)", text,
			  decision.rule->text, decision.rule->source);
	return pmg_err_hint(err, "name the one path that is meant, as %s=%s",
			    pmg_allow_type_name(type), name);
}

static int check_flags(const struct pmg_build *b, const struct pmg_strv *allows,
		       struct pmg_err *err)
{
	const char *value;
	size_t i;
	int r = 0, type;

	for (i = 0; r == 0 && allows && i < allows->n; i++) {
		r = pmg_allow_parse(allows->v[i], &type, &value, err);
		if (r == 0)
			r = check_pattern(b, allows->v[i], type, value, err);
	}
	return r;
}

/* Of what was gathered. */
static int make_rules(struct pmg_build *b, struct pmg_err *err)
{
	int r;

	begin(b);
	r = pmg_build_entries(b, err);
	if (r == 0)
		r = pmg_mandatory_add(b->policy, b->facts, err);
	if (r == 0)
		r = pmg_build_own(b, err);
	if (r == 0)
		pmg_policy_seal(b->policy);
	return r;
}

int pmg_build_draft(const struct pmg_policy_facts *facts, struct pmg_draft *draft,
		    struct pmg_policy **out, struct pmg_err *err)
{
	const struct pmg_policy_want want = { .facts = facts };
	pmg_auto(build) struct pmg_build b = { .facts = facts, .want = &want, .draft = *draft };
	int r = make_rules(&b, err);

	*draft = b.draft;
	b.draft = (struct pmg_draft){ 0 };
	if (r == 0)
		*out = pmg_steal_ptr(&b.policy);
	return r;
}

static int build(const struct pmg_policy_want *want, struct pmg_policy **out, struct pmg_err *err)
{
	pmg_auto(build) struct pmg_build b = { .facts = want->facts, .want = want };
	int r = pmg_build_gather(&b, err);

	if (r == 0)
		r = make_rules(&b, err);
	if (r == 0)
		r = check_presets(&b, err);
	if (r == 0)
		r = check_flags(&b, want->allows, err);
	if (r == 0)
		*out = pmg_steal_ptr(&b.policy);
	return r;
}

int pmg_policy_build(const struct pmg_policy_want *want, struct pmg_policy **out,
		     struct pmg_err *err)
{
	int r;

	err->diag = 0;
	r = build(want, out, err);
	/* A name that is not there is the user's mistake, as one that is misspelt; and all that is
	 * asked of the system here is to read files that the user wrote. */
	if (r == -PMG_E_NOTFOUND || r == -PMG_E_SYS || r == -PMG_E_LIMIT)
		r = pmg_err_as(err, PMG_E_CONFIG);
	if (r == -PMG_E_CONFIG && err->diag == 0)
		return pmg_err_diag(err, PMG_DIAG_INVALID);
	return r;
}
