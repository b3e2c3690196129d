#include "run/signals.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "tests/helper/valgrind.h"

static void handle(int sig, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler };

	assert_int_equal(sigaction(sig, &action, NULL), 0);
}

static void (*handler_of(int sig))(int)
{
	struct sigaction action;

	assert_int_equal(sigaction(sig, NULL, &action), 0);
	return action.sa_handler;
}

static bool is_blocked(int sig)
{
	sigset_t mask;

	assert_int_equal(sigprocmask(SIG_BLOCK, NULL, &mask), 0);
	return sigismember(&mask, sig) == 1;
}

static void mask_and_SIGCHLD_come_back_as_they_were(void **state)
{
	struct pmg_signals signals = PMG_SIGNALS_INIT;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	handle(SIGCHLD, SIG_IGN);
	assert_int_equal(pmg_signals_open(&signals, &err), 0);
	assert_true(is_blocked(SIGINT) && is_blocked(SIGPIPE) && is_blocked(SIGTSTP));
	assert_ptr_equal(handler_of(SIGCHLD), SIG_DFL);
	assert_false(is_blocked(SIGWINCH));
	assert_int_equal(raise(SIGINT), 0); /* forgotten when closed, else it would end this */
	pmg_signals_close(&signals);
	assert_false(is_blocked(SIGINT) || is_blocked(SIGPIPE) || is_blocked(SIGTSTP));
	assert_ptr_equal(handler_of(SIGCHLD), SIG_IGN);
	handle(SIGCHLD, SIG_DFL);
	pmg_signals_close(&signals);
}

static void what_a_process_sent_is_told_from_the_terminal(void **state)
{
	struct pmg_signals signals = PMG_SIGNALS_INIT;
	struct pmg_err err = PMG_ERR_INIT;
	bool by_terminal = true;

	(void)state;
	assert_int_equal(pmg_signals_open(&signals, &err), 0);
	assert_int_equal(pmg_signals_take(&signals, &by_terminal), 0);
	assert_int_equal(kill(getpid(), SIGTERM), 0);
	assert_int_equal(pmg_signals_take(&signals, &by_terminal), SIGTERM);
	assert_false(by_terminal);
	pmg_signals_close(&signals);
}

/* Runs fn in a child and returns its wait status. */
static int status_of(void (*fn)(void))
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		fn();
		_exit(99);
	}
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	if (WIFSTOPPED(status)) {
		assert_int_equal(kill(pid, SIGKILL), 0);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
	}
	return status;
}

static void die_by_quit(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct pmg_signals signals = PMG_SIGNALS_INIT;
	struct pmg_err err = PMG_ERR_INIT;

	(void)sigaction(SIGQUIT, &ignore, NULL);
	if (pmg_signals_open(&signals, &err) == 0)
		pmg_signals_die(SIGQUIT);
}

static void dying_looks_as_if_the_signal_had_killed_without_a_core(void **state)
{
	int status = status_of(die_by_quit);

	(void)state;
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGQUIT);
	assert_false(WCOREDUMP(status));
}

static void die_by_window_change(void)
{
	pmg_signals_die(SIGWINCH);
}

static void dying_by_a_harmless_signal_still_ends(void **state)
{
	int status = status_of(die_by_window_change);

	(void)state;
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 128 + SIGWINCH);
}

static void stop(void)
{
	struct pmg_signals signals = PMG_SIGNALS_INIT;
	struct pmg_err err = PMG_ERR_INIT;

	/* A group of its own below our session: not orphaned, so the stop counts. */
	if (setpgid(0, 0) == 0 && pmg_signals_open(&signals, &err) == 0)
		pmg_signals_stop_self(SIGTSTP);
}

static void stopping_looks_as_if_the_terminal_had_stopped_it(void **state)
{
	int status;

	(void)state;
	/* Where this test leads its session, its children's groups are orphaned: no stop then. */
	if (getsid(0) == getpid() || under_valgrind())
		skip();
	status = status_of(stop);
	assert_true(WIFSTOPPED(status));
	assert_int_equal(WSTOPSIG(status), SIGTSTP);
}

static void a_signal_ends_unless_the_caller_ignored_it(void **state)
{
	static const struct {
		int sig;
		bool ignored, ends, stops;
	} rows[] = {
		{ SIGINT, false, true, false },   { SIGINT, true, false, false },
		{ SIGTERM, false, true, false },  { SIGUSR1, false, true, false },
		{ SIGCHLD, false, false, false }, { SIGCONT, false, false, false },
		{ SIGTSTP, false, false, true },  { SIGTTIN, false, false, true },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		handle(rows[i].sig, rows[i].ignored ? SIG_IGN : SIG_DFL);
		assert_int_equal(pmg_signal_ends(rows[i].sig), rows[i].ends);
		assert_int_equal(pmg_signal_stops(rows[i].sig), rows[i].stops);
		handle(rows[i].sig, SIG_DFL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mask_and_SIGCHLD_come_back_as_they_were),
		cmocka_unit_test(what_a_process_sent_is_told_from_the_terminal),
		cmocka_unit_test(dying_looks_as_if_the_signal_had_killed_without_a_core),
		cmocka_unit_test(dying_by_a_harmless_signal_still_ends),
		cmocka_unit_test(stopping_looks_as_if_the_terminal_had_stopped_it),
		cmocka_unit_test(a_signal_ends_unless_the_caller_ignored_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
