#include "policy/lint.h"

#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "policy/build_priv.h"
#include "policy/lint_priv.h"
#include "policy/mandatory.h"
#include "policy/preset.h"
#include "policy/scrub.h"
#include "policy/vars.h"

#define NUMBER_MAX 100000000U

void pmg_findings_done(struct pmg_findings *findings)
{
	size_t i;

	for (i = 0; i < findings->n; i++) {
		free(findings->v[i].message);
		free(findings->v[i].hint);
	}
	free(findings->v);
	*findings = (struct pmg_findings){ 0 };
}

/* One file that is looked at. */
struct lint {
	const struct pmg_library *library;
	const char *home;
	enum pmg_library_kind kind;
	const char *file;
	const char *const *managers; /* names of all tools: look strictly; or NULL */
	struct pmg_findings *out;
	struct pmg_draft draft;
};

void pmg_lint_add(struct pmg_findings *out, bool is_error, unsigned line, unsigned column,
		  const char *message, const char *hint)
{
	out->v = pmg_grow(out->v, out->n, &out->cap, sizeof *out->v);
	out->v[out->n++] = (struct pmg_finding){
		.is_error = is_error,
		.line = line,
		.column = column,
		.message = pmg_xstrdup(message),
		.hint = hint && *hint ? pmg_xstrdup(hint) : NULL,
	};
	out->n_errors += is_error;
}

void pmg_findings_add(struct pmg_findings *findings, bool is_error, const char *message,
		      const char *hint)
{
	pmg_lint_add(findings, is_error, 0, 0, message, hint);
}

static void add(struct lint *lint, bool is_error, unsigned line, unsigned column,
		const char *message, const char *hint)
{
	pmg_lint_add(lint->out, is_error, line, column, message, hint);
}

/* A number and the colon behind it. @return behind both; NULL: there is none */
static const char *number(const char *p, unsigned *out)
{
	size_t n = strspn(p, "0123456789");
	pmg_autofree char *digits = pmg_xstrndup(p, n);
	uint64_t value;

	if (p[n] != ':' || pmg_parse_uint(digits, NUMBER_MAX, &value) < 0)
		return NULL;
	*out = (unsigned)value;
	return p + n + 1;
}

/* "file:line:column: message" as errors have it. */
static void add_err(struct lint *lint, const struct pmg_err *err)
{
	const char *p = err->msg, *at;
	unsigned line = 0, column = 0;

	if (pmg_str_has_prefix(p, lint->file) && p[strlen(lint->file)] == ':') {
		at = number(p + strlen(lint->file) + 1, &line);
		if (at && number(at, &column))
			at = number(at, &column);
		p = at ? at : p + strlen(lint->file) + 1;
		p += strspn(p, " ");
	}
	add(lint, true, line, column, p, err->hint);
}

void pmg_lint_warn(struct pmg_findings *out, const struct pmg_draft_entry *entry,
		   const char *message, const char *hint)
{
	pmg_autofree char *safe = pmg_str_quote(entry->text, strlen(entry->text), 200);
	pmg_autofree char *whole = pmg_xasprintf("\"%s\": %s", safe, message);

	pmg_lint_add(out, false, entry->line, entry->column, whole, hint);
}

static void warn(struct lint *lint, const struct pmg_draft_entry *entry, const char *message,
		 const char *hint)
{
	pmg_lint_warn(lint->out, entry, message, hint);
}

static bool is_same(const struct pmg_draft_entry *a, const struct pmg_draft_entry *b)
{
	return a->access == b->access && a->deny == b->deny && a->roles == b->roles &&
	       strcmp(a->text, b->text) == 0;
}

/* "${PROJCT}/x": whatever it was to say, it says nothing. */
static void look_at_variables(struct lint *lint, const struct pmg_draft_entry *entry)
{
	const char *p = entry->access <= PMG_ACCESS_EXEC || entry->access == PMG_ACCESS_UNIX
				? entry->text
				: "";
	const char *end;

	while ((p = strstr(p, "${")) != NULL && (end = strchr(p, '}')) != NULL) {
		if (!pmg_vars_is_known(p + 2, (size_t)(end - p) - 2)) {
			pmg_autofree char *name = pmg_xstrndup(p, (size_t)(end + 1 - p));
			pmg_autofree char *message =
				pmg_xasprintf("%s is no variable of pmg", name);

			add(lint, true, entry->line, entry->column, message,
			    "pmg-profile(5) names them");
		}
		p = end;
	}
}

