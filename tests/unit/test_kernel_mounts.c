#include "kernel/mounts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "../helper/child.h"
#include "../helper/folder.h"
#include "kernel/ns.h"

static int touch(const char *name)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	bool done = fd >= 0 && write(fd, "secret", 6) == 6;

	if (fd >= 0)
		(void)close(fd);
	return done ? 0 : errno;
}

static int open_as(const char *name, int flags)
{
	int fd = open(name, flags | O_CLOEXEC);

	if (fd < 0)
		return errno;
	(void)close(fd);
	return 0;
}

static int held(const char *name)
{
	return open(name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

/* A fresh set of files and a mount namespace to hide them in. Here by relative names: the ordinary
 * user may not reach the folder by the whole one. */
static int prepare(void)
{
	struct pmg_err err = PMG_ERR_INIT;
	bool own;

	CHILD_CHECK(mkdir("d", 0700) == 0 && mkdir("e", 0700) == 0 && mkdir("d/sub", 0700) == 0);
	CHILD_CHECK(touch("d/env") == 0 && touch("d/other") == 0 && touch("d/sub/key") == 0);
	CHILD_OK(pmg_ns_enter(CLONE_NEWNS, &own, &err), err);
	CHILD_OK(pmg_mount_private(&err), err);
	return 0;
}

static int hide_file(void)
{
	struct pmg_err err = PMG_ERR_INIT;
	struct stat st;
	int null;

	CHILD_CHECK(prepare() == 0);
	null = held("/dev/null");
	CHILD_CHECK(open_as("d/env", O_RDONLY) == 0 && open_as("d/env", O_WRONLY) == 0);
	CHILD_CHECK(pmg_mount_is_point(AT_FDCWD, "d/env", &err) == 0);
	CHILD_OK(pmg_mount_bind(null, held("d/env"), MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOEXEC, "d/env",
				&err),
		 err);
	CHILD_CHECK(pmg_mount_is_point(AT_FDCWD, "d/env", &err) == 1);
	CHILD_CHECK(pmg_mount_is_point(AT_FDCWD, "d/other", &err) == 0);
	CHILD_CHECK(pmg_mount_is_point(AT_FDCWD, "d/none", &err) == -PMG_E_NOTFOUND);
	CHILD_CHECK(open_as("d/env", O_RDONLY) == EACCES);
	CHILD_CHECK(open_as("d/env", O_WRONLY) == EACCES);
	CHILD_CHECK(open_as("d/env", O_RDWR | O_TRUNC) == EACCES);
	CHILD_CHECK(access("d/env", X_OK) < 0 && errno == EACCES);
	CHILD_CHECK(stat("d/env", &st) == 0 && S_ISCHR(st.st_mode));
	CHILD_CHECK(unlink("d/env") < 0 && errno == EBUSY);
	CHILD_CHECK(chmod("d/env", 0777) < 0 && errno == EROFS);
	return 0;
}

/* It is no mount boundary for the rest of the tree. */
static int move_around_it(void)
{
	struct pmg_err err = PMG_ERR_INIT;
	int null;

	CHILD_CHECK(prepare() == 0);
	null = held("/dev/null");
	CHILD_OK(pmg_mount_bind(null, held("d/env"), MOUNT_ATTR_RDONLY, "d/env", &err), err);
	CHILD_CHECK(link("d/other", "e/linked") == 0);
	CHILD_CHECK(rename("d/other", "e/moved") == 0);
	CHILD_CHECK(rename("e/moved", "d/sub/moved") == 0);
	CHILD_CHECK(open_as("d/sub/moved", O_RDWR) == 0);
	return 0;
}

static int count(const char *name)
{
	DIR *dir = opendir(name);
	int n = 0;

	if (!dir)
		return -errno;
	while (readdir(dir))
		n++;
	(void)closedir(dir);
	return n - 2;
}

static int hide_folders(void)
{
	struct pmg_err err = PMG_ERR_INIT;
	int empty, listed;

	CHILD_CHECK(prepare() == 0);
	listed = geteuid() == 0 ? 0 : -EACCES; /* root may look, and finds nothing */
	CHILD_CHECK(count("d/sub") == 1);
	empty = pmg_mount_empty(&err);
	CHILD_OK(empty, err);
	CHILD_OK(pmg_mount_bind(empty, held("d/sub"), MOUNT_ATTR_NOEXEC, "d/sub", &err), err);
	CHILD_OK(pmg_mount_bind(empty, held("e"), MOUNT_ATTR_NOEXEC, "e", &err), err);
	CHILD_CHECK(count("d/sub") == 0 && touch("e/new") == EROFS);
	CHILD_OK(pmg_caps_keep(geteuid() == 0 ? 1ULL << CAP_DAC_OVERRIDE : 0, &err), err);
	CHILD_CHECK(count("d/sub") == listed && count("e") == listed);
	CHILD_CHECK(open_as("d/sub/key", O_RDONLY) == (geteuid() == 0 ? ENOENT : EACCES));
	CHILD_CHECK(touch("e/new") != 0);
	CHILD_CHECK(chmod("e", 0700) < 0 && errno == EROFS);
	CHILD_CHECK(rmdir("d/sub") < 0 && errno == EBUSY);
	return 0;
}

static int protect(void)
{
	struct pmg_err err = PMG_ERR_INIT;

	CHILD_CHECK(prepare() == 0);
	CHILD_CHECK(mount("tmpfs", "d/sub", "tmpfs", 0, NULL) == 0);
	CHILD_CHECK(touch("d/new") == 0 && touch("d/sub/new") == 0);
	CHILD_OK(pmg_mount_readonly("d", &err), err);
	CHILD_CHECK(touch("d/newer") == EROFS && touch("d/sub/newer") == EROFS);
	CHILD_CHECK(open_as("d/new", O_RDWR) == EROFS && open_as("d/new", O_RDONLY) == 0);
	CHILD_CHECK(touch("e/new") == 0);
	CHILD_CHECK(pmg_mount_readonly("none", &err) == -PMG_E_NOTFOUND);
	return 0;
}

/* As /tmp is replaced, and the project put back into it. */
static int replace(void)
{
	struct pmg_err err = PMG_ERR_INIT;
	int sub;

	CHILD_CHECK(prepare() == 0);
	CHILD_CHECK(mkdir("e/sub", 0700) == 0);
	sub = held("d/sub");
	CHILD_OK(pmg_mount_bind(held("e"), held("d"), 0, "d", &err), err);
	CHILD_CHECK(open_as("d/env", O_RDONLY) == ENOENT &&
		    open_as("d/sub/key", O_RDONLY) == ENOENT);
	CHILD_OK(pmg_mount_bind(sub, held("d/sub"), 0, "d/sub", &err), err);
	CHILD_CHECK(open_as("d/sub/key", O_RDONLY) == 0 && touch("d/sub/new") == 0);
	CHILD_CHECK(touch("d/mine") == 0 && open_as("e/mine", O_RDONLY) == 0);
	return 0;
}

static int a_file_does_not_go_over_a_folder(void)
{
	struct pmg_err err = PMG_ERR_INIT;

	CHILD_CHECK(prepare() == 0);
	CHILD_CHECK(pmg_mount_bind(held("/dev/null"), held("e"), 0, "e", &err) == -PMG_E_SYS);
	CHILD_CHECK(err.errnum == ENOTDIR || err.errnum == EINVAL); /* by kernel */
	return 0;
}

static int mount_proc_as_first(void)
{
	struct pmg_err err = PMG_ERR_INIT;
	char self[32] = "";
	int r = pmg_mount_proc(&err);

	if (r == -PMG_E_UNSUPPORTED && err.hint[0])
		return 77;
	CHILD_OK(r, err);
	CHILD_CHECK(readlink("/proc/self", self, sizeof self - 1) == 1 && self[0] == '1');
	CHILD_CHECK(access("/proc/2", F_OK) < 0);
	return 0;
}

static int proc(void)
{
	CHILD_CHECK(prepare() == 0);
	CHILD_CHECK(unshare(CLONE_NEWPID) == 0);
	return in_child(mount_proc_as_first, false);
}

/* Each as root and as an ordinary user; in between nothing of it may be left here. */
static void check(int (*action)(void), bool ordinary)
{
	struct pmg_err err = PMG_ERR_INIT;
	pmg_auto(folder) char *top = folder_new();
	pmg_autofd int before = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int r;

	assert_int_equal(chdir(top), 0);
	if (geteuid() == 0 && ordinary)
		assert_int_equal(chown(top, CHILD_USER, CHILD_USER), 0);
	r = in_child(action, ordinary);
	if (r == 77)
		print_message("SKIPPED in part: no fresh /proc here\n");
	else
		assert_int_equal(r, 0);
	assert_int_equal(pmg_mount_is_point(AT_FDCWD, "d/env", &err), 0);
	assert_int_equal(fchdir(before), 0);
}

#define BOTH(name, action)                                                                         \
	static void name(void **state)                                                             \
	{                                                                                          \
		(void)state;                                                                       \
		if (geteuid() == 0)                                                                \
			check(action, false);                                                      \
		check(action, true);                                                               \
	}

BOTH(a_hidden_file_is_EACCES_even_for_root, hide_file)
BOTH(links_and_renames_pass_by_what_is_hidden, move_around_it)
BOTH(a_hidden_folder_is_empty_and_stays_so, hide_folders)
BOTH(a_protected_folder_is_read_only_with_all_below, protect)
BOTH(a_folder_is_replaced_and_part_of_it_put_back, replace)
BOTH(files_and_folders_do_not_mix, a_file_does_not_go_over_a_folder)
BOTH(a_fresh_proc_shows_the_new_processes_alone, proc)

static int can(void)
{
	struct pmg_err err = PMG_ERR_INIT;
	bool own;

	return pmg_ns_enter(CLONE_NEWNS, &own, &err) < 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hidden_file_is_EACCES_even_for_root),
		cmocka_unit_test(links_and_renames_pass_by_what_is_hidden),
		cmocka_unit_test(a_hidden_folder_is_empty_and_stays_so),
		cmocka_unit_test(a_protected_folder_is_read_only_with_all_below),
		cmocka_unit_test(a_folder_is_replaced_and_part_of_it_put_back),
		cmocka_unit_test(files_and_folders_do_not_mix),
		cmocka_unit_test(a_fresh_proc_shows_the_new_processes_alone),
	};

	if (in_child(can, true) != 0)
		return child_skip("no namespaces here");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
