#include "sandbox/broker_priv.h"
#include "sandbox/verdicts_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/msg.h"
#include "kernel/procfs.h"
#include "violation/wire.h"

#define LOOK_US    1000 /* how often it is looked for threads that are to end */
#define END_SIGNAL (SIGRTMIN + 1)
#define WORKERS    2

#define NANOSECONDS 1000000000L

/*
 * Two threads. The first takes one call after the other; the second sleeps until the first finds,
 * having taken one, that another waits already. Both waiting at once would wake both for each call,
 * and handing over between them would cost more than most calls do. That is looked for before the
 * answer: a caller that is alone makes its next call right after it, and needs no second server.
 */
struct server {
	struct pmg_broker *broker;
	pthread_mutex_t lock; /* of wanted */
	pthread_cond_t wake;
	pthread_cond_t ended; /* a thread has */
	bool wanted;
	bool asleep;     /* the second; read without the lock */
	bool over;       /* atomic */
	unsigned begun;  /* under the lock: threads that serve, or could not */
	int errnum;      /* under the lock: why one could not */
	unsigned served; /* under the lock: threads that are still there */
};

void pmg_answer_fail(struct pmg_answer *answer, int errnum)
{
	answer->kind = PMG_ANSWER_FAIL;
	answer->errnum = errnum;
}

static void answer_fd(int listener, uint64_t id, struct pmg_answer *answer)
{
	int r = answer->may_linger ? pmg_notify_return_fd(listener, id, answer->fd, answer->cloexec)
				   : pmg_notify_add_fd(listener, id, answer->fd, answer->cloexec);

	/* Ours is closed before the caller goes on: a lock of its that it releases must be gone. */
	(void)close(answer->fd);
	if (r < 0)
		pmg_notify_fail(listener, id, -r);
	else if (!answer->may_linger)
		pmg_notify_return(listener, id, r);
}

static void give(struct pmg_broker *broker, uint64_t id, struct pmg_answer *answer)
{
	switch (answer->kind) {
	case PMG_ANSWER_FAIL:
		pmg_notify_fail(broker->listener, id, answer->errnum);
		break;
	case PMG_ANSWER_CONTINUE:
		pmg_notify_continue(broker->listener, id);
		break;
	case PMG_ANSWER_RETURN:
		pmg_notify_return(broker->listener, id, answer->value);
		break;
	case PMG_ANSWER_FD:
		answer_fd(broker->listener, id, answer);
		break;
	case PMG_ANSWER_GIVEN:
		break;
	}
}

/* What is not known is refused: an answer that nobody fills is EPERM. */
static void handle(struct pmg_broker *broker, const struct pmg_notify *call)
{
	struct pmg_request request = { .broker = broker, .call = *call };
	struct pmg_answer answer = { .kind = PMG_ANSWER_FAIL, .fd = -1 };

	request.row = pmg_calls_find(broker->calls, call);
	if (request.row && pmg_who_find(broker, call->tid, &request.who) == 0) {
		(void)(request.row->moves ? pthread_rwlock_wrlock(&broker->moves)
					  : pthread_rwlock_rdlock(&broker->moves));
		request.row->handle(&request, &answer);
		(void)pthread_rwlock_unlock(&broker->moves);
	}
	give(broker, call->id, &answer);
}

static bool is_over(struct server *server)
{
	return __atomic_load_n(&server->over, __ATOMIC_SEQ_CST);
}

/* @return false: the end */
static bool take(struct server *server, struct pmg_notify *call)
{
	while (!is_over(server)) {
		if (pmg_notify_take(server->broker->listener, call) > 0)
			return true;
		(void)sched_yield(); /* a caller was killed, or we are about to be told the end */
	}
	return false;
}

static void call_second(struct server *server)
{
	if (!__atomic_load_n(&server->asleep, __ATOMIC_SEQ_CST) ||
	    !pmg_notify_is_pending(server->broker->listener))
		return;
	(void)pthread_mutex_lock(&server->lock);
	server->wanted = true;
	(void)pthread_cond_signal(&server->wake);
	(void)pthread_mutex_unlock(&server->lock);
}

