#include "sandbox/broker_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <termios.h>
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

#define DOTS4    "./././././././././././././././././"
#define DOTS8    DOTS4 DOTS4 DOTS4 DOTS4 DOTS4 DOTS4 DOTS4 DOTS4
#define DOTS2048 DOTS8 DOTS8 DOTS8 DOTS8 DOTS8 DOTS8 DOTS8 DOTS8
#define DOTS3840 DOTS2048 DOTS8 DOTS8 DOTS8 DOTS8 DOTS8 DOTS8 DOTS8
#define DOTS4094 DOTS3840 DOTS4 DOTS4 DOTS4 DOTS4 DOTS4 DOTS4 DOTS4 "./././././././././././././././"
#define OPENAT2(path, how, size)                                                                   \
	{                                                                                          \
		.call = SYS_openat2, .args = { N(AT_FDCWD), T(path), N(&(how)), N(size) },         \
		.gives_fd = true                                                                   \
	}

static struct open_how plain = { .flags = O_RDONLY };
static struct open_how creates = { .flags = O_RDWR | O_CREAT, .mode = 0640 };
static struct open_how unknown = { .flags = 1ULL << 40 };
static struct open_how no_mode = { .flags = O_RDONLY, .mode = 0600 };
static struct open_how beneath = { .flags = O_RDONLY, .resolve = RESOLVE_BENEATH };
static struct open_how beneath_new = { .flags = O_RDWR | O_CREAT,
				       .mode = 0600,
				       .resolve = RESOLVE_BENEATH };
static struct open_how rooted = { .flags = O_RDONLY, .resolve = RESOLVE_IN_ROOT };
static struct open_how linkless = { .flags = O_RDONLY, .resolve = RESOLVE_NO_SYMLINKS };
static struct open_how odd_resolve = { .flags = O_RDONLY, .resolve = 1ULL << 30 };
static struct {
	struct open_how how;
	uint64_t more;
} longer = { .how = { .flags = O_RDONLY } }, too_new = { .how = { .flags = O_RDONLY }, .more = 1 };

