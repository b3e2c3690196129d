#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/env.h"
#include "base/mem.h"
#include "base/path.h"
#include "cli/front.h"
#include "cli/report.h"
#include "cli/summary.h"
#include "conf/dirs.h"
#include "run/run.h"
#include "run/signals.h"
#include "violation/event.h"

/* How much is said, and where. */
struct voice {
	const struct pmg_front_settings *settings;
	const struct pmg_run_result *result;
	const struct pmg_out *out;
};

bool pmg_front_says(const struct pmg_cmd_settings *settings, const struct pmg_config *config,
		    enum pmg_say kind)
{
	static const int least[] = {
		[PMG_SAY_FAULT] = PMG_VERBOSITY_SILENT,
		[PMG_SAY_NOTE] = PMG_VERBOSITY_NORMAL,
		[PMG_SAY_DETAIL] = PMG_VERBOSITY_VERBOSE,
	};
	int verbosity = config->verbosity;

	if (settings->quiet)
		verbosity = config->least_verbosity;
	if (settings->verbose)
		verbosity = PMG_VERBOSITY_VERBOSE;
	return verbosity >= least[kind];
}

static void say(void *arg, enum pmg_say kind, const char *line)
{
	const struct voice *voice = arg;
	pmg_autofree char *safe = pmg_out_quote(line);

	if (pmg_front_says(&voice->settings->common, &voice->result->config, kind))
		pmg_out_note(voice->out, "%s", safe);
}

static int show_plan(const struct pmg_run_want *want, bool whole, struct pmg_out *out,
		     struct pmg_err *err)
{
	pmg_auto(plan) struct pmg_plan *plan = NULL;
	pmg_autofree char *text = NULL;
	int r = pmg_run_plan(want, &plan, err);

	if (r < 0)
		return r;
	text = plan && whole ? pmg_plan_text(plan)
	       : plan        ? pmg_plan_brief(plan)
			     : pmg_xasprintf(
				       "%s neither fetches packages nor runs their code: it would be "
					      "run as it is\n",
				       want->tool);
	(void)fputs(text, out->to); /* pmg_out_finish() checks */
	return 0;
}

/* Whether it is there or not: it is where an entry is to be written. */
static char *path_of_config(const struct pmg_strv *env)
{
	pmg_auto(dirs) struct pmg_dirs dirs = { 0 };
	struct pmg_err scratch = PMG_ERR_INIT;

	if (pmg_dirs_find(env, &dirs, &scratch) < 0)
		return pmg_xstrdup("config.yml");
	return pmg_path_join(dirs.config, "config.yml");
}

static void tell(const struct pmg_front_settings *settings, const struct pmg_out *out,
		 const struct pmg_run_result *result, const struct pmg_strv *env, bool failed)
{
	pmg_autofree char *config_path = path_of_config(env);
	const struct pmg_record *record = &result->record;
	const char *advice = result->config.advisory_message;
	const struct pmg_config *config = &result->config;
	const struct pmg_summary_how how = {
		failed || result->exit != 0,
		pmg_front_says(&settings->common, config, PMG_SAY_NOTE),
		pmg_front_says(&settings->common, config, PMG_SAY_DETAIL),
		settings->command,
		result->asks,
		config_path,
	};

	pmg_summary_refusals(out, record, &how);
	if (record->n_blocked > 0 && advice && *advice) {
		pmg_autofree char *safe = pmg_out_quote(advice);

		pmg_out_note(out, "%s", safe);
	}
	pmg_summary_withheld(out, record, &how);
	pmg_summary_waivers(out, record);
	pmg_summary_denied(out, record, &how);
	if (how.failed)
		pmg_summary_troubles(out, record);
	if (result->guarded && how.details)
		pmg_summary_details(out, result);
}

/* As a shell says it of a program: 127 not there, 126 there and not to be run. */
static int not_run(const struct pmg_out *out, const struct pmg_err *err)
{
	pmg_out_error(out, err);
	return err->errnum == ENOENT ? PMG_EXIT_NOT_FOUND : PMG_EXIT_NOT_EXECUTABLE;
}

/* Variables that were taken away are no attempt at anything. */
static bool was_refused(const struct pmg_record *record)
{
	size_t i;

	for (i = 0; i < record->events.n; i++)
		if (record->events.v[i].op != PMG_EVENT_ENV)
			return true;
	return false;
}

int pmg_front_run(const struct pmg_front_settings *settings, struct pmg_out *out, char *const *argv,
		  struct pmg_err *err)
{
	pmg_auto(strv) struct pmg_strv env = { 0 };
	pmg_auto(run_result) struct pmg_run_result result = { 0 };
	struct voice voice = { settings, &result, out };
	struct pmg_run_want want = {
		.tool = argv[0],
		.argv = argv,
		.env = &env,
		.debug = settings->common.debug,
		.no_sandbox = settings->no_sandbox,
		.report = settings->report != NULL,
		.command = settings->command,
		.profile = settings->profile,
		.skip_cooldown = settings->skip_cooldown,
		.min_age = settings->min_age,
		.as_of = settings->as_of,
		.allows = &settings->allows,
		.say = say,
		.arg = &voice,
	};
	pmg_auto(report) struct pmg_report report = PMG_REPORT_INIT;
	struct pmg_err report_err = PMG_ERR_INIT;
	int r, status;

	pmg_front_environment(&env);
	want.driver = settings->driver ? settings->driver : pmg_env_get(&env, "PMG_SANDBOX_DRIVER");
	want.driver_is_env = !settings->driver;
	if (settings->dry_run)
		return show_plan(&want, settings->common.verbose, out, err);
	if (settings->report && pmg_report_open(settings->report, &report, err) < 0)
		return -(int)err->code;
	out->to = NULL; /* the tool's from here on */
	r = pmg_run(&want, &result, err);
	tell(settings, out, &result, &env, r < 0);
	status = result.exit;
	if (status == 0 && settings->fail_on_violation && was_refused(&result.record))
		status = PMG_EXIT_WITHHELD;
	if (result.guarded && settings->report &&
	    pmg_report_write(&report, &result.record, &report_err) < 0) {
		pmg_out_error(out, &report_err);
		status = status ? status : pmg_code_exit(report_err.code);
	}
	if (r == -PMG_E_NOTFOUND && err->errnum)
		return not_run(out, err);
	if (r < 0)
		return r;
	if (result.signal)
		pmg_signals_die(result.signal);
	return status;
}
