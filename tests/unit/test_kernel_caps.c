#include <errno.h>
#include <linux/capability.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "../helper/child.h"
#include "kernel/ns.h"

#define BIT(cap) (1ULL << (cap))
#define SOME     (BIT(CAP_CHOWN) | BIT(CAP_FOWNER))
#define ARGUMENT "--caps"

/* This program again: its result is whether it has what the argument says. */
static int start_with(uint64_t expected)
{
	char self[] = "/proc/self/exe", word[] = ARGUMENT, number[32];
	char *argv[] = { self, word, number, NULL };

	(void)snprintf(number, sizeof number, "%llu", (unsigned long long)expected);
	(void)execv(self, argv);
	return 1;
}

static int keep_some(void)
{
	struct pmg_err err = PMG_ERR_INIT;

	CHILD_CHECK(chown("/proc/self/nothing", 1, 1) < 0 && errno == ENOENT);
	CHILD_OK(pmg_caps_keep(SOME | BIT(63), &err), err);
	CHILD_CHECK(pmg_caps_effective() == SOME);
	CHILD_CHECK(prctl(PR_CAPBSET_READ, CAP_SYS_ADMIN, 0, 0, 0) == 0);
	CHILD_CHECK(prctl(PR_CAPBSET_READ, CAP_CHOWN, 0, 0, 0) == 1);
	CHILD_CHECK(sethostname("x", 1) < 0 && errno == EPERM);
	return start_with(SOME); /* root's programs get no more than that */
}

static int keep_all(void)
{
	return start_with(pmg_caps_effective());
}

static int keep_none(void)
{
	struct pmg_err err = PMG_ERR_INIT;

	CHILD_OK(pmg_caps_keep(0, &err), err);
	CHILD_CHECK(pmg_caps_effective() == 0);
	return start_with(0);
}

static void root_keeps_what_is_said_and_hands_on_no_more(void **state)
{
	(void)state;
	if (geteuid() != 0) {
		print_message("SKIPPED: not root\n");
		skip();
	}
	assert_int_equal(in_child(keep_all, false), 0);
	assert_int_equal(in_child(keep_some, false), 0);
	assert_int_equal(in_child(keep_none, false), 0);
}

static int ask_for_all(void)
{
	struct pmg_err err = PMG_ERR_INIT;

	CHILD_OK(pmg_caps_keep(UINT64_MAX, &err), err);
	return start_with(0);
}

static void who_has_none_gets_none(void **state)
{
	(void)state;
	assert_int_equal(in_child(ask_for_all, true), 0);
}

static int keep_in_own_namespace(void)
{
	struct pmg_err err = PMG_ERR_INIT;
	bool own = false;

	CHILD_OK(pmg_ns_enter(CLONE_NEWNS, &own, &err), err);
	CHILD_OK(pmg_caps_keep(BIT(CAP_SYS_PTRACE), &err), err);
	CHILD_CHECK(pmg_caps_effective() == BIT(CAP_SYS_PTRACE));
	CHILD_CHECK(prctl(PR_CAPBSET_READ, CAP_SYS_ADMIN, 0, 0, 0) == 0);
	CHILD_OK(pmg_caps_keep(0, &err), err); /* no CAP_SETPCAP: less is still possible */
	CHILD_CHECK(pmg_caps_effective() == 0);
	return start_with(0);
}

static void an_ordinary_user_keeps_some_in_its_own_namespace(void **state)
{
	(void)state;
	assert_int_equal(in_child(keep_in_own_namespace, true), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(root_keeps_what_is_said_and_hands_on_no_more),
		cmocka_unit_test(who_has_none_gets_none),
		cmocka_unit_test(an_ordinary_user_keeps_some_in_its_own_namespace),
	};

	if (argc == 3 && strcmp(argv[1], ARGUMENT) == 0)
		return pmg_caps_effective() == strtoull(argv[2], NULL, 10) ? 0 : 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
