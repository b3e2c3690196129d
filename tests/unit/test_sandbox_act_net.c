/*
 * connect, bind and sending to addresses, in a network namespace of the test's own in which, as in
 * a run, every address is local. Whatever is refused also works without the broker.
 */
#include "sandbox/net_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/msg.h"
#include "base/str.h"
#include "kernel/netlink.h"
#include "kernel/ns.h"
#include "tests/helper/broker.h"
#include "tests/helper/folder.h"
#include "violation/wire.h"

#define HOST    "10.99.0.1"
#define MAPPED  "::ffff:10.99.0.1"
#define LISTENS 10

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
	struct sockaddr_un local;
};

static struct pmg_policy *policy;
static char *top;
static int listeners[LISTENS];
static size_t n_listeners;
static int proxy[2] = { -1, -1 };

static socklen_t fill(union address *out, const char *text, uint16_t port)
{
	memset(out, 0, sizeof *out);
	if (inet_pton(AF_INET, text, &out->v4.sin_addr) == 1) {
		out->v4.sin_family = AF_INET;
		out->v4.sin_port = htons(port);
		return sizeof out->v4;
	}
	out->v6.sin6_family = AF_INET6;
	out->v6.sin6_port = htons(port);
	assert_int_equal(inet_pton(AF_INET6, text, &out->v6.sin6_addr), 1);
	return sizeof out->v6;
}

static socklen_t fill_local(union address *out, const char *name)
{
	size_t len = strlen(name);

	memset(out, 0, sizeof *out);
	out->local.sun_family = AF_UNIX;
	assert_true(len < sizeof out->local.sun_path);
	memcpy(out->local.sun_path, name, len);
	if (name[0] == '@')
		out->local.sun_path[0] = '\0';
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
}

static int listen_at(int type, const union address *address, socklen_t len)
{
	int fd = socket(address->any.sa_family, type | SOCK_CLOEXEC, 0);

	if (bind(fd, &address->any, len) < 0 || (type == SOCK_STREAM && listen(fd, 64) < 0))
		return -1;
	assert_true(n_listeners < LISTENS);
	listeners[n_listeners++] = fd;
	return fd;
}

static int listen_inet(int type, const char *host, uint16_t port)
{
	union address address;
	socklen_t len = fill(&address, host, port);
	int fd = listen_at(type, &address, len);

	assert_true(fd >= 0);
	return fd;
}

static void rule(enum pmg_access access, enum pmg_rank rank, const char *text)
{
	broker_rule(policy, access, rank, text);
}

static int setup(void **state)
{
	(void)state;
	top = folder_new();
	folder_write(top, "open/x", "", 0);
	folder_write(top, "closed/x", "", 0);
	policy = broker_policy(top);
	n_listeners = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	while (n_listeners > 0)
		(void)close(listeners[--n_listeners]);
	pmg_auto_closep(&proxy[0]);
	pmg_auto_closep(&proxy[1]);
	proxy[0] = proxy[1] = -1;
	pmg_policy_free(policy);
	folder_free(top);
	return 0;
}

static void with_proxy(struct pmg_broker *broker)
{
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(pmg_msg_pair(proxy, &err), 0);
	broker->proxy = proxy[0];
}

/* What a child did, and how it went; shared with it. */
struct attempt {
	int type;
	bool nonblocking, datagram;
	union address to;
	socklen_t len;
	int result; /* errno */
	uint16_t port;
};

static void attempt_connect(void *arg)
{
	struct attempt *attempt = arg;
	int fd = socket(attempt->to.any.sa_family,
			attempt->type | (attempt->nonblocking ? SOCK_NONBLOCK : 0), 0);
	struct pollfd ready = { .fd = fd, .events = POLLOUT };
	struct sockaddr_in6 at;
	socklen_t len = sizeof at;

	attempt->result = connect(fd, &attempt->to.any, attempt->len) < 0 ? errno : 0;
	if (attempt->result == EINPROGRESS && poll(&ready, 1, -1) == 1)
		attempt->result = connect(fd, &attempt->to.any, attempt->len) < 0 ? errno : 0;
	if (getsockname(fd, (struct sockaddr *)&at, &len) == 0)
		attempt->port = ntohs(at.sin6_port);
	(void)close(fd);
}

