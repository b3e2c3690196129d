#include "proxy/capture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "proxy/client.h"
#include "proxy/place.h"
#include "proxy/reach.h"
#include "proxy/request.h"
#include "proxy/sni.h"

#define TLS_FIRST 22 /* content type of a handshake record */

struct pmg_capture {
	struct pmg_service *service;
	struct pmg_capture *prev, *next;
	int fd;
	struct pmg_peer *peer;
	struct pmg_inet to;
	struct pmg_watch *watch;
	struct pmg_timer timer;
	size_t seen; /* bytes that were looked at */
};

/* What the first words say. */
struct words {
	enum pmg_client_speaks speaks;
	char *name; /* canonical; NULL: none */
};

static void leave(struct pmg_capture *capture)
{
	struct pmg_service *service = capture->service;
	enum pmg_role role = capture->peer->role;

	pmg_watch_end(capture->watch);
	pmg_timer_stop(service->loop, &capture->timer);
	if (capture->prev)
		capture->prev->next = capture->next;
	else
		service->captures = capture->next;
	if (capture->next)
		capture->next->prev = capture->prev;
	pmg_service_leave(service, role);
}

static void end(struct pmg_capture *capture)
{
	leave(capture);
	(void)close(capture->fd);
	pmg_peer_free(capture->peer);
	free(capture);
}

/* A registry of this host may be known by either name, and is judged under both. */
static const char *loopback_name(const struct pmg_capture *capture, const char *literal)
{
	return pmg_catalog_knows(capture->service->catalog, "localhost", capture->to.port)
		       ? "localhost"
		       : literal;
}

/* A name of an address of ours counts, or none. @return host; *refused when nothing may be served
 */
static char *choose(const struct pmg_capture *capture, const struct words *words, bool *refused)
{
	pmg_autofree char *literal = pmg_inet_host(&capture->to);
	const char *given = pmg_names_find(capture->service->names, &capture->to.address);
	struct pmg_reach by_name, by_address;

	*refused = false;
	if (pmg_names_is_ours(&capture->to.address)) {
		*refused = !given || (words->name && strcmp(words->name, given) != 0);
		return pmg_xstrdup(words->name ? words->name : given ? given : literal);
	}
	if (pmg_inet_is_loopback(&capture->to))
		return pmg_xstrdup(loopback_name(capture, literal));
	if (!words->name)
		return pmg_steal_ptr(&literal);
	by_name = pmg_reach_ask(capture->service, capture->peer, words->name, capture->to.port);
	by_address = pmg_reach_ask(capture->service, capture->peer, literal, capture->to.port);
	if (by_name.how == PMG_REACH_NO && !by_name.rule && by_address.how != PMG_REACH_NO)
		return pmg_steal_ptr(&literal);
	return pmg_xstrdup(words->name);
}

static void decide(struct pmg_capture *capture, const struct words *words)
{
	struct pmg_service *service = capture->service;
	struct pmg_err err = PMG_ERR_INIT;
	bool refused = false;
	pmg_autofree char *host = choose(capture, words, &refused);
	int one = 1, r;

	(void)setsockopt(capture->fd, SOL_SOCKET, SO_RCVLOWAT, &one, sizeof one);
	leave(capture);
	r = pmg_client_capture(service, capture->fd, capture->peer, host, capture->to.port,
			       words->speaks, refused, &err);
	if (r < 0)
		pmg_log_debug("%s", err.msg);
	free(capture);
}

/* The Host of a request whose head is complete. */
static char *read_host(const char *bytes, size_t len)
{
	pmg_auto(head) struct pmg_head head = { 0 };
	struct pmg_err scratch = PMG_ERR_INIT;
	pmg_autofree char *host = NULL;
	const char *field;
	uint16_t port;

	if (pmg_request_parse(bytes, len, &head, &scratch) < 0)
		return NULL;
	field = pmg_head_get(&head, "host");
	if (!field || pmg_hostport_parse(field, 80, &host, &port, &scratch) < 0)
		return NULL;
	return pmg_host_canonical(host);
}

/* @return false: more is needed */
static bool read_tls(const char *bytes, size_t len, struct words *words)
{
	pmg_autofree char *name = NULL;
	int r = pmg_sni_read((const unsigned char *)bytes, len, &name);

	words->speaks = PMG_CLIENT_TLS;
	if (r > 0 && name)
		words->name = pmg_host_canonical(name);
	return r != 0;
}

static bool read_http(const char *bytes, size_t len, struct words *words)
{
	size_t scanned = 0;
	ssize_t end_at = pmg_head_end(bytes, len, &scanned);

	words->speaks = PMG_CLIENT_OTHER;
	if (end_at < 0)
		return true;
	words->speaks = PMG_CLIENT_HTTP;
	if (end_at > 0)
		words->name = read_host(bytes, (size_t)end_at);
	return end_at > 0;
}

/* Come back when there is more than this: else the loop would tell of the same bytes for ever. */
static void wait_for_more(struct pmg_capture *capture, size_t have)
{
	int lowat = (int)have + 1;

	capture->seen = have;
	(void)setsockopt(capture->fd, SOL_SOCKET, SO_RCVLOWAT, &lowat, sizeof lowat);
}

static void on_bytes(void *ctx, uint32_t events)
{
	struct pmg_capture *capture = ctx;
	struct words words = { PMG_CLIENT_OTHER, NULL };
	char bytes[PMG_SNI_MAX];
	ssize_t n = recv(capture->fd, bytes, sizeof bytes, MSG_PEEK);
	bool is_all;

	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		end(capture);
		return;
	}
	is_all = bytes[0] == TLS_FIRST ? read_tls(bytes, (size_t)n, &words)
				       : read_http(bytes, (size_t)n, &words);
	if (!is_all && (size_t)n > capture->seen && (size_t)n < sizeof bytes)
		wait_for_more(capture, (size_t)n);
	else
		decide(capture, &words); /* nothing more comes, or nobody says so much */
	free(words.name);
}

static void on_timeout(void *ctx)
{
	const struct words silent = { PMG_CLIENT_OTHER, NULL };

	decide(ctx, &silent);
}

int pmg_capture_new(struct pmg_service *service, int fd, struct pmg_peer *peer,
		    const struct pmg_inet *to, bool listens, struct pmg_err *err)
{
	struct pmg_capture *capture = pmg_xcalloc(1, sizeof *capture);
	const struct words silent = { PMG_CLIENT_OTHER, NULL };
	int r;

	*capture = (struct pmg_capture){ .service = service, .fd = fd, .peer = peer, .to = *to };
	capture->timer = (struct pmg_timer){ .fn = on_timeout, .ctx = capture };
	r = pmg_watch_new(service->loop, fd, EPOLLIN, on_bytes, capture, &capture->watch, err);
	if (r < 0) {
		(void)close(fd);
		pmg_peer_free(peer);
		free(capture);
		return r;
	}
	capture->next = service->captures;
	if (capture->next)
		capture->next->prev = capture;
	service->captures = capture;
	pmg_service_enter(service, peer->role);
	if (listens)
		pmg_timer_start(service->loop, &capture->timer, PMG_CAPTURE_MS);
	else
		decide(capture, &silent);
	return 0;
}

void pmg_captures_free(struct pmg_service *service)
{
	while (service->captures)
		end(service->captures);
}
