/* Calls that are refused whatever they ask: what is answered, and what is said of them. */
#include <errno.h>
#include <linux/audit.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernel/procfs.h"
#include "sandbox/broker_priv.h"

#define NATIVE 0xffffffffU

static const struct {
	const char *call;
	int errnum;
	uint32_t arch;
	int nr;
	uint64_t args[3];
	int code;
	enum pmg_event_op op;
	const char *target;
} rows[] = {
	{ "io_uring_setup", ENOSYS, NATIVE, 425, { 0 }, 2016, PMG_EVENT_KERNEL, "io_uring_setup" },
	{ "mount", EPERM, NATIVE, 0, { 0 }, 2016, PMG_EVENT_KERNEL, "mount" },
	{ "clone",
	  EPERM,
	  NATIVE,
	  0,
	  { CLONE_NEWUSER | CLONE_NEWNS },
	  2016,
	  PMG_EVENT_KERNEL,
	  "clone CLONE_NEWNS CLONE_NEWUSER" },
	{ "clone",
	  EPERM,
	  NATIVE,
	  0,
	  { CLONE_PARENT | 17 },
	  2016,
	  PMG_EVENT_KERNEL,
	  "clone CLONE_PARENT" },
	{ "unshare",
	  EPERM,
	  NATIVE,
	  0,
	  { CLONE_NEWNET },
	  2016,
	  PMG_EVENT_KERNEL,
	  "unshare CLONE_NEWNET" },
	{ "setns",
	  EPERM,
	  NATIVE,
	  0,
	  { 3, CLONE_NEWPID },
	  2016,
	  PMG_EVENT_KERNEL,
	  "setns CLONE_NEWPID" },
	{ "ptrace", EPERM, NATIVE, 0, { 0 }, 2015, PMG_EVENT_SIGNAL, "ptrace" },
	{ "process_vm_readv", EPERM, NATIVE, 0, { 0 }, 2015, PMG_EVENT_SIGNAL, "process_vm_readv" },
	{ "fcntl", EACCES, NATIVE, 0, { 0, 1024 }, 2016, PMG_EVENT_KERNEL, "fcntl F_SETLEASE" },
	{ "ioctl", EPERM, NATIVE, 0, { 0, TIOCSTI }, 2016, PMG_EVENT_KERNEL, "ioctl TIOCSTI" },
	{ "ioctl",
	  EPERM,
	  NATIVE,
	  0,
	  { 0, 0x40086602 },
	  2016,
	  PMG_EVENT_KERNEL,
	  "ioctl FS_IOC_SETFLAGS" },
	{ "ioctl", EPERM, NATIVE, 0, { 0, 7 }, 2016, PMG_EVENT_KERNEL, "ioctl 7" },
	{ "sendto", EOPNOTSUPP, NATIVE, 0, { 0 }, 2016, PMG_EVENT_KERNEL, "sendto MSG_FASTOPEN" },
	{ "setsockopt",
	  EOPNOTSUPP,
	  NATIVE,
	  0,
	  { 0 },
	  2016,
	  PMG_EVENT_KERNEL,
	  "setsockopt TCP_FASTOPEN_CONNECT" },
	{ "socket",
	  EAFNOSUPPORT,
	  NATIVE,
	  0,
	  { 40, SOCK_STREAM | SOCK_CLOEXEC },
	  2009,
	  PMG_EVENT_CONNECT,
	  "socket AF_VSOCK SOCK_STREAM" },
	{ "socket",
	  EAFNOSUPPORT,
	  NATIVE,
	  0,
	  { AF_INET, SOCK_RAW, 1 },
	  2009,
	  PMG_EVENT_CONNECT,
	  "socket AF_INET SOCK_RAW IPPROTO_ICMP" },
	{ "socket",
	  EPROTONOSUPPORT,
	  NATIVE,
	  0,
	  { AF_INET6, SOCK_STREAM, 262 },
	  2009,
	  PMG_EVENT_CONNECT,
	  "socket AF_INET6 SOCK_STREAM IPPROTO_MPTCP" },
	{ "socket",
	  EAFNOSUPPORT,
	  NATIVE,
	  0,
	  { AF_UNIX, SOCK_DGRAM },
	  2013,
	  PMG_EVENT_UNIX,
	  "socket AF_UNIX SOCK_DGRAM" },
	{ "socket", EAFNOSUPPORT, NATIVE, 0, { 99, 15 }, 2009, PMG_EVENT_CONNECT, "socket 99 15" },
	{ "foreign", ENOSYS, AUDIT_ARCH_I386, 102, { 0 }, 2016, PMG_EVENT_KERNEL, "i386 call 102" },
	{ "foreign",
	  ENOSYS,
	  AUDIT_ARCH_X86_64,
	  0x40000001,
	  { 0 },
	  2016,
	  PMG_EVENT_KERNEL,
	  "x32 call 1" },
	{ "foreign", ENOSYS, 7, 5, { 0 }, 2016, PMG_EVENT_KERNEL, "foreign call 5" },
};

static void each_is_answered_and_said(void **state)
{
	struct pmg_broker *broker = pmg_xcalloc(1, sizeof *broker);
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	broker->wire = broker->proxy = -1;
	broker->proc = pmg_procfs_open(&err);
	assert_true(broker->proc >= 0);
	broker->who = pmg_who_table_new(broker->proc, getpid());
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		struct pmg_call_row row = { .name = rows[i].call,
					    .handle = pmg_act_surface,
					    .errnum = rows[i].errnum };
		struct pmg_request request = { .broker = broker, .row = &row };
		struct pmg_answer answer = { .kind = PMG_ANSWER_CONTINUE, .fd = -1 };
		const struct pmg_event *event;

		assert_int_equal(pmg_who_find(broker, getpid(), &request.who), 0);
		request.call = (struct pmg_notify){ .arch = rows[i].arch, .nr = rows[i].nr };
		memcpy(request.call.args, rows[i].args, sizeof rows[i].args);
		pmg_act_surface(&request, &answer);
		assert_int_equal(answer.kind, PMG_ANSWER_FAIL);
		assert_int_equal(answer.errnum, rows[i].errnum);
		assert_int_equal(broker->events.n, i + 1);
		event = &broker->events.v[i];
		assert_string_equal(event->target, rows[i].target);
		assert_int_equal(event->code, rows[i].code);
		assert_int_equal(event->op, rows[i].op);
		assert_null(event->allow); /* nothing lets these through */
	}
	pmg_events_done(&broker->events);
	pmg_who_table_free(broker->who);
	(void)close(broker->proc);
	free(broker);
}

static void a_call_without_a_row_is_refused_too(void **state)
{
	struct pmg_broker *broker = pmg_xcalloc(1, sizeof *broker);
	struct pmg_request request = { .broker = broker };
	struct pmg_answer answer = { .kind = PMG_ANSWER_CONTINUE, .fd = -1 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	broker->wire = broker->proxy = -1;
	broker->proc = pmg_procfs_open(&err);
	broker->who = pmg_who_table_new(broker->proc, getpid());
	pmg_act_surface(&request, &answer);
	assert_int_equal(answer.kind, PMG_ANSWER_FAIL);
	assert_int_equal(answer.errnum, EPERM);
	assert_int_equal(broker->events.n, 1);
	pmg_events_done(&broker->events);
	pmg_who_table_free(broker->who);
	(void)close(broker->proc);
	free(broker);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_answered_and_said),
		cmocka_unit_test(a_call_without_a_row_is_refused_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
