#include "sandbox/walls_priv.h"

#include <errno.h>
#include <linux/fs.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "../helper/walled.h"
#include "kernel/mounts.h"
#include "kernel/ns.h"

#define REPLACED 500 /* times */

/* A folder that takes names in any case: few file systems have one, so the kernel's word is played.
 */
static ino_t folding;
int __real_ioctl(int fd, unsigned long what, void *arg);
int __wrap_ioctl(int fd, unsigned long what, void *arg);
int __wrap_ioctl(int fd, unsigned long what, void *arg)
{
	struct stat st;

	if (what != FS_IOC_GETFLAGS)
		return __real_ioctl(fd, what, arg);
	*(int *)arg = fstat(fd, &st) == 0 && st.st_ino == folding ? FS_CASEFOLD_FL : 0;
	return 0;
}

/* In a mount namespace of a child's own. */

struct stage {
	struct walled walled;
	struct pmg_masks *masks;
	struct pmg_strv notes;
};

static int begin(struct stage *stage)
{
	struct pmg_err err = PMG_ERR_INIT;
	bool own;

	*stage = (struct stage){ 0 };
	walled_begin(&stage->walled, "/bin/true");
	pmg_strv_add(&stage->walled.policy->dependency_names, "deps");
	CHILD_OK(pmg_ns_enter(CLONE_NEWNS, &own, &err), err);
	CHILD_OK(pmg_mount_private(&err), err);
	return 0;
}

static int make(struct stage *stage)
{
	struct pmg_err err = PMG_ERR_INIT;

	pmg_policy_seal(stage->walled.policy);
	CHILD_OK(pmg_masks_make(stage->walled.policy, &stage->masks, &stage->notes, &err), err);
	return 0;
}

static int end(struct stage *stage)
{
	pmg_masks_free(stage->masks);
	pmg_strv_done(&stage->notes);
	walled_end(&stage->walled);
	return 0;
}

/* @return 0 or errno */
static int reads(const struct stage *stage, const char *name)
{
	pmg_autofree char *path = pmg_path_join(stage->walled.project, name);
	char byte;
	int fd = open(path, O_RDONLY | O_CLOEXEC), r = 0;

	if (fd < 0)
		return errno;
	if (read(fd, &byte, 1) < 0)
		r = errno;
	(void)close(fd);
	return r;
}

static void file(const struct stage *stage, const char *name)
{
	folder_write(stage->walled.project, name, "secret", 6);
}

static int denied_files_are_hidden(void)
{
	struct stage stage;

	CHILD_CHECK(begin(&stage) == 0);
	file(&stage, "a/b/c/.env");
	file(&stage, "a/b/c/env");
	CHILD_CHECK(reads(&stage, ".env") == 0 && reads(&stage, "a/b/c/.env") == 0);
	CHILD_CHECK(make(&stage) == 0);
	CHILD_CHECK(reads(&stage, ".env") == EACCES && reads(&stage, "a/b/c/.env") == EACCES);
	CHILD_CHECK(reads(&stage, "open") == 0 && reads(&stage, "a/b/c/env") == 0);
	CHILD_CHECK(stage.notes.n == 0);
	return end(&stage);
}

static int a_folder_that_knows_no_case_is_no_project(void)
{
	struct stage stage;
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *path = NULL;
	struct stat st;

	CHILD_CHECK(begin(&stage) == 0);
	file(&stage, "a/b/x");
	path = pmg_path_join(stage.walled.project, "a/b");
	CHILD_CHECK(stat(path, &st) == 0);
	folding = st.st_ino;
	pmg_policy_seal(stage.walled.policy);
	CHILD_CHECK(pmg_masks_make(stage.walled.policy, &stage.masks, &stage.notes, &err) ==
		    -PMG_E_UNSUPPORTED);
	CHILD_CHECK(strstr(err.msg, path) && err.hint[0]);
	return end(&stage);
}

static int what_the_manager_reads_is_known_by_its_number(void)
{
	struct stage stage;
	struct stat st, other;
	pmg_autofree char *path = NULL, *plain = NULL;
	struct pmg_policy_rule rule = { .access = PMG_ACCESS_READ,
					.rank = PMG_RANK_MANDATORY_DENY,
					.roles = PMG_ROLE_SCRIPT,
					.source = (char[]){ "test" } };
	struct pmg_err err = PMG_ERR_INIT;

	CHILD_CHECK(begin(&stage) == 0);
	file(&stage, "npmrc");
	file(&stage, "other");
	path = pmg_path_join(stage.walled.project, "npmrc");
	plain = pmg_path_join(stage.walled.project, "other");
	rule.text = path;
	CHILD_OK(pmg_policy_add(stage.walled.policy, &rule, &err), err);
	CHILD_CHECK(make(&stage) == 0 && stat(path, &st) == 0 && stat(plain, &other) == 0);
	CHILD_CHECK(reads(&stage, "npmrc") == 0);
	CHILD_CHECK(pmg_inodes_has(pmg_masks_script_inodes(stage.masks), st.st_dev, st.st_ino));
	CHILD_CHECK(!pmg_inodes_has(pmg_masks_inodes(stage.masks), st.st_dev, st.st_ino));
	CHILD_CHECK(
		!pmg_inodes_has(pmg_masks_script_inodes(stage.masks), other.st_dev, other.st_ino));
	return end(&stage);
}

