#include "sandbox/broker_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"

#define WAITING_MAX  64U
#define LOOK_NS      100000000L /* how often it is looked whether the caller still wants it */
#define STATUS_MAX   8192
#define NAME_LEN     32
#define ERESTARTSYS  512 /* of the kernel: call again after the signal, or EINTR */
#define WAKE_SIGNAL  SIGRTMIN
#define THREAD_ID(e) ((e)._sigev_un._tid)

struct waiter {
	struct pmg_broker *broker;
	uint64_t id;
	pid_t tid;
	int fd;
	int flags;
};

/* Only so that open(2) ends with EINTR. */
static void on_wake(int number)
{
	(void)number;
}

static unsigned long long mask_of(const char *status, const char *field)
{
	const char *line = strstr(status, field);

	return line ? strtoull(line + strlen(field), NULL, 16) : 0;
}

/* Has the caller a signal to handle? The kernel holds it back until we answer. */
static bool has_signal(const struct pmg_broker *broker, pid_t tid)
{
	char name[NAME_LEN], status[STATUS_MAX];
	pmg_autofd int fd = -1;
	ssize_t n;

	(void)snprintf(name, sizeof name, "%d/status", (int)tid);
	fd = openat(broker->proc, name, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, status, sizeof status - 1);
	if (n < 0)
		return true;
	status[n] = '\0';
	return ((mask_of(status, "\nSigPnd:\t") | mask_of(status, "\nShdPnd:\t")) &
		~mask_of(status, "\nSigBlk:\t")) != 0;
}

/* A timer that wakes this thread alone. */
static int set_timer(timer_t *timer)
{
	const struct itimerspec often = { { 0, LOOK_NS }, { 0, LOOK_NS } };
	struct sigaction action = { .sa_handler = on_wake };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = WAKE_SIGNAL };
	sigset_t wake;

	THREAD_ID(event) = (pid_t)syscall(SYS_gettid);
	(void)sigemptyset(&wake);
	(void)sigaddset(&wake, WAKE_SIGNAL);
	(void)sigemptyset(&action.sa_mask);
	if (sigaction(WAKE_SIGNAL, &action, NULL) < 0 ||
	    pthread_sigmask(SIG_UNBLOCK, &wake, NULL) != 0 ||
	    timer_create(CLOCK_MONOTONIC, &event, timer) < 0)
		return -errno;
	return timer_settime(*timer, 0, &often, NULL) < 0 ? -errno : 0;
}

int pmg_wait_patiently(struct pmg_broker *broker, uint64_t id, pid_t tid, int (*call)(void *arg),
		       void *arg)
{
	timer_t timer = NULL;
	int r = set_timer(&timer);

	if (r < 0)
		return r;
	do {
		r = call(arg);
		if (r == -EINTR && has_signal(broker, tid))
			r = -ERESTARTSYS;
	} while (r == -EINTR && pmg_notify_is_valid(broker->listener, id));
	(void)timer_delete(timer);
	return r;
}

int pmg_wait_start(struct pmg_broker *broker, void *(*body)(void *arg), void *arg)
{
	pthread_t thread;
	int r = -ENFILE;

	if (__atomic_add_fetch(&broker->waiting, 1, __ATOMIC_SEQ_CST) <= WAITING_MAX)
		r = -pthread_create(&thread, NULL, body, arg);
	if (r == 0)
		(void)pthread_detach(thread);
	else
		pmg_wait_end(broker);
	return r;
}

void pmg_wait_end(struct pmg_broker *broker)
{
	(void)__atomic_sub_fetch(&broker->waiting, 1, __ATOMIC_SEQ_CST);
}

static int open_again(void *arg)
{
	const struct waiter *waiter = arg;

	return pmg_reopen(waiter->broker, waiter->fd, waiter->flags);
}

static void *wait_in_thread(void *arg)
{
	struct waiter *waiter = arg;
	int listener = waiter->broker->listener;
	pmg_autofd int fd =
		pmg_wait_patiently(waiter->broker, waiter->id, waiter->tid, open_again, waiter);
	int r = fd;

	if (fd >= 0) {
		r = pmg_notify_add_fd(listener, waiter->id, fd, (waiter->flags & O_CLOEXEC) != 0);
		(void)close(pmg_steal_fd(&fd));
	}
	if (r < 0)
		pmg_notify_fail(listener, waiter->id, -r);
	else
		pmg_notify_return(listener, waiter->id, r);
	(void)close(waiter->fd);
	pmg_wait_end(waiter->broker);
	free(waiter);
	return NULL;
}

void pmg_wait_open(struct pmg_request *request, int fd, int flags, struct pmg_answer *answer)
{
	struct waiter *waiter = pmg_xmalloc(sizeof *waiter);
	int r = -EMFILE;

	*waiter = (struct waiter){ request->broker, request->call.id, request->who.tid,
				   fcntl(fd, F_DUPFD_CLOEXEC, 0), flags };
	if (waiter->fd >= 0)
		r = pmg_wait_start(request->broker, wait_in_thread, waiter);
	if (r == 0) {
		answer->kind = PMG_ANSWER_GIVEN;
		return;
	}
	pmg_auto_closep(&waiter->fd);
	free(waiter);
	pmg_answer_fail(answer, -r);
}
