#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/env.h"
#include "base/json.h"
#include "base/path.h"
#include "base/str.h"
#include "cli/cmd_sandbox.h"
#include "cli/cmd_violations.h"
#include "cli/front.h"
#include "cli/shelves.h"
#include "conf/units.h"
#include "policy/allow.h"
#include "policy/overlay.h"
#include "policy/vars.h"
#include "run/prepare.h"

struct allow_opts {
	bool all;
	bool force;
	bool last;
	bool remove;
	const char *expires;
	const char *reason;
	struct pmg_strv presets;
	struct pmg_strv tools;
};
_Static_assert(sizeof(struct allow_opts) <= PMG_SANDBOX_ALLOW_SIZE, "cmd_sandbox.h says so");

const struct pmg_opt pmg_sandbox_allow_opts[] = {
	{ PMG_OPT_FLAG, 0, "all", offsetof(struct allow_opts, all), 0, NULL,
	  "with --last: all that was refused in the last run" },
	{ PMG_OPT_TEXT, 0, "expires", offsetof(struct allow_opts, expires), 0, "TIME",
	  "for so long (7d), then no more" },
	{ PMG_OPT_LIST, 0, "for", offsetof(struct allow_opts, tools), 0, "TOOL",
	  "only when this tool is run" },
	{ PMG_OPT_FLAG, 0, "force", offsetof(struct allow_opts, force), 0, NULL,
	  "also what holds credentials or starts code later" },
	{ PMG_OPT_FLAG, 0, "last", offsetof(struct allow_opts, last), 0, NULL,
	  "what was refused last" },
	{ PMG_OPT_LIST, 0, "preset", offsetof(struct allow_opts, presets), 0, "NAME",
	  "all that a preset allows; as preset=NAME" },
	{ PMG_OPT_TEXT, 0, "reason", offsetof(struct allow_opts, reason), 0, "TEXT",
	  "why, for who reads it later" },
	{ PMG_OPT_FLAG, 0, "remove", offsetof(struct allow_opts, remove), 0, NULL,
	  "take the allowance back" },
	{ 0 },
};

#define EXPIRES_MAX_S (36500ULL * 86400U)

/* All that one call works on. */
struct work {
	const struct allow_opts *opts;
	const struct pmg_out *out;
	struct pmg_prepared prepared;
	struct pmg_overlay overlay;
	struct pmg_strv wanted; /* TYPE=VALUE */
	const char *author;
	const struct pmg_strv *env;
	int64_t expires;
};

static void work_done(struct work *work)
{
	pmg_prepared_done(&work->prepared);
	pmg_overlay_done(&work->overlay);
	pmg_strv_done(&work->wanted);
}
PMG_DEFINE_AUTO_DONE(work, struct work, work_done);

static bool is_closed(const struct work *work, int access, const char *path)
{
	return !pmg_policy_ask(work->prepared.policy, (enum pmg_access)access, PMG_ROLE_SCRIPT,
			       path)
			.allowed;
}

/* What opens a sensitive refusal, which no record has: nothing is offered for one. What is moved or
 * linked is written, and read where it comes to lie: each where it is closed. */
