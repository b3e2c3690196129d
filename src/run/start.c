#include "run/run_priv.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/env.h"
#include "base/path.h"
#include "pm/point.h"
#include "policy/build.h"
#include "policy/scrub.h"
#include "run/certs.h"
#include "run/outer.h"
#include "run/self.h"
#include "run/tool.h"
#include "run/tree.h"
#include "sandbox/lockdown.h"

void pmg_running_say(const struct pmg_running *run, enum pmg_say kind, const char *line)
{
	run->want->say(run->want->arg, kind, line);
}

bool pmg_running_is_confined(const struct pmg_running *run)
{
	return run->prepared.walls;
}

char *const *pmg_running_argv(struct pmg_running *run)
{
	struct pmg_strv *cleaned = &run->prepared.facts.argv;

	return cleaned->n > 0 ? pmg_strv_argv(cleaned) : run->want->argv;
}

void pmg_running_point(const struct pmg_running *run, const struct pmg_pointer *to,
		       struct pmg_strv *env)
{
	if (run->prepared.pm)
		run->prepared.pm->point(env, to);
	else
		pmg_point(env, to);
}

void pmg_running_copy_env(const struct pmg_running *run, struct pmg_strv *out)
{
	if (run->want->env->n > 0)
		pmg_strv_extend(out, run->want->env->v);
}

static int start_proxy(struct pmg_running *run, struct pmg_err *err)
{
	pmg_autofree char *program = NULL;
	pmg_autofd int bundle = -1;
	int r = pmg_self_helper("pmg-proxy", &program, err);

	if (r == 0)
		r = pmg_folder_make(run->want->env, &run->folder, err);
	if (r < 0)
		return r;
	pmg_sweeper_add(&run->sweeper, PMG_SWEEPER_FOLDER, run->folder.path);
	bundle = pmg_folder_create(&run->folder, PMG_OUTER_BUNDLE, err);
	if (bundle < 0)
		return bundle;
	return pmg_proxy_start(program, bundle,
			       pmg_running_is_confined(run) ? PMG_SANDBOX_PROXY_PORT : 0,
			       run->want->debug, &run->proxy, err);
}

/* Keeper's listeners go to the proxy; what the keeper could not build ends the run here. */
static int hand_over(struct pmg_running *run, struct pmg_err *err)
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

static int tell_proxy(struct pmg_running *run, struct pmg_err *err)
{
	const struct pmg_facts *facts = &run->prepared.facts;
	const struct pmg_dirs *dirs = &run->prepared.dirs;
	const struct pmg_config_inspection *inspection = &run->result->config.inspection;
	pmg_autofree char *index = pmg_path_join(dirs->state, "intel.db");
	pmg_autofree char *blocklist = pmg_path_join(dirs->config, "blocklist.yml");
	pmg_autofree char *cache = pmg_path_join(dirs->cache, "artifact-hosts");
	pmg_autofree char *dates = pmg_path_join(dirs->cache, "dates");
	pmg_autofree char *contents = pmg_path_join(dirs->cache, "contents");
	struct pmg_wire_start start = {
		.token = run->proxy.token,
		.index_path = index,
		.blocklist_path = blocklist,
		.managed_path = run->prepared.bounds.managed.config.path, /* borrowed */
		.cache_path = access(cache, R_OK) == 0 ? cache : NULL,
		.dates_path = access(dates, R_OK) == 0 ? dates : NULL,
		.contents_path = access(contents, R_OK) == 0 ? contents : NULL,
		.https_proxy = facts->https_proxy,
		.http_proxy = facts->http_proxy,
		.no_proxy = facts->no_proxy,
		.ca_files = facts->ca_files, /* borrowed */
		.ca_dirs = facts->ca_dirs,
		.debug = run->want->debug,
		.walls = pmg_running_is_confined(run),
		.inspect = inspection->enabled,
	};
	int r = pmg_proxy_tell(&run->proxy, facts, err);

	pmg_config_inspection_names(inspection->block, &start.inspect_block);
	pmg_config_inspection_names(inspection->report, &start.inspect_report);
	if (r == 0)
		r = pmg_proxy_tell_packages(&run->proxy, &run->result->config.packages, err);
	if (r == 0 && pmg_running_is_confined(run))
		r = hand_over(run, err);
	if (r == 0 && !run->result->signal)
		r = pmg_proxy_begin(&run->proxy, &start, err);
	pmg_strv_done(&start.inspect_block);
	pmg_strv_done(&start.inspect_report);
	return r;
}