static void attempt_send(void *arg)
{
	struct attempt *attempt = arg;
	int fd = socket(attempt->to.any.sa_family, SOCK_DGRAM, 0);
	char byte = 'x';
	struct iovec iov = { &byte, 1 };
	struct mmsghdr two[2];
	size_t i;

	for (i = 0; i < 2; i++)
		two[i] = (struct mmsghdr){ .msg_hdr = { .msg_name = &attempt->to,
							.msg_namelen = attempt->len,
							.msg_iov = &iov,
							.msg_iovlen = 1 } };
	attempt->result = sendto(fd, &byte, 1, 0, &attempt->to.any, attempt->len) < 0 ? errno : 0;
	if (attempt->result == 0 && sendmsg(fd, &two[0].msg_hdr, 0) != 1)
		attempt->result = errno;
	if (attempt->result == 0 && sendmmsg(fd, two, 2, 0) != 2)
		attempt->result = errno;
	(void)close(fd);
}

static void attempt_bind(void *arg)
{
	struct attempt *attempt = arg;
	int fd = socket(attempt->to.any.sa_family, attempt->type, 0);

	attempt->result = bind(fd, &attempt->to.any, attempt->len) < 0 ? errno : 0;
	(void)close(fd);
}

static void guarded(void (*body)(void *), struct attempt *attempt, struct pmg_events *events)
{
	assert_int_equal(broker_serve_child(policy, with_proxy, body, attempt, events), 0);
}

/* "PMGnnnn target" of each refusal, by commas; "" when there is none. */
static void assert_refused(const struct pmg_events *events, const char *expected)
{
	pmg_auto(str) struct pmg_str all = PMG_STR_INIT(4096);
	size_t i;

	for (i = 0; i < events->n; i++)
		assert_int_equal(pmg_str_addf(&all, "%s%d %s", i ? ", " : "", events->v[i].code,
					      events->v[i].target),
				 0);
	assert_string_equal(all.s ? all.s : "", expected);
}

/* "tcp4 10.99.0.1:443", what pmg-proxy was told; "" when nothing. port: -1: any */
static void assert_told(const char *expected, int port)
{
	pmg_auto(msg) struct pmg_msg msg = { 0 };
	pmg_auto(wire_connect) struct pmg_wire_connect told = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;

	assert_true(fcntl(proxy[1], F_SETFL, O_NONBLOCK) == 0);
	if (!*expected) {
		assert_int_equal(pmg_msg_recv(proxy[1], &msg, &err), -PMG_E_TIMEOUT);
		return;
	}
	assert_int_equal(pmg_msg_recv(proxy[1], &msg, &err), 1);
	assert_int_equal(msg.type, PMG_WIRE_CONNECT);
	assert_int_equal(pmg_wire_connect_decode(msg.body, &told, &err), 0);
	text = pmg_xasprintf("%s %s", told.protocol, told.target);
	assert_string_equal(text, expected);
	assert_int_equal(told.role, PMG_ROLE_MANAGER);
	assert_true(told.process.n > 0);
	if (port >= 0)
		assert_int_equal(told.local ? atoi(strrchr(told.local, ':') + 1) : 0, port);
}

static const struct {
	int type;
	const char *host;
	uint16_t port;
	int result;
	const char *refused, *told;
} connects[] = {
	{ SOCK_STREAM, HOST, 443, 0, "", "tcp4 10.99.0.1:443" },
	{ SOCK_STREAM, HOST, 80, 0, "", "tcp4 10.99.0.1:80" },
	{ SOCK_STREAM, "::1", 443, 0, "", "tcp6 [::1]:443" },
	{ SOCK_STREAM, MAPPED, 443, 0, "", "tcp4 10.99.0.1:443" },
	{ SOCK_STREAM, "127.0.0.1", 61080, 0, "", "tcp4 127.0.0.1:61080" },
	{ SOCK_STREAM, HOST, 61080, EACCES, "2009 tcp 10.99.0.1:61080", "" },
	{ SOCK_STREAM, HOST, 8080, EACCES, "2009 tcp 10.99.0.1:8080", "" },
	{ SOCK_STREAM, MAPPED, 8080, EACCES, "2009 tcp 10.99.0.1:8080", "" },
	{ SOCK_STREAM, "127.0.0.1", 8080, EACCES, "2009 tcp 127.0.0.1:8080", "" },
	{ SOCK_STREAM, "::1", 8080, EACCES, "2009 tcp [::1]:8080", "" },
	{ SOCK_STREAM, HOST, 5432, 0, "", "tcp4 10.99.0.1:5432" },
	{ SOCK_STREAM, "10.99.0.2", 5432, EACCES, "2009 tcp 10.99.0.2:5432", "" },
	{ SOCK_STREAM, "198.18.0.7", 8443, 0, "", "tcp4 198.18.0.7:8443" },
	{ SOCK_STREAM, "198.19.255.7", 8443, 0, "", "tcp4 198.19.255.7:8443" },
	{ SOCK_STREAM, "198.20.0.1", 8443, EACCES, "2009 tcp 198.20.0.1:8443", "" },
	{ SOCK_STREAM, "fd00:706d:67::7", 8443, 0, "", "tcp6 [fd00:706d:67::7]:8443" },
	/* Refused here, recorded by pmg-proxy, which knows the name: of port 0. */
	{ SOCK_STREAM, "198.18.0.7", 8080, EACCES, "", "tcp4 198.18.0.7:8080" },
	{ SOCK_DGRAM, HOST, 53, 0, "", "udp4 10.99.0.1:53" },
	{ SOCK_DGRAM, "::1", 53, 0, "", "udp6 [::1]:53" },
	{ SOCK_DGRAM, HOST, 443, 0, "", "" },
	{ SOCK_DGRAM, HOST, 0, 0, "", "" },
	{ SOCK_DGRAM, HOST, 9999, EACCES, "2009 udp 10.99.0.1:9999", "" },
	{ SOCK_DGRAM, "127.0.0.1", 61080, EACCES, "2009 udp 127.0.0.1:61080", "" },
};