static void take_sensitive(struct work *work, const struct json_t *event)
{
	static const struct {
		const char *op;
		bool access[PMG_ACCESS_EXEC + 1];
	} rows[] = {
		{ "read", { [PMG_ACCESS_READ] = true } },
		{ "write", { [PMG_ACCESS_WRITE] = true } },
		{ "metadata", { [PMG_ACCESS_WRITE] = true } },
		{ "delete", { [PMG_ACCESS_WRITE] = true } },
		{ "rename", { [PMG_ACCESS_READ] = true, [PMG_ACCESS_WRITE] = true } },
		{ "link", { [PMG_ACCESS_READ] = true, [PMG_ACCESS_WRITE] = true } },
		{ "exec", { [PMG_ACCESS_EXEC] = true } },
	};
	const char *target = pmg_json_str(event, "target"), *op = pmg_json_str(event, "op");
	pmg_autofree char *shown = pmg_out_quote(target), *pattern = NULL;
	size_t i, n = work->wanted.n;
	int access;

	/* A name that is not shown as it is, or was cut, is not that file's. */
	if (pmg_json_str(event, "rule") && *target == '/' && !strstr(target, "\\x") &&
	    !pmg_str_has_suffix(target, "..."))
		pattern = pmg_glob_escape(target);
	for (i = 0; pattern && i < PMG_ARRAY_LEN(rows); i++)
		for (access = 0; pmg_streq(rows[i].op, op) && access <= PMG_ACCESS_EXEC; access++)
			if (rows[i].access[access] && is_closed(work, access, target))
				pmg_strv_addf(&work->wanted, "%s=%s", pmg_allow_type_name(access),
					      pattern);
	if (work->wanted.n == n)
		pmg_out_note(work->out, "%s: nothing allows it", shown);
}

static void take_one(struct work *work, const struct json_t *event)
{
	const char *allow = pmg_json_str(event, "allow");
	pmg_autofree char *target = pmg_out_quote(pmg_json_str(event, "target"));

	if (pmg_json_bool(event, "sensitive") && work->opts->force && !work->opts->all)
		take_sensitive(work, event);
	else if (pmg_json_bool(event, "sensitive"))
		pmg_out_note(work->out,
			     "%s stays closed: it is a credential, or code that is started later; "
			     "only --force and its own name open it",
			     target);
	else if (!allow)
		pmg_out_note(work->out, "%s: nothing allows it", target);
	else
		(void)pmg_strv_add_once(&work->wanted, allow);
}

/* Of the refusals of the last run, those that something allows: all, or the newest; as "violations
 * explain --last" has it, that is a sensitive one before others. */
static void take_refused(struct work *work, const struct json_t *events)
{
	bool all = work->opts->all;
	int others;
	size_t i, n = pmg_json_len(events);

	for (others = all; others < 2; others++)
		for (i = 0; i < n && (all || work->wanted.n == 0); i++) {
			const struct json_t *event = pmg_json_at(events, i);

			/* A variable that was left out was not asked for: it is let through by
			 * name. */
			if (pmg_streq(pmg_json_str(event, "op"), "env"))
				continue;
			if (all || pmg_json_bool(event, "sensitive") == !others)
				take_one(work, event);
		}
}

/* A run in which something hostile may have been tried is no list of what to allow. */
static int check_last(const struct work *work, const struct json_t *events, struct pmg_err *err)
{
	size_t i, n = work->opts->force ? 0 : pmg_json_len(events);

	for (i = 0; i < n; i++) {
		const struct json_t *event = pmg_json_at(events, i);
		pmg_autofree char *target = pmg_out_quote(pmg_json_str(event, "target"));

		if (!pmg_json_bool(event, "sensitive"))
			continue;
		(void)pmg_err_set(err, PMG_E_USAGE, 0,
				  "%s was touched in the last run: nothing is "
				  "allowed from it",
				  target);
		return pmg_err_hint(err,
				    "look at \"pmg violations explain --last\" first; name what "
				    "you know, or add --force");
	}
	return 0;
}

static int find_wanted(struct work *work, char *const *operands, struct pmg_err *err)
{
	struct pmg_ledger_events_query query = { .limit = PMG_EVENTS_MAX,
						 .last_run = true,
						 /* What was refused elsewhere is no business
						  * of this repository's. */
						 .folder = work->prepared.repository };
	pmg_auto(json) struct json_t *events = NULL;
	size_t i;
	int r;

	pmg_strv_extend(&work->wanted, operands);
	for (i = 0; i < work->opts->presets.n; i++)
		pmg_strv_addf(&work->wanted, "preset=%s", work->opts->presets.v[i]);
	if (!work->opts->last && work->wanted.n == 0) {
		(void)pmg_err_set(err, PMG_E_USAGE, 0, "nothing to allow");
		return pmg_err_hint(err, "TYPE=VALUE, as read=.env, or --last");
	}
	if (work->opts->all && !work->opts->last)
		return pmg_err_set(err, PMG_E_USAGE, 0, "--all goes with --last");
	if (!work->opts->last)
		return 0;
	if (work->wanted.n > 0)
		return pmg_err_set(err, PMG_E_USAGE, 0, "either TYPE=VALUE or --last");
	r = pmg_violations_read(&query, &events, err);
	if (r == 0)
		r = check_last(work, events, err);
	if (r < 0)
		return r;
	take_refused(work, events);
	if (work->wanted.n == 0) {
		(void)pmg_err_set(err, PMG_E_USAGE, 0,
				  "the last run in this repository has nothing to allow");
		return pmg_err_hint(err, "\"pmg violations list\" shows what was refused");
	}
	return 0;
}

