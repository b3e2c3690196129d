#include "run/run.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/env.h"
#include "base/log.h"
#include "base/path.h"
#include "pm/point.h"
#include "policy/build.h"
#include "run/ahead.h"
#include "run/attend.h"
#include "run/certs.h"
#include "run/confined.h"
#include "run/folder.h"
#include "run/learned.h"
#include "run/outer.h"
#include "run/prepare.h"
#include "run/proxy.h"
#include "run/self.h"
#include "run/signals.h"
#include "run/tool.h"
#include "run/tree.h"
#include "run/withheld.h"
#include "violation/ledger.h"
#include "violation/mask.h"

/* All that a guarded run holds; emptied from below. */
struct run {
	const struct pmg_run_want *want;
	struct pmg_run_result *result;
	struct pmg_prepared prepared;
	struct pmg_folder folder;
	struct pmg_folder scratch; /* within walls: what the tool sees as /tmp */
	char *tmp;                 /* its path */
	struct pmg_proxy proxy;
	struct pmg_confined confined;
	struct pmg_ahead ahead;
	struct pmg_signals signals;
	struct pmg_attend attend;
	struct pmg_strv env;      /* of the tool; whole once the plan is made */
	struct pmg_strv scrubbed; /* names of variables that were taken from it */
	struct pmg_strv notes;    /* of the proxy: shown when something went wrong, or with -v */
	struct termios terminal;
	int terminal_fd; /* -1: none */
	uint64_t began_ms;
};

static void run_done(struct run *run)
{
	pmg_confined_done(&run->confined); /* first: what runs must not see the rest go */
	pmg_ahead_done(&run->ahead);
	pmg_proxy_done(&run->proxy);
	pmg_folder_done(&run->folder);
	pmg_folder_done(&run->scratch);
	free(run->tmp);
	pmg_strv_done(&run->env);
	pmg_strv_done(&run->scrubbed);
	pmg_signals_close(&run->signals);
	pmg_prepared_done(&run->prepared);
	pmg_strv_done(&run->notes);
}
PMG_DEFINE_AUTO_DONE(run, struct run, run_done);

void pmg_run_result_done(struct pmg_run_result *result)
{
	pmg_record_done(&result->record);
	pmg_config_done(&result->config);
}

static void say(const struct run *run, enum pmg_say kind, const char *line)
{
	run->want->say(run->want->arg, kind, line);
}

static bool is_confined(const struct run *run)
{
	return run->prepared.walls;
}

/* Become the tool with this environment; comes back only when that fails. */
static int become_tool(const struct run *run, const struct pmg_strv *env, char *const *argv,
		       struct pmg_err *err)
{
	struct pmg_tool tool = { &run->prepared.found, argv, env };

	return pmg_tool_exec(&tool, err);
}

static char *const *tool_argv(struct run *run)
{
	struct pmg_strv *cleaned = &run->prepared.facts.argv;

	return cleaned->n > 0 ? pmg_strv_argv(cleaned) : run->want->argv;
}

static void point(const struct run *run, const struct pmg_pointer *to, struct pmg_strv *env)
{
	if (run->prepared.pm)
		run->prepared.pm->point(env, to);
	else
		pmg_point(env, to);
}

static void copy_env(const struct run *run, struct pmg_strv *out)
{
	if (run->want->env->n > 0)
		pmg_strv_extend(out, run->want->env->v);
}

/* Inside a guarded run whose proxy knows all that this tool needs: use it. @return 0: not so */
static int join_outer(struct run *run, struct pmg_err *err)
{
	pmg_auto(outer) struct pmg_outer outer = { 0 };
	pmg_auto(strv) struct pmg_strv env = { 0 };
	struct pmg_pointer to = { 0 };
	int r = 0;

	if (!pmg_outer_find(run->want->env, &outer))
		return 0;
	copy_env(run, &env);
	to = (struct pmg_pointer){ outer.proxy, outer.bundle, outer.extra, true, true };
	if (outer.walls) {
		/* They hold whatever this tool is told; and our own configuration is behind them.
		 */
		pmg_log_debug("inside the walls of a guarded run");
		point(run, &to, &env);
		return become_tool(run, &env, run->want->argv, err);
	}
	r = pmg_prepare_config(run->want, &run->prepared, &run->result->config, err);
	if (r == 0 && run->prepared.walls)
		return 0; /* that run has no walls, this one is to have them */
	if (r == 0)
		r = pmg_prepare_plan(run->want, &run->result->config, NULL, 0, &run->prepared, err);
	if (r < 0 || !pmg_outer_covers(&outer, &run->prepared.facts))
		return r;
	pmg_log_debug("inside a guarded run: its proxy is used");
	to.has_loopback = run->prepared.has_loopback;
	to.has_cafile = run->prepared.facts.has_cafile;
	point(run, &to, &env);
	return become_tool(run, &env, tool_argv(run), err);
}