/* Below a folder that a manager removes and makes again there must be no mount. */
static int dependency_folders_are_left_alone(void)
{
	struct stage stage;
	pmg_autofree char *path = NULL, *folder = NULL;

	CHILD_CHECK(begin(&stage) == 0);
	file(&stage, "deps/x/.env");
	CHILD_CHECK(make(&stage) == 0);
	path = pmg_path_join(stage.walled.project, "deps/x/.env");
	folder = pmg_path_join(stage.walled.project, "deps/x");
	CHILD_CHECK(unlink(path) == 0 && rmdir(folder) == 0);
	return end(&stage);
}

static int denied_folders_are_empty(void)
{
	struct stage stage;

	CHILD_CHECK(begin(&stage) == 0);
	file(&stage, "keys/deep/er/key");
	walled_allow_below(&stage.walled, PMG_ACCESS_READ, PMG_RANK_MANDATORY_DENY,
			   stage.walled.project, "keys/**");
	CHILD_CHECK(reads(&stage, "keys/deep/er/key") == 0);
	CHILD_CHECK(make(&stage) == 0);
	/* We have the rights to look into a folder that nobody may. */
	CHILD_CHECK(reads(&stage, "keys/deep/er/key") == ENOENT);
	return end(&stage);
}

static int numbers_are_remembered(void)
{
	struct stage stage;
	pmg_autofree char *secret = NULL, *deep = NULL, *open_file = NULL;
	struct stat st, deep_st, open_st;

	CHILD_CHECK(begin(&stage) == 0);
	file(&stage, "keys/deep/er/key");
	walled_allow_below(&stage.walled, PMG_ACCESS_READ, PMG_RANK_MANDATORY_DENY,
			   stage.walled.project, "keys/**");
	secret = pmg_path_join(stage.walled.project, ".env");
	deep = pmg_path_join(stage.walled.project, "keys/deep/er/key");
	open_file = pmg_path_join(stage.walled.project, "open");
	CHILD_CHECK(stat(secret, &st) == 0 && stat(deep, &deep_st) == 0 &&
		    stat(open_file, &open_st) == 0);
	CHILD_CHECK(make(&stage) == 0);
	CHILD_CHECK(pmg_inodes_has(pmg_masks_inodes(stage.masks), st.st_dev, st.st_ino));
	CHILD_CHECK(pmg_inodes_has(pmg_masks_inodes(stage.masks), deep_st.st_dev, deep_st.st_ino));
	CHILD_CHECK(!pmg_inodes_has(pmg_masks_inodes(stage.masks), open_st.st_dev, open_st.st_ino));
	return end(&stage);
}

/* Somebody outside writes the file anew, by rename: there the mask vanishes with the old file. */
static int what_lost_its_mask_gets_it_again(void)
{
	struct stage stage;
	struct pmg_err err = PMG_ERR_INIT;
	int go[2], status;
	pid_t outside;
	char byte;

	CHILD_CHECK(pipe2(go, O_CLOEXEC) == 0);
	walled_begin(&stage.walled, "/bin/true");
	stage.masks = NULL;
	stage.notes = (struct pmg_strv){ 0 };
	outside = fork();
	if (outside == 0) {
		(void)!read(go[0], &byte, 1);
		folder_write(stage.walled.project, ".env", "secret", 6);
		_exit(0);
	}
	CHILD_OK(pmg_ns_enter(CLONE_NEWNS, &(bool){ false }, &err), err);
	CHILD_OK(pmg_mount_private(&err), err);
	CHILD_CHECK(make(&stage) == 0);
	CHILD_CHECK(reads(&stage, ".env") == EACCES);
	CHILD_CHECK(write(go[1], "", 1) == 1 && waitpid(outside, &status, 0) == outside &&
		    status == 0);
	CHILD_CHECK(reads(&stage, ".env") == 0);
	CHILD_OK(pmg_masks_renew(stage.masks, &err), err);
	CHILD_CHECK(reads(&stage, ".env") == EACCES);
	CHILD_OK(pmg_masks_renew(stage.masks, &err), err);
	CHILD_CHECK(reads(&stage, "open") == 0);
	return end(&stage);
}