static void only_what_leads_to_the_proxy_is_connected(void **state)
{
	static const uint16_t ports[] = { 80, 443, 8080, 61080, 5432, 8443 };
	struct attempt *attempt = broker_shared(sizeof *attempt);
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(ports); i++)
		(void)listen_inet(SOCK_STREAM, "::", ports[i]);
	rule(PMG_ACCESS_CONNECT, PMG_RANK_ALLOW, HOST ":5432");
	rule(PMG_ACCESS_CONNECT, PMG_RANK_ALLOW, "name.test:8443");
	pmg_policy_seal(policy);
	for (i = 0; i < 2 * PMG_ARRAY_LEN(connects); i++) {
		size_t row = i / 2;
		pmg_auto(events) struct pmg_events events = { 0 };

		*attempt = (struct attempt){ .type = connects[row].type, .nonblocking = i % 2 };
		attempt->len = fill(&attempt->to, connects[row].host, connects[row].port);
		assert_int_equal(broker_bare_child(attempt_connect, attempt), 0);
		assert_int_equal(attempt->result, 0); /* so that a refusal means something */
		guarded(attempt_connect, attempt, &events);
		assert_int_equal(attempt->result, connects[row].result);
		assert_refused(&events, connects[row].refused);
		assert_told(connects[row].told, attempt->port);
		assert_told("", -1); /* once, however often it asked how its connection goes */
		pmg_auto_closep(&proxy[0]);
		pmg_auto_closep(&proxy[1]);
	}
}

static void nobody_listening_is_no_refusal(void **state)
{
	struct attempt *attempt = broker_shared(sizeof *attempt);
	pmg_auto(events) struct pmg_events events = { 0 };

	(void)state;
	pmg_policy_seal(policy);
	attempt->type = SOCK_STREAM;
	attempt->len = fill(&attempt->to, HOST, 443);
	guarded(attempt_connect, attempt, &events);
	assert_int_equal(attempt->result, ECONNREFUSED);
	assert_refused(&events, "");
}

static void datagrams_go_to_name_servers_only(void **state)
{
	static const struct {
		const char *host;
		uint16_t port;
		int result;
		const char *refused, *told;
	} rows[] = {
		{ HOST, 53, 0, "", "udp4 10.99.0.1:53" },
		{ "::1", 53, 0, "", "udp6 [::1]:53" },
		{ HOST, 9999, EACCES, "2009 udp 10.99.0.1:9999", "" },
		{ "127.0.0.1", 9999, EACCES, "2009 udp 127.0.0.1:9999", "" },
		{ HOST, 443, EACCES, "2009 udp 10.99.0.1:443", "" },
	};
	struct attempt *attempt = broker_shared(sizeof *attempt);
	size_t i;

	(void)state;
	(void)listen_inet(SOCK_DGRAM, "::", 53);
	(void)listen_inet(SOCK_DGRAM, "::", 9999);
	(void)listen_inet(SOCK_DGRAM, "::", 443);
	pmg_policy_seal(policy);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(events) struct pmg_events events = { 0 };

		attempt->len = fill(&attempt->to, rows[i].host, rows[i].port);
		assert_int_equal(broker_bare_child(attempt_send, attempt), 0);
		assert_int_equal(attempt->result, 0);
		guarded(attempt_send, attempt, &events);
		assert_int_equal(attempt->result, rows[i].result);
		assert_refused(&events, rows[i].refused);
		assert_told(rows[i].told, -1);
		pmg_auto_closep(&proxy[0]);
		pmg_auto_closep(&proxy[1]);
	}
}

