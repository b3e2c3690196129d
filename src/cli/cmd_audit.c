#include "cli/cmd_audit.h"

#include <stdio.h>

#include "base/json.h"
#include "base/path.h"
#include "base/str.h"
#include "cli/cmd_violations.h"
#include "cli/front.h"
#include "cli/table.h"
#include "conf/dirs.h"
#include "violation/ledger.h"

struct list_opts {
	bool blocked;
	bool json;
	uint64_t limit;
	const char *run;
};

#define RUNS_SHOWN 50U

static const struct list_opts list_preset = { .limit = RUNS_SHOWN };

static const struct pmg_opt list_opts[] = {
	{ PMG_OPT_FLAG, 0, "blocked", offsetof(struct list_opts, blocked), 0, NULL,
	  "only packages that were refused" },
	{ PMG_OPT_FLAG, 0, "json", offsetof(struct list_opts, json), 0, NULL, "print JSON" },
	{ PMG_OPT_UINT, 'n', "limit", offsetof(struct list_opts, limit), PMG_LEDGER_LIST_MAX, "N",
	  "at most N runs, the newest first (50)" },
	{ PMG_OPT_TEXT, 0, "run", offsetof(struct list_opts, run), 0, "ID", "only this run" },
	{ 0 },
};

const struct pmg_cmd pmg_audit_cmds[] = {
	{ .name = "exposure",
	  .synopsis = "[--json]",
	  .summary = "what passed before it was listed",
	  .flags = PMG_CMD_RAW,
	  .max = PMG_CMD_ANY,
	  .run = pmg_cmd_hand_on_audit },
	{ .name = "list",
	  .synopsis = "[--json] [--limit N] [--run ID] [--blocked]",
	  .summary = "show runs and what was judged in them",
	  .about = "With --run or --blocked one line a package, else one line a run. The JSON has "
		   "all\nof it: docs/cli-json.md.\n",
	  .opts = list_opts,
	  .opts_size = sizeof(struct list_opts),
	  .preset = &list_preset,
	  .run = pmg_cmd_audit_list },
	{ 0 },
};

/* "npm i express"; the table makes it safe to show. */
static char *words(const struct json_t *list, const char *between)
{
	pmg_auto(str) struct pmg_str text = PMG_STR_INIT(1U << 20);
	size_t i;

	for (i = 0; i < pmg_json_len(list); i++)
		(void)!pmg_str_addf(&text, "%s%s", i ? between : "",
				    pmg_json_text(pmg_json_at(list, i)));
	return pmg_str_steal(&text);
}

static size_t count_refused(const struct json_t *packages)
{
	size_t i, n = 0;

	for (i = 0; i < pmg_json_len(packages); i++)
		n += pmg_streq(pmg_json_str(pmg_json_at(packages, i), "verdict"), "block");
	return n;
}

static void add_run(struct pmg_table *table, const struct json_t *run)
{
	const struct json_t *packages = pmg_json_get(run, "packages");
	pmg_autofree char *command = words(pmg_json_get(run, "argv"), " ");
	pmg_autofree char *exit = pmg_xasprintf("%lld", (long long)pmg_json_int(run, "exit"));
	pmg_autofree char *judged = pmg_xasprintf("%zu", pmg_json_len(packages));
	pmg_autofree char *refused = pmg_xasprintf("%zu", count_refused(packages));
	pmg_autofree char *passed = pmg_xasprintf("%zu", pmg_json_len(pmg_json_get(run, "passed")));
	const char *const cells[] = { pmg_json_str(run, "run"),
				      pmg_json_str(run, "started"),
				      exit,
				      judged,
				      refused,
				      passed,
				      pmg_json_str(run, "profile"),
				      command };

	pmg_table_add(table, cells);
}

/* Why it was refused; of one that was let in all the same, what waived that. */
static const char *why(const struct json_t *package)
{
	const char *reason = pmg_json_str(package, "reason");

	return reason ? reason : pmg_json_text(pmg_json_at(pmg_json_get(package, "waivers"), 0));
}

static void add_packages(struct pmg_table *table, const struct json_t *run)
{
	const struct json_t *packages = pmg_json_get(run, "packages");
	size_t i;

	for (i = 0; i < pmg_json_len(packages); i++) {
		const struct json_t *package = pmg_json_at(packages, i);
		pmg_autofree char *ids = words(pmg_json_get(package, "ids"), " ");
		const char *const cells[] = {
			pmg_json_str(run, "run"),
			pmg_json_str(package, "ecosystem"),
			pmg_json_str(package, "name"),
			pmg_json_str(package, "version"),
			pmg_json_str(package, "verdict"),
			why(package),
			ids,
		};

		pmg_table_add(table, cells);
	}
}

static void print_runs(const struct json_t *runs, bool by_package, FILE *to)
{
	static const char *const run_heads[] = { "RUN",     "STARTED", "EXIT",
						 "JUDGED",  "REFUSED", "UNJUDGED",
						 "PROFILE", "COMMAND", NULL };
	static const char *const package_heads[] = { "RUN",     "ECOSYSTEM", "NAME", "VERSION",
						     "VERDICT", "REASON",    "IDS",  NULL };
	pmg_auto(table) struct pmg_table *table =
		pmg_table_new(by_package ? package_heads : run_heads);
	size_t i;

	for (i = 0; i < pmg_json_len(runs); i++)
		(by_package ? add_packages : add_run)(table, pmg_json_at(runs, i));
	pmg_table_print(table, to);
}

int pmg_cmd_audit_list(const struct pmg_call *call, struct pmg_err *err)
{
	const struct list_opts *opts = call->opts;
	struct pmg_ledger_query query = { opts->limit, opts->run, opts->blocked };
	pmg_auto(strv) struct pmg_strv env = { 0 };
	pmg_auto(dirs) struct pmg_dirs dirs = { 0 };
	pmg_auto(json) struct json_t *runs = NULL;
	pmg_autofree char *path = NULL;
	int r;

	pmg_front_environment(&env);
	r = pmg_dirs_find(&env, &dirs, err);
	if (r < 0)
		return r;
	path = pmg_path_join(dirs.state, "ledger.db");
	r = pmg_ledger_list(path, &query, &runs, err);
	if (r == 0 && opts->run && !opts->blocked && pmg_json_len(runs) == 0)
		r = pmg_violations_no_run(opts->run, err);
	if (r < 0)
		return r;
	if (opts->json)
		pmg_out_json(call->out, runs);
	else
		print_runs(runs, opts->run || opts->blocked, call->out->to);
	/* Who has typed a number knows. */
	if (opts->limit == RUNS_SHOWN && pmg_json_len(runs) == RUNS_SHOWN)
		pmg_out_note(call->out, "these are the newest %u runs: --limit N shows more",
			     RUNS_SHOWN);
	return 0;
}