static void look_at_entry(struct lint *lint, size_t i)
{
	const struct pmg_draft_entry *entry = &lint->draft.entries[i], *other;
	size_t k;

	for (k = 0; k < lint->draft.n_entries; k++) {
		other = &lint->draft.entries[k];
		if (k < i && is_same(entry, other))
			warn(lint, entry, "is there twice", NULL);
		if (!entry->deny && !other->deny && entry->access == PMG_ACCESS_EXEC &&
		    other->access == PMG_ACCESS_WRITE && strcmp(entry->text, other->text) == 0)
			warn(lint, entry, "may be written and started",
			     "a script can write a program there and start it");
	}
	look_at_variables(lint, entry);
	if (entry->deny)
		return;
	if (entry->access == PMG_ACCESS_CONNECT && pmg_str_has_prefix(entry->text, "*."))
		warn(lint, entry, "is every host below it", "name the hosts that are needed");
	if (entry->access == PMG_ACCESS_ENV &&
	    (pmg_scrub_is_secret_name(entry->text) || pmg_scrub_is_channel(entry->text)))
		warn(lint, entry, "lets a credential through", NULL);
}

/* Its name is that of the file by which it is found. */
static void look_at_name(struct lint *lint, const struct pmg_yaml *doc)
{
	const struct pmg_yaml *node = pmg_yaml_get(doc, "name");
	const char *base = pmg_path_name(lint->file);
	size_t len = strlen(base) - (pmg_str_has_suffix(base, ".yml") ? strlen(".yml") : 0);
	pmg_autofree char *stem = pmg_xstrndup(base, len);
	pmg_autofree char *message = NULL;

	if (!node || node->kind != PMG_YAML_SCALAR)
		return;
	if (strcmp(node->text, stem) != 0 && pmg_draft_is_name(stem)) {
		message = pmg_xasprintf("the file is found as \"%s\", whatever its \"name\" says",
					stem);
		add(lint, false, node->line, node->column, message, NULL);
	}
	if (pmg_builtin_find(pmg_library_kind_name(lint->kind), stem))
		add(lint, false, node->line, node->column,
		    "a built-in one has that name, which wins", "give the file another name");
	if (!pmg_yaml_get(doc, "description"))
		add(lint, false, 1, 1, "no \"description\"", "say what it is for");
}

/* A project in the home, with all that variables may stand for. */
static void make_facts(const struct lint *lint, struct pmg_policy_facts *facts)
{
	facts->manager = "npm";
	facts->tool = "npm";
	facts->tmp = "/tmp";
	facts->home = lint->home;
	facts->config_dir = lint->library->config_dir;
	facts->git_secret = true;
	pmg_strv_addf(&facts->outputs, "%s/project", lint->home);
	facts->project = facts->cwd = facts->repository = facts->outputs.v[0];
	pmg_strv_addf(&facts->git_dirs, "%s/.git", facts->project);
	pmg_strv_addf(&facts->hooks, "%s/.husky/_", facts->project);
	pmg_strv_addf(&facts->git_configs, "%s/.gitconfig", lint->home);
	pmg_strv_addf(&facts->caches, "%s/.cache/manager", lint->home);
	pmg_strv_addf(&facts->stores, "%s/.local/share/manager/store", lint->home);
	pmg_strv_addf(&facts->prefixes, "%s/.local/manager", lint->home);
	pmg_strv_addf(&facts->programs, "%s/.local/toolchain", lint->home);
	pmg_strv_addf(&facts->configs, "%s/.npmrc", lint->home);
}

/* All of them have a value in some run. */
static void look_at_rules(struct lint *lint, const struct pmg_yaml *doc, struct pmg_draft *whole)
{
	pmg_auto(policy_facts) struct pmg_policy_facts facts = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	make_facts(lint, &facts);
	pmg_strv_addf(&facts.operands, "%s/typed", lint->home);
	pmg_strv_addf(&facts.source_dirs, "%s/typed", lint->home);
	pmg_strv_addf(&facts.dists, "%s/dist", facts.project);
	pmg_strv_addf(&facts.plain_configs, "%s/.yarnrc", lint->home);
	facts.state_dir = facts.cache_dir = facts.run_dir = "/var/lib/nobody/pmg";
	if (pmg_lint_rules(&facts, doc, whole, lint->managers, lint->out, &err) < 0)
		add_err(lint, &err);
}

