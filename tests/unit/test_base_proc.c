#include "base/proc.h"

#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

#include <cmocka.h>

/* Runs a line of shell; everything but the outputs is a constant. */
static int run(const char *line, size_t max, uint32_t timeout_ms, char **text, int *status,
	       struct pmg_err *err)
{
	pmg_auto(strv) struct pmg_strv argv = { 0 };
	static char only[] = "ONLY=this";
	static char *envp[] = { only, NULL };
	struct pmg_proc proc = {
		.path = "/bin/sh", .envp = envp, .cwd = "/", .max = max, .timeout_ms = timeout_ms
	};

	pmg_strv_add(&argv, "sh");
	pmg_strv_add(&argv, "-c");
	pmg_strv_add(&argv, line);
	proc.argv = pmg_strv_argv(&argv);
	return pmg_proc_capture(&proc, text, status, err);
}

static void output_and_status_come_back(void **state)
{
	static const struct {
		const char *line, *text;
		int exit, signal;
	} rows[] = {
		{ "echo hello", "hello\n", 0, 0 },
		{ "exit 3", "", 3, 0 },
		{ "echo a; kill -TERM $$", "a\n", 0, SIGTERM },
		{ "echo no >&2; pwd", "/\n", 0, 0 },
		{ "read x || echo nothing to read", "nothing to read\n", 0, 0 },
		{ "echo $ONLY$HOME", "this\n", 0, 0 },
		{ "ls /proc/self/fd | wc -l | tr -d ' '", "4\n", 0, 0 }, /* 0 1 2 and ls's own */
	};
	struct pmg_err err = PMG_ERR_INIT;
	int status;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *text = NULL;

		assert_int_equal(run(rows[i].line, 1000, 5000, &text, &status, &err), 0);
		assert_string_equal(text, rows[i].text);
		if (rows[i].signal)
			assert_int_equal(WTERMSIG(status), rows[i].signal);
		else
			assert_int_equal(WEXITSTATUS(status), rows[i].exit);
	}
}

static void output_is_limited(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;
	char *none = NULL;
	int status = 77;

	(void)state;
	assert_int_equal(run("printf %01000d 0", 1000, 5000, &text, &status, &err), 0);
	assert_int_equal(strlen(text), 1000);
	status = 77;
	assert_int_equal(run("printf %01001d 0", 1000, 5000, &none, &status, &err), -PMG_E_LIMIT);
	assert_int_equal(run("yes", 1000, 5000, &none, &status, &err), -PMG_E_LIMIT);
	assert_null(none);
	assert_int_equal(status, 77);
}

/* Whether it is silent, busy, has closed its output or left a grandchild behind. */
static void time_is_limited(void **state)
{
	static const char *const rows[] = {
		"sleep 60",
		"while :; do echo x; sleep 0.05; done",
		"exec >/dev/null; sleep 60",
		"sleep 60 &",
		"trap '' TERM; sleep 60",
	};
	struct pmg_err err = PMG_ERR_INIT;
	char *text = NULL;
	int status = 77;
	uint64_t begin;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		begin = pmg_clock_ms();
		assert_int_equal(run(rows[i], 100000, 200, &text, &status, &err), -PMG_E_TIMEOUT);
		assert_in_range(pmg_clock_ms() - begin, 190, 3000);
		assert_null(text);
		assert_int_equal(status, 77);
	}
}

static void what_cannot_be_started_is_an_error(void **state)
{
	static char sh[] = "sh";
	static char *argv[] = { sh, NULL }, *envp[] = { NULL };
	static const struct {
		const char *path, *cwd;
	} rows[] = { { "/no/such/program", "/" }, { "/bin/sh", "/no/such/folder" }, { "/", "/" } };
	struct pmg_err err = PMG_ERR_INIT;
	char *text = NULL;
	int status = 77;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		struct pmg_proc proc = { .path = rows[i].path,
					 .argv = argv,
					 .envp = envp,
					 .cwd = rows[i].cwd,
					 .max = 100,
					 .timeout_ms = 1000 };

		assert_int_equal(pmg_proc_capture(&proc, &text, &status, &err), -PMG_E_SYS);
		assert_non_null(strstr(err.msg, rows[i].path));
		assert_true(err.errnum != 0);
		assert_null(text);
		assert_int_equal(status, 77);
	}
}

#define LIBC_OWN 0x180000000ULL /* signals 32 and 33: glibc lets nobody touch them */

/* Who calls may have blocked or ignored signals; the program shall not inherit that. */
static void the_program_starts_with_default_signals(void **state)
{
	static const char *const rows[] = {
		"sed -n 's/^SigBlk:\t//p' /proc/self/status",
		"sed -n 's/^SigIgn:\t//p' /proc/self/status",
	};
	struct pmg_err err = PMG_ERR_INIT;
	sigset_t all, old;
	int status, r;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *text = NULL;

		(void)sigfillset(&all);
		assert_int_equal(sigprocmask(SIG_BLOCK, &all, &old), 0);
		r = run(rows[i], 1000, 5000, &text, &status, &err);
		assert_int_equal(sigprocmask(SIG_SETMASK, &old, NULL), 0);
		assert_int_equal(r, 0);
		assert_int_equal(strlen(text), 17);
		assert_int_equal(strtoull(text, NULL, 16) & ~LIBC_OWN, 0);
	}
}

static void whoever_cancels_is_not_kept_waiting(void **state)
{
	static char sh[] = "sh", flag[] = "-c", line[] = "sleep 60";
	static char *argv[] = { sh, flag, line, NULL }, *envp[] = { NULL };
	struct pmg_proc proc = {
		.path = "/bin/sh", .argv = argv, .envp = envp, .max = 100, .timeout_ms = 30000
	};
	struct pmg_err err = PMG_ERR_INIT;
	char *text = NULL;
	uint64_t begin = pmg_clock_ms();
	int fds[2], status = 77;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], "x", 1), 1);
	proc.cancel_fd = fds[0];
	assert_int_equal(pmg_proc_capture(&proc, &text, &status, &err), -PMG_E_TIMEOUT);
	assert_string_equal(err.msg, "/bin/sh: cancelled");
	assert_null(text);
	assert_int_equal(status, 77);
	assert_true(pmg_clock_ms() - begin < 2000);
	(void)close(fds[0]);
	(void)close(fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(output_and_status_come_back),
		cmocka_unit_test(output_is_limited),
		cmocka_unit_test(time_is_limited),
		cmocka_unit_test(what_cannot_be_started_is_an_error),
		cmocka_unit_test(the_program_starts_with_default_signals),
		cmocka_unit_test(whoever_cancels_is_not_kept_waiting),
	};

	(void)sigaction(SIGPIPE, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
