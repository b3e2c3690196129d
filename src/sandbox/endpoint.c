#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "sandbox/net_priv.h"

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262 /* 5.6 */
#endif
/* fd00:706d:67::/48, of pmg-proxy (proxy/names.h), as is 198.18.0.0/15 */
static const unsigned char synthetic6[] = { 0xfd, 0x00, 0x70, 0x6d, 0x00, 0x67 };
#define IN6_MIN 24U /* without the scope, which came later: what the kernel takes */

void pmg_endpoint_done(struct pmg_endpoint *endpoint)
{
	pmg_auto_closep(&endpoint->fd);
	endpoint->fd = -1;
}

int pmg_endpoint_socket(struct pmg_request *request, unsigned arg, struct pmg_endpoint *out)
{
	static const int options[] = { SO_DOMAIN, SO_TYPE, SO_PROTOCOL };
	int *const values[] = { &out->domain, &out->type, &out->protocol };
	size_t i;

	out->fd = pmg_caller_fd(request, (int)(int32_t)request->call.args[arg]);
	if (out->fd < 0)
		return out->fd;
	for (i = 0; i < PMG_ARRAY_LEN(options); i++) {
		socklen_t len = sizeof(int);

		if (getsockopt(out->fd, SOL_SOCKET, options[i], values[i], &len) < 0)
			return -errno;
	}
	return 0;
}

static void set_in(struct pmg_endpoint *out, struct in_addr address, uint16_t port)
{
	uint32_t host = ntohl(address.s_addr);

	out->family = AF_INET;
	out->port = ntohs(port);
	out->is_loopback = host >> 24 == 127;
	out->is_synthetic = host >> 17 == (198U << 24 | 18U << 16) >> 17; /* 198.18.0.0/15 */
	(void)inet_ntop(AF_INET, &address, out->host, sizeof out->host);
}

static void set_in6(struct pmg_endpoint *out, const struct sockaddr_in6 *in6)
{
	struct in_addr inside;

	if (IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr)) {
		memcpy(&inside, &in6->sin6_addr.s6_addr[12], sizeof inside);
		set_in(out, inside, in6->sin6_port);
		return;
	}
	out->family = AF_INET6;
	out->port = ntohs(in6->sin6_port);
	out->is_loopback = IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr);
	out->is_synthetic = memcmp(&in6->sin6_addr, synthetic6, sizeof synthetic6) == 0;
	(void)inet_ntop(AF_INET6, &in6->sin6_addr, out->host, sizeof out->host);
}

int pmg_endpoint_set(struct pmg_endpoint *out, const void *bytes, size_t len)
{
	if (len < sizeof out->to.any.sa_family || len > sizeof out->to.bytes)
		return -EINVAL;
	memset(&out->to, 0, sizeof out->to);
	memcpy(out->to.bytes, bytes, len);
	out->len = (socklen_t)len;
	out->family = 0;
	out->port = 0;
	out->host[0] = '\0';
	out->is_loopback = out->is_synthetic = false;
	switch (out->to.any.sa_family) {
	case AF_INET:
		if (len < sizeof out->to.in)
			return -EINVAL;
		set_in(out, out->to.in.sin_addr, out->to.in.sin_port);
		return 0;
	case AF_INET6:
		if (len < IN6_MIN)
			return -EINVAL;
		set_in6(out, &out->to.in6);
		return 0;
	default:
		return 0;
	}
}

int pmg_endpoint_address(struct pmg_request *request, uint64_t address, uint64_t len,
			 struct pmg_endpoint *out)
{
	char bytes[sizeof out->to.bytes];
	int32_t size = (int32_t)len; /* as the kernel takes it */
	ssize_t n;

	if (size < 0 || (size_t)size > sizeof bytes)
		return -EINVAL;
	n = pmg_notify_read(request->who.tid, address, bytes, (size_t)size);
	if (n == -EPERM)
		pmg_refuse(request, PMG_CODE_UNREADABLE, PMG_EVENT_KERNEL, NULL,
			   request->row->name);
	if (n < 0)
		return (int)n;
	if (n < size)
		return -EFAULT;
	if (!pmg_notify_is_valid(request->broker->listener, request->call.id))
		return -ESRCH; /* what was read may be another process's */
	return pmg_endpoint_set(out, bytes, (size_t)size);
}

const char *pmg_endpoint_protocol(const struct pmg_endpoint *endpoint)
{
	static const struct {
		int protocol;
		const char *name;
	} names[] = {
		{ IPPROTO_TCP, "tcp" },         { IPPROTO_UDP, "udp" },
		{ IPPROTO_MPTCP, "mptcp" },     { IPPROTO_ICMP, "icmp" },
		{ IPPROTO_ICMPV6, "icmp" },     { IPPROTO_SCTP, "sctp" },
		{ IPPROTO_UDPLITE, "udplite" },
	};
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(names); i++)
		if (names[i].protocol == endpoint->protocol)
			return names[i].name;
	return "ip";
}

/* Bytes of an abstract name that are not printable, NUL among them, as \xNN. */
static void escape(const char *bytes, size_t len, char *out, size_t size)
{
	size_t i, n = 0;

	for (i = 0; i < len && n + 5 < size; i++) {
		bool plain = bytes[i] > ' ' && bytes[i] <= '~' && bytes[i] != '\\';

		n += (size_t)snprintf(out + n, size - n, plain ? "%c" : "\\x%02x",
				      (unsigned char)bytes[i]);
	}
	out[n] = '\0';
}

void pmg_endpoint_target(const struct pmg_endpoint *endpoint, char out[PMG_TARGET_SIZE])
{
	size_t head = offsetof(struct sockaddr_un, sun_path);
	char name[PMG_TARGET_SIZE - 8] = "";

	if (endpoint->family == 0) {
		if (endpoint->len > head)
			escape(endpoint->to.local.sun_path + 1, endpoint->len - head - 1, name,
			       sizeof name);
		(void)snprintf(out, PMG_TARGET_SIZE, "unix @%s", name);
		return;
	}
	(void)snprintf(out, PMG_TARGET_SIZE,
		       endpoint->family == AF_INET6 ? "%s [%s]:%u" : "%s %s:%u",
		       pmg_endpoint_protocol(endpoint), endpoint->host, endpoint->port);
}

uint16_t pmg_endpoint_local_port(const struct pmg_endpoint *endpoint)
{
	struct sockaddr_in6 at = { 0 }; /* the port stands at the same place in both kinds */
	socklen_t len = sizeof at;

	return getsockname(endpoint->fd, (struct sockaddr *)&at, &len) < 0 ? 0
									   : ntohs(at.sin6_port);
}

char *pmg_endpoint_local(const struct pmg_endpoint *endpoint)
{
	struct sockaddr_storage at = { 0 };
	const struct sockaddr_in *v4 = (const void *)&at;
	const struct sockaddr_in6 *v6 = (const void *)&at;
	socklen_t len = sizeof at;
	char host[INET6_ADDRSTRLEN];
	bool is_v6;

	if (getsockname(endpoint->fd, (void *)&at, &len) < 0)
		return NULL;
	is_v6 = at.ss_family == AF_INET6;
	if ((!is_v6 && at.ss_family != AF_INET) || (is_v6 ? v6->sin6_port : v4->sin_port) == 0 ||
	    !inet_ntop(at.ss_family,
		       is_v6 ? (const void *)&v6->sin6_addr : (const void *)&v4->sin_addr, host,
		       sizeof host))
		return NULL;
	return pmg_xasprintf(is_v6 ? "[%s]:%u" : "%s:%u", host,
			     ntohs(is_v6 ? v6->sin6_port : v4->sin_port));
}
