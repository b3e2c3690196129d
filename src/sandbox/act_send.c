/*
 * Sending to an address. Datagrams are not sent on behalf: what a caller changes in its memory
 * after our answer gains nothing, since in the run's network every address is local, where only
 * pmg's DNS and the run itself listen; it can only make a record wrong. Local datagram sockets, for
 * which that does not hold, cannot be made (the filter), and if there is one all the same nothing
 * is sent through it. Connected sockets, which most are, are let go on at once.
 */
#include <errno.h>
#include <string.h>

#include "sandbox/net_priv.h"

#define PORT_DNS     53U
#define MESSAGES_MAX 1024U /* of sendmmsg, UIO_MAXIOV: the kernel takes no more */

/* Its port must be known before pmg-proxy gets the datagram; the kernel would choose it as late as
 * when it is sent. */
static void ensure_bound(const struct pmg_endpoint *socket)
{
	struct sockaddr_in6 any6 = { .sin6_family = AF_INET6 };
	struct sockaddr_in any = { .sin_family = AF_INET };

	if (pmg_endpoint_local_port(socket) != 0)
		return;
	if (socket->domain == AF_INET6)
		(void)bind(socket->fd, (struct sockaddr *)&any6, sizeof any6);
	else
		(void)bind(socket->fd, (struct sockaddr *)&any, sizeof any);
}

/* @return 0; -EACCES, recorded */
static int judge(struct pmg_request *request, const struct pmg_endpoint *to)
{
	char target[PMG_TARGET_SIZE];

	if (to->protocol == IPPROTO_UDP && to->port == PORT_DNS) {
		ensure_bound(to);
		pmg_tell_proxy(request->broker, &request->who, to, false);
		return 0;
	}
	if (to->protocol == IPPROTO_UDP && to->is_loopback &&
	    pmg_port_is_own(request->broker, to->port))
		return 0;
	/* No rule can allow it: nothing outside is reached by datagrams. */
	pmg_endpoint_target(to, target);
	pmg_refuse_always(request, PMG_CODE_NET, PMG_EVENT_CONNECT, target);
	return -EACCES;
}

static int judge_address(struct pmg_request *request, struct pmg_endpoint *to, uint64_t address,
			 uint64_t len)
{
	int r = address == 0 ? 0 : pmg_endpoint_address(request, address, len, to);

	if (r < 0 || address == 0)
		return r;
	if (to->to.any.sa_family == AF_UNSPEC && to->len >= sizeof to->to.in) {
		struct sockaddr_in in = to->to.in;

		in.sin_family = AF_INET; /* as the kernel takes it (udp(7)) */
		r = pmg_endpoint_set(to, &in, sizeof in);
	}
	return r < 0 || to->family == 0 ? r : judge(request, to);
}

static int judge_message(struct pmg_request *request, struct pmg_endpoint *to, uint64_t at)
{
	struct msghdr header;
	ssize_t n = pmg_notify_read(request->who.tid, at, &header, sizeof header);

	if (n < 0)
		return (int)n;
	if (n != (ssize_t)sizeof header)
		return -EFAULT;
	return judge_address(request, to, (uintptr_t)header.msg_name, header.msg_namelen);
}

static int judge_sendto(struct pmg_request *request, struct pmg_endpoint *to)
{
	return judge_address(request, to, request->call.args[4], request->call.args[5]);
}

static int judge_sendmsg(struct pmg_request *request, struct pmg_endpoint *to)
{
	return judge_message(request, to, request->call.args[1]);
}

/* One that is refused refuses all: which were sent could not be told otherwise. */
static int judge_sendmmsg(struct pmg_request *request, struct pmg_endpoint *to)
{
	uint64_t n = (uint32_t)request->call.args[2], i;
	int r = 0;

	n = n < MESSAGES_MAX ? n : MESSAGES_MAX;
	for (i = 0; r == 0 && i < n; i++)
		r = judge_message(request, to, request->call.args[1] + i * sizeof(struct mmsghdr));
	return r;
}

static const struct {
	const char *name;
	int (*judge)(struct pmg_request *request, struct pmg_endpoint *to);
} forms[] = {
	{ "sendto", judge_sendto },
	{ "sendmsg", judge_sendmsg },
	{ "sendmmsg", judge_sendmmsg },
};

/* Kinds that take no address, or whose addresses are all inside. */
static bool goes_on(const struct pmg_endpoint *socket)
{
	return socket->type == SOCK_STREAM || socket->type == SOCK_SEQPACKET ||
	       socket->domain == AF_NETLINK;
}

static int decide(struct pmg_request *request)
{
	pmg_auto(endpoint) struct pmg_endpoint to = PMG_ENDPOINT_INIT;
	int r;
	size_t i;

	r = pmg_endpoint_socket(request, 0, &to);
	if (r < 0 || goes_on(&to))
		return r;
	if (to.domain == AF_UNIX) {
		pmg_refuse_always(request, PMG_CODE_UNIX, PMG_EVENT_UNIX, "unix datagram");
		return -EACCES;
	}
	for (i = 0; i < PMG_ARRAY_LEN(forms); i++)
		if (strcmp(forms[i].name, request->row->name) == 0)
			return forms[i].judge(request, &to);
	return -EPERM;
}

void pmg_act_send(struct pmg_request *request, struct pmg_answer *answer)
{
	int r = 0;

	/* Registers cannot be changed by another thread: without an address there is none. */
	if (strcmp(request->row->name, "sendto") != 0 || request->call.args[4] != 0)
		r = decide(request);
	answer->kind = PMG_ANSWER_CONTINUE;
	if (r < 0)
		pmg_answer_fail(answer, -r);
}
