#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "kernel/mounts.h"
#include "kernel/ns.h"
#include "sandbox/walls_priv.h"

#define LOOK_MS 10 /* nothing tells us of the end of the broker's child */

/*
 * Pid 1 of the run. It takes the orphans away, and with it the kernel ends everything that the run
 * has started. It stands outside the broker's Landlock domain, so the broker has no right to signal
 * it, not even by dying: the leash tells it. Nothing the tool sends reaches it: pid 1 takes no
 * signal from below that it does not handle, and it handles none.
 */

static void reap(void)
{
	pid_t pid;

	do
		pid = waitpid(-1, NULL, WNOHANG);
	while (pid > 0 || (pid < 0 && errno == EINTR));
}

/* Orphans are our children, the tool is the broker's: it may have been asked to end before it has.
 */
static bool is_anybody_left(void)
{
	reap();
	return kill(-1, 0) == 0 || errno != ESRCH;
}

/* Ask politely, once; with our end the kernel kills who stays. */
static void end_all(int children)
{
	uint64_t now = pmg_clock_ms(), until = now + PMG_REAPER_TERM_MS;
	struct pollfd fd = { .fd = children, .events = POLLIN };
	struct signalfd_siginfo info;

	if (!is_anybody_left())
		return;
	(void)kill(-1, SIGTERM);
	(void)kill(-1, SIGCONT); /* a stopped one does not see it */
	for (; is_anybody_left() && now < until; now = pmg_clock_ms())
		if (poll(&fd, 1, LOOK_MS) > 0)
			(void)!read(children, &info, sizeof info);
}

static void attend(int leash, int children)
{
	struct pollfd fds[] = { { .fd = leash, .events = POLLIN },
				{ .fd = children, .events = POLLIN } };
	struct signalfd_siginfo info;
	char what;

	for (;;) {
		reap();
		if (poll(fds, PMG_ARRAY_LEN(fds), -1) < 0 && errno != EINTR)
			return;
		if (fds[1].revents)
			(void)!read(children, &info, sizeof info);
		if (!fds[0].revents)
			continue;
		if (read(leash, &what, 1) == 1 && what == PMG_REAPER_END)
			end_all(children);
		return;
	}
}

static int set_up(const struct pmg_broker_setup *setup, int *children, struct pmg_err *err)
{
	sigset_t child;
	int r = pmg_mount_proc(err);

	if (r == 0 && setup->has_memfd_noexec) {
		r = pmg_ns_memfd_noexec(err);
		if (r == 0) /* the filter relies on it */
			r = pmg_err_set(err, PMG_E_SYS, 0, "vm.memfd_noexec cannot be set");
	}
	if (r >= 0 && !setup->own_user)
		r = pmg_mount_readonly("/proc/sys", err);
	if (r >= 0)
		r = pmg_caps_keep(0, err);
	if (r < 0)
		return r;
	(void)sigemptyset(&child);
	(void)sigaddset(&child, SIGCHLD);
	*children = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
	if (*children < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "signalfd");
	return 0;
}

/* Its parent lies outside its pid namespace, so getppid() tells nothing: the leash does. */
static void reaper_main(const struct pmg_broker_setup *setup, int leash)
{
	struct pmg_err err = PMG_ERR_INIT;
	int children = -1, r;
	char held;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	(void)prctl(PR_SET_NAME, "pmg-reaper", 0, 0, 0);
	pmg_walls_close_but(&leash, 1);
	r = set_up(setup, &children, &err);
	if (read(leash, &held, 1) != 1) /* only as long as it is dumpable can it be held */
		_exit(0);
	if (r == 0)
		r = pmg_walls_detach(setup->want->debug, &err);
	if (r == 0)
		err.msg[0] = '\0';
	if (write(leash, &err, sizeof err) == (ssize_t)sizeof err && r == 0)
		attend(leash, children);
	_exit(0);
}

/* What the broker needs of it is opened before Landlock, which would keep it from it. */
static int take_hold(const struct pmg_broker_setup *setup, struct pmg_reaper *reaper,
		     struct pmg_err *err)
{
	char path[64];

	reaper->pidfd = (int)syscall(SYS_pidfd_open, reaper->pid, 0U);
	if (reaper->pidfd < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "pidfd_open");
	(void)snprintf(path, sizeof path, "%ld/ns/pid", (long)reaper->pid);
	reaper->ns = openat(setup->proc, path, O_RDONLY | O_CLOEXEC);
	if (reaper->ns < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "open its pid namespace");
	if (write(reaper->leash, "", 1) != 1)
		return pmg_err_set(err, PMG_E_SYS, errno, "speak to it");
	return 0;
}

static int hear(int leash, struct pmg_err *err)
{
	struct pmg_err said;
	ssize_t n;

	do
		n = read(leash, &said, sizeof said);
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof said)
		return pmg_err_set(err, PMG_E_SYS, 0, "it ended before it was ready");
	if (said.msg[0] == '\0')
		return 0;
	*err = said;
	return -(int)err->code;
}

int pmg_reaper_start(const struct pmg_broker_setup *setup, struct pmg_reaper *out,
		     struct pmg_err *err)
{
	int fds[2], r;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "socketpair");
	out->leash = fds[0];
	out->pid = (pid_t)syscall(SYS_clone, (unsigned long)(CLONE_NEWPID | SIGCHLD), NULL, NULL,
				  NULL, 0UL);
	if (out->pid == 0)
		reaper_main(setup, fds[1]);
	(void)close(fds[1]);
	if (out->pid < 0)
		r = pmg_err_set(err, PMG_E_SYS, errno, "start pid 1");
	else
		r = take_hold(setup, out, err);
	if (r == 0)
		r = hear(out->leash, err);
	return r < 0 ? pmg_err_wrap(err, "pid 1 of the run") : 0;
}
