#include "proxy/inet.h"

#include <arpa/inet.h>
#include <string.h>

#include "base/url.h"

static void map(const struct in_addr *v4, struct in6_addr *out)
{
	memset(out, 0, sizeof *out);
	out->s6_addr[10] = out->s6_addr[11] = 0xff;
	memcpy(out->s6_addr + 12, v4, 4);
}

/* Who connects to "any" arrives at loopback. */
static void settle(struct pmg_inet *end)
{
	static const struct in_addr any4 = { 0 };
	const struct in_addr loopback = { htonl(INADDR_LOOPBACK) };
	struct in6_addr mapped;

	map(&any4, &mapped);
	if (IN6_IS_ADDR_UNSPECIFIED(&end->address))
		end->address = in6addr_loopback;
	else if (memcmp(&mapped, &end->address, sizeof mapped) == 0)
		map(&loopback, &end->address);
}

int pmg_inet_read(const struct sockaddr_storage *from, struct pmg_inet *out, struct pmg_err *err)
{
	const struct sockaddr_in *v4 = (const void *)from;
	const struct sockaddr_in6 *v6 = (const void *)from;

	if (from->ss_family == AF_INET) {
		map(&v4->sin_addr, &out->address);
		out->port = ntohs(v4->sin_port);
	} else if (from->ss_family == AF_INET6) {
		out->address = v6->sin6_addr;
		out->port = ntohs(v6->sin6_port);
	} else {
		return pmg_err_set(err, PMG_E_PARSE, 0, "address family %d", from->ss_family);
	}
	settle(out);
	return 0;
}

int pmg_inet_parse(const char *text, struct pmg_inet *out, struct pmg_err *err)
{
	pmg_autofree char *host = NULL;
	struct pmg_inet end;
	struct in_addr v4;
	int r = pmg_hostport_parse(text, 0, &host, &end.port, err);

	if (r < 0)
		return r;
	if (inet_pton(AF_INET, host, &v4) == 1)
		map(&v4, &end.address);
	else if (inet_pton(AF_INET6, host, &end.address) != 1)
		return pmg_err_set(err, PMG_E_PARSE, 0, "not an address and port");
	settle(&end);
	*out = end;
	return 0;
}

bool pmg_inet_is_same(const struct pmg_inet *a, const struct pmg_inet *b)
{
	return a->port == b->port && memcmp(&a->address, &b->address, sizeof a->address) == 0;
}

bool pmg_inet_is_loopback(const struct pmg_inet *end)
{
	if (IN6_IS_ADDR_V4MAPPED(&end->address))
		return end->address.s6_addr[12] == 127;
	return IN6_IS_ADDR_LOOPBACK(&end->address);
}

char *pmg_inet_host(const struct pmg_inet *end)
{
	bool is_v4 = IN6_IS_ADDR_V4MAPPED(&end->address);
	char text[INET6_ADDRSTRLEN] = "";

	(void)inet_ntop(is_v4 ? AF_INET : AF_INET6,
			is_v4 ? (const void *)(end->address.s6_addr + 12) : &end->address, text,
			sizeof text);
	return pmg_xstrdup(text);
}
