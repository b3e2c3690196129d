#include "proxy/link.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "base/log.h"

#define POLL_MAX 256 /* messages at once: others want their turn */

struct letter {
	struct letter *next;
	uint16_t type;
	struct json_t *body;
};

struct pmg_link {
	struct pmg_loop *loop;
	int fd;
	struct pmg_watch *watch;
	struct pmg_link_user user;
	struct letter *first, **last;
	size_t n;
	struct pmg_task lost; /* gone() is never called from within pmg_link_send() */
	bool is_gone;
};

static void be_gone(void *ctx)
{
	struct pmg_link *link = ctx;

	if (link->is_gone)
		return;
	link->is_gone = true;
	pmg_watch_end(link->watch);
	link->watch = NULL;
	link->user.gone(link->user.ctx);
}

/* @return false: it has to wait, or the front is lost */
static bool try_send(struct pmg_link *link, uint16_t type, const struct json_t *body)
{
	struct pmg_err err = PMG_ERR_INIT;
	int r = pmg_msg_send(link->fd, type, body, &err);

	if (r == 0)
		return true;
	if (r == -PMG_E_LIMIT) {
		pmg_log_debug("%s", err.msg);
		return true;
	}
	if (err.errnum != EAGAIN)
		pmg_task_queue(link->loop, &link->lost);
	return false;
}

static void drop_first(struct pmg_link *link)
{
	struct letter *letter = link->first;

	link->first = letter->next;
	if (!link->first)
		link->last = &link->first;
	link->n--;
	pmg_json_free(letter->body);
	free(letter);
}

static void flush(struct pmg_link *link)
{
	while (link->first && try_send(link, link->first->type, link->first->body))
		drop_first(link);
	if (link->first)
		return;
	pmg_watch_want(link->watch, EPOLLIN);
	link->user.sent(link->user.ctx);
}

/* @return false: nothing was there */
static bool receive(struct pmg_link *link)
{
	pmg_auto(msg) struct pmg_msg msg = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	int r = pmg_msg_recv(link->fd, &msg, &err);

	if (r == -PMG_E_TIMEOUT)
		return false;
	if (r <= 0)
		be_gone(link);
	else
		link->user.message(link->user.ctx, &msg);
	return r > 0;
}

void pmg_link_poll(struct pmg_link *link)
{
	int i;

	for (i = 0; i < POLL_MAX && !link->is_gone && receive(link); i++)
		;
}

static void on_event(void *ctx, uint32_t events)
{
	struct pmg_link *link = ctx;

	if (events & EPOLLOUT)
		flush(link);
	if (!link->is_gone && (events & (EPOLLIN | EPOLLHUP | EPOLLERR)))
		pmg_link_poll(link);
}

int pmg_link_new(struct pmg_loop *loop, int fd, const struct pmg_link_user *user,
		 struct pmg_link **out, struct pmg_err *err)
{
	pmg_auto(link) struct pmg_link *link = pmg_xcalloc(1, sizeof *link);
	int flags = fcntl(fd, F_GETFL), r;

	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "socket to the front");
	link->loop = loop;
	link->fd = fd;
	link->user = *user;
	link->last = &link->first;
	link->lost = (struct pmg_task){ .fn = be_gone, .ctx = link };
	r = pmg_watch_new(loop, fd, EPOLLIN, on_event, link, &link->watch, err);
	if (r < 0)
		return r;
	*out = pmg_steal_ptr(&link);
	return 0;
}

void pmg_link_free(struct pmg_link *link)
{
	if (!link)
		return;
	while (link->first)
		drop_first(link);
	pmg_watch_end(link->watch);
	pmg_task_cancel(link->loop, &link->lost);
	free(link);
}

void pmg_link_send(struct pmg_link *link, uint16_t type, struct json_t *body)
{
	struct letter *letter;

	if (link->is_gone || (!link->first && try_send(link, type, body))) {
		pmg_json_free(body);
		return;
	}
	if (link->n == PMG_LINK_QUEUE_MAX) {
		pmg_json_free(body);
		pmg_task_queue(link->loop, &link->lost);
		return;
	}
	letter = pmg_xmalloc(sizeof *letter);
	*letter = (struct letter){ NULL, type, body };
	*link->last = letter;
	link->last = &letter->next;
	link->n++;
	pmg_watch_want(link->watch, EPOLLIN | EPOLLOUT);
}

bool pmg_link_is_idle(const struct pmg_link *link)
{
	return !link->first;
}
