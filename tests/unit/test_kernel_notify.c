#include "kernel/notify.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "../helper/child.h"
#include "../helper/folder.h"
#include "../helper/notified.h"
#include "base/str.h"

/* getppid takes no arguments, so it can carry any: the call of our tests. */
static const struct pmg_seccomp_rule rules[] = {
	{ .call = "getppid", .action = PMG_SECCOMP_NOTIFY },
};
static const struct pmg_seccomp_table table = { rules, PMG_ARRAY_LEN(rules) };
static const struct pmg_seccomp_program program = { .otherwise = PMG_SECCOMP_ALLOW,
						    .tables = &table,
						    .n = 1 };

static int call_with_numbers(void *arg)
{
	long r = syscall(SYS_getppid, 1UL, 2UL, 3UL, 4UL, 5UL, UINT64_MAX);

	(void)arg;
	return r < 0 ? errno : (int)r;
}

static void a_call_comes_with_all_its_numbers(void **state)
{
	struct notified n;
	struct pmg_notify call;

	(void)state;
	notified_start(&n, &program, call_with_numbers, NULL);
	call = notified_next(&n);
	assert_int_equal(call.tid, n.pid);
	assert_int_equal(call.nr, SYS_getppid);
#ifdef __x86_64__
	assert_int_equal(call.arch, AUDIT_ARCH_X86_64);
#endif
	assert_int_equal(call.args[0], 1);
	assert_int_equal(call.args[4], 5);
	assert_true(call.args[5] == UINT64_MAX);
	assert_true(pmg_notify_is_valid(n.listener, call.id));
	pmg_notify_return(n.listener, call.id, 77);
	assert_false(pmg_notify_is_valid(n.listener, call.id));
	assert_int_equal(notified_end(&n), 77);
}

static void a_failure_is_the_callers_errno(void **state)
{
	struct notified n;

	(void)state;
	notified_start(&n, &program, call_with_numbers, NULL);
	pmg_notify_fail(n.listener, notified_next(&n).id, ENOTDIR);
	assert_int_equal(notified_end(&n), ENOTDIR);
	notified_start(&n, &program, call_with_numbers, NULL);
	pmg_notify_fail(n.listener, notified_next(&n).id, 0); /* never a success by mistake */
	assert_int_equal(notified_end(&n), EPERM);
}

static int call_really(void *arg)
{
	return getppid() == *(const pid_t *)arg ? 0 : 1;
}

static void a_continued_call_is_the_kernels(void **state)
{
	struct notified n;
	pid_t self = getpid();

	(void)state;
	notified_start(&n, &program, call_really, &self);
	pmg_notify_sync_wake(n.listener);
	pmg_notify_continue(n.listener, notified_next(&n).id);
	assert_int_equal(notified_end(&n), 0);
}

static void nobody_left_ends_waiting(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;
	struct notified n;

	(void)state;
	notified_start(&n, &program, call_with_numbers, NULL);
	pmg_notify_return(n.listener, notified_next(&n).id, 0);
	assert_int_equal(pmg_notify_wait_end(n.listener, n.stop[0], &err), 0);
	assert_int_equal(notified_end(&n), 0);
}

static void a_word_on_the_stop_descriptor_ends_waiting(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;
	struct notified n;

	(void)state;
	notified_start(&n, &program, call_with_numbers, NULL);
	assert_int_equal(write(n.stop[1], "s", 1), 1);
	assert_int_equal(pmg_notify_wait_end(n.listener, n.stop[0], &err), 0);
	(void)kill(n.pid, SIGKILL);
	assert_int_equal(notified_end(&n), 128 + SIGKILL);
}

static void a_caller_killed_meanwhile_harms_nobody(void **state)
{
	struct pmg_notify call;
	struct notified n;
	char byte;
	int status;

	(void)state;
	notified_start(&n, &program, call_with_numbers, NULL);
	call = notified_next(&n);
	assert_int_equal(kill(n.pid, SIGKILL), 0);
	assert_int_equal(waitid(P_PID, (id_t)n.pid, NULL, WEXITED | WNOWAIT), 0);
	assert_false(pmg_notify_is_valid(n.listener, call.id));
	assert_int_equal(pmg_notify_add_fd(n.listener, call.id, n.stop[0], true), -ENOENT);
	assert_int_equal(pmg_notify_return_fd(n.listener, call.id, n.stop[0], true), -ENOENT);
	pmg_notify_return(n.listener, call.id, 0);
	pmg_notify_continue(n.listener, call.id);
	assert_int_equal(waitpid(n.pid, &status, 0), n.pid);
	assert_int_equal(pmg_notify_read(n.pid, (uint64_t)(uintptr_t)&byte, &byte, 1), -ESRCH);
	(void)close(n.listener);
	(void)close(n.stop[0]);
	(void)close(n.stop[1]);
}

static void on_signal(int sig)
{
	(void)sig;
}

