#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "../helper/child.h"
#include "base/str.h"
#include "kernel/netlink.h"
#include "kernel/ns.h"
#include "sandbox/walls_priv.h"

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static struct pmg_wire_walls walls;
static int fds[PMG_MSG_FDS_MAX];
static size_t n_fds;

static void allow(struct pmg_policy *policy, enum pmg_rank rank, const char *host)
{
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *text = pmg_xstrdup(host);
	char source[] = "test:1";
	const struct pmg_policy_rule rule = { .access = PMG_ACCESS_CONNECT,
					      .rank = rank,
					      .roles = PMG_ROLE_ANY,
					      .text = text,
					      .source = source };

	if (pmg_policy_add(policy, &rule, &err) < 0) {
		fprintf(stderr, "%s\n", err.msg);
		_exit(99);
	}
}

/* New network, listeners in it. */
static int build(struct pmg_policy *policy)
{
	struct pmg_err err = PMG_ERR_INIT;
	bool own;

	pmg_policy_seal(policy);
	CHILD_OK(pmg_ns_enter(CLONE_NEWNET, &own, &err), err);
	CHILD_OK(pmg_netlink_all_local(&err), err);
	CHILD_OK(pmg_walls_listen(policy, &walls, fds, &n_fds, &err), err);
	CHILD_CHECK(walls.kinds.n == n_fds);
	return 0;
}

static int connect_to(const char *address, uint16_t port, int type)
{
	union address to = { 0 };
	pmg_autofd int fd = -1;
	socklen_t len = sizeof to.v4;

	if (strchr(address, ':')) {
		to.v6.sin6_family = AF_INET6;
		to.v6.sin6_port = htons(port);
		(void)inet_pton(AF_INET6, address, &to.v6.sin6_addr);
		len = sizeof to.v6;
	} else {
		to.v4.sin_family = AF_INET;
		to.v4.sin_port = htons(port);
		(void)inet_pton(AF_INET, address, &to.v4.sin_addr);
	}
	fd = socket(to.any.sa_family, type | SOCK_CLOEXEC, 0);
	if (connect(fd, &to.any, len) < 0)
		return errno;
	return type == SOCK_DGRAM && send(fd, "q", 1, 0) != 1 ? errno : 0;
}

/* Kind of the listener that has something to take; NULL: none. */
static const char *which(void)
{
	char byte;
	size_t i;

	for (i = 0; i < n_fds; i++) {
		pmg_autofd int peer = accept4(fds[i], NULL, NULL, SOCK_CLOEXEC);

		if (peer >= 0 || (errno == EOPNOTSUPP && recv(fds[i], &byte, 1, 0) == 1))
			return walls.kinds.v[i];
	}
	return NULL;
}

static const struct {
	const char *address;
	uint16_t port;
	int type;
	const char *kind; /* NULL: refused */
} rows[] = {
	{ "127.0.0.1", PMG_SANDBOX_PROXY_PORT, SOCK_STREAM, "proxy" },
	{ "10.99.0.1", PMG_SANDBOX_PROXY_PORT, SOCK_STREAM, NULL },
	{ "10.99.0.1", 80, SOCK_STREAM, "http" },
	{ "10.99.0.1", 443, SOCK_STREAM, "tls" },
	{ "127.0.0.1", 443, SOCK_STREAM, "tls" },
	{ "fd00::1", 80, SOCK_STREAM, "http" },
	{ "fd00::1", 443, SOCK_STREAM, "tls" },
	{ "10.99.0.53", 53, SOCK_STREAM, "dns-tcp" },
	{ "fd00::53", 53, SOCK_STREAM, "dns-tcp" },
	{ "10.99.0.53", 53, SOCK_DGRAM, "dns-udp" },
	{ "fd00::53", 53, SOCK_DGRAM, "dns-udp" },
	{ "10.99.0.1", 5432, SOCK_STREAM, "port" },
	{ "fd00::1", 5432, SOCK_STREAM, "port" },
	{ "10.99.0.1", 6379, SOCK_STREAM, "port" },
	{ "10.99.0.1", 25, SOCK_STREAM, NULL },
	{ "10.99.0.1", 8080, SOCK_STREAM, NULL },
	{ "fd00::1", 8080, SOCK_STREAM, NULL },
};

static int every_kind(void)
{
	pmg_auto(policy) struct pmg_policy *policy = pmg_policy_new();
	size_t i;

	allow(policy, PMG_RANK_ALLOW, "db.test:5432");
	allow(policy, PMG_RANK_ALLOW, "other.test:5432");
	allow(policy, PMG_RANK_ALLOW, "web.test:443");
	allow(policy, PMG_RANK_ALLOW, "any.test");
	allow(policy, PMG_RANK_ALLOW, "registry");
	allow(policy, PMG_RANK_OPT_OUT, "10.99.0.1:6379");
	allow(policy, PMG_RANK_DENY, "mail.test:25");
	CHILD_CHECK(build(policy) == 0);
	CHILD_CHECK(n_fds == 13 && walls.notes.n == 0);
	CHILD_CHECK(pmg_streq(walls.kinds.v[0], "proxy"));
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		int r = connect_to(rows[i].address, rows[i].port, rows[i].type);
		const char *kind = which();

		if (!pmg_streq(kind, rows[i].kind) || (r == 0) != (rows[i].kind != NULL)) {
			fprintf(stderr, "row %zu: %s, %s\n", i, strerror(r), kind ? kind : "-");
			return 1;
		}
	}
	for (i = 0; i < n_fds; i++) {
		CHILD_CHECK(fcntl(fds[i], F_GETFD) == FD_CLOEXEC);
		CHILD_CHECK(fcntl(fds[i], F_GETFL) & O_NONBLOCK);
	}
	pmg_wire_walls_done(&walls);
	return 0;
}

static int many_ports(void)
{
	pmg_auto(policy) struct pmg_policy *policy = pmg_policy_new();
	int i;

	for (i = 0; i < 40; i++) {
		char text[32];

		(void)snprintf(text, sizeof text, "h.test:%d", 2000 + i);
		allow(policy, PMG_RANK_ALLOW, text);
	}
	CHILD_CHECK(build(policy) == 0);
	CHILD_CHECK(n_fds == 47 && walls.notes.n == 1);
	CHILD_CHECK(strstr(walls.notes.v[0], "21 of the ports"));
	pmg_wire_walls_done(&walls);
	return 0;
}

static int port_in_use(void)
{
	pmg_auto(policy) struct pmg_policy *policy = pmg_policy_new();
	struct pmg_err err = PMG_ERR_INIT;

	CHILD_CHECK(build(policy) == 0);
	pmg_wire_walls_done(&walls);
	n_fds = 77;
	CHILD_CHECK(pmg_walls_listen(policy, &walls, fds, &n_fds, &err) == -PMG_E_SYS);
	CHILD_CHECK(err.errnum == EADDRINUSE && n_fds == 77 && walls.kinds.n == 0);
	return 0;
}

CHILD_CASE(each_way_out_has_its_listener_and_no_other, every_kind)
CHILD_CASE(too_many_ports_are_said, many_ports)
CHILD_CASE(a_port_that_cannot_be_had_is_an_error, port_in_use)

static int can(void)
{
	pmg_auto(policy) struct pmg_policy *policy = pmg_policy_new();

	return build(policy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_way_out_has_its_listener_and_no_other),
		cmocka_unit_test(too_many_ports_are_said),
		cmocka_unit_test(a_port_that_cannot_be_had_is_an_error),
	};
	pmg_autofd int v6 = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (v6 < 0 || in_child(can, true) != 0)
		return child_skip("no namespaces or no IPv6 here");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
