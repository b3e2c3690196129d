#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "policy/build_priv.h"
#include "policy/lint.h"
#include "policy/overlay_priv.h"

/*
 * A profile, a preset and an overlay, apart by lines "---8<---". Whatever they say: what is taken
 * has its place in the file, a preset and an overlay only add, what lint passes is taken and what
 * is not taken lint does not pass, and from the entries rules are made, or an error with its
 * reason.
 */
#define CUT  "---8<---\n"
#define HOME "/nonexistent/home"

static const char names[3][8] = { "f.yml", "p.yml", "o.yml" };

struct text {
	const char *v;
	size_t len;
};

static struct text take(struct text *rest)
{
	const char *cut = memmem(rest->v, rest->len, CUT, strlen(CUT));
	struct text part = { rest->v, cut ? (size_t)(cut - rest->v) : rest->len };
	size_t used = cut ? part.len + strlen(CUT) : part.len;

	rest->v += used;
	rest->len -= used;
	return part;
}

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void check_err(int r, const struct pmg_err *err)
{
	must((r == -PMG_E_CONFIG || r == -PMG_E_LIMIT || r == -PMG_E_NOTFOUND) && err->msg[0]);
}

static void check_entries(const struct pmg_draft *draft, size_t from, enum pmg_layer layer,
			  struct text text)
{
	unsigned lines = 1;
	size_t i;

	for (i = 0; i < text.len; i++)
		lines += text.v[i] == '\n' || text.v[i] == '\r' || (unsigned char)text.v[i] >= 0x80;
	for (i = from; i < draft->n_entries; i++) {
		const struct pmg_draft_entry *entry = &draft->entries[i];

		if (entry->layer == PMG_LAYER_BUILTIN)
			continue;
		must(entry->layer == layer && entry->roles != 0 && entry->text[0] &&
		     entry->source && entry->line >= 1 && entry->line <= lines &&
		     entry->column >= 1);
		must(layer != PMG_LAYER_PRESET || !entry->deny);
	}
}

static bool lint_passes(enum pmg_library_kind kind, const char *name, struct text text)
{
	const struct pmg_library library = { .config_dir = "/nonexistent/config" };
	pmg_auto(findings) struct pmg_findings findings = { 0 };

	pmg_lint(&library, HOME, kind, name, text.v, text.len, &findings);
	return findings.n_errors == 0;
}

static void read_draft(struct pmg_draft *draft, enum pmg_library_kind kind, struct text text)
{
	enum pmg_layer layer = kind == PMG_LIBRARY_PROFILE ? PMG_LAYER_PROFILE : PMG_LAYER_PRESET;
	size_t from = draft->n_entries;
	struct pmg_err err = PMG_ERR_INIT;
	int r = pmg_draft_text(draft, kind, names[kind], text.v, text.len, &err);

	if (r < 0)
		check_err(r, &err);
	else
		check_entries(draft, from, layer, text);
	must(r == 0 || !lint_passes(kind, names[kind], text));
}

static void read_overlay(struct pmg_draft *draft, struct text text)
{
	pmg_auto(overlay) struct pmg_overlay overlay = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;
	int r = pmg_overlay_parse(names[2], HOME "/project", text.v, text.len, &overlay, &err);

	if (r < 0) {
		check_err(r, &err);
		must(!overlay.path);
		return;
	}
	for (i = 0; i < overlay.n_entries; i++) {
		const struct pmg_overlay_entry *e = &overlay.entries[i];
		struct pmg_draft_entry entry = { .access = (enum pmg_access)e->type,
						 .layer = PMG_LAYER_OVERLAY,
						 .roles = PMG_ROLE_ANY,
						 .line = e->line,
						 .text = e->value };

		must(e->line >= 1 && e->value && e->value[0]);
		if (e->type >= PMG_ACCESS_MAX)
			continue;
		draft->label = names[2];
		pmg_draft_add(draft, &entry);
		draft->label = NULL;
	}
}

/* What a preset or an overlay makes is never a deny, and a preset's opt-outs are the two that it
 * may have. */
static void check_rules(const struct pmg_policy *policy)
{
	size_t i;

	for (i = 0; i < policy->n_rules; i++) {
		const struct pmg_policy_rule *rule = &policy->rules[i];
		bool allows = rule->rank == PMG_RANK_ALLOW || rule->rank == PMG_RANK_OPT_OUT;

		must((rule->layer != PMG_LAYER_PRESET && rule->layer != PMG_LAYER_OVERLAY) ||
		     allows);
		must(rule->layer != PMG_LAYER_PRESET || rule->rank != PMG_RANK_OPT_OUT ||
		     rule->access == PMG_ACCESS_ENV ||
		     (rule->access == PMG_ACCESS_READ &&
		      pmg_str_has_suffix(rule->text, "/config")));
	}
}

static void make_rules(struct pmg_build *b)
{
	struct pmg_err err = PMG_ERR_INIT;
	int r;

	b->policy = pmg_build_begin(b->facts);
	b->denies = pmg_build_begin(b->facts);
	r = pmg_build_entries(b, &err);
	must(r == 0 || (r == -PMG_E_CONFIG && err.msg[0]));
	if (r == 0) {
		pmg_policy_seal(b->policy);
		check_rules(b->policy);
	}
	pmg_policy_free(b->policy);
	pmg_policy_free(b->denies);
	pmg_strv_done(&b->through);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pmg_auto(policy_facts) struct pmg_policy_facts facts = { .manager = "npm",
								 .tool = "npm",
								 .cwd = HOME "/project",
								 .project = HOME "/project",
								 .home = HOME,
								 .tmp = "/tmp" };
	const struct pmg_policy_want want = { .facts = &facts };
	struct pmg_build b = { .facts = &facts, .want = &want };
	struct text rest = { (const char *)data, size };

	pmg_strv_add(&facts.git_dirs, HOME "/project/.git");
	pmg_strv_add(&facts.caches, HOME "/.npm");
	read_draft(&b.draft, PMG_LIBRARY_PROFILE, take(&rest));
	read_draft(&b.draft, PMG_LIBRARY_PRESET, take(&rest));
	read_overlay(&b.draft, take(&rest));
	make_rules(&b);
	pmg_draft_done(&b.draft);
	return 0;
}
