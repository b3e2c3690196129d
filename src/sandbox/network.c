#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "policy/host.h"
#include "sandbox/walls_priv.h"

/* Of a message, one is the broker's socket. */
#define LISTENERS_MAX (PMG_MSG_FDS_MAX - 1)
#define PORTS_MAX     32U

struct listeners {
	struct pmg_wire_walls *walls;
	int fds[LISTENERS_MAX];
	size_t n;
};

static const struct listener {
	const char *kind;
	int family;
	int type;
	const char *address;
	uint16_t port;
} always[] = {
	{ "proxy", AF_INET, SOCK_STREAM, "127.0.0.1", PMG_SANDBOX_PROXY_PORT },
	{ "http", AF_INET, SOCK_STREAM, "0.0.0.0", 80 },
	{ "http", AF_INET6, SOCK_STREAM, "::", 80 },
	{ "tls", AF_INET, SOCK_STREAM, "0.0.0.0", 443 },
	{ "tls", AF_INET6, SOCK_STREAM, "::", 443 },
	{ "dns-tcp", AF_INET, SOCK_STREAM, "0.0.0.0", 53 },
	{ "dns-tcp", AF_INET6, SOCK_STREAM, "::", 53 },
	{ "dns-udp", AF_INET, SOCK_DGRAM, "0.0.0.0", 53 },
	{ "dns-udp", AF_INET6, SOCK_DGRAM, "::", 53 },
};

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static socklen_t fill(const struct listener *what, union address *out)
{
	memset(out, 0, sizeof *out);
	out->any.sa_family = (sa_family_t)what->family;
	if (what->family == AF_INET) {
		out->v4.sin_port = htons(what->port);
		(void)inet_pton(AF_INET, what->address, &out->v4.sin_addr);
		return sizeof out->v4;
	}
	out->v6.sin6_port = htons(what->port);
	(void)inet_pton(AF_INET6, what->address, &out->v6.sin6_addr);
	return sizeof out->v6;
}

/* Where the kernel has no IPv6, or it is switched off, nothing can be reached by it either. */
static bool is_absent(const struct listener *what)
{
	return what->family == AF_INET6 && (errno == EAFNOSUPPORT || errno == EADDRNOTAVAIL);
}

/* @return descriptor; -1: there is no such family; -code. IPv6 by itself: else it would hold the
 * port of IPv4 too, and addresses would come in disguise. */
static int open_one(const struct listener *what, struct pmg_err *err)
{
	pmg_autofd int fd = socket(what->family, what->type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	union address address;
	socklen_t len = fill(what, &address);
	const int on = 1;
	bool works;

	works = fd >= 0 && (what->family == AF_INET ||
			    setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on) == 0);
	works = works && bind(fd, &address.any, len) == 0 &&
		(what->type == SOCK_DGRAM || listen(fd, SOMAXCONN) == 0);
	if (works)
		return pmg_steal_fd(&fd);
	if (is_absent(what))
		return -PMG_E_NOTFOUND;
	return pmg_err_set(err, PMG_E_SYS, errno, "listen inside the run on port %u",
			   (unsigned)what->port);
}

static int add(struct listeners *list, const struct listener *what, struct pmg_err *err)
{
	int fd = open_one(what, err);

	if (fd == -PMG_E_NOTFOUND)
		return 0;
	if (fd < 0)
		return fd;
	list->fds[list->n++] = fd;
	pmg_strv_add(&list->walls->kinds, what->kind);
	return 0;
}

static bool is_taken(uint16_t port, const uint16_t *ports, size_t n)
{
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(always); i++)
		if (always[i].port == port)
			return true;
	for (i = 0; i < n; i++)
		if (ports[i] == port)
			return true;
	return false;
}

/* Ports that a rule names. A rule for any port of a host means those that are listened on in any
 * case: a listener for each of 65535 there cannot be. */
static size_t ports_of(const struct pmg_policy *policy, uint16_t out[PORTS_MAX], size_t *missed)
{
	size_t i, n = 0;

	*missed = 0;
	for (i = 0; i < policy->n_rules; i++) {
		const struct pmg_policy_rule *rule = &policy->rules[i];
		uint16_t port;

		if (rule->access != PMG_ACCESS_CONNECT || !rule->host ||
		    (rule->rank != PMG_RANK_ALLOW && rule->rank != PMG_RANK_OPT_OUT))
			continue;
		port = pmg_host_port(rule->host);
		if (port == 0 || is_taken(port, out, n))
			continue;
		if (n < PORTS_MAX)
			out[n++] = port;
		else
			++*missed;
	}
	return n;
}

static int add_port(struct listeners *list, uint16_t port, struct pmg_err *err)
{
	const struct listener both[] = {
		{ "port", AF_INET, SOCK_STREAM, "0.0.0.0", port },
		{ "port", AF_INET6, SOCK_STREAM, "::", port },
	};
	size_t i;
	int r = 0;

	for (i = 0; r == 0 && i < PMG_ARRAY_LEN(both); i++)
		r = add(list, &both[i], err);
	return r;
}

static int add_all(struct listeners *list, const struct pmg_policy *policy, struct pmg_err *err)
{
	uint16_t ports[PORTS_MAX];
	size_t missed, i, n = ports_of(policy, ports, &missed);
	int r = 0;

	for (i = 0; r == 0 && i < PMG_ARRAY_LEN(always); i++)
		r = add(list, &always[i], err);
	for (i = 0; r == 0 && i < n && list->n + 2 <= LISTENERS_MAX; i++)
		r = add_port(list, ports[i], err);
	missed += n - i;
	if (r == 0 && missed > 0)
		pmg_strv_addf(&list->walls->notes,
			      "%zu of the ports that the policy allows are not served: there are "
			      "too many",
			      missed);
	return r;
}

int pmg_walls_listen(const struct pmg_policy *policy, struct pmg_wire_walls *out, int *fds,
		     size_t *n_fds, struct pmg_err *err)
{
	struct listeners list = { .walls = out };
	int r = add_all(&list, policy, err);

	if (r < 0) {
		while (list.n > 0)
			(void)close(list.fds[--list.n]);
		pmg_strv_done(&out->kinds);
		return r;
	}
	memcpy(fds, list.fds, list.n * sizeof fds[0]);
	*n_fds = list.n;
	return 0;
}
