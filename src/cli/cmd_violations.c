#include "cli/cmd_violations.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/path.h"
#include "base/str.h"
#include "cli/front.h"
#include "cli/pages.h"
#include "cli/table.h"
#include "conf/dirs.h"
#include "conf/units.h"
#include "run/prepare.h"
#include "violation/explain.h"

struct list_opts {
	const char *code;
	bool here;
	bool json;
	bool last;
	uint64_t limit;
	const char *package;
	const char *run;
	bool sensitive;
	const char *since;
};

static const struct list_opts list_preset = { .limit = 50 };

static const struct pmg_opt list_opts[] = {
	{ PMG_OPT_TEXT, 0, "code", offsetof(struct list_opts, code), 0, "CODE",
	  "only this code, as PMG2001" },
	{ PMG_OPT_FLAG, 0, "here", offsetof(struct list_opts, here), 0, NULL,
	  "only runs in this repository" },
	{ PMG_OPT_FLAG, 0, "json", offsetof(struct list_opts, json), 0, NULL, "print JSON" },
	{ PMG_OPT_FLAG, 0, "last", offsetof(struct list_opts, last), 0, NULL,
	  "only the last run in which something was refused" },
	{ PMG_OPT_UINT, 'n', "limit", offsetof(struct list_opts, limit), PMG_LEDGER_LIST_MAX, "N",
	  "at most N refusals, the newest first (50)" },
	{ PMG_OPT_TEXT, 0, "package", offsetof(struct list_opts, package), 0, "NAME[@VERSION]",
	  "only what this package tried" },
	{ PMG_OPT_TEXT, 0, "run", offsetof(struct list_opts, run), 0, "ID", "only this run" },
	{ PMG_OPT_FLAG, 0, "sensitive", offsetof(struct list_opts, sensitive), 0, NULL,
	  "only credentials and places of persistence" },
	{ PMG_OPT_TEXT, 0, "since", offsetof(struct list_opts, since), 0, "TIME",
	  "only since a date, or for so long (36h, 7d)" },
	{ 0 },
};

struct explain_opts {
	bool json;
	bool last;
};

static const struct pmg_opt explain_opts[] = {
	{ PMG_OPT_FLAG, 0, "json", offsetof(struct explain_opts, json), 0, NULL, "print JSON" },
	{ PMG_OPT_FLAG, 0, "last", offsetof(struct explain_opts, last), 0, NULL,
	  "what was refused last in this repository, a sensitive thing before others" },
	{ 0 },
};

const struct pmg_cmd pmg_violations_cmds[] = {
	{ .name = "explain",
	  .synopsis = "[--json] [--last] [ID]",
	  .summary = "say of a refusal what, who, which rule, and what to do",
	  .max = 1,
	  .opts = explain_opts,
	  .opts_size = sizeof(struct explain_opts),
	  .run = pmg_cmd_violations_explain },
	{ .name = "list",
	  .synopsis =
		  "[--json] [--limit N] [--run ID] [--last] [--here] [--code CODE] [--package NAME]"
		  " [--since TIME] [--sensitive]",
	  .summary = "show what the walls refused",
	  .about =
		  "One line for each thing that was refused, however often it was tried. The JSON\n"
		  "has all of it: docs/cli-json.md.\n",
	  .opts = list_opts,
	  .opts_size = sizeof(struct list_opts),
	  .preset = &list_preset,
	  .run = pmg_cmd_violations_list },
	{ 0 },
};

/* The ledger of this user. */
static int ledger_path(char **out, struct pmg_err *err)
{
	pmg_auto(strv) struct pmg_strv env = { 0 };
	pmg_auto(dirs) struct pmg_dirs dirs = { 0 };
	int r;

	pmg_front_environment(&env);
	r = pmg_dirs_find(&env, &dirs, err);
	if (r == 0)
		*out = pmg_path_join(dirs.state, "ledger.db");
	return r;
}

/* Nothing listed: is there such a run at all? */
static int check_run(const char *run, struct pmg_err *err)
{
	const struct pmg_ledger_query query = { .limit = 1, .run = run };
	pmg_auto(json) struct json_t *runs = NULL;
	pmg_autofree char *path = NULL;
	int r = ledger_path(&path, err);

	if (r == 0)
		r = pmg_ledger_list(path, &query, &runs, err);
	if (r < 0 || pmg_json_len(runs) > 0)
		return r;
	return pmg_violations_no_run(run, err);
}