static void look_at_preset(struct lint *lint)
{
	pmg_auto(policy_facts) struct pmg_policy_facts facts = { 0 };
	pmg_auto(policy) struct pmg_policy *policy = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	make_facts(lint, &facts);
	policy = pmg_build_begin(&facts);
	if (pmg_mandatory_add(policy, &facts, &err) < 0) {
		add_err(lint, &err);
		return;
	}
	pmg_policy_seal(policy);
	for (i = 0; i < lint->draft.n_entries; i++) {
		const struct pmg_draft_entry *entry = &lint->draft.entries[i];
		struct pmg_err why = PMG_ERR_INIT;

		if (pmg_preset_check(policy, &facts, entry, &why) < 0)
			add(lint, true, entry->line, entry->column, why.msg, why.hint);
	}
}

static int compare(const void *left, const void *right)
{
	const struct pmg_finding *a = left, *b = right;

	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (a->column != b->column)
		return a->column < b->column ? -1 : 1;
	return (int)b->is_error - (int)a->is_error;
}

static void look_at(struct lint *lint, const char *text, size_t len)
{
	const bool preset = lint->kind == PMG_LIBRARY_PRESET;
	pmg_auto(keys_errors) struct pmg_keys_errors errors = { 0 };
	pmg_auto(draft) struct pmg_draft whole = { 0 };
	pmg_auto(yaml) struct pmg_yaml *doc = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	if (pmg_yaml_parse(lint->file, text, len, &doc, &err) < 0) {
		add_err(lint, &err);
		return;
	}
	lint->draft.layer = preset ? PMG_LAYER_PRESET : PMG_LAYER_PROFILE;
	lint->draft.label = lint->file;
	pmg_keys_read_all(preset ? pmg_draft_preset_keys : pmg_draft_profile_keys, doc,
			  &lint->draft, &errors);
	for (i = 0; i < errors.n; i++)
		add_err(lint, &errors.v[i]);
	/* What it stands on, which is not its own, and what both come to. */
	if (errors.n == 0 && pmg_draft_text(&whole, lint->kind, lint->file, text, len, &err) < 0)
		add_err(lint, &err);
	else if (errors.n == 0 && !preset)
		look_at_rules(lint, doc, &whole);
	look_at_name(lint, doc);
	if (preset)
		look_at_preset(lint);
	for (i = 0; i < lint->draft.n_entries; i++)
		look_at_entry(lint, i);
}

static void look(struct lint *lint, const char *text, size_t len)
{
	struct pmg_findings *out = lint->out;

	look_at(lint, text, len);
	pmg_draft_done(&lint->draft);
	if (out->n > 0)
		qsort(out->v, out->n, sizeof *out->v, compare);
}

void pmg_lint(const struct pmg_library *library, const char *home, enum pmg_library_kind kind,
	      const char *file, const char *text, size_t len, struct pmg_findings *out)
{
	struct lint lint = {
		.library = library, .home = home, .kind = kind, .file = file, .out = out
	};

	look(&lint, text, len);
}

void pmg_lint_strict(const struct pmg_library *library, const char *home, const char *file,
		     const char *text, size_t len, const char *const *managers,
		     struct pmg_findings *out)
{
	struct lint lint = { .library = library,
			     .home = home,
			     .kind = PMG_LIBRARY_PROFILE,
			     .file = file,
			     .managers = managers,
			     .out = out };

	look(&lint, text, len);
}

int pmg_findings_err(const struct pmg_findings *findings, const char *file, struct pmg_err *err)
{
	size_t i;

	for (i = 0; i < findings->n; i++) {
		const struct pmg_finding *f = &findings->v[i];

		if (!f->is_error)
			continue;
		if (f->line > 0)
			(void)pmg_err_set(err, PMG_E_CONFIG, 0, "%s:%u:%u: %s", file, f->line,
					  f->column, f->message);
		else
			(void)pmg_err_set(err, PMG_E_CONFIG, 0, "%s: %s", file, f->message);
		return f->hint ? pmg_err_hint(err, "%s", f->hint) : -PMG_E_CONFIG;
	}
	return 0;
}
