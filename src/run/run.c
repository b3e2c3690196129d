#include "run/run_priv.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/path.h"
#include "pm/point.h"
#include "policy/reach.h"
#include "run/learned.h"
#include "run/outer.h"
#include "run/tool.h"
#include "run/withheld.h"
#include "sandbox/lockdown.h"
#include "violation/ledger.h"
#include "violation/mask.h"

static void run_done(struct pmg_running *run)
{
	pmg_confined_done(&run->confined); /* first: what runs must not see the rest go */
	pmg_ahead_done(&run->ahead);
	pmg_proxy_end(&run->proxy);
	pmg_folder_done(&run->folder);
	pmg_folder_done(&run->scratch);
	pmg_proxy_done(&run->proxy); /* its memory takes the kernel a while */
	pmg_sweeper_done(&run->sweeper);
	free(run->tmp);
	pmg_strv_done(&run->env);
	pmg_strv_done(&run->scrubbed);
	pmg_signals_close(&run->signals);
	pmg_pins_done(&run->pins);
	pmg_prepared_done(&run->prepared);
	pmg_strv_done(&run->notes);
}
PMG_DEFINE_AUTO_DONE(run, struct pmg_running, run_done);

void pmg_run_result_done(struct pmg_run_result *result)
{
	pmg_record_done(&result->record);
	pmg_config_done(&result->config);
}

/* Become the tool with this environment; comes back only when that fails. */
static int become_tool(const struct pmg_running *run, const struct pmg_strv *env, char *const *argv,
		       struct pmg_err *err)
{
	struct pmg_tool tool = { &run->prepared.found, argv, env };

	return pmg_tool_exec(&tool, err);
}

/* Inside a guarded run whose proxy knows all that this tool needs: use it. @return 0: not so */
static int join_outer(struct pmg_running *run, struct pmg_err *err)
{
	pmg_auto(outer) struct pmg_outer outer = { 0 };
	pmg_auto(strv) struct pmg_strv env = { 0 };
	struct pmg_pointer to = { 0 };
	int r = 0;

	if (!pmg_outer_find(run->want->env, &outer))
		return 0;
	pmg_running_copy_env(run, &env);
	to = (struct pmg_pointer){ .proxy = outer.proxy,
				   .bundle = outer.bundle,
				   .extra = outer.extra,
				   .has_loopback = true,
				   .has_cafile = true,
				   .is_naming = pmg_point_is_naming(run->want->argv) };
	if (outer.walls) {
		/* They hold whatever this tool is told; and our own configuration is behind them.
		 */
		pmg_log_debug("inside the walls of a guarded run");
		pmg_running_point(run, &to, &env);
		return become_tool(run, &env, run->want->argv, err);
	}
	r = pmg_prepare_config(run->want, &run->prepared, &run->result->config, err);
	if (r == 0 && run->prepared.walls)
		return 0; /* that run has no walls, this one is to have them */
	if (r == 0)
		r = pmg_prepare_facts(run->want, &run->result->config, NULL, 0, &run->prepared,
				      err);
	if (r < 0 || !pmg_outer_covers(&outer, &run->prepared.facts))
		return r;
	pmg_log_debug("inside a guarded run: its proxy is used");
	to.has_loopback = run->prepared.has_loopback;
	to.has_cafile = run->prepared.facts.has_cafile;
	to.proxy_variables = &run->prepared.facts.proxy_variables;
	to.bundle_variables = &run->prepared.facts.bundle_variables;
	pmg_running_point(run, &to, &env);
	return become_tool(run, &env, pmg_running_argv(run), err);
}

/* Said once it matters: a run that fetched no package needs no index. */
static void note_index(const struct pmg_running *run)
{
	pmg_autofree char *note = pmg_run_index_note(&run->result->config, &run->result->index);

	if (note && run->result->record.n_packages > 0)
		pmg_running_say(run, PMG_SAY_NOTE, note);
}

static void restore_terminal(const struct pmg_running *run)
{
	if (run->terminal_fd >= 0 && tcgetpgrp(run->terminal_fd) == getpgrp())
		(void)tcsetattr(run->terminal_fd, TCSADRAIN, &run->terminal);
}

