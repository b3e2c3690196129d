#include "sandbox/sandbox.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "violation/wire.h"

/* The keepers here build no walls: they play what one says. */

__attribute__((noreturn)) static void echo_types(const struct pmg_sandbox_want *want, int fd)
{
	struct pmg_err err = PMG_ERR_INIT;

	(void)want;
	for (;;) {
		pmg_auto(msg) struct pmg_msg msg = { 0 };

		if (pmg_msg_recv(fd, &msg, &err) != 1 || pmg_msg_send(fd, msg.type, NULL, &err) < 0)
			_exit(0);
	}
}

__attribute__((noreturn)) static void sleep_on(const struct pmg_sandbox_want *want, int fd)
{
	(void)want;
	(void)fd;
	for (;;)
		(void)pause();
}

static const struct pmg_driver echo = { .name = "echo", .keep = echo_types };
static const struct pmg_driver sleeper = { .name = "sleeper", .keep = sleep_on };

static void start(const struct pmg_driver *driver, struct pmg_sandbox *out)
{
	const struct pmg_sandbox_want want = { .driver = driver, .proxy_fd = -1 };
	struct pmg_err err = PMG_ERR_INIT;

	*out = (struct pmg_sandbox)PMG_SANDBOX_INIT;
	assert_int_equal(pmg_sandbox_start(&want, out, &err), 0);
	assert_true(out->keeper > 0);
	assert_true(out->fd >= 0);
	assert_int_equal(out->tool_fd, -1);
}

static unsigned heard(struct pmg_sandbox *sandbox)
{
	pmg_auto(msg) struct pmg_msg msg = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	return pmg_msg_recv(sandbox->fd, &msg, &err) == 1 ? msg.type : 0;
}

static void go_and_end_are_one_message_each(void **state)
{
	pmg_auto(sandbox) struct pmg_sandbox sandbox;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	start(&echo, &sandbox);
	assert_int_equal(pmg_sandbox_go(&sandbox, &err), 0);
	assert_int_equal(heard(&sandbox), PMG_WIRE_GO);
	assert_int_equal(pmg_sandbox_stop(&sandbox, &err), 0);
	assert_int_equal(heard(&sandbox), PMG_WIRE_END);
}

static void done_ends_a_keeper_that_does_not_listen(void **state)
{
	struct pmg_sandbox sandbox;
	pid_t pid;

	(void)state;
	start(&sleeper, &sandbox);
	pid = sandbox.keeper;
	pmg_sandbox_done(&sandbox);
	assert_int_equal(waitpid(pid, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	assert_int_equal(sandbox.keeper, 0);
	assert_int_equal(sandbox.fd, -1);
	pmg_sandbox_done(&sandbox); /* again: nothing to do */
}

static void a_keeper_that_is_gone_is_a_peer_error(void **state)
{
	pmg_auto(sandbox) struct pmg_sandbox sandbox;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	start(&sleeper, &sandbox);
	assert_int_equal(kill(sandbox.keeper, SIGKILL), 0);
	assert_int_equal(heard(&sandbox), 0);
	assert_int_equal(pmg_sandbox_go(&sandbox, &err), -PMG_E_PEER);
}

static void a_signal_before_the_start_is_for_nobody(void **state)
{
	pmg_auto(sandbox) struct pmg_sandbox sandbox;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	start(&sleeper, &sandbox);
	assert_int_equal(pmg_sandbox_signal(&sandbox, SIGTERM, &err), -PMG_E_NOTFOUND);
}

static void a_signal_reaches_the_tool_until_it_has_ended(void **state)
{
	pmg_auto(sandbox) struct pmg_sandbox sandbox;
	struct pmg_err err = PMG_ERR_INIT;
	int status = 0;
	pid_t tool;

	(void)state;
	start(&sleeper, &sandbox);
	tool = fork();
	if (tool == 0)
		sleep_on(NULL, -1);
	sandbox.tool_fd = (int)syscall(SYS_pidfd_open, tool, 0U);
	assert_int_equal(pmg_sandbox_signal(&sandbox, SIGTERM, &err), 0);
	assert_int_equal(waitpid(tool, &status, 0), tool);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	assert_int_equal(pmg_sandbox_signal(&sandbox, SIGTERM, &err), -PMG_E_NOTFOUND);
	assert_int_equal(err.errnum, ESRCH);
}

static void done_is_fit_for_what_was_not_started(void **state)
{
	struct pmg_sandbox sandbox = PMG_SANDBOX_INIT;

	(void)state;
	pmg_sandbox_done(&sandbox);
	assert_int_equal(sandbox.fd, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(go_and_end_are_one_message_each),
		cmocka_unit_test(done_ends_a_keeper_that_does_not_listen),
		cmocka_unit_test(a_keeper_that_is_gone_is_a_peer_error),
		cmocka_unit_test(a_signal_before_the_start_is_for_nobody),
		cmocka_unit_test(a_signal_reaches_the_tool_until_it_has_ended),
		cmocka_unit_test(done_is_fit_for_what_was_not_started),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
