#include "sandbox/sandbox.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

#include <cmocka.h>

#include "../helper/walled.h"
#include "base/str.h"

/*
 * From the start of a run to its end, as the front sees it: what the tool gets, what becomes of it,
 * and that nothing is left however it ends. Each in a child, which is the front.
 */

#define SH(text) ((char *[]){ (char *)(uintptr_t) "/bin/sh", (char *)(uintptr_t) "-c", text, NULL })
#define TEXT(t)  ((char *)(uintptr_t)(t))

static int ended_with(const char *script, bool by_signal, int expected)
{
	struct walled walled;
	bool right;

	walled_begin(&walled, "/bin/true");
	walled_run(&walled, SH(TEXT(script)), 0);
	right = walled.started && walled.ended &&
		(by_signal ? WIFSIGNALED(walled.status) && WTERMSIG(walled.status) == expected
			   : WIFEXITED(walled.status) && WEXITSTATUS(walled.status) == expected);
	if (!right)
		fprintf(stderr, "%s: failed %d (%s), status %x\n", script, walled.failed,
			walled.why.msg, (unsigned)walled.status);
	walled_end(&walled);
	return !right;
}

static int exits(void)
{
	return ended_with("exit 7", false, 7);
}

static int is_killed(void)
{
	return ended_with("kill -9 $$", true, SIGKILL);
}

static int sees_itself(void)
{
	return ended_with("[ $$ = 2 ] && [ \"$HOME\" != / ] && [ -e open ] && [ ! -e /proc/3 ] && "
			  "read -r line <open; [ \"$line\" = open ] || exit 1; exit 4",
			  false, 4);
}

static int has_no_rights(void)
{
	return ended_with(
		"while read -r name value; do case $name in CapEff:|CapPrm:|CapBnd:) "
		"case $value in 0000000000000000|000000000000001b) ;; *) exit 1 ;; esac ;; "
		"NoNewPrivs:) [ \"$value\" = 1 ] || exit 2 ;; "
		"Seccomp:) [ \"$value\" = 2 ] || exit 3 ;; "
		"SigBlk:) [ \"$value\" = 0000000000000000 ] || exit 4 ;; "
		"esac; done </proc/self/status; exit 9",
		false, 9);
}

/* Three standard streams and the listing's own; the listing of a folder of the run. */
static int has_three_descriptors(void)
{
	return ended_with("set -- /proc/self/fd/*; for fd; do case $fd in */0|*/1|*/2) ;; *) "
			  "[ ! -e \"$fd\" ] || exit 1 ;; esac; done; exit 6",
			  false, 6);
}

static int is_stopped(void)
{
	struct walled walled;
	struct pmg_err err = PMG_ERR_INIT;
	bool right;

	walled_begin(&walled, "/bin/true");
	walled_start(&walled, SH(TEXT("kill -STOP $$; exit 5")), 0);
	walled_go(&walled);
	right = walled_until(&walled, PMG_WIRE_STOPPED) &&
		pmg_sandbox_signal(&walled.sandbox, SIGCONT, &err) == 0 &&
		walled_until(&walled, PMG_WIRE_ENDED) && WIFEXITED(walled.status) &&
		WEXITSTATUS(walled.status) == 5;
	walled_end(&walled);
	return !right;
}

static int stays_in_our_session(void)
{
	struct walled walled;
	struct pmg_err err = PMG_ERR_INIT;
	bool right;

	walled_begin(&walled, "/bin/true");
	walled_start(&walled, SH(TEXT("sleep 100")), 0);
	walled_go(&walled);
	right = walled_until(&walled, PMG_WIRE_STARTED) && getpgid(walled.pid) == getpgrp() &&
		getsid(walled.pid) == getsid(0) && getsid(walled.sandbox.keeper) != getsid(0) &&
		pmg_sandbox_signal(&walled.sandbox, SIGTERM, &err) == 0 &&
		walled_until(&walled, PMG_WIRE_ENDED) && WIFSIGNALED(walled.status) &&
		WTERMSIG(walled.status) == SIGTERM;
	walled_end(&walled);
	return !right;
}

