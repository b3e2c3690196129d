#include "base/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/str.h"

#define REPORT_FD 3 /* where the child says why it could not start; closed by exec */

/* Descriptors where they belong. The pipes may have got 0 to 2, when we were started without. */
static int place_descriptors(int out, int report)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	null = fcntl(null, F_DUPFD_CLOEXEC, REPORT_FD);
	out = fcntl(out, F_DUPFD_CLOEXEC, REPORT_FD);
	if (null < 0 || out < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(null, 2) < 0)
		return -1;
	if (report != REPORT_FD && dup3(report, REPORT_FD, O_CLOEXEC) < 0)
		return -1;
	pmg_io_close_from(REPORT_FD + 1);
	return 0;
}

/* In the child: only async-signal-safe calls from here to exec. */
static void child(const struct pmg_proc *proc, pid_t parent, int out, int report)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL };
	sigset_t none;
	int sig, why;

	report = fcntl(report, F_DUPFD_CLOEXEC, REPORT_FD);
	for (sig = 1; sig < NSIG; sig++)
		(void)sigaction(sig, &dfl, NULL); /* KILL and STOP cannot be set, nor ignored */
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	/* Whoever is killed waits for no answer any more. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 || getppid() != parent)
		_exit(127);
	if (setpgid(0, 0) == 0 && (!proc->cwd || chdir(proc->cwd) == 0) &&
	    place_descriptors(out, report) == 0) {
		report = REPORT_FD;
		execve(proc->path, proc->argv, proc->envp);
	}
	why = errno;
	(void)!write(report, &why, sizeof why); /* if even that fails, exit 127 says it */
	_exit(127);
}

static int too_late(const struct pmg_proc *proc, struct pmg_err *err)
{
	return pmg_err_set(err, PMG_E_TIMEOUT, 0, "%s: no answer in %u ms", proc->path,
			   proc->timeout_ms);
}

/* Reads until end of file, the limit or the deadline. */
static int drain(int fd, const struct pmg_proc *proc, uint64_t end, struct pmg_str *buf,
		 struct pmg_err *err)
{
	struct pollfd pfds[] = { { .fd = fd, .events = POLLIN },
				 { .fd = proc->cancel_fd > 0 ? proc->cancel_fd : -1,
				   .events = POLLIN } };
	uint64_t now;
	ssize_t n;

	for (;;) {
		now = pmg_clock_ms();
		if (now >= end)
			return too_late(proc, err);
		if (poll(pfds, PMG_ARRAY_LEN(pfds), (int)(end - now)) <= 0)
			continue; /* time is up, or a signal came: look at the clock */
		if (pfds[1].revents)
			return pmg_err_set(err, PMG_E_TIMEOUT, 0, "%s: cancelled", proc->path);
		if (pmg_str_reserve(buf, 4096) < 0)
			return pmg_err_set(err, PMG_E_LIMIT, 0, "%s: said more than %zu bytes",
					   proc->path, proc->max);
		n = read(fd, buf->s + buf->len, 4096);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return pmg_err_set(err, PMG_E_SYS, errno, "read from %s", proc->path);
		if (n == 0)
			return 0;
		buf->len += (size_t)n;
		buf->s[buf->len] = '\0';
	}
}

/* Its output has ended; it need not have. @return 0 when it was reaped in time */
static int reap(pid_t pid, const struct pmg_proc *proc, uint64_t end, int *status,
		struct pmg_err *err)
{
	const struct timespec nap = { 0, 2000000 };

	while (waitpid(pid, status, WNOHANG) == 0) {
		if (pmg_clock_ms() >= end)
			return too_late(proc, err);
		(void)nanosleep(&nap, NULL);
	}
	return 0;
}

/* What the child reported: nothing when exec closed the pipe. */
static int started(int report, const struct pmg_proc *proc, struct pmg_err *err)
{
	int why = 0;
	ssize_t n;

	do
		n = read(report, &why, sizeof why);
	while (n < 0 && errno == EINTR);
	if (n == 0)
		return 0;
	return pmg_err_set(err, PMG_E_SYS, n > 0 ? why : errno, "start %s", proc->path);
}

static int make_pipe(int *rd, int *wr)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -1;
	*rd = fds[0];
	*wr = fds[1];
	return 0;
}

int pmg_proc_capture(const struct pmg_proc *proc, char **text, int *status, struct pmg_err *err)
{
	pmg_auto(str) struct pmg_str buf = PMG_STR_INIT(proc->max + 4096);
	pmg_autofd int out_rd = -1;
	pmg_autofd int out_wr = -1;
	pmg_autofd int report_rd = -1;
	pmg_autofd int report_wr = -1;
	uint64_t end = pmg_clock_ms() + proc->timeout_ms;
	pid_t parent = getpid(), pid;
	int st = 0, r;

	if (make_pipe(&out_rd, &out_wr) < 0 || make_pipe(&report_rd, &report_wr) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "pipe");
	pid = fork();
	if (pid < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "fork");
	if (pid == 0)
		child(proc, parent, out_wr, report_wr);
	(void)setpgid(pid, pid); /* the child does it too; whoever is first */
	(void)close(pmg_steal_fd(&out_wr));
	(void)close(pmg_steal_fd(&report_wr));
	r = started(report_rd, proc, err);
	if (r == 0)
		r = drain(out_rd, proc, end, &buf, err);
	if (r == 0)
		r = reap(pid, proc, end, &st, err);
	if (r < 0) {
		(void)kill(-pid, SIGKILL);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
		return r;
	}
	*text = pmg_str_steal(&buf);
	*status = st;
	return 0;
}
