#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/path.h"
#include "cli/cmd_sandbox.h"
#include "cli/front.h"
#include "cli/subject.h"
#include "conf/dirs.h"
#include "run/question.h"
#include "violation/explain.h"

struct check_opts {
	bool json;
	const char *profile, *role;
	struct pmg_strv asked[PMG_ACCESS_MAX];
};
_Static_assert(sizeof(struct check_opts) == PMG_SANDBOX_CHECK_SIZE, "cmd_sandbox.h says so");

#define ASKED(access) offsetof(struct check_opts, asked[access])

const struct pmg_opt pmg_sandbox_check_opts[] = {
	{ PMG_OPT_LIST, 0, "bind", ASKED(PMG_ACCESS_BIND), 0, "ADDRESS:PORT", "listen there" },
	{ PMG_OPT_LIST, 0, "connect", ASKED(PMG_ACCESS_CONNECT), 0, "HOST:PORT", "connect to it" },
	{ PMG_OPT_LIST, 0, "env", ASKED(PMG_ACCESS_ENV), 0, "NAME", "get that variable" },
	{ PMG_OPT_LIST, 0, "exec", ASKED(PMG_ACCESS_EXEC), 0, "PROGRAM",
	  "start it: a path, or a name on PATH" },
	{ PMG_OPT_FLAG, 0, "json", offsetof(struct check_opts, json), 0, NULL, "print JSON" },
	{ PMG_OPT_TEXT, 0, "profile", offsetof(struct check_opts, profile), 0, "NAME",
	  "the profile, instead of that of the tool" },
	{ PMG_OPT_LIST, 0, "read", ASKED(PMG_ACCESS_READ), 0, "PATH", "read it" },
	{ PMG_OPT_WORD, 0, "role", offsetof(struct check_opts, role), 0, "manager|script",
	  "who asks: the package manager, or what packages bring" },
	{ PMG_OPT_LIST, 0, "unix", ASKED(PMG_ACCESS_UNIX), 0, "SOCKET",
	  "connect to a local socket: its path, or @NAME" },
	{ PMG_OPT_LIST, 0, "write", ASKED(PMG_ACCESS_WRITE), 0, "PATH",
	  "write, make, remove or change it" },
	{ 0 },
};

/* Whose run is meant: what is typed behind, the profile that is named, or what this folder is. */
static int find_subject(const struct pmg_call *call, struct pmg_subject *out, struct pmg_err *err)
{
	const struct pmg_front_settings *settings = call->settings;
	const struct check_opts *opts = call->opts;
	const char *profile = opts->profile ? opts->profile : settings->profile;
	pmg_auto(dirs) struct pmg_dirs dirs = { 0 };
	pmg_autofree char *cwd = NULL;
	int r = 0;

	pmg_front_environment(&out->env);
	if (call->n_operands > 0) {
		pmg_subject_tool(call->operands[0], out);
		out->want.argv = call->operands;
		out->want.profile = profile;
	} else if (profile) {
		r = pmg_subject_profile(profile, out, err);
	} else {
		r = pmg_dirs_find(&out->env, &dirs, err);
		cwd = pmg_path_real(".");
		if (r == 0)
			pmg_subject_tool(pmg_question_tool(cwd ? cwd : "/", dirs.home), out);
	}
	out->want.allows = &settings->allows;
	return r;
}

static const char *role_name(enum pmg_role role)
{
	return role == PMG_ROLE_MANAGER ? "manager" : "script";
}

static struct json_t *reply_json(const struct pmg_question *question, const struct pmg_reply *reply)
{
	struct json_t *json = pmg_json_object();
	const struct pmg_event *event = &reply->event;
	pmg_autofree char *command = reply->allowed ? NULL : pmg_explain_command(event);
	char code[PMG_DIAG_LEN];

	pmg_diag_text(event->code, code);
	pmg_json_set_str(json, "access", pmg_access_name(question->access));
	pmg_json_set_str(json, "role", role_name(question->role));
	pmg_json_set_str(json, "asked", question->text);
	pmg_json_set_str(json, "target", event->target);
	pmg_json_set_bool(json, "allowed", reply->allowed);
	if (event->code)
		pmg_json_set_str(json, "code", code);
	pmg_json_set_str(json, "rule", event->rule);
	pmg_json_set_str(json, "layer", event->layer);
	pmg_json_set_str(json, "source", event->source);
	pmg_json_set_bool(json, "sensitive", event->sensitive);
	pmg_json_set_str(json, "allow", event->allow);
	pmg_json_set_str(json, "command", command);
	pmg_json_set_str(json, "note", reply->note);
	return json;
}

