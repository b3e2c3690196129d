#include "proxy/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/log.h"
#include "proxy/client.h"

#define ACCEPT_AT_ONCE 32
#define PAUSE_MS       100U /* out of descriptors: until some may be free */

struct pmg_listener {
	struct pmg_service *service;
	int fd;
	struct pmg_watch *watch;
	struct pmg_timer timer;
};

static bool is_full(const struct pmg_listener *listener)
{
	return !pmg_service_has_room(listener->service, PMG_ROLE_MANAGER);
}

static void take(struct pmg_listener *listener, int fd)
{
	struct pmg_err err = PMG_ERR_INIT;
	int one = 1;

	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	if (pmg_client_new(listener->service, fd, NULL, &err) < 0)
		pmg_log_debug("%s", err.msg);
}

static void on_event(void *ctx, uint32_t events)
{
	struct pmg_listener *listener = ctx;
	int fd, i;

	(void)events;
	for (i = 0; i < ACCEPT_AT_ONCE && !is_full(listener); i++) {
		fd = accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd >= 0) {
			take(listener, fd);
		} else if (errno == EAGAIN) {
			return;
		} else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
			   errno == ENOMEM) {
			pmg_watch_want(listener->watch, 0);
			pmg_timer_start(listener->service->loop, &listener->timer, PAUSE_MS);
			return;
		} /* else that one connection is gone already */
	}
	if (is_full(listener))
		pmg_watch_want(listener->watch, 0);
}

void pmg_listener_resume(struct pmg_listener *listener)
{
	if (!is_full(listener) && listener->timer.slot == 0)
		pmg_watch_want(listener->watch, EPOLLIN);
}

static void on_time(void *ctx)
{
	pmg_listener_resume(ctx);
}

int pmg_listener_new(struct pmg_service *service, int fd, struct pmg_listener **out,
		     struct pmg_err *err)
{
	pmg_auto(listener) struct pmg_listener *listener = pmg_xcalloc(1, sizeof *listener);
	int flags = fcntl(fd, F_GETFL), r;

	listener->service = service;
	listener->fd = fd;
	listener->timer = (struct pmg_timer){ .fn = on_time, .ctx = listener };
	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "listening socket");
	r = pmg_watch_new(service->loop, fd, EPOLLIN, on_event, listener, &listener->watch, err);
	if (r < 0)
		return r;
	*out = pmg_steal_ptr(&listener);
	return 0;
}

void pmg_listener_free(struct pmg_listener *listener)
{
	if (!listener)
		return;
	pmg_watch_end(listener->watch);
	pmg_timer_stop(listener->service->loop, &listener->timer);
	free(listener);
}
