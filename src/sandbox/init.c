#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "kernel/ns.h"
#include "sandbox/walls_priv.h"

/* The soft limit too: the tool may go below, never above. 0: as found. */
static int limit(__rlimit_resource_t what, uint64_t most, struct pmg_err *err)
{
	struct rlimit found;

	if (getrlimit(what, &found) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "getrlimit");
	if (found.rlim_max > most)
		found.rlim_max = most;
	if (found.rlim_cur > found.rlim_max)
		found.rlim_cur = found.rlim_max;
	if (setrlimit(what, &found) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "setrlimit");
	return 0;
}

/* A core file is written by the kernel, past every wall, into whatever folder the process is in. */
static int limits(const struct pmg_policy *policy, struct pmg_err *err)
{
	int r = limit(RLIMIT_CORE, 0, err);

	if (r == 0 && policy->max_processes > 0)
		r = limit(RLIMIT_NPROC, policy->max_processes, err);
	if (r == 0 && policy->max_open_files > 0)
		r = limit(RLIMIT_NOFILE, policy->max_open_files, err);
	return r;
}

static int say(int link, const struct pmg_init_says *says, struct pmg_err *err)
{
	char answer;

	if (write(link, says, sizeof *says) != (ssize_t)sizeof *says || read(link, &answer, 1) != 1)
		return pmg_err_set(err, PMG_E_PEER, 0, "the broker is gone");
	return 0;
}

/* The listener goes to the broker, and only it has one: who holds it answers for the tool. */
static int enter_filter(const struct pmg_broker_setup *setup, int link, struct pmg_err *err)
{
	struct pmg_init_says says = { .kind = PMG_INIT_LISTENER };
	int r = pmg_seccomp_enter(setup->filter, &says.listener, err);

	if (r == 0)
		r = say(link, &says, err);
	if (r == 0)
		(void)close(says.listener);
	return r;
}

static int lock_in(const struct pmg_broker_setup *setup, int link, struct pmg_err *err)
{
	unsigned without = setup->want->without;
	int r = limits(setup->want->policy, err);

	if (r == 0 && !(without & PMG_WITHOUT_LANDLOCK))
		r = pmg_landlock_restrict(setup->inner, err);
	pmg_walls_close_but(&link, 1);
	if (r == 0 && !(without & PMG_WITHOUT_CAPS))
		r = pmg_caps_keep(setup->caps, err);
	if (r == 0 && setup->canary)
		r = pmg_canary_bare(setup, err);
	if (r == 0 && !(without & PMG_WITHOUT_FILTER))
		r = enter_filter(setup, link, err);
	if (r == 0 && setup->canary)
		r = pmg_canary_guarded(setup, err);
	return r;
}

static int prove(const struct pmg_broker_setup *setup, int link, struct pmg_err *err)
{
	const struct pmg_init_says says = { .kind = PMG_INIT_PROVED };
	int r;

	if (chdir(setup->want->cwd) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "enter %s", setup->want->cwd);
	r = lock_in(setup, link, err);
	return r == 0 ? say(link, &says, err) : r;
}

void pmg_init_main(const struct pmg_broker_setup *setup, int link)
{
	const struct pmg_sandbox_want *want = setup->want;
	struct pmg_init_says says = { .kind = PMG_INIT_FAILED, .err = PMG_ERR_INIT };

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); /* who set it too late gets no answer */
	if (prove(setup, link, &says.err) == 0) {
		(void)sigprocmask(SIG_SETMASK, want->mask, NULL);
		(void)execve(want->program, want->argv, want->envp);
		(void)pmg_err_set(&says.err, PMG_E_NOTFOUND, errno, "start %s", want->program);
	}
	(void)!write(link, &says, sizeof says);
	_exit(PMG_EXIT_INTERNAL);
}
