#include "sandbox/walls_priv.h"

#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/mount.h>

#include <cmocka.h>

#include "../helper/walled.h"
#include "kernel/mounts.h"
#include "kernel/ns.h"

struct stage {
	struct walled walled;
	struct pmg_sandbox_want want;
	struct pmg_strv notes;
	bool mixed;
};

/* @param where  folder for the project and all; NULL: the build's */
static int begin(struct stage *stage, const char *where)
{
	struct pmg_err err = PMG_ERR_INIT;
	bool own;

	*stage = (struct stage){ 0 };
	if (where)
		(void)setenv("TMPDIR", where, 1);
	walled_begin(&stage->walled, "/bin/true");
	stage->want = (struct pmg_sandbox_want){ .policy = stage->walled.policy,
						 .program = "/bin/true",
						 .envp = pmg_strv_argv(&stage->walled.env),
						 .cwd = stage->walled.project,
						 .tmp = stage->walled.tmp,
						 .run_dir = stage->walled.run_dir };
	pmg_policy_seal(stage->walled.policy);
	CHILD_OK(pmg_ns_enter(CLONE_NEWNS, &own, &err), err);
	CHILD_OK(pmg_mount_private(&err), err);
	return 0;
}

static int replace(struct stage *stage)
{
	pmg_auto(subtrees) struct pmg_subtrees subtrees = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	pmg_policy_subtrees(stage->walled.policy, &subtrees);
	CHILD_OK(pmg_walls_private(&stage->want, &subtrees, &stage->mixed, &stage->notes, &err),
		 err);
	return 0;
}

/* What the child leaves goes with its mounts; the files of the run's folder are removed. */
static int end(struct stage *stage)
{
	pmg_strv_done(&stage->notes);
	walled_end(&stage->walled);
	return 0;
}

static int make(const char *dir, const char *name)
{
	pmg_autofree char *path = pmg_path_join(dir, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0)
		return errno;
	(void)close(fd);
	return 0;
}

static bool is_there(const char *dir, const char *name)
{
	pmg_autofree char *path = pmg_path_join(dir, name);

	return access(path, F_OK) == 0;
}

static int tmp_is_the_run_s_own(void)
{
	struct stage stage;
	pmg_autofree char *name = pmg_xasprintf("pmg-test-private-%ld", (long)getpid());
	pmg_autofree char *path = pmg_path_join("/tmp", name);

	CHILD_CHECK(make("/tmp", name) == 0);
	CHILD_CHECK(begin(&stage, NULL) == 0);
	CHILD_CHECK(replace(&stage) == 0);
	CHILD_CHECK(!is_there("/tmp", name));
	CHILD_CHECK(make("/tmp", "mine") == 0);
	CHILD_CHECK(is_there("/var/tmp", "mine") && is_there(stage.walled.tmp, "mine"));
	CHILD_CHECK(is_there(stage.walled.project, "open"));
	(void)end(&stage);
	/* Its mount is private to this child, so the file is removed where it is. */
	CHILD_CHECK(umount2("/tmp", MNT_DETACH) == 0 && unlink(path) == 0);
	return 0;
}

static int shared_memory_is_the_run_s_own(void)
{
	struct stage stage;
	pmg_autofree char *name = pmg_xasprintf("pmg-test-private-%ld", (long)getpid());

	CHILD_CHECK(make("/dev/shm", name) == 0);
	CHILD_CHECK(begin(&stage, NULL) == 0);
	CHILD_CHECK(replace(&stage) == 0);
	CHILD_CHECK(!is_there("/dev/shm", name));
	CHILD_CHECK(make("/dev/shm", "mine") == 0);
	CHILD_CHECK(umount2("/dev/shm", MNT_DETACH) == 0);
	CHILD_CHECK(is_there("/dev/shm", name) && !is_there("/dev/shm", "mine"));
	CHILD_CHECK(shm_unlink(name) == 0);
	return end(&stage);
}

static int the_run_s_folder_is_read_only(void)
{
	struct stage stage;

	CHILD_CHECK(begin(&stage, NULL) == 0);
	CHILD_CHECK(make(stage.walled.run_dir, "bundle") == 0);
	CHILD_CHECK(replace(&stage) == 0);
	CHILD_CHECK(is_there(stage.walled.run_dir, "bundle"));
	CHILD_CHECK(make(stage.walled.run_dir, "more") == EROFS);
	return end(&stage);
}

static int a_project_in_tmp_is_bound_back(void)
{
	struct stage stage;

	CHILD_CHECK(begin(&stage, "/tmp") == 0);
	CHILD_CHECK(replace(&stage) == 0);
	CHILD_CHECK(stage.mixed);
	CHILD_CHECK(is_there(stage.walled.project, "open"));
	CHILD_CHECK(make(stage.walled.project, "new") == 0);
	CHILD_CHECK(make("/tmp", "mine") == 0 && is_there("/var/tmp", "mine"));
	return end(&stage);
}

static int tmp_itself_as_project_stays(void)
{
	struct stage stage;

	CHILD_CHECK(begin(&stage, NULL) == 0);
	stage.want.cwd = "/var/tmp";
	CHILD_CHECK(replace(&stage) == 0);
	CHILD_CHECK(stage.notes.n == 1 && strstr(stage.notes.v[0], "/var/tmp"));
	CHILD_CHECK(make("/tmp", "mine") == 0 && !is_there("/var/tmp", "mine"));
	return end(&stage);
}

static int tmpdir_elsewhere_is_replaced(void)
{
	struct stage stage;
	pmg_autofree char *own = NULL;

	CHILD_CHECK(begin(&stage, NULL) == 0);
	own = pmg_path_join(stage.walled.home, "own-tmp");
	CHILD_CHECK(mkdir(own, 0700) == 0 && make(own, "before") == 0);
	pmg_env_set(&stage.walled.env, "TMPDIR", own);
	stage.want.envp = pmg_strv_argv(&stage.walled.env);
	CHILD_CHECK(replace(&stage) == 0);
	CHILD_CHECK(!is_there(own, "before"));
	CHILD_CHECK(make(own, "mine") == 0 && is_there("/tmp", "mine"));
	return end(&stage);
}

CHILD_CASE(tmp_is_private, tmp_is_the_run_s_own)
CHILD_CASE(shared_memory_is_private, shared_memory_is_the_run_s_own)
CHILD_CASE(the_folder_of_the_run_is_read_only, the_run_s_folder_is_read_only)
CHILD_CASE(a_project_below_tmp_is_there, a_project_in_tmp_is_bound_back)
CHILD_CASE(a_project_that_is_tmp_stays_with_a_note, tmp_itself_as_project_stays)
CHILD_CASE(another_tmpdir_is_private_too, tmpdir_elsewhere_is_replaced)

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
		cmocka_unit_test(tmp_is_private),
		cmocka_unit_test(shared_memory_is_private),
		cmocka_unit_test(the_folder_of_the_run_is_read_only),
		cmocka_unit_test(a_project_below_tmp_is_there),
		cmocka_unit_test(a_project_that_is_tmp_stays_with_a_note),
		cmocka_unit_test(another_tmpdir_is_private_too),
	};

	(void)place; /* kept until the end */
	if (in_child(can, true) != 0)
		return child_skip("no namespaces here");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
