#include "cli/summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "conf/trait.h"
#include "pm/purl.h"

enum { DIAG_MALWARE = 3001, DIAG_YOUNG = 3003, DIAG_PINNED = 3008 }; /* docs/codes/ */

#define NAMES_SHOWN 5U /* of packages that the same thing let in */

/* What the user can do, by the code of the refusal. %s: the entry of the block list. */
static const struct {
	int diag;
	const char *text;
} ways[] = {
	{ 3001, "known malware; find out what asks for it and take that away" },
	{ 3002, "the file itself is on record, whatever its name; find out where it comes from" },
	{ 3005, "its name or version cannot be read, so nothing can be said of it" },
	{ 3009, "look at the package by hand; \"pmg sandbox explain PMG3009\" says what may be let "
		"in, and how" },
	{ 3006, "\"pmg intel unblock %s\" allows it" },
	{ 3008, "commands that remove or update it are let through" },
};

bool pmg_summary_is_as_of(const struct pmg_wire_judged *judged)
{
	/* The end of pmg_judgement_text(): places of configuration files have lines behind them. */
	return judged->diag == DIAG_YOUNG && judged->reason &&
	       pmg_str_has_suffix(judged->reason, " by --as-of");
}

void pmg_summary_entry(const struct pmg_out *out, const struct pmg_wire_judged *m)
{
	pmg_autofree char *purl = NULL;
	struct pmg_purl named = { .name = m->name, .version = m->version };
	struct pmg_err scratch = PMG_ERR_INIT;

	if (!m->version || !*m->version || pmg_eco_parse(m->eco, &named.eco, &scratch) < 0)
		return;
	purl = pmg_purl_format(&named); /* escaped: fit for a text between quotes */
	pmg_out_note(out, "    - {purl: \"%s\", reason: \"...\"}", purl);
}

static void way_out(const struct pmg_out *out, const struct pmg_wire_judged *m,
		    const struct pmg_summary_how *how)
{
	pmg_autofree char *rule = pmg_out_quote(m->rule);
	const char *rest;
	size_t i;

	if (pmg_summary_is_as_of(m)) {
		pmg_out_note(out, "  take an older one, or give --as-of a later day");
		return;
	}
	if (m->diag == DIAG_YOUNG) {
		pmg_autofree char *config = pmg_out_quote(how->config);

		pmg_out_note(out,
			     "  take an older one, give --skip-dependency-cooldown for this once, "
			     "or let exactly this one in: dependency_cooldown.skip in %s",
			     config);
		pmg_summary_entry(out, m);
		return;
	}
	for (i = 0; i < PMG_ARRAY_LEN(ways); i++) {
		rest = strstr(ways[i].text, "%s");
		/* What a lockfile pins may be on the block list: then both ways are open. */
		if (ways[i].diag != m->diag && !(m->diag == 3008 && rest && *rule))
			continue;
		if (rest)
			pmg_out_note(out, "  %.*s%s%s", (int)(rest - ways[i].text), ways[i].text,
				     rule, rest + 2);
		else
			pmg_out_note(out, "  %s", ways[i].text);
	}
}

/* A feed may be wrong of one version. Second, and with a reason: the record is right more often. */
static void mistaken(const struct pmg_out *out, const struct pmg_wire_judged *m)
{
	pmg_autofree char *purl = NULL;
	pmg_autofree char *word = NULL;
	pmg_autofree char *shown = NULL;

	if (m->diag != DIAG_MALWARE || m->ids.n == 0 || !m->version || !*m->version)
		return;
	purl = pmg_xasprintf("pkg:%s/%s@%s", m->eco, m->name, m->version);
	word = pmg_str_shell(purl);
	shown = pmg_out_quote(word);
	pmg_out_note(out, "  if the feed is mistaken: pmg intel allow --reason \"...\" %s", shown);
}

