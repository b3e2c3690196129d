#ifndef PMG_TESTS_HELPER_NOTIFIED_H
#define PMG_TESTS_HELPER_NOTIFIED_H
/** A child behind a filter whose listener we hold: it acts, we answer. */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "kernel/notify.h"
#include "kernel/seccomp.h"

struct notified {
	pid_t pid;
	int listener;
	int stop[2]; /* a pipe: write to [1] and waiting for the end does */
};

/* The child: it says the number of its listener, and goes on when we have it. */
static inline void notified_child(const struct pmg_seccomp_code *code, int pipe_fd,
				  int (*action)(void *), void *arg)
{
	struct pmg_err err = PMG_ERR_INIT;
	int listener = -1;
	char go;

	if (pmg_seccomp_enter(code, &listener, &err) < 0) {
		fprintf(stderr, "%s\n", err.msg);
		_exit(200);
	}
	if (write(pipe_fd, &listener, sizeof listener) != sizeof listener ||
	    read(pipe_fd, &go, 1) != 1)
		_exit(201);
	(void)close(listener);
	(void)close(pipe_fd);
	_exit(action(arg));
}

/** action(arg) runs in the child; its result is the exit status. */
static inline void notified_start(struct notified *n, const struct pmg_seccomp_program *program,
				  int (*action)(void *), void *arg)
{
	pmg_auto(seccomp_code) struct pmg_seccomp_code code = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	int pair[2], theirs = -1, pidfd;

	if (pmg_seccomp_compile(program, &code, &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(pipe(n->stop), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	(void)fflush(NULL);
	n->pid = fork();
	assert_true(n->pid >= 0);
	if (n->pid == 0)
		notified_child(&code, pair[1], action, arg);
	(void)close(pair[1]);
	assert_int_equal(read(pair[0], &theirs, sizeof theirs), sizeof theirs);
	pidfd = (int)syscall(SYS_pidfd_open, n->pid, 0);
	n->listener = (int)syscall(SYS_pidfd_getfd, pidfd, theirs, 0);
	assert_true(n->listener >= 0);
	assert_int_equal(write(pair[0], "g", 1), 1);
	(void)close(pidfd);
	(void)close(pair[0]);
}

/** The next call; the test ends when there is none. */
static inline struct pmg_notify notified_next(const struct notified *n)
{
	struct pollfd one = { .fd = n->listener, .events = POLLIN };
	struct pmg_notify call = { 0 };

	if (poll(&one, 1, -1) != 1 || !(one.revents & POLLIN) ||
	    pmg_notify_take(n->listener, &call) != 1)
		fail_msg("no call came");
	return call;
}

/** Waits for the child. @return its exit status, or 128 and its signal */
static inline int notified_end(struct notified *n)
{
	int status = 0;

	assert_int_equal(waitpid(n->pid, &status, 0), n->pid);
	(void)close(n->listener);
	(void)close(n->stop[0]);
	(void)close(n->stop[1]);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

#endif
