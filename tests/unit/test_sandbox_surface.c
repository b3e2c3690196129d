/* What is refused whatever it asks, from the filter to the record. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/str.h"
#include "refused_calls.h"
#include "sandbox/walls_priv.h"
#include "tests/helper/broker.h"
#include "tests/helper/child.h"
#include "tests/helper/folder.h"

#define CALLS PMG_ARRAY_LEN(refused)

/* errno of each call; -1: it succeeded. */
struct results {
	int errnum[CALLS];
	long foreign;
};

static void make_all(void *arg)
{
	struct results *results = arg;
	size_t i;

	for (i = 0; i < CALLS; i++) {
		const uint64_t *a = refused[i].args;
		int number = pmg_seccomp_number(refused[i].name);

		if (number >= 0)
			results->errnum[i] = syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]) < 0
						     ? errno
						     : -1;
	}
#ifdef __x86_64__
	__asm__ volatile("int $0x80"
			 : "=a"(results->foreign)
			 : "a"(20L)
			 : "memory", "r8", "r9", "r10", "r11");
#endif
}

static const struct pmg_call_row *row_of(const struct pmg_calls *calls, const struct call *call)
{
	struct pmg_notify notify = { .nr = pmg_seccomp_number(call->name),
				     .arch = pmg_seccomp_arch() };

	memcpy(notify.args, call->args, sizeof notify.args);
	return pmg_calls_find(calls, &notify);
}

static uint64_t times_recorded(const struct pmg_events *events, const char *begin)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < events->n; i++)
		if (pmg_str_has_prefix(events->v[i].target, begin))
			n += events->v[i].count;
	return n;
}

/* A name that begins another one: "socket" and "socketpair", "ioctl". */
static uint64_t times_begun(const char *name)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < CALLS; i++)
		n += pmg_str_has_prefix(refused[i].name, name) ? 1 : 0;
	return n;
}

static void each_is_answered_with_its_errno_and_recorded(void **state)
{
	pmg_auto(folder) char *top = folder_new();
	pmg_auto(policy) struct pmg_policy *policy = broker_policy(top);
	pmg_auto(events) struct pmg_events events = { 0 };
	pmg_auto(calls) struct pmg_calls *calls = pmg_calls_new();
	struct results *results = broker_shared(sizeof *results);
	size_t i;

	(void)state;
	pmg_policy_seal(policy);
	assert_int_equal(broker_serve_child(policy, NULL, make_all, results, &events), 0);
	for (i = 0; i < CALLS; i++) {
		const struct pmg_call_row *row;

		if (pmg_seccomp_number(refused[i].name) < 0)
			continue;
		row = row_of(calls, &refused[i]);
		if (!row || row->handle != pmg_act_surface || results->errnum[i] != row->errnum)
			fail_msg("row %zu, %s: %s", i, refused[i].name,
				 results->errnum[i] < 0 ? "it succeeded"
							: strerror(results->errnum[i]));
		if (times_recorded(&events, refused[i].name) != times_begun(refused[i].name))
			fail_msg("%s: %u recorded, %u made", refused[i].name,
				 (unsigned)times_recorded(&events, refused[i].name),
				 (unsigned)times_begun(refused[i].name));
	}
#ifdef __x86_64__
	assert_int_equal(results->foreign, -ENOSYS);
	assert_int_equal(times_recorded(&events, "i386 call 20"), 1);
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_answered_with_its_errno_and_recorded),
	};
	struct pmg_err err = PMG_ERR_INIT;

	if (pmg_notify_probe(&err) < 0)
		return child_skip(err.msg);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
