/* Calls that change the tree: act_tree.c and act_move.c. */
#include "sandbox/broker_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/helper/conform.h"
#include "tests/helper/folder.h"

#define CALL(call_, ...)                                                                           \
	{                                                                                          \
		.call = SYS_##call_, .args = { __VA_ARGS__ }                                       \
	}
#define KEEP(n, path, flags)                                                                       \
	{                                                                                          \
		.call = SYS_open, .args = { T(path), N(flags), N(0600) }, .keep = (n)              \
	}
#define HERE N(AT_FDCWD)

static const struct conform_row tree[] = {
	KEEP(1, "d", O_RDONLY | O_DIRECTORY),
	KEEP(2, "f", O_RDONLY),
	CALL(mkdir, T("a"), N(0777)),
	CALL(mkdir, T("a"), N(0777)),
	CALL(mkdir, T("a/"), N(0777)),
	CALL(mkdir, T("b/"), N(02755)),
	CALL(mkdir, T("s"), N(01700)),
	CALL(mkdir, T("."), N(0777)),
	CALL(mkdir, T(".."), N(0777)),
	CALL(mkdir, T("/"), N(0777)),
	CALL(mkdir, T(""), N(0777)),
	CALL(mkdir, T("f"), N(0777)),
	CALL(mkdir, T("f/x"), N(0777)),
	CALL(mkdir, T("missing/x"), N(0777)),
	CALL(mkdir, T("dangling"), N(0777)),
	CALL(mkdir, T("dangling/"), N(0777)),
	CALL(mkdir, T("to-d/k"), N(0777)),
	CALL(mkdir, T("loop/x"), N(0777)),
	CALL(mkdir, T("shut/x"), N(0777)),
	CALL(mkdir, T("me/cwd/by-me"), N(0777)),
	CALL(mkdir, N(8), N(0777)),
	CALL(mkdirat, KEPT(1), T("in-d"), N(0700)),
	CALL(mkdirat, KEPT(2), T("in-f"), N(0700)),
	CALL(mkdirat, N(-7), T("x"), N(0700)),
	CALL(mkdirat, HERE, T("@/abs"), N(0700)),
	CALL(mknod, T("node"), N(S_IFREG | 0666), N(0)),
	CALL(mknod, T("node0"), N(0666), N(0)),
	CALL(mknod, T("pipe"), N(S_IFIFO | 0666), N(0)),
	CALL(mknod, T("sock"), N(S_IFSOCK | 0666), N(0)),
	CALL(mknod, T("dir"), N(S_IFDIR | 0666), N(0)),
	CALL(mknod, T("odd"), N(0170000 | 0666), N(0)),
	CALL(mknodat, KEPT(1), T("pipe"), N(S_IFIFO | 0666), N(0)),
	CALL(symlink, T("anywhere"), T("l1")),
	CALL(symlink, T(""), T("l2")),
	CALL(symlink, T("x"), T("")),
	CALL(symlink, T("x"), T("l1")),
	CALL(symlink, T("x"), T("l3/")),
	CALL(symlink, T("x"), T("d/.")),
	CALL(symlink, N(8), T("l4")),
	CALL(symlinkat, T("../f"), KEPT(1), T("l5")),
	CALL(unlink, T("l1")),
	CALL(unlink, T("l1")),
	CALL(unlink, T("d")),
	CALL(unlink, T("d/")),
	CALL(unlink, T("f/")),
	CALL(unlink, T("to-d/")),
	CALL(unlink, T(".")),
	CALL(unlink, T("..")),
	CALL(unlink, T("/")),
	CALL(unlink, T("")),
	CALL(unlink, T("missing/x")),
	CALL(unlink, T("to-d/g")),
	CALL(unlink, T("dangling")),
	CALL(unlink, T("shut/in")),
	CALL(unlink, T("ro")),
	CALL(unlinkat, KEPT(1), T("in-d"), N(0)),
	CALL(unlinkat, KEPT(1), T("in-d"), N(AT_REMOVEDIR)),
	CALL(unlinkat, KEPT(1), T("in-d"), N(AT_REMOVEDIR)),
	CALL(unlinkat, HERE, T("twin"), N(0x1)),
	CALL(rmdir, T("a")),
	CALL(rmdir, T("b/")),
	CALL(rmdir, T("full")),
	CALL(rmdir, T("f")),
	CALL(rmdir, T(".")),
	CALL(rmdir, T("d/.")),
	CALL(rmdir, T("d/..")),
	CALL(rmdir, T("/")),
	CALL(rmdir, T("to-d")),
	CALL(rmdir, T("to-d/")),
	CALL(rmdir, T("missing")),
};