/* @return 0, also when we were asked to end meanwhile (result->signal) */
static int await_ready(struct pmg_running *run, struct pmg_err *err)
{
	pmg_auto(wire_ready) struct pmg_wire_ready ready = { 0 };
	struct pmg_record *record = &run->result->record;
	size_t i;
	int r = pmg_attend_ready(&run->attend, &ready, err);

	if (r < 0)
		return run->confined.failed ? r : pmg_err_wrap(err, "pmg-proxy did not start");
	run->result->signal = run->attend.ended_by;
	if (run->result->signal)
		return 0;
	record->index_present = ready.index_present;
	record->index_built = ready.index_built;
	record->index_checked = ready.index_checked;
	record->index_records = ready.index_records;
	run->result->blocklist = ready.blocklist_entries;
	for (i = 0; i < ready.notes.n; i++)
		pmg_strv_add(&run->notes, ready.notes.v[i]);
	r = pmg_certs_write(&run->folder, ready.ca_pem, run->want->env, err);
	if (r < 0)
		return r;
	r = pmg_run_index_check(&run->result->config, &run->prepared.bounds.managed, run->want->env,
				&ready, &run->result->index, err);
	record->index_state = pmg_xstrdup(pmg_index_state_name(run->result->index.state));
	return r;
}

/* The terminal as it is now, to put it back when the tool dies without having done so. */
static void remember_terminal(struct pmg_running *run)
{
	int fd;

	for (fd = 0; fd <= 2; fd++)
		if (tcgetattr(fd, &run->terminal) == 0) {
			run->terminal_fd = fd;
			return;
		}
}

/* Everything of the tool's environment that does not depend on a started proxy. */
static void make_env(struct pmg_running *run)
{
	pmg_autofree char *proxy = pmg_proxy_url(&run->proxy);
	pmg_autofree char *bundle = pmg_path_join(run->folder.path, PMG_OUTER_BUNDLE);
	pmg_autofree char *extra = pmg_path_join(run->folder.path, PMG_CERTS_EXTRA);

	pmg_running_copy_env(run, &run->env);
	if (pmg_running_is_confined(run)) {
		pmg_policy_scrub(run->prepared.policy, &run->env, &run->scrubbed);
		pmg_env_set(&run->env, "TMPDIR", pmg_prepared_tmp(&run->prepared));
		/* Else "git status" would try to refresh an index that it may not write. */
		pmg_env_set(&run->env, "GIT_OPTIONAL_LOCKS", "0");
	} else {
		pmg_scrub_pointers(&run->env, &run->scrubbed);
	}
	pmg_running_point(run,
			  &(struct pmg_pointer){
				  .proxy = proxy,
				  .bundle = bundle,
				  .extra = extra,
				  .has_loopback = run->prepared.has_loopback,
				  .has_cafile = run->prepared.facts.has_cafile,
				  .is_naming = pmg_point_is_naming(run->want->argv),
				  .proxy_variables = &run->prepared.facts.proxy_variables,
				  .bundle_variables = &run->prepared.facts.bundle_variables,
			  },
			  &run->env);
	pmg_env_set(&run->env, "PMG_RUN", run->folder.path);
}

static int start_bare(struct pmg_running *run, struct pmg_err *err)
{
	struct pmg_tool tool = { &run->prepared.found, pmg_running_argv(run), &run->env };

	return pmg_tool_start(&tool, &run->signals, &run->attend.tool, err);
}

