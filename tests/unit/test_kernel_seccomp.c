#include "kernel/seccomp.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"

#define KILLED(sig) (128 + (sig))

static int result(long r)
{
	return r < 0 ? errno : 0;
}

static int ask_parent(void)
{
	return result(syscall(SYS_getppid));
}

static int tcp(void)
{
	return result(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

static int udp(void)
{
	return result(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
}

/* The kernel looks at 32 bits of the family: a filter that looked at 64 would be passed by. */
static int tcp_in_disguise(void)
{
	return result(syscall(SYS_socket, 0x100000000UL | AF_INET, SOCK_STREAM, 0));
}

static int signal_itself(void)
{
	return result(syscall(SYS_tgkill, getpid(), gettid(), 0));
}

static int signal_parent(void)
{
	return result(syscall(SYS_tgkill, getppid(), getppid(), 0));
}

static int set_name(void)
{
	return result(prctl(PR_SET_NAME, "x", 0, 0, 0));
}

/* Runs an action in a child behind a program; how it ended. */
static int ending(int (*action)(void), const struct pmg_seccomp_program *program)
{
	struct pmg_err err = PMG_ERR_INIT;
	int status = 0;
	pid_t pid;

	(void)fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		_exit(program && pmg_seccomp_load(program, &err) < 0 ? 200 : action());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? KILLED(WTERMSIG(status)) : WEXITSTATUS(status);
}

#define FAMILY(v)                                                                                  \
	{                                                                                          \
		.kind = PMG_SECCOMP_IS, .arg = 0, .mask = UINT32_MAX, .value = (v)                 \
	}
#define KIND(v)                                                                                    \
	{                                                                                          \
		.kind = PMG_SECCOMP_IS, .arg = 1, .mask = 0xf, .value = (v)                        \
	}

static const struct pmg_seccomp_rule rules[] = {
	{ .call = "getppid", .action = PMG_SECCOMP_ERRNO, .errnum = ENOSYS },
	{ .call = "socket",
	  .action = PMG_SECCOMP_ERRNO,
	  .errnum = EAFNOSUPPORT,
	  .cond = { FAMILY(AF_INET), KIND(SOCK_STREAM) } },
	{ .call = "prctl",
	  .action = PMG_SECCOMP_KILL,
	  .cond = { { .kind = PMG_SECCOMP_IS, .arg = 0, .value = PR_SET_NAME } } },
};

static const struct pmg_seccomp_table table = { rules, PMG_ARRAY_LEN(rules) };

static void a_deny_list_refuses_what_its_rows_say(void **state)
{
	static const struct pmg_seccomp_program program = { .otherwise = PMG_SECCOMP_ALLOW,
							    .tables = &table,
							    .n = 1 };
	static const struct {
		const char *name;
		int (*action)(void);
		int end;
	} rows[] = {
		{ "getppid", ask_parent, ENOSYS },
		{ "TCP", tcp, EAFNOSUPPORT },
		{ "TCP with high bits", tcp_in_disguise, EAFNOSUPPORT },
		{ "UDP", udp, 0 },
		{ "PR_SET_NAME", set_name, KILLED(SIGSYS) },
		{ "signal itself", signal_itself, 0 },
	};
	size_t i;
	int end;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		assert_int_equal(ending(rows[i].action, NULL), 0);
		end = ending(rows[i].action, &program);
		if (end != rows[i].end)
			fail_msg("%s: %d, not %d", rows[i].name, end, rows[i].end);
	}
}

/* Enough for a child to call and _exit(), memory for the sanitizers; two tables count as one. */
static void an_allow_list_refuses_the_rest(void **state)
{
	static const struct pmg_seccomp_rule ends[] = {
		{ .call = "exit_group", .action = PMG_SECCOMP_ALLOW },
		{ .call = "getpid", .action = PMG_SECCOMP_ALLOW },
		{ .call = "gettid", .action = PMG_SECCOMP_ALLOW },
		{ .call = "mmap", .action = PMG_SECCOMP_ALLOW },
		{ .call = "munmap", .action = PMG_SECCOMP_ALLOW },
		{ .call = "sigaltstack", .action = PMG_SECCOMP_ALLOW },
		{ .call = "no_such_call", .action = PMG_SECCOMP_ALLOW },
	};
	static const struct pmg_seccomp_rule own[] = {
		{ .call = "tgkill",
		  .action = PMG_SECCOMP_ALLOW,
		  .cond = { { .kind = PMG_SECCOMP_IS_SELF, .arg = 0 } } },
	};
	static const struct pmg_seccomp_table tables[] = { { ends, PMG_ARRAY_LEN(ends) },
							   { own, PMG_ARRAY_LEN(own) } };
	static const struct pmg_seccomp_program program = {
		.otherwise = PMG_SECCOMP_ERRNO, .errnum = EPERM, .tables = tables, .n = 2
	};

	(void)state;
	assert_int_equal(ending(signal_itself, &program), 0);
	assert_int_equal(ending(signal_parent, NULL), 0);
	assert_int_equal(ending(signal_parent, &program), EPERM);
	assert_int_equal(ending(tcp, &program), EPERM);
}

#ifdef __x86_64__
/* getpid of i386, which has another number. */
static int foreign_call(void)
{
	long r;

	__asm__ volatile("int $0x80" : "=a"(r) : "a"(20L) : "memory", "r8", "r9", "r10", "r11");
	return r == getpid() ? 0 : 1;
}

/* The x32 bit: the same call as x86_64, by a number that no row names. */
static int x32_call(void)
{
	(void)syscall(0x40000000 | SYS_getppid);
	return 0;
}

static void calls_of_another_architecture_end_the_process(void **state)
{
	static const struct pmg_seccomp_program program = { .otherwise = PMG_SECCOMP_ALLOW,
							    .tables = &table,
							    .n = 1 };

	(void)state;
	if (ending(foreign_call, NULL) == 0)
		assert_int_equal(ending(foreign_call, &program), KILLED(SIGSYS));
	else
		print_message("SKIPPED in part: this kernel runs no i386 code\n");
	if (ending(x32_call, NULL) == 0)
		assert_int_equal(ending(x32_call, &program), KILLED(SIGSYS));
	else
		print_message("SKIPPED in part: a filter around us ends x32 calls\n");
}
#endif

static void a_wrong_table_is_an_error_not_a_weaker_filter(void **state)
{
	static const struct {
		struct pmg_seccomp_rule rule;
		enum pmg_code code;
		const char *words;
	} rows[] = {
		{ { .call = "no_such_call", .action = PMG_SECCOMP_KILL },
		  PMG_E_UNSUPPORTED,
		  "libseccomp does not know no_such_call" },
		{ { .call = "getpid", .action = PMG_SECCOMP_ALLOW },
		  PMG_E_INTERNAL,
		  "filter row for getpid" },
	};
	struct pmg_err err = PMG_ERR_INIT;
	int before = prctl(PR_GET_SECCOMP, 0, 0, 0, 0);
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		const struct pmg_seccomp_table one = { &rows[i].rule, 1 };
		const struct pmg_seccomp_program program = { .otherwise = PMG_SECCOMP_ALLOW,
							     .tables = &one,
							     .n = 1 };

		assert_int_equal(pmg_seccomp_load(&program, &err), -(int)rows[i].code);
		assert_non_null(strstr(err.msg, rows[i].words));
	}
	assert_int_equal(prctl(PR_GET_SECCOMP, 0, 0, 0, 0), before); /* nothing was put on us */
}

static int do_nothing(void)
{
	return 0;
}

int main(void)
{
	static const struct pmg_seccomp_program nothing = { .otherwise = PMG_SECCOMP_ALLOW };
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_deny_list_refuses_what_its_rows_say),
		cmocka_unit_test(an_allow_list_refuses_the_rest),
#ifdef __x86_64__
		cmocka_unit_test(calls_of_another_architecture_end_the_process),
#endif
		cmocka_unit_test(a_wrong_table_is_an_error_not_a_weaker_filter),
	};

	if (ending(do_nothing, &nothing) != 0) {
		fprintf(stderr, "skip: this kernel takes no seccomp filter\n");
		return getenv("PMG_MUST_WORK") ? 1 : 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
