#include "run/signals.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/mem.h"

/* Read from the descriptor while a run goes on. SIGPIPE only has to be blocked. */
static const int watched[] = { SIGCHLD, SIGCONT, SIGHUP,  SIGINT,  SIGQUIT,
			       SIGTERM, SIGTSTP, SIGUSR1, SIGUSR2, SIGALRM };
static const int ending[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
static const int kept_off[] = { SIGPIPE, SIGTTOU, SIGTTIN };

static sigset_t set_of(const int *signals, size_t n)
{
	sigset_t set;
	size_t i;

	(void)sigemptyset(&set);
	for (i = 0; i < n; i++)
		(void)sigaddset(&set, signals[i]);
	return set;
}

/* What the caller ignores ends nobody: it must not cancel anything either. */
static sigset_t ending_set(void)
{
	sigset_t set = set_of(ending, PMG_ARRAY_LEN(ending));
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(ending); i++)
		if (!pmg_signal_ends(ending[i]))
			(void)sigdelset(&set, ending[i]);
	return set;
}

int pmg_signals_open(struct pmg_signals *out, struct pmg_err *err)
{
	struct sigaction plain = { .sa_handler = SIG_DFL };
	struct pmg_signals signals = PMG_SIGNALS_INIT;
	sigset_t watch = set_of(watched, PMG_ARRAY_LEN(watched)), ends = ending_set();
	sigset_t off = set_of(kept_off, PMG_ARRAY_LEN(kept_off)), block;

	(void)sigorset(&block, &watch, &off);
	/* With SIGCHLD ignored children are reaped unseen (wait(2)): we need their ends. */
	if (sigaction(SIGCHLD, &plain, &signals.found_chld) < 0 ||
	    sigprocmask(SIG_BLOCK, &block, &signals.found_mask) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "signal mask");
	signals.fd = signalfd(-1, &watch, SFD_CLOEXEC | SFD_NONBLOCK);
	signals.end_fd = signals.fd < 0 ? -1 : signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signals.end_fd < 0) {
		(void)pmg_err_set(err, PMG_E_SYS, errno, "signalfd");
		pmg_auto_closep(&signals.fd);
		pmg_signals_child(&signals);
		return -PMG_E_SYS;
	}
	*out = signals;
	return 0;
}

void pmg_signals_close(struct pmg_signals *signals)
{
	bool by_terminal;

	if (signals->fd < 0)
		return;
	while (pmg_signals_take(signals, &by_terminal) > 0)
		;
	pmg_signals_child(signals);
	pmg_auto_closep(&signals->fd);
	pmg_auto_closep(&signals->end_fd);
	signals->fd = signals->end_fd = -1;
}

void pmg_signals_child(const struct pmg_signals *signals)
{
	(void)sigaction(SIGCHLD, &signals->found_chld, NULL);
	(void)sigprocmask(SIG_SETMASK, &signals->found_mask, NULL);
}

void pmg_signals_helper(void)
{
	struct sigaction plain = { .sa_handler = SIG_DFL };
	sigset_t none;
	int sig;

	for (sig = 1; sig < NSIG; sig++)
		(void)sigaction(sig, &plain, NULL); /* KILL, STOP and libc's own: EINVAL */
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

int pmg_signals_take(const struct pmg_signals *signals, bool *by_terminal)
{
	struct signalfd_siginfo info;
	ssize_t n = read(signals->fd, &info, sizeof info);

	if (n != (ssize_t)sizeof info)
		return 0;
	*by_terminal = info.ssi_code == SI_KERNEL;
	return (int)info.ssi_signo;
}

void pmg_signals_stop_self(int sig)
{
	sigset_t one, old;

	(void)raise(sig);
	(void)sigemptyset(&one);
	(void)sigaddset(&one, sig);
	(void)sigprocmask(SIG_UNBLOCK, &one, &old); /* here it stops */
	(void)sigprocmask(SIG_SETMASK, &old, NULL);
}

void pmg_signals_die(int sig)
{
	struct sigaction plain = { .sa_handler = SIG_DFL };
	struct rlimit none = { 0, 0 };
	sigset_t one;

	(void)setrlimit(RLIMIT_CORE, &none);
	(void)sigaction(sig, &plain, NULL);
	(void)sigemptyset(&one);
	(void)sigaddset(&one, sig);
	(void)raise(sig);
	(void)sigprocmask(SIG_UNBLOCK, &one, NULL);
	_exit(128 + sig); /* a signal whose default is not to kill */
}

bool pmg_signal_stops(int sig)
{
	return sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU;
}

bool pmg_signal_ends(int sig)
{
	struct sigaction found;

	if (sig == SIGCHLD || sig == SIGCONT || pmg_signal_stops(sig))
		return false;
	return sigaction(sig, NULL, &found) < 0 || found.sa_handler != SIG_IGN;
}
