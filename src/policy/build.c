#include "policy/build.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/path.h"
#include "base/str.h"
#include "policy/allow.h"
#include "policy/draft.h"
#include "policy/glob.h"
#include "policy/mandatory.h"
#include "policy/overlay.h"
#include "policy/vars.h"

#define DIAG_LEFT_OUT 2004 /* docs/codes/PMG2004.md */
#define DIAG_INVALID  2106 /* docs/codes/PMG2106.md */

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
	pmg_strv_done(&facts->git_configs);
	pmg_strv_done(&facts->git_dirs);
	pmg_strv_done(&facts->hooks);
	pmg_strv_done(&facts->outputs);
	*facts = (struct pmg_policy_facts){ 0 };
}

/* One building. */
struct build {
	const struct pmg_policy_facts *facts;
	struct pmg_draft draft;
	struct pmg_policy *policy;
};

static void build_done(struct build *b)
{
	pmg_draft_done(&b->draft);
	pmg_policy_free(b->policy);
}
PMG_DEFINE_AUTO_DONE(build, struct build, build_done);

static bool is_file_access(enum pmg_access access)
{
	return access == PMG_ACCESS_READ || access == PMG_ACCESS_WRITE || access == PMG_ACCESS_EXEC;
}

static bool is_users(enum pmg_layer layer)
{
	return layer == PMG_LAYER_PROFILE || layer == PMG_LAYER_OVERLAY || layer == PMG_LAYER_FLAG;
}

/* An exact path, by somebody who may say so, opens even what is closed for good; a pattern, which
 * catches more than its author saw, never does. */
static enum pmg_rank rank_of(const struct pmg_draft_entry *entry, bool exact)
{
	if (entry->deny)
		return PMG_RANK_DENY;
	if (!exact)
		return PMG_RANK_ALLOW;
	if (entry->access == PMG_ACCESS_ENV)
		return PMG_RANK_OPT_OUT;
	if (entry->layer == PMG_LAYER_PRESET && entry->access == PMG_ACCESS_READ &&
	    strcmp(entry->text, "${GITDIR}/config") == 0)
		return PMG_RANK_OPT_OUT;
	if (is_users(entry->layer) &&
	    (is_file_access(entry->access) || entry->access == PMG_ACCESS_UNIX))
		return PMG_RANK_OPT_OUT;
	return PMG_RANK_ALLOW;
}

static bool is_temporary(const char *text)
{
	return strcmp(text, "${TMPDIR}/**") == 0;
}

static int add_rule(struct build *b, const struct pmg_draft_entry *entry, const char *text,
		    bool exact, struct pmg_err *err)
{
	pmg_autofree char *copy = pmg_xstrdup(text);
	struct pmg_policy_rule rule = { .access = entry->access,
					.rank = rank_of(entry, exact),
					.layer = entry->layer,
					.roles = entry->roles,
					.temporary = is_temporary(entry->text),
					.text = copy,
					.source = entry->source };
	int r = pmg_policy_add(b->policy, &rule, err);

	return r < 0 ? pmg_err_wrap(err, "%s", entry->source) : 0;
}

/* Who denies a folder means what is in it. */
static char *with_all_below(const char *text)
{
	return pmg_str_has_suffix(text, "/**") ? pmg_xstrdup(text) : pmg_xasprintf("%s/**", text);
}

static int add_path(struct build *b, const struct pmg_draft_entry *entry, const char *text,
		    struct pmg_err *err)
{
	bool exact = !strchr(text, '*');
	pmg_autofree char *real = NULL;
	pmg_autofree char *one = NULL;
	pmg_autofree char *all = NULL;
	int r;

	if (text[0] == '@')
		return add_rule(b, entry, text, exact, err);
	one = pmg_vars_unescape(text);
	exact = one != NULL;
	if (entry->deny && exact)
		text = all = with_all_below(text);
	real = pmg_vars_real(b->facts, text);
	r = add_rule(b, entry, text, exact, err);
	return r == 0 && real ? add_rule(b, entry, real, exact, err) : r;
}

/* A variable without a value: reading or starting less harms nobody; but who asked to write, or to
 * deny, must not be told that all is well. */