/* Who wrote a pattern thinks it lets all of them through. */
static void say_patterns(const struct pmg_running *run)
{
	pmg_auto(strv) struct pmg_strv notes = { 0 };
	size_t i;

	pmg_withheld_patterns(run->prepared.policy, &run->scrubbed, &notes);
	for (i = 0; i < notes.n; i++)
		pmg_running_say(run, PMG_SAY_NOTE, notes.v[i]);
}

static void begin_record(struct pmg_running *run, struct pmg_record *record)
{
	record->tool = pmg_xstrdup(run->want->tool);
	record->cwd = pmg_xstrdup(run->prepared.cwd);
	record->profile =
		pmg_xstrdup(run->prepared.policy ? run->prepared.policy->profile : "none");
	record->no_walls = !pmg_running_is_confined(run);
	if (run->prepared.policy)
		pmg_policy_reach(run->prepared.policy, &record->reach);
	pmg_mask_argv(run->want->argv, &record->argv);
	pmg_withheld_note(record, run->prepared.policy, &run->scrubbed);
}

static void show_notes(const struct pmg_running *run)
{
	const struct pmg_strv *facts = &run->prepared.facts.notes;
	const struct pmg_strv *warnings = &run->prepared.facts.warnings;
	bool wrong = run->result->exit != 0 && run->result->record.n_troubles > 0;
	size_t i;

	for (i = 0; i < warnings->n; i++)
		pmg_running_say(run, PMG_SAY_NOTE, warnings->v[i]);
	for (i = 0; i < facts->n; i++)
		pmg_running_say(run, PMG_SAY_DETAIL, facts->v[i]);
	for (i = 0; i < run->notes.n; i++)
		pmg_running_say(run, wrong ? PMG_SAY_NOTE : PMG_SAY_DETAIL, run->notes.v[i]);
}

/* What the tool's end means for ours: a run in which a package was withheld, or a credential or a
 * place of persistence was touched, never ends with 0. */
static void conclude(struct pmg_running *run)
{
	struct pmg_run_result *result = run->result;
	int status = run->attend.status;

	if (WIFSIGNALED(status)) {
		result->signal = WTERMSIG(status);
		/* It did not end, and so we ended it: for who asked, by what was asked. */
		if (run->attend.asked > 0 &&
		    (result->signal == SIGKILL || result->signal == SIGTERM))
			result->signal = run->attend.asked_by;
		result->exit = 128 + result->signal;
	} else {
		result->exit = WEXITSTATUS(status);
		if (result->exit == 0 &&
		    (result->record.n_blocked > 0 || pmg_record_has_sensitive(&result->record)))
			result->exit = PMG_EXIT_WITHHELD;
	}
}

/* What is not kept only costs time: it is learned again. */
static void keep_learned(const struct pmg_running *run, const struct pmg_strv *learned)
{
	pmg_autofree char *hosts = pmg_path_join(run->prepared.dirs.cache, "artifact-hosts");
	pmg_autofree char *dates = pmg_path_join(run->prepared.dirs.cache, "dates");
	pmg_autofree char *contents = pmg_path_join(run->prepared.dirs.cache, "contents");
	struct pmg_err scratch = PMG_ERR_INIT;

	if (pmg_learned_add(hosts, learned, PMG_LEARNED_LINES_MAX, &scratch) < 0)
		pmg_log_debug("artifact hosts not kept: %s", scratch.msg);
	if (pmg_learned_add(dates, &run->proxy.dated, PMG_LEARNED_DATES_MAX, &scratch) < 0)
		pmg_log_debug("dates not kept: %s", scratch.msg);
	if (pmg_learned_put(contents, &run->proxy.contents, pmg_clock_now() / (24 * 60 * 60),
			    &scratch) < 0)
		pmg_log_debug("contents not kept: %s", scratch.msg);
}

