#include "kernel/seccomp.h"

#include <errno.h>
#include <linux/audit.h>
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

#include "../helper/child.h"
#include "../helper/notified.h"
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

static int act(void *arg)
{
	int (*const *action)(void) = arg;

	return (*action)();
}

/* The one call that the child makes; it is answered with 33. */
static struct pmg_notify notified_call(const struct pmg_seccomp_program *program,
				       int (*action)(void), int end)
{
	struct notified n;
	struct pmg_notify call;

	notified_start(&n, program, act, &action);
	call = notified_next(&n);
	pmg_notify_fail(n.listener, call.id, 33);
	assert_int_equal(notified_end(&n), end);
	return call;
}

/* So that it can be listed; the number means another call there and must not be looked up. */
static void calls_of_another_architecture_can_be_notified(void **state)
{
	static const struct pmg_seccomp_program program = { .otherwise = PMG_SECCOMP_ALLOW,
							    .foreign = PMG_SECCOMP_NOTIFY,
							    .tables = &table,
							    .n = 1 };
	struct pmg_notify call;

	(void)state;
	if (ending(foreign_call, NULL) == 0) {
		call = notified_call(&program, foreign_call, 1);
		assert_int_equal(call.arch, AUDIT_ARCH_I386);
		assert_int_equal(call.nr, 20);
	}
	if (ending(x32_call, NULL) == 0) {
		call = notified_call(&program, x32_call, 0);
		assert_int_equal(call.arch, AUDIT_ARCH_X86_64);
		assert_int_equal(call.nr, 0x40000000 | SYS_getppid);
	}
}
#endif

static int unknown_call(void)
{
	return result(syscall(1999));
}

static int enter(int (*action)(void), const struct pmg_seccomp_code *code)
{
	struct pmg_err err = PMG_ERR_INIT;
	int status = 0;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(pmg_seccomp_enter(code, NULL, &err) < 0 ? 200 : action());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? KILLED(WTERMSIG(status)) : WEXITSTATUS(status);
}

static void compiled_code_does_what_the_table_says(void **state)
{
	static const struct pmg_seccomp_program program = { .otherwise = PMG_SECCOMP_ALLOW,
							    .tables = &table,
							    .n = 1 };
	pmg_auto(seccomp_code) struct pmg_seccomp_code code = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_seccomp_compile(&program, &code, &err), 0);
	assert_int_equal(enter(ask_parent, &code), ENOSYS);
	assert_int_equal(enter(tcp, &code), EAFNOSUPPORT);
	assert_int_equal(enter(udp, &code), 0);
	assert_int_equal(enter(set_name, &code), KILLED(SIGSYS));
}

static void an_unknown_number_gets_the_default(void **state)
{
	static const struct pmg_seccomp_rule ends[] = {
		{ .call = "exit_group", .action = PMG_SECCOMP_ALLOW },
		{ .call = "getpid", .action = PMG_SECCOMP_ALLOW },
		{ .call = "gettid", .action = PMG_SECCOMP_ALLOW },
		{ .call = "mmap", .action = PMG_SECCOMP_ALLOW },
		{ .call = "munmap", .action = PMG_SECCOMP_ALLOW },
		{ .call = "sigaltstack", .action = PMG_SECCOMP_ALLOW },
		{ .call = "getppid", .action = PMG_SECCOMP_NOTIFY },
	};
	static const struct pmg_seccomp_table list = { ends, PMG_ARRAY_LEN(ends) };
	static const struct pmg_seccomp_program program = {
		.otherwise = PMG_SECCOMP_ERRNO, .errnum = EXDEV, .tables = &list, .n = 1
	};
	pmg_auto(seccomp_code) struct pmg_seccomp_code code = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_seccomp_compile(&program, &code, &err), 0);
	assert_int_equal(ending(unknown_call, NULL), ENOSYS);
	assert_int_equal(enter(unknown_call, &code), EXDEV);
	assert_int_equal(enter(tcp, &code), EXDEV);
}