static int start_proxy(struct run *run, struct pmg_err *err)
{
	pmg_autofree char *program = NULL;
	pmg_autofd int bundle = -1;
	int r = pmg_self_helper("pmg-proxy", &program, err);

	if (r == 0)
		r = pmg_folder_make(run->want->env, &run->folder, err);
	if (r < 0)
		return r;
	bundle = pmg_folder_create(&run->folder, PMG_OUTER_BUNDLE, err);
	if (bundle < 0)
		return bundle;
	return pmg_proxy_start(program, bundle, is_confined(run) ? PMG_SANDBOX_PROXY_PORT : 0,
			       run->want->debug, &run->proxy, err);
}

/* Keeper's listeners go to the proxy; what the keeper could not build ends the run here. */
static int hand_over(struct run *run, struct pmg_err *err)
{
	pmg_auto(confined_news) struct pmg_confined_news news = { 0 };
	size_t i;
	int r = pmg_attend_walls(&run->attend, &news, err);

	run->result->signal = run->attend.ended_by;
	if (r < 0 || run->result->signal)
		return r;
	for (i = 0; i < news.walls.notes.n; i++)
		pmg_strv_add(&run->notes, news.walls.notes.v[i]);
	return pmg_confined_hand_over(&run->confined, run->prepared.policy, &news, run->proxy.fd,
				      err);
}

static int tell_proxy(struct run *run, struct pmg_err *err)
{
	const struct pmg_facts *facts = &run->prepared.facts;
	const struct pmg_dirs *dirs = &run->prepared.dirs;
	pmg_autofree char *index = pmg_path_join(dirs->state, "intel.db");
	pmg_autofree char *blocklist = pmg_path_join(dirs->config, "blocklist.yml");
	pmg_autofree char *cache = pmg_path_join(dirs->cache, "artifact-hosts");
	struct pmg_wire_start start = {
		.token = run->proxy.token,
		.index_path = index,
		.blocklist_path = blocklist,
		.cache_path = access(cache, R_OK) == 0 ? cache : NULL,
		.https_proxy = facts->https_proxy,
		.http_proxy = facts->http_proxy,
		.no_proxy = facts->no_proxy,
		.ca_files = facts->ca_files, /* borrowed */
		.ca_dirs = facts->ca_dirs,
		.debug = run->want->debug,
		.walls = is_confined(run),
	};
	int r = pmg_proxy_tell(&run->proxy, facts, err);

	if (r == 0 && is_confined(run))
		r = hand_over(run, err);
	if (r == 0 && !run->result->signal)
		r = pmg_proxy_begin(&run->proxy, &start, err);
	return r;
}

/* Without an index only the block list can refuse anything; whoever wants more has it not run. */
static int check_index(const struct run *run, struct pmg_err *err)
{
	if (run->result->record.index_present ||
	    run->result->config.on_missing != PMG_ON_MISSING_BLOCK)
		return 0;
	(void)pmg_err_set(err, PMG_E_UNSUPPORTED, 0,
			  "no malware index yet, and intel.on_missing is block");
	(void)pmg_err_diag(err, 3007);
	return pmg_err_hint(err, "\"pmg intel import PATH\" adds one");
}

/* Said once it matters: a run that fetched no package needs no index. */
static void note_missing_index(const struct run *run)
{
	const struct pmg_record *record = &run->result->record;

	if (!record->index_present && record->n_packages > 0)
		say(run, PMG_SAY_NOTE,
		    "no malware index yet, only the block list is checked; "
		    "\"pmg intel import PATH\" adds one");
}