static void refusal(const struct pmg_out *out, const struct pmg_wire_judged *m,
		    const struct pmg_summary_how *how)
{
	pmg_autofree char *name = pmg_out_quote(m->name);
	pmg_autofree char *version = pmg_out_quote(m->version);
	pmg_autofree char *reason = pmg_out_quote(m->reason ? m->reason : m->verdict);
	pmg_autofree char *joined = pmg_strv_join(&m->ids, " ", PMG_OUT_TEXT_MAX);
	pmg_autofree char *ids = pmg_out_quote(joined);
	pmg_autofree char *note = pmg_out_quote(m->note);
	pmg_autofree char *code = pmg_out_code(out, m->diag);
	bool color = out->messages_color;

	pmg_out_note(out, "%srefused %s%s%s%s%s (%s): %s%s%s%s%s%s", code,
		     pmg_out_on(color, PMG_STYLE_BOLD), name, *version ? "@" : "", version,
		     pmg_out_off(color), m->eco, reason, *ids ? " " : "", ids, *note ? " (" : "",
		     note, *note ? ")" : "");
	way_out(out, m, how);
	mistaken(out, m);
}

void pmg_summary_refusals(const struct pmg_out *out, const struct pmg_record *record,
			  const struct pmg_summary_how *how)
{
	size_t i, young = 0;

	for (i = 0; i < record->n_packages; i++) {
		const struct pmg_wire_judged *m = &record->packages[i].what;

		if (!pmg_judged_is_refused(m))
			continue;
		young += m->diag == DIAG_YOUNG;
		if (m->diag != DIAG_YOUNG || young <= PMG_SUMMARY_YOUNG)
			refusal(out, m, how);
	}
	if (young > PMG_SUMMARY_YOUNG)
		pmg_out_note(out,
			     "%zu more version%s refused for their age: \"pmg audit list --run %s "
			     "--json\" has them",
			     young - PMG_SUMMARY_YOUNG,
			     young == PMG_SUMMARY_YOUNG + 1 ? " is" : "s are", record->id);
}

/* Packages that the same thing let in. */
struct group {
	const char *eco, *text;
	struct pmg_str names;
	size_t n;
};

struct groups {
	struct group v[PMG_SUMMARY_WAIVERS];
	size_t n;
	size_t others; /* uses that no group was left for */
};

static struct group *group_of(struct groups *groups, const char *eco, const char *text)
{
	size_t i;

	for (i = 0; i < groups->n; i++)
		if (strcmp(groups->v[i].text, text) == 0 && strcmp(groups->v[i].eco, eco) == 0)
			return &groups->v[i];
	if (groups->n == PMG_SUMMARY_WAIVERS)
		return NULL;
	groups->v[groups->n] = (struct group){ eco, text, PMG_STR_INIT(SIZE_MAX / 2), 0 };
	return &groups->v[groups->n++];
}

static void add_use(struct groups *groups, const struct pmg_wire_judged *m, const char *text)
{
	struct group *group = group_of(groups, m->eco, text);
	pmg_autofree char *name = pmg_out_quote(m->name);
	pmg_autofree char *version = pmg_out_quote(m->version);

	if (!group) {
		groups->others++;
		return;
	}
	if (group->n++ < NAMES_SHOWN)
		(void)!pmg_str_addf(&group->names, "%s%s%s%s", group->n > 1 ? ", " : "", name,
				    *version ? "@" : "", version);
}

static void say_group(const struct pmg_out *out, struct group *group)
{
	pmg_autofree char *text = pmg_out_quote(group->text);

	if (group->n > NAMES_SHOWN)
		(void)!pmg_str_addf(&group->names, " and %zu more", group->n - NAMES_SHOWN);
	pmg_out_note(out, "let in %s (%s): %s", group->names.s, group->eco, text);
	pmg_str_done(&group->names);
}

void pmg_summary_waivers(const struct pmg_out *out, const struct pmg_record *record)
{
	struct groups groups = { 0 };
	size_t i, k;

	for (i = 0; i < record->n_packages; i++) {
		const struct pmg_wire_judged *m = &record->packages[i].what;

		for (k = 0; pmg_judged_is_allowed(m) && k < m->waivers.n; k++)
			add_use(&groups, m, m->waivers.v[k]);
	}
	for (i = 0; i < groups.n; i++)
		say_group(out, &groups.v[i]);
	if (groups.others > 0)
		pmg_out_note(out,
			     "%zu more let in all the same: \"pmg audit list --run %s --json\"",
			     groups.others, record->id);
}

static void trouble(const struct pmg_out *out, const struct pmg_wire_trouble *m)
{
	pmg_autofree char *target = pmg_out_quote(m->target);
	pmg_autofree char *what = pmg_out_quote(m->what);
	pmg_autofree char *code = pmg_out_code(out, m->diag);

	pmg_out_note(out, "%s%s: %s", code, target, what);
}

