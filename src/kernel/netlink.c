#include "kernel/netlink.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"

/* The address that is no loopback address. From the ranges for private use: whatever a script finds
 * out of it says nothing of the host. */
#define OWN_V4 "10.254.254.1"
#define OWN_V6 "fd70:6d67::1"

#define ROOM 256 /* for a request or its answer: some 60 bytes each */

union message {
	struct nlmsghdr head;
	char bytes[ROOM];
};

static const struct family {
	int family;
	const char *address;
	unsigned char bits;
	const char *name;
} families[] = {
	{ AF_INET, OWN_V4, 32, "IPv4" },
	{ AF_INET6, OWN_V6, 128, "IPv6" },
};

/* A request with an empty body of `size`. @return the body */
static void *begin(union message *m, uint16_t type, uint16_t flags, size_t size)
{
	memset(m, 0, sizeof *m);
	m->head.nlmsg_type = type;
	m->head.nlmsg_flags = (uint16_t)(NLM_F_REQUEST | NLM_F_ACK | flags);
	m->head.nlmsg_len = (uint32_t)NLMSG_LENGTH(size);
	return NLMSG_DATA(&m->head);
}

static void add(union message *m, unsigned short type, const void *value, size_t len)
{
	struct rtattr *attr = (struct rtattr *)(void *)(m->bytes + NLMSG_ALIGN(m->head.nlmsg_len));

	attr->rta_type = type;
	attr->rta_len = (unsigned short)RTA_LENGTH(len);
	memcpy(RTA_DATA(attr), value, len);
	m->head.nlmsg_len = NLMSG_ALIGN(m->head.nlmsg_len) + (uint32_t)RTA_ALIGN(attr->rta_len);
}

/* Send, and wait for what the kernel says; it answers before send() returns, and nobody else is
 * asked. @return 0 or -errno; what is there already is fine */
static int ask(int fd, union message *m)
{
	union message answer;
	struct nlmsgerr said;
	ssize_t n;

	if (send(fd, m, m->head.nlmsg_len, 0) < 0)
		return -errno;
	n = recv(fd, &answer, sizeof answer, 0);
	if (n < 0)
		return -errno;
	if ((size_t)n < NLMSG_LENGTH(sizeof said) || answer.head.nlmsg_type != NLMSG_ERROR)
		return -EPROTO;
	memcpy(&said, NLMSG_DATA(&answer.head), sizeof said);
	return said.error == -EEXIST ? 0 : said.error;
}

static int set_up(int fd, int lo)
{
	union message m;
	struct ifinfomsg *link = begin(&m, RTM_NEWLINK, 0, sizeof *link);

	link->ifi_family = AF_UNSPEC;
	link->ifi_index = lo;
	link->ifi_flags = IFF_UP;
	link->ifi_change = IFF_UP;
	return ask(fd, &m);
}

static int add_address(int fd, int lo, const struct family *family)
{
	union message m;
	struct ifaddrmsg *body = begin(&m, RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, sizeof *body);
	unsigned char address[sizeof(struct in6_addr)];

	body->ifa_family = (uint8_t)family->family;
	body->ifa_prefixlen = family->bits;
	body->ifa_flags = IFA_F_NODAD | IFA_F_PERMANENT;
	body->ifa_scope = RT_SCOPE_UNIVERSE;
	body->ifa_index = (uint32_t)lo;
	(void)inet_pton(family->family, family->address, address);
	add(&m, IFA_LOCAL, address, family->bits / 8U);
	add(&m, IFA_ADDRESS, address, family->bits / 8U);
	return ask(fd, &m);
}

/* "local default dev lo" */
static int add_route(int fd, int lo, const struct family *family)
{
	union message m;
	struct rtmsg *body = begin(&m, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, sizeof *body);

	body->rtm_family = (unsigned char)family->family;
	body->rtm_table = RT_TABLE_LOCAL;
	body->rtm_protocol = RTPROT_BOOT;
	body->rtm_scope = RT_SCOPE_HOST;
	body->rtm_type = RTN_LOCAL;
	add(&m, RTA_OIF, &lo, sizeof lo);
	return ask(fd, &m);
}

/* EACCES: net.ipv6.conf.*.disable_ipv6 */
static bool is_absent(const struct family *family, int r)
{
	return family->family == AF_INET6 &&
	       (r == -EAFNOSUPPORT || r == -EOPNOTSUPP || r == -EACCES);
}

static int make_local(int fd, int lo, const struct family *family, struct pmg_err *err)
{
	int r = add_address(fd, lo, family);

	if (is_absent(family, r))
		return 0;
	if (r == 0)
		r = add_route(fd, lo, family);
	if (r < 0)
		return pmg_err_set(err, PMG_E_SYS, -r, "make every %s address local", family->name);
	return 0;
}

int pmg_netlink_all_local(struct pmg_err *err)
{
	pmg_autofd int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	unsigned lo = if_nametoindex("lo");
	size_t i;
	int r;

	if (fd < 0 || lo == 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "reach the run's network");
	r = set_up(fd, (int)lo);
	if (r < 0)
		return pmg_err_set(err, PMG_E_SYS, -r, "start the loopback interface");
	r = 0;
	for (i = 0; r == 0 && i < PMG_ARRAY_LEN(families); i++)
		r = make_local(fd, (int)lo, &families[i], err);
	return r;
}
