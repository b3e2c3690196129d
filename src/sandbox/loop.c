#include "sandbox/broker_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "base/msg.h"
#include "kernel/procfs.h"
#include "violation/wire.h"

#define LOOK_US 1000 /* for threads that still wait (wait.c) */

struct server {
	struct pmg_broker *broker;
	int stop_fd;
	pthread_mutex_t turn; /* one waits for calls at a time: kernel/notify.h */
	bool over;
	int r; /* of the thread that saw the end */
	struct pmg_err err;
};

void pmg_answer_fail(struct pmg_answer *answer, int errnum)
{
	answer->kind = PMG_ANSWER_FAIL;
	answer->errnum = errnum;
}

static void answer_fd(int listener, uint64_t id, struct pmg_answer *answer)
{
	int r = pmg_notify_add_fd(listener, id, answer->fd, answer->cloexec);

	/* Ours is closed before the caller goes on: a lock of its that it releases must be gone. */
	(void)close(answer->fd);
	if (r < 0)
		pmg_notify_fail(listener, id, -r);
	else
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

static bool receive(struct server *server, struct pmg_notify *call)
{
	int r = 0;

	(void)pthread_mutex_lock(&server->turn);
	if (!server->over) {
		r = pmg_notify_recv(server->broker->listener, server->stop_fd, call, &server->err);
		server->over = r <= 0;
		server->r = r;
	}
	(void)pthread_mutex_unlock(&server->turn);
	return r > 0;
}

static void *serve(void *arg)
{
	struct server *server = arg;
	struct pmg_notify call;

	/* A umask of the thread's own, which is set to each caller's, and a working folder among
	 * our descriptors for calls that only take names (act_meta.c). Without it one thread would
	 * create files by the other's mask, so nothing is served. */
	if (unshare(CLONE_FS) < 0 || fchdir(server->broker->fds) < 0)
		return NULL;
	while (receive(server, &call))
		handle(server->broker, &call);
	return server;
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
	return 0;
}

void pmg_broker_done(struct pmg_broker *broker)
{
	pmg_auto_closep(&broker->fds);
	broker->fds = -1;
	pmg_calls_free(broker->calls);
	broker->calls = NULL;
}

int pmg_broker_serve(struct pmg_broker *broker, int stop_fd, struct pmg_err *err)
{
	struct server server = { .broker = broker,
				 .stop_fd = stop_fd,
				 .turn = PTHREAD_MUTEX_INITIALIZER,
				 .err = PMG_ERR_INIT };
	void *served = NULL;
	pthread_t second;
	int r;

	r = pmg_broker_begin(broker, err);
	if (r < 0)
		return r;
	pmg_notify_sync_wake(broker->listener);
	r = pthread_create(&second, NULL, serve, &server);
	if (r != 0)
		return pmg_err_set(err, PMG_E_SYS, r, "start a thread");
	served = serve(&server);
	(void)pthread_join(second, NULL);
	while (__atomic_load_n(&broker->waiting, __ATOMIC_SEQ_CST) > 0)
		(void)usleep(LOOK_US); /* they end once their callers are gone */
	pmg_broker_flush(broker);
	pmg_broker_done(broker);
	if (!served)
		return pmg_err_set(err, PMG_E_SYS, EPERM, "part the threads' umask");
	if (server.r < 0)
		*err = server.err;
	return server.r;
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
