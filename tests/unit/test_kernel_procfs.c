#include "kernel/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../helper/folder.h"

static int proc = -1;

static int open_proc(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	proc = pmg_procfs_open(&err);
	return proc < 0 ? -1 : 0;
}

static int close_proc(void **state)
{
	(void)state;
	(void)close(proc);
	return 0;
}

/* A child that waits until it is killed; its name and umask say what they can to mislead. */
static pid_t start_child(const char *name, mode_t mask)
{
	int ready[2];
	pid_t pid;
	char byte;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		(void)prctl(PR_SET_NAME, name, 0, 0, 0);
		(void)umask(mask);
		(void)!write(ready[1], "r", 1);
		for (;;)
			(void)pause();
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	(void)close(ready[0]);
	(void)close(ready[1]);
	return pid;
}

static void end_child(pid_t pid)
{
	(void)kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void a_name_cannot_forge_what_the_kernel_says(void **state)
{
	static const struct {
		const char *name;
		mode_t mask;
	} rows[] = {
		{ "plain", 022 },
		{ ") S 1 1 1 1", 077 },
		{ "a\nTgid:\t1\nU", 027 },
		{ "x\nUmask:\t0000", 0777 },
		{ "", 0 },
		{ "(((", 002 },
	};
	struct pmg_err err = PMG_ERR_INIT;
	struct pmg_procfs_stat st, own;
	size_t i;

	(void)state;
	assert_int_equal(pmg_procfs_stat(proc, getpid(), &own, &err), 0);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pid_t pid = start_child(rows[i].name, rows[i].mask);

		assert_int_equal(pmg_procfs_stat(proc, pid, &st, &err), 0);
		assert_int_equal(st.tgid, pid);
		assert_int_equal(st.ppid, getpid());
		assert_int_equal(st.umask, rows[i].mask);
		assert_string_equal(st.comm, rows[i].name);
		assert_true(st.start >= own.start);
		end_child(pid);
	}
}

static void who_is_gone_is_not_found(void **state)
{
	struct pmg_procfs_stat st = { .tgid = 42 };
	struct pmg_err err = PMG_ERR_INIT;
	char out[64];
	pid_t pid = start_child("x", 0);

	(void)state;
	end_child(pid);
	assert_int_equal(pmg_procfs_stat(proc, pid, &st, &err), -PMG_E_NOTFOUND);
	assert_int_equal(st.tgid, 42);
	assert_int_equal(pmg_procfs_follow(proc, pid, "cwd"), -ENOENT);
	assert_int_equal(pmg_procfs_readlink(proc, pid, "exe", out, sizeof out), -ENOENT);
	assert_int_equal(pmg_procfs_follow(proc, 0, "cwd"), -EINVAL);
	assert_int_equal(pmg_procfs_follow(proc, -1, "cwd"), -EINVAL);
}

static pid_t thread_tid;

static void *be_a_thread(void *arg)
{
	int *fds = arg;
	char byte;

	(void)prctl(PR_SET_NAME, "thread", 0, 0, 0);
	thread_tid = gettid();
	(void)!write(fds[1], "r", 1);
	(void)!read(fds[2], &byte, 1);
	return NULL;
}

static void a_thread_is_told_with_its_process(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;
	struct pmg_procfs_stat st, own;
	int up[2], down[2], fds[3];
	pthread_t thread;
	char byte;

	(void)state;
	assert_int_equal(pipe(up), 0);
	assert_int_equal(pipe(down), 0);
	fds[1] = up[1];
	fds[2] = down[0];
	assert_int_equal(pthread_create(&thread, NULL, be_a_thread, fds), 0);
	assert_int_equal(read(up[0], &byte, 1), 1);
	assert_int_equal(pmg_procfs_stat(proc, getpid(), &own, &err), 0);
	assert_int_equal(pmg_procfs_stat(proc, thread_tid, &st, &err), 0);
	assert_int_not_equal(thread_tid, getpid());
	assert_int_equal(st.tgid, getpid());
	assert_true(st.start == own.start);
	assert_string_equal(st.comm, own.comm);
	assert_int_equal(write(down[1], "g", 1), 1);
	assert_int_equal(pthread_join(thread, NULL), 0);
	(void)close(up[0]);
	(void)close(up[1]);
	(void)close(down[0]);
	(void)close(down[1]);
}

static bool is_same(int fd, const char *path)
{
	struct stat a, b;

	return fstat(fd, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

static void links_of_a_process_are_followed_to_objects(void **state)
{
	pmg_auto(folder) char *top = folder_new();
	pmg_autofree char *path = pmg_path_join(top, "file");
	pmg_autofd int file = -1;
	pmg_autofd int cwd = pmg_procfs_follow(proc, getpid(), "cwd");
	pmg_autofd int root = pmg_procfs_follow(proc, getpid(), "root");
	pmg_autofd int same = -1;
	char name[32], out[4096];

	(void)state;
	folder_write(top, "file", "x", 1);
	file = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(is_same(cwd, "."));
	assert_true(is_same(root, "/"));
	(void)snprintf(name, sizeof name, "fd/%d", file);
	same = pmg_procfs_follow(proc, getpid(), name);
	assert_true(is_same(same, path));
	assert_int_equal(fcntl(same, F_GETFD), FD_CLOEXEC);
	assert_int_equal(pmg_procfs_readlink(proc, getpid(), name, out, sizeof out), strlen(path));
	assert_string_equal(out, path);
	assert_int_equal(pmg_procfs_fd_path(proc, same, out, sizeof out), strlen(path));
	assert_string_equal(out, path);
	/* There is room for the text, and not for its end: not a text that is cut. */
	assert_int_equal(pmg_procfs_fd_path(proc, same, out, strlen(path)), -ENAMETOOLONG);
	assert_int_equal(pmg_procfs_fd_path(proc, same, out, strlen(path) + 1), strlen(path));
	assert_int_equal(pmg_procfs_fd_path(proc, 1 << 20, out, sizeof out), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_cannot_forge_what_the_kernel_says),
		cmocka_unit_test(who_is_gone_is_not_found),
		cmocka_unit_test(a_thread_is_told_with_its_process),
		cmocka_unit_test(links_of_a_process_are_followed_to_objects),
	};

	return cmocka_run_group_tests(tests, open_proc, close_proc);
}
