/*
 * connect is never left to the kernel: the address is copied once, judged, and the connection made
 * on the caller's own socket, so that an address changed meanwhile reaches nobody. In the run's
 * network every address is local and pmg's listeners are the only way out: what is done here
 * decides what may reach them, and tells pmg-proxy who comes.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/str.h"
#include "sandbox/net_priv.h"
#include "sandbox/sandbox.h"
#include "violation/wire.h"

#define PORT_DNS   53U
#define PORT_HTTP  80U
#define PORT_HTTPS 443U

enum way {
	REFUSE,
	QUIETLY, /* nobody outside is reached: no need to tell pmg-proxy */
	TELL
};

bool pmg_port_is_own(struct pmg_broker *broker, uint16_t port)
{
	bool own;

	(void)pthread_mutex_lock(&broker->lock);
	own = broker->ports[port / 8] & 1U << port % 8;
	(void)pthread_mutex_unlock(&broker->lock);
	return own;
}

void pmg_port_add(struct pmg_broker *broker, uint16_t port)
{
	(void)pthread_mutex_lock(&broker->lock);
	broker->ports[port / 8] |= (uint8_t)(1U << port % 8);
	(void)pthread_mutex_unlock(&broker->lock);
}

static char *copy(const char *text)
{
	return text ? pmg_xstrdup(text) : NULL;
}

void pmg_tell_proxy(struct pmg_broker *broker, const struct pmg_who *who,
		    const struct pmg_endpoint *endpoint, bool refused)
{
	pmg_auto(event) struct pmg_event from = { 0 };
	pmg_auto(wire_connect) struct pmg_wire_connect message = { .role = (int)who->role };
	struct pmg_err err = PMG_ERR_INIT;
	char target[PMG_TARGET_SIZE];
	struct json_t *body;

	if (broker->proxy < 0)
		return;
	message.local = refused ? NULL : pmg_endpoint_local(endpoint);
	if (!message.local && !refused)
		return;
	pmg_who_fill(broker, who, &from);
	pmg_event_clean(&from);
	pmg_endpoint_target(endpoint, target);
	message.protocol = pmg_xasprintf("%s%c", pmg_endpoint_protocol(endpoint),
					 endpoint->family == AF_INET6 ? '6' : '4');
	message.target = pmg_xstrdup(strchr(target, ' ') + 1);
	message.package = copy(from.package);
	message.script = copy(from.script);
	message.how_known = copy(from.how_known);
	pmg_strv_extend(&message.process, pmg_strv_argv(&from.process));
	body = pmg_wire_connect_encode(&message);
	/* When pmg-proxy is gone the listeners are too, and the run ends. */
	(void)!pmg_msg_send(broker->proxy, PMG_WIRE_CONNECT, body, &err);
	pmg_json_free(body);
}

/* An address that stands for a name cannot be judged here. Is there any rule that allows this port
 * for a name? Then pmg-proxy decides, which gave the address and knows the name. */
static bool some_name_allows(const struct pmg_request *request, uint16_t port)
{
	const struct pmg_policy *policy = request->broker->policy;
	char end[8];
	size_t i;

	(void)snprintf(end, sizeof end, ":%u", port);
	for (i = 0; i < policy->n_rules; i++) {
		const struct pmg_policy_rule *rule = &policy->rules[i];

		if (rule->access == PMG_ACCESS_CONNECT &&
		    (rule->rank == PMG_RANK_ALLOW || rule->rank == PMG_RANK_OPT_OUT) &&
		    (rule->roles & (unsigned)request->who.role) &&
		    pmg_str_has_suffix(rule->text, end))
			return true;
	}
	return false;
}

/*
 * UDP sockets are connected by every name lookup that sorts its results (RFC 6724): that sends
 * nothing, and at the ports of the web nobody listens for what is sent afterwards. It is not worth
 * a record; other ports are.
 */
static enum way way_of(struct pmg_request *request, const struct pmg_endpoint *to,
		       const struct pmg_policy_rule **rule)
{
	bool tcp = to->protocol == IPPROTO_TCP;
	struct pmg_decision decision;

	if (!tcp && to->protocol != IPPROTO_UDP)
		return REFUSE;
	if (to->port == 0)
		return QUIETLY; /* the kernel refuses to send there */
	if (to->port == PORT_DNS)
		return TELL;
	if (to->port == PORT_HTTP || to->port == PORT_HTTPS)
		return tcp ? TELL : QUIETLY;
	if (tcp && to->is_loopback && to->port == PMG_SANDBOX_PROXY_PORT)
		return TELL;
	if (to->is_loopback && pmg_port_is_own(request->broker, to->port))
		return QUIETLY;
	decision = pmg_policy_ask_net(request->broker->policy, PMG_ACCESS_CONNECT,
				      request->who.role, to->host, to->port);
	*rule = decision.rule;
	if (decision.allowed || (to->is_synthetic && some_name_allows(request, to->port)))
		return tcp ? TELL : QUIETLY;
	return REFUSE;
}

/* A connection that has not begun: asking again how it goes (EALREADY, EISCONN) is no new one, and
 * what pmg-proxy is told of a port must not outlive its connection. */
static bool is_fresh(const struct pmg_endpoint *endpoint)
{
	struct tcp_info info = { 0 };
	socklen_t len = sizeof info;

	return endpoint->protocol != IPPROTO_TCP ||
	       getsockopt(endpoint->fd, IPPROTO_TCP, TCP_INFO, &info, &len) < 0 ||
	       info.tcpi_state == TCP_CLOSE;
}

