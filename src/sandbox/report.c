#include "sandbox/broker_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/str.h"
#include "policy/vars.h"
#include "sandbox/judge.h"
#include "sandbox/verdicts_priv.h"
#include "sandbox/walls_priv.h"
#include "violation/wire.h"

static bool makes_folder(const struct pmg_request *request)
{
	return request->row && pmg_str_has_prefix(request->row->name, "mkdir");
}

struct refusal {
	int code;
	enum pmg_event_op op;
	const struct pmg_policy_rule *rule;
	const char *target;
	const char *word; /* of --sandbox-allow */
	bool sensitive;
	const char *package, *why; /* of one that is listed; else NULL */
};

/* A project's own script may be meant to read the project's settings; a person who says so names
 * the file (pmg sandbox allow --force). Nothing of a package's is offered so. */
static char *own_settings(struct pmg_request *request, const struct refusal *refusal)
{
	const char *name = strrchr(refusal->target, '/');
	pmg_autofree char *pattern = NULL;

	if (refusal->op != PMG_EVENT_READ || !refusal->rule || !name ||
	    refusal->rule->rank != PMG_RANK_MANDATORY_DENY ||
	    !(pmg_str_has_prefix(name, "/.env") || strcmp(name, "/.dev.vars") == 0) ||
	    !pmg_who_is_own(request->broker, &request->who))
		return NULL;
	pattern = pmg_glob_escape(refusal->target);
	return pmg_xasprintf("read=%s", pattern);
}

/* A nested npm asks for ~/.npmrc whatever it was started for; nobody else does. */
static bool is_telling(struct pmg_request *request, const struct pmg_policy_rule *rule)
{
	return rule && rule->sensitive &&
	       !(rule->roles == PMG_ROLE_SCRIPT && rule->layer == PMG_LAYER_MANDATORY &&
		 pmg_who_is_tool(request->broker, &request->who));
}

static void tell(struct pmg_broker *broker, const struct pmg_event *event)
{
	struct pmg_err err = PMG_ERR_INIT;
	struct json_t *body;

	if (broker->wire < 0)
		return;
	body = pmg_event_encode(event);
	/* A front that is gone ends the run by itself. */
	(void)!pmg_msg_send(broker->wire, PMG_WIRE_DENIED, body, &err);
	pmg_json_free(body);
}

static void record(struct pmg_request *request, const struct refusal *refusal)
{
	struct pmg_broker *broker = request->broker;
	const struct pmg_policy_rule *rule = refusal->rule;
	pmg_auto(event) struct pmg_event event = {
		.code = refusal->code,
		.op = refusal->op,
		.by = PMG_EVENT_BY_BROKER,
		.target = pmg_xstrndup(refusal->target, PMG_EVENT_TARGET_MAX - 1),
		.sensitive = refusal->sensitive || is_telling(request, rule),
		.first = time(NULL),
		.count = 1,
	};
	const struct pmg_event *added;

	event.last = event.first;
	if (rule) {
		event.rule = pmg_xstrdup(rule->text);
		event.layer = pmg_xstrdup(pmg_layer_name(rule->layer));
		event.source = pmg_xstrdup(rule->source);
	}
	event.allow = event.sensitive ? own_settings(request, refusal)
				      : pmg_judge_allowance(refusal->op, refusal->word, rule,
							    event.target, makes_folder(request));
	pmg_who_fill(broker, &request->who, &event);
	if (refusal->package) {
		free(event.package);
		event.package = pmg_xstrdup(refusal->package);
		event.rule = pmg_xstrdup(refusal->why);
	}
	(void)pthread_mutex_lock(&broker->lock);
	added = pmg_events_add(&broker->events, &event);
	if (added) {
		tell(broker, added);
		broker->told[added - broker->events.v] = added->count;
	}
	(void)pthread_mutex_unlock(&broker->lock);
}

void pmg_refuse(struct pmg_request *request, int code, enum pmg_event_op op,
		const struct pmg_policy_rule *rule, const char *target)
{
	record(request, &(struct refusal){ .code = code,
					   .op = op,
					   .rule = rule,
					   .target = target,
					   .word = pmg_judge_word(op) });
}

void pmg_refuse_listed(struct pmg_request *request, const char *package, const char *why,
		       const char *program)
{
	record(request, &(struct refusal){ .code = PMG_CODE_LISTED,
					   .op = PMG_EVENT_EXEC,
					   .target = program,
					   .sensitive = true,
					   .package = package,
					   .why = why });
}