static void sleep_until_called(struct server *server)
{
	(void)pthread_mutex_lock(&server->lock);
	__atomic_store_n(&server->asleep, true, __ATOMIC_SEQ_CST);
	while (!server->wanted && !is_over(server))
		(void)pthread_cond_wait(&server->wake, &server->lock);
	server->wanted = false;
	__atomic_store_n(&server->asleep, false, __ATOMIC_SEQ_CST);
	(void)pthread_mutex_unlock(&server->lock);
}

static void on_end(int number)
{
	(void)number;
}

/*
 * A umask of the thread's own, which is set to each caller's, and a working folder among our
 * descriptors for calls that only take names (act_meta.c). Without it one thread would create files
 * by the other's mask, so nothing is served.
 */
static int part_thread(struct server *server)
{
	sigset_t end;

	(void)sigemptyset(&end);
	(void)sigaddset(&end, END_SIGNAL);
	if (unshare(CLONE_FS) < 0 || fchdir(server->broker->fds) < 0)
		return errno;
	return pthread_sigmask(SIG_UNBLOCK, &end, NULL);
}

static bool begin_thread(struct server *server)
{
	int errnum = part_thread(server);

	(void)pthread_mutex_lock(&server->lock);
	server->begun++;
	if (errnum != 0)
		server->errnum = errnum;
	(void)pthread_cond_broadcast(&server->wake);
	(void)pthread_mutex_unlock(&server->lock);
	return errnum == 0;
}

static void end_thread(struct server *server)
{
	(void)pthread_mutex_lock(&server->lock);
	server->served--;
	(void)pthread_cond_broadcast(&server->ended);
	(void)pthread_mutex_unlock(&server->lock);
}

static void *serve_first(void *arg)
{
	struct server *server = arg;
	bool serves = begin_thread(server);
	struct pmg_notify call = { 0 };
	pid_t last = 0;

	while (serves && take(server, &call)) {
		if (call.tid != last) /* calls are taken in order: more than one calls */
			call_second(server);
		last = call.tid;
		handle(server->broker, &call);
	}
	end_thread(server);
	return NULL;
}

static void *serve_second(void *arg)
{
	struct server *server = arg;
	bool serves = begin_thread(server);
	struct pmg_notify call;

	while (serves && !is_over(server)) {
		sleep_until_called(server);
		while (pmg_notify_is_pending(server->broker->listener) && take(server, &call))
			handle(server->broker, &call);
	}
	end_thread(server);
	return NULL;
}