void pmg_summary_troubles(const struct pmg_out *out, const struct pmg_record *record)
{
	size_t i;

	for (i = 0; i < record->n_troubles && i < PMG_SUMMARY_TROUBLES; i++) {
		const struct pmg_wire_trouble *m = &record->troubles[i].what;

		if (m->diag != DIAG_PINNED) /* said where it was read */
			trouble(out, m);
	}
	if (record->n_troubles > PMG_SUMMARY_TROUBLES)
		pmg_out_note(out, "%zu more: \"pmg audit list --run %s --json\"",
			     record->n_troubles - PMG_SUMMARY_TROUBLES, record->id);
}

static void passed(const struct pmg_out *out, const struct pmg_record *record)
{
	size_t i;

	for (i = 0; i < record->n_passed; i++) {
		pmg_autofree char *target = pmg_out_quote(record->passed[i].what.target);
		pmg_autofree char *why = pmg_out_quote(record->passed[i].what.why);

		pmg_out_note(out, "not judged: %s (%s, %" PRIu64 " time%s)", target, why,
			     record->passed[i].count, pmg_out_plural(record->passed[i].count));
	}
}

static bool has_found(const struct pmg_wire_judged *m, const char *kind)
{
	pmg_autofree char *head = pmg_xasprintf("%s: ", kind);
	size_t i;

	for (i = 0; i < m->findings.n; i++)
		if (pmg_str_has_prefix(m->findings.v[i], head))
			return true;
	return false;
}

/* What packages have in them: "install scripts in 3 packages, native code in 1". */
static void found(const struct pmg_out *out, const struct pmg_record *record)
{
	struct pmg_str text = PMG_STR_INIT(PMG_OUT_TEXT_MAX);
	unsigned kind;
	size_t i, n;

	for (kind = 0; kind < PMG_TRAIT_MAX; kind++) {
		for (i = n = 0; i < record->n_packages; i++)
			n += has_found(&record->packages[i].what, pmg_trait_name(kind));
		if (n > 0) /* the kinds are few: all fit */
			(void)!pmg_str_addf(&text, "%s%s in %zu package%s", text.len ? ", " : "",
					    pmg_trait_noun(kind), n, pmg_out_plural(n));
	}
	if (text.len > 0)
		pmg_out_note(out, "found: %s; \"pmg audit list --run %s --json\" says where",
			     text.s, record->id);
	pmg_str_done(&text);
}

void pmg_summary_details(const struct pmg_out *out, const struct pmg_run_result *result)
{
	const struct pmg_record *record = &result->record;
	pmg_autofree char *index = pmg_xstrdup("none");
	pmg_autofree char *age = NULL;
	char built[PMG_RFC3339_LEN];

	if (record->index_present) {
		pmg_clock_format(record->index_built, built);
		free(index);
		age = pmg_clock_age(result->index.checked, pmg_clock_now());
		index = pmg_xasprintf("%" PRIu64 " record%s of %s, brought up to date %s ago%s",
				      record->index_records, pmg_out_plural(record->index_records),
				      built, age,
				      result->index.state == PMG_INDEX_STALE ? " (old)" : "");
	}
	passed(out, record);
	found(out, record);
	if (record->lost)
		pmg_out_note(out, "%" PRIu64 " more event%s than are kept", record->lost,
			     pmg_out_plural(record->lost));
	pmg_out_note(out, "index: %s; block list: %" PRIu64 " %s", index, result->blocklist,
		     result->blocklist == 1 ? "entry" : "entries");
	pmg_out_note(out,
		     "run %s: %zu package%s judged, %zu refused, %zu host%s not judged; "
		     "%" PRIu64 " request%s, %" PRIu64 " kB, %.1f s",
		     record->id, record->n_packages - record->n_withheld,
		     pmg_out_plural(record->n_packages - record->n_withheld), record->n_blocked,
		     record->n_passed, pmg_out_plural(record->n_passed), result->requests,
		     pmg_out_plural(result->requests), result->bytes / 1000,
		     (double)result->took_ms / 1000);
	if (result->pinned > 0)
		pmg_out_note(out,
			     "checked besides: %" PRIu64 " package%s of lockfiles and folders, "
			     "%" PRIu64 " of them new and from the tool's own cache",
			     result->pinned, pmg_out_plural(result->pinned), result->landed);
	else if (result->fetches && record->n_packages == 0)
		pmg_out_note(
			out,
			"no package was fetched; what came from the tool's own cache is not seen");
}