/* The tool is not started before this holds. */
static int check_lockdown(const struct pmg_running *run, struct pmg_err *err)
{
	pmg_autofree char *proxy = pmg_proxy_url(&run->proxy);

	return pmg_lockdown_check(run->prepared.policy, run->driver, proxy, run->proxy.fd, err);
}

static int start_confined(struct pmg_running *run, struct pmg_err *err)
{
	int r = check_lockdown(run, err);

	if (r == 0)
		r = pmg_sandbox_go(&run->confined.sandbox, err);
	if (r == 0)
		r = pmg_attend_started(&run->attend, err);
	run->result->signal = run->attend.ended_by;
	run->result->confined = r == 0;
	return r;
}

static int start_tool(struct pmg_running *run, struct pmg_err *err)
{
	pmg_autofree char *proxy = pmg_proxy_url(&run->proxy);
	int r = pmg_outer_write(&run->folder, proxy, pmg_running_is_confined(run),
				&run->prepared.facts, err);

	if (r < 0)
		return r;
	remember_terminal(run);
	r = pmg_running_is_confined(run) ? start_confined(run, err) : start_bare(run, err);
	run->result->guarded = r == 0 && !run->result->signal;
	return r;
}

#define ALL_CAPS (PMG_CAP_FS | PMG_CAP_NET | PMG_CAP_REPORT)

/* A probe builds what the keeper then builds again, and says why it cannot as the keeper does: so
 * it is left out where there is no choice. */
static int pick_driver(const struct pmg_running *run, const struct pmg_driver **out,
		       struct pmg_err *err)
{
	const struct pmg_driver *const *all = pmg_driver_all();

	*out = all[0];
	if (!run->want->driver && !all[1])
		return 0;
	if (pmg_driver_pick(run->want->driver, ALL_CAPS, out, err) == 0)
		return 0;
	return err->code == PMG_E_UNSUPPORTED ? pmg_err_diag(err, 2107) : -(int)err->code;
}

/* Nothing was started. Where the probe, which tries each part of the walls by itself, misses one,
 * it says more than the step that failed for the lack of it, which may be pmg-proxy's: that
 * confines itself too. */
static int no_walls(const struct pmg_running *run, struct pmg_err *err)
{
	const struct pmg_driver *driver;
	struct pmg_err why = PMG_ERR_INIT;

	if (err->code != PMG_E_SYS && err->code != PMG_E_UNSUPPORTED && err->code != PMG_E_PEER)
		return -(int)err->code;
	if (pmg_driver_pick(run->want->driver, ALL_CAPS, &driver, &why) == -PMG_E_UNSUPPORTED)
		*err = why;
	else if (!run->confined.failed)
		return -(int)err->code;
	else if (err->code == PMG_E_SYS)
		err->code = PMG_E_UNSUPPORTED;
	if (err->code != PMG_E_UNSUPPORTED)
		return -(int)err->code;
	if (!err->hint[0])
		(void)pmg_err_hint(err,
				   "\"pmg sandbox doctor\" tries what this machine can enforce");
	return pmg_err_diag(err, 2107);
}

static void make_one_ahead(struct pmg_running *run,
			   void (*make)(struct pmg_ahead *ahead, const char *path),
			   const char *path)
{
	size_t told = run->ahead.made.n;

	make(&run->ahead, path);
	for (; told < run->ahead.made.n; told++)
		pmg_sweeper_add(&run->sweeper, PMG_SWEEPER_AHEAD, run->ahead.made.v[told]);
}

static void make_ahead(struct pmg_running *run)
{
	size_t i;

	for (i = 0; i < run->prepared.folders.n; i++)
		make_one_ahead(run, pmg_ahead_make, run->prepared.folders.v[i]);
	for (i = 0; i < run->prepared.files.n; i++)
		make_one_ahead(run, pmg_ahead_make_file, run->prepared.files.v[i]);
}