static void ports_are_bound_as_rules_say(void **state)
{
	static const struct {
		int type;
		const char *host;
		uint16_t port;
		int result;
		const char *refused;
	} rows[] = {
		{ SOCK_STREAM, "127.0.0.1", 5173, 0, "" },
		{ SOCK_STREAM, "127.0.0.1", 5174, EACCES, "2014 tcp 127.0.0.1:5174" },
		{ SOCK_STREAM, "0.0.0.0", 5173, EACCES, "2014 tcp 0.0.0.0:5173" },
		{ SOCK_STREAM, "::", 5173, EACCES, "2014 tcp [::]:5173" },
		{ SOCK_STREAM, "127.0.0.1", 6000, 0, "" },
		{ SOCK_STREAM, "::1", 6000, 0, "" },
		{ SOCK_STREAM, "127.0.0.1", 0, 0, "" },
		{ SOCK_STREAM, "::", 0, 0, "" },
		{ SOCK_STREAM, "127.0.0.2", 0, EACCES, "2014 tcp 127.0.0.2:0" },
		{ SOCK_DGRAM, "0.0.0.0", 0, 0, "" },
		{ SOCK_DGRAM, "0.0.0.0", 5173, EACCES, "2014 udp 0.0.0.0:5173" },
	};
	struct attempt *attempt = broker_shared(sizeof *attempt);
	size_t i;

	(void)state;
	rule(PMG_ACCESS_BIND, PMG_RANK_ALLOW, "127.0.0.1:5173");
	rule(PMG_ACCESS_BIND, PMG_RANK_ALLOW, "localhost:6000");
	rule(PMG_ACCESS_BIND, PMG_RANK_DENY, "127.0.0.2:0");
	pmg_policy_seal(policy);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(events) struct pmg_events events = { 0 };

		*attempt = (struct attempt){ .type = rows[i].type };
		attempt->len = fill(&attempt->to, rows[i].host, rows[i].port);
		assert_int_equal(broker_bare_child(attempt_bind, attempt), 0);
		assert_int_equal(attempt->result, 0);
		guarded(attempt_bind, attempt, &events);
		assert_int_equal(attempt->result, rows[i].result);
		assert_refused(&events, rows[i].refused);
		pmg_auto_closep(&proxy[0]);
		pmg_auto_closep(&proxy[1]);
	}
}

static void bind_as_script(void *arg)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		attempt_bind(arg);
		_exit(0);
	}
	(void)waitpid(pid, &status, 0);
}

/* The debugger of node, which SIGUSR1 opens. */
static void a_manager_listens_nowhere(void **state)
{
	struct attempt *attempt = broker_shared(sizeof *attempt);
	pmg_auto(events) struct pmg_events refused = { 0 }, none = { 0 };

	(void)state;
	policy->any_bind = true;
	policy->has_manager = true;
	rule(PMG_ACCESS_BIND, PMG_RANK_ALLOW, "127.0.0.1:9229");
	pmg_policy_seal(policy);
	*attempt = (struct attempt){ .type = SOCK_STREAM };
	attempt->len = fill(&attempt->to, "127.0.0.1", 9229);
	guarded(attempt_bind, attempt, &refused);
	assert_int_equal(attempt->result, EACCES);
	assert_refused(&refused, "2014 tcp 127.0.0.1:9229");
	assert_null(refused.v[0].allow);
	guarded(bind_as_script, attempt, &none);
	assert_int_equal(attempt->result, 0);
	assert_refused(&none, "");
}

/* A server that the run starts on loopback, by a port the kernel chose. */
static void serve_oneself(void *arg)
{
	struct attempt *attempt = arg;
	int server = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t len = sizeof attempt->to;

	attempt->result = 1000;
	if (bind(server, &attempt->to.any, attempt->len) < 0 || listen(server, 1) < 0 ||
	    getsockname(server, &attempt->to.any, &len) < 0)
		return;
	attempt->result = connect(client, &attempt->to.any, len) < 0 ? errno : 0;
}

static void the_run_reaches_what_it_has_bound(void **state)
{
	struct attempt *attempt = broker_shared(sizeof *attempt);
	pmg_auto(events) struct pmg_events events = { 0 };

	(void)state;
	policy->any_bind = true;
	pmg_policy_seal(policy);
	attempt->len = fill(&attempt->to, "127.0.0.1", 0);
	guarded(serve_oneself, attempt, &events);
	assert_int_equal(attempt->result, 0);
	assert_refused(&events, "");
	assert_told("", -1);
}

static void listen_local(const char *name)
{
	union address address;
	socklen_t len = fill_local(&address, name);

	assert_true(listen_at(SOCK_STREAM, &address, len) >= 0);
}

