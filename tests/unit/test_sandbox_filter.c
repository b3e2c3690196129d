#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <pty.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>

#include <cmocka.h>

#include "../helper/child.h"
#include "../helper/folder.h"
#include "base/str.h"
#include "kernel/uapi.h"
#include "refused_calls.h"
#include "sandbox/filter_priv.h"
#include "sandbox/walls_priv.h"

extern char **environ;

/* What a trapped call of ours fails with: no kernel says this of any of them. */
#define TRAPPED 133 /* ERFKILL is 132, EHWPOISON 133 */

static struct pmg_seccomp_rule *trapped;
static size_t n_trapped;
static bool noexec; /* has_memfd_noexec */

static void add(const struct pmg_seccomp_rule *rule)
{
	trapped = pmg_xrealloc(trapped, n_trapped + 1, sizeof *trapped);
	trapped[n_trapped++] = *rule;
}

/* What the broker decides by what is asked passes, so that programs run. */
static void add_rows(const struct pmg_call_row *row, enum pmg_seccomp_do action)
{
	for (; row->name; row++) {
		struct pmg_seccomp_rule rule = { .call = row->name,
						 .action = action,
						 .errnum = TRAPPED };

		memcpy(rule.cond, row->cond, sizeof rule.cond);
		if (pmg_seccomp_number(row->name) >= 0)
			add(&rule);
	}
}

static int make_rules(void **state)
{
	(void)state;
	add_rows(pmg_surface_rows(), PMG_SECCOMP_ERRNO);
	add_rows(pmg_call_rows(), PMG_SECCOMP_ALLOW);
	return 0;
}

static int free_rules(void **state)
{
	(void)state;
	free(trapped);
	return 0;
}

static int (*chosen)(void);

static int act_behind_filter(void)
{
	pmg_auto(seccomp_code) struct pmg_seccomp_code code = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	CHILD_OK(pmg_filter_compile(trapped, n_trapped, noexec, &code, &err), err);
	CHILD_OK(pmg_seccomp_enter(&code, NULL, &err), err);
	return chosen();
}

static int behind_filter(int (*action)(void), bool ordinary)
{
	chosen = action;
	return in_child(act_behind_filter, ordinary);
}

static int result(long r)
{
	return r < 0 ? errno : 0;
}

static const struct call *made;

static int make(void)
{
	const uint64_t *a = made->args;
	long r = syscall(pmg_seccomp_number(made->name), a[0], a[1], a[2], a[3], a[4], a[5]);

	if (r == 0 && pmg_streq(made->name, "clone"))
		_exit(0); /* the new process */
	return result(r);
}

static void each_refused_call_is_trapped(void **state)
{
	size_t i;

	(void)state;
	noexec = false;
	for (i = 0; i < PMG_ARRAY_LEN(refused); i++) {
		int end;

		if (pmg_seccomp_number(refused[i].name) < 0)
			continue;
		made = &refused[i];
		end = in_child(make, true);
		if (end == TRAPPED)
			fail_msg("row %zu, %s: trapped without a filter", i, made->name);
		end = behind_filter(make, true);
		if (end != TRAPPED)
			fail_msg("row %zu, %s: %d", i, made->name, end);
	}
}

static void each_surface_row_is_written_down_here(void **state)
{
	const struct pmg_call_row *row;
	size_t i;

	(void)state;
	for (row = pmg_surface_rows(); row->name; row++) {
		bool found = pmg_seccomp_number(row->name) < 0;

		for (i = 0; i < PMG_ARRAY_LEN(refused); i++)
			found = found || pmg_streq(row->name, refused[i].name);
		/* Of a kind with one that is. */
		found = found || pmg_streq(row->name, "quotactl_fd") ||
			pmg_streq(row->name, "kexec_file_load") ||
			pmg_streq(row->name, "clock_adjtime") || pmg_streq(row->name, "iopl") ||
			pmg_streq(row->name, "ioperm") || pmg_streq(row->name, "lookup_dcookie");
		if (!found)
			fail_msg("%s", row->name);
		assert_int_not_equal(row->errnum, 0);
	}
}