static int not_started(const char *program, int errnum)
{
	struct walled walled;
	pmg_autofree char *path = NULL;
	bool right;

	walled_begin(&walled, "/bin/true");
	path = pmg_path_join(walled.project, program);
	walled_run(&walled, (char *[]){ path, NULL }, 0);
	right = !walled.started && walled.failed && walled.why.code == PMG_E_NOTFOUND &&
		walled.why.errnum == errnum;
	if (!right)
		fprintf(stderr, "%s: %s, errno %d\n", program, walled.why.msg, walled.why.errnum);
	walled_end(&walled);
	return !right;
}

static int is_not_there(void)
{
	return not_started("nothing", ENOENT);
}

static int is_no_program(void)
{
	return not_started("open", EACCES);
}

static char *slurp(const char *path)
{
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofd int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text = NULL;
	size_t len;

	return fd < 0 || pmg_io_slurp_fd(fd, path, 1U << 20, &text, &len, &err) < 0 ? NULL : text;
}

/* A pipe that all of the run has as standard output: it ends when the last one is gone. */
static int take_output(void)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0 || dup2(fds[1], 1) < 0)
		_exit(98);
	(void)close(fds[1]);
	return fds[0];
}

static bool all_gone(int output)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct pollfd fd = { .fd = output, .events = POLLIN };
	char text[256];
	ssize_t n;

	(void)dup2(null, 1);
	for (;;) {
		if (poll(&fd, 1, WALLED_MS) != 1)
			return false;
		n = read(output, text, sizeof text);
		if (n <= 0)
			return n == 0;
	}
}

static int stubborn_tool_is_ended(void)
{
	struct walled walled;
	struct pmg_err err = PMG_ERR_INIT;
	int output = take_output();
	char byte;
	bool right;

	walled_begin(&walled, "/bin/true");
	walled_start(&walled, SH(TEXT("trap '' TERM HUP INT; echo; while :; do sleep 100; done")),
		     0);
	walled_go(&walled);
	right = walled_until(&walled, PMG_WIRE_STARTED) && read(output, &byte, 1) == 1 &&
		pmg_sandbox_stop(&walled.sandbox, &err) == 0 &&
		walled_until(&walled, PMG_WIRE_ENDED) && WIFSIGNALED(walled.status) &&
		WTERMSIG(walled.status) == SIGKILL && all_gone(output);
	walled_end(&walled);
	return !right;
}

static int orphans_are_ended(void)
{
	struct walled walled;
	int output = take_output();
	bool right;

	walled_begin(&walled, "/bin/true");
	walled_run(&walled, SH(TEXT("(trap '' TERM HUP; sleep 100 & sleep 100) & exit 3")), 0);
	right = walled.ended && WIFEXITED(walled.status) && WEXITSTATUS(walled.status) == 3 &&
		all_gone(output);
	walled_end(&walled);
	return !right;
}

/* First child of a process, 0: none. */
static pid_t child_of(pid_t pid, size_t which)
{
	pmg_autofree char *path =
		pmg_xasprintf("/proc/%ld/task/%ld/children", (long)pid, (long)pid);
	pmg_autofree char *text = NULL;
	pmg_auto(strv) struct pmg_strv list = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofd int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len;

	if (fd < 0 || pmg_io_slurp_fd(fd, path, 4096, &text, &len, &err) < 0)
		return 0;
	pmg_strv_split(&list, text, " ");
	return list.n > which ? (pid_t)strtol(list.v[which], NULL, 10) : 0;
}

