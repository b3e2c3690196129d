#include "run/remove.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/path.h"
#include "base/str.h"
#include "tests/helper/folder.h"

#define DEEP 5000

/* In the folder. The rights of root would open every other one: what is to be shown is shown as
 * somebody else. */
static void as_nobody(const char *dir, void (*body)(void))
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		if (chdir(dir) < 0)
			_exit(2);
		if (geteuid() == 0 &&
		    (chown(".", 65534, 65534) < 0 || setgid(65534) < 0 || setuid(65534) < 0))
			_exit(2);
		body();
		_exit(0);
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void must(int r)
{
	if (r < 0)
		_exit(3);
}

static void make_hostile(void)
{
	int i;

	must(mkdir("closed", 0700));
	must(mkdir("closed/below", 0700));
	must(mknod("closed/below/file", S_IFREG | 0400, 0));
	must(chmod("closed/below", 0));
	must(chmod("closed", 0));
	must(mkdir("read-only", 0700));
	must(mknod("read-only/file", S_IFREG, 0));
	must(chmod("read-only", 0500));
	must(symlink("../outside", "link"));
	must(symlink("/nowhere", "dangling"));
	must(mkfifo("fifo", 0600));
	for (i = 0; i < DEEP; i++) {
		must(mkdir("d", 0700));
		must(chdir("d"));
	}
	must(mknod("file", S_IFREG | 0600, 0));
}

static void remove_all(void)
{
	int fd = open(".", O_RDONLY | O_DIRECTORY);

	must(fd);
	pmg_remove_below(fd);
}

static void whatever_install_code_has_made_goes_and_nothing_else(void **state)
{
	pmg_auto(folder) char *root = folder_new();
	pmg_autofree char *dir = pmg_path_join(root, "hostile");
	pmg_autofree char *kept = pmg_path_join(root, "outside/kept");

	(void)state;
	assert_int_equal(chmod(root, 0755), 0);
	folder_write(root, "outside/kept", "x", 1);
	assert_int_equal(mkdir(dir, 0700), 0);
	as_nobody(dir, make_hostile);
	assert_int_not_equal(rmdir(dir), 0);
	as_nobody(dir, remove_all);
	assert_int_equal(rmdir(dir), 0); /* it is empty */
	assert_int_equal(access(kept, F_OK), 0);
}

static void many_files_go(void **state)
{
	pmg_auto(folder) char *root = folder_new();
	int i, fd = open(root, O_RDONLY | O_DIRECTORY);

	(void)state;
	for (i = 0; i < 3000; i++) {
		pmg_autofree char *name = pmg_xasprintf("f%d", i);

		assert_int_equal(mknodat(fd, name, S_IFREG | 0600, 0), 0);
	}
	pmg_remove_below(fd);
	assert_int_equal(close(fd), 0);
	assert_int_equal(rmdir(root), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whatever_install_code_has_made_goes_and_nothing_else),
		cmocka_unit_test(many_files_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
