#include "run/tool.h"

#include <errno.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/env.h"
#include "base/str.h"
#include "tests/helper/folder.h"
#include "tests/helper/valgrind.h"

static char *root;

static int make_root(void **state)
{
	(void)state;
	root = folder_new();
	return 0;
}

static int remove_root(void **state)
{
	(void)state;
	folder_free(root);
	return 0;
}

static char *script(const char *name, const char *text, mode_t mode)
{
	char *path = pmg_path_join(root, name);

	folder_write(root, name, text, strlen(text));
	assert_int_equal(chmod(path, mode), 0);
	return path;
}

static char *content(const char *name)
{
	pmg_autofree char *path = pmg_path_join(root, name);
	struct pmg_err err = PMG_ERR_INIT;
	char *text = NULL;
	size_t len;

	assert_int_equal(pmg_io_slurp(path, 65536, &text, &len, &err), 0);
	return text;
}

/* Starts `path` with one argument, the root; returns its wait status. */
static int run(char *path, const struct pmg_strv *env)
{
	struct pmg_found found = { .program = path, .depth = 3 };
	char *argv[] = { path, root, NULL };
	struct pmg_tool tool = { &found, argv, env };
	struct pmg_signals signals = PMG_SIGNALS_INIT;
	struct pmg_err err = PMG_ERR_INIT;
	pid_t pid = 0;
	int status;

	pmg_strv_add(&found.passed, "1:2");
	assert_int_equal(pmg_signals_open(&signals, &err), 0);
	assert_int_equal(pmg_tool_start(&tool, &signals, &pid, &err), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	pmg_signals_close(&signals);
	pmg_strv_done(&found.passed);
	return status;
}

static void the_tool_gets_its_environment_and_the_trace_of_its_own_pid(void **state)
{
	pmg_autofree char *path = script("tool",
					 "#!/bin/sh\n"
					 "echo \"$A:$PMG_VIA:$$\" > \"$1/said\"\nexit 7\n",
					 0755);
	pmg_auto(strv) struct pmg_strv env = { 0 };
	pmg_autofree char *said = NULL;
	pmg_autofree char *expected = NULL;
	int status;

	(void)state;
	pmg_env_set(&env, "A", "b c");
	pmg_env_set(&env, "PMG_VIA", "old");
	status = run(path, &env);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
	said = content("said");
	expected = pmg_xasprintf("b c:3 %1$s 1:2:%1$s", strrchr(said, ':') + 1);
	*strchr(expected, '\n') = '\0';
	assert_memory_equal(said, expected, strlen(expected));
}

/* The lines on signals that a program inherits, of this process. */
static char *own_signals(void)
{
	pmg_auto(str) struct pmg_str lines = PMG_STR_INIT(4096);
	pmg_autofree char *text = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	char *rest, *line;
	size_t len;

	assert_int_equal(pmg_io_slurp("/proc/self/status", 65536, &text, &len, &err), 0);
	rest = text;
	while ((line = strsep(&rest, "\n")))
		if (pmg_str_has_prefix(line, "SigBlk:") || pmg_str_has_prefix(line, "SigIgn:"))
			assert_int_equal(pmg_str_addf(&lines, "%s\n", line), 0);
	return pmg_str_steal(&lines);
}

static void mask_and_dispositions_are_as_they_were_found(void **state)
{
	static const char text[] = "#!/bin/sh\n"
				   "exec grep -E 'SigBlk|SigIgn' /proc/self/status > \"$1/said\"\n";
	pmg_autofree char *path = script("tool", text, 0755);
	pmg_auto(strv) struct pmg_strv env = { 0 };
	struct sigaction ignore = { .sa_handler = SIG_IGN }, plain = { .sa_handler = SIG_DFL };
	pmg_autofree char *said = NULL;
	pmg_autofree char *ours = NULL;

	(void)state;
	pmg_env_set(&env, "PATH", "/usr/bin:/bin");
	assert_int_equal(sigaction(SIGINT, &ignore, NULL), 0);
	ours = own_signals();
	assert_int_equal(run(path, &env), 0);
	assert_int_equal(sigaction(SIGINT, &plain, NULL), 0);
	said = content("said");
	assert_string_equal(said, ours);
}

static void programs_that_cannot_be_run_say_why(void **state)
{
	static const struct {
		const char *text;
		mode_t mode;
		int errnum;
	} rows[] = {
		{ "#!/nowhere/sh\n", 0755, ENOENT },
		{ "#!/bin/sh\n", 0644, EACCES },
		{ "neither script nor ELF", 0755, ENOEXEC },
	};
	size_t i;

	(void)state;
	if (under_valgrind()) /* its execve finds out in the new program only */
		skip();
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *path = script("broken", rows[i].text, rows[i].mode);
		struct pmg_found found = { .program = path };
		char *argv[] = { path, NULL };
		pmg_auto(strv) struct pmg_strv env = { 0 };
		struct pmg_tool tool = { &found, argv, &env };
		struct pmg_signals signals = PMG_SIGNALS_INIT;
		struct pmg_err err = PMG_ERR_INIT;
		pid_t pid = -5;

		assert_int_equal(pmg_signals_open(&signals, &err), 0);
		assert_int_equal(pmg_tool_start(&tool, &signals, &pid, &err), -PMG_E_NOTFOUND);
		pmg_signals_close(&signals);
		assert_int_equal(err.errnum, rows[i].errnum);
		assert_int_equal(err.diag, 5001);
		assert_int_equal(pid, -5);
		assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no zombie is left */
		assert_int_equal(pmg_tool_exec(&tool, &err), -PMG_E_NOTFOUND);
		assert_int_equal(err.errnum, rows[i].errnum);
	}
}