static void local_sockets_are_judged_by_their_place(void **state)
{
	pmg_autofree char *open_socket = pmg_path_join(top, "open/s");
	pmg_autofree char *closed_socket = pmg_path_join(top, "closed/s");
	pmg_autofree char *link = pmg_path_join(top, "open/link");
	pmg_autofree char *allowed = pmg_path_join(top, "closed/allowed");
	pmg_autofree char *closed = pmg_path_join(top, "closed/**");
	pmg_autofree char *missing = pmg_path_join(top, "closed/missing");
	pmg_autofree char *refused = pmg_xasprintf("2013 unix %s", closed_socket);
	const struct {
		const char *name;
		int result;
		const char *refused;
	} rows[] = {
		{ open_socket, 0, "" },
		{ closed_socket, EACCES, refused },
		{ link, EACCES, refused }, /* judged is what it leads to */
		{ allowed, 0, "" },
		{ missing, ENOENT, "" },
		{ "@outside", EACCES, "2013 unix @outside" },
	};
	struct attempt *attempt = broker_shared(sizeof *attempt);
	size_t i;

	(void)state;
	assert_int_equal(symlink(closed_socket, link), 0);
	listen_local(open_socket);
	listen_local(closed_socket);
	listen_local(allowed);
	listen_local("@outside");
	rule(PMG_ACCESS_WRITE, PMG_RANK_DENY, closed);
	rule(PMG_ACCESS_UNIX, PMG_RANK_ALLOW, allowed);
	pmg_policy_seal(policy);
	for (i = 0; i < 2 * PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(events) struct pmg_events events = { 0 };

		*attempt = (struct attempt){ .type = SOCK_STREAM, .nonblocking = i % 2 };
		attempt->len = fill_local(&attempt->to, rows[i / 2].name);
		assert_int_equal(broker_bare_child(attempt_connect, attempt), 0);
		assert_int_equal(attempt->result, rows[i / 2].result == ENOENT ? ENOENT : 0);
		guarded(attempt_connect, attempt, &events);
		assert_int_equal(attempt->result, rows[i / 2].result);
		assert_refused(&events, rows[i / 2].refused);
		pmg_auto_closep(&proxy[0]);
		pmg_auto_closep(&proxy[1]);
	}
}

struct local {
	char path[108];
	char name[108]; /* by getsockname */
	mode_t mask;
	int bound, connected;
};

static void bind_and_connect(void *arg)
{
	struct local *local = arg;
	union address address, got = { 0 };
	socklen_t len = fill_local(&address, local->path), got_len = sizeof got;
	int server = socket(AF_UNIX, SOCK_STREAM, 0), client = socket(AF_UNIX, SOCK_STREAM, 0);

	(void)umask(local->mask);
	if (local->path[0] == '\0')
		len = offsetof(struct sockaddr_un, sun_path);
	local->bound = bind(server, &address.any, len) < 0 ? errno : 0;
	if (local->bound != 0 || listen(server, 4) < 0 ||
	    getsockname(server, &got.any, &got_len) < 0)
		return;
	memcpy(local->name, got.local.sun_path, sizeof local->name);
	if (local->path[0] == '\0') {
		address = got;
		len = got_len;
	}
	local->connected = connect(client, &address.any, len) < 0 ? errno : 0;
}

static void a_local_socket_is_made_where_one_may_write(void **state)
{
	pmg_autofree char *path = pmg_path_join(top, "open/made");
	pmg_autofree char *denied = pmg_path_join(top, "closed/made");
	pmg_autofree char *closed = pmg_path_join(top, "closed/**");
	pmg_autofree char *refused = pmg_xasprintf("2002 %s", denied);
	struct local *local = broker_shared(sizeof *local);
	pmg_auto(events) struct pmg_events events = { 0 }, none = { 0 };
	struct stat st;

	(void)state;
	rule(PMG_ACCESS_WRITE, PMG_RANK_DENY, closed);
	pmg_policy_seal(policy);
	(void)snprintf(local->path, sizeof local->path, "%s", path);
	local->mask = 0027;
	assert_int_equal(broker_serve_child(policy, NULL, bind_and_connect, local, &none), 0);
	assert_int_equal(local->bound, 0);
	assert_int_equal(local->connected, 0);
	assert_string_equal(local->name, "made");
	assert_int_equal(stat(path, &st), 0);
	assert_true(S_ISSOCK(st.st_mode));
	assert_int_equal(st.st_mode & 0777, 0750);
	assert_refused(&none, "");
	assert_int_equal(broker_serve_child(policy, NULL, bind_and_connect, local, &none), 0);
	assert_int_equal(local->bound, EADDRINUSE);
	(void)snprintf(local->path, sizeof local->path, "%s", denied);
	assert_int_equal(broker_serve_child(policy, NULL, bind_and_connect, local, &events), 0);
	assert_int_equal(local->bound, EACCES);
	assert_int_equal(stat(denied, &st), -1);
	assert_refused(&events, refused);
	assert_int_equal(broker_bare_child(bind_and_connect, local), 0);
	assert_int_equal(local->bound, 0);
}

