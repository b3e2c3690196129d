#include "proxy/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/str.h"
#include "proxy/ages.h"
#include "proxy/artifact.h"
#include "proxy/ask.h"
#include "proxy/capture.h"
#include "proxy/client.h"
#include "proxy/dates.h"
#include "proxy/doors.h"
#include "proxy/link.h"
#include "proxy/listener.h"
#include "proxy/place.h"
#include "proxy/probe.h"
#include "proxy/refused.h"
#include "proxy/resolver.h"
#include "proxy/spool.h"
#include "proxy/tunnel.h"

struct server {
	struct pmg_service service;
	struct pmg_link *link;
	struct pmg_asks *asks;         /* of the front */
	struct pmg_listener *listener; /* without walls */
	struct pmg_doors *doors;       /* within walls */
	struct pmg_route *no_parent;
	const struct pmg_earlier *earlier;
	bool is_stopping; /* STOP came: DONE is on its way */
	bool is_orphan;   /* the front is gone */
};

#define LINES_BYTES 32768U /* of lines in one message: escaped they still fit */

/* The lines from *at on that fit into one message. @return false: there are no more */
static bool next_lines(const struct pmg_strv *kept, size_t *at, struct pmg_strv *out)
{
	size_t bytes = 0;

	*out = (struct pmg_strv){ .v = kept->v + *at };
	while (*at + out->n < kept->n && out->n < PMG_WIRE_LIST_MAX && bytes < LINES_BYTES)
		bytes += strlen(out->v[out->n++]);
	*at += out->n;
	return out->n > 0;
}

/* For the next run. */
static void send_kept(struct server *server)
{
	const struct pmg_strv *dates = pmg_ages_kept(server->service.ages);
	const struct pmg_strv *seen = pmg_earlier_kept(server->earlier);
	struct pmg_wire_dated dated = { 0 };
	struct pmg_wire_contents contents = { 0 };
	size_t at = 0;

	while (next_lines(dates, &at, &dated.lines))
		pmg_link_send(server->link, PMG_WIRE_DATED, pmg_wire_dated_encode(&dated));
	for (at = 0; next_lines(seen, &at, &contents.lines);)
		pmg_link_send(server->link, PMG_WIRE_CONTENTS, pmg_wire_contents_encode(&contents));
}

static void send_done(struct server *server)
{
	struct pmg_wire_done done = { .requests = server->service.requests,
				      .bytes = server->service.bytes };

	if (server->service.refused)
		pmg_refused_flush(server->service.refused);
	send_kept(server);
	pmg_catalog_learned(server->service.catalog, &done.learned);
	pmg_link_send(server->link, PMG_WIRE_DONE, pmg_wire_done_encode(&done));
	pmg_strv_done(&done.learned);
}

static void on_sent(void *ctx)
{
	struct server *server = ctx;

	if (server->is_stopping)
		pmg_loop_end(server->service.loop);
}

static void on_gone(void *ctx)
{
	struct server *server = ctx;

	server->is_orphan = true;
	pmg_loop_end(server->service.loop);
}

static void on_message(void *ctx, const struct pmg_msg *msg)
{
	struct server *server = ctx;
	struct pmg_err err = PMG_ERR_INIT;

	if (!server->is_stopping && pmg_asks_take(server->asks, msg, &err) == 0)
		return;
	if (msg->type != PMG_WIRE_STOP || server->is_stopping) {
		on_gone(server); /* whoever says something else is not our front */
		return;
	}
	server->is_stopping = true;
	pmg_asks_free(server->asks);
	server->asks = NULL;
	send_done(server);
	if (pmg_link_is_idle(server->link))
		pmg_loop_end(server->service.loop);
}

static void on_freed(void *ctx)
{
	struct server *server = ctx;

	if (server->listener)
		pmg_listener_resume(server->listener);
	if (server->doors)
		pmg_doors_resume(server->doors);
}

static int learn_own_address(struct pmg_service *service, int listen_fd,
			     struct sockaddr_storage *own, struct pmg_err *err)
{
	const struct sockaddr_in *v4 = (const void *)own;
	const struct sockaddr_in6 *v6 = (const void *)own;
	char text[INET6_ADDRSTRLEN] = "";
	socklen_t len = sizeof *own;

	memset(own, 0, sizeof *own);
	if (getsockname(listen_fd, (void *)own, &len) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "listening socket");
	if (own->ss_family == AF_INET) {
		(void)inet_ntop(AF_INET, &v4->sin_addr, text, sizeof text);
		service->own_port = ntohs(v4->sin_port);
	} else if (own->ss_family == AF_INET6) {
		(void)inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof text);
		service->own_port = ntohs(v6->sin6_port);
	} else {
		return pmg_err_set(err, PMG_E_INTERNAL, 0, "listening socket is not TCP");
	}
	service->own_host = pmg_host_canonical(text);
	return 0;
}

