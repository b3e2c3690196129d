#include "kernel/ns.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "../helper/child.h"
#include "../helper/folder.h"
#include "kernel/ns_priv.h"

#define KINDS (CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC)

static char *read_all(const char *path)
{
	struct pmg_err err = PMG_ERR_INIT;
	char *text = NULL;
	size_t len = 0;

	return pmg_io_slurp(path, 4096, &text, &len, &err) < 0 ? NULL : text;
}

static bool same_namespace(const char *name, const struct stat *before)
{
	struct stat st;

	return stat(name, &st) == 0 && st.st_ino == before->st_ino;
}

static int enter_as_ordinary(void)
{
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *map = NULL;
	struct stat mnt, net, ipc;
	uid_t uid = geteuid();
	gid_t gid = getegid();
	bool own = false;
	unsigned a, b, n;

	CHILD_CHECK(pmg_caps_effective() == 0);
	CHILD_CHECK(stat("/proc/self/ns/mnt", &mnt) == 0 && stat("/proc/self/ns/net", &net) == 0 &&
		    stat("/proc/self/ns/ipc", &ipc) == 0);
	CHILD_OK(pmg_ns_enter(KINDS, &own, &err), err);
	CHILD_CHECK(own);
	CHILD_CHECK(geteuid() == uid && getegid() == gid);
	map = read_all("/proc/self/uid_map");
	CHILD_CHECK(map && sscanf(map, "%u %u %u", &a, &b, &n) == 3);
	CHILD_CHECK(a == uid && b == uid && n == 1);
	CHILD_CHECK(pmg_caps_effective() & 1ULL << CAP_SYS_ADMIN);
	CHILD_CHECK(setgroups(0, NULL) < 0 && errno == EPERM);
	CHILD_CHECK(!same_namespace("/proc/self/ns/mnt", &mnt));
	CHILD_CHECK(!same_namespace("/proc/self/ns/net", &net));
	CHILD_CHECK(!same_namespace("/proc/self/ns/ipc", &ipc));
	return 0;
}

static void an_ordinary_user_is_itself_in_its_own_namespace(void **state)
{
	(void)state;
	assert_int_equal(in_child(enter_as_ordinary, true), 0);
}

static int enter_as_root(void)
{
	struct pmg_err err = PMG_ERR_INIT;
	struct stat user, net;
	bool own = true;

	CHILD_CHECK(stat("/proc/self/ns/user", &user) == 0 && stat("/proc/self/ns/net", &net) == 0);
	CHILD_OK(pmg_ns_enter(KINDS, &own, &err), err);
	CHILD_CHECK(!own);
	CHILD_CHECK(same_namespace("/proc/self/ns/user", &user));
	CHILD_CHECK(!same_namespace("/proc/self/ns/net", &net));
	/* The value would be the host's. */
	CHILD_CHECK(pmg_ns_no_more_users(&err) == -PMG_E_INTERNAL);
	return 0;
}

static void root_has_no_namespace_of_users_and_sets_nothing_of_the_host(void **state)
{
	pmg_autofree char *before = read_all("/proc/sys/user/max_user_namespaces");
	pmg_autofree char *after = NULL;

	(void)state;
	if (geteuid() != 0) {
		print_message("SKIPPED: not root\n");
		skip();
	}
	assert_int_equal(in_child(enter_as_root, false), 0);
	after = read_all("/proc/sys/user/max_user_namespaces");
	assert_string_equal(before, after);
}

static int users_twice(void)
{
	struct pmg_err err = PMG_ERR_INIT;
	bool own = false;

	CHILD_OK(pmg_ns_enter(KINDS, &own, &err), err);
	CHILD_CHECK(unshare(CLONE_NEWUSER) == 0);
	return 0;
}

static int users_once(void)
{
	struct pmg_err err = PMG_ERR_INIT;
	bool own = false, again = false;

	CHILD_OK(pmg_ns_enter(KINDS, &own, &err), err);
	CHILD_OK(pmg_ns_no_more_users(&err), err);
	CHILD_OK(pmg_caps_keep(0, &err), err);
	CHILD_CHECK(unshare(CLONE_NEWUSER) < 0 && errno == ENOSPC);
	/* And what pmg itself says where it is run with this switch. */
	CHILD_CHECK(pmg_ns_enter(KINDS, &again, &err) == -PMG_E_UNSUPPORTED);
	CHILD_CHECK(!again && err.errnum == ENOSPC);
	CHILD_CHECK(strstr(err.msg, "switched off on this host"));
	CHILD_CHECK(strstr(err.hint, "user.max_user_namespaces"));
	return 0;
}

