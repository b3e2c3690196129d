/* From what is said to rules: variables replaced, links resolved, strength decided. */
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "policy/build_priv.h"
#include "policy/mandatory.h"
#include "policy/policy_priv.h"
#include "policy/preset.h"
#include "policy/vars.h"

#define THROUGH_MAX 4096U

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
enum pmg_rank pmg_build_rank(const struct pmg_draft_entry *entry, bool exact)
{
	if (entry->deny)
		return entry->layer == PMG_LAYER_MANAGED ? PMG_RANK_MANAGED_DENY : PMG_RANK_DENY;
	if (!exact)
		return PMG_RANK_ALLOW;
	if (entry->access == PMG_ACCESS_ENV)
		return PMG_RANK_OPT_OUT;
	if (entry->layer == PMG_LAYER_PRESET && pmg_preset_is_git_config(entry))
		return PMG_RANK_OPT_OUT;
	if (is_users(entry->layer) &&
	    (is_file_access(entry->access) || entry->access == PMG_ACCESS_UNIX))
		return PMG_RANK_OPT_OUT;
	/* In the lists of one profile a deny beats its allow; what is said beside it is meant so.
	 */
	if (entry->access == PMG_ACCESS_CONNECT &&
	    (entry->layer == PMG_LAYER_OVERLAY || entry->layer == PMG_LAYER_FLAG))
		return PMG_RANK_OPT_OUT;
	return PMG_RANK_ALLOW;
}

/* Git hooks of the project are closed by rules; of another repository nobody may open them either.
 * Caches are left out: a manager clones there, which begins with git's sample hooks. */
static int close_hooks(struct pmg_build *b, const struct pmg_policy_rule *rule, struct pmg_err *err)
{
	const struct pmg_strv *lists[] = { &b->facts->caches, &b->facts->stores };
	size_t i, k;

	if (rule->layer == PMG_LAYER_BUILTIN || !pmg_rank_allows(rule->rank) ||
	    !is_file_access(rule->access))
		return 0;
	if (pmg_mandatory_is_hook(rule->text)) {
		if (rule->layer == PMG_LAYER_PRESET)
			(void)pmg_err_set(err, PMG_E_CONFIG, 0,
					  "%s: a preset does not open git hooks (%s)", rule->source,
					  rule->text);
		else
			(void)pmg_err_set(err, PMG_E_CONFIG, 0, "%s: nothing opens git hooks (%s)",
					  rule->source, rule->text);
		return pmg_err_hint(err, "take the entry out");
	}
	for (i = 0; i < PMG_ARRAY_LEN(lists); i++)
		for (k = 0; k < lists[i]->n; k++)
			if (pmg_path_is_under(rule->text, lists[i]->v[k]))
				return 0;
	return pmg_mandatory_add_hooks(b->policy, rule, err);
}

static bool is_temporary(const char *text)
{
	return strcmp(text, "${TMPDIR}/**") == 0;
}

/* What a preset would open although it is closed for good, a profile's deny still closes: asked of
 * the rules that will decide. @return the roles that are left */
static unsigned roles_left(struct pmg_build *b, const struct pmg_draft_entry *entry,
			   const struct pmg_policy_rule *rule)
{
	static const enum pmg_role roles[] = { PMG_ROLE_MANAGER, PMG_ROLE_SCRIPT };
	pmg_autofree char *path = pmg_vars_unescape(rule->text);
	unsigned left = rule->roles;
	size_t i;

	if (entry->layer != PMG_LAYER_PRESET || rule->rank != PMG_RANK_OPT_OUT || !path)
		return left;
	for (i = 0; i < PMG_ARRAY_LEN(roles); i++) {
		struct pmg_decision denied =
			pmg_policy_ask(b->denies, rule->access, roles[i], path);

		if (!denied.rule || !(left & (unsigned)roles[i]))
			continue;
		left &= ~(unsigned)roles[i];
		if (left == 0)
			pmg_strv_addf(&b->policy->notes,
				      "%s: %s left out: the profile denies it (%s, %s)",
				      entry->source, entry->text, denied.rule->text,
				      denied.rule->source);
	}
	return left;
}

static bool needs_proxy(const struct pmg_build *b, const struct pmg_draft_entry *entry)
{
	return b->want->no_proxy && b->draft.proxy_only && !entry->deny &&
	       entry->access == PMG_ACCESS_CONNECT;
}

static int add_rule(struct pmg_build *b, const struct pmg_draft_entry *entry, const char *text,
		    bool exact, struct pmg_err *err)
{
	pmg_autofree char *copy = pmg_xstrdup(text);
	struct pmg_policy_rule rule = { .access = entry->access,
					.rank = pmg_build_rank(entry, exact),
					.layer = entry->layer,
					.roles = entry->roles,
					.temporary = is_temporary(entry->text),
					.text = copy,
					.source = entry->source };
	int r = 0;

	if (needs_proxy(b, entry)) {
		pmg_strv_addf(&b->through, "%s%s",
			      entry->roles == PMG_ROLE_MANAGER  ? "manager "
			      : entry->roles == PMG_ROLE_SCRIPT ? "script "
								: "",
			      text);
		return 0;
	}
	if (entry->deny)
		r = pmg_policy_add(b->denies, &rule, err);
	else
		rule.roles = roles_left(b, entry, &rule);
	if (r == 0 && rule.roles != 0)
		r = pmg_policy_add(b->policy, &rule, err);
	if (r < 0) {
		pmg_autofree char *place = pmg_draft_place(entry);

		return pmg_err_wrap(err, "%s", place);
	}
	return rule.roles != 0 ? close_hooks(b, &rule, err) : 0;
}

