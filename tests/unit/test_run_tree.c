#include "run/tree.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const pid_t none[] = { 0 };

/* A child that starts a grandchild and ends: the grandchild, which sleeps, comes to us. */
static pid_t orphan(void)
{
	pid_t child, grandchild = 0;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		grandchild = fork();
		if (grandchild == 0) {
			(void)setsid();
			for (;;)
				(void)pause();
		}
		_exit(write(fds[1], &grandchild, sizeof grandchild) < 0);
	}
	assert_int_equal(read(fds[0], &grandchild, sizeof grandchild), sizeof grandchild);
	assert_int_equal(waitpid(child, NULL, 0), child);
	(void)close(fds[0]);
	(void)close(fds[1]);
	return grandchild;
}

static void what_forks_away_is_found_and_ended(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;
	pid_t pid;
	int status;

	(void)state;
	assert_int_equal(pmg_tree_adopt(&err), 0);
	assert_false(pmg_tree_has_others(none));
	pid = orphan();
	assert_true(pmg_tree_has_others(none));
	assert_int_equal(pmg_tree_signal(SIGTERM, none), 1);
	assert_int_equal(waitpid(-1, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_false(pmg_tree_has_others(none));
}

static void the_exception_and_what_is_below_it_is_spared(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;
	pid_t spared, hit;
	int status;

	(void)state;
	assert_int_equal(pmg_tree_adopt(&err), 0);
	spared = orphan();
	assert_false(pmg_tree_has_others((pid_t[]){ spared, 0 }));
	assert_int_equal(pmg_tree_signal(SIGTERM, (pid_t[]){ spared, 0 }), 0);
	hit = orphan();
	assert_true(pmg_tree_has_others((pid_t[]){ spared, 0 }));
	assert_int_equal(pmg_tree_signal(SIGKILL, (pid_t[]){ spared, 0 }), 1);
	assert_int_equal(waitpid(-1, &status, 0), hit);
	assert_int_equal(kill(spared, SIGKILL), 0);
	assert_int_equal(waitpid(spared, &status, 0), spared);
}

static void deep_trees_are_counted_and_zombies_are_not(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;
	int fds[2], status;
	char ready;
	pid_t top, zombie;

	(void)state;
	assert_int_equal(pmg_tree_adopt(&err), 0);
	assert_int_equal(pipe(fds), 0);
	top = fork();
	assert_true(top >= 0);
	if (top == 0) {
		if (fork() == 0 && fork() == 0)
			(void)!write(fds[1], "r", 1);
		for (;;)
			(void)pause();
	}
	assert_int_equal(read(fds[0], &ready, 1), 1);
	zombie = fork();
	assert_true(zombie >= 0);
	if (zombie == 0)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t)zombie, &(siginfo_t){ 0 }, WEXITED | WNOWAIT), 0);
	assert_int_equal(pmg_tree_signal(SIGKILL, none), 3);
	while (waitpid(-1, &status, 0) > 0)
		;
	assert_int_equal(errno, ECHILD);
	assert_int_equal(pmg_tree_signal(SIGKILL, none), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_forks_away_is_found_and_ended),
		cmocka_unit_test(the_exception_and_what_is_below_it_is_spared),
		cmocka_unit_test(deep_trees_are_counted_and_zombies_are_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