static void add_fingerprint(const struct pmg_running *run, struct pmg_record *record)
{
	pmg_auto(plan) struct pmg_plan *plan =
		pmg_prepare_plan(run->want, &run->prepared, &run->result->config);
	char fingerprint[PMG_SHA256_HEX];

	pmg_plan_fingerprint(plan, fingerprint);
	record->fingerprint = pmg_xstrdup(fingerprint);
}

/* A record that cannot be written is said, and changes nothing: what was refused stays refused. */
static void write_ledger(struct pmg_running *run)
{
	pmg_autofree char *path = pmg_path_join(run->prepared.dirs.state, "ledger.db");
	const struct pmg_config *config = &run->result->config;
	struct pmg_ledger_keep keep = { config->ledger_retention_s, config->ledger_max_size };
	struct pmg_err err = PMG_ERR_INIT;

	if (!run->result->record.fingerprint &&
	    (!pmg_record_is_empty(&run->result->record) || run->want->report))
		add_fingerprint(run, &run->result->record);
	if (pmg_record_is_empty(&run->result->record))
		return;
	if (pmg_ledger_write(path, &run->result->record, &keep, &err) < 0) {
		(void)pmg_err_wrap(&err, "this run is not in the ledger");
		pmg_running_say(run, PMG_SAY_FAULT, err.msg);
	}
}

/*
 * Has the proxy told all? When it has not, a refusal may be missing, and the run must not look
 * well; one that was ended by a signal does not.
 */
static int stop_proxy(struct pmg_running *run, struct pmg_wire_done *done, struct pmg_err *err)
{
	struct pmg_err late = PMG_ERR_INIT;
	int r = pmg_attend_stop_proxy(&run->attend, done, &late);

	if (r < 0 && WIFSIGNALED(run->attend.status)) {
		pmg_running_say(run, PMG_SAY_FAULT, late.msg);
		return 0;
	}
	if (r < 0)
		*err = late;
	return r;
}

/* A version manager's shim that fails may do so for want of what was kept from it. */
static void note_shim(struct pmg_running *run)
{
	pmg_autofree char *line = pmg_withheld_shim(&run->result->record,
						    run->prepared.found.program, &run->scrubbed);

	if (line)
		pmg_running_say(run, PMG_SAY_NOTE, line);
}

/* What nobody can do here is not suggested. */
static void drop_suggestions(struct pmg_record *record)
{
	size_t i;

	for (i = 0; i < record->events.n; i++) {
		free(record->events.v[i].allow);
		record->events.v[i].allow = NULL;
	}
}

/* The tool has ended, or must. @return 0 or why the run is not one that was guarded to its end */
static int finish(struct pmg_running *run, int lost, struct pmg_err *err)
{
	pmg_auto(wire_done) struct pmg_wire_done done = { 0 };
	struct pmg_run_result *result = run->result;
	int r = lost;

	pmg_attend_end_tree(&run->attend);
	if (lost == 0 && !run->refused)
		r = pmg_pins_after(run, err);
	if (r == 0)
		r = stop_proxy(run, &done, err);
	if (WIFSIGNALED(run->attend.status) || lost < 0)
		restore_terminal(run);
	result->pinned = run->pins.checked;
	result->landed = run->pins.landed;
	result->requests = done.requests;
	result->bytes = done.bytes;
	result->took_ms = pmg_clock_ms() - run->began_ms;
	if (run->attend.ended)
		conclude(run);
	keep_learned(run, &done.learned);
	result->record.exit = r < 0 ? pmg_code_exit(err->code) : result->exit;
	result->record.ended = pmg_clock_now();
	if (result->exit != 0 && !pmg_record_has_refusals(&result->record))
		note_shim(run); /* else what was refused is the likelier reason */
	if (run->prepared.bounds.managed.lockdown)
		drop_suggestions(&result->record);
	note_index(run);
	show_notes(run);
	write_ledger(run);
	return r;
}

/* Who wrote the value that does not hold thinks it does. */
static void note_bounds(const struct pmg_running *run)
{
	const struct pmg_strv *notes = &run->prepared.bounds.notes;
	size_t i;

	for (i = 0; i < notes->n; i++)
		pmg_running_say(run, PMG_SAY_NOTE, notes->v[i]);
}

