/* A guarded run as the foreground job of a shell on a terminal of its own. */
#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/mem.h"
#include "tests/helper/stage.h"

static void note(const char *what, int number)
{
	pmg_autofree char *path = stage_path("job");
	pmg_autofree char *line = pmg_xasprintf("%s %d\n", what, number);
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, line, strlen(line)) < 0)
		_exit(90);
	(void)close(fd);
}

/* What a shell does: one job in the foreground, continued when it is stopped. */
static void play_shell(const char *const *args)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	pmg_auto(strv) struct pmg_strv env = { 0 };
	int status;
	pid_t job;

	stage_env(&env, "allow");
	job = stage_start(&env, args);
	(void)sigaction(SIGTTOU, &ignore, NULL);
	if (setpgid(job, job) < 0 || tcsetpgrp(0, job) < 0)
		_exit(91);
	note("job", (int)job);
	while (waitpid(job, &status, WUNTRACED) == job) {
		if (WIFSTOPPED(status)) {
			note("stopped", WSTOPSIG(status));
			(void)kill(-job, SIGCONT);
			note("continued", 0);
			continue;
		}
		if (WIFSIGNALED(status))
			note("signaled", WTERMSIG(status));
		else
			note("exited", WEXITSTATUS(status));
		_exit(0);
	}
	_exit(92);
}

struct terminal {
	int fd; /* the master's side */
	pid_t shell;
	struct termios before;
};

static void terminal_open(struct terminal *out, const char *const *args)
{
	stage_reset(); /* not left to the shell: we look for what the tool writes at once */
	out->shell = forkpty(&out->fd, NULL, NULL, NULL);
	assert_true(out->shell >= 0);
	if (out->shell == 0)
		play_shell(args);
	assert_int_equal(tcgetattr(out->fd, &out->before), 0);
}

static void type(const struct terminal *terminal, char key)
{
	assert_int_equal(write(terminal->fd, &key, 1), 1);
}

/* Waits for the job's end. @return what the shell noted */
static char *terminal_close(struct terminal *terminal)
{
	pmg_autofree char *path = stage_path("job");
	struct pmg_err err = PMG_ERR_INIT;
	char *text = NULL;
	size_t len;

	assert_int_equal(waitpid(terminal->shell, NULL, 0), terminal->shell);
	(void)close(terminal->fd);
	assert_int_equal(pmg_io_slurp(path, 4096, &text, &len, &err), 0);
	assert_int_equal(stage_living(), 0);
	assert_int_equal(stage_folders(), 0);
	return text;
}

static void ctrl_c_ends_all_in_two_seconds(void **state)
{
	static const char *const args[] = { "install", "hang", NULL };
	pmg_autofree char *hanging = NULL;
	pmg_autofree char *noted = NULL;
	struct terminal terminal;
	uint64_t began;

	(void)state;
	terminal_open(&terminal, args);
	hanging = stage_await("hanging");
	began = pmg_clock_ms();
	type(&terminal, 3);
	noted = terminal_close(&terminal);
	assert_true(pmg_clock_ms() - began < 2000);
	assert_non_null(strstr(noted, "signaled 2\n"));
}

static void ctrl_c_reaches_the_tool_once(void **state)
{
	static const char *const args[] = { "run", "count", NULL };
	pmg_autofree char *hanging = NULL;
	pmg_autofree char *counted = NULL;
	pmg_autofree char *job = NULL;
	pmg_autofree char *noted = NULL;
	struct terminal terminal;

	(void)state;
	terminal_open(&terminal, args);
	hanging = stage_await("hanging");
	job = stage_await("job");
	type(&terminal, 3);
	(void)usleep(200000);
	assert_int_equal(kill(atoi(job + strlen("job ")), SIGTERM), 0);
	noted = terminal_close(&terminal);
	counted = stage_await("counted");
	assert_string_equal(counted, "1");
	assert_non_null(strstr(noted, "exited 0\n"));
}

static void ctrl_z_stops_the_job_and_it_goes_on(void **state)
{
	static const char *const args[] = { "install", "hang", NULL };
	pmg_autofree char *hanging = NULL;
	pmg_autofree char *noted = NULL;
	struct terminal terminal;
	int i;

	(void)state;
	terminal_open(&terminal, args);
	hanging = stage_await("hanging");
	type(&terminal, 26);
	for (i = 0; i < 500 && !(noted && strstr(noted, "continued")); i++) {
		pmg_auto_freep(&noted);
		noted = stage_await("job");
		(void)usleep(10000);
	}
	assert_non_null(strstr(noted, "stopped 20\n"));
	pmg_auto_freep(&noted);
	type(&terminal, 3);
	noted = terminal_close(&terminal);
	assert_non_null(strstr(noted, "signaled 2\n"));
}

static void a_killed_tool_leaves_the_terminal_as_it_was(void **state)
{
	static const char *const args[] = { "run", "raw", NULL };
	pmg_autofree char *noted = NULL;
	struct terminal terminal;
	struct termios after;
	int fd;

	(void)state;
	terminal_open(&terminal, args);
	fd = dup(terminal.fd);
	noted = terminal_close(&terminal);
	assert_non_null(strstr(noted, "signaled 9\n"));
	assert_int_equal(tcgetattr(fd, &after), 0);
	assert_int_equal(after.c_lflag, terminal.before.c_lflag);
	assert_int_equal(after.c_iflag, terminal.before.c_iflag);
	(void)close(fd);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ctrl_c_ends_all_in_two_seconds),
		cmocka_unit_test(ctrl_c_reaches_the_tool_once),
		cmocka_unit_test(ctrl_z_stops_the_job_and_it_goes_on),
		cmocka_unit_test(a_killed_tool_leaves_the_terminal_as_it_was),
	};
	int failed;

	stage_open(argc, argv);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	stage_close();
	return failed;
}