int pmg_violations_no_run(const char *run, struct pmg_err *err)
{
	pmg_autofree char *shown = pmg_out_quote(run);

	(void)pmg_err_set(err, PMG_E_USAGE, 0, "there is no run \"%s\"", shown);
	return pmg_err_hint(err, "\"pmg audit list\" shows the runs");
}

int pmg_violations_read(const struct pmg_ledger_events_query *query, struct json_t **out,
			struct pmg_err *err)
{
	pmg_autofree char *path = NULL;
	int r = ledger_path(&path, err);

	return r < 0 ? r : pmg_ledger_events(path, query, out, err);
}

/* Whose runs are meant by "here". */
static int find_here(char **out, struct pmg_err *err)
{
	pmg_auto(prepared) struct pmg_prepared prepared = { 0 };
	pmg_auto(strv) struct pmg_strv env = { 0 };
	int r;

	pmg_front_environment(&env);
	r = pmg_prepare_repository(&env, NULL, &prepared, err);
	if (r == 0)
		*out = pmg_steal_ptr(&prepared.repository);
	return r;
}

/* A date, or how long ago. */
static int parse_since(const char *text, int64_t *out, struct pmg_err *err)
{
	pmg_autofree char *shown = pmg_out_quote(text);
	int64_t now = pmg_clock_now();
	uint64_t ago;

	if (pmg_clock_parse(text, out) == 0)
		return 0;
	if (pmg_duration_parse(text, (uint64_t)now, &ago) == 0) {
		*out = now - (int64_t)ago;
		return 0;
	}
	(void)pmg_err_set(err, PMG_E_USAGE, 0, "--since does not take \"%s\"", shown);
	return pmg_err_hint(err, "it takes 36h, 7d, or 2026-11-29T10:00:00Z");
}

static int query_of(const struct list_opts *opts, struct pmg_ledger_events_query *query,
		    struct pmg_err *err)
{
	int r = 0;

	*query = (struct pmg_ledger_events_query){ .limit = opts->limit,
						   .run = opts->run,
						   .last_run = opts->last,
						   .package = opts->package,
						   .sensitive = opts->sensitive };
	if (opts->code)
		r = pmg_page_parse(opts->code, &query->code, err);
	if (r == 0 && opts->since)
		r = parse_since(opts->since, &query->since, err);
	return r;
}

static void add_row(struct pmg_table *table, const struct json_t *row)
{
	pmg_autofree char *id = pmg_xasprintf("%" PRId64, pmg_json_int(row, "id"));
	pmg_autofree char *count = pmg_xasprintf("%" PRId64, pmg_json_int(row, "count"));
	const char *cells[] = { id,
				pmg_json_str(row, "last"),
				pmg_json_str(row, "code"),
				pmg_json_str(row, "op"),
				pmg_json_str(row, "target"),
				count,
				pmg_json_str(row, "package"),
				pmg_json_str(row, "script"),
				pmg_json_str(row, "rule"),
				pmg_json_bool(row, "sensitive") ? "sensitive" : NULL,
				pmg_json_str(row, "cwd") };

	pmg_table_add(table, cells);
}

/* @param folders  they may be of several */
static void print_rows(const struct json_t *rows, bool folders, FILE *to)
{
	const char *const heads[] = { "ID",
				      "LAST",
				      "CODE",
				      "OP",
				      "TARGET",
				      "COUNT",
				      "PACKAGE",
				      "SCRIPT",
				      "RULE",
				      "NOTE",
				      folders ? "FOLDER" : NULL,
				      NULL };
	pmg_auto(table) struct pmg_table *table = pmg_table_new(heads);
	size_t i;

	for (i = 0; i < pmg_json_len(rows); i++)
		add_row(table, pmg_json_at(rows, i));
	pmg_table_print(table, to);
}

