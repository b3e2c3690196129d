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
static bool has_signal(const struct waiter *waiter)
{
	char name[NAME_LEN], status[STATUS_MAX];
	pmg_autofd int fd = -1;
	ssize_t n;

	(void)snprintf(name, sizeof name, "%d/status", (int)waiter->tid);
	fd = openat(waiter->broker->proc, name, O_RDONLY | O_CLOEXEC);
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

/* @return fd or -errno */
static int open_patiently(const struct waiter *waiter)
{
	timer_t timer = NULL;
	int fd = set_timer(&timer);

	if (fd < 0)
		return fd;
	do {
		fd = pmg_reopen(waiter->broker, waiter->fd, waiter->flags);
		if (fd == -EINTR && has_signal(waiter))
			fd = -ERESTARTSYS;
	} while (fd == -EINTR && pmg_notify_is_valid(waiter->broker->listener, waiter->id));
	(void)timer_delete(timer);
	return fd;
}

static void *wait_in_thread(void *arg)
{
	struct waiter *waiter = arg;
	int listener = waiter->broker->listener;
	pmg_autofd int fd = open_patiently(waiter);
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
	(void)__atomic_sub_fetch(&waiter->broker->waiting, 1, __ATOMIC_SEQ_CST);
	free(waiter);
	return NULL;
}

void pmg_wait_open(struct pmg_request *request, int fd, int flags, struct pmg_answer *answer)
{
	struct pmg_broker *broker = request->broker;
	struct waiter *waiter = NULL;
	pthread_t thread;

	if (__atomic_add_fetch(&broker->waiting, 1, __ATOMIC_SEQ_CST) > WAITING_MAX) {
		pmg_answer_fail(answer, ENFILE);
	} else {
		waiter = pmg_xmalloc(sizeof *waiter);
		*waiter = (struct waiter){ broker, request->call.id, request->who.tid,
					   fcntl(fd, F_DUPFD_CLOEXEC, 0), flags };
		if (waiter->fd >= 0 && pthread_create(&thread, NULL, wait_in_thread, waiter) == 0) {
			(void)pthread_detach(thread);
			answer->kind = PMG_ANSWER_GIVEN;
			return;
		}
		pmg_auto_closep(&waiter->fd);
		free(waiter);
		pmg_answer_fail(answer, EAGAIN);
	}
	(void)__atomic_sub_fetch(&broker->waiting, 1, __ATOMIC_SEQ_CST);
}