static int leave_out(struct build *b, const struct pmg_draft_entry *entry, const char *name,
		     size_t len, struct pmg_err *err)
{
	bool known = pmg_vars_is_known(name + 2, len - 3);
	const char *why = known ? "has no value here" : "is no variable of pmg";
	bool harmless = !entry->deny &&
			(entry->access == PMG_ACCESS_READ || entry->access == PMG_ACCESS_EXEC);

	if (entry->layer == PMG_LAYER_BUILTIN && known)
		return 0;
	if (entry->layer == PMG_LAYER_PRESET || harmless) {
		pmg_strv_addf(&b->policy->notes, "[PMG%d] %s: %s: %.*s %s, left out", DIAG_LEFT_OUT,
			      entry->source, entry->text, (int)len, name, why);
		return 0;
	}
	(void)pmg_err_set(err, PMG_E_CONFIG, 0, "%s: %s: %.*s %s", entry->source, entry->text,
			  (int)len, name, why);
	return pmg_err_diag(err, DIAG_LEFT_OUT);
}

static int add_paths(struct build *b, const struct pmg_draft_entry *entry, struct pmg_err *err)
{
	pmg_auto(strv) struct pmg_strv texts = { 0 };
	const char *missing;
	size_t i, len;
	int r = 0;

	if (entry->access == PMG_ACCESS_UNIX && entry->text[0] == '@')
		return add_path(b, entry, entry->text, err);
	len = pmg_vars_expand(b->facts, entry->text, &texts, &missing);
	if (len > 0)
		return leave_out(b, entry, missing, len, err);
	for (i = 0; r == 0 && i < texts.n; i++) {
		pmg_autofree char *text = pmg_vars_typed(b->facts, texts.v[i]);

		r = add_path(b, entry, text, err);
	}
	return r;
}

/* Does a profile of the user's deny a variable that a preset would allow? */
static bool is_denied_by_user(const struct build *b, const char *name)
{
	size_t i;

	for (i = 0; i < b->draft.n_entries; i++) {
		const struct pmg_draft_entry *e = &b->draft.entries[i];
		size_t n = strcspn(e->text, "*");

		if (e->access == PMG_ACCESS_ENV && e->deny && e->layer == PMG_LAYER_PROFILE &&
		    (e->text[n] ? strncmp(e->text, name, n) : strcmp(e->text, name)) == 0)
			return true;
	}
	return false;
}

static int add_env(struct build *b, const struct pmg_draft_entry *entry, struct pmg_err *err)
{
	if (entry->layer == PMG_LAYER_PRESET && is_denied_by_user(b, entry->text)) {
		pmg_strv_addf(&b->policy->notes, "%s: %s left out: the profile denies it",
			      entry->source, entry->text);
		return 0;
	}
	return add_rule(b, entry, entry->text, !strchr(entry->text, '*'), err);
}

static int add_entry(struct build *b, const struct pmg_draft_entry *entry, struct pmg_err *err)
{
	if (is_file_access(entry->access) || entry->access == PMG_ACCESS_UNIX)
		return add_paths(b, entry, err);
	if (entry->access == PMG_ACCESS_ENV)
		return add_env(b, entry, err);
	return add_rule(b, entry, entry->text, false, err);
}

/* What pmg itself needs of a run: its bundle is readable and the temporary folder writable even
 * where they lie below folders of pmg's that are closed. */
static int add_own(struct build *b, struct pmg_err *err)
{
	static const struct {
		enum pmg_access access;
		const char *text;
	} rows[] = {
		{ PMG_ACCESS_READ, "${RUNDIR}/**" },
		{ PMG_ACCESS_READ, "${TMPDIR}/**" },
		{ PMG_ACCESS_WRITE, "${TMPDIR}/**" },
	};
	const char *const run = b->facts->run_dir;
	size_t i, k;
	int r = 0;

	for (i = 0; r == 0 && i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(strv) struct pmg_strv texts = { 0 };
		const char *missing;

		(void)pmg_vars_expand(b->facts, rows[i].text, &texts, &missing);
		for (k = 0; r == 0 && k < texts.n; k++) {
			struct pmg_policy_rule rule = {
				.access = rows[i].access,
				.rank = PMG_RANK_ALLOW,
				.layer = PMG_LAYER_RUN,
				.roles = PMG_ROLE_ANY,
				.temporary = is_temporary(rows[i].text),
				.text = texts.v[k],
			};
			pmg_autofree char *source = pmg_xstrdup("built-in run");

			rule.source = source;
			if (i == 0 ||
			    (run && b->facts->tmp && pmg_path_is_under(b->facts->tmp, run)))
				rule.rank = PMG_RANK_OPT_OUT;
			r = pmg_policy_add(b->policy, &rule, err);
		}
	}
	return r;
}

