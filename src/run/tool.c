#include "run/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/env.h"

static int not_started(const struct pmg_found *found, int errnum, struct pmg_err *err)
{
	(void)pmg_err_set(err, PMG_E_NOTFOUND, errnum, "%s", found->program);
	return pmg_err_diag(err, 5001);
}

/* The environment as this process is going to hand it to the tool. */
static void environment(const struct pmg_tool *tool, struct pmg_strv *out)
{
	pmg_autofree char *via = pmg_found_via(tool->found, getpid());

	if (tool->env->n > 0)
		pmg_strv_extend(out, tool->env->v);
	pmg_env_set(out, "PMG_VIA", via);
}

int pmg_tool_exec(const struct pmg_tool *tool, struct pmg_err *err)
{
	pmg_auto(strv) struct pmg_strv env = { 0 };

	environment(tool, &env);
	(void)execve(tool->found->program, tool->argv, pmg_strv_argv(&env));
	return not_started(tool->found, errno, err);
}

/* One thread, so memory may be allocated between fork and exec: PMG_VIA holds the child's pid. */
static void child(const struct pmg_tool *tool, const struct pmg_signals *signals, pid_t parent,
		  int report)
{
	struct pmg_err err = PMG_ERR_INIT;
	ssize_t n;

	pmg_signals_child(signals);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 || getppid() != parent)
		_exit(127);
	(void)!pmg_tool_exec(tool, &err); /* err says why it came back */
	n = write(report, &err.errnum, sizeof err.errnum);
	_exit(n == (ssize_t)sizeof err.errnum ? 127 : 126);
}

/* Nothing comes when exec succeeded: the pipe is closed by it. */
static int wait_for_exec(int report)
{
	int errnum = 0;
	ssize_t n;

	do
		n = read(report, &errnum, sizeof errnum);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof errnum ? errnum : 0;
}

int pmg_tool_start(const struct pmg_tool *tool, const struct pmg_signals *signals, pid_t *pid,
		   struct pmg_err *err)
{
	pid_t parent = getpid(), made;
	pmg_autofd int rd = -1;
	pmg_autofd int wr = -1;
	int fds[2], errnum;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "pipe");
	rd = fds[0];
	wr = fds[1];
	made = fork();
	if (made < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "fork");
	if (made == 0)
		child(tool, signals, parent, wr);
	(void)close(pmg_steal_fd(&wr));
	errnum = wait_for_exec(rd);
	if (errnum != 0) {
		while (waitpid(made, NULL, 0) < 0 && errno == EINTR)
			;
		return not_started(tool->found, errnum, err);
	}
	*pid = made;
	return 0;
}
