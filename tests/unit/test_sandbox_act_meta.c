#include "sandbox/broker_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

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
#define HERE  N(AT_FDCWD)
#define P(p)  N(&(p))
#define SELF  N(-1)
#define OLD   100000000
#define OTHER 200000000

static struct utimbuf whole = { OLD, OLD };
static struct timeval micro[2] = { { OLD, 1 }, { OTHER, 2 } };
static struct timeval wrong[2] = { { OLD, 1000000 }, { OTHER, 2 } };
static struct timespec nano[2] = { { OLD, 1 }, { OTHER + 1, 2 } };
static struct timespec omit[2] = { { 0, UTIME_OMIT }, { OTHER + 2, 2 } };
static struct timespec bad[2] = { { 0, -5 }, { 0, 0 } };

static const struct conform_row rows[] = {
	KEEP(1, "d", O_RDONLY | O_DIRECTORY),
	KEEP(2, "f", O_RDONLY),
	KEEP(3, "f", O_PATH),
	CALL(chmod, T("f"), N(0640)),
	CALL(chmod, T("f"), N(01755)),
	CALL(chmod, T("d"), N(02755)),
	CALL(chmod, T("d"), N(01777)),
	CALL(chmod, T("d/"), N(0755)),
	CALL(chmod, T("to-f"), N(0600)),
	CALL(chmod, T("f/"), N(0600)),
	CALL(chmod, T("missing"), N(0600)),
	CALL(chmod, T("dangling"), N(0600)),
	CALL(chmod, T("none"), N(0444)),
	CALL(chmod, T("fifo"), N(0644)),
	CALL(chmod, T(""), N(0644)),
	CALL(chmod, N(8), N(0644)),
	CALL(fchmod, KEPT(2), N(0604)),
	CALL(fchmod, KEPT(3), N(0644)),
	CALL(fchmod, N(-1), N(0644)),
	CALL(fchmod, N(222), N(0644)),
	CALL(fchmodat, KEPT(1), T("g"), N(0606)),
	CALL(fchmodat, HERE, T("/proc/self/fd/%3"), N(0640)),
	CALL(chown, T("f"), SELF, SELF),
	CALL(chown, T("f"), N(3), N(4)),
	CALL(chown, T("to-f"), N(5), SELF),
	CALL(lchown, T("to-f"), N(6), N(6)),
	CALL(lchown, T("f"), SELF, N(7)),
	CALL(fchown, KEPT(2), SELF, N(8)),
	CALL(fchown, KEPT(3), SELF, N(8)),
	CALL(fchownat, KEPT(1), T("g"), SELF, N(9), N(0)),
	CALL(fchownat, HERE, T("to-d"), SELF, N(9), N(AT_SYMLINK_NOFOLLOW)),
	CALL(fchownat, KEPT(3), T(""), SELF, N(10), N(AT_EMPTY_PATH)),
	CALL(fchownat, HERE, T("f"), SELF, SELF, N(1)),
	CALL(chown, T("missing"), SELF, SELF),
	CALL(utime, T("f"), P(whole)),
	CALL(utime, T("missing"), P(whole)),
	CALL(utime, T("f"), N(8)),
	CALL(utimes, T("d/g"), P(micro)),
	CALL(utimes, T("d/g"), P(wrong)),
	CALL(utimes, N(0), P(micro)),
	CALL(futimesat, KEPT(1), T("g"), P(micro)),
	CALL(futimesat, KEPT(2), N(0), P(micro)),
	CALL(utimensat, HERE, T("to-f"), P(nano), N(AT_SYMLINK_NOFOLLOW)),
	CALL(utimensat, HERE, T("to-f"), P(nano), N(0)),
	CALL(utimensat, KEPT(2), N(0), P(omit), N(0)),
	CALL(utimensat, KEPT(3), N(0), P(omit), N(0)),
	CALL(utimensat, KEPT(3), T(""), P(omit), N(AT_EMPTY_PATH)),
	CALL(utimensat, HERE, N(0), P(omit), N(0)),
	CALL(utimensat, HERE, T("f"), P(bad), N(0)),
	CALL(utimensat, HERE, T("f"), P(nano), N(1)),
	CALL(utimensat, HERE, T("shut"), P(nano), N(0)),
	CALL(utimensat, HERE, T("ro"), P(nano), N(0)),
	CALL(setxattr, T("f"), T("user.pmg"), T("value"), N(5), N(0)),
	CALL(setxattr, T("f"), T("user.pmg"), T("value"), N(5), N(1)),
	CALL(setxattr, T("f"), T("user.none"), T("value"), N(5), N(2)),
	CALL(setxattr, T("f"), T("user.pmg"), N(0), N(0), N(0)),
	CALL(setxattr, T("f"), T("nothing"), T("value"), N(5), N(0)),
	CALL(setxattr, T("f"), T(""), T("value"), N(5), N(0)),
	CALL(setxattr, T("f"), T("user.big"), T("value"), N(65537), N(0)),
	CALL(setxattr, T("missing"), T("user.pmg"), T("value"), N(5), N(0)),
	CALL(lsetxattr, T("to-f"), T("user.pmg"), T("value"), N(5), N(0)),
	CALL(fsetxattr, KEPT(2), T("user.two"), T("value"), N(5), N(0)),
	CALL(fsetxattr, KEPT(3), T("user.two"), T("value"), N(5), N(0)),
	CALL(removexattr, T("f"), T("user.pmg")),
	CALL(removexattr, T("f"), T("user.pmg")),
	CALL(lremovexattr, T("f"), T("user.two")),
	CALL(fremovexattr, KEPT(2), T("user.two")),
	CALL(umask, N(0077)),
	CALL(umask, N(0002)),
	CALL(mkdir, T("after"), N(0777)),
	CALL(umask, N(0777)),
	CALL(mkdir, T("shut-after"), N(0777)),
};

static void metadata_changes_as_if_bare(void **state)
{
	(void)state;
	assert_int_equal(conform_run("meta", rows, PMG_ARRAY_LEN(rows)), 0);
	assert_int_equal(conform_run_as_user("meta, user", rows, PMG_ARRAY_LEN(rows)), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(metadata_changes_as_if_bare),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