static int use_preset(struct build *b, const char *name, struct pmg_err *err)
{
	return pmg_draft_preset(&b->draft, b->facts->config_dir, name, err);
}

static int add_presets(struct build *b, struct pmg_err *err)
{
	size_t i;
	int r = 0;

	for (i = 0; r == 0 && i < b->draft.presets.n; i++)
		r = use_preset(b, b->draft.presets.v[i], err);
	return r < 0 ? pmg_err_wrap(err, "profile %s", b->draft.name) : 0;
}

static int add_overlay_entry(struct build *b, const struct pmg_overlay *overlay,
			     const struct pmg_overlay_entry *e, struct pmg_err *err)
{
	pmg_autofree char *source = pmg_xasprintf("%s:%u", overlay->path, e->line);
	struct pmg_draft_entry entry = { .access = (enum pmg_access)e->type,
					 .layer = PMG_LAYER_OVERLAY,
					 .roles = PMG_ROLE_ANY,
					 .text = e->value,
					 .source = source };
	struct pmg_err why = PMG_ERR_INIT;
	int r;

	if (!pmg_overlay_is_live(e, pmg_clock_now(), b->facts->tool, b->facts->manager))
		return 0;
	if (e->type != PMG_ALLOW_PRESET) {
		pmg_draft_add(&b->draft, &entry, e->line);
		return 0;
	}
	r = use_preset(b, e->value, &why);
	if (r == -PMG_E_NOTFOUND) {
		pmg_strv_addf(&b->draft.notes, "%s: %s; nothing is allowed by it", source, why.msg);
		return 0;
	}
	if (r < 0)
		*err = why;
	return r;
}

static int add_overlay(struct build *b, struct pmg_err *err)
{
	const char *repository = b->facts->repository ? b->facts->repository : b->facts->cwd;
	pmg_auto(overlay) struct pmg_overlay overlay = { 0 };
	size_t i;
	int r = pmg_overlay_load(b->facts->config_dir, repository, &overlay, err);

	for (i = 0; r == 0 && i < overlay.n_entries; i++)
		r = add_overlay_entry(b, &overlay, &overlay.entries[i], err);
	return r;
}