/* Newer than the list, or left out of it: as on a kernel that lacks them. */
static const struct call absent[] = {
	{ "clone3", { 0 } },       { "landlock_create_ruleset", { 0, 0, 1 } },
	{ "kcmp", { 0 } },         { "io_submit", { 0 } },
	{ "modify_ldt", { 0 } },   { "name_to_handle_at", { 0 } },
	{ "memfd_secret", { 0 } },
};

static int beyond(void)
{
	return result(syscall(1999));
}

/* What a name at /proc/self/exe says must stay true: the record of a refusal rests on it. */
static int change_own_map(void)
{
	return result(prctl(35 /* PR_SET_MM */, 14 /* PR_SET_MM_MAP */, 0, 0, 0));
}

static void an_unlisted_prctl_is_EINVAL(void **state)
{
	(void)state;
	assert_int_not_equal(in_child(change_own_map, false), 0);
	assert_int_equal(behind_filter(change_own_map, false), EINVAL);
}

static void what_is_not_listed_is_ENOSYS(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(absent); i++)
		if (pmg_seccomp_number(absent[i].name) >= 0) {
			made = &absent[i];
			assert_int_equal(behind_filter(make, true), ENOSYS);
		}
	assert_int_equal(behind_filter(beyond, true), ENOSYS);
}

static int ring(void)
{
	struct io_uring_params params = { 0 };

	return result(syscall(SYS_io_uring_setup, 1, &params));
}

static int trace(void)
{
	return result(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
}

static int users(void)
{
	return result(unshare(CLONE_NEWUSER));
}

static int users_by_clone(void)
{
	long pid = syscall(SYS_clone, (unsigned long)CLONE_NEWUSER | SIGCHLD, 0UL, NULL, NULL, 0UL);

	if (pid == 0)
		_exit(0);
	return result(pid);
}

static int other_memory(void)
{
	char from = 'a', to = 'b';
	struct iovec local = { &to, 1 }, remote = { &from, 1 };

	return result(process_vm_readv(getpid(), &local, 1, &remote, 1, 0));
}

static int keyring(void)
{
	return result(syscall(SYS_keyctl, 0, -3, 1));
}

static int memory_file(void)
{
	return result(memfd_create("x", MFD_CLOEXEC));
}

static int program_file(void)
{
	int r = result(memfd_create("x", MFD_CLOEXEC | MFD_EXEC));

	return r == EINVAL ? memory_file() : r; /* before 6.3 */
}

static int local_datagram(void)
{
	return result(socket(AF_UNIX, SOCK_DGRAM, 0));
}

static int other_personality(void)
{
	return result(personality(PER_LINUX | READ_IMPLIES_EXEC));
}

/* To a listener of ours, with no connect(2) before it. */
static int fast_open(void)
{
	pmg_autofd int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	pmg_autofd int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof to;

	if (bind(server, (struct sockaddr *)&to, len) < 0 || listen(server, 1) < 0 ||
	    getsockname(server, (struct sockaddr *)&to, &len) < 0)
		return 200;
	return result(sendto(client, "x", 1, (int)FASTOPEN, (struct sockaddr *)&to, len));
}

static int fast_open_later(void)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

	return result(setsockopt(fd, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, &on, sizeof on));
}

static int slow_down_group(void)
{
	(void)setsid(); /* not the test's */
	return result(setpriority(PRIO_PGRP, 0, 19));
}

static int slow_down_disk_of_group(void)
{
	(void)setsid();
	return result((int)syscall(SYS_ioprio_set, 2 /* IOPRIO_WHO_PGRP */, 0, 0));
}

static int slow_down_itself(void)
{
	CHILD_CHECK(setpriority(PRIO_PROCESS, 0, 19) == 0);
	CHILD_CHECK(syscall(SYS_ioprio_set, 1 /* IOPRIO_WHO_PROCESS */, 0, 0) == 0);
	return 0;
}

