#ifndef PMG_RUN_SIGNALS_H
#define PMG_RUN_SIGNALS_H
/**
 * Signals of a guarded run. Front and tool share session and process group, so
 * what the terminal sends (Ctrl-C, Ctrl-\, Ctrl-Z, hang-up, window size)
 * reaches the tool by itself; what somebody sends to the front alone is handed
 * on. The front blocks them all and reads them from a descriptor; the tool
 * gets mask and dispositions as the front found them.
 */
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

struct pmg_signals {
	int fd;     /* of signalfd(2), non-blocking: readable when something came */
	int end_fd; /* readable while somebody wants us to end; only to be waited for */
	sigset_t found_mask;
	struct sigaction found_chld;
};

#define PMG_SIGNALS_INIT                                                                           \
	{                                                                                          \
		.fd = -1, .end_fd = -1                                                             \
	}

/** Block and watch. SIGCHLD gets its default action, so that children can be waited for. */
int pmg_signals_open(struct pmg_signals *out, struct pmg_err *err) PMG_MUST_CHECK;
/** Forget what came, put mask and SIGCHLD back. Fit for one that was not opened. */
void pmg_signals_close(struct pmg_signals *signals);
/** In a child before exec: mask and dispositions as they were found. Async-signal-safe. */
void pmg_signals_child(const struct pmg_signals *signals);
/** In a helper before exec: nothing blocked, all defaults. Async-signal-safe. */
void pmg_signals_helper(void);

/**
 * Take one. @return signal number, 0 when none is there
 * @param[out] by_terminal  the kernel sent it to the whole foreground group
 */
int pmg_signals_take(const struct pmg_signals *signals, bool *by_terminal);

/** Is it one by which a terminal stops a job: SIGTSTP, SIGTTIN, SIGTTOU? */
bool pmg_signal_stops(int sig);
/** Stop this process by such a signal: the shell sees its job stop. Returns when continued. */
void pmg_signals_stop_self(int sig);

/** End this process as one that sig has killed, without a core file. */
void pmg_signals_die(int sig) __attribute__((noreturn));

/** Would it end a program that does nothing about it? No, where the caller has it ignored. */
bool pmg_signal_ends(int sig);

#endif
