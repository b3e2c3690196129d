/*
 * `pmg audit exposure`: what passed and is listed now. It is pmg-intel's, since it asks the index.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/path.h"
#include "base/str.h"
#include "cli/cmd_intel.h"
#include "policy/reach.h"
#include "verdict/pinned.h"
#include "violation/ledger.h"

const struct pmg_opt pmg_exposure_options[] = {
	{ PMG_OPT_FLAG, 0, "json", offsetof(struct pmg_exposure_opts, json), 0, NULL,
	  "print JSON" },
	{ 0 },
};

/* Rows come package by package: each is judged once. */
struct exposure {
	struct pmg_judge *judge;
	struct pmg_intel_settings settings;
	struct json_t *found; /* array */
	char *key;            /* of the package that is being read */
	struct json_t *runs;  /* of it, when it is listed; borrowed */
	size_t packages, n_runs;
};

static void exposure_done(struct exposure *exposure)
{
	pmg_judge_close(exposure->judge);
	pmg_intel_settings_done(&exposure->settings);
	pmg_json_free(exposure->found);
	free(exposure->key);
}
PMG_DEFINE_AUTO_DONE(exposure, struct exposure, exposure_done);

static void add_package(struct exposure *exposure, const struct pmg_ledger_landed *landed,
			const struct pmg_judgement *judgement)
{
	struct json_t *json = pmg_json_object();
	char code[PMG_DIAG_LEN];

	pmg_diag_text(pmg_reason_diag(judgement->reason), code);
	pmg_json_set_str(json, "ecosystem", landed->eco);
	pmg_json_set_str(json, "name", landed->name);
	pmg_json_set_str(json, "version", landed->version);
	pmg_json_set_str(json, "verdict", pmg_verdict_name(judgement->verdict));
	pmg_json_set_str(json, "reason", pmg_reason_text(judgement->reason));
	pmg_json_set_str(json, "code", code);
	pmg_json_set(json, "ids", pmg_json_strv(&judgement->ids));
	pmg_json_set(json, "sources", pmg_json_strv(&judgement->sources));
	pmg_json_set_str(json, "note", judgement->note);
	exposure->runs = pmg_json_array();
	pmg_json_set(json, "runs", exposure->runs);
	pmg_json_add(exposure->found, json);
}

static int judge_package(struct exposure *exposure, const struct pmg_ledger_landed *landed,
			 struct pmg_err *err)
{
	pmg_auto(judgement) struct pmg_judgement judgement = { 0 };
	struct pmg_question q = { .name = landed->name,
				  .version = landed->version,
				  .published = PMG_DATE_UNASKED };
	int r;

	exposure->packages++;
	exposure->runs = NULL;
	if (pmg_eco_parse(landed->eco, &q.eco, err) < 0)
		return pmg_err_set(err, PMG_E_DB, 0, "ledger: ecosystem is damaged");
	r = pmg_pinned_judge(exposure->judge, &q, NULL, &judgement, err);
	if (r == 0 && judgement.verdict != PMG_VERDICT_ALLOW)
		add_package(exposure, landed, &judgement);
	return r;
}

/* All that its scripts were allowed, and of it what people had added to the built-in rules. Without
 * walls there is no list: then it was all that the user could. */
static void set_reach(struct json_t *run, const char *text)
{
	pmg_auto(json) struct json_t *list = NULL;
	pmg_auto(strv) struct pmg_strv all = { 0 }, added = { 0 };
	struct pmg_err scratch = PMG_ERR_INIT;
	size_t i;

	if (text && pmg_json_parse("reach", text, strlen(text), &list, &scratch) < 0)
		list = NULL;
	for (i = 0; i < pmg_json_len(list); i++) {
		const char *entry = pmg_json_text(pmg_json_at(list, i));

		if (entry && pmg_str_has_prefix(entry, PMG_REACH_BUILTIN))
			pmg_strv_add(&all, entry + strlen(PMG_REACH_BUILTIN));
		else if (entry) {
			pmg_strv_add(&all, entry);
			pmg_strv_add(&added, entry);
		}
	}
	pmg_json_set(run, "reach", pmg_json_strv(&all));
	pmg_json_set(run, "added", pmg_json_strv(&added));
}

static void add_run(struct exposure *exposure, const struct pmg_ledger_landed *landed)
{
	struct json_t *run = pmg_json_object();
	char when[PMG_RFC3339_LEN];

	pmg_clock_format(landed->started, when);
	pmg_json_set_str(run, "run", landed->run);
	pmg_json_set_str(run, "started", when);
	pmg_json_set_str(run, "tool", landed->tool);
	pmg_json_set_str(run, "cwd", landed->cwd);
	pmg_json_set_str(run, "url", landed->url);
	pmg_json_set_str(run, "profile", landed->profile);
	pmg_json_set_str(run, "fingerprint", landed->fingerprint);
	pmg_json_set_bool(run, "walls", !pmg_streq(landed->profile, "none"));
	set_reach(run, landed->reach);
	pmg_json_add(exposure->runs, run);
	exposure->n_runs++;
}

static int take(void *ctx, const struct pmg_ledger_landed *landed, struct pmg_err *err)
{
	struct exposure *exposure = ctx;
	pmg_autofree char *key =
		pmg_xasprintf("%s %s@%s", landed->eco, landed->name, landed->version);
	int r = 0;

	if (!pmg_streq(key, exposure->key)) {
		free(exposure->key);
		exposure->key = pmg_steal_ptr(&key);
		r = judge_package(exposure, landed, err);
	}
	if (r == 0 && exposure->runs)
		add_run(exposure, landed);
	return r;
}