static const struct conform_row moves[] = {
	KEEP(1, "d", O_RDONLY | O_DIRECTORY),
	KEEP(2, "f", O_RDONLY),
	KEEP(3, ".", O_TMPFILE | O_RDWR),
	KEEP(4, "f", O_PATH),
	CALL(rename, T("f"), T("f2")),
	CALL(rename, T("f"), T("f2")),
	CALL(rename, T("f2"), T("f")),
	CALL(rename, T("f"), T("twin")),
	CALL(rename, T("f"), T("d")),
	CALL(rename, T("d"), T("f")),
	CALL(rename, T("d"), T("d/e/x")),
	CALL(rename, T("d"), T("full")),
	CALL(rename, T("d/e"), T("d")),
	CALL(rename, T("d/"), T("d2/")),
	CALL(rename, T("d2"), T("d")),
	CALL(rename, T("f/"), T("x")),
	CALL(rename, T("f"), T("x/")),
	CALL(rename, T("."), T("x")),
	CALL(rename, T("f"), T("..")),
	CALL(rename, T("/"), T("x")),
	CALL(rename, T(""), T("x")),
	CALL(rename, T("f"), T("")),
	CALL(rename, T("missing"), T("x")),
	CALL(rename, T("f"), T("missing/x")),
	CALL(rename, T("to-f"), T("to-f2")),
	CALL(rename, T("to-d/"), T("to-d2")),
	CALL(rename, T("dangling"), T("dangling2")),
	CALL(rename, T("shut"), T("shut2")),
	CALL(rename, T("shut2"), T("shut")),
	CALL(rename, T("shut/in"), T("in")),
	CALL(renameat, KEPT(1), T("g"), HERE, T("g")),
	CALL(renameat, HERE, T("@/g"), KEPT(1), T("g")),
	CALL(renameat2, HERE, T("f"), HERE, T("d/g"), N(RENAME_NOREPLACE)),
	CALL(renameat2, HERE, T("f"), HERE, T("new"), N(RENAME_NOREPLACE)),
	CALL(renameat2, HERE, T("new"), HERE, T("d/g"), N(RENAME_EXCHANGE)),
	CALL(renameat2, HERE, T("new"), HERE, T("d"), N(RENAME_EXCHANGE)),
	CALL(renameat2, HERE, T("new"), HERE, T("d"), N(RENAME_EXCHANGE)),
	CALL(renameat2, HERE, T("new"), HERE, T("missing"), N(RENAME_EXCHANGE)),
	CALL(renameat2, HERE, T("d"), HERE, T("d/e"), N(RENAME_EXCHANGE)),
	CALL(renameat2, HERE, T("new"), HERE, T("f"), N(RENAME_EXCHANGE | RENAME_NOREPLACE)),
	CALL(renameat2, HERE, T("new"), HERE, T("f"), N(0x100)),
	CALL(renameat2, HERE, T("new"), HERE, T("f"), N(0)),
	CALL(link, T("f"), T("hard")),
	CALL(link, T("f"), T("hard")),
	CALL(link, T("d"), T("hard-d")),
	CALL(link, T("to-f"), T("hard-l")),
	CALL(link, T("to-f2"), T("hard-l")),
	CALL(link, T("missing"), T("x")),
	CALL(link, T("f"), T("missing/x")),
	CALL(link, T("f"), T(".")),
	CALL(link, T("f"), T("x/")),
	CALL(link, T("f/"), T("x")),
	CALL(link, T(""), T("x")),
	CALL(linkat, HERE, T("to-f2"), HERE, T("hard-f"), N(AT_SYMLINK_FOLLOW)),
	CALL(linkat, KEPT(1), T("g"), HERE, T("hard-g"), N(0)),
	CALL(linkat, HERE, T("f"), HERE, T("x"), N(0x1)),
	CALL(linkat, HERE, T("/proc/self/fd/%3"), HERE, T("named"), N(AT_SYMLINK_FOLLOW)),
	CALL(linkat, HERE, T("/proc/self/fd/%4"), HERE, T("by-path"), N(AT_SYMLINK_FOLLOW)),
	CALL(linkat, HERE, T("/proc/self/fd/%2"), HERE, T("other-device"), N(0)),
};

static void the_tree_changes_as_if_bare(void **state)
{
	(void)state;
	assert_int_equal(conform_run("tree", tree, PMG_ARRAY_LEN(tree)), 0);
	assert_int_equal(conform_run_as_user("tree, user", tree, PMG_ARRAY_LEN(tree)), 0);
}

static void moves_are_as_if_bare(void **state)
{
	(void)state;
	assert_int_equal(conform_run("moves", moves, PMG_ARRAY_LEN(moves)), 0);
	assert_int_equal(conform_run_as_user("moves, user", moves, PMG_ARRAY_LEN(moves)), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_tree_changes_as_if_bare),
		cmocka_unit_test(moves_are_as_if_bare),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
