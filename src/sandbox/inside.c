#include "sandbox/inside.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/seccomp.h"

/* A filter that lets everything through, and wants a listener. */
static void try(void)
{
	static const struct pmg_seccomp_rule rules[] = {
		{ .call = "reboot", .action = PMG_SECCOMP_ERRNO, .errnum = EPERM }
	};
	static const struct pmg_seccomp_table table = { rules, 1 };
	static const struct pmg_seccomp_program program = { .otherwise = PMG_SECCOMP_ALLOW,
							    .tables = &table,
							    .n = 1 };
	pmg_auto(seccomp_code) struct pmg_seccomp_code code = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	int listener = -1;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    pmg_seccomp_compile(&program, &code, &err) < 0)
		_exit(2);
	if (pmg_seccomp_enter(&code, &listener, &err) < 0 && err.errnum == EBUSY)
		_exit(0);
	_exit(1);
}

bool pmg_sandbox_is_inside(void)
{
	pid_t child = fork();
	int status = 0;

	if (child == 0)
		try();
	while (child > 0 && waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