static void the_tool_dies_with_the_front(void **state)
{
	pmg_autofree char *path = script("tool", "#!/bin/sh\nexec sleep 60\n", 0755);
	pmg_auto(strv) struct pmg_strv env = { 0 };
	struct pmg_found found = { .program = path };
	char *argv[] = { path, NULL };
	struct pmg_tool tool = { &found, argv, &env };
	int fds[2], i;
	pid_t front, pid = 0;

	(void)state;
	pmg_env_set(&env, "PATH", "/usr/bin:/bin");
	assert_int_equal(pipe(fds), 0);
	front = fork();
	assert_true(front >= 0);
	if (front == 0) {
		struct pmg_signals signals = PMG_SIGNALS_INIT;
		struct pmg_err err = PMG_ERR_INIT;

		if (pmg_signals_open(&signals, &err) < 0 ||
		    pmg_tool_start(&tool, &signals, &pid, &err) < 0)
			_exit(1);
		(void)!write(fds[1], &pid, sizeof pid);
		(void)kill(getpid(), SIGKILL);
	}
	assert_int_equal(read(fds[0], &pid, sizeof pid), sizeof pid);
	assert_int_equal(waitpid(front, NULL, 0), front);
	for (i = 0; i < 100 && kill(pid, 0) == 0; i++) {
		pmg_autofree char *stat_path = pmg_xasprintf("/proc/%d/stat", (int)pid);
		pmg_autofree char *stat = NULL;
		struct pmg_err err = PMG_ERR_INIT;
		size_t len;

		/* Nobody may have reaped it yet where process 1 does not. */
		if (pmg_io_slurp(stat_path, 4096, &stat, &len, &err) < 0 || strstr(stat, ") Z"))
			break;
		(void)usleep(10000);
	}
	assert_true(i < 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_tool_gets_its_environment_and_the_trace_of_its_own_pid),
		cmocka_unit_test(mask_and_dispositions_are_as_they_were_found),
		cmocka_unit_test(programs_that_cannot_be_run_say_why),
		cmocka_unit_test(the_tool_dies_with_the_front),
	};

	return cmocka_run_group_tests(tests, make_root, remove_root);
}
