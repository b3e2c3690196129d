#include "proxy/tunnel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <curl/curl.h>

#include "base/str.h"
#include "proxy/respond.h"
#include "proxy/stream.h"

#define ROUNDS_MAX 16 /* before others get their turn */

/* One end: the client's socket, or the upstream's. */
struct end {
	int fd;
	CURL *easy; /* a parent proxy spoken to by TLS: bytes go through libcurl */
	struct pmg_watch *watch;
};

/* Bytes on their way in one direction. */
struct flow {
	char *bytes;
	size_t at, len;
	bool is_ended;    /* nothing more comes from where they are from */
	bool is_finished; /* and the other end was told */
};

struct pmg_tunnel {
	struct pmg_service *service;
	struct pmg_tunnel *prev, *next;
	struct pmg_url url;
	struct pmg_tunnel_kind kind;
	struct pmg_job job;
	struct end client, upstream;
	struct flow up, down;
	bool is_open;
	bool is_dead;
	struct pmg_task more_task; /* its turn was over before all was moved */
	struct pmg_task free_task;
};

static ssize_t settle(ssize_t n, int want)
{
	if (n > 0)
		return n;
	if (n == 0)
		return PMG_TLS_EOF;
	return errno == EAGAIN || errno == EINTR ? want : PMG_TLS_BROKEN;
}

static ssize_t settle_curl(CURLcode code, size_t n, int want)
{
	if (code == CURLE_AGAIN)
		return want;
	if (code != CURLE_OK)
		return PMG_TLS_BROKEN;
	return n > 0 ? (ssize_t)n : PMG_TLS_EOF;
}

static ssize_t end_read(struct end *end, void *buf, size_t len)
{
	size_t n = 0;
	CURLcode code;

	if (!end->easy)
		return settle(recv(end->fd, buf, len, 0), PMG_TLS_WANT_READ);
	code = curl_easy_recv(end->easy, buf, len, &n);
	return settle_curl(code, n, PMG_TLS_WANT_READ);
}

static ssize_t end_write(struct end *end, const void *buf, size_t len)
{
	size_t n = 0;
	CURLcode code;

	if (!end->easy)
		return settle(send(end->fd, buf, len, MSG_NOSIGNAL), PMG_TLS_WANT_WRITE);
	code = curl_easy_send(end->easy, buf, len, &n);
	return settle_curl(code, n, PMG_TLS_WANT_WRITE);
}

/* @return 1: something moved; 0: it has to wait; -1: an end is broken */
static int move(struct flow *flow, struct end *from, struct end *to)
{
	ssize_t n;
	int moved = 0;

	if (flow->at == flow->len && !flow->is_ended) {
		n = end_read(from, flow->bytes, PMG_TUNNEL_BUFFER);
		if (n == PMG_TLS_BROKEN)
			return -1;
		flow->is_ended = n == PMG_TLS_EOF;
		flow->at = 0;
		flow->len = n > 0 ? (size_t)n : 0;
		moved = n > 0;
	}
	if (flow->at < flow->len) {
		n = end_write(to, flow->bytes + flow->at, flow->len - flow->at);
		if (n == PMG_TLS_BROKEN || n == PMG_TLS_EOF)
			return -1;
		flow->at += n > 0 ? (size_t)n : 0;
		moved |= n > 0;
	}
	if (flow->is_ended && flow->at == flow->len && !flow->is_finished) {
		/* A TLS leg to a parent proxy knows no half-close; it ends with the other half. */
		if (!to->easy)
			(void)shutdown(to->fd, SHUT_WR);
		flow->is_finished = true;
		moved = 1;
	}
	return moved;
}

static void free_tunnel(void *ctx)
{
	struct pmg_tunnel *tunnel = ctx;

	free(tunnel->up.bytes);
	free(tunnel->down.bytes);
	pmg_url_done(&tunnel->url);
	free(tunnel);
}

static void close_end(struct end *end, bool reset)
{
	struct pmg_stream stream = { .fd = pmg_steal_fd(&end->fd) };

	pmg_watch_end(end->watch);
	end->watch = NULL;
	pmg_stream_break(&stream, reset);
}

static void end_tunnel(struct pmg_tunnel *tunnel, bool reset)
{
	struct pmg_service *service = tunnel->service;

	if (tunnel->is_dead)
		return;
	tunnel->is_dead = true;
	close_end(&tunnel->client, reset);
	close_end(&tunnel->upstream, reset);
	pmg_job_close(&tunnel->job);
	pmg_task_cancel(service->loop, &tunnel->more_task);
	if (tunnel->prev)
		tunnel->prev->next = tunnel->next;
	else
		service->tunnels = tunnel->next;
	if (tunnel->next)
		tunnel->next->prev = tunnel->prev;
	pmg_task_queue(service->loop, &tunnel->free_task);
	pmg_service_leave(service, tunnel->kind.role);
}