/* Where connections come in: one socket, or the doors of the walls. */
static int open_up(struct server *server, struct pmg_start *start, int listen_fd,
		   struct pmg_err *err)
{
	struct pmg_service *service = &server->service;
	int r;

	if (!start->wire.walls)
		return pmg_listener_new(service, listen_fd, &server->listener, err);
	service->hosts = start->hosts;
	service->names = pmg_names_new();
	service->refused = pmg_refused_new(server->link);
	r = pmg_route_new(NULL, NULL, NULL, &server->no_parent, err);
	if (r < 0)
		return r;
	service->nearby = service->upstream;
	service->nearby.route = server->no_parent;
	return pmg_doors_new(service, &start->kinds, start->listeners.fds, start->listeners.n_fds,
			     &server->doors, err);
}

static int set_up(struct server *server, struct pmg_start *start, int wire_fd, int listen_fd,
		  struct pmg_err *err)
{
	const struct pmg_link_user user = { server, on_message, on_sent, on_gone };
	pmg_autofree char *login = pmg_xasprintf("pmg:%s", start->wire.token);
	struct pmg_service *service = &server->service;
	struct sockaddr_storage own;
	int own_fd = listen_fd, r;

	if (start->wire.walls)
		own_fd = pmg_doors_own(&start->kinds, start->listeners.fds, start->listeners.n_fds);
	server->earlier = start->earlier;
	service->ca = start->ca;
	service->catalog = start->catalog;
	service->upstream.route = start->route;
	service->upstream.bundle = start->bundle;
	service->authorization = pmg_base64(login, strlen(login));
	service->freed = on_freed;
	service->freed_ctx = server;
	r = learn_own_address(service, own_fd, &own, err);
	if (r == 0)
		r = pmg_loop_new(&service->loop, err);
	if (r == 0)
		r = pmg_link_new(service->loop, wire_fd, &user, &server->link, err);
	if (r == 0)
		r = pmg_multi_new(service->loop, &own, &service->upstream.multi, err);
	if (r < 0)
		return r;
	service->report = pmg_report_new(server->link);
	service->gate = (struct pmg_gate){ start->judge, service->report, service->catalog };
	service->probe = pmg_probe_new(service);
	service->spool = pmg_spool_new(pmg_steal_fd(&start->spool_fd));
	service->dates = pmg_dates_new();
	service->ages = pmg_ages_new(service);
	server->asks = pmg_asks_new(service, server->link);
	if (start->dates)
		pmg_ages_remember(service->ages, start->dates);
	service->large.loop = service->loop;
	r = pmg_artifacts_new(service->loop, &service->gate, &start->artifacts, &service->artifacts,
			      err);
	if (r < 0)
		return r;
	return open_up(server, start, listen_fd, err);
}

static void tear_down(struct server *server)
{
	struct pmg_service *service = &server->service;

	pmg_listener_free(server->listener);
	pmg_doors_free(server->doors);
	server->listener = NULL;
	server->doors = NULL;
	if (service->loop) {
		pmg_captures_free(service);
		pmg_resolver_end_all(service);
		pmg_clients_free(service);
		pmg_tunnels_free(service);
	}
	pmg_probe_free(service->probe);
	pmg_artifacts_free(service->artifacts);
	pmg_asks_free(server->asks);
	pmg_ages_free(service->ages);
	pmg_dates_free(service->dates);
	pmg_spool_free(service->spool);
	pmg_multi_free(service->upstream.multi);
	pmg_report_free(service->report);
	pmg_refused_free(service->refused);
	pmg_names_free(service->names);
	pmg_route_free(server->no_parent);
	pmg_link_free(server->link);
	pmg_loop_free(service->loop);
	free(service->authorization);
	free(service->own_host);
}

int pmg_server_run(struct pmg_start *start, int wire_fd, int listen_fd,
		   const struct pmg_wire_ready *ready, struct pmg_err *err)
{
	struct server server = { 0 };
	int r;

	r = set_up(&server, start, wire_fd, listen_fd, err);
	if (r == 0) {
		pmg_link_send(server.link, PMG_WIRE_READY, pmg_wire_ready_encode(ready));
		r = pmg_loop_run(server.service.loop, err);
	}
	if (r == 0 && server.is_orphan)
		r = pmg_err_set(err, PMG_E_PEER, 0, "the front is gone");
	tear_down(&server);
	return r;
}