/* @return 0, also when we were asked to end meanwhile (result->signal) */
static int await_ready(struct run *run, struct pmg_err *err)
{
	pmg_auto(wire_ready) struct pmg_wire_ready ready = { 0 };
	struct pmg_record *record = &run->result->record;
	size_t i;
	int r = pmg_attend_ready(&run->attend, &ready, err);

	if (r < 0)
		return pmg_err_wrap(err, "pmg-proxy did not start");
	run->result->signal = run->attend.ended_by;
	if (run->result->signal)
		return 0;
	record->index_present = ready.index_present;
	record->index_built = ready.index_built;
	record->index_records = ready.index_records;
	run->result->blocklist = ready.blocklist_entries;
	for (i = 0; i < ready.notes.n; i++)
		pmg_strv_add(&run->notes, ready.notes.v[i]);
	r = pmg_certs_write(&run->folder, ready.ca_pem, run->want->env, err);
	return r < 0 ? r : check_index(run, err);
}

/* The terminal as it is now, to put it back when the tool dies without having done so. */
static void remember_terminal(struct run *run)
{
	int fd;

	for (fd = 0; fd <= 2; fd++)
		if (tcgetattr(fd, &run->terminal) == 0) {
			run->terminal_fd = fd;
			return;
		}
}

static void restore_terminal(const struct run *run)
{
	if (run->terminal_fd >= 0 && tcgetpgrp(run->terminal_fd) == getpgrp())
		(void)tcsetattr(run->terminal_fd, TCSADRAIN, &run->terminal);
}

/* Everything of the tool's environment that does not depend on a started proxy. */
static void make_env(struct run *run)
{
	pmg_autofree char *proxy = pmg_proxy_url(&run->proxy);
	pmg_autofree char *bundle = pmg_path_join(run->folder.path, PMG_OUTER_BUNDLE);
	pmg_autofree char *extra = pmg_path_join(run->folder.path, PMG_CERTS_EXTRA);

	copy_env(run, &run->env);
	if (is_confined(run)) {
		pmg_policy_scrub(run->prepared.policy, &run->env, &run->scrubbed);
		pmg_env_set(&run->env, "TMPDIR", PMG_PREPARE_TMP);
	}
	point(run,
	      &(struct pmg_pointer){
		      .proxy = proxy,
		      .bundle = bundle,
		      .extra = extra,
		      .has_loopback = run->prepared.has_loopback,
		      .has_cafile = run->prepared.facts.has_cafile,
	      },
	      &run->env);
	pmg_env_set(&run->env, "PMG_RUN", run->folder.path);
}

static int start_bare(struct run *run, struct pmg_err *err)
{
	struct pmg_tool tool = { &run->prepared.found, tool_argv(run), &run->env };

	return pmg_tool_start(&tool, &run->signals, &run->attend.tool, err);
}

static int start_confined(struct run *run, struct pmg_err *err)
{
	int r = pmg_sandbox_go(&run->confined.sandbox, err);

	if (r == 0)
		r = pmg_attend_started(&run->attend, err);
	run->result->signal = run->attend.ended_by;
	run->result->confined = r == 0;
	return r;
}

static int start_tool(struct run *run, struct pmg_err *err)
{
	pmg_autofree char *proxy = pmg_proxy_url(&run->proxy);
	int r = pmg_outer_write(&run->folder, proxy, is_confined(run), &run->prepared.facts, err);

	if (r < 0)
		return r;
	remember_terminal(run);
	r = is_confined(run) ? start_confined(run, err) : start_bare(run, err);
	run->result->guarded = r == 0 && !run->result->signal;
	return r;
}

/* A probe builds what the keeper then builds again, and says why it cannot as the keeper does: so
 * it is left out where there is no choice. */
static int pick_driver(const struct run *run, const struct pmg_driver **out, struct pmg_err *err)
{
	const struct pmg_driver *const *all = pmg_driver_all();

	*out = all[0];
	if (!run->want->driver && !all[1])
		return 0;
	if (pmg_driver_pick(run->want->driver, PMG_CAP_FS | PMG_CAP_NET | PMG_CAP_REPORT, out,
			    err) < 0)
		return pmg_err_diag(err, 2107);
	return 0;
}