/* What the kernel has orphaned comes to us; what lives is waited for until the alarm ends us. */
static void adopt(void)
{
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

static void wait_for_all(void)
{
	(void)alarm(WALLED_MS / 1000);
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
		;
	(void)alarm(0);
}

enum part { KEEPER, BROKER, REAPER, TOOL };

static int after_the_death_of(enum part part)
{
	struct walled walled;
	int output = take_output();
	pid_t pids[4];
	bool right;

	adopt();
	walled_begin(&walled, "/bin/true");
	walled_start(&walled, SH(TEXT("trap '' TERM HUP INT; sleep 100 & sleep 100")), 0);
	walled_go(&walled);
	if (!walled_until(&walled, PMG_WIRE_STARTED))
		return 1;
	pids[KEEPER] = walled.sandbox.keeper;
	pids[BROKER] = child_of(pids[KEEPER], 0);
	pids[REAPER] = child_of(pids[BROKER], 0);
	pids[TOOL] = walled.pid;
	right = pids[BROKER] > 0 && pids[REAPER] > 0 && pids[REAPER] != pids[TOOL] &&
		child_of(pids[BROKER], 1) == pids[TOOL] && kill(pids[part], SIGKILL) == 0;
	while (right && walled_hear(&walled) != 0)
		;
	right = right && all_gone(output);
	walled_end(&walled);
	wait_for_all();
	return !right || kill(pids[BROKER], 0) == 0 || kill(pids[REAPER], 0) == 0 ||
	       kill(pids[TOOL], 0) == 0;
}

static int keeper_dies(void)
{
	return after_the_death_of(KEEPER);
}

static int broker_dies(void)
{
	return after_the_death_of(BROKER);
}

static int reaper_dies(void)
{
	return after_the_death_of(REAPER);
}

static int tool_dies(void)
{
	return after_the_death_of(TOOL);
}

/* Is there a line "NAME:\tVALUE" in a process's status? It may take a moment. */
static bool has_status(pid_t pid, const char *line)
{
	pmg_autofree char *path = pmg_xasprintf("/proc/%ld/status", (long)pid);
	const struct timespec wait = { 0, 10000000 };
	int tries;

	for (tries = 0; tries < 500; tries++) {
		pmg_autofree char *text = slurp(path);

		if (text && strstr(text, line))
			return true;
		(void)nanosleep(&wait, NULL);
	}
	fprintf(stderr, "%s: no %s\n", path, line);
	return false;
}

static int parts_have_few_rights(void)
{
	struct walled walled;
	bool right, root = geteuid() == 0;
	pid_t broker, reaper;

	walled_begin(&walled, "/bin/true");
	walled_start(&walled, SH(TEXT("sleep 100")), 0);
	walled_go(&walled);
	right = walled_until(&walled, PMG_WIRE_STARTED);
	broker = child_of(walled.sandbox.keeper, 0);
	reaper = child_of(broker, 0);
	right = right && has_status(walled.sandbox.keeper, "Seccomp:\t2") &&
		has_status(walled.sandbox.keeper, "CapPrm:\t0000000000200000") &&
		has_status(broker,
			   root ? "CapPrm:\t000000000008001b" : "CapPrm:\t0000000000080000") &&
		has_status(broker, "NoNewPrivs:\t1") &&
		has_status(reaper, "CapPrm:\t0000000000000000");
	walled_end(&walled);
	return !right;
}

static bool appears(const char *dir, const char *name)
{
	pmg_autofree char *path = pmg_path_join(dir, name);
	const struct timespec wait = { 0, 10000000 };
	int tries;

	for (tries = 0; tries < 500 && access(path, F_OK) < 0; tries++)
		(void)nanosleep(&wait, NULL);
	return tries < 500;
}

/* Somebody outside writes the file anew; a hidden one is the null device. */
static int mask_comes_back(void)
{
	struct walled walled;
	bool right;

	walled_begin(&walled, "/bin/true");
	walled_start(&walled,
		     SH(TEXT("[ -c .env ] || exit 1; : >deps/ready; "
			     "until [ -e deps/done ]; do sleep 0.02; done; "
			     "i=0; until [ -c .env ]; do i=$((i+1)); [ $i -lt 500 ] || exit 2; "
			     "sleep 0.02; done")),
		     0);
	walled_go(&walled);
	right = walled_until(&walled, PMG_WIRE_STARTED) && appears(walled.project, "deps/ready");
	folder_write(walled.project, ".env", "secret", 6);
	folder_write(walled.project, "deps/done", "", 0);
	right = right && walled_until(&walled, PMG_WIRE_ENDED) && WIFEXITED(walled.status) &&
		WEXITSTATUS(walled.status) == 0;
	if (!right)
		fprintf(stderr, "status %x\n", (unsigned)walled.status);
	walled_end(&walled);
	return !right;
}

/* The front, in a child of its own, tells its pids and waits to be killed. */
static void doomed_front(int tell)
{
	struct walled walled;
	pid_t pids[2] = { 0 };

	walled_begin(&walled, "/bin/true");
	walled_start(&walled, SH(TEXT("trap '' TERM HUP INT; sleep 100 & sleep 100")), 0);
	walled_go(&walled);
	if (walled_until(&walled, PMG_WIRE_STARTED)) {
		pids[0] = walled.sandbox.keeper;
		pids[1] = walled.pid;
	}
	(void)!write(tell, pids, sizeof pids);
	(void)pause();
}

static int front_dies(void)
{
	int output = take_output(), tell[2];
	pid_t pids[2] = { 0 }, front;
	bool right;

	adopt();
	if (pipe2(tell, O_CLOEXEC) < 0)
		return 1;
	front = fork();
	if (front == 0) {
		doomed_front(tell[1]);
		_exit(0);
	}
	right = read(tell[0], pids, sizeof pids) == (ssize_t)sizeof pids && pids[1] > 0 &&
		kill(front, SIGKILL) == 0 && all_gone(output);
	wait_for_all();
	return !right || kill(pids[0], 0) == 0 || kill(pids[1], 0) == 0;
}

CHILD_CASE(an_exit_status_is_passed_on, exits)
CHILD_CASE(a_deadly_signal_is_passed_on, is_killed)
CHILD_CASE(the_tool_is_alone_in_its_proc, sees_itself)
CHILD_CASE(the_tool_has_no_rights_and_no_mask, has_no_rights)
CHILD_CASE(the_tool_has_three_descriptors, has_three_descriptors)
CHILD_CASE(a_stop_is_told_and_it_can_go_on, is_stopped)
CHILD_CASE(the_tool_stays_in_session_and_group, stays_in_our_session)
CHILD_CASE(a_program_that_is_missing_is_told, is_not_there)
CHILD_CASE(a_program_that_is_none_is_told, is_no_program)
CHILD_CASE(what_ignores_signals_is_ended, stubborn_tool_is_ended)
CHILD_CASE(what_outlives_the_tool_is_ended, orphans_are_ended)
CHILD_CASE(each_part_has_few_rights, parts_have_few_rights)
CHILD_CASE(a_mask_comes_back_while_the_run_goes_on, mask_comes_back)
CHILD_CASE(nothing_outlives_the_keeper, keeper_dies)
CHILD_CASE(nothing_outlives_the_broker, broker_dies)
CHILD_CASE(nothing_outlives_pid_1, reaper_dies)
CHILD_CASE(nothing_outlives_the_tool, tool_dies)
CHILD_CASE(nothing_outlives_the_front, front_dies)

static void the_host_is_as_before(void **state)
{
	pmg_autofree char *users = slurp("/proc/sys/user/max_user_namespaces");
	pmg_autofree char *mounts = slurp("/proc/self/mountinfo");
	pmg_autofree char *users_after = NULL, *mounts_after = NULL;

	(void)state;
	CHILD_BOTH(exits);
	users_after = slurp("/proc/sys/user/max_user_namespaces");
	mounts_after = slurp("/proc/self/mountinfo");
	assert_non_null(mounts);
	assert_true(pmg_streq(users, users_after));
	assert_true(pmg_streq(mounts, mounts_after));
}

static int can(void)
{
	pmg_auto(probe) struct pmg_probe probe = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	return pmg_driver_full.probe(&probe, &err) < 0 || probe.missing;
}

int main(void)
{
	char self[PATH_MAX];
	pmg_auto(folder) char *place = walled_place(self);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_exit_status_is_passed_on),
		cmocka_unit_test(a_deadly_signal_is_passed_on),
		cmocka_unit_test(the_tool_is_alone_in_its_proc),
		cmocka_unit_test(the_tool_has_no_rights_and_no_mask),
		cmocka_unit_test(the_tool_has_three_descriptors),
		cmocka_unit_test(a_stop_is_told_and_it_can_go_on),
		cmocka_unit_test(the_tool_stays_in_session_and_group),
		cmocka_unit_test(a_program_that_is_missing_is_told),
		cmocka_unit_test(a_program_that_is_none_is_told),
		cmocka_unit_test(what_ignores_signals_is_ended),
		cmocka_unit_test(what_outlives_the_tool_is_ended),
		cmocka_unit_test(each_part_has_few_rights),
		cmocka_unit_test(a_mask_comes_back_while_the_run_goes_on),
		cmocka_unit_test(nothing_outlives_the_keeper),
		cmocka_unit_test(nothing_outlives_the_broker),
		cmocka_unit_test(nothing_outlives_pid_1),
		cmocka_unit_test(nothing_outlives_the_tool),
		cmocka_unit_test(nothing_outlives_the_front),
		cmocka_unit_test(the_host_is_as_before),
	};

	(void)place; /* kept until the end */
	if (in_child(can, true) != 0)
		return child_skip("no walls here");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
