#include "sandbox/broker_priv.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/msg.h"
#include "base/str.h"
#include "policy/vars.h"
#include "sandbox/walls_priv.h"
#include "violation/wire.h"

/* What --sandbox-allow calls an operation, and whether a word stands before its target ("tcp "). */
static const struct {
	const char *allow;
	int code; /* of files */
	bool is_path;
} ops[PMG_EVENT_OP_MAX] = {
	[PMG_EVENT_READ] = { "read", PMG_CODE_READ, true },
	[PMG_EVENT_WRITE] = { "write", PMG_CODE_WRITE, true },
	[PMG_EVENT_DELETE] = { "write", PMG_CODE_TREE, true },
	[PMG_EVENT_RENAME] = { "write", PMG_CODE_TREE, true },
	[PMG_EVENT_LINK] = { "write", PMG_CODE_TREE, true },
	[PMG_EVENT_METADATA] = { "write", PMG_CODE_METADATA, true },
	[PMG_EVENT_EXEC] = { "exec", PMG_CODE_EXEC, true },
	[PMG_EVENT_CONNECT] = { "net-connect", 0, false },
	[PMG_EVENT_BIND] = { "net-bind", 0, false },
	[PMG_EVENT_UNIX] = { "unix", 0, false },
};

static bool makes_folder(const struct pmg_request *request)
{
	return request->row && pmg_str_has_prefix(request->row->name, "mkdir");
}

/* @param folder  it was to be made: what is to lie in it is meant too */
static char *allowance(enum pmg_event_op op, const char *word, const struct pmg_policy_rule *rule,
		       const char *target, bool folder)
{
	const char *value = target;
	pmg_autofree char *pattern = NULL;

	if (!word || (rule && (rule->sensitive || rule->rank <= PMG_RANK_HOOKS)))
		return NULL;
	/* Not a credential by its name alone, as .npmrc is; but nothing to be offered. */
	if (rule && rule->rank == PMG_RANK_MANDATORY_DENY && op == PMG_EVENT_READ)
		return NULL;
	if (!ops[op].is_path) {
		value = strchr(target, ' ');
		if (!value)
			return NULL;
		value++;
	}
	if (op == PMG_EVENT_CONNECT || op == PMG_EVENT_BIND)
		return pmg_xasprintf("%s=%s", word, value); /* no pattern: host and port */
	if (value[0] != '/' && op != PMG_EVENT_UNIX)
		return NULL;
	pattern = pmg_glob_escape(value);
	return pmg_xasprintf("%s=%s%s", word, pattern, folder ? "/**" : "");
}

struct refusal {
	int code;
	enum pmg_event_op op;
	const struct pmg_policy_rule *rule;
	const char *target;
	const char *word; /* of --sandbox-allow */
	bool sensitive;
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
		.sensitive = refusal->sensitive || (rule && rule->sensitive),
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
				      : allowance(refusal->op, refusal->word, rule, event.target,
						  makes_folder(request));
	pmg_who_fill(broker, &request->who, &event);
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
	record(request, &(struct refusal){ code, op, rule, target, ops[op].allow, false });
}

void pmg_refuse_always(struct pmg_request *request, int code, enum pmg_event_op op,
		       const char *target)
{
	record(request, &(struct refusal){ .code = code, .op = op, .target = target });
}

/* What may be read of a process that is not the caller's: what ps shows. */
static bool is_shown(const char *path)
{
	static const char *const shown[] = { "stat", "statm", "status", "cmdline", "comm" };
	const char *rest = strchr(path + sizeof "/proc", '/');
	const char *name = strrchr(path, '/');
	size_t i;

	if (!rest)
		return true; /* the folder: names, no content */
	if (rest != name && !pmg_str_has_prefix(rest, "/task/"))
		return false;
	for (i = 0; i < PMG_ARRAY_LEN(shown); i++)
		if (strcmp(name + 1, shown[i]) == 0)
			return true;
	return false;
}

/* Rules speak of a process's own folder as /proc/self. */
static bool is_refused_process(const struct pmg_object *object, enum pmg_access access)
{
	const char *number = object->path + sizeof "/proc";

	if (object->is_own_proc || !pmg_str_has_prefix(object->path, "/proc/") || *number < '1' ||
	    *number > '9')
		return false;
	return access != PMG_ACCESS_READ || !is_shown(object->path);
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

/* May everybody open it, by the modes alone? Every folder on the way counts. */
static bool is_public(const char *path)
{
	char part[PATH_MAX];
	struct stat st;
	size_t i;

	for (i = 1; path[i - 1] && i < sizeof part; i++) {
		if (path[i] != '/' && path[i] != '\0')
			continue;
		memcpy(part, path, i);
		part[i] = '\0';
		if (lstat(part, &st) < 0 || !(st.st_mode & (path[i] ? S_IXOTH : S_IROTH)))
			return false;
	}
	return true;
}

/*
 * The rule that opens /etc counts on what its files say of themselves. Root's modes stop nobody
 * here, though: passwords and keys of services lie there for root alone. The settings of a manager
 * may hold some and are for it to read.
 */
static bool is_roots(const struct pmg_request *request, const struct pmg_decision *decision,
		     enum pmg_access access, const struct pmg_object *object)
{
	static const char *const settings[] = { "/npmrc", "/pip.conf", "/uv.toml", "/gitconfig" };
	size_t i;

	if (access != PMG_ACCESS_READ || geteuid() != 0 || !decision->allowed || !decision->rule ||
	    !pmg_streq(decision->rule->text, "/etc/**") || !S_ISREG(object->st.st_mode))
		return false;
	for (i = 0; i < PMG_ARRAY_LEN(settings); i++)
		if (request->who.role == PMG_ROLE_MANAGER &&
		    pmg_str_has_suffix(object->path, settings[i]))
			return false;
	return !is_public(object->path);
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
	struct refusal refusal = { .code = ops[op].code,
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
	if (is_refused_process(object, access)) {
		refusal.code = PMG_CODE_PROCESS;
		refusal.word = NULL; /* no rule opens it */
	} else if (!refusal.sensitive && object->path[0] == '/') {
		decision = ask(request, access, object);
	}
	/* Under its own name the rule speaks: tools look there as a matter of course. */
	if (decision.allowed && is_managers(request, &object->st))
		refusal.sensitive = true;
	else if (decision.allowed && !is_roots(request, &decision, access, object))
		return 0;
	refusal.rule = decision.allowed ? NULL : decision.rule;
	record(request, &refusal);
	return -EACCES;
}