/* The keeper builds while the proxy reads its certificates. */
static int start_keeper(struct run *run, struct pmg_err *err)
{
	pmg_autofree char *via = pmg_found_via(&run->prepared.found, PMG_CONFINED_TOOL_PID);
	struct pmg_sandbox_want want = {
		.policy = run->prepared.policy,
		.program = run->prepared.found.program,
		.argv = tool_argv(run),
		.cwd = run->prepared.cwd,
		.tmp = run->tmp,
		.run_dir = run->folder.path,
		.proxy_fd = -1,
		.mask = &run->signals.found_mask,
		.debug = run->want->debug,
	};
	size_t i;
	int r;

	for (i = 0; i < run->prepared.folders.n; i++)
		pmg_ahead_make(&run->ahead, run->prepared.folders.v[i]);
	r = pick_driver(run, &want.driver, err);
	if (r < 0)
		return r;
	pmg_env_set(&run->env, "PMG_VIA", via);
	want.envp = pmg_strv_argv(&run->env);
	run->attend.confined = &run->confined;
	return pmg_confined_start(&want, &run->confined, err);
}

static int make_scratch(struct run *run, struct pmg_err *err)
{
	int r = pmg_folder_make_large(run->want->env, &run->scratch, err);

	return r < 0 ? r : pmg_folder_mkdir(&run->scratch, "tmp", &run->tmp, err);
}

/* The manager may have to be asked; when we are asked to end meanwhile, that counts. */
static int make_plan(struct run *run, struct pmg_err *err)
{
	int r = pmg_prepare_plan(run->want, &run->result->config, run->folder.path,
				 run->signals.end_fd, &run->prepared, err);

	run->result->signal = pmg_attend_asked(&run->attend);
	return run->result->signal ? 0 : r;
}

/* Everything up to the tool's start. */
static int start_all(struct run *run, struct pmg_err *err)
{
	int r = pmg_signals_open(&run->signals, err);

	if (r == 0)
		r = pmg_tree_adopt(err);
	if (r == 0)
		r = start_proxy(run, err);
	/* The proxy loads its libraries while we ask the manager. */
	if (r == 0)
		r = make_plan(run, err);
	if (r < 0 || run->result->signal)
		return r;
	make_env(run);
	if (is_confined(run))
		r = make_scratch(run, err);
	if (r == 0 && is_confined(run))
		r = start_keeper(run, err);
	if (r == 0)
		r = tell_proxy(run, err);
	if (r == 0 && !run->result->signal)
		r = await_ready(run, err);
	if (r == 0 && !run->result->signal)
		r = start_tool(run, err);
	return r;
}

static void begin_record(struct run *run, struct pmg_record *record)
{
	char fingerprint[PMG_SHA256_HEX];

	pmg_plan_fingerprint(run->prepared.plan, fingerprint);
	record->fingerprint = pmg_xstrdup(fingerprint);
	record->tool = pmg_xstrdup(run->want->tool);
	record->cwd = pmg_xstrdup(run->prepared.cwd);
	if (run->prepared.policy)
		record->profile = pmg_xstrdup(run->prepared.policy->profile);
	pmg_mask_argv(run->want->argv, &record->argv);
	if (run->prepared.policy)
		pmg_withheld_note(record, run->prepared.policy, &run->scrubbed);
}

static void show_notes(const struct run *run)
{
	const struct pmg_strv *facts = &run->prepared.facts.notes;
	const struct pmg_strv *warnings = &run->prepared.facts.warnings;
	bool wrong = run->result->exit != 0 && run->result->record.n_troubles > 0;
	size_t i;

	for (i = 0; i < warnings->n; i++)
		say(run, PMG_SAY_NOTE, warnings->v[i]);
	for (i = 0; i < facts->n; i++)
		say(run, PMG_SAY_DETAIL, facts->v[i]);
	for (i = 0; i < run->notes.n; i++)
		say(run, wrong ? PMG_SAY_NOTE : PMG_SAY_DETAIL, run->notes.v[i]);
}

/* What the tool's end means for ours: a run in which a package was withheld, or a credential or a
 * place of persistence was touched, never ends with 0. */