static int second_listener(void)
{
	static const struct pmg_seccomp_program program = { .otherwise = PMG_SECCOMP_ALLOW,
							    .tables = &table,
							    .n = 1 };
	pmg_auto(seccomp_code) struct pmg_seccomp_code code = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	int listener = -1;

	if (pmg_seccomp_compile(&program, &code, &err) < 0 ||
	    pmg_seccomp_enter(&code, NULL, &err) < 0)
		return 100;
	if (pmg_seccomp_enter(&code, &listener, &err) != -PMG_E_UNSUPPORTED || listener != -1)
		return 101;
	return err.errnum == EBUSY && err.hint[0] ? 0 : 102;
}

static int act_second(void *arg)
{
	(void)arg;
	return second_listener();
}

static void there_is_one_listener_and_the_error_says_so(void **state)
{
	static const struct pmg_seccomp_rule one[] = {
		{ .call = "getppid", .action = PMG_SECCOMP_NOTIFY },
	};
	static const struct pmg_seccomp_table list = { one, 1 };
	static const struct pmg_seccomp_program program = { .otherwise = PMG_SECCOMP_ALLOW,
							    .tables = &list,
							    .n = 1 };
	struct notified n;

	(void)state;
	notified_start(&n, &program, act_second, NULL);
	assert_int_equal(notified_end(&n), 0);
}

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
		{ { .call = "getpid",
		    .action = PMG_SECCOMP_KILL,
		    .cond = { { .kind = PMG_SECCOMP_IS, .mask = 0xf, .value = 0x10 } } },
		  PMG_E_INTERNAL,
		  "no call has such arguments" },
		{ { .call = "getpid",
		    .action = PMG_SECCOMP_KILL,
		    .cond = { { .kind = PMG_SECCOMP_IS, .arg = 6 } } },
		  PMG_E_INTERNAL,
		  "no call has such arguments" },
	};
	struct pmg_err err = PMG_ERR_INIT;
	struct pmg_seccomp_code code = { 0 };
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
		assert_int_equal(pmg_seccomp_compile(&program, &code, &err), -(int)rows[i].code);
		assert_null(code.code);
	}
	assert_int_equal(prctl(PR_GET_SECCOMP, 0, 0, 0, 0), before); /* nothing was put on us */
}

/* Rows of one call are asked in their order; which arguments meet which is a table of its own. */
static uint64_t asked[2];

static int ask(void)
{
	return result(syscall(SYS_getppid, asked[0], asked[1]));
}

#define WIDE 0x500000007ULL
#define COND(k, m, v)                                                                              \
	{                                                                                          \
		.kind = PMG_SECCOMP_##k, .arg = 0, .mask = (m), .value = (v)                       \
	}

static void the_first_row_that_is_met_counts(void **state)
{
	static const struct pmg_seccomp_rule ordered[] = {
		{ "getppid", PMG_SECCOMP_ERRNO, 1, { COND(IS, 0, WIDE) } },
		{ "getppid", PMG_SECCOMP_ALLOW, 0, { COND(IS, UINT32_MAX, 7) } },
		{ "getppid",
		  PMG_SECCOMP_ERRNO,
		  2,
		  { COND(IS, 0xf0, 0x10),
		    { .kind = PMG_SECCOMP_IS_NOT, .arg = 1, .value = WIDE } } },
		{ "getppid", PMG_SECCOMP_ERRNO, 3, { COND(IS_NOT, 0xff00, 0) } },
		{ "getppid",
		  PMG_SECCOMP_ERRNO,
		  4,
		  { COND(IS, 0xffffffff00000000ULL, 0x900000000ULL), COND(IS_NOT, 0xf, 1) } },
		{ "getppid", PMG_SECCOMP_ERRNO, 5, { COND(IS_NOT, 0xffffffff00000000ULL, 0) } },
		{ .call = "getppid", .action = PMG_SECCOMP_ERRNO, .errnum = 6 },
	};
	static const struct pmg_seccomp_table list = { ordered, PMG_ARRAY_LEN(ordered) };
	static const struct pmg_seccomp_program program = { .otherwise = PMG_SECCOMP_ALLOW,
							    .tables = &list,
							    .n = 1 };
	static const struct {
		uint64_t args[2];
		int end;
	} rows[] = {
		{ { WIDE }, 1 },
		{ { 7 }, 0 },
		{ { 0x400000007ULL }, 0 },
		{ { 0x10 }, 2 },
		{ { 0x10, 7 }, 2 },
		{ { 0x10, 0x500000000ULL }, 2 },
		{ { 0x10, WIDE }, 6 },
		{ { 0x110, WIDE }, 3 },
		{ { 0x100 }, 3 },
		{ { 0x900000002ULL }, 4 },
		{ { 0x900000001ULL }, 5 },
		{ { 0x800000002ULL }, 5 },
		{ { 0 }, 6 },
		{ { 8 }, 6 },
	};
	size_t i;
	int end;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		asked[0] = rows[i].args[0];
		asked[1] = rows[i].args[1];
		end = ending(ask, &program);
		if (end != rows[i].end)
			fail_msg("row %zu: %d, not %d", i, end, rows[i].end);
	}
}