static void there_are_no_further_users_below(void **state)
{
	pmg_autofree char *before = read_all("/proc/sys/user/max_user_namespaces");
	pmg_autofree char *after = NULL;

	(void)state;
	assert_int_equal(in_child(users_twice, true), 0);
	assert_int_equal(in_child(users_once, true), 0);
	after = read_all("/proc/sys/user/max_user_namespaces");
	assert_string_equal(before, after);
}

static void a_refusal_names_its_reason(void **state)
{
	static const struct {
		int errnum;
		const char *file;
		const char *text;
		const char *msg;
		const char *hint;
	} rows[] = {
		{ EPERM, "kernel/apparmor_restrict_unprivileged_userns", "1\n", "AppArmor",
		  "profile that comes with pmg" },
		{ EACCES, "kernel/apparmor_restrict_unprivileged_userns", "1\n", "AppArmor",
		  "kernel.apparmor_restrict_unprivileged_userns=0" },
		{ EPERM, "kernel/apparmor_restrict_unprivileged_userns", "0\n", "not allowed here",
		  "container" },
		{ EPERM, "kernel/unprivileged_userns_clone", "0\n", "for ordinary users",
		  "kernel.unprivileged_userns_clone=1" },
		{ ENOSPC, "user/max_user_namespaces", "0\n", "switched off on this host",
		  "user.max_user_namespaces" },
		{ ENOSPC, "user/max_user_namespaces", "100\n", "in use", "user.max_" },
		{ EINVAL, "none", "", "kinds of namespaces", "CONFIG_USER_NS" },
		{ EUSERS, "none", "", "nested too deep", "outside" },
		{ EIO, "none", "", "not allowed here", "container" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(folder) char *top = folder_new();
		struct pmg_err err = PMG_ERR_INIT;

		folder_write(top, rows[i].file, rows[i].text, strlen(rows[i].text));
		assert_int_equal(pmg_ns_refused(rows[i].errnum, top, &err), -PMG_E_UNSUPPORTED);
		assert_int_equal(err.errnum, rows[i].errnum);
		if (!strstr(err.msg, rows[i].msg) || !strstr(err.hint, rows[i].hint))
			fail_msg("row %zu: %s (%s)", i, err.msg, err.hint);
	}
}

/* A program in memory: the kernel would start it. */
static int run_from_memory(void)
{
	pmg_autofd int from = open("/bin/true", O_RDONLY | O_CLOEXEC);
	int fd = memfd_create("x", MFD_CLOEXEC);
	char buf[65536];
	char name[] = "true";
	char *argv[] = { name, NULL };
	char *envp[] = { NULL };
	ssize_t n;

	while ((n = read(from, buf, sizeof buf)) > 0)
		if (write(fd, buf, (size_t)n) != n)
			return 1;
	(void)fexecve(fd, argv, envp);
	return errno;
}

static int set_in_new_pid_namespace(void)
{
	struct pmg_err err = PMG_ERR_INIT;
	int r = pmg_ns_memfd_noexec(&err);

	if (r != 1)
		return r == 0 ? 200 : 201;
	return run_from_memory() == EACCES ? 0 : 1;
}

static int in_new_pid_namespace(void)
{
	CHILD_CHECK(unshare(CLONE_NEWPID) == 0);
	return in_child(set_in_new_pid_namespace, false);
}

static void memory_files_cannot_be_run_where_that_can_be_said(void **state)
{
	pmg_autofree char *before = read_all("/proc/sys/vm/memfd_noexec");
	pmg_autofree char *after = NULL;
	int r;

	(void)state;
	if (geteuid() != 0 || !before) {
		print_message("SKIPPED: not root, or before Linux 6.3\n");
		skip();
	}
	assert_int_equal(in_child(run_from_memory, false), 0);
	r = in_child(in_new_pid_namespace, false);
	assert_int_equal(r, 0);
	after = read_all("/proc/sys/vm/memfd_noexec");
	assert_string_equal(before, after);
}

static int ask_as_ordinary(void)
{
	struct pmg_err err = PMG_ERR_INIT;

	return pmg_ns_memfd_noexec(&err) == 0 ? 0 : 1;
}

static void an_ordinary_user_cannot_say_it(void **state)
{
	(void)state;
	assert_int_equal(in_child(ask_as_ordinary, true), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_ordinary_user_is_itself_in_its_own_namespace),
		cmocka_unit_test(root_has_no_namespace_of_users_and_sets_nothing_of_the_host),
		cmocka_unit_test(there_are_no_further_users_below),
		cmocka_unit_test(a_refusal_names_its_reason),
		cmocka_unit_test(memory_files_cannot_be_run_where_that_can_be_said),
		cmocka_unit_test(an_ordinary_user_cannot_say_it),
	};

	if (in_child(users_twice, true) != 0)
		return child_skip("no user namespaces here");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