static void abstract_sockets_of_the_run_are_its_own(void **state)
{
	static const char *const names[] = { "@mine", "" };
	struct local *local = broker_shared(sizeof *local);
	size_t i;

	(void)state;
	pmg_policy_seal(policy);
	for (i = 0; i < PMG_ARRAY_LEN(names); i++) {
		pmg_auto(events) struct pmg_events events = { 0 };

		(void)snprintf(local->path, sizeof local->path, "%s", names[i]);
		local->connected = 1000;
		assert_int_equal(broker_serve_child(policy, NULL, bind_and_connect, local, &events),
				 0);
		assert_int_equal(local->bound, 0);
		assert_int_equal(local->connected, 0);
		assert_refused(&events, "");
	}
}

/* A listener that takes nobody: who waits for it waits alone. */
static void wait_while_others_connect(void *arg)
{
	struct local *local = arg;
	union address address, other;
	socklen_t len = fill_local(&address, local->path), other_len = fill(&other, HOST, 443);
	int i, fd;

	for (i = 0; i < 8; i++) {
		if (fork() != 0)
			continue;
		fd = socket(AF_UNIX, SOCK_STREAM, 0);
		(void)connect(fd, &address.any, len);
		(void)pause();
	}
	for (i = 0; i < 50; i++) {
		fd = socket(AF_INET, SOCK_STREAM, 0);
		if (connect(fd, &other.any, other_len) < 0)
			_exit(1);
		(void)close(fd);
	}
	local->connected = 1;
	(void)kill(0, SIGKILL);
}

static void own_group(void *arg)
{
	(void)setpgid(0, 0);
	wait_while_others_connect(arg);
}

static void a_connect_that_waits_holds_up_nobody(void **state)
{
	pmg_autofree char *path = pmg_path_join(top, "open/full");
	struct local *local = broker_shared(sizeof *local);
	pmg_auto(events) struct pmg_events events = { 0 };
	union address address;
	socklen_t len = fill_local(&address, path);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	(void)state;
	assert_int_equal(bind(fd, &address.any, len), 0);
	assert_int_equal(listen(fd, 0), 0);
	listeners[n_listeners++] = fd;
	(void)listen_inet(SOCK_STREAM, "::", 443);
	pmg_policy_seal(policy);
	(void)snprintf(local->path, sizeof local->path, "%s", path);
	assert_true(WIFSIGNALED(broker_serve_child(policy, NULL, own_group, local, &events)));
	assert_int_equal(local->connected, 1);
}

static void on_alarm(int number)
{
	(void)number;
}

/* The backlog is full after the first, so the second waits until the signal. */
static void wait_until_a_signal(void *arg)
{
	struct local *local = arg;
	struct sigaction action = { .sa_handler = on_alarm };
	const struct itimerval often = { { 0, 50000 }, { 0, 50000 } };
	union address address;
	socklen_t len = fill_local(&address, local->path);
	int fds[2] = { socket(AF_UNIX, SOCK_STREAM, 0), socket(AF_UNIX, SOCK_STREAM, 0) };

	(void)sigaction(SIGALRM, &action, NULL);
	local->bound = connect(fds[0], &address.any, len) < 0 ? errno : 0;
	(void)setitimer(ITIMER_REAL, &often, NULL);
	local->connected = connect(fds[1], &address.any, len) < 0 ? errno : 0;
}

static void a_signal_ends_a_connect_that_waits(void **state)
{
	pmg_autofree char *path = pmg_path_join(top, "open/full");
	struct local *local = broker_shared(sizeof *local);
	pmg_auto(events) struct pmg_events events = { 0 };
	union address address;
	socklen_t len = fill_local(&address, path);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), taken;

	(void)state;
	assert_int_equal(bind(fd, &address.any, len), 0);
	assert_int_equal(listen(fd, 0), 0);
	listeners[n_listeners++] = fd;
	pmg_policy_seal(policy);
	(void)snprintf(local->path, sizeof local->path, "%s", path);
	assert_int_equal(broker_bare_child(wait_until_a_signal, local), 0);
	assert_int_equal(local->bound, 0);
	assert_int_equal(local->connected, EINTR);
	taken = accept(fd, NULL, NULL); /* the place is free again */
	assert_true(taken >= 0);
	(void)close(taken);
	local->connected = 0;
	assert_int_equal(broker_serve_child(policy, NULL, wait_until_a_signal, local, &events), 0);
	assert_int_equal(local->bound, 0);
	assert_int_equal(local->connected, EINTR);
	assert_refused(&events, "");
}