/* A pattern that was typed for what only an exact path opens would be silently in vain. */
static int check_pattern(const struct build *b, const char *text, int type, const char *value,
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

static int add_flags(struct build *b, const struct pmg_strv *allows, struct pmg_err *err)
{
	size_t i;
	int r = 0;

	for (i = 0; r == 0 && allows && i < allows->n; i++) {
		struct pmg_draft_entry entry = { .layer = PMG_LAYER_FLAG, .roles = PMG_ROLE_ANY };
		pmg_autofree char *source = pmg_xstrdup("--sandbox-allow");
		const char *value = NULL;
		int type = -1;

		r = pmg_allow_parse(allows->v[i], &type, &value, err);
		if (r == 0 && type == PMG_ALLOW_PRESET) {
			r = use_preset(b, value, err);
		} else if (r == 0) {
			pmg_autofree char *copy = pmg_xstrdup(value);

			entry.access = (enum pmg_access)type;
			entry.text = copy;
			entry.source = source;
			pmg_draft_add(&b->draft, &entry, 0);
		}
		if (r < 0)
			r = pmg_err_wrap(err, "--sandbox-allow");
	}
	return r;
}

static int check_flags(const struct build *b, const struct pmg_strv *allows, struct pmg_err *err)
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

static int check_manager(const struct build *b, struct pmg_err *err)
{
	const struct pmg_policy_facts *facts = b->facts;
	const struct pmg_strv *managers = &b->draft.managers;

	if (managers->n == 0 || (facts->tool && pmg_strv_has(managers, facts->tool)) ||
	    pmg_strv_has(managers, facts->manager))
		return 0;
	(void)pmg_err_set(err, PMG_E_CONFIG, 0, "profile \"%s\" is not for %s", b->draft.name,
			  facts->tool ? facts->tool : facts->manager);
	return pmg_err_hint(err, "its package_managers begin with %s", managers->v[0]);
}

/* profile -> presets -> overlay -> --sandbox-allow: all that is said, variables not replaced. */
static int gather(struct build *b, const struct pmg_policy_want *want, struct pmg_err *err)
{
	const char *name = want->profile ? want->profile : want->facts->manager;
	int r;

	b->draft.proxy_only = true;
	r = pmg_draft_profile(&b->draft, b->facts->config_dir, name, err);
	if (r == 0)
		r = check_manager(b, err);
	if (r == 0)
		r = add_presets(b, err);
	if (r == 0 && !want->no_overlay)
		r = add_overlay(b, err);
	return r == 0 ? add_flags(b, want->allows, err) : r;
}

static void begin(struct build *b)
{
	const struct pmg_policy_facts *facts = b->facts;
	struct pmg_policy *policy = pmg_policy_new();
	struct pmg_draft *draft = &b->draft;
	size_t i;

	b->policy = policy;
	policy->profile = pmg_xstrdup(draft->name);
	policy->project = pmg_xstrdup(facts->project);
	policy->cwd = pmg_xstrdup(facts->cwd);
	policy->home = pmg_xstrdup(facts->home);
	for (i = 0; i < PMG_ARRAY_LEN(dependency_names); i++)
		pmg_strv_add(&policy->dependency_names, dependency_names[i]);
	policy->proxy_only = draft->proxy_only;
	policy->direct_dns = draft->direct_dns;
	policy->any_bind = draft->any_bind;
	policy->has_manager = strcmp(facts->manager, "exec") != 0;
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

/* Switches of a profile that stand for entries. */
static int add_switches(struct build *b, struct pmg_err *err)
{
	const struct {
		bool on;
		enum pmg_access access;
		const char *text, *source;
	} rows[] = {
		{ b->draft.git_config, PMG_ACCESS_READ, "${GITDIR}/config", "allow_git_config" },
		/* The other end is handed out by ptmx; those of other terminals stay closed. */
		{ b->draft.pty, PMG_ACCESS_READ, "/dev/ptmx", "allow_pty" },
		{ b->draft.pty, PMG_ACCESS_WRITE, "/dev/ptmx", "allow_pty" },
		{ b->draft.pty, PMG_ACCESS_READ, "/dev/pts/ptmx", "allow_pty" },
		{ b->draft.pty, PMG_ACCESS_WRITE, "/dev/pts/ptmx", "allow_pty" },
	};
	size_t i;
	int r = 0;

	for (i = 0; r == 0 && i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *text = pmg_xstrdup(rows[i].text);
		pmg_autofree char *source = pmg_xstrdup(rows[i].source);
		struct pmg_draft_entry entry = { .access = rows[i].access,
						 .layer = PMG_LAYER_PROFILE,
						 .roles = PMG_ROLE_ANY,
						 .text = text,
						 .source = source };

		if (rows[i].on)
			r = add_entry(b, &entry, err);
	}
	return r;
}

static int build(const struct pmg_policy_want *want, struct pmg_policy **out, struct pmg_err *err)
{
	pmg_auto(build) struct build b = { .facts = want->facts };
	size_t i;
	int r = gather(&b, want, err);

	if (r < 0)
		return r;
	begin(&b);
	for (i = 0; r == 0 && i < b.draft.n_entries; i++)
		r = add_entry(&b, &b.draft.entries[i], err);
	if (r == 0)
		r = add_switches(&b, err);
	if (r == 0)
		r = pmg_mandatory_add(b.policy, b.facts, err);
	if (r == 0)
		r = add_own(&b, err);
	if (r < 0)
		return r;
	pmg_policy_seal(b.policy);
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
	/* A name that is not there is the user's mistake, as one that is misspelt. */
	if (r == -PMG_E_NOTFOUND)
		err->code = PMG_E_CONFIG;
	if ((r == -PMG_E_CONFIG || r == -PMG_E_NOTFOUND) && err->diag == 0)
		return pmg_err_diag(err, DIAG_INVALID);
	return r < 0 ? -(int)err->code : 0;
}
