#include "sandbox/broker_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/helper/conform.h"
#include "tests/helper/folder.h"

#define LONG_NAME                                                                                  \
	"0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567" \
	"0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567" \
	"0123456789012345678901234567890123456789012345678901234567890123456789012345678"
#define OPEN(path, flags, mode)                                                                    \
	{                                                                                          \
		.call = SYS_open, .args = { T(path), N(flags), N(mode) }, .gives_fd = true         \
	}
#define OPENAT(dir, path, flags, mode)                                                             \
	{                                                                                          \
		.call = SYS_openat, .args = { dir, T(path), N(flags), N(mode) }, .gives_fd = true  \
	}
#define KEEP(n, path, flags)                                                                       \
	{                                                                                          \
		.call = SYS_open, .args = { T(path), N(flags), N(0600) }, .keep = (n)              \
	}

static const struct conform_row rows[] = {
	OPEN("f", O_RDONLY, 0),
	OPEN("f", O_RDONLY | O_CLOEXEC, 0),
	OPEN("f", O_RDWR | O_APPEND, 0),
	OPEN("f", O_WRONLY | O_NONBLOCK | O_SYNC, 0),
	OPEN("f", O_RDONLY | O_NOATIME, 0),
	OPEN("f", O_RDONLY | O_DIRECTORY, 0),
	OPEN("f", O_RDONLY | O_NOFOLLOW, 0),
	OPEN("f", O_PATH, 0),
	OPEN("f", O_ACCMODE, 0),
	OPEN("f/", O_RDONLY, 0),
	OPEN("f/x", O_RDONLY, 0),
	OPEN("@/f", O_RDONLY, 0),
	OPEN("@//d/.././f", O_RDONLY, 0),
	OPEN("./d/../f", O_RDWR, 0),
	OPEN("", O_RDONLY, 0),
	OPEN(".", O_RDONLY, 0),
	OPEN("..", O_RDONLY | O_DIRECTORY, 0),
	OPEN("/", O_RDONLY, 0),
	OPEN("d", O_RDONLY, 0),
	OPEN("d/", O_RDONLY | O_DIRECTORY, 0),
	OPEN("d", O_WRONLY, 0),
	OPEN("d", O_RDONLY | O_TRUNC, 0),
	OPEN("d", O_RDONLY | O_CREAT, 0600),
	OPEN("d", O_RDONLY | O_CREAT | O_EXCL, 0600),
	OPEN("d/", O_RDONLY | O_CREAT, 0600),
	OPEN(".", O_RDONLY | O_CREAT, 0600),
	OPEN("/", O_RDONLY | O_CREAT, 0600),
	OPEN("d/new", O_RDONLY | O_CREAT | O_DIRECTORY, 0600),
	OPEN("missing", O_RDONLY, 0),
	OPEN("missing/x", O_RDONLY, 0),
	OPEN("missing/x", O_RDWR | O_CREAT, 0600),
	OPEN("new/", O_RDWR | O_CREAT, 0600),
	OPEN("to-f", O_RDONLY, 0),
	OPEN("to-f", O_RDONLY | O_NOFOLLOW, 0),
	OPEN("to-f", O_RDONLY | O_NOFOLLOW | O_DIRECTORY, 0),
	OPEN("to-f", O_RDWR | O_CREAT, 0600),
	OPEN("to-f", O_RDWR | O_CREAT | O_EXCL, 0600),
	OPEN("to-f", O_RDWR | O_CREAT | O_NOFOLLOW, 0600),
	OPEN("to-f/", O_RDONLY, 0),
	OPEN("to-d", O_RDONLY, 0),
	OPEN("to-d/", O_RDONLY | O_NOFOLLOW, 0),
	OPEN("to-d/g", O_RDONLY | O_NOFOLLOW, 0),
	OPEN("to-d/new", O_RDWR | O_CREAT, 0666),
	OPEN("far", O_RDONLY, 0),
	OPEN("loop", O_RDONLY, 0),
	OPEN("loop", O_RDWR | O_CREAT, 0600),
	OPEN("loop/x", O_RDONLY, 0),
	OPEN("dangling", O_RDONLY, 0),
	OPEN("dangling", O_RDWR | O_CREAT | O_EXCL, 0600),
	OPEN("dangling", O_RDWR | O_CREAT | O_NOFOLLOW, 0600),
	OPEN("dangling", O_WRONLY | O_CREAT, 0640),
	OPEN("d/up", O_WRONLY | O_CREAT, 0640),
	OPEN("twin", O_RDWR, 0),
	OPEN("none", O_RDONLY, 0),
	OPEN("none", O_WRONLY | O_CREAT, 0),
	OPEN("ro", O_RDONLY, 0),
	OPEN("ro", O_RDWR, 0),
	OPEN("ro", O_RDONLY | O_TRUNC, 0),
	OPEN("shut", O_RDONLY, 0),
	OPEN("shut/in", O_RDONLY, 0),
	OPEN("shut/new", O_RDWR | O_CREAT, 0600),
	OPEN("made", O_RDWR | O_CREAT | O_EXCL, 0666),
	OPEN("made", O_RDWR | O_CREAT | O_EXCL, 0666),
	OPEN("made-x", O_WRONLY | O_CREAT | O_CLOEXEC | O_APPEND, 0777),
	OPEN("made-s", O_WRONLY | O_CREAT | O_TRUNC, 04755),
	OPEN("made-0", O_RDWR | O_CREAT, 0),
	OPEN("f", O_WRONLY | O_CREAT | O_TRUNC, 0600),
	OPEN("sticky/s", O_RDWR | O_CREAT, 0644),
	OPEN("sticky/s", O_RDWR | O_CREAT, 0644),
	OPEN(LONG_NAME, O_RDWR | O_CREAT, 0600),
	OPEN(LONG_NAME "x", O_RDWR | O_CREAT, 0600),
	OPEN(LONG_NAME "x", O_RDONLY, 0600),
	OPEN("fifo", O_RDONLY | O_NONBLOCK, 0),
	OPEN("fifo", O_WRONLY | O_NONBLOCK, 0),
	OPEN("fifo", O_RDWR, 0),
	OPEN(".", O_TMPFILE | O_RDWR, 0640),
	OPEN(".", O_TMPFILE | O_RDONLY, 0640),
	OPEN("f", O_TMPFILE | O_RDWR, 0640),
	OPEN("missing", O_TMPFILE | O_RDWR, 0640),
	OPEN("/dev/null", O_RDWR, 0),
	OPEN("/dev/null", O_WRONLY | O_CREAT | O_TRUNC, 0666),
	OPEN("/dev/zero", O_RDONLY, 0),
	OPEN("/dev/urandom", O_RDONLY, 0),
	OPEN("/proc/self/status", O_RDONLY, 0),
	OPEN("/proc/self/nothing", O_RDONLY, 0),
	OPEN("/proc/thread-self/comm", O_RDWR, 0),
	OPEN("/proc/self/cwd/f", O_RDONLY, 0),
	OPEN("/proc/self/root/proc/self/cwd/f", O_RDONLY, 0),
	OPEN("/proc/self/fd", O_RDONLY | O_DIRECTORY, 0),
	OPEN("/proc/self/exe", O_RDONLY, 0),
	OPEN("/proc/self/cwd", O_RDONLY | O_NOFOLLOW, 0),
	OPEN("/proc/self", O_RDONLY | O_NOFOLLOW, 0),
	OPEN("/proc/mounts", O_RDONLY, 0),
	OPEN("/proc/net/dev", O_RDONLY, 0),
	OPEN("me/cwd/f", O_RDONLY, 0),
	OPEN("me/cwd/by-me", O_WRONLY | O_CREAT, 0600),
	OPEN("/dev/fd/200", O_RDONLY, 0),
	OPEN("/proc/self/fd/x", O_RDONLY, 0),
	KEEP(1, "d", O_RDONLY | O_DIRECTORY),
	KEEP(2, "d/g", O_RDONLY),
	KEEP(3, "d", O_PATH),
	KEEP(4, "gone", O_RDWR | O_CREAT),
	OPENAT(N(AT_FDCWD), "f", O_RDONLY, 0),
	OPENAT(N(-1), "f", O_RDONLY, 0),
	OPENAT(N(-1), "@/f", O_RDONLY, 0),
	OPENAT(N(250), "f", O_RDONLY, 0),
	OPENAT(KEPT(1), "g", O_RDONLY, 0),
	OPENAT(KEPT(1), "../f", O_RDONLY, 0),
	OPENAT(KEPT(1), "n", O_RDWR | O_CREAT, 0600),
	OPENAT(KEPT(1), "", O_RDONLY, 0),
	OPENAT(KEPT(1), ".", O_RDONLY, 0),
	OPENAT(KEPT(2), "g", O_RDONLY, 0),
	OPENAT(KEPT(3), "g", O_RDWR, 0),
	OPEN("/proc/self/fd/%2", O_RDONLY, 0),
	OPEN("/dev/fd/%2", O_RDWR, 0),
	OPEN("/proc/self/fd/%1/g", O_RDONLY, 0),
	OPEN("/proc/self/fd/%2/g", O_RDONLY, 0),
	OPEN("/proc/self/fd/%3", O_RDONLY, 0),
	OPEN("/proc/self/fd/%2/", O_RDONLY, 0),
	{ .call = SYS_unlink, .args = { T("gone") } },
	OPEN("/proc/self/fd/%4", O_RDONLY, 0),
	OPEN("gone (deleted)", O_RDWR | O_CREAT, 0600),
	OPEN("gone (deleted)", O_RDWR, 0600),
	{ .call = SYS_creat, .args = { T("c"), N(0666) }, .gives_fd = true },
	{ .call = SYS_creat, .args = { T("c"), N(0666) }, .gives_fd = true },
	{ .call = SYS_creat, .args = { T("d"), N(0666) }, .gives_fd = true },
	{ .call = SYS_open, .args = { N(0), N(O_RDONLY) }, .gives_fd = true },
	{ .call = SYS_open, .args = { N(8), N(O_RDONLY) }, .gives_fd = true },
	{ .call = SYS_open, .args = { N(0), N(O_RDWR | O_CREAT), N(0600) }, .gives_fd = true },
	{ .call = SYS_truncate, .args = { T("d/g"), N(2) } },
	{ .call = SYS_truncate, .args = { T("to-f"), N(100) } },
	{ .call = SYS_truncate, .args = { T("d"), N(2) } },
	{ .call = SYS_truncate, .args = { T("fifo"), N(2) } },
	{ .call = SYS_truncate, .args = { T("f"), N(-1) } },
	{ .call = SYS_truncate, .args = { T("ro"), N(1) } },
	{ .call = SYS_truncate, .args = { T("missing-too"), N(0) } },
	{ .call = SYS_truncate, .args = { T("f/"), N(0) } },
};

static void what_is_allowed_is_as_if_bare(void **state)
{
	(void)state;
	assert_int_equal(conform_run("open", rows, PMG_ARRAY_LEN(rows)), 0);
	assert_int_equal(conform_run_as_user("open, user", rows, PMG_ARRAY_LEN(rows)), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_allowed_is_as_if_bare),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