/* All that a connect needs after its handler has returned. */
struct connecting {
	struct pmg_broker *broker;
	uint64_t call;
	struct pmg_who who;
	struct pmg_endpoint endpoint;
	int at; /* object to connect to, by our folder of descriptors; -1 */
	bool tell;
};

/* The folder of the thread is its own (CLONE_FS), here and in the threads of loop.c. */
static int aim(struct connecting *connecting)
{
	struct sockaddr_un *to = &connecting->endpoint.to.local;

	if (connecting->at < 0)
		return 0;
	if (fchdir(connecting->broker->fds) < 0)
		return -errno;
	*to = (struct sockaddr_un){ .sun_family = AF_UNIX };
	(void)snprintf(to->sun_path, sizeof to->sun_path, "%d", connecting->at);
	connecting->endpoint.len = sizeof *to;
	return 0;
}

static int try_connect(void *arg)
{
	const struct connecting *connecting = arg;
	const struct pmg_endpoint *endpoint = &connecting->endpoint;

	return connect(endpoint->fd, &endpoint->to.any, endpoint->len) < 0 ? -errno : 0;
}

/* @return 0 or -errno, as connect(2) */
static int perform(struct connecting *connecting, bool patiently)
{
	bool tell = connecting->tell && is_fresh(&connecting->endpoint);
	int r = aim(connecting);

	if (r == 0)
		r = patiently ? pmg_wait_patiently(connecting->broker, connecting->call,
						   connecting->who.tid, try_connect, connecting)
			      : try_connect(connecting);
	if (tell && (r == 0 || r == -EINPROGRESS))
		pmg_tell_proxy(connecting->broker, &connecting->who, &connecting->endpoint, false);
	return r;
}

/* A listener that never accepts must hold up nobody but who connects to it. */
static void *wait_for(void *arg)
{
	struct connecting *connecting = arg;
	int r = unshare(CLONE_FS) < 0 ? -EPERM : perform(connecting, true);

	if (r < 0)
		pmg_notify_fail(connecting->broker->listener, connecting->call, -r);
	else
		pmg_notify_return(connecting->broker->listener, connecting->call, 0);
	pmg_endpoint_done(&connecting->endpoint);
	pmg_auto_closep(&connecting->at);
	pmg_wait_end(connecting->broker);
	free(connecting);
	return NULL;
}

/* On success the descriptors are the thread's. */
static int start_thread(const struct connecting *from)
{
	struct connecting *connecting = pmg_xmalloc(sizeof *connecting);
	int r;

	*connecting = *from;
	r = pmg_wait_start(from->broker, wait_for, connecting);
	if (r < 0)
		free(connecting);
	return r;
}

static bool may_wait(const struct pmg_endpoint *endpoint)
{
	int flags = fcntl(endpoint->fd, F_GETFL);

	return endpoint->type != SOCK_DGRAM && flags >= 0 && !(flags & O_NONBLOCK);
}

void pmg_connect_perform(struct pmg_request *request, struct pmg_endpoint *endpoint, int at,
			 bool tell, struct pmg_answer *answer)
{
	struct connecting connecting = {
		.broker = request->broker,
		.call = request->call.id,
		.who = request->who,
		.endpoint = *endpoint,
		.at = at,
		.tell = tell,
	};
	int r;

	endpoint->fd = -1; /* is connecting's now */
	if (may_wait(&connecting.endpoint)) {
		r = start_thread(&connecting);
		answer->kind = PMG_ANSWER_GIVEN;
		if (r == 0)
			return;
	} else {
		r = perform(&connecting, false);
	}
	pmg_endpoint_done(&connecting.endpoint);
	pmg_auto_closep(&connecting.at);
	answer->kind = PMG_ANSWER_RETURN;
	answer->value = 0;
	if (r < 0)
		pmg_answer_fail(answer, -r);
}

static void refuse(struct pmg_request *request, const struct pmg_endpoint *to,
		   const struct pmg_policy_rule *rule)
{
	char target[PMG_TARGET_SIZE];

	if (to->is_synthetic && request->broker->proxy >= 0) {
		/* An address of ours says nothing to people: pmg-proxy records it by its name. */
		pmg_tell_proxy(request->broker, &request->who, to, true);
		return;
	}
	pmg_endpoint_target(to, target);
	if (to->protocol == IPPROTO_TCP)
		pmg_refuse(request, PMG_CODE_NET, PMG_EVENT_CONNECT, rule, target);
	else /* an allowance would not help: there is no way out but for TCP */
		pmg_refuse_always(request, PMG_CODE_NET, PMG_EVENT_CONNECT, target);
}

static void connect_inet(struct pmg_request *request, struct pmg_endpoint *to,
			 struct pmg_answer *answer)
{
	const struct pmg_policy_rule *rule = NULL;
	enum way way = way_of(request, to, &rule);

	if (way == REFUSE) {
		refuse(request, to, rule);
		pmg_answer_fail(answer, EACCES);
		return;
	}
	pmg_connect_perform(request, to, -1, way == TELL, answer);
}

void pmg_act_connect(struct pmg_request *request, struct pmg_answer *answer)
{
	pmg_auto(endpoint) struct pmg_endpoint to = PMG_ENDPOINT_INIT;
	int r = pmg_endpoint_socket(request, 0, &to);

	if (r == 0)
		r = pmg_endpoint_address(request, request->call.args[1], request->call.args[2],
					 &to);
	if (r < 0)
		pmg_answer_fail(answer, -r);
	else if (to.domain == AF_UNIX)
		pmg_unix_connect(request, &to, answer);
	else if (to.family != 0)
		connect_inet(request, &to, answer);
	else
		/* AF_UNSPEC dissolves a connection; netlink reaches the run's own network. */
		pmg_connect_perform(request, &to, -1, false, answer);
}