/* What scripts of every run have: devices, folders that are theirs alone, and what is installed. */
static bool goes_without_saying(const char *entry, const char *cwd)
{
	static const char *const usual[] = { "/dev", "/tmp", "/var/tmp" };
	const char *path = strchr(entry, '=');
	size_t i;

	if (!path)
		return false;
	for (i = 0; i < PMG_ARRAY_LEN(usual); i++)
		if (pmg_path_is_under(path + 1, usual[i]))
			return true;
	return cwd && pmg_path_is_under(path + 1, cwd);
}

static bool has_text(const struct json_t *list, const char *text)
{
	size_t i;

	for (i = 0; i < pmg_json_len(list); i++)
		if (pmg_streq(pmg_json_text(pmg_json_at(list, i)), text))
			return true;
	return false;
}

static void print_reach(const struct pmg_out *out, const struct json_t *run)
{
	const struct json_t *reach = pmg_json_get(run, "reach");
	const struct json_t *added = pmg_json_get(run, "added");
	size_t i, usual = 0;

	if (!pmg_json_bool(run, "walls"))
		(void)fprintf(out->to, "    it had no walls: all that you could\n");
	else if (pmg_json_len(reach) == 0)
		(void)fprintf(out->to, "    what it could reach was not kept\n");
	for (i = 0; i < pmg_json_len(reach); i++) {
		const char *entry = pmg_json_text(pmg_json_at(reach, i));
		pmg_autofree char *text = pmg_out_quote(entry);

		if (!has_text(added, entry) && goes_without_saying(entry, pmg_json_str(run, "cwd")))
			usual++;
		else
			(void)fprintf(out->to, "    %s\n", text);
	}
	if (usual > 0)
		(void)fprintf(out->to, "    %sits own folder, temporary files and devices\n",
			      usual < i ? "and " : "");
}

static void print_runs(const struct pmg_out *out, const struct json_t *runs)
{
	size_t i;

	for (i = 0; i < pmg_json_len(runs); i++) {
		const struct json_t *run = pmg_json_at(runs, i);
		pmg_autofree char *cwd = pmg_out_quote(pmg_json_str(run, "cwd"));
		pmg_autofree char *profile = pmg_out_quote(pmg_json_str(run, "profile"));
		pmg_autofree char *tool = pmg_out_quote(pmg_json_str(run, "tool"));

		(void)fprintf(out->to, "  %s %s: %s in %s, profile %s; scripts could reach\n",
			      pmg_json_str(run, "run"), pmg_json_str(run, "started"), tool, cwd,
			      profile);
		print_reach(out, run);
	}
}

static void print(const struct pmg_out *out, const struct exposure *exposure, bool quiet)
{
	size_t i, k, n = pmg_json_len(exposure->found);

	for (i = 0; i < n; i++) {
		const struct json_t *package = pmg_json_at(exposure->found, i);
		const struct json_t *ids = pmg_json_get(package, "ids");
		pmg_autofree char *name = pmg_out_quote(pmg_json_str(package, "name"));
		pmg_autofree char *version = pmg_out_quote(pmg_json_str(package, "version"));

		(void)fprintf(out->to, "%s%s%s%s%s (%s): %s",
			      pmg_out_on(out->to_color, PMG_STYLE_BAD), name, *version ? "@" : "",
			      version, pmg_out_off(out->to_color),
			      pmg_json_str(package, "ecosystem"), pmg_json_str(package, "reason"));
		for (k = 0; k < pmg_json_len(ids); k++) {
			pmg_autofree char *id = pmg_out_quote(pmg_json_text(pmg_json_at(ids, k)));

			(void)fprintf(out->to, " %s", id);
		}
		(void)fprintf(out->to, " [%s]\n", pmg_json_str(package, "code"));
		print_runs(out, pmg_json_get(package, "runs"));
	}
	if (!quiet)
		pmg_out_note(out, "%zu package%s on record, %zu of them listed now, in %zu run%s",
			     exposure->packages, pmg_out_plural(exposure->packages), n,
			     exposure->n_runs, pmg_out_plural(exposure->n_runs));
}

int pmg_cmd_intel_exposure(const struct pmg_call *call, struct pmg_err *err)
{
	const struct pmg_cmd_settings *settings = call->settings;
	const struct pmg_exposure_opts *opts = call->opts;
	pmg_auto(intel_place) struct pmg_intel_place place = { 0 };
	pmg_auto(exposure) struct exposure exposure = { .found = pmg_json_array() };
	pmg_autofree char *ledger = NULL;
	int r = pmg_intel_place_find(&place, err);

	if (r == 0)
		r = pmg_intel_settings_load(&exposure.settings, err);
	if (r == 0)
		r = pmg_intel_open_judge(&place, &exposure.settings, &exposure.judge, err);
	if (r < 0)
		return r;
	ledger = pmg_path_join(place.state, "ledger.db");
	r = pmg_ledger_each_landed(ledger, take, &exposure, err);
	if (r < 0)
		return r;
	if (opts->json)
		pmg_out_json(call->out, exposure.found);
	else
		print(call->out, &exposure, settings->quiet);
	return pmg_json_len(exposure.found) > 0 ? PMG_EXIT_WITHHELD : 0;
}