/* The user's shell may be of the same group. */
static void only_processes_of_the_run_get_another_priority(void **state)
{
	(void)state;
	assert_int_equal(in_child(slow_down_group, true), 0);
	assert_int_equal(behind_filter(slow_down_group, true), EPERM);
	assert_int_equal(in_child(slow_down_disk_of_group, true), 0);
	assert_int_equal(behind_filter(slow_down_disk_of_group, true), EPERM);
	assert_int_equal(behind_filter(slow_down_itself, true), 0);
}

/* Of a file that is open for reading only. Some file systems have no flags. */
static int flags_of_file(void)
{
	pmg_autofd int fd = open(".", O_RDONLY | O_CLOEXEC);
	pmg_autofd int file = open(".", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
	long flags = 0;

	if (fd < 0 || file < 0 || ioctl(file, 0x80086601, &flags) < 0)
		return 0;
	return result(ioctl(file, 0x40086602, &flags));
}

static const struct {
	const char *name;
	int (*action)(void);
} works[] = {
	{ "io_uring", ring },
	{ "ptrace", trace },
	{ "a user namespace", users },
	{ "a user namespace by clone", users_by_clone },
	{ "memory of another way", other_memory },
	{ "a keyring", keyring },
	{ "a memory file", memory_file },
	{ "a memory file to run", program_file },
	{ "a local datagram socket", local_datagram },
	{ "a personality", other_personality },
	{ "fast open", fast_open },
	{ "fast open, later", fast_open_later },
};

static void what_works_outside_is_refused_inside(void **state)
{
	size_t i;

	(void)state;
	noexec = false;
	for (i = 0; i < PMG_ARRAY_LEN(works); i++) {
		int end = in_child(works[i].action, true);

		if (end != 0) {
			print_message("SKIPPED in part: %s is %d here without a filter\n",
				      works[i].name, end);
			continue;
		}
		end = behind_filter(works[i].action, true);
		if (end != TRAPPED)
			fail_msg("%s: %d", works[i].name, end);
	}
}

static void flags_are_refused_on_a_readable_file(void **state)
{
	pmg_auto(folder) char *top = folder_new();
	pmg_autofd int before = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);

	(void)state;
	assert_int_equal(chdir(top), 0);
	assert_int_equal(in_child(flags_of_file, false), 0);
	if (behind_filter(flags_of_file, false) != TRAPPED)
		print_message("SKIPPED in part: no flags on this file system\n");
	assert_int_equal(fchdir(before), 0);
}

/* Where the kernel makes them so that they cannot be run, only those that can be are trapped. */
static void memory_files_pass_where_they_cannot_be_run(void **state)
{
	(void)state;
	noexec = true;
	assert_int_equal(behind_filter(memory_file, true), 0);
	if (in_child(program_file, true) == 0)
		assert_int_equal(behind_filter(program_file, true), TRAPPED);
	noexec = false;
}

static int sockets(void)
{
	static const int kinds[][3] = {
		{ AF_UNIX, SOCK_STREAM, 0 },
		{ AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0 },
		{ AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0 },
		{ AF_INET, SOCK_STREAM, IPPROTO_TCP },
		{ AF_INET, SOCK_DGRAM, 0 },
		{ AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, IPPROTO_UDP },
		{ AF_NETLINK, SOCK_RAW, 0 },
		{ AF_NETLINK, SOCK_DGRAM, 0 },
	};
	int pair[2];
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(kinds); i++)
		CHILD_CHECK(socket(kinds[i][0], kinds[i][1], kinds[i][2]) >= 0);
	CHILD_CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) == 0);
	CHILD_CHECK(send(pair[0], "x", 1, MSG_NOSIGNAL) == 1);
	CHILD_CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	return 0;
}

static void *nothing(void *arg)
{
	return arg;
}