static void conclude(struct run *run)
{
	struct pmg_run_result *result = run->result;
	int status = run->attend.status;

	if (WIFSIGNALED(status)) {
		result->signal = WTERMSIG(status);
		result->exit = 128 + result->signal;
	} else {
		result->exit = WEXITSTATUS(status);
		if (result->exit == 0 &&
		    (result->record.n_blocked > 0 || pmg_record_has_sensitive(&result->record)))
			result->exit = PMG_EXIT_WITHHELD;
	}
}

static void keep_learned(const struct run *run, const struct pmg_strv *learned)
{
	pmg_autofree char *path = pmg_path_join(run->prepared.dirs.cache, "artifact-hosts");
	struct pmg_err scratch = PMG_ERR_INIT;

	if (pmg_learned_add(path, learned, &scratch) < 0) /* only saves time: learned again */
		pmg_log_debug("artifact hosts not kept: %s", scratch.msg);
}

/* A record that cannot be written is said, and changes nothing: what was refused stays refused. */
static void write_ledger(struct run *run)
{
	pmg_autofree char *path = pmg_path_join(run->prepared.dirs.state, "ledger.db");
	const struct pmg_config *config = &run->result->config;
	struct pmg_ledger_keep keep = { config->ledger_retention_s, config->ledger_max_size };
	struct pmg_err err = PMG_ERR_INIT;

	if (pmg_record_is_empty(&run->result->record))
		return;
	if (pmg_ledger_write(path, &run->result->record, &keep, &err) < 0) {
		(void)pmg_err_wrap(&err, "this run is not in the ledger");
		say(run, PMG_SAY_FAULT, err.msg);
	}
}

/*
 * Has the proxy told all? When it has not, a refusal may be missing, and the run must not look
 * well; one that was ended by a signal does not.
 */
static int stop_proxy(struct run *run, struct pmg_wire_done *done, struct pmg_err *err)
{
	struct pmg_err late = PMG_ERR_INIT;
	int r = pmg_attend_stop_proxy(&run->attend, done, &late);

	if (r < 0 && WIFSIGNALED(run->attend.status)) {
		say(run, PMG_SAY_FAULT, late.msg);
		return 0;
	}
	if (r < 0)
		*err = late;
	return r;
}

/* The tool has ended, or must. @return 0 or why the run is not one that was guarded to its end */
static int finish(struct run *run, int lost, struct pmg_err *err)
{
	pmg_auto(wire_done) struct pmg_wire_done done = { 0 };
	struct pmg_run_result *result = run->result;
	int r = lost;

	pmg_attend_end_tree(&run->attend);
	if (lost == 0)
		r = stop_proxy(run, &done, err);
	if (WIFSIGNALED(run->attend.status) || lost < 0)
		restore_terminal(run);
	result->requests = done.requests;
	result->bytes = done.bytes;
	result->took_ms = pmg_clock_ms() - run->began_ms;
	if (run->attend.ended)
		conclude(run);
	keep_learned(run, &done.learned);
	result->record.exit = r < 0 ? pmg_code_exit(err->code) : result->exit;
	result->record.ended = pmg_clock_now();
	note_missing_index(run);
	show_notes(run);
	write_ledger(run);
	return r;
}

/* Whoever turned the sandbox off is told so each time: a line in a file is soon forgotten. */
static void note_no_walls(const struct run *run)
{
	if (!is_confined(run))
		say(run, PMG_SAY_NOTE,
		    run->want->no_sandbox
			    ? "no sandbox (--no-sandbox): install scripts can do what you can"
			    : "no sandbox (config.yml): install scripts can do what you can");
}

static int guard(struct run *run, struct pmg_err *err)
{
	struct pmg_record *record = &run->result->record;
	int r;

	note_no_walls(run);
	record->started = pmg_clock_now();
	r = pmg_run_id(record->started, record->id, err);
	if (r == 0)
		r = start_all(run, err);
	if (r < 0 || run->result->signal)
		return r;
	begin_record(run, record);
	r = pmg_attend_tool(&run->attend, err);
	return finish(run, r, err);
}

static void run_init(struct run *run, const struct pmg_run_want *want,
		     struct pmg_run_result *result)
{
	*run = (struct run){
		.want = want,
		.result = result,
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
	pmg_auto(run) struct run run;
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
		r = pmg_prepare_plan(want, &config, NULL, 0, &prepared, err);
	if (r < 0)
		return r;
	*out = pmg_steal_ptr(&prepared.plan);
	return 0;
}