int pmg_broker_begin(struct pmg_broker *broker, struct pmg_err *err)
{
	struct stat st;

	broker->fds = openat(broker->proc, "self/fd", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (broker->fds < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "open our own descriptors in /proc");
	if (fstat(broker->run_proc, &st) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "look at the run's /proc");
	broker->proc_dev = st.st_dev;
	broker->calls = pmg_calls_new();
	broker->verdicts = pmg_verdicts_new();
	return 0;
}

void pmg_broker_done(struct pmg_broker *broker)
{
	pmg_auto_closep(&broker->fds);
	broker->fds = -1;
	pmg_calls_free(broker->calls);
	pmg_verdicts_free(broker->verdicts);
	broker->verdicts = NULL;
	broker->calls = NULL;
	pmg_strv_done(&broker->abstracts);
}

/* All have begun, or one cannot serve: then none does. @return errno */
static int wait_begun(struct server *server, unsigned n)
{
	int errnum;

	(void)pthread_mutex_lock(&server->lock);
	while (server->begun < n && server->errnum == 0)
		(void)pthread_cond_wait(&server->wake, &server->lock);
	errnum = server->errnum;
	(void)pthread_mutex_unlock(&server->lock);
	return errnum;
}

static void wait_a_little(struct server *server)
{
	struct timespec until;

	(void)clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += LOOK_US * 1000L;
	if (until.tv_nsec >= NANOSECONDS) {
		until.tv_nsec -= NANOSECONDS;
		until.tv_sec++;
	}
	(void)pthread_cond_timedwait(&server->ended, &server->lock, &until);
}

static void end_all(struct server *server, const pthread_t threads[WORKERS], unsigned n)
{
	unsigned i;

	__atomic_store_n(&server->over, true, __ATOMIC_SEQ_CST);
	(void)pthread_mutex_lock(&server->lock);
	while (server->served > 0) {
		/* Again and again: one may just have been about to wait. */
		for (i = 0; i < n; i++)
			(void)pthread_kill(threads[i], END_SIGNAL);
		(void)pthread_cond_broadcast(&server->wake);
		wait_a_little(server);
	}
	(void)pthread_mutex_unlock(&server->lock);
	for (i = 0; i < n; i++)
		(void)pthread_join(threads[i], NULL);
	while (__atomic_load_n(&server->broker->waiting, __ATOMIC_SEQ_CST) > 0)
		(void)usleep(LOOK_US); /* wait.c: they end once their callers are gone */
}

static void begin_count(struct server *server)
{
	(void)pthread_mutex_lock(&server->lock);
	server->served++;
	(void)pthread_mutex_unlock(&server->lock);
}

static int serve(struct server *server, int stop_fd, struct pmg_err *err)
{
	static void *(*const bodies[WORKERS])(void *) = { serve_first, serve_second };
	pthread_t threads[WORKERS];
	unsigned n = 0;
	int errnum = 0, r;

	while (n < WORKERS && errnum == 0) {
		begin_count(server);
		errnum = pthread_create(&threads[n], NULL, bodies[n], server);
		if (errnum == 0)
			n++;
		else
			end_thread(server);
	}
	if (errnum == 0)
		errnum = wait_begun(server, n);
	r = errnum != 0 ? pmg_err_set(err, PMG_E_SYS, errnum, "start a thread that serves")
			: pmg_notify_wait_end(server->broker->listener, stop_fd, err);
	end_all(server, threads, n);
	return r;
}

int pmg_broker_serve(struct pmg_broker *broker, int stop_fd, struct pmg_err *err)
{
	struct server server = { .broker = broker,
				 .lock = PTHREAD_MUTEX_INITIALIZER,
				 .wake = PTHREAD_COND_INITIALIZER,
				 .ended = PTHREAD_COND_INITIALIZER };
	struct sigaction action = { .sa_handler = on_end };
	int r = pmg_broker_begin(broker, err);

	if (r < 0)
		return r;
	(void)sigemptyset(&action.sa_mask);
	(void)sigaction(END_SIGNAL, &action, NULL);
	pmg_notify_sync_wake(broker->listener);
	r = serve(&server, stop_fd, err);
	pmg_broker_flush(broker);
	pmg_broker_done(broker);
	return r;
}

static void send_count(struct pmg_broker *broker, struct pmg_event *event, uint64_t told)
{
	struct pmg_err err = PMG_ERR_INIT;
	struct json_t *body;
	uint64_t all = event->count;

	event->count = all - told;
	body = pmg_event_encode(event);
	event->count = all;
	(void)!pmg_msg_send(broker->wire, PMG_WIRE_DENIED, body, &err);
	pmg_json_free(body);
}

void pmg_broker_flush(struct pmg_broker *broker)
{
	size_t i;

	(void)pthread_mutex_lock(&broker->lock);
	for (i = 0; broker->wire >= 0 && i < broker->events.n; i++) {
		if (broker->events.v[i].count > broker->told[i])
			send_count(broker, &broker->events.v[i], broker->told[i]);
		broker->told[i] = broker->events.v[i].count;
	}
	(void)pthread_mutex_unlock(&broker->lock);
}