static int processes(void)
{
	char name[] = "true";
	char *argv[] = { name, NULL };
	pthread_t thread;
	int status = 1;
	pid_t pid;

	CHILD_CHECK(pthread_create(&thread, NULL, nothing, NULL) == 0);
	CHILD_CHECK(pthread_join(thread, NULL) == 0);
	CHILD_CHECK(posix_spawn(&pid, "/bin/true", NULL, NULL, argv, environ) == 0);
	CHILD_CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	pid = fork();
	if (pid == 0)
		_exit(3);
	CHILD_CHECK(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 3);
	CHILD_CHECK(unshare(CLONE_FILES) == 0);
	CHILD_CHECK(prctl(PR_SET_NAME, "x", 0, 0, 0) == 0);
	CHILD_CHECK(prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0);
	CHILD_CHECK(prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0) == 0);
	CHILD_CHECK(prctl(9999, 0, 0, 0, 0) < 0 && errno == EINVAL);
	CHILD_CHECK(personality(0xffffffff) >= 0);
	return 0;
}

static int descriptors(void)
{
	struct timespec soon = { 0, 1 };
	struct winsize size;
	int n = 0, pair[2], copy[2], master, slave;
	char text[4];

	CHILD_CHECK(pipe2(pair, O_CLOEXEC) == 0 && write(pair[1], "abc", 3) == 3);
	CHILD_CHECK(ioctl(pair[0], FIONREAD, &n) == 0 && n == 3);
	CHILD_CHECK(pipe(copy) == 0 && splice(pair[0], NULL, copy[1], NULL, 3, 0) == 3);
	CHILD_CHECK(read(copy[0], text, 3) == 3);
	CHILD_CHECK(inotify_init1(IN_CLOEXEC) >= 0);
	CHILD_CHECK(nanosleep(&soon, NULL) == 0);
	CHILD_CHECK(openpty(&master, &slave, NULL, NULL, NULL) == 0);
	CHILD_CHECK(isatty(slave) && ioctl(slave, TIOCGWINSZ, &size) == 0);
	return 0;
}

static const struct {
	const char *name;
	int (*action)(void);
} needed[] = {
	{ "sockets", sockets },
	{ "processes", processes },
	{ "descriptors", descriptors },
};

static void what_programs_need_passes(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(needed); i++) {
		if (in_child(needed[i].action, true) != 0)
			fail_msg("%s: not even without a filter", needed[i].name);
		if (behind_filter(needed[i].action, true) != 0)
			fail_msg("%s", needed[i].name);
	}
}

/* In a folder of its own; what is not installed is left out. */
static const char *const scripts[] = {
	"echo a | cat >f && cp f g && tar cf t.tar f g && gzip t.tar && rm f g && tar xzf t.tar.gz",
	"git init -q r && cd r && git -c user.name=x -c user.email=x@x commit -q --allow-empty -m "
	"x",
	"printf 'int main(void){return 0;}' >m.c && cc -o m m.c && ./m",
	"printf 'a:\\n\\ttouch a b c\\n' >Makefile && make -j2 a >/dev/null",
	"python3 -c 'import subprocess,threading,socket,tempfile\n"
	"t=threading.Thread(target=print);t.start();t.join()\n"
	"subprocess.check_call([\"true\"]);socket.socket();tempfile.TemporaryFile()' >/dev/null",
	"node -e 'const{Worker}=require(\"worker_threads\"),c=require(\"child_process\");"
	"c.spawnSync(\"true\").status&&process.exit(1);"
	"new Worker(\"0\",{eval:true}).on(\"exit\",e=>process.exit(e))'",
	"npm --version >/dev/null",
};

static const char *script;

static int run_script(void)
{
	char shell[] = "sh", flag[] = "-c";
	pmg_autofree char *text = pmg_xstrdup(script);
	char *argv[] = { shell, flag, text, NULL };

	(void)execv("/bin/sh", argv);
	return 127;
}

static void real_programs_run(void **state)
{
	pmg_autofd int before = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(scripts); i++) {
		pmg_auto(folder) char *bare = folder_new();
		pmg_auto(folder) char *filtered = folder_new();
		int end;

		script = scripts[i];
		assert_int_equal(chdir(bare), 0);
		if (in_child(run_script, false) != 0) {
			print_message("SKIPPED in part: not here: %s\n", script);
		} else {
			assert_int_equal(chdir(filtered), 0);
			end = behind_filter(run_script, false);
			if (end != 0)
				fail_msg("%d: %s", end, script);
		}
		assert_int_equal(fchdir(before), 0);
	}
}

