#include "proxy/resolver.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proxy/inet.h"
#include "proxy/lookup.h"

#define AT_ONCE 32 /* datagrams before others get their turn */
#define PREFIX  2U /* length before each message of TCP */

struct pmg_resolver {
	struct pmg_service *service;
	int fd;
	struct pmg_watch *watch;
	pmg_resolver_who who;
	void *ctx;
};

/* Where a datagram came from and to which of the many local addresses it was sent. */
struct parcel {
	struct sockaddr_storage from;
	unsigned char control[CMSG_SPACE(sizeof(struct in6_pktinfo)) +
			      CMSG_SPACE(sizeof(struct in_pktinfo))]
		__attribute__((aligned(sizeof(size_t))));
	struct iovec iov;
	struct msghdr head;
};

static void wrap(struct parcel *parcel, void *bytes, size_t len)
{
	parcel->iov = (struct iovec){ bytes, len };
	parcel->head = (struct msghdr){ .msg_name = &parcel->from,
					.msg_namelen = sizeof parcel->from,
					.msg_iov = &parcel->iov,
					.msg_iovlen = 1,
					.msg_control = parcel->control,
					.msg_controllen = sizeof parcel->control };
}

/* The answer must come from the address that was asked: stub resolvers look. */
static void turn_round(struct parcel *parcel)
{
	struct cmsghdr *cmsg;
	struct in6_pktinfo v6;
	struct in_pktinfo v4;

	for (cmsg = CMSG_FIRSTHDR(&parcel->head); cmsg; cmsg = CMSG_NXTHDR(&parcel->head, cmsg)) {
		if (cmsg->cmsg_level == IPPROTO_IP && cmsg->cmsg_type == IP_PKTINFO) {
			memcpy(&v4, CMSG_DATA(cmsg), sizeof v4);
			v4.ipi_spec_dst = v4.ipi_addr;
			v4.ipi_ifindex = 0;
			memcpy(CMSG_DATA(cmsg), &v4, sizeof v4);
		} else if (cmsg->cmsg_level == IPPROTO_IPV6 && cmsg->cmsg_type == IPV6_PKTINFO) {
			memcpy(&v6, CMSG_DATA(cmsg), sizeof v6);
			v6.ipi6_ifindex = 0;
			memcpy(CMSG_DATA(cmsg), &v6, sizeof v6);
		}
	}
}

/* @return false: nothing more is there */
static bool answer_one(struct pmg_resolver *resolver)
{
	unsigned char query[PMG_DNS_QUERY_MAX + 1], answer[PMG_DNS_ANSWER_MAX];
	struct pmg_err scratch = PMG_ERR_INIT;
	const struct pmg_peer *peer = NULL;
	struct pmg_inet from;
	struct parcel parcel;
	size_t len;
	ssize_t n;

	wrap(&parcel, query, sizeof query);
	n = recvmsg(resolver->fd, &parcel.head, MSG_DONTWAIT);
	if (n < 0)
		return errno == EINTR;
	if ((parcel.head.msg_flags & MSG_TRUNC) || pmg_inet_read(&parcel.from, &from, &scratch) < 0)
		return true;
	peer = resolver->who(resolver->ctx, from.port);
	len = pmg_lookup_answer(resolver->service, peer, query, (size_t)n, answer);
	if (len == 0)
		return true;
	turn_round(&parcel);
	parcel.iov = (struct iovec){ answer, len };
	(void)!sendmsg(resolver->fd, &parcel.head, MSG_DONTWAIT | MSG_NOSIGNAL);
	return true;
}

static void on_datagrams(void *ctx, uint32_t events)
{
	int i;

	(void)events;
	for (i = 0; i < AT_ONCE && answer_one(ctx); i++)
		;
}

static int ask_for_addresses(int fd, struct pmg_err *err)
{
	struct sockaddr_storage own = { 0 };
	socklen_t len = sizeof own;
	int one = 1, r;

	r = getsockname(fd, (void *)&own, &len);
	if (r == 0 && own.ss_family == AF_INET)
		r = setsockopt(fd, IPPROTO_IP, IP_PKTINFO, &one, sizeof one);
	else if (r == 0)
		r = setsockopt(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, &one, sizeof one);
	/* IPv6 does not take an address that is local by a route for one of its own. */
	if (r == 0 && own.ss_family == AF_INET6)
		r = setsockopt(fd, IPPROTO_IPV6, IPV6_FREEBIND, &one, sizeof one);
	return r < 0 ? pmg_err_set(err, PMG_E_SYS, errno, "DNS socket") : 0;
}

