#include "cli/cmd_scan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "verdict/pinned.h"

const struct pmg_opt pmg_scan_options[] = {
	{ PMG_OPT_FLAG, 0, "json", offsetof(struct pmg_scan_opts, json), 0, NULL, "print JSON" },
	{ PMG_OPT_FLAG, 0, "sarif", offsetof(struct pmg_scan_opts, sarif), 0, NULL,
	  "print SARIF 2.1.0, for code scanning" },
	{ 0 },
};

void pmg_scan_done(struct pmg_scan *scan)
{
	size_t i;

	for (i = 0; i < scan->n_hits; i++)
		pmg_judgement_done(&scan->hits[i].judgement);
	for (i = 0; i < scan->n_let_in; i++)
		pmg_judgement_done(&scan->let_in[i].judgement);
	free(scan->hits);
	free(scan->let_in);
	pmg_resolved_done(&scan->set);
	pmg_intel_settings_done(&scan->settings);
}

static int open_judge(struct pmg_scan *scan, struct pmg_judge **out, struct pmg_err *err)
{
	pmg_auto(intel_place) struct pmg_intel_place place = { 0 };
	int r = pmg_intel_place_find(&place, err);

	if (r == 0)
		r = pmg_intel_settings_load(&scan->settings, err);
	if (r == 0)
		r = pmg_intel_open_judge(&place, &scan->settings, out, err);
	if (r == 0)
		pmg_judge_info(*out, &scan->info);
	return r;
}

void pmg_scan_waived(const struct pmg_scan *scan, struct pmg_strv *out)
{
	size_t i, k;

	for (i = 0; i < scan->n_let_in; i++) {
		const struct pmg_resolved_package *p = &scan->set.v[scan->let_in[i].at];
		const struct pmg_strv *waivers = &scan->let_in[i].judgement.waivers;

		for (k = 0; k < waivers->n; k++)
			pmg_strv_addf(out, "%s: %s%s%s: %s", p->file, p->name,
				      p->version ? "@" : "", p->version ? p->version : "",
				      waivers->v[k]);
	}
}

/* @param taken  left empty */
static void keep(struct pmg_scan *scan, size_t at, struct pmg_judgement *taken)
{
	bool let_in = taken->verdict == PMG_VERDICT_ALLOW;
	struct pmg_scan_hit **list = let_in ? &scan->let_in : &scan->hits;
	size_t *n = let_in ? &scan->n_let_in : &scan->n_hits;

	*list = pmg_grow(*list, *n, let_in ? &scan->cap_let_in : &scan->cap_hits, sizeof **list);
	(*list)[(*n)++] = (struct pmg_scan_hit){ at, *taken };
	*taken = (struct pmg_judgement){ 0 };
}

static int judge_all(struct pmg_scan *scan, struct pmg_judge *judge, struct pmg_err *err)
{
	size_t i;

	for (i = 0; i < scan->set.n; i++) {
		const struct pmg_resolved_package *p = &scan->set.v[i];
		pmg_auto(judgement) struct pmg_judgement judgement = { 0 };
		const struct pmg_question q = { .eco = p->eco,
						.name = p->name,
						.version = p->version,
						.published = PMG_DATE_UNASKED };
		int r = pmg_pinned_judge(judge, &q, p->integrity, &judgement, err);

		if (r < 0)
			return pmg_err_wrap(err, "%s", p->file);
		if (judgement.verdict != PMG_VERDICT_ALLOW || judgement.waivers.n > 0)
			keep(scan, i, &judgement);
	}
	return 0;
}

char *pmg_scan_why(const struct pmg_judgement *judgement)
{
	pmg_autofree char *ids = pmg_strv_join(&judgement->ids, " ", PMG_OUT_TEXT_MAX);

	return pmg_xasprintf("%s%s%s%s%s%s", pmg_reason_text(judgement->reason), *ids ? " (" : "",
			     ids, *ids ? ")" : "", judgement->note ? ": " : "",
			     judgement->note ? judgement->note : "");
}

