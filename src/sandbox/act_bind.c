/*
 * bind, done on the caller's socket with our copy of the address. A port that the run has bound on
 * loopback may be connected to from inside; nobody outside can reach it.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "sandbox/judge.h"
#include "sandbox/net_priv.h"

/*
 * A manager listens nowhere. But node opens its debugger, by which it does whatever it is told,
 * when it gets SIGUSR1, and a script may send that: what lets scripts listen must not open the
 * manager. It takes a port by number, unless an option that is not the script's says otherwise.
 */
static bool is_debugger(const struct pmg_request *request, const struct pmg_endpoint *at)
{
	return request->broker->policy->has_manager && request->who.role == PMG_ROLE_MANAGER &&
	       at->protocol == IPPROTO_TCP && at->port != 0;
}

static bool may_bind(const struct pmg_request *request, const struct pmg_endpoint *at,
		     const struct pmg_policy_rule **rule)
{
	if (at->protocol == IPPROTO_UDP && at->port == 0)
		return true; /* what every sender of datagrams has */
	return (at->protocol == IPPROTO_UDP || at->protocol == IPPROTO_TCP) &&
	       pmg_judge_bind(request->broker->policy, request->who.role, at->host, at->port, rule);
}

static int perform(struct pmg_broker *broker, const struct pmg_endpoint *at)
{
	if (bind(at->fd, &at->to.any, at->len) < 0)
		return -errno;
	if (at->family != 0)
		pmg_port_add(broker, pmg_endpoint_local_port(at));
	return 0;
}

static int bind_inet(struct pmg_request *request, struct pmg_endpoint *at)
{
	const struct pmg_policy_rule *rule = NULL;
	char target[PMG_TARGET_SIZE];

	if (!is_debugger(request, at) && may_bind(request, at, &rule))
		return perform(request->broker, at);
	pmg_endpoint_target(at, target);
	if (is_debugger(request, at))
		pmg_refuse_always(request, PMG_CODE_BIND, PMG_EVENT_BIND, target);
	else
		pmg_refuse(request, PMG_CODE_BIND, PMG_EVENT_BIND, rule, target);
	return -EACCES;
}

/* For IPv4 sockets no family at all means AF_INET, as long as no address is named. */
static bool is_old_style(const struct pmg_endpoint *at)
{
	return at->domain == AF_INET && at->to.any.sa_family == AF_UNSPEC &&
	       at->len >= sizeof at->to.in;
}

void pmg_act_bind(struct pmg_request *request, struct pmg_answer *answer)
{
	pmg_auto(endpoint) struct pmg_endpoint at = PMG_ENDPOINT_INIT;
	int r = pmg_endpoint_socket(request, 0, &at);

	if (r == 0)
		r = pmg_endpoint_address(request, request->call.args[1], request->call.args[2],
					 &at);
	if (r == 0 && at.domain == AF_UNIX) {
		pmg_unix_bind(request, &at, answer);
		return;
	}
	if (r == 0 && is_old_style(&at)) {
		struct sockaddr_in in = at.to.in;

		in.sin_family = AF_INET;
		r = pmg_endpoint_set(&at, &in, sizeof in);
	}
	if (r == 0)
		r = at.family != 0 ? bind_inet(request, &at) : perform(request->broker, &at);
	answer->kind = PMG_ANSWER_RETURN;
	answer->value = 0;
	if (r < 0)
		pmg_answer_fail(answer, -r);
}