static void print_reply(const struct pmg_question *question, const struct pmg_reply *reply,
			const struct pmg_out *out)
{
	const struct pmg_event *event = &reply->event;
	pmg_autofree char *target = pmg_out_quote(event->target);
	pmg_autofree char *rule = pmg_out_quote(event->rule);
	pmg_autofree char *source = pmg_out_quote(event->source);
	pmg_autofree char *note = pmg_out_quote(reply->note);
	pmg_autofree char *command = reply->allowed ? NULL : pmg_explain_command(event);
	pmg_autofree char *safe = pmg_out_quote(command);
	char code[PMG_DIAG_LEN];

	pmg_diag_text(event->code, code);
	/* A socket's target begins with the name of the access. */
	(void)fprintf(out->to, "%s%s%s: %s",
		      question->access == PMG_ACCESS_UNIX ? "" : pmg_access_name(question->access),
		      question->access == PMG_ACCESS_UNIX ? "" : " ", target,
		      reply->allowed ? "allowed" : "denied");
	if (event->code)
		(void)fprintf(out->to, " [%s]", code);
	if (event->rule)
		(void)fprintf(out->to, " by %s (%s: %s)", rule, event->layer, source);
	else if (!reply->allowed)
		(void)fprintf(out->to, ": no rule allows it");
	(void)fprintf(out->to, "\n");
	if (*note)
		(void)fprintf(out->to, "  %s\n", note);
	if (command)
		(void)fprintf(out->to, "  this would allow it: %s\n", safe);
}

/* @return how many are refused, or an error */
static int ask_all(const struct pmg_call *call, const struct pmg_prepared *prepared,
		   const struct pmg_strv *env, enum pmg_role role, struct pmg_err *err)
{
	const struct check_opts *opts = call->opts;
	pmg_auto(json) struct json_t *list = pmg_json_array();
	size_t access, i;
	int refused = 0;

	for (access = 0; access < PMG_ACCESS_MAX; access++) {
		for (i = 0; i < opts->asked[access].n; i++) {
			struct pmg_question question = { .access = (enum pmg_access)access,
							 .role = role,
							 .text = opts->asked[access].v[i] };
			pmg_auto(reply) struct pmg_reply reply = { 0 };
			int r = pmg_question_ask(prepared, env, &question, &reply, err);

			if (r < 0)
				return r;
			pmg_event_clean(&reply.event);
			refused += !reply.allowed;
			if (opts->json)
				pmg_json_add(list, reply_json(&question, &reply));
			else
				print_reply(&question, &reply, call->out);
		}
	}
	if (opts->json)
		pmg_out_json(call->out, list);
	return refused;
}

static int check_call(const struct pmg_call *call, struct pmg_err *err)
{
	const struct pmg_front_settings *settings = call->settings;
	const struct check_opts *opts = call->opts;
	size_t access, n = 0;

	for (access = 0; access < PMG_ACCESS_MAX; access++)
		n += opts->asked[access].n;
	if (n == 0) {
		(void)pmg_err_set(err, PMG_E_USAGE, 0, "nothing is asked");
		return pmg_err_hint(err,
				    "as \"pmg sandbox check --read PATH --connect HOST:PORT\"");
	}
	if (settings->no_sandbox)
		return pmg_err_set(err, PMG_E_USAGE, 0, "with --no-sandbox there are no walls");
	return 0;
}

/* A command is itself what a manager's scripts are; only managers have some of their own. */
static enum pmg_role role_of(const struct check_opts *opts, const struct pmg_subject *subject)
{
	bool manager = opts->role ? strcmp(opts->role, "manager") == 0 : subject->want.command;

	return manager ? PMG_ROLE_MANAGER : PMG_ROLE_SCRIPT;
}

int pmg_cmd_sandbox_check(const struct pmg_call *call, struct pmg_err *err)
{
	const struct pmg_front_settings *settings = call->settings;
	const struct check_opts *opts = call->opts;
	pmg_auto(subject) struct pmg_subject subject = { 0 };
	pmg_auto(prepared) struct pmg_prepared prepared = { 0 };
	size_t i;
	int r = check_call(call, err);

	if (r == 0)
		r = find_subject(call, &subject, err);
	if (r == 0)
		r = pmg_question_prepare(&subject.want, opts->asked[PMG_ACCESS_CONNECT].n > 0,
					 &prepared, err);
	if (r < 0)
		return r;
	if (!settings->common.quiet)
		for (i = 0; i < prepared.policy->notes.n; i++)
			pmg_out_note(call->out, "%s", prepared.policy->notes.v[i]);
	if (!prepared.walls)
		pmg_out_note(call->out,
			     "config.yml switches the walls off for %s: a run of it is "
			     "refused nothing",
			     pmg_subject_manager(&subject));
	r = ask_all(call, &prepared, &subject.env, role_of(opts, &subject), err);
	return r > 0 ? 1 : r;
}
