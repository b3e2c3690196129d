#ifndef PMG_TESTS_HELPER_SAID_H
#define PMG_TESTS_HELPER_SAID_H
/** What a program's main says, both streams together: played in a child, since it closes stdout. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/**
 * @param to    descriptor that stdout becomes instead, or -1
 * @param play  in the child, which ends with what it returns
 * @param out   gets at most max - 1 bytes, and NUL
 * @return exit status
 */
static inline int said_by(int (*play)(const char *const *argv), const char *const *argv, int to,
			  char *out, size_t max)
{
	char name[] = "said-XXXXXX";
	int status, fd = mkstemp(name);
	ssize_t n;
	pid_t pid;

	assert_true(fd >= 0);
	assert_int_equal(unlink(name), 0);
	(void)fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		if (dup2(to >= 0 ? to : fd, 1) < 0 || dup2(fd, 2) < 0)
			_exit(99);
		status = play(argv);
		(void)fflush(stderr);
		_exit(status);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	n = pread(fd, out, max - 1, 0);
	assert_true(n >= 0);
	out[n] = '\0';
	(void)close(fd);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

#endif