static int call_with_handler(void *arg)
{
	struct sigaction action = { .sa_handler = on_signal };

	(void)sigaction(SIGUSR1, &action, NULL);
	return call_with_numbers(arg);
}

/* Else it would get the EINTR of a call that we then do (5.19: WAIT_KILLABLE_RECV). */
static void a_signal_does_not_break_a_call_that_we_have(void **state)
{
	struct pmg_notify call;
	struct notified n;

	(void)state;
	notified_start(&n, &program, call_with_handler, NULL);
	call = notified_next(&n);
	assert_int_equal(kill(n.pid, SIGUSR1), 0);
	assert_true(pmg_notify_is_valid(n.listener, call.id));
	pmg_notify_return(n.listener, call.id, 5);
	assert_int_equal(notified_end(&n), 5);
}

/* The number that is returned must be a pipe's reading end with our byte in it. */
static int read_what_is_given(void *arg)
{
	int fd = (int)syscall(SYS_getppid);
	char byte = 0;
	int flags = fcntl(fd, F_GETFD);

	(void)arg;
	if (fd < 0)
		return errno;
	if (read(fd, &byte, 1) != 1 || byte != 'x')
		return 100;
	return flags == FD_CLOEXEC ? 0 : 101;
}

static void a_descriptor_is_put_into_the_caller(void **state)
{
	struct notified n;
	struct pmg_notify call;
	int fds[2], theirs;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], "x", 1), 1);
	notified_start(&n, &program, read_what_is_given, NULL);
	call = notified_next(&n);
	theirs = pmg_notify_add_fd(n.listener, call.id, fds[0], true);
	assert_true(theirs > 2);
	pmg_notify_return(n.listener, call.id, theirs);
	assert_int_equal(notified_end(&n), 0);
	assert_int_equal(write(fds[1], "x", 1), 1);
	notified_start(&n, &program, read_what_is_given, NULL);
	call = notified_next(&n);
	assert_int_equal(pmg_notify_return_fd(n.listener, call.id, fds[0], true), theirs);
	assert_false(pmg_notify_is_valid(n.listener, call.id));
	assert_int_equal(notified_end(&n), 0);
	(void)close(fds[0]);
	(void)close(fds[1]);
}

static int call_without_room(void *arg)
{
	const struct rlimit none = { 3, 3 };

	return setrlimit(RLIMIT_NOFILE, &none) < 0 ? 99 : call_with_numbers(arg);
}

static void a_caller_without_room_gets_no_descriptor(void **state)
{
	struct notified n;
	struct pmg_notify call;

	(void)state;
	notified_start(&n, &program, call_without_room, NULL);
	call = notified_next(&n);
	assert_int_equal(pmg_notify_add_fd(n.listener, call.id, n.stop[0], true), -EMFILE);
	assert_int_equal(pmg_notify_return_fd(n.listener, call.id, n.stop[0], true), -EMFILE);
	pmg_notify_fail(n.listener, call.id, EMFILE);
	assert_int_equal(notified_end(&n), EMFILE);
}

/* Two pages, of which the second is gone; text ends at the last byte, or has no end. */
struct edge {
	char *page; /* the last page that there is; the same address in the child */
	char *at;
	size_t size;
};

static void edge_make(struct edge *edge, const char *text, bool ended)
{
	edge->size = (size_t)sysconf(_SC_PAGESIZE);
	edge->page = mmap(NULL, 2 * edge->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);
	assert_true(edge->page != MAP_FAILED);
	assert_int_equal(munmap(edge->page + edge->size, edge->size), 0);
	edge->at = edge->page + edge->size - strlen(text) - (ended ? 1 : 0);
	memcpy(edge->at, text, strlen(text));
}

static int call_with_pointer(void *arg)
{
	long r = syscall(SYS_getppid, arg);

	return r < 0 ? errno : (int)r;
}

static void memory_is_read_up_to_its_end(void **state)
{
	char out[8192];
	struct notified n;
	struct pmg_notify call;
	struct edge edge;

	(void)state;
	edge_make(&edge, "path", true);
	notified_start(&n, &program, call_with_pointer, edge.at);
	call = notified_next(&n);
	assert_int_equal(pmg_notify_read_text(n.pid, call.args[0], out, sizeof out), 4);
	assert_string_equal(out, "path");
	assert_int_equal(pmg_notify_read_text(n.pid, call.args[0], out, 5), 4);
	assert_int_equal(pmg_notify_read_text(n.pid, call.args[0], out, 4), -ENAMETOOLONG);
	assert_int_equal(pmg_notify_read_text(n.pid, 0, out, sizeof out), -EFAULT);
	assert_int_equal(pmg_notify_read(n.pid, call.args[0], out, 5), 5);
	assert_int_equal(pmg_notify_read(n.pid, call.args[0], out, sizeof out), 5);
	assert_int_equal(pmg_notify_read(n.pid, UINT64_MAX, out, sizeof out), -EFAULT);
	assert_int_equal(pmg_notify_read(0, call.args[0], out, 1), -ESRCH);
	pmg_notify_return(n.listener, call.id, 0);
	assert_int_equal(notified_end(&n), 0);
	(void)munmap(edge.page, edge.size);
}

