#include "base/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/str.h"

/* In the child: only async-signal-safe calls from here to exec. */
static void child(const struct pmg_proc *proc, int out)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(null, 2) < 0)
		_exit(127);
	if (setpgid(0, 0) < 0 || (proc->cwd && chdir(proc->cwd) < 0))
		_exit(127);
	pmg_io_close_from(3);
	execve(proc->path, proc->argv, proc->envp);
	_exit(127);
}

/* Reads until end of file, the limit or the deadline. */
static int drain(int fd, const struct pmg_proc *proc, struct pmg_str *buf, struct pmg_err *err)
{
	uint64_t end = pmg_clock_ms() + proc->timeout_ms, now;
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	ssize_t n;

	for (;;) {
		now = pmg_clock_ms();
		if (now >= end || poll(&pfd, 1, (int)(end - now)) == 0)
			return pmg_err_set(err, PMG_E_TIMEOUT, 0, "%s: no answer in %u ms",
					   proc->path, proc->timeout_ms);
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

int pmg_proc_capture(const struct pmg_proc *proc, char **text, int *status, struct pmg_err *err)
{
	pmg_auto(str) struct pmg_str buf = PMG_STR_INIT(proc->max + 4096);
	pmg_autofd int rd = -1;
	pmg_autofd int wr = -1;
	int pipefd[2], st = 0, r;
	pid_t pid;

	if (pipe2(pipefd, O_CLOEXEC) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "pipe");
	rd = pipefd[0];
	wr = pipefd[1];
	pid = fork();
	if (pid < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "fork");
	if (pid == 0)
		child(proc, wr);
	(void)setpgid(pid, pid); /* the child does it too; whoever is first */
	(void)close(pmg_steal_fd(&wr));
	r = drain(rd, proc, &buf, err);
	if (r < 0)
		(void)kill(-pid, SIGKILL);
	while (waitpid(pid, &st, 0) < 0 && errno == EINTR)
		;
	if (r < 0)
		return r;
	*text = pmg_str_steal(&buf);
	*status = st;
	return 0;
}
