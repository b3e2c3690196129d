#include "run/question.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/path.h"
#include "base/program.h"
#include "base/str.h"
#include "policy/host.h"
#include "policy/scrub.h"
#include "run/target.h"
#include "sandbox/driver.h"
#include "sandbox/judge.h"
#include "sandbox/lockdown.h"

#define NESTED_MAX 5U /* interpreters that are scripts themselves, as the kernel has it */
#define HTTPS      443U

static const enum pmg_event_op ops[] = {
	[PMG_ACCESS_READ] = PMG_EVENT_READ, [PMG_ACCESS_WRITE] = PMG_EVENT_WRITE,
	[PMG_ACCESS_EXEC] = PMG_EVENT_EXEC, [PMG_ACCESS_CONNECT] = PMG_EVENT_CONNECT,
	[PMG_ACCESS_BIND] = PMG_EVENT_BIND, [PMG_ACCESS_UNIX] = PMG_EVENT_UNIX,
	[PMG_ACCESS_ENV] = PMG_EVENT_ENV,
};
_Static_assert(PMG_ARRAY_LEN(ops) == PMG_ACCESS_MAX, "an operation for each");

void pmg_reply_done(struct pmg_reply *reply)
{
	pmg_event_done(&reply->event);
	free(reply->note);
	*reply = (struct pmg_reply){ 0 };
}

/* One question being answered. */
struct asking {
	const struct pmg_prepared *prepared;
	const struct pmg_policy *policy;
	const struct pmg_strv *env;
	const struct pmg_question *question;
	struct pmg_reply *reply;
};

static void set_note(struct asking *a, const char *note)
{
	free(a->reply->note);
	a->reply->note = pmg_xstrdup(note);
}

static void set_rule(struct asking *a, const struct pmg_policy_rule *rule)
{
	struct pmg_event *event = &a->reply->event;

	free(pmg_steal_ptr(&event->rule));
	free(pmg_steal_ptr(&event->layer));
	free(pmg_steal_ptr(&event->source));
	if (!rule)
		return;
	event->rule = pmg_xstrdup(rule->text);
	event->layer = pmg_xstrdup(pmg_layer_name(rule->layer));
	event->source = pmg_xstrdup(rule->source);
}

static void set_target(struct asking *a, const char *target)
{
	free(a->reply->event.target);
	a->reply->event.target = pmg_xstrdup(target);
}

static void allow(struct asking *a, const struct pmg_policy_rule *rule)
{
	a->reply->allowed = true;
	set_rule(a, rule);
}

/* After set_target(). @param word  of --sandbox-allow; NULL: no rule opens it */
static void refuse(struct asking *a, int code, const struct pmg_policy_rule *rule, const char *word)
{
	struct pmg_event *event = &a->reply->event;

	a->reply->allowed = false;
	set_rule(a, rule);
	event->code = code;
	event->sensitive = rule && rule->sensitive;
	event->allow = pmg_judge_allowance(event->op, word, rule, event->target, false);
}

static void refuse_by(struct asking *a, const struct pmg_policy_rule *rule)
{
	enum pmg_event_op op = a->reply->event.op;

	refuse(a, pmg_judge_code(op), rule, pmg_judge_word(op));
}

/* Of the run's own /tmp: what is there now is not in it. */
static bool is_private(const struct asking *a, const char *path)
{
	const char *const places[] = { a->policy->project, a->policy->cwd, a->policy->home };
	size_t i;

	if (!pmg_path_is_under(path, "/tmp") && !pmg_path_is_under(path, "/var/tmp"))
		return false;
	for (i = 0; i < PMG_ARRAY_LEN(places); i++)
		if (places[i] && pmg_path_is_under(path, places[i]))
			return false;
	return true;
}

/* As report.c judges an object. */
static void judge_file(struct asking *a, const char *path, const struct stat *st)
{
	enum pmg_access access = a->question->access;
	enum pmg_role role = a->question->role;
	enum pmg_judge_link link = pmg_judge_link(a->policy, st);
	struct pmg_decision decision;

	set_target(a, path);
	if (link == PMG_JUDGE_LINK_MANAGERS && role != PMG_ROLE_SCRIPT)
		link = PMG_JUDGE_LINK_NONE;
	if (pmg_judge_is_process(access, path)) {
		refuse(a, 2015, NULL, NULL);
		return;
	}
	decision = pmg_policy_ask(a->policy, access, role, path);
	if (link == PMG_JUDGE_LINK_SECRET || (link != PMG_JUDGE_LINK_NONE && decision.allowed)) {
		refuse_by(a, NULL);
		free(pmg_steal_ptr(&a->reply->event.allow));
		a->reply->event.sensitive = true;
		set_note(a, "it has more names than one, and another one stays closed");
	} else if (!decision.allowed) {
		refuse_by(a, decision.rule);
	} else if (pmg_judge_is_roots(&decision, access, role, path, st)) {
		refuse_by(a, NULL);
		set_note(a, "in a run of root what not everybody may read in /etc stays closed");
	} else {
		allow(a, decision.rule);
	}
	if (a->reply->allowed && access == PMG_ACCESS_WRITE &&
	    !pmg_policy_can_name(a->policy, path))
		set_note(a, "as it is there: to make, remove or replace it takes a rule that names "
			    "just it, for its folder is not open");
	if (is_private(a, path))
		set_note(a, "a run has a /tmp of its own, empty when it begins");
}

