#include "kernel/netlink.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "../helper/child.h"
#include "base/mem.h"
#include "kernel/ns.h"

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static socklen_t fill(union address *out, int family, const char *text, uint16_t port)
{
	memset(out, 0, sizeof *out);
	out->any.sa_family = (sa_family_t)family;
	if (family == AF_INET) {
		out->v4.sin_port = htons(port);
		(void)inet_pton(family, text, &out->v4.sin_addr);
		return sizeof out->v4;
	}
	out->v6.sin6_port = htons(port);
	(void)inet_pton(family, text, &out->v6.sin6_addr);
	return sizeof out->v6;
}

static int listen_at(int family, int kind, const char *text, uint16_t port)
{
	int fd = socket(family, kind | SOCK_CLOEXEC, 0), on = 1;
	union address address;
	socklen_t len = fill(&address, family, text, port);

	if (family == AF_INET6)
		(void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
	if (fd < 0 || bind(fd, &address.any, len) < 0 ||
	    (kind == SOCK_STREAM && listen(fd, 8) < 0)) {
		perror("listen");
		return -1;
	}
	return fd;
}

/* Without blocking: in a namespace where nothing is local it would never be answered. */
static int connect_to(int family, const char *text, uint16_t port)
{
	pmg_autofd int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	union address address;
	socklen_t len = fill(&address, family, text, port);

	return connect(fd, &address.any, len) < 0 ? errno : 0;
}

static const struct {
	int family;
	const char *address;
	uint16_t port;
} rows[] = {
	{ AF_INET, "10.99.0.1", 80 },      { AF_INET, "127.0.0.1", 80 },
	{ AF_INET, "10.254.254.1", 80 },   { AF_INET, "127.5.6.7", 80 },
	{ AF_INET6, "fd00::1", 443 },      { AF_INET6, "::1", 443 },
	{ AF_INET6, "fd70:6d67::1", 443 },
};

static bool has_v6(void)
{
	pmg_autofd int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return fd >= 0;
}

/* What getaddrinfo() looks at for AI_ADDRCONFIG. */
static bool has_address(int family)
{
	struct ifaddrs *list = NULL, *one;
	bool found = false;

	if (getifaddrs(&list) < 0)
		return false;
	for (one = list; one; one = one->ifa_next) {
		const union address *address = (const union address *)(const void *)one->ifa_addr;

		if (!address || address->any.sa_family != family)
			continue;
		if (family == AF_INET)
			found = found || ntohl(address->v4.sin_addr.s_addr) != INADDR_LOOPBACK;
		else
			found = found || !IN6_IS_ADDR_LOOPBACK(&address->v6.sin6_addr);
	}
	freeifaddrs(list);
	return found;
}

static int nothing_is_local(void)
{
	struct pmg_err err = PMG_ERR_INIT;
	bool own;
	size_t i;

	CHILD_OK(pmg_ns_enter(CLONE_NEWNET, &own, &err), err);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		if (rows[i].family == AF_INET || has_v6())
			CHILD_CHECK(connect_to(rows[i].family, rows[i].address, rows[i].port) != 0);
	CHILD_CHECK(!has_address(AF_INET) && !has_address(AF_INET6));
	return 0;
}

static int exchange(int listener, size_t i)
{
	pmg_autofd int peer = -1;
	union address to;
	socklen_t len = sizeof to;
	char text[INET6_ADDRSTRLEN] = "";

	CHILD_CHECK(connect_to(rows[i].family, rows[i].address, rows[i].port) == 0);
	peer = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	CHILD_CHECK(peer >= 0 && getsockname(peer, &to.any, &len) == 0);
	/* Who accepts learns where to the caller meant to go. */
	(void)inet_ntop(rows[i].family,
			rows[i].family == AF_INET ? (void *)&to.v4.sin_addr
						  : (void *)&to.v6.sin6_addr,
			text, sizeof text);
	CHILD_CHECK(strcmp(text, rows[i].address) == 0);
	return 0;
}

static int datagram(void)
{
	pmg_autofd int server = listen_at(AF_INET, SOCK_DGRAM, "0.0.0.0", 53);
	pmg_autofd int client = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	union address to;
	socklen_t len = fill(&to, AF_INET, "10.99.0.53", 53);
	char buf[4] = "";

	CHILD_CHECK(sendto(client, "ask", 3, 0, &to.any, len) == 3);
	CHILD_CHECK(recv(server, buf, sizeof buf, MSG_DONTWAIT) == 3 && memcmp(buf, "ask", 3) == 0);
	return 0;
}

static int all_is_local(void)
{
	struct pmg_err err = PMG_ERR_INIT;
	int listeners[2] = { -1, -1 };
	bool own;
	size_t i;

	CHILD_OK(pmg_ns_enter(CLONE_NEWNET, &own, &err), err);
	CHILD_OK(pmg_netlink_all_local(&err), err);
	CHILD_OK(pmg_netlink_all_local(&err), err); /* what is there already is fine */
	listeners[0] = listen_at(AF_INET, SOCK_STREAM, "0.0.0.0", 80);
	listeners[1] = has_v6() ? listen_at(AF_INET6, SOCK_STREAM, "::", 443) : -1;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		if (rows[i].family == AF_INET || has_v6())
			CHILD_CHECK(exchange(listeners[rows[i].family == AF_INET6], i) == 0);
	CHILD_CHECK(connect_to(AF_INET, "10.99.0.1", 8080) == ECONNREFUSED); /* at once */
	CHILD_CHECK(datagram() == 0);
	CHILD_CHECK(has_address(AF_INET));
	CHILD_CHECK(!has_v6() || has_address(AF_INET6));
	return 0;
}

static void every_address_is_local(void **state)
{
	(void)state;
	if (geteuid() == 0) {
		assert_int_equal(in_child(nothing_is_local, false), 0);
		assert_int_equal(in_child(all_is_local, false), 0);
	}
	assert_int_equal(in_child(nothing_is_local, true), 0);
	assert_int_equal(in_child(all_is_local, true), 0);
}

static int without_rights(void)
{
	struct pmg_err err = PMG_ERR_INIT;

	CHILD_CHECK(pmg_netlink_all_local(&err) == -PMG_E_SYS);
	CHILD_CHECK(err.errnum == EPERM);
	return 0;
}

static void without_rights_nothing_is_changed(void **state)
{
	(void)state;
	assert_int_equal(in_child(without_rights, true), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_address_is_local),
		cmocka_unit_test(without_rights_nothing_is_changed),
	};

	if (in_child(nothing_is_local, true) != 0)
		return child_skip("no namespaces here");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