int pmg_cmd_violations_list(const struct pmg_call *call, struct pmg_err *err)
{
	const struct list_opts *opts = call->opts;
	struct pmg_ledger_events_query query;
	pmg_auto(json) struct json_t *rows = NULL;
	pmg_autofree char *here = NULL;
	int r = query_of(opts, &query, err);

	if (r == 0 && opts->here)
		r = find_here(&here, err);
	query.folder = here;
	if (r == 0)
		r = pmg_violations_read(&query, &rows, err);
	if (r == 0 && opts->run && pmg_json_len(rows) == 0)
		r = check_run(opts->run, err);
	if (r < 0)
		return r;
	if (opts->json)
		pmg_out_json(call->out, rows);
	else
		print_rows(rows, !opts->here && !opts->last && !opts->run, call->out->to);
	if (!opts->json && pmg_json_len(rows) == 0)
		pmg_out_note(call->out, "nothing of that kind is on record");
	return 0;
}

/* Of the last run: the newest sensitive one, else the newest that somebody tried, else a variable
 * that was left out. */
static const struct json_t *pick(const struct json_t *rows)
{
	const struct json_t *tried = NULL;
	size_t i;

	for (i = 0; i < pmg_json_len(rows); i++) {
		const struct json_t *row = pmg_json_at(rows, i);

		if (pmg_json_bool(row, "sensitive"))
			return row;
		if (!tried && !pmg_streq(pmg_json_str(row, "op"), "env"))
			tried = row;
	}
	return tried ? tried : pmg_json_at(rows, 0);
}

static int none(int64_t id, const char *here, struct pmg_err *err)
{
	if (id == 0) {
		(void)pmg_err_set(err, PMG_E_USAGE, 0, "nothing was refused yet in %s", here);
		return pmg_err_hint(err,
				    "\"pmg violations list\" shows what was refused elsewhere");
	}
	(void)pmg_err_set(err, PMG_E_USAGE, 0, "there is no refusal %" PRId64, id);
	return pmg_err_hint(err, "\"pmg violations list\" shows them");
}

int pmg_violations_explain(const struct pmg_call *call, int64_t id, bool json, struct pmg_err *err)
{
	pmg_autofree char *here = NULL;
	struct pmg_ledger_events_query query = { .limit = PMG_EVENTS_MAX,
						 .id = id,
						 .last_run = id == 0 };
	pmg_auto(json) struct json_t *rows = NULL;
	pmg_auto(event) struct pmg_event event = { 0 };
	struct pmg_explain_what what = { .event = &event };
	const struct json_t *row;
	int r = id == 0 ? find_here(&here, err) : 0;

	query.folder = here;
	if (r == 0)
		r = pmg_violations_read(&query, &rows, err);
	if (r < 0)
		return r;
	row = pick(rows);
	if (!row)
		return none(id, here, err);
	r = pmg_event_read(row, &event, err);
	if (r < 0)
		return pmg_err_wrap(err, "ledger");
	what.id = pmg_json_int(row, "id");
	what.run = pmg_json_str(row, "run");
	what.folder = pmg_json_str(row, "cwd");
	what.profile = pmg_json_str(row, "profile");
	what.fingerprint = pmg_json_str(row, "fingerprint");
	if (json) {
		pmg_auto(json) struct json_t *obj = pmg_explain_json(&what);

		pmg_out_json(call->out, obj);
	} else {
		pmg_autofree char *text = pmg_explain_text(&what);

		(void)fputs(text, call->out->to); /* pmg_out_finish() checks */
	}
	return 0;
}

int pmg_cmd_violations_explain(const struct pmg_call *call, struct pmg_err *err)
{
	const struct explain_opts *opts = call->opts;
	uint64_t id = 0;

	if (opts->last == (call->n_operands == 1))
		return pmg_err_set(err, PMG_E_USAGE, 0, "name one id, or --last");
	if (!opts->last && (pmg_parse_uint(call->operands[0], INT64_MAX, &id) < 0 || id == 0)) {
		pmg_autofree char *shown = pmg_out_quote(call->operands[0]);

		(void)pmg_err_set(err, PMG_E_USAGE, 0, "\"%s\" is no id", shown);
		return pmg_err_hint(err, "\"pmg violations list\" shows them; a code is for \"pmg "
					 "sandbox explain\"");
	}
	return pmg_violations_explain(call, (int64_t)id, opts->json, err);
}