static int find_target(struct asking *a, const char *path, char **target, struct stat *st,
		       struct pmg_err *err)
{
	*target = pmg_target_find(a->policy, a->prepared->cwd, path, st);
	return *target ? 0 : pmg_err_set(err, PMG_E_USAGE, errno, "%s", path);
}

static int ask_file(struct asking *a, struct pmg_err *err)
{
	pmg_autofree char *target = NULL;
	struct stat st;
	int r = find_target(a, a->question->text, &target, &st, err);

	if (r == 0)
		judge_file(a, target, &st);
	return r;
}

/* The kernel loads it as part of the program, without asking the broker: Landlock's folders say. */
static bool can_load(const struct pmg_policy *policy, const char *loader)
{
	pmg_auto(subtrees) struct pmg_subtrees subtrees = { 0 };
	pmg_autofree char *real = pmg_path_real(loader);
	size_t i;

	if (!real)
		return true; /* it is the kernel that will not find it */
	pmg_policy_subtrees(policy, &subtrees);
	for (i = 0; i < subtrees.n; i++)
		if (subtrees.v[i].exec && pmg_path_is_under(real, subtrees.v[i].path))
			return true;
	return false;
}

static void judge_loader(struct asking *a, const char *loader)
{
	if (can_load(a->policy, loader))
		return;
	set_target(a, loader);
	refuse_by(a, NULL);
	set_note(a, "the program's own loader may not be started");
}

/* The program, and then what runs it. */
static int judge_program(struct asking *a, const char *path, unsigned depth, struct pmg_err *err)
{
	pmg_autofree char *target = NULL;
	pmg_autofree char *runner = NULL;
	enum pmg_program_kind kind;
	struct stat st;
	int r = find_target(a, path, &target, &st, err);

	if (r < 0)
		return r;
	judge_file(a, target, &st);
	if (!a->reply->allowed)
		return 0;
	if (!S_ISREG(st.st_mode) || access(target, X_OK) < 0) {
		set_note(a, "there is no program there now");
		return 0;
	}
	kind = pmg_program_look(target, &runner);
	if (kind == PMG_PROGRAM_ELF && runner) {
		judge_loader(a, runner);
	} else if (kind == PMG_PROGRAM_SCRIPT && depth < NESTED_MAX) {
		struct pmg_event whole = a->reply->event;

		a->reply->event = (struct pmg_event){ .op = PMG_EVENT_EXEC };
		r = judge_program(a, runner, depth + 1, err);
		if (r == 0 && !a->reply->allowed) { /* the reason is what was found last */
			pmg_event_done(&whole);
			return 0;
		}
		pmg_event_done(&a->reply->event);
		a->reply->event = whole;
	}
	return r;
}

static int ask_exec(struct asking *a, struct pmg_err *err)
{
	const char *text = a->question->text;
	pmg_autofree char *found = NULL;

	if (strchr(text, '/'))
		return judge_program(a, text, 0, err);
	found = pmg_env_search(a->env, text);
	if (found)
		return judge_program(a, found, 0, err);
	set_target(a, text);
	refuse(a, 0, NULL, NULL);
	set_note(a, "there is no such program on PATH");
	return 0;
}

static bool is_at(const struct pmg_url *url, const char *host, uint16_t port)
{
	return url->port == port && strcmp(url->host, host) == 0;
}

/* Does the tool have packages from there? Then the word "registry" speaks of it. */
static bool is_registry(const struct pmg_facts *facts, const char *host, uint16_t port)
{
	size_t i;

	for (i = 0; i < facts->n_registries; i++)
		if (is_at(&facts->registries[i].base, host, port))
			return true;
	for (i = 0; i < facts->n_sources; i++)
		if (is_at(&facts->sources[i].url, host, port))
			return true;
	return false;
}

