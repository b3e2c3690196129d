#include "sandbox/driver.h"

#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "../helper/child.h"
#include "base/mem.h"
#include "kernel/seccomp.h"

static const struct pmg_probe_item *item(const struct pmg_probe *probe, const char *id)
{
	size_t i;

	for (i = 0; i < probe->n; i++)
		if (strcmp(probe->items[i].id, id) == 0)
			return &probe->items[i];
	return NULL;
}

static int everything_is_told(void)
{
	static const char *const ids[] = { "landlock", "seccomp", "namespaces",
					   "mounts",   "network", "proc" };
	pmg_auto(probe) struct pmg_probe probe = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	CHILD_OK(pmg_driver_full.probe(&probe, &err), err);
	CHILD_CHECK(probe.n == PMG_ARRAY_LEN(ids));
	for (i = 0; i < PMG_ARRAY_LEN(ids); i++) {
		CHILD_CHECK(item(&probe, ids[i]));
		CHILD_CHECK(*item(&probe, ids[i])->detail);
	}
	CHILD_CHECK(!item(&probe, "landlock")->works ||
		    strncmp(item(&probe, "landlock")->detail, "ABI ", 4) == 0);
	return 0;
}

static ino_t namespace(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? st.st_ino : 0;
}

static int nothing_changes(void)
{
	pmg_auto(probe) struct pmg_probe probe = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	ino_t mnt = namespace("/proc/self/ns/mnt"), user = namespace("/proc/self/ns/user");

	CHILD_OK(pmg_driver_full.probe(&probe, &err), err);
	CHILD_CHECK(mnt == namespace("/proc/self/ns/mnt"));
	CHILD_CHECK(user == namespace("/proc/self/ns/user"));
	CHILD_CHECK(waitpid(-1, NULL, 0) < 0); /* nobody is left */
	return 0;
}

/* Filters that make this kernel look like one that lacks something. */
static const struct {
	const char *call, *id;
	unsigned lost;
} lacking[] = {
	{ "landlock_create_ruleset", "landlock", PMG_CAP_FS },
	{ "seccomp", "seccomp", PMG_CAP_REPORT },
	{ "unshare", "namespaces", PMG_CAP_NET },
	{ "fsopen", "mounts", PMG_CAP_FS },
};

static size_t lacks;

static int is_told(void)
{
	const struct pmg_seccomp_rule rule = { .call = lacking[lacks].call,
					       .action = PMG_SECCOMP_ERRNO,
					       .errnum = 1 /* EPERM */ };
	const struct pmg_seccomp_table table = { &rule, 1 };
	const struct pmg_seccomp_program program = { .otherwise = PMG_SECCOMP_ALLOW,
						     .tables = &table,
						     .n = 1 };
	pmg_auto(probe) struct pmg_probe probe = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	/* Were a step tried in the wrong place, it must not be the host that suffers. */
	CHILD_CHECK(geteuid() != 0 || (unshare(CLONE_NEWNS | CLONE_NEWNET) == 0 &&
				       mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0));
	CHILD_OK(pmg_seccomp_load(&program, &err), err);
	CHILD_OK(pmg_driver_full.probe(&probe, &err), err);
	CHILD_CHECK(access("/proc/self/status", R_OK) == 0);
	CHILD_CHECK(!item(&probe, lacking[lacks].id)->works);
	CHILD_CHECK((probe.caps & lacking[lacks].lost) == 0);
	CHILD_CHECK(probe.missing && *probe.missing);
	CHILD_CHECK(strcmp(probe.missing, item(&probe, lacking[lacks].id)->detail) == 0);
	return 0;
}

static void it_tells_all_that_it_tried(void **state)
{
	(void)state;
	assert_int_equal(in_child(everything_is_told, false), 0);
	assert_int_equal(in_child(everything_is_told, true), 0);
}

static void it_changes_nothing(void **state)
{
	(void)state;
	assert_int_equal(in_child(nothing_changes, false), 0);
	assert_int_equal(in_child(nothing_changes, true), 0);
}

static void what_is_lacking_is_named(void **state)
{
	(void)state;
	for (lacks = 0; lacks < PMG_ARRAY_LEN(lacking); lacks++) {
		print_message("without %s\n", lacking[lacks].call);
		assert_int_equal(in_child(is_told, true), 0);
		if (geteuid() == 0)
			assert_int_equal(in_child(is_told, false), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_tells_all_that_it_tried),
		cmocka_unit_test(it_changes_nothing),
		cmocka_unit_test(what_is_lacking_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
