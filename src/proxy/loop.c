#include "proxy/loop.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"

#define EVENTS_MAX 64

struct pmg_watch {
	struct pmg_loop *loop;
	int fd;
	uint32_t events;
	pmg_watch_fn fn; /* NULL: ended */
	void *ctx;
	struct pmg_watch *next; /* of the ended ones */
};

struct pmg_loop {
	int fd;
	bool is_ended;
	struct pmg_watch *ended;   /* freed when no fetched event can point to them */
	struct pmg_timer **timers; /* heap from 1, earliest first */
	size_t n_timers, cap_timers;
	struct pmg_task *first, *last;
	uint64_t round; /* of running tasks */
};

int pmg_loop_new(struct pmg_loop **out, struct pmg_err *err)
{
	pmg_autofd int fd = epoll_create1(EPOLL_CLOEXEC);

	if (fd < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "epoll_create1");
	*out = pmg_xcalloc(1, sizeof **out);
	(*out)->fd = pmg_steal_fd(&fd);
	return 0;
}

static void free_ended(struct pmg_loop *loop)
{
	struct pmg_watch *watch;

	while ((watch = loop->ended)) {
		loop->ended = watch->next;
		free(watch);
	}
}

void pmg_loop_end(struct pmg_loop *loop)
{
	loop->is_ended = true;
}

int pmg_watch_new(struct pmg_loop *loop, int fd, uint32_t events, pmg_watch_fn fn, void *ctx,
		  struct pmg_watch **out, struct pmg_err *err)
{
	struct pmg_watch *watch = pmg_xcalloc(1, sizeof *watch);
	struct epoll_event event = { .events = events, .data.ptr = watch };

	if (epoll_ctl(loop->fd, EPOLL_CTL_ADD, fd, &event) < 0) {
		free(watch);
		return pmg_err_set(err, PMG_E_SYS, errno, "epoll_ctl");
	}
	*watch = (struct pmg_watch){ loop, fd, events, fn, ctx, NULL };
	*out = watch;
	return 0;
}

void pmg_watch_want(struct pmg_watch *watch, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = watch };

	if (watch->events == events || !watch->fn)
		return;
	if (epoll_ctl(watch->loop->fd, EPOLL_CTL_MOD, watch->fd, &event) < 0)
		abort(); /* a descriptor that was closed under its watch: our own mistake */
	watch->events = events;
}

void pmg_watch_end(struct pmg_watch *watch)
{
	if (!watch || !watch->fn)
		return;
	(void)epoll_ctl(watch->loop->fd, EPOLL_CTL_DEL, watch->fd, NULL);
	watch->fn = NULL;
	watch->next = watch->loop->ended;
	watch->loop->ended = watch;
}

static void put(struct pmg_loop *loop, size_t slot, struct pmg_timer *timer)
{
	loop->timers[slot] = timer;
	timer->slot = slot;
}

static void sift(struct pmg_loop *loop, size_t slot)
{
	struct pmg_timer *timer = loop->timers[slot];
	size_t child;

	for (; slot > 1 && loop->timers[slot / 2]->due_ms > timer->due_ms; slot /= 2)
		put(loop, slot, loop->timers[slot / 2]);
	for (; (child = slot * 2) <= loop->n_timers; slot = child) {
		if (child < loop->n_timers &&
		    loop->timers[child + 1]->due_ms < loop->timers[child]->due_ms)
			child++;
		if (loop->timers[child]->due_ms >= timer->due_ms)
			break;
		put(loop, slot, loop->timers[child]);
	}
	put(loop, slot, timer);
}

void pmg_timer_start(struct pmg_loop *loop, struct pmg_timer *timer, uint64_t in_ms)
{
	timer->due_ms = pmg_clock_ms() + in_ms;
	if (timer->slot == 0) {
		loop->timers =
			pmg_grow(loop->timers, ++loop->n_timers, &loop->cap_timers, sizeof(void *));
		put(loop, loop->n_timers, timer);
	}
	sift(loop, timer->slot);
}

void pmg_timer_stop(struct pmg_loop *loop, struct pmg_timer *timer)
{
	size_t slot = timer->slot;
	struct pmg_timer *last;

	if (slot == 0)
		return;
	timer->slot = 0;
	last = loop->timers[loop->n_timers--];
	if (last == timer)
		return;
	put(loop, slot, last);
	sift(loop, slot);
}

static void run_timers(struct pmg_loop *loop)
{
	uint64_t now = pmg_clock_ms();
	struct pmg_timer *timer;

	while (loop->n_timers > 0 && loop->timers[1]->due_ms <= now && !loop->is_ended) {
		timer = loop->timers[1];
		pmg_timer_stop(loop, timer);
		timer->fn(timer->ctx);
	}
}

void pmg_task_queue(struct pmg_loop *loop, struct pmg_task *task)
{
	if (task->is_queued)
		return;
	task->is_queued = true;
	task->round = loop->round;
	task->prev = loop->last;
	task->next = NULL;
	if (loop->last)
		loop->last->next = task;
	else
		loop->first = task;
	loop->last = task;
}

void pmg_task_cancel(struct pmg_loop *loop, struct pmg_task *task)
{
	if (!task->is_queued)
		return;
	if (task->prev)
		task->prev->next = task->next;
	else
		loop->first = task->next;
	if (task->next)
		task->next->prev = task->prev;
	else
		loop->last = task->prev;
	task->is_queued = false;
}

/* Those that are queued now. */
static void run_tasks(struct pmg_loop *loop)
{
	uint64_t round = loop->round++;
	struct pmg_task *task;

	while ((task = loop->first) && task->round <= round && !loop->is_ended) {
		pmg_task_cancel(loop, task);
		task->fn(task->ctx);
	}
}

void pmg_loop_free(struct pmg_loop *loop)
{
	if (!loop)
		return;
	loop->is_ended = false;
	while (loop->first)
		run_tasks(loop);
	free_ended(loop);
	free(loop->timers);
	(void)close(loop->fd);
	free(loop);
}

/* Milliseconds until the next task or timer, -1 when there is none. */
static int patience(const struct pmg_loop *loop)
{
	uint64_t now;

	if (loop->first)
		return 0;
	if (loop->n_timers == 0)
		return -1;
	now = pmg_clock_ms();
	if (loop->timers[1]->due_ms <= now)
		return 0;
	return loop->timers[1]->due_ms - now > 60000 ? 60000 : (int)(loop->timers[1]->due_ms - now);
}

int pmg_loop_run(struct pmg_loop *loop, struct pmg_err *err)
{
	struct epoll_event events[EVENTS_MAX];
	struct pmg_watch *watch;
	int n, i;

	loop->is_ended = false;
	while (!loop->is_ended) {
		run_tasks(loop);
		if (loop->is_ended)
			break;
		n = epoll_wait(loop->fd, events, EVENTS_MAX, patience(loop));
		if (n < 0 && errno != EINTR)
			return pmg_err_set(err, PMG_E_SYS, errno, "epoll_wait");
		for (i = 0; i < n && !loop->is_ended; i++) {
			watch = events[i].data.ptr;
			if (watch->fn)
				watch->fn(watch->ctx, events[i].events);
		}
		run_timers(loop);
		free_ended(loop);
	}
	return 0;
}
