#include "sandbox/inside.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernel/seccomp.h"

static void nobody_watches_a_test_program(void **state)
{
	(void)state;
	assert_false(pmg_sandbox_is_inside());
}

/* A filter that lets everything through, with a listener that nobody needs to serve. */
static int watched(void)
{
	static const struct pmg_seccomp_rule rule = { .call = "reboot",
						      .action = PMG_SECCOMP_NOTIFY };
	static const struct pmg_seccomp_table table = { &rule, 1 };
	static const struct pmg_seccomp_program program = { .otherwise = PMG_SECCOMP_ALLOW,
							    .tables = &table,
							    .n = 1 };
	pmg_auto(seccomp_code) struct pmg_seccomp_code code = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	int listener;

	if (pmg_seccomp_compile(&program, &code, &err) < 0 ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    pmg_seccomp_enter(&code, &listener, &err) < 0)
		return 2;
	return pmg_sandbox_is_inside() ? 0 : 1;
}

static void who_is_watched_knows_it(void **state)
{
	pid_t child = fork();
	int status;

	(void)state;
	if (child == 0)
		_exit(watched());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_watches_a_test_program),
		cmocka_unit_test(who_is_watched_knows_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
