#ifndef PMG_PROXY_LOOP_H
#define PMG_PROXY_LOOP_H
/**
 * The one event loop of pmg-proxy, over epoll (level-triggered). Handlers run
 * one after the other and may end any watch, timer or task, their own too: what
 * was ended is not called any more, even when its event was already fetched.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>

#include "base/err.h"
#include "base/mem.h"

struct pmg_loop;
int pmg_loop_new(struct pmg_loop **out, struct pmg_err *err) PMG_MUST_CHECK;
/** After all watches were ended. Runs the tasks that are queued still: they free what has ended. */
void pmg_loop_free(struct pmg_loop *loop);
PMG_DEFINE_AUTO(loop, struct pmg_loop *, pmg_loop_free);

/** Serve until pmg_loop_end(). @return 0 or -PMG_E_SYS */
int pmg_loop_run(struct pmg_loop *loop, struct pmg_err *err) PMG_MUST_CHECK;
void pmg_loop_end(struct pmg_loop *loop); /* after the handler at hand */

typedef void (*pmg_watch_fn)(void *ctx, uint32_t events);
struct pmg_watch; /* one descriptor; the descriptor stays the caller's */

/** @param events  EPOLLIN, EPOLLOUT; EPOLLHUP and EPOLLERR always come. @return 0 or -PMG_E_SYS */
int pmg_watch_new(struct pmg_loop *loop, int fd, uint32_t events, pmg_watch_fn fn, void *ctx,
		  struct pmg_watch **out, struct pmg_err *err) PMG_MUST_CHECK;
void pmg_watch_want(struct pmg_watch *watch, uint32_t events); /* costs nothing when it is so */
/** Before the descriptor is closed. NULL is fine. */
void pmg_watch_end(struct pmg_watch *watch);

typedef void (*pmg_run_fn)(void *ctx);

/* In the caller's memory; set fn and ctx, zero the rest. */
struct pmg_timer {
	pmg_run_fn fn;
	void *ctx;
	uint64_t due_ms;
	size_t slot; /* in the heap, from 1; 0: not running */
};
/** One that runs already starts anew. */
void pmg_timer_start(struct pmg_loop *loop, struct pmg_timer *timer, uint64_t in_ms);
void pmg_timer_stop(struct pmg_loop *loop, struct pmg_timer *timer); /* not running: fine */

/* Something to do soon, outside of the handler at hand. In the caller's memory, as timers. */
struct pmg_task {
	pmg_run_fn fn;
	void *ctx;
	struct pmg_task *prev, *next;
	uint64_t round; /* of the loop, when it was queued */
	bool is_queued;
};
/** Queued already: fine. From within a task: descriptors and timers are looked at in between, so
 *  that what always finds more to do does not keep others from it. */
void pmg_task_queue(struct pmg_loop *loop, struct pmg_task *task);
void pmg_task_cancel(struct pmg_loop *loop, struct pmg_task *task);

#endif