static void a_text_without_end_is_a_fault(void **state)
{
	char out[4096];
	struct notified n;
	struct pmg_notify call;
	struct edge edge;

	(void)state;
	edge_make(&edge, "path", false);
	notified_start(&n, &program, call_with_pointer, edge.at);
	call = notified_next(&n);
	assert_int_equal(pmg_notify_read_text(n.pid, call.args[0], out, sizeof out), -EFAULT);
	pmg_notify_return(n.listener, call.id, 0);
	assert_int_equal(notified_end(&n), 0);
	(void)munmap(edge.page, edge.size);
}

static void a_long_text_crosses_pages(void **state)
{
	char text[4096], out[4096];
	struct notified n;
	struct pmg_notify call;

	(void)state;
	memset(text, 'a', sizeof text);
	text[sizeof text - 1] = '\0';
	notified_start(&n, &program, call_with_pointer, text);
	call = notified_next(&n);
	assert_int_equal(pmg_notify_read_text(n.pid, call.args[0], out, sizeof out),
			 sizeof text - 1);
	assert_string_equal(out, text);
	pmg_notify_return(n.listener, call.id, 0);
	assert_int_equal(notified_end(&n), 0);
}

static void a_large_piece_is_read_whole(void **state)
{
	const size_t size = 200000;
	pmg_autofree char *from = pmg_xmalloc(size);
	pmg_autofree char *to = pmg_xmalloc(size);
	struct notified n;
	struct pmg_notify call;
	size_t i;

	(void)state;
	for (i = 0; i < size; i++)
		from[i] = (char)(i * 7 + i / 4096);
	notified_start(&n, &program, call_with_pointer, from + 3);
	call = notified_next(&n);
	assert_int_equal(pmg_notify_read(n.pid, call.args[0], to, size - 3), size - 3);
	assert_memory_equal(to, from + 3, size - 3);
	pmg_notify_return(n.listener, call.id, 0);
	assert_int_equal(notified_end(&n), 0);
}

/* What a program does whose file may be run and not read: the kernel calls it not dumpable. */
static int hide_and_call(void *arg)
{
	(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	return call_with_pointer(arg);
}

/* As who may not look: without CAP_SYS_PTRACE. Its result is read's. */
static int read_without_rights(pid_t pid, uint64_t address)
{
	int status = 0;
	pid_t reader = fork();

	assert_true(reader >= 0);
	if (reader == 0) {
		char out[16];
		ssize_t r;

		if (geteuid() == 0 && setuid(65534) < 0)
			_exit(99);
		r = pmg_notify_read_text(pid, address, out, sizeof out);
		_exit(r < 0 ? (int)-r : 0);
	}
	assert_int_equal(waitpid(reader, &status, 0), reader);
	return WEXITSTATUS(status);
}

static void memory_that_may_not_be_read_is_EPERM(void **state)
{
	static char text[] = "path";
	struct notified n;
	struct pmg_notify call;

	(void)state;
	notified_start(&n, &program, hide_and_call, text);
	call = notified_next(&n);
	assert_int_equal(read_without_rights(n.pid, call.args[0]), EPERM);
	pmg_notify_return(n.listener, call.id, 0);
	assert_int_equal(notified_end(&n), 0);
}

static void the_probe_says_yes_here(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;
	int before = prctl(PR_GET_SECCOMP, 0, 0, 0, 0);

	(void)state;
	assert_int_equal(pmg_notify_probe(&err), 0);
	assert_int_equal(prctl(PR_GET_SECCOMP, 0, 0, 0, 0), before); /* it changes nothing */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_probe_says_yes_here),
		cmocka_unit_test(a_call_comes_with_all_its_numbers),
		cmocka_unit_test(a_failure_is_the_callers_errno),
		cmocka_unit_test(a_continued_call_is_the_kernels),
		cmocka_unit_test(nobody_left_ends_waiting),
		cmocka_unit_test(a_word_on_the_stop_descriptor_ends_waiting),
		cmocka_unit_test(a_caller_killed_meanwhile_harms_nobody),
		cmocka_unit_test(a_signal_does_not_break_a_call_that_we_have),
		cmocka_unit_test(a_descriptor_is_put_into_the_caller),
		cmocka_unit_test(a_caller_without_room_gets_no_descriptor),
		cmocka_unit_test(memory_is_read_up_to_its_end),
		cmocka_unit_test(a_text_without_end_is_a_fault),
		cmocka_unit_test(a_long_text_crosses_pages),
		cmocka_unit_test(a_large_piece_is_read_whole),
		cmocka_unit_test(memory_that_may_not_be_read_is_EPERM),
	};
	struct pmg_err err = PMG_ERR_INIT;

	if (pmg_notify_probe(&err) < 0)
		return child_skip(err.msg);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