/* Whoever turned the sandbox off is told so each time: a line in a file is soon forgotten. */
static void note_no_walls(const struct pmg_running *run)
{
	const struct pmg_config *managed = &run->prepared.bounds.managed.config;
	const char *by = run->want->no_sandbox                        ? "--no-sandbox"
			 : managed->path && !managed->sandbox.enabled ? "managed policy"
								      : "config.yml";
	pmg_autofree char *line =
		pmg_xasprintf("no sandbox (%s): install scripts can do what you can", by);

	if (!pmg_running_is_confined(run))
		pmg_running_say(run, PMG_SAY_NOTE, line);
}

static int guard(struct pmg_running *run, struct pmg_err *err)
{
	struct pmg_record *record = &run->result->record;
	int r;

	note_bounds(run);
	note_no_walls(run);
	record->started = pmg_clock_now();
	r = pmg_run_id(record->started, record->id, err);
	if (r == 0)
		r = pmg_running_start(run, err);
	if (r < 0)
		return pmg_attend_explain(&run->attend, r, err);
	if (run->result->signal)
		return 0;
	begin_record(run, record);
	say_patterns(run);
	if (run->refused) {
		run->result->exit = PMG_EXIT_WITHHELD;
		return finish(run, 0, err);
	}
	if (run->result->fetches) /* it will be wanted, and now nobody waits for it */
		add_fingerprint(run, record);
	r = pmg_attend_tool(&run->attend, err);
	return finish(run, r, err);
}

static void run_init(struct pmg_running *run, const struct pmg_run_want *want,
		     struct pmg_run_result *result)
{
	*run = (struct pmg_running){
		.want = want,
		.result = result,
		.sweeper = PMG_SWEEPER_INIT,
		.folder = PMG_FOLDER_INIT,
		.scratch = PMG_FOLDER_INIT,
		.confined = PMG_CONFINED_INIT,
		.proxy = PMG_PROXY_INIT,
		.signals = PMG_SIGNALS_INIT,
		.terminal_fd = -1,
		.began_ms = pmg_clock_ms(),
	};
	run->attend = (struct pmg_attend){
		.signals = &run->signals,
		.proxy = &run->proxy,
		.record = &result->record,
	};
}

int pmg_run(const struct pmg_run_want *want, struct pmg_run_result *out, struct pmg_err *err)
{
	pmg_auto(run) struct pmg_running run;
	int r;

	run_init(&run, want, out);
	r = pmg_prepare_program(want, &run.prepared, err);
	if (r < 0)
		return r;
	if (run.prepared.verb == PMG_VERB_PLAIN)
		return become_tool(&run, want->env, want->argv, err);
	/* Ctrl-C ends an install in any case; project code may read it as it likes (a REPL). */
	run.attend.may_force = run.prepared.verb == PMG_VERB_FETCH;
	out->fetches = run.prepared.verb == PMG_VERB_FETCH;
	out->asks = pmg_settled_asks(run.prepared.pm, want->argv);
	r = join_outer(&run, err);
	if (r == 0 && !run.prepared.dirs.home)
		r = pmg_prepare_config(want, &run.prepared, &out->config, err);
	if (r == 0)
		r = guard(&run, err);
	return r;
}

int pmg_run_plan(const struct pmg_run_want *want, struct pmg_plan **out, struct pmg_err *err)
{
	pmg_auto(prepared) struct pmg_prepared prepared = { 0 };
	pmg_auto(config) struct pmg_config config = { 0 };
	int r = pmg_prepare_program(want, &prepared, err);

	if (r == 0 && prepared.verb == PMG_VERB_PLAIN) {
		*out = NULL;
		return 0;
	}
	if (r == 0)
		r = pmg_prepare_config(want, &prepared, &config, err);
	if (r == 0)
		r = pmg_prepare_facts(want, &config, NULL, 0, &prepared, err);
	if (r == 0 && prepared.policy)
		r = pmg_lockdown_can(prepared.policy, pmg_driver_all()[0], err);
	if (r < 0)
		return r;
	*out = pmg_prepare_plan(want, &prepared, &config);
	return 0;
}