int pmg_mind_names(struct pmg_request *request, enum pmg_event_op op,
		   const struct pmg_object *place, int result)
{
	if (result != -EACCES || faccessat(place->parent, ".", W_OK | X_OK, AT_EACCESS) < 0 ||
	    pmg_policy_can_name(request->broker->policy, place->path))
		return result; /* the folder itself is closed to the user, without any walls */
	pmg_refuse(request, pmg_judge_code(op), op, NULL, place->path);
	return result;
}

void pmg_refuse_always(struct pmg_request *request, int code, enum pmg_event_op op,
		       const char *target)
{
	record(request, &(struct refusal){ .code = code, .op = op, .target = target });
}

bool pmg_may(const struct pmg_request *request, enum pmg_access access, const char *path)
{
	return pmg_policy_ask(request->broker->policy, access, request->who.role, path).allowed;
}

static struct pmg_decision ask(struct pmg_request *request, enum pmg_access access,
			       const struct pmg_object *object)
{
	const struct pmg_policy *policy = request->broker->policy;
	enum pmg_role role = request->who.role;
	struct pmg_decision decision;
	const char *rest;
	char path[PATH_MAX];

	decision = pmg_policy_ask(policy, access, role, object->path);
	if (decision.allowed || !object->is_own_proc)
		return decision;
	rest = strchr(object->path + sizeof "/proc", '/');
	(void)snprintf(path, sizeof path, "/proc/self%s", rest ? rest : "");
	return pmg_policy_ask(policy, access, role, path);
}

static bool has(const struct pmg_inodes *inodes, const struct stat *st)
{
	return inodes && pmg_inodes_has(inodes, st->st_dev, st->st_ino);
}

static bool is_managers(const struct pmg_request *request, const struct stat *st)
{
	return request->who.role == PMG_ROLE_SCRIPT && S_ISREG(st->st_mode) && st->st_nlink > 1 &&
	       has(request->broker->script_secrets, st);
}

bool pmg_is_secret(const struct pmg_request *request, const struct stat *st)
{
	return (S_ISREG(st->st_mode) && st->st_nlink > 1 && has(request->broker->secrets, st)) ||
	       is_managers(request, st);
}

/*
 * A pipe has no place, so no rule: it is the caller's because the caller has it open. An O_PATH
 * descriptor proves nothing. By /proc/PID/fd it can be had of each pipe of the manager, and node
 * takes what it reads from some of its own for pointers.
 */
static int judge_placeless(struct pmg_request *request, enum pmg_event_op op,
			   const struct pmg_object *object)
{
	if (object->held != 0 || (op != PMG_EVENT_READ && op != PMG_EVENT_WRITE))
		return 0;
	pmg_refuse_always(request, PMG_CODE_PROCESS, PMG_EVENT_SIGNAL, "pipe of another process");
	return -EACCES;
}

int pmg_judge_object(struct pmg_request *request, enum pmg_access access, enum pmg_event_op op,
		     const struct pmg_object *object)
{
	static const unsigned held[PMG_ACCESS_MAX] = {
		[PMG_ACCESS_READ] = PMG_HELD_READ,
		[PMG_ACCESS_WRITE] = PMG_HELD_WRITE,
	};
	struct refusal refusal = { .code = pmg_judge_code(op),
				   .op = op,
				   .target = object->path,
				   .word = pmg_access_name(access) };
	struct pmg_decision decision = { 0 };

	/* Open already in this way: it gains nothing. Also what is no place: pipes of its own. */
	if ((object->held & held[access]) != 0)
		return 0;
	if (object->is_magic && object->path[0] != '/')
		return judge_placeless(request, op, object);
	refusal.sensitive =
		pmg_is_secret(request, &object->st) && !is_managers(request, &object->st);
	if (!object->is_own_proc && pmg_judge_is_process(access, object->path)) {
		refusal.code = PMG_CODE_PROCESS;
		refusal.word = NULL; /* no rule opens it */
	} else if (!refusal.sensitive && object->path[0] == '/') {
		decision = ask(request, access, object);
	}
	/* Under its own name the rule speaks: tools look there as a matter of course. */
	if (decision.allowed && is_managers(request, &object->st))
		refusal.sensitive = true;
	else if (decision.allowed && !pmg_judge_is_roots(&decision, access, request->who.role,
							 object->path, &object->st))
		return 0;
	refusal.rule = decision.allowed ? NULL : decision.rule;
	record(request, &refusal);
	return -EACCES;
}