int pmg_resolver_new(struct pmg_service *service, int fd, pmg_resolver_who who, void *ctx,
		     struct pmg_resolver **out, struct pmg_err *err)
{
	pmg_auto(resolver) struct pmg_resolver *resolver = pmg_xcalloc(1, sizeof *resolver);
	int r = ask_for_addresses(fd, err);

	*resolver = (struct pmg_resolver){ service, fd, NULL, who, ctx };
	if (r == 0)
		r = pmg_watch_new(service->loop, fd, EPOLLIN, on_datagrams, resolver,
				  &resolver->watch, err);
	if (r < 0)
		return r;
	*out = pmg_steal_ptr(&resolver);
	return 0;
}

void pmg_resolver_free(struct pmg_resolver *resolver)
{
	if (!resolver)
		return;
	pmg_watch_end(resolver->watch);
	free(resolver);
}

struct pmg_lookup {
	struct pmg_service *service;
	struct pmg_lookup *prev, *next;
	int fd;
	struct pmg_peer *peer;
	struct pmg_watch *watch;
	struct pmg_timer timer;
	unsigned char in[PREFIX + PMG_DNS_QUERY_MAX];
	size_t len;
};

static void end(struct pmg_lookup *lookup)
{
	struct pmg_service *service = lookup->service;
	enum pmg_role role = lookup->peer->role;

	pmg_watch_end(lookup->watch);
	pmg_timer_stop(service->loop, &lookup->timer);
	(void)close(lookup->fd);
	if (lookup->prev)
		lookup->prev->next = lookup->next;
	else
		service->lookups = lookup->next;
	if (lookup->next)
		lookup->next->prev = lookup->prev;
	pmg_peer_free(lookup->peer);
	free(lookup);
	pmg_service_leave(service, role);
}

static size_t message_len(const struct pmg_lookup *lookup)
{
	return (size_t)lookup->in[0] << 8 | lookup->in[1];
}

/* Whoever lets even one small answer pile up is cut off. @return false: that is the end */
static bool answer_message(struct pmg_lookup *lookup)
{
	unsigned char out[PREFIX + PMG_DNS_ANSWER_MAX];
	size_t n = message_len(lookup);
	size_t len = pmg_lookup_answer(lookup->service, lookup->peer, lookup->in + PREFIX, n,
				       out + PREFIX);

	out[0] = (unsigned char)(len >> 8);
	out[1] = (unsigned char)len;
	if (len == 0 ||
	    send(lookup->fd, out, PREFIX + len, MSG_NOSIGNAL) != (ssize_t)(PREFIX + len))
		return false;
	lookup->len -= PREFIX + n;
	memmove(lookup->in, lookup->in + PREFIX + n, lookup->len);
	return true;
}

static void on_bytes(void *ctx, uint32_t events)
{
	struct pmg_lookup *lookup = ctx;
	ssize_t n;

	(void)events;
	n = recv(lookup->fd, lookup->in + lookup->len, sizeof lookup->in - lookup->len, 0);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		end(lookup);
		return;
	}
	lookup->len += (size_t)n;
	while (lookup->len >= PREFIX) {
		if (message_len(lookup) > PMG_DNS_QUERY_MAX) {
			end(lookup);
			return;
		}
		if (lookup->len < PREFIX + message_len(lookup))
			return; /* the timer goes on: a query must come whole, and soon */
		if (!answer_message(lookup)) {
			end(lookup);
			return;
		}
		pmg_timer_start(lookup->service->loop, &lookup->timer, PMG_RESOLVER_IDLE_MS);
	}
}

static void on_timeout(void *ctx)
{
	end(ctx);
}

int pmg_resolver_serve(struct pmg_service *service, int fd, struct pmg_peer *peer,
		       struct pmg_err *err)
{
	struct pmg_lookup *lookup = pmg_xcalloc(1, sizeof *lookup);
	int r;

	*lookup = (struct pmg_lookup){ .service = service, .fd = fd, .peer = peer };
	lookup->timer = (struct pmg_timer){ .fn = on_timeout, .ctx = lookup };
	r = pmg_watch_new(service->loop, fd, EPOLLIN, on_bytes, lookup, &lookup->watch, err);
	if (r < 0) {
		(void)close(fd);
		pmg_peer_free(peer);
		free(lookup);
		return r;
	}
	lookup->next = service->lookups;
	if (lookup->next)
		lookup->next->prev = lookup;
	service->lookups = lookup;
	pmg_service_enter(service, peer->role);
	pmg_timer_start(service->loop, &lookup->timer, PMG_RESOLVER_IDLE_MS);
	return 0;
}

void pmg_resolver_end_all(struct pmg_service *service)
{
	while (service->lookups)
		end(service->lookups);
}