static void judge_host(struct asking *a, const char *host, uint16_t port)
{
	enum pmg_role role = a->question->role;
	struct pmg_decision decision =
		pmg_policy_ask_net(a->policy, PMG_ACCESS_CONNECT, role, host, port);
	struct pmg_decision registry =
		pmg_policy_ask_net(a->policy, PMG_ACCESS_CONNECT, role, "registry", 0);

	if (decision.allowed) {
		allow(a, decision.rule);
	} else if (decision.rule) {
		refuse_by(a, decision.rule);
	} else if (registry.allowed && is_registry(&a->prepared->facts, host, port)) {
		allow(a, registry.rule);
		set_note(a, role == PMG_ROLE_SCRIPT ? "for packages only, and each is judged"
						    : "each package is judged");
	} else {
		refuse_by(a, NULL);
		if (registry.allowed)
			set_note(a, "unless a registry's own documents name it in the run");
	}
}

/* HOST:PORT by the dialect of rules. @return 0 or -PMG_E_USAGE */
static int read_host(const struct asking *a, bool bind, struct pmg_host **out, struct pmg_err *err)
{
	int r = pmg_host_new(a->question->text, bind, out, err);

	if (r == 0 && !pmg_host_is_exact(*out))
		r = pmg_err_set(err, PMG_E_USAGE, 0, "%s: name one host", a->question->text);
	return r < 0 ? pmg_err_as(err, PMG_E_USAGE) : 0;
}

static void set_place(struct asking *a, const char *host, uint16_t port)
{
	pmg_autofree char *place =
		pmg_xasprintf(strchr(host, ':') ? "tcp [%s]:%u" : "tcp %s:%u", host, port);

	set_target(a, place);
}

static int ask_connect(struct asking *a, struct pmg_err *err)
{
	pmg_auto(host) struct pmg_host *host = NULL;
	int r = read_host(a, false, &host, err);
	uint16_t port;

	if (r < 0)
		return r;
	port = pmg_host_port(host) ? pmg_host_port(host) : HTTPS;
	if (strcmp(pmg_host_name(host), "registry") == 0)
		return pmg_err_set(err, PMG_E_USAGE, 0, "registry: name the host that is meant");
	set_place(a, pmg_host_name(host), port);
	judge_host(a, pmg_host_name(host), port);
	return 0;
}

static int ask_bind(struct asking *a, struct pmg_err *err)
{
	pmg_auto(host) struct pmg_host *host = NULL;
	const struct pmg_policy_rule *rule = NULL;
	enum pmg_role role = a->question->role;
	int r = read_host(a, true, &host, err);

	if (r < 0)
		return r;
	set_place(a, pmg_host_name(host), pmg_host_port(host));
	if (a->policy->has_manager && role == PMG_ROLE_MANAGER && pmg_host_port(host) != 0) {
		refuse(a, pmg_judge_code(PMG_EVENT_BIND), NULL, NULL);
		set_note(a, "a manager itself listens nowhere");
	} else if (pmg_judge_bind(a->policy, role, pmg_host_name(host), pmg_host_port(host),
				  &rule)) {
		allow(a, rule);
	} else {
		refuse_by(a, rule);
	}
	return 0;
}

static int ask_unix(struct asking *a, struct pmg_err *err)
{
	const char *text = a->question->text;
	bool abstract = text[0] == '@', own = false;
	pmg_autofree char *path = NULL;
	pmg_autofree char *target = NULL;
	struct pmg_decision decision;
	struct stat st;
	int r = abstract ? 0 : find_target(a, text, &path, &st, err);

	if (r < 0)
		return r;
	if (path)
		own = pmg_policy_ask(a->policy, PMG_ACCESS_WRITE, a->question->role, path).allowed;
	target = pmg_xasprintf("unix %s", path ? path : text);
	set_target(a, target);
	decision =
		pmg_policy_ask(a->policy, PMG_ACCESS_UNIX, a->question->role, path ? path : text);
	if (decision.allowed || (!decision.rule && own))
		allow(a, decision.rule);
	else if (abstract)
		refuse(a, pmg_judge_code(PMG_EVENT_UNIX), decision.rule, NULL);
	else
		refuse_by(a, decision.rule);
	if (abstract)
		set_note(a, "of these a run reaches only its own: it has its own network");
	else if (own && !decision.rule)
		set_note(a, "where it may write, the sockets are its own");
	return 0;
}