/* The keeper builds while the proxy reads its certificates. */
static int start_keeper(struct pmg_running *run, struct pmg_err *err)
{
	pmg_autofree char *proxy = pmg_proxy_url(&run->proxy);
	pmg_autofree char *via = pmg_found_via(&run->prepared.found, PMG_CONFINED_TOOL_PID);
	struct pmg_sandbox_want want = {
		.policy = run->prepared.policy,
		.program = run->prepared.found.program,
		.argv = pmg_running_argv(run),
		.cwd = run->prepared.cwd,
		.tmp = run->tmp,
		.run_dir = run->folder.path,
		.proxy = proxy,
		.proxy_fd = -1,
		.mask = &run->signals.found_mask,
		.debug = run->want->debug,
	};
	int r;

	make_ahead(run);
	r = pick_driver(run, &run->driver, err);
	if (r == 0)
		r = pmg_lockdown_can(want.policy, run->driver, err);
	if (r < 0)
		return r;
	want.driver = run->driver;
	pmg_env_set(&run->env, "PMG_VIA", via);
	want.envp = pmg_strv_argv(&run->env);
	run->attend.confined = &run->confined;
	return pmg_confined_start(&want, &run->confined, err);
}

static int make_scratch(struct pmg_running *run, struct pmg_err *err)
{
	pmg_autofree char *below = NULL;
	int r = pmg_folder_make_large(run->want->env, &run->scratch, err);

	if (r < 0)
		return r;
	pmg_sweeper_add(&run->sweeper, PMG_SWEEPER_FOLDER, run->scratch.path);
	r = pmg_folder_mkdir(&run->scratch, "tmp", &run->tmp, err);
	if (r == 0 && run->prepared.tmp_shared)
		r = pmg_folder_mkdir(&run->scratch, "tmp/" PMG_PREPARE_TMP_BELOW, &below, err);
	return r;
}

/* Entries of the user's files that came to nothing: less is allowed than they think. */
static void say_left_out(const struct pmg_running *run)
{
	const struct pmg_policy *policy = run->prepared.policy;
	size_t i;

	for (i = 0; policy && i < policy->notes.n; i++)
		pmg_running_say(run, PMG_SAY_NOTE, policy->notes.v[i]);
}

/* The manager may have to be asked; when we are asked to end meanwhile, that counts. */
static int learn(struct pmg_running *run, struct pmg_err *err)
{
	int r = pmg_prepare_facts(run->want, &run->result->config, run->folder.path,
				  run->signals.end_fd, &run->prepared, err);

	run->result->signal = pmg_attend_asked(&run->attend);
	if (r == 0)
		say_left_out(run);
	return run->result->signal ? 0 : r;
}

/* Everything up to the tool's start. */
int pmg_running_start(struct pmg_running *run, struct pmg_err *err)
{
	int r = pmg_signals_open(&run->signals, err);

	if (r == 0)
		r = pmg_tree_adopt(err);
	if (r == 0)
		r = pmg_sweeper_start(&run->sweeper, err);
	run->attend.sweeper = run->sweeper.pid;
	if (r == 0)
		r = start_proxy(run, err);
	/* The proxy loads its libraries while we ask the manager. */
	if (r == 0)
		r = learn(run, err);
	if (r < 0 || run->result->signal)
		return r;
	make_env(run);
	if (pmg_running_is_confined(run))
		r = make_scratch(run, err);
	if (r == 0 && pmg_running_is_confined(run))
		r = start_keeper(run, err);
	/* So it does while we read lockfiles. */
	if (r == 0)
		r = pmg_pins_read(run, err);
	if (r == 0)
		r = tell_proxy(run, err);
	if (r == 0 && !run->result->signal)
		r = await_ready(run, err);
	if (r == 0 && !run->result->signal)
		r = pmg_pins_before(run, &run->refused, err);
	if (r == 0 && !run->result->signal && !run->refused)
		r = start_tool(run, err);
	return r < 0 && pmg_running_is_confined(run) ? no_walls(run, err) : r;
}