/* A preset that is not there grants nothing, and would be told of in each later run. */
static int check_preset(const struct work *work, const char *name, struct pmg_err *err)
{
	const struct pmg_library library = { .config_dir = work->prepared.dirs.config };
	pmg_auto(library_item) struct pmg_library_item item = { 0 };
	int r = pmg_library_find(&library, PMG_LIBRARY_PRESET, name, &item, err);

	if (r == -PMG_E_NOTFOUND)
		return pmg_err_as(err, PMG_E_USAGE);
	return r;
}

/* "exec=git" reads as the program, and is a file of this folder. */
static int check_program(const struct work *work, const char *value, struct pmg_err *err)
{
	pmg_autofree char *here = pmg_path_join(work->prepared.cwd, value);
	pmg_autofree char *found = NULL;
	pmg_autofree char *shown = pmg_out_quote(value);
	struct stat st;

	if (strpbrk(value, "/*?[$~\\") || work->opts->force || lstat(here, &st) == 0)
		return 0;
	found = pmg_env_search(work->env, value);
	(void)pmg_err_set(err, PMG_E_USAGE, 0,
			  "exec=%s is a file of this folder, and there is none", shown);
	return found ? pmg_err_hint(err, "the program on PATH is exec=%s", found)
		     : pmg_err_hint(err, "name the program by its path");
}

/* --for a tool that nobody calls so would never hold. */
static int check_tools(const struct work *work, struct pmg_err *err)
{
	const char *words[PMG_SHELVES_TOOLS_MAX], *near;
	size_t i, k;

	pmg_shelves_tools(words, PMG_SHELVES_TOOLS_MAX);
	for (i = 0; i < work->opts->tools.n; i++) {
		const char *tool = work->opts->tools.v[i];
		pmg_autofree char *shown = pmg_out_quote(tool);

		for (k = 0; words[k] && strcmp(words[k], tool) != 0; k++)
			;
		if (words[k])
			continue;
		near = pmg_str_nearest(tool, words);
		(void)pmg_err_set(err, PMG_E_USAGE, 0,
				  "--for %s: no tool that pmg runs is called so", shown);
		return near ? pmg_err_hint(err, "did you mean \"%s\"?", near)
			    : pmg_err_hint(err,
					   "npm, pip, uv and so on, or exec: \"pmg sandbox exec\"");
	}
	return 0;
}

static int add(struct work *work, const char *text, struct pmg_err *err)
{
	pmg_auto(overlay_entry) struct pmg_overlay_entry entry = {
		.created = pmg_clock_now(),
		.expires = work->expires,
	};
	pmg_autofree char *shown = pmg_out_quote(text);
	const char *value;
	int r = pmg_allow_parse(text, &entry.type, &value, err);

	if (r == 0 && entry.type == PMG_ALLOW_PRESET)
		r = check_preset(work, value, err);
	if (r == 0 && entry.type == PMG_ACCESS_EXEC)
		r = check_program(work, value, err);
	if (r < 0)
		return r;
	entry.value = pmg_xstrdup(value);
	entry.reason = work->opts->reason ? pmg_xstrdup(work->opts->reason) : NULL;
	entry.author = work->author ? pmg_xstrdup(work->author) : NULL;
	if (work->opts->tools.n > 0)
		pmg_strv_extend(&entry.tools, work->opts->tools.v);
	r = pmg_overlay_add(&work->overlay, work->prepared.policy, work->opts->force, &entry, err);
	if (r < 0)
		return r;
	pmg_out_note(work->out, "allowed in %s: %s", work->overlay.repository, shown);
	return 0;
}