static enum pmg_access access_of(const char *allow)
{
	static const enum pmg_access kinds[] = { PMG_ACCESS_CONNECT, PMG_ACCESS_BIND,
						 PMG_ACCESS_UNIX };
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(kinds); i++)
		if (pmg_str_has_prefix(allow, pmg_access_name(kinds[i])))
			return kinds[i];
	fail_msg("%s", allow);
	return PMG_ACCESS_MAX;
}

/* Where nothing is allowed but to write outside "closed". */
static void renew_policy(void)
{
	pmg_autofree char *closed = pmg_path_join(top, "closed/**");

	pmg_policy_free(policy);
	policy = broker_policy(top);
	rule(PMG_ACCESS_WRITE, PMG_RANK_DENY, closed);
}

/* The first time it is refused; with what was suggested then it is not. */
static void check_allowance(void (*body)(void *), struct attempt *attempt)
{
	pmg_auto(events) struct pmg_events before = { 0 }, after = { 0 };
	const char *allow, *value;

	renew_policy();
	pmg_policy_seal(policy);
	assert_int_equal(broker_serve_child(policy, NULL, body, attempt, &before), 0);
	assert_int_equal(attempt->result, EACCES);
	assert_int_equal(before.n, 1);
	allow = before.v[0].allow;
	assert_non_null(allow);
	value = strchr(allow, '=');
	assert_non_null(value);
	renew_policy();
	rule(access_of(allow), PMG_RANK_ALLOW, value + 1);
	pmg_policy_seal(policy);
	assert_int_equal(broker_serve_child(policy, NULL, body, attempt, &after), 0);
	assert_int_equal(attempt->result, 0);
	assert_refused(&after, "");
}

static void what_is_suggested_lets_it_through(void **state)
{
	static const char *const hosts[] = { HOST, "::1" };
	pmg_autofree char *path = pmg_path_join(top, "closed/a*[b]");
	struct attempt *attempt = broker_shared(sizeof *attempt);
	size_t i;

	(void)state;
	(void)listen_inet(SOCK_STREAM, "::", 8080);
	listen_local(path);
	attempt->type = SOCK_STREAM;
	for (i = 0; i < PMG_ARRAY_LEN(hosts); i++) {
		attempt->len = fill(&attempt->to, hosts[i], 8080);
		check_allowance(attempt_connect, attempt);
		attempt->len = fill(&attempt->to, hosts[i], 5173);
		check_allowance(attempt_bind, attempt);
	}
	attempt->len = fill_local(&attempt->to, path);
	check_allowance(attempt_connect, attempt);
}

static void nothing_is_suggested_that_would_not_help(void **state)
{
	struct attempt *attempt = broker_shared(sizeof *attempt);
	pmg_auto(events) struct pmg_events sent = { 0 }, connected = { 0 }, local = { 0 };

	(void)state;
	pmg_policy_seal(policy);
	attempt->type = SOCK_DGRAM;
	attempt->len = fill(&attempt->to, HOST, 9999);
	assert_int_equal(broker_serve_child(policy, NULL, attempt_send, attempt, &sent), 0);
	assert_int_equal(broker_serve_child(policy, NULL, attempt_connect, attempt, &connected), 0);
	attempt->type = SOCK_STREAM;
	attempt->len = fill_local(&attempt->to, "@outside");
	assert_int_equal(broker_serve_child(policy, NULL, attempt_connect, attempt, &local), 0);
	assert_int_equal(sent.n, 1);
	assert_int_equal(connected.n, 1);
	assert_int_equal(local.n, 1);
	assert_null(local.v[0].allow);
	assert_null(sent.v[0].allow);
	assert_null(connected.v[0].allow);
}

struct race {
	union address to;
	int over; /* atomic */
	unsigned passed, refused;
};

static void *flip(void *arg)
{
	struct race *race = arg;
	volatile in_port_t *port = &race->to.v4.sin_port;

	while (!__atomic_load_n(&race->over, __ATOMIC_SEQ_CST))
		*port = *port == htons(443) ? htons(8080) : htons(443);
	return NULL;
}

static void connect_racing(void *arg)
{
	struct race *race = arg;
	pthread_t thread;
	int i;

	if (pthread_create(&thread, NULL, flip, race) != 0)
		_exit(1);
	for (i = 0; i < 2000; i++) {
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		int r = connect(fd, &race->to.any, sizeof race->to.v4);

		race->passed += r == 0 || errno == EINPROGRESS;
		race->refused += r < 0 && errno == EACCES;
		(void)close(fd);
	}
	__atomic_store_n(&race->over, 1, __ATOMIC_SEQ_CST);
	(void)pthread_join(thread, NULL);
}