static const struct conform_row rows[] = {
	OPENAT2("f", plain, sizeof plain),
	OPENAT2("f", plain, 8),
	OPENAT2("f", longer, sizeof longer),
	OPENAT2("f", too_new, sizeof too_new),
	OPENAT2("o2", creates, sizeof creates),
	OPENAT2("f", unknown, sizeof unknown),
	OPENAT2("f", no_mode, sizeof no_mode),
	OPENAT2("d/../f", beneath, sizeof beneath),
	OPENAT2("../bare", beneath, sizeof beneath),
	OPENAT2("@/f", beneath, sizeof beneath),
	OPENAT2("to-f", beneath, sizeof beneath),
	OPENAT2("d/b-new", beneath_new, sizeof beneath_new),
	OPENAT2("d/b-new", beneath_new, sizeof beneath_new),
	OPENAT2("d/../../b-new", beneath_new, sizeof beneath_new),
	OPENAT2("/f", rooted, sizeof rooted),
	OPENAT2("/../../d/g", rooted, sizeof rooted),
	OPENAT2("to-f", linkless, sizeof linkless),
	OPENAT2("to-d/g", linkless, sizeof linkless),
	OPENAT2("f", linkless, sizeof linkless),
	OPENAT2("f", odd_resolve, sizeof odd_resolve),
	OPEN(DOTS4094 "f", O_RDONLY, 0),
	OPEN(DOTS4094 "ff", O_RDONLY, 0),
	OPEN(DOTS4094 "f/", O_RDONLY, 0),
	OPEN(DOTS4094 "n", O_RDWR | O_CREAT, 0600),
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
	OPEN("made-s", O_WRONLY | O_CREAT | O_TRUNC, 01755),
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

/* A child says by its exit status in which line it was not content. */
#define WANT(condition)                                                                            \
	do {                                                                                       \
		if (!(condition))                                                                  \
			_exit(__LINE__ & 0xff ? __LINE__ & 0xff : 1);                              \
	} while (0)

static char tree[PATH_MAX];

static int served(void (*body)(void *arg))
{
	pmg_auto(folder) char *root = folder_new();
	pmg_auto(policy) struct pmg_policy *policy = broker_policy(root);
	pmg_auto(events) struct pmg_events events = { 0 };
	int status;

	pmg_policy_seal(policy);
	(void)snprintf(tree, sizeof tree, "%s", root);
	status = broker_serve_child(policy, NULL, body, NULL, &events);
	assert_int_equal(events.n, 0);
	return status;
}

static void without_descriptors(void *arg)
{
	struct rlimit limit = { 0, 0 };
	struct stat st;
	int fd;

	(void)arg;
	WANT(chdir(tree) == 0);
	fd = open("full", O_WRONLY | O_CREAT, 0600);
	WANT(fd >= 0 && write(fd, "text", 4) == 4);
	limit.rlim_cur = limit.rlim_max = (rlim_t)fd + 1;
	while (dup(fd) >= 0 && fd < 100)
		fd++;
	WANT(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	WANT(open("new", O_WRONLY | O_CREAT, 0600) < 0 && errno == EMFILE);
	WANT(stat("new", &st) < 0 && errno == ENOENT);
	WANT(open("full", O_WRONLY | O_TRUNC) < 0 && errno == EMFILE);
	WANT(open("full", O_WRONLY | O_CREAT | O_TRUNC, 0600) < 0 && errno == EMFILE);
	WANT(stat("full", &st) == 0 && st.st_size == 4);
}

static void without_a_descriptor_no_file_is_made_or_lost(void **state)
{
	(void)state;
	assert_int_equal(served(without_descriptors), 0);
}

static void *write_to_fifo(void *arg)
{
	int fd = open("fifo", O_WRONLY);

	(void)arg;
	WANT(fd >= 0 && write(fd, "x", 1) == 1);
	(void)close(fd);
	return NULL;
}

static void on_alarm(int number)
{
	(void)number;
}

static void use_fifo(void *arg)
{
	struct sigaction action = { .sa_handler = on_alarm };
	struct itimerval soon = { .it_value = { 0, 50000 } };
	pthread_t thread;
	char c = 0;
	int fd;

	(void)arg;
	WANT(chdir(tree) == 0 && mkfifo("fifo", 0600) == 0);
	WANT(pthread_create(&thread, NULL, write_to_fifo, NULL) == 0);
	fd = open("fifo", O_RDONLY);
	WANT(fd >= 0 && read(fd, &c, 1) == 1 && c == 'x');
	WANT(pthread_join(thread, NULL) == 0 && close(fd) == 0);
	/* Others are served while one waits, and a signal ends the waiting. */
	WANT(sigaction(SIGALRM, &action, NULL) == 0);
	WANT(setitimer(ITIMER_REAL, &soon, NULL) == 0);
	WANT(open("fifo", O_RDONLY) < 0 && errno == EINTR);
	WANT(mkdir("d", 0700) == 0);
	/* And with it ends the process, if nobody handles it. */
	action.sa_handler = SIG_DFL;
	WANT(sigaction(SIGALRM, &action, NULL) == 0);
	WANT(setitimer(ITIMER_REAL, &soon, NULL) == 0);
	(void)open("fifo", O_RDONLY);
	_exit(255);
}

static void a_fifo_waits_and_keeps_nobody_else_waiting(void **state)
{
	int status;

	(void)state;
	status = served(use_fifo);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGALRM);
}

/* Once it is closed here nobody holds it: whoever has the file open gets the lock at once. */
static void lock_again_and_again(void *arg)
{
	int i, fd, other;

	(void)arg;
	WANT(chdir(tree) == 0);
	other = open("f", O_WRONLY | O_CREAT, 0600);
	WANT(other >= 0);
	for (i = 0; i < 500; i++) {
		fd = open("f", i % 2 ? O_RDONLY : O_RDONLY | O_CREAT, 0600);
		WANT(fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && close(fd) == 0);
		WANT(flock(other, LOCK_EX | LOCK_NB) == 0 && flock(other, LOCK_UN) == 0);
	}
}

static void a_lock_is_given_up_with_the_callers_descriptor(void **state)
{
	(void)state;
	assert_int_equal(served(lock_again_and_again), 0);
}

/* Of what may not be written the descriptor comes with the answer. */
static void read_what_stays(void *arg)
{
	const struct rlimit none = { 3, 3 };
	char text[8];
	int i, fd = -1;

	(void)arg;
	WANT(chdir(tree) == 0);
	for (i = 0; i < 500; i++) {
		fd = open("kept/f", O_RDONLY | (i % 2 ? O_CLOEXEC : 0));
		WANT(fd > 2 && read(fd, text, sizeof text) == 4 && memcmp(text, "text", 4) == 0);
		WANT(fcntl(fd, F_GETFD) == (i % 2 ? FD_CLOEXEC : 0) && close(fd) == 0);
		WANT(open("kept", O_RDONLY | O_DIRECTORY) == fd && close(fd) == 0);
	}
	WANT(open("kept/f", O_WRONLY) < 0 && errno == EACCES);
	WANT(setrlimit(RLIMIT_NOFILE, &none) == 0);
	WANT(open("kept/f", O_RDONLY) < 0 && errno == EMFILE);
}

static void what_stays_as_it_is_can_be_read(void **state)
{
	pmg_auto(folder) char *root = folder_new();
	pmg_auto(policy) struct pmg_policy *policy = broker_policy(root);
	pmg_auto(events) struct pmg_events events = { 0 };
	pmg_autofree char *rule = pmg_xasprintf("%s/kept/**", root);

	(void)state;
	(void)snprintf(tree, sizeof tree, "%s", root);
	folder_write(root, "kept/f", "text", 4);
	broker_rule(policy, PMG_ACCESS_WRITE, PMG_RANK_DENY, rule);
	pmg_policy_seal(policy);
	assert_int_equal(broker_serve_child(policy, NULL, read_what_stays, NULL, &events), 0);
	assert_int_equal(events.n, 1);
	assert_int_equal(events.v[0].op, PMG_EVENT_WRITE);
}

static void use_terminal(void *arg)
{
	int master, slave, tty;
	char text[4] = "";

	(void)arg;
	master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (master < 0 && errno == ENOENT)
		_exit(254);
	WANT(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
	WANT(setsid() > 0);
	WANT(open("/dev/tty", O_RDWR) < 0 && errno == ENXIO);
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	WANT(slave >= 0 && isatty(slave) && ioctl(slave, TIOCSCTTY, 0) == 0);
	tty = open("/dev/tty", O_RDWR | O_CLOEXEC);
	WANT(tty >= 0 && isatty(tty) && (fcntl(tty, F_GETFD) & FD_CLOEXEC));
	WANT(tcgetpgrp(tty) == getpgrp());
	WANT(write(tty, "hey", 3) == 3 && read(master, text, 3) == 3);
	WANT(strcmp(text, "hey") == 0);
	/* It is the caller's by a descriptor, and by its name when it has none. */
	WANT(close(slave) == 0 && close(tty) == 0);
	WANT(open("/dev/tty", O_RDWR | O_CLOEXEC) >= 0);
}

static void the_terminal_is_the_callers(void **state)
{
	int status;

	(void)state;
	status = served(use_terminal);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 254)
		skip(); /* no pseudo terminals here */
	assert_int_equal(status, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_allowed_is_as_if_bare),
		cmocka_unit_test(without_a_descriptor_no_file_is_made_or_lost),
		cmocka_unit_test(a_fifo_waits_and_keeps_nobody_else_waiting),
		cmocka_unit_test(a_lock_is_given_up_with_the_callers_descriptor),
		cmocka_unit_test(what_stays_as_it_is_can_be_read),
		cmocka_unit_test(the_terminal_is_the_callers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