void pmg_tunnels_free(struct pmg_service *service)
{
	struct pmg_tunnel *tunnel;

	while ((tunnel = service->tunnels)) {
		end_tunnel(tunnel, true);
		pmg_task_cancel(service->loop, &tunnel->free_task);
		free_tunnel(tunnel);
	}
}

/* What the loop has to tell of an end that reads for `out` and is written to for `in`. An end that
 * is through with both would only report its hang-up, for ever. */
static void watch_end(struct end *end, const struct flow *out, const struct flow *in)
{
	uint32_t events = 0;

	if (!end->watch)
		return;
	if (out->is_ended && in->is_finished) {
		pmg_watch_end(end->watch);
		end->watch = NULL;
		return;
	}
	if (!out->is_ended && out->at == out->len)
		events |= EPOLLIN;
	if (in->at < in->len)
		events |= EPOLLOUT;
	pmg_watch_want(end->watch, events);
}

static void pump(struct pmg_tunnel *tunnel)
{
	int up = 1, down = 1, rounds;

	for (rounds = 0; rounds < ROUNDS_MAX && (up > 0 || down > 0); rounds++) {
		up = move(&tunnel->up, &tunnel->client, &tunnel->upstream);
		down = move(&tunnel->down, &tunnel->upstream, &tunnel->client);
		if (up < 0 || down < 0) {
			end_tunnel(tunnel, true);
			return;
		}
	}
	if (tunnel->up.is_finished && tunnel->down.is_finished) {
		end_tunnel(tunnel, false);
		return;
	}
	watch_end(&tunnel->client, &tunnel->up, &tunnel->down);
	watch_end(&tunnel->upstream, &tunnel->down, &tunnel->up);
	if (up > 0 || down > 0) /* what TLS has read ahead the loop does not tell of */
		pmg_task_queue(tunnel->service->loop, &tunnel->more_task);
}

static void on_more(void *ctx)
{
	pump(ctx);
}

static void on_event(void *ctx, uint32_t events)
{
	struct pmg_tunnel *tunnel = ctx;

	(void)events;
	if (tunnel->is_open)
		pump(tunnel);
	else
		end_tunnel(tunnel, false); /* the client did not wait for the connection */
}

static struct pmg_route *route_of(const struct pmg_tunnel *tunnel)
{
	return pmg_service_way(tunnel->service, &tunnel->url)->route;
}

/* The answer that ends a CONNECT. It is small, and nothing was sent yet: it fits the socket. */
static void answer_failure(struct pmg_tunnel *tunnel, int status, const struct pmg_err *err)
{
	pmg_autofree char *target = pmg_url_authority(&tunnel->url);
	pmg_autofree char *text = pmg_str_quote(err->msg, strlen(err->msg), sizeof err->msg);
	pmg_autofree char *body = pmg_xasprintf("%s\n", text);
	const struct pmg_answer answer = { .status = status, .body = body };
	struct pmg_str out = PMG_STR_INIT(8192);

	pmg_report_trouble(tunnel->service->report, target, err);
	if (tunnel->kind.is_silent)
		return;
	if (pmg_answer_write(&answer, &out) == 0)
		(void)!send(tunnel->client.fd, out.s, out.len, MSG_NOSIGNAL);
	(void)shutdown(tunnel->client.fd, SHUT_WR);
	pmg_str_done(&out);
}

static void explain(struct pmg_tunnel *tunnel, int curlcode, struct pmg_err *err)
{
	pmg_autofree char *target = pmg_url_authority(&tunnel->url);

	if (tunnel->job.is_loop)
		(void)pmg_err_set(err, PMG_E_NETWORK, 0, "%s: that is this proxy itself", target);
	else
		(void)pmg_upstream_error(curlcode, tunnel->job.easy, &tunnel->url, route_of(tunnel),
					 err);
}

static void fail(struct pmg_tunnel *tunnel, int curlcode)
{
	long parent = pmg_upstream_connect_status(tunnel->job.easy);
	struct pmg_err err = PMG_ERR_INIT;

	explain(tunnel, curlcode, &err);
	answer_failure(tunnel,
		       tunnel->job.is_loop              ? 508
		       : parent >= 400 && parent <= 599 ? (int)parent
		       : err.code == PMG_E_TIMEOUT      ? 504
							: 502,
		       &err);
	end_tunnel(tunnel, tunnel->kind.is_silent);
}