/* Who denies a folder means what is in it, by its name as by a pattern for it. */
static char *with_all_below(const char *text)
{
	return pmg_str_has_suffix(text, "/**") ? pmg_xstrdup(text) : pmg_xasprintf("%s/**", text);
}

static int add_path(struct pmg_build *b, const struct pmg_draft_entry *entry, const char *text,
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
	if (entry->deny)
		text = all = with_all_below(text);
	real = pmg_vars_real(b->facts, text);
	r = add_rule(b, entry, text, exact, err);
	if (r < 0 || !real)
		return r;
	/* Where "dist" of a project leads to is for who wrote the project to say. */
	if (entry->layer == PMG_LAYER_PRESET && pmg_preset_strays(b->facts, text, real)) {
		pmg_strv_addf(&b->policy->notes, "%s: %s leads out of the project, to %s: left out",
			      entry->source, entry->text, real);
		return 0;
	}
	return add_rule(b, entry, real, exact, err);
}

/* Of a preset for git, in a folder without a repository, nearly every line says the same. */
static void note_preset(struct pmg_build *b, const struct pmg_draft_entry *entry, const char *name,
			size_t len)
{
	const char *colon = strrchr(entry->source, ':');
	int n = colon ? (int)(colon - entry->source) : (int)strlen(entry->source);
	pmg_autofree char *note =
		pmg_xasprintf("[PMG%d] %.*s: %.*s has no value here, so what it stands in is left "
			      "out",
			      PMG_DIAG_LEFT_OUT, n, entry->source, (int)len, name);

	(void)pmg_strv_add_once(&b->policy->notes, note);
}

/* A variable without a value: reading or starting less harms nobody; but who asked to write, or to
 * deny, must not be told that all is well. */
static int leave_out(struct pmg_build *b, const struct pmg_draft_entry *entry, const char *name,
		     size_t len, struct pmg_err *err)
{
	bool known = pmg_vars_is_known(name + 2, len - 3);
	const char *why = known ? "has no value here" : "is no variable of pmg";
	pmg_autofree char *place = NULL;
	bool harmless = !entry->deny &&
			(entry->access == PMG_ACCESS_READ || entry->access == PMG_ACCESS_EXEC);

	if (entry->layer == PMG_LAYER_BUILTIN && known)
		return 0;
	if (entry->layer == PMG_LAYER_PRESET && known) {
		note_preset(b, entry, name, len);
		return 0;
	}
	if (entry->layer == PMG_LAYER_PRESET || harmless) {
		pmg_strv_addf(&b->policy->notes, "[PMG%d] %s: %s: %.*s %s, left out",
			      PMG_DIAG_LEFT_OUT, entry->source, entry->text, (int)len, name, why);
		return 0;
	}
	place = pmg_draft_place(entry);
	(void)pmg_err_set(err, PMG_E_CONFIG, 0, "%s: %s: %.*s %s", place, entry->text, (int)len,
			  name, why);
	return pmg_err_diag(err, PMG_DIAG_LEFT_OUT);
}

static int add_paths(struct pmg_build *b, const struct pmg_draft_entry *entry, struct pmg_err *err)
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

		/* A folder that happens to be "/" is that folder, and not all below it. */
		if (!entry->deny && strcmp(text, "/**") == 0 && entry->text[0] == '$' &&
		    !pmg_str_has_suffix(entry->text, "**"))
			continue;

		r = add_path(b, entry, text, err);
	}
	return r;
}

static int add_entry(struct pmg_build *b, const struct pmg_draft_entry *entry, struct pmg_err *err)
{
	if (is_file_access(entry->access) || entry->access == PMG_ACCESS_UNIX)
		return add_paths(b, entry, err);
	return add_rule(b, entry, entry->text,
			entry->access == PMG_ACCESS_CONNECT ||
				(entry->access == PMG_ACCESS_ENV && !strchr(entry->text, '*')),
			err);
}

/* Switches of a profile that stand for entries. */
static int add_switches(struct pmg_build *b, struct pmg_err *err)
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

static void note_through(struct pmg_build *b)
{
	pmg_autofree char *hosts = pmg_strv_join(&b->through, ", ", THROUGH_MAX);

	if (*hosts)
		pmg_strv_addf(&b->policy->notes,
			      "no proxy runs here, so the network is shown closed; in a run it "
			      "lets through: %s",
			      hosts);
}

/* HOME is the caller's to set. What managed policy says of the home holds for the account's too. */
static int add_of_account(struct pmg_build *b, const struct pmg_draft_entry *entry,
			  struct pmg_err *err)
{
	const struct pmg_managed *managed = b->want->managed;
	const struct pmg_policy_facts *facts = b->facts;
	struct pmg_policy_facts account = *facts;
	int r;

	if (entry->layer != PMG_LAYER_MANAGED || !managed || !managed->home ||
	    strcmp(managed->home, facts->home) == 0)
		return 0;
	account.home = managed->home;
	b->facts = &account;
	r = add_entry(b, entry, err);
	b->facts = facts;
	return r;
}

int pmg_build_entries(struct pmg_build *b, struct pmg_err *err)
{
	size_t i;
	int r = 0;

	for (i = 0; r == 0 && i < b->draft.n_entries; i++)
		if (b->draft.entries[i].deny) {
			r = add_entry(b, &b->draft.entries[i], err);
			if (r == 0)
				r = add_of_account(b, &b->draft.entries[i], err);
		}
	pmg_policy_seal(b->denies);
	for (i = 0; r == 0 && i < b->draft.n_entries; i++)
		if (!b->draft.entries[i].deny)
			r = add_entry(b, &b->draft.entries[i], err);
	note_through(b);
	return r == 0 ? add_switches(b, err) : r;
}

int pmg_build_own(struct pmg_build *b, struct pmg_err *err)
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