static void a_row_behind_one_that_takes_all_is_an_error(void **state)
{
	static const struct pmg_seccomp_rule wrong[] = {
		{ .call = "getppid", .action = PMG_SECCOMP_ALLOW },
		{ .call = "getpid", .action = PMG_SECCOMP_ALLOW },
		{ "getppid", PMG_SECCOMP_ERRNO, 1, { COND(IS, 0, 1) } },
	};
	static const struct pmg_seccomp_table tables[] = { { wrong, 2 }, { wrong + 2, 1 } };
	static const struct pmg_seccomp_program program = { .otherwise = PMG_SECCOMP_KILL,
							    .tables = tables,
							    .n = 2 };
	pmg_auto(seccomp_code) struct pmg_seccomp_code code = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_seccomp_compile(&program, &code, &err), -PMG_E_INTERNAL);
	assert_string_equal(err.msg, "filter row for getppid comes after one that takes all");
	assert_null(code.code);
}

/* Each number by itself: what is a neighbour of a listed one, first, last, beyond. */
static int number_asked;

static int call_number(void)
{
	return result(syscall(number_asked));
}

static void every_number_finds_its_own_row(void **state)
{
	static const struct pmg_seccomp_rule spread[] = {
		{ .call = "getuid", .action = PMG_SECCOMP_ERRNO, .errnum = 1 },
		{ .call = "getgid", .action = PMG_SECCOMP_ERRNO, .errnum = 2 },
		{ .call = "geteuid", .action = PMG_SECCOMP_ERRNO, .errnum = 3 },
		{ .call = "getegid", .action = PMG_SECCOMP_ERRNO, .errnum = 3 },
		{ .call = "getppid", .action = PMG_SECCOMP_ERRNO, .errnum = 4 },
		{ .call = "getpgid", .action = PMG_SECCOMP_ERRNO, .errnum = 5 },
		{ .call = "read", .action = PMG_SECCOMP_ERRNO, .errnum = 6 },
		{ .call = "faccessat2", .action = PMG_SECCOMP_ERRNO, .errnum = 7 },
	};
	static const struct pmg_seccomp_table list = { spread, PMG_ARRAY_LEN(spread) };
	static const struct pmg_seccomp_program program = { .otherwise = PMG_SECCOMP_ALLOW,
							    .tables = &list,
							    .n = 1 };
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(spread); i++) {
		number_asked = pmg_seccomp_number(spread[i].call);
		assert_int_equal(ending(call_number, &program), spread[i].errnum);
	}
	number_asked = SYS_getpid;
	assert_int_equal(ending(call_number, &program), 0);
	number_asked = SYS_gettid;
	assert_int_equal(ending(call_number, &program), 0);
	number_asked = 1999;
	assert_int_equal(ending(call_number, &program), ENOSYS);
	assert_int_equal(pmg_seccomp_number("no_such_call"), -1);
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
		cmocka_unit_test(calls_of_another_architecture_can_be_notified),
#endif
		cmocka_unit_test(compiled_code_does_what_the_table_says),
		cmocka_unit_test(an_unknown_number_gets_the_default),
		cmocka_unit_test(there_is_one_listener_and_the_error_says_so),
		cmocka_unit_test(the_first_row_that_is_met_counts),
		cmocka_unit_test(a_row_behind_one_that_takes_all_is_an_error),
		cmocka_unit_test(every_number_finds_its_own_row),
		cmocka_unit_test(a_wrong_table_is_an_error_not_a_weaker_filter),
	};

	if (ending(do_nothing, &nothing) != 0)
		return child_skip("this kernel takes no seccomp filter");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