static int take_back(struct work *work, const char *text, struct pmg_err *err)
{
	pmg_autofree char *shown = pmg_out_quote(text);
	const char *value;
	int type, r = pmg_allow_parse(text, &type, &value, err);

	/* What an older one let in goes out by its own text. */
	if (r < 0 && strchr(text, '=')) {
		pmg_autofree char *name = pmg_xstrndup(text, strcspn(text, "="));

		type = pmg_allow_type(name);
		value = strchr(text, '=') + 1;
		r = type < 0 ? r : 0;
	}
	if (r < 0)
		return r;
	if (pmg_overlay_remove(&work->overlay, work->prepared.policy, type, value) == 0)
		return pmg_err_set(err, PMG_E_USAGE, 0, "%s is not among what is allowed", shown);
	pmg_out_note(work->out, "no longer allowed in %s: %s", work->overlay.repository, shown);
	return 0;
}

/* Taking back is always possible. */
static int check_lockdown(const struct work *work, struct pmg_err *err)
{
	const struct pmg_managed *managed = &work->prepared.bounds.managed;
	pmg_autofree char *who = NULL;

	if (!managed->lockdown || work->opts->remove)
		return 0;
	who = pmg_managed_who(managed, "global_lockdown");
	(void)pmg_err_set(err, PMG_E_CONFIG, 0, "allowances are refused by %s", who);
	(void)pmg_err_hint(err, "who looks after this machine can change it");
	return pmg_err_diag(err, PMG_DIAG_MANAGED);
}

static int read_expires(struct work *work, struct pmg_err *err)
{
	uint64_t seconds;

	if (!work->opts->expires)
		return 0;
	if (pmg_duration_parse(work->opts->expires, EXPIRES_MAX_S, &seconds) < 0) {
		(void)pmg_err_set(err, PMG_E_USAGE, 0, "--expires is no duration: %s",
				  work->opts->expires);
		return pmg_err_hint(err, "a number with its unit: 36h, 7d, 4w");
	}
	work->expires = pmg_clock_now() + (int64_t)seconds;
	return 0;
}

int pmg_cmd_sandbox_allow(const struct pmg_call *call, struct pmg_err *err)
{
	pmg_auto(strv) struct pmg_strv env = { 0 };
	pmg_auto(work) struct work work = { .opts = call->opts, .out = call->out };
	char sh[] = "sh", *argv[] = { sh, NULL };
	/* Asked of the policy as it is without what was allowed before: a credential stays one. */
	struct pmg_run_want want = {
		.tool = sh, .argv = argv, .command = true, .env = &env, .no_overlay = true
	};
	pmg_autofd int lock = -1;
	size_t i;
	int r;

	pmg_front_environment(&env);
	work.env = &env;
	work.author = pmg_env_get(&env, "USER");
	r = read_expires(&work, err);
	if (r == 0 && !work.opts->remove)
		r = check_tools(&work, err);
	if (r == 0)
		r = pmg_prepare_policy(&want, &work.prepared, err);
	if (r == 0)
		r = check_lockdown(&work, err);
	if (r == 0)
		r = find_wanted(&work, call->operands, err);
	if (r == 0)
		r = lock = pmg_overlay_lock(work.prepared.dirs.config, err);
	if (r >= 0)
		r = pmg_overlay_load(work.prepared.dirs.config, work.prepared.repository,
				     &work.overlay, err);
	for (i = 0; r == 0 && i < work.wanted.n; i++)
		r = (work.opts->remove ? take_back : add)(&work, work.wanted.v[i], err);
	return r < 0 ? r : pmg_overlay_save(&work.overlay, err);
}