/* Trapped rows may come in any order, and take the place of one in the list. */
static void a_trapped_row_wins_over_a_passing_one(void **state)
{
	static const struct pmg_seccomp_rule rules[] = {
		{ .call = "sendto", .action = PMG_SECCOMP_NOTIFY },
		{ .call = "sendto",
		  .action = PMG_SECCOMP_ERRNO,
		  .errnum = 1,
		  .cond = { { .kind = PMG_SECCOMP_IS,
			      .arg = 3,
			      .mask = FASTOPEN,
			      .value = FASTOPEN } } },
	};
	pmg_auto(seccomp_code) struct pmg_seccomp_code code = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	if (pmg_filter_compile(rules, PMG_ARRAY_LEN(rules), false, &code, &err) < 0)
		fail_msg("%s", err.msg);
	assert_true(code.n > 100);
}

static void the_filter_of_a_run_compiles(void **state)
{
	pmg_auto(seccomp_code) struct pmg_seccomp_code code = { 0 };
	pmg_auto(seccomp_code) struct pmg_seccomp_code other = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	if (pmg_walls_filter(false, &code, &err) < 0 || pmg_walls_filter(true, &other, &err) < 0)
		fail_msg("%s", err.msg);
	assert_true(code.n > 100 && other.n > code.n);
}

/* The same row is found for a call as the filter has trapped it by. */
static void a_refused_form_is_found_before_its_call(void **state)
{
	static const struct {
		struct pmg_notify call;
		const char *name;
		int errnum;
	} rows[] = {
		{ { .nr = SYS_sendto, .args = { 3, 0, 0, FASTOPEN, 1 } }, "sendto", EOPNOTSUPP },
		{ { .nr = SYS_sendto, .args = { 3, 0, 0, 0, 1 } }, "sendto", 0 },
		{ { .nr = SYS_sendmsg, .args = { 3, 0, FASTOPEN } }, "sendmsg", EOPNOTSUPP },
		{ { .nr = SYS_sendmsg, .args = { 3, 0, 0 } }, "sendmsg", 0 },
		{ { .nr = SYS_socket, .args = { 2, 1, 262 } }, "socket", EPROTONOSUPPORT },
		{ { .nr = SYS_socket, .args = { 40, 1, 0 } }, "socket", EAFNOSUPPORT },
		{ { .nr = 0x40000000 | SYS_getpid }, "foreign", ENOSYS },
	};
	pmg_auto(calls) struct pmg_calls *calls = pmg_calls_new();
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		struct pmg_notify call = rows[i].call;
		const struct pmg_call_row *row;

		call.arch = pmg_seccomp_arch();
		row = pmg_calls_find(calls, &call);
		assert_non_null(row);
		assert_string_equal(row->name, rows[i].name);
		assert_int_equal(row->errnum, rows[i].errnum);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_refused_call_is_trapped),
		cmocka_unit_test(each_surface_row_is_written_down_here),
		cmocka_unit_test(an_unlisted_prctl_is_EINVAL),
		cmocka_unit_test(only_processes_of_the_run_get_another_priority),
		cmocka_unit_test(what_is_not_listed_is_ENOSYS),
		cmocka_unit_test(what_works_outside_is_refused_inside),
		cmocka_unit_test(flags_are_refused_on_a_readable_file),
		cmocka_unit_test(memory_files_pass_where_they_cannot_be_run),
		cmocka_unit_test(what_programs_need_passes),
		cmocka_unit_test(real_programs_run),
		cmocka_unit_test(a_trapped_row_wins_over_a_passing_one),
		cmocka_unit_test(the_filter_of_a_run_compiles),
		cmocka_unit_test(a_refused_form_is_found_before_its_call),
	};
	struct pmg_err err = PMG_ERR_INIT;

	if (pmg_notify_probe(&err) < 0)
		return child_skip(err.msg);
	return cmocka_run_group_tests(tests, make_rules, free_rules);
}
