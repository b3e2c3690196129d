#include "sandbox/judge.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "base/url.h"
#include "policy/vars.h"
#include "sandbox/broker_priv.h"

/* What --sandbox-allow calls an operation, and whether a word stands before its target ("tcp "). */
static const struct {
	const char *allow;
	int code;
	bool is_path;
} ops[PMG_EVENT_OP_MAX] = {
	[PMG_EVENT_READ] = { "read", PMG_CODE_READ, true },
	[PMG_EVENT_WRITE] = { "write", PMG_CODE_WRITE, true },
	[PMG_EVENT_DELETE] = { "write", PMG_CODE_TREE, true },
	[PMG_EVENT_RENAME] = { "write", PMG_CODE_TREE, true },
	[PMG_EVENT_LINK] = { "write", PMG_CODE_TREE, true },
	[PMG_EVENT_METADATA] = { "write", PMG_CODE_METADATA, true },
	[PMG_EVENT_EXEC] = { "exec", PMG_CODE_EXEC, true },
	[PMG_EVENT_CONNECT] = { "net-connect", PMG_CODE_NET, false },
	[PMG_EVENT_BIND] = { "net-bind", PMG_CODE_BIND, false },
	[PMG_EVENT_UNIX] = { "unix", PMG_CODE_UNIX, false },
};

const char *pmg_judge_word(enum pmg_event_op op)
{
	return ops[op].allow;
}

int pmg_judge_code(enum pmg_event_op op)
{
	return ops[op].code;
}

char *pmg_judge_allowance(enum pmg_event_op op, const char *word,
			  const struct pmg_policy_rule *rule, const char *target, bool folder)
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
bool pmg_judge_is_roots(const struct pmg_decision *decision, enum pmg_access access,
			enum pmg_role role, const char *path, const struct stat *st)
{
	static const char *const settings[] = { "/npmrc", "/pip.conf", "/uv.toml", "/gitconfig" };
	size_t i;

	if (access != PMG_ACCESS_READ || geteuid() != 0 || !decision->allowed || !decision->rule ||
	    !pmg_streq(decision->rule->text, "/etc/**") || !S_ISREG(st->st_mode))
		return false;
	for (i = 0; i < PMG_ARRAY_LEN(settings); i++)
		if (role == PMG_ROLE_MANAGER && pmg_str_has_suffix(path, settings[i]))
			return false;
	return !is_public(path);
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

bool pmg_judge_is_process(enum pmg_access access, const char *path)
{
	const char *number = path + sizeof "/proc";

	if (!pmg_str_has_prefix(path, "/proc/") || *number < '1' || *number > '9')
		return false;
	return access != PMG_ACCESS_READ || !is_shown(path);
}

static bool binds(const struct pmg_policy *policy, enum pmg_role role, const char *host,
		  uint16_t port, const struct pmg_policy_rule **rule)
{
	struct pmg_decision decision =
		pmg_policy_ask_net(policy, PMG_ACCESS_BIND, role, host, port);

	/* The first rule that says no is the one to report. */
	*rule = *rule ? *rule : decision.rule;
	return decision.allowed;
}

bool pmg_judge_bind(const struct pmg_policy *policy, enum pmg_role role, const char *host,
		    uint16_t port, const struct pmg_policy_rule **rule)
{
	if (binds(policy, role, host, port, rule))
		return true;
	if (pmg_host_is_loopback(host) && !*rule && binds(policy, role, "localhost", port, rule))
		return true;
	/* A port that the kernel chooses is what listen(2) alone would get; pip, to learn whether
	 * there is IPv6, binds one and never listens. Nobody else's port can be had by it. */
	return (port == 0 || policy->any_bind) && !*rule;
}