/* The connection is ours from here on: libcurl is needed no more, unless TLS to a parent proxy is
 * on it. (Left with libcurl, a connection with unread bytes would be taken for a dead one.) */
static int take_over(struct pmg_tunnel *tunnel, struct pmg_err *err)
{
	const struct pmg_url *url = &tunnel->url;
	const char *parent = pmg_route_find(route_of(tunnel), url->scheme, url->host, url->port);
	curl_socket_t fd = CURL_SOCKET_BAD;

	(void)curl_easy_getinfo(tunnel->job.easy, CURLINFO_ACTIVESOCKET, &fd);
	tunnel->upstream.fd = fd == CURL_SOCKET_BAD ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (tunnel->upstream.fd < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "tunnel");
	if (pmg_str_has_prefix(parent, "https://"))
		tunnel->upstream.easy = tunnel->job.easy;
	else
		pmg_job_close(&tunnel->job);
	return pmg_watch_new(tunnel->service->loop, tunnel->upstream.fd, 0, on_event, tunnel,
			     &tunnel->upstream.watch, err);
}

static void on_dialled(void *ctx, int curlcode)
{
	static const char answer[] = "HTTP/1.1 200 Connection established\r\n\r\n";
	struct pmg_tunnel *tunnel = ctx;
	struct pmg_err err = PMG_ERR_INIT;

	if (curlcode != CURLE_OK) {
		fail(tunnel, curlcode);
		return;
	}
	if (take_over(tunnel, &err) < 0) {
		answer_failure(tunnel, 502, &err);
		end_tunnel(tunnel, tunnel->kind.is_silent);
		return;
	}
	tunnel->down.bytes = pmg_xmalloc(PMG_TUNNEL_BUFFER);
	if (!tunnel->kind.is_silent) {
		memcpy(tunnel->down.bytes, answer, sizeof answer - 1);
		tunnel->down.len = sizeof answer - 1;
	}
	tunnel->is_open = true;
	pump(tunnel);
}

static int dial(struct pmg_tunnel *tunnel, struct pmg_err *err)
{
	struct pmg_service *service = tunnel->service;
	int r;

	r = pmg_job_open(service->upstream.multi, &tunnel->job, err);
	if (r < 0)
		return r;
	tunnel->job.stays = true;
	tunnel->job.done = on_dialled;
	tunnel->job.ctx = tunnel;
	r = pmg_upstream_prepare_tunnel(tunnel->job.easy, &tunnel->url, route_of(tunnel),
					service->upstream.bundle, err);
	if (r < 0)
		return r;
	r = pmg_watch_new(service->loop, tunnel->client.fd, 0, on_event, tunnel,
			  &tunnel->client.watch, err);
	return r < 0 ? r : pmg_job_start(&tunnel->job, err);
}

void pmg_tunnel_new(struct pmg_service *service, int fd, const struct pmg_url *url,
		    const struct pmg_tunnel_kind *kind, struct pmg_str *early)
{
	struct pmg_tunnel *tunnel = pmg_xcalloc(1, sizeof *tunnel);
	struct pmg_err err = PMG_ERR_INIT;

	tunnel->service = service;
	tunnel->kind = *kind;
	tunnel->client.fd = fd;
	tunnel->upstream.fd = -1;
	tunnel->url = (struct pmg_url){ .scheme = pmg_xstrdup(url->scheme),
					.host = pmg_xstrdup(url->host),
					.port = url->port,
					.path = pmg_xstrdup("/") };
	tunnel->more_task = (struct pmg_task){ .fn = on_more, .ctx = tunnel };
	tunnel->free_task = (struct pmg_task){ .fn = free_tunnel, .ctx = tunnel };
	tunnel->up.len = early->len;
	tunnel->up.bytes =
		pmg_xmalloc(early->len > PMG_TUNNEL_BUFFER ? early->len : PMG_TUNNEL_BUFFER);
	if (early->len > 0)
		memcpy(tunnel->up.bytes, early->s, early->len);
	pmg_str_clear(early);
	tunnel->next = service->tunnels;
	if (tunnel->next)
		tunnel->next->prev = tunnel;
	service->tunnels = tunnel;
	pmg_service_enter(service, kind->role);
	if (dial(tunnel, &err) < 0) {
		answer_failure(tunnel, 502, &err);
		end_tunnel(tunnel, kind->is_silent);
	}
}