static void print_hit(const struct pmg_out *out, const struct pmg_scan *scan,
		      const struct pmg_scan_hit *hit)
{
	const struct pmg_resolved_package *p = &scan->set.v[hit->at];
	pmg_autofree char *file = pmg_out_quote(p->file);
	pmg_autofree char *name = pmg_out_quote(p->name);
	pmg_autofree char *version = pmg_out_quote(p->version);
	pmg_autofree char *words = pmg_scan_why(&hit->judgement);
	pmg_autofree char *why = pmg_out_quote(words);
	pmg_autofree char *line = p->line ? pmg_xasprintf(":%u", p->line) : pmg_xstrdup("");

	(void)fprintf(out->to, "%s%s: %s%s%s%s%s (%s): %s [PMG%d]\n", file, line,
		      pmg_out_on(out->to_color, PMG_STYLE_BAD), name, *version ? "@" : "", version,
		      pmg_out_off(out->to_color), pmg_eco_name(p->eco), why,
		      pmg_reason_diag(hit->judgement.reason));
}

static void print_list(const struct pmg_out *out, const struct pmg_strv *lines, FILE *to)
{
	size_t i;

	for (i = 0; i < lines->n; i++) {
		pmg_autofree char *line = pmg_out_quote(lines->v[i]);

		if (to == out->to)
			(void)fprintf(to, "%s [PMG3008]\n", line);
		else
			pmg_out_note(out, "left out: %s", line);
	}
}

static void print_text(const struct pmg_out *out, const struct pmg_scan *scan, bool verbose,
		       bool quiet)
{
	pmg_auto(strv) struct pmg_strv waived = { 0 };
	size_t i;

	for (i = 0; i < scan->n_hits; i++)
		print_hit(out, scan, &scan->hits[i]);
	print_list(out, &scan->set.unread, out->to);
	if (verbose)
		print_list(out, &scan->set.skipped, out->messages);
	if (quiet)
		return;
	pmg_scan_waived(scan, &waived);
	for (i = 0; i < waived.n; i++) {
		pmg_autofree char *line = pmg_out_quote(waived.v[i]);

		pmg_out_note(out, "%s", line);
	}
	if (scan->set.skipped.n > 0 && !verbose)
		pmg_out_note(out, "%zu file%s or folder%s left out: -v names them",
			     scan->set.skipped.n, pmg_out_plural(scan->set.skipped.n),
			     pmg_out_plural(scan->set.skipped.n));
	pmg_out_note(out, "%zu package%s in %zu file%s: %zu listed, %zu that cannot be read",
		     scan->set.n, pmg_out_plural(scan->set.n), scan->set.files.n,
		     pmg_out_plural(scan->set.files.n), scan->n_hits, scan->set.unread.n);
}

static void print(const struct pmg_call *call, const struct pmg_scan *scan)
{
	const struct pmg_cmd_settings *settings = call->settings;
	const struct pmg_scan_opts *opts = call->opts;
	pmg_auto(json) struct json_t *json = NULL;

	if (!settings->quiet)
		pmg_intel_note_state(call->out, &scan->settings, &scan->info);
	if (opts->json || opts->sarif) {
		json = opts->json ? pmg_scan_json(scan) : pmg_scan_sarif(scan);
		pmg_out_json(call->out, json);
	} else {
		print_text(call->out, scan, settings->verbose > 0, settings->quiet);
	}
}

int pmg_cmd_scan(const struct pmg_call *call, struct pmg_err *err)
{
	const struct pmg_scan_opts *opts = call->opts;
	pmg_auto(scan) struct pmg_scan scan = { .path = call->n_operands > 0 ? call->operands[0]
									     : "." };
	pmg_auto(judge) struct pmg_judge *judge = NULL;
	int r;

	if (opts->json && opts->sarif)
		return pmg_err_set(err, PMG_E_USAGE, 0, "--json and --sarif exclude each other");
	r = open_judge(&scan, &judge, err);
	/* As a run is refused: "nothing listed" of no list would be read as a pass. */
	if (r == 0)
		r = pmg_config_index_check(&scan.settings.config, scan.settings.managed,
					   getenv("CI"), scan.info.present, scan.info.checked, err);
	if (r == 0)
		r = pmg_resolved_walk(&scan.set, scan.path, err);
	if (r == -PMG_E_NOTFOUND)
		r = pmg_err_as(err, PMG_E_USAGE);
	if (r < 0)
		return r;
	pmg_resolved_sort(&scan.set);
	r = judge_all(&scan, judge, err);
	if (r < 0)
		return r;
	print(call, &scan);
	/* What cannot be read may hold what is listed. */
	return scan.n_hits + scan.set.unread.n > 0 ? PMG_EXIT_WITHHELD : 0;
}
