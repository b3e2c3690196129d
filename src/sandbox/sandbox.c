#include "sandbox/sandbox.h"

#include <errno.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/uapi.h"
#include "violation/wire.h"

#define GONE_MS 2000 /* the kernel kills what is left: this long we wait for it to have done so */

/* The keeper's death takes the broker with it, and so on down: each asked for that. */
static void wait_until_gone(struct pollfd *fds, nfds_t n)
{
	nfds_t i;
	int r;

	for (i = 0; i < n; i++) {
		if (fds[i].fd < 0)
			continue;
		do
			r = poll(&fds[i], 1, GONE_MS);
		while (r < 0 && errno == EINTR);
	}
}

void pmg_sandbox_done(struct pmg_sandbox *sandbox)
{
	struct pollfd fds[] = { { .fd = sandbox->fd },
				{ .fd = sandbox->tool_fd, .events = POLLIN } };

	if (sandbox->keeper > 0) {
		(void)kill(sandbox->keeper, SIGKILL);
		while (waitpid(sandbox->keeper, NULL, 0) < 0 && errno == EINTR)
			;
		wait_until_gone(fds, PMG_ARRAY_LEN(fds));
	}
	pmg_auto_closep(&sandbox->fd);
	pmg_auto_closep(&sandbox->tool_fd);
	*sandbox = (struct pmg_sandbox)PMG_SANDBOX_INIT;
}

static void child(const struct pmg_sandbox_want *want, pid_t front, int fd)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 || getppid() != front)
		_exit(PMG_EXIT_INTERNAL);
	want->driver->keep(want, fd);
}

int pmg_sandbox_start(const struct pmg_sandbox_want *want, struct pmg_sandbox *out,
		      struct pmg_err *err)
{
	pmg_autofd int ours = -1;
	pmg_autofd int theirs = -1;
	pid_t front = getpid(), made;
	int fds[2], r;

	r = pmg_msg_pair(fds, err);
	if (r < 0)
		return r;
	ours = fds[0];
	theirs = fds[1];
	made = fork();
	if (made < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "fork");
	if (made == 0)
		child(want, front, theirs);
	out->keeper = made;
	out->fd = pmg_steal_fd(&ours);
	out->tool_fd = -1;
	return 0;
}

int pmg_sandbox_go(struct pmg_sandbox *sandbox, struct pmg_err *err)
{
	return pmg_msg_send(sandbox->fd, PMG_WIRE_GO, NULL, err);
}

int pmg_sandbox_stop(struct pmg_sandbox *sandbox, struct pmg_err *err)
{
	return pmg_msg_send(sandbox->fd, PMG_WIRE_END, NULL, err);
}

int pmg_sandbox_signal(const struct pmg_sandbox *sandbox, int sig, struct pmg_err *err)
{
	if (sandbox->tool_fd < 0)
		return pmg_err_set(err, PMG_E_NOTFOUND, 0, "the tool has not been started");
	if (syscall(SYS_pidfd_send_signal, sandbox->tool_fd, sig, NULL, 0U) == 0)
		return 0;
	return pmg_err_set(err, errno == ESRCH ? PMG_E_NOTFOUND : PMG_E_SYS, errno,
			   "signal %d to the tool", sig);
}