/* An editor that saves, useradd at /etc/shadow: at any moment, and it must end nothing. */
static int a_file_is_replaced_all_the_time(void)
{
	struct stage stage;
	struct pmg_err err = PMG_ERR_INIT;
	pid_t outside;
	int i, status;

	walled_begin(&stage.walled, "/bin/true");
	stage.masks = NULL;
	stage.notes = (struct pmg_strv){ 0 };
	outside = fork();
	if (outside == 0) {
		pmg_autofree char *new = pmg_path_join(stage.walled.project, "new");
		pmg_autofree char *env = pmg_path_join(stage.walled.project, ".env");

		for (i = 0; i < REPLACED; i++) {
			folder_write(stage.walled.project, "new", "secret", 6);
			if (rename(new, env) < 0)
				_exit(1);
		}
		_exit(0);
	}
	CHILD_OK(pmg_ns_enter(CLONE_NEWNS, &(bool){ false }, &err), err);
	CHILD_OK(pmg_mount_private(&err), err);
	CHILD_CHECK(make(&stage) == 0);
	while (waitpid(outside, &status, WNOHANG) == 0)
		CHILD_OK(pmg_masks_renew(stage.masks, &err), err);
	CHILD_CHECK(status == 0);
	CHILD_OK(pmg_masks_renew(stage.masks, &err), err);
	CHILD_CHECK(reads(&stage, ".env") == EACCES);
	return end(&stage);
}

/* While a run goes on its programs may put links where folders were. */
static int no_link_is_followed(void)
{
	struct stage stage;
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *old = NULL, *moved = NULL, *other = NULL;

	CHILD_CHECK(begin(&stage) == 0);
	file(&stage, "sub/.env");
	file(&stage, "deps/other/.env");
	CHILD_CHECK(make(&stage) == 0);
	old = pmg_path_join(stage.walled.project, "sub");
	moved = pmg_path_join(stage.walled.project, "moved");
	other = pmg_path_join(stage.walled.project, "deps/other");
	CHILD_CHECK(rename(old, moved) == 0 && symlink(other, old) == 0);
	CHILD_OK(pmg_masks_renew(stage.masks, &err), err);
	CHILD_CHECK(reads(&stage, "deps/other/.env") == 0);
	CHILD_CHECK(reads(&stage, "moved/.env") == EACCES);
	return end(&stage);
}

static int one_more_can_be_hidden(void)
{
	struct stage stage;
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *path = NULL;

	CHILD_CHECK(begin(&stage) == 0);
	CHILD_CHECK(make(&stage) == 0);
	path = pmg_path_join(stage.walled.project, "open");
	CHILD_OK(pmg_masks_hide(stage.masks, path, &err), err);
	CHILD_CHECK(reads(&stage, "open") == EACCES);
	return end(&stage);
}

static int the_search_is_bounded_and_says_so(void)
{
	struct stage stage;
	int i;

	CHILD_CHECK(begin(&stage) == 0);
	for (i = 0; i < 20100; i++) {
		pmg_autofree char *name = pmg_xasprintf("%s/many-%d", stage.walled.project, i);

		if (i % 1000 == 0 && i > 0)
			file(&stage, "z/z/.env");
		CHILD_CHECK(mkdir(name, 0700) == 0);
	}
	CHILD_CHECK(make(&stage) == 0);
	CHILD_CHECK(stage.notes.n == 1);
	return end(&stage);
}

CHILD_CASE(a_denied_file_is_hidden_however_deep, denied_files_are_hidden)
CHILD_CASE(a_dependency_folder_holds_no_mount, dependency_folders_are_left_alone)
CHILD_CASE(a_denied_folder_is_empty, denied_folders_are_empty)
CHILD_CASE(denied_files_are_known_by_number, numbers_are_remembered)
CHILD_CASE(a_mask_that_vanished_is_put_back, what_lost_its_mask_gets_it_again)
CHILD_CASE(a_file_that_is_replaced_meanwhile_ends_nothing, a_file_is_replaced_all_the_time)
CHILD_CASE(a_link_leads_no_mask_astray, no_link_is_followed)
CHILD_CASE(one_more_file_can_be_hidden, one_more_can_be_hidden)
CHILD_CASE(a_folder_without_case_ends_the_run, a_folder_that_knows_no_case_is_no_project)
CHILD_CASE(what_only_scripts_may_not_read_is_known, what_the_manager_reads_is_known_by_its_number)
CHILD_CASE(many_files_end_the_search_with_a_note, the_search_is_bounded_and_says_so)

static int can(void)
{
	struct pmg_err err = PMG_ERR_INIT;
	bool own;

	return pmg_ns_enter(CLONE_NEWNS, &own, &err) < 0;
}

int main(void)
{
	char self[PATH_MAX];
	pmg_auto(folder) char *place = walled_place(self);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_denied_file_is_hidden_however_deep),
		cmocka_unit_test(a_dependency_folder_holds_no_mount),
		cmocka_unit_test(a_denied_folder_is_empty),
		cmocka_unit_test(denied_files_are_known_by_number),
		cmocka_unit_test(a_mask_that_vanished_is_put_back),
		cmocka_unit_test(a_file_that_is_replaced_meanwhile_ends_nothing),
		cmocka_unit_test(a_link_leads_no_mask_astray),
		cmocka_unit_test(one_more_file_can_be_hidden),
		cmocka_unit_test(a_folder_without_case_ends_the_run),
		cmocka_unit_test(what_only_scripts_may_not_read_is_known),
		cmocka_unit_test(many_files_end_the_search_with_a_note),
	};

	(void)place; /* kept until the end */
	if (in_child(can, true) != 0)
		return child_skip("no namespaces here");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
