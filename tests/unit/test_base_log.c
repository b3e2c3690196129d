#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* What fn writes to descriptor 2. */
static void stderr_of(void (*fn)(void), char *out, size_t room)
{
	int fds[2], old = dup(2);
	ssize_t n;

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_int_equal(dup2(fds[1], 2), 2);
	fn();
	assert_int_equal(dup2(old, 2), 2);
	assert_int_equal(close(old), 0);
	assert_int_equal(close(fds[1]), 0);
	n = read(fds[0], out, room - 1);
	assert_true(n >= 0);
	out[n] = '\0';
	assert_int_equal(close(fds[0]), 0);
}

static void say(void)
{
	errno = EDOM;
	pmg_log_debug("%s %d", "answer", 42);
	assert_int_equal(errno, EDOM);
}

static void say_much(void)
{
	static char big[5000];

	memset(big, 'x', sizeof big - 1);
	pmg_log_debug("%s", big);
}

static void nothing_is_said_unless_asked(void **state)
{
	char out[4096];

	(void)state;
	stderr_of(say, out, sizeof out);
	assert_string_equal(out, "");
	pmg_log_enable("pmg-test", true);
	stderr_of(say, out, sizeof out);
	assert_string_equal(out, "pmg-test[debug]: answer 42\n");
	pmg_log_enable("pmg-test", false);
	stderr_of(say, out, sizeof out);
	assert_string_equal(out, "");
}

static void a_long_line_is_cut_and_ends(void **state)
{
	char out[4096];

	(void)state;
	pmg_log_enable("pmg", true);
	stderr_of(say_much, out, sizeof out);
	assert_int_equal(strlen(out), 1023);
	assert_int_equal(out[1022], '\n');
	pmg_log_enable("pmg", false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_said_unless_asked),
		cmocka_unit_test(a_long_line_is_cut_and_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