static int ask_env(struct asking *a, struct pmg_err *err)
{
	const char *name = a->question->text;
	struct pmg_event *event = &a->reply->event;
	struct pmg_decision decision;

	if (!*name || strpbrk(name, "=*/"))
		return pmg_err_set(err, PMG_E_USAGE, 0, "%s: no name of a variable", name);
	decision = pmg_policy_ask(a->policy, PMG_ACCESS_ENV, PMG_ROLE_MANAGER, name);
	set_target(a, name);
	if (pmg_scrub_keeps(a->policy, name, pmg_env_get(a->env, name))) {
		allow(a, decision.allowed ? decision.rule : NULL);
		return 0;
	}
	refuse(a, pmg_scrub_is_channel(name) ? 2008 : 2003, decision.allowed ? NULL : decision.rule,
	       NULL);
	if (!event->rule && (decision.allowed || !a->policy->listed_env)) {
		event->rule = pmg_xstrdup("a name or value like that of a credential");
		event->layer = pmg_xstrdup(pmg_layer_name(PMG_LAYER_MANDATORY));
		event->source = pmg_xstrdup("built-in mandatory");
	}
	if (!decision.rule || decision.rule->rank != PMG_RANK_MANAGED_DENY)
		event->allow = pmg_xasprintf("env=%s", name);
	return 0;
}

int pmg_question_ask(const struct pmg_prepared *prepared, const struct pmg_strv *env,
		     const struct pmg_question *question, struct pmg_reply *out,
		     struct pmg_err *err)
{
	static int (*const ways[])(struct asking *, struct pmg_err *) = {
		[PMG_ACCESS_READ] = ask_file, [PMG_ACCESS_WRITE] = ask_file,
		[PMG_ACCESS_EXEC] = ask_exec, [PMG_ACCESS_CONNECT] = ask_connect,
		[PMG_ACCESS_BIND] = ask_bind, [PMG_ACCESS_UNIX] = ask_unix,
		[PMG_ACCESS_ENV] = ask_env,
	};
	struct asking asking = { .prepared = prepared,
				 .policy = prepared->policy,
				 .env = env,
				 .question = question,
				 .reply = out };

	if (!*question->text)
		return pmg_err_set(err, PMG_E_USAGE, 0, "%s: nothing is named",
				   pmg_access_name(question->access));
	out->event.op = ops[question->access];
	return ways[question->access](&asking, err);
}

/* As a run finds where packages come from. */
static int prepare_whole(const struct pmg_run_want *want, struct pmg_prepared *out,
			 struct pmg_err *err)
{
	pmg_auto(config) struct pmg_config config = { 0 };
	int r = pmg_prepare_program(want, out, err);
	bool walls;

	if (r == 0)
		r = pmg_prepare_config(want, out, &config, err);
	if (r < 0)
		return r;
	walls = out->walls;
	out->walls = true; /* that they are off is for who asks to say */
	r = pmg_prepare_facts(want, &config, NULL, 0, out, err);
	out->walls = walls;
	return r;
}

static int prepare_policy(const struct pmg_run_want *want, struct pmg_prepared *out,
			  struct pmg_err *err)
{
	int r = pmg_prepare_policy(want, out, err);

	if (r == 0)
		r = pmg_bounds_check(&out->bounds, want, out->pm ? out->pm->name : "exec", err);
	return r == 0 ? pmg_prepare_check(want, out, err) : r;
}

int pmg_question_prepare(const struct pmg_run_want *want, bool registries, struct pmg_prepared *out,
			 struct pmg_err *err)
{
	pmg_auto(prepared) struct pmg_prepared probe = { 0 };
	struct pmg_err scratch = PMG_ERR_INIT;
	bool whole =
		registries && !want->command && pmg_prepare_program(want, &probe, &scratch) == 0;
	int r = whole ? prepare_whole(want, out, err) : prepare_policy(want, out, err);

	return r == 0 ? pmg_lockdown_can(out->policy, pmg_driver_all()[0], err) : r;
}

const char *pmg_question_tool(const char *cwd, const char *home)
{
	static const struct {
		const char *file, *tool;
	} rows[] = {
		{ "pnpm-lock.yaml", "pnpm" }, { "pnpm-workspace.yaml", "pnpm" },
		{ "yarn.lock", "yarn" },      { "bun.lock", "bun" },
		{ "bun.lockb", "bun" },       { "package.json", "npm" },
		{ "uv.lock", "uv" },          { "poetry.lock", "poetry" },
		{ "pyproject.toml", "pip" },  { "requirements.txt", "pip" },
	};
	pmg_autofree char *dir = pmg_xstrdup(cwd);
	size_t i;

	while (strcmp(dir, "/") != 0 && (strcmp(dir, home) != 0 || strcmp(cwd, home) == 0)) {
		char *up;

		for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
			pmg_autofree char *path = pmg_path_join(dir, rows[i].file);

			if (pmg_pm_find(rows[i].tool) && access(path, F_OK) == 0)
				return rows[i].tool;
		}
		up = pmg_path_dir(dir);
		free(dir);
		dir = up;
	}
	return "sh";
}