/* Drops what waits at 443, and counts what came to 8080. */
static void *accept_all(void *arg)
{
	int fd;

	while ((fd = accept(*(int *)arg, NULL, NULL)) >= 0)
		(void)close(fd);
	return NULL;
}

static void an_address_that_is_flipped_reaches_nobody(void **state)
{
	struct race *race = broker_shared(sizeof *race);
	pmg_auto(events) struct pmg_events events = { 0 };
	int allowed = listen_inet(SOCK_STREAM, "0.0.0.0", 443);
	int denied = listen_inet(SOCK_STREAM, "0.0.0.0", 8080);
	pthread_t thread;

	(void)state;
	pmg_policy_seal(policy);
	assert_int_equal(pthread_create(&thread, NULL, accept_all, &allowed), 0);
	(void)fill(&race->to, HOST, 443);
	assert_int_equal(broker_serve_child(policy, NULL, connect_racing, race, &events), 0);
	(void)shutdown(allowed, SHUT_RDWR);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(race->passed > 0);
	assert_true(race->refused > 0);
	assert_int_equal(race->passed + race->refused, 2000);
	assert_int_equal(fcntl(denied, F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(accept(denied, NULL, NULL), -1); /* not one of 2,000 */
	assert_refused(&events, "2009 tcp 10.99.0.1:8080");
}

struct odd {
	int not_a_socket, closed, short_address, bad_address, long_address, dissolved, pair;
};

static void ask_odd_things(void *arg)
{
	struct odd *odd = arg;
	union address to;
	socklen_t len = fill(&to, HOST, 443);
	struct sockaddr none = { .sa_family = AF_UNSPEC };
	int fd = socket(AF_INET, SOCK_STREAM, 0), pair[2];
	char byte = 'x';
	struct iovec iov = { &byte, 1 };
	struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1 };

	odd->not_a_socket = connect(0, &to.any, len) < 0 ? errno : 0;
	odd->closed = connect(999, &to.any, len) < 0 ? errno : 0;
	odd->short_address = connect(fd, &to.any, 4) < 0 ? errno : 0;
	odd->long_address = connect(fd, &to.any, 4096) < 0 ? errno : 0;
	odd->bad_address = connect(fd, (struct sockaddr *)8, len) < 0 ? errno : 0;
	odd->dissolved = connect(fd, &none, sizeof none) < 0 ? errno : 0;
	odd->pair = socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0 ||
				    sendmsg(pair[0], &message, 0) != 1 ||
				    send(pair[1], &byte, 1, 0) != 1
			    ? errno
			    : 0;
}

static void odd_things_fail_as_they_do_bare(void **state)
{
	struct odd *odd = broker_shared(sizeof *odd), bare;
	pmg_auto(events) struct pmg_events events = { 0 };

	(void)state;
	pmg_policy_seal(policy);
	assert_int_equal(broker_bare_child(ask_odd_things, odd), 0);
	bare = *odd;
	memset(odd, 0xff, sizeof *odd);
	assert_int_equal(broker_serve_child(policy, NULL, ask_odd_things, odd, &events), 0);
	assert_memory_equal(odd, &bare, sizeof bare);
	assert_int_equal(odd->closed, EBADF);
	assert_int_equal(odd->bad_address, EFAULT);
	assert_int_equal(odd->pair, 0);
	assert_refused(&events, "");
}

#define ROW(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ROW(only_what_leads_to_the_proxy_is_connected),
		ROW(nobody_listening_is_no_refusal),
		ROW(datagrams_go_to_name_servers_only),
		ROW(ports_are_bound_as_rules_say),
		ROW(a_manager_listens_nowhere),
		ROW(the_run_reaches_what_it_has_bound),
		ROW(local_sockets_are_judged_by_their_place),
		ROW(a_local_socket_is_made_where_one_may_write),
		ROW(abstract_sockets_of_the_run_are_its_own),
		ROW(a_connect_that_waits_holds_up_nobody),
		ROW(a_signal_ends_a_connect_that_waits),
		ROW(what_is_suggested_lets_it_through),
		ROW(nothing_is_suggested_that_would_not_help),
		ROW(an_address_that_is_flipped_reaches_nobody),
		ROW(odd_things_fail_as_they_do_bare),
	};
	struct pmg_err err = PMG_ERR_INIT;
	bool own_user = false;

	if (pmg_ns_enter(CLONE_NEWNET, &own_user, &err) < 0 || pmg_netlink_all_local(&err) < 0) {
		(void)fprintf(stderr, "%s\n", err.msg);
		return 77; /* automake: skipped */
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
