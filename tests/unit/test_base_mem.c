#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void a_copy_ends_where_it_is_told(void **state)
{
	static const struct {
		const char *text;
		size_t n;
		const char *copy;
	} rows[] = { { "", 0, "" },      { "", 5, "" },       { "abc", 0, "" },
		     { "abc", 2, "ab" }, { "abc", 3, "abc" }, { "abc", 99, "abc" } };
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *copy = pmg_xstrndup(rows[i].text, rows[i].n);

		assert_string_equal(copy, rows[i].copy);
	}
}

static void a_growing_array_keeps_what_it_holds(void **state)
{
	pmg_autofree uint32_t *list = NULL;
	size_t n, cap = 0;

	(void)state;
	for (n = 0; n < 1000; n++) {
		list = pmg_grow(list, n, &cap, sizeof *list);
		assert_true(cap > n);
		list[n] = (uint32_t)n * 7;
	}
	for (n = 0; n < 1000; n++)
		assert_int_equal(list[n], n * 7);
}

static void nothing_asked_for_is_still_memory(void **state)
{
	pmg_autofree void *a = pmg_xmalloc(0);
	pmg_autofree char *b = pmg_xcalloc(0, 0);
	pmg_autofree void *c = pmg_xrealloc(NULL, 0, 8);

	(void)state;
	assert_non_null(a);
	assert_int_equal(b[0], 0);
	assert_non_null(c);
}

static void overflow_realloc(void)
{
	pmg_autofree void *p = pmg_xrealloc(NULL, SIZE_MAX / 2, 3);

	(void)p;
}

static void overflow_grow(void)
{
	size_t cap = SIZE_MAX / 2;
	pmg_autofree void *p = pmg_grow(NULL, SIZE_MAX / 2, &cap, 16);

	(void)p;
}

/* Aborts rather than hands out too little: section 6 of the house style rests on it. */
static void too_much_aborts(void **state)
{
	static void (*const rows[])(void) = { overflow_realloc, overflow_grow };
	const struct rlimit no_core = { 0, 0 };
	int status;
	size_t i;
	pid_t pid;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pid = fork();
		assert_true(pid >= 0);
		if (pid == 0) {
			(void)setrlimit(RLIMIT_CORE, &no_core);
			(void)sigaction(SIGABRT, &(struct sigaction){ .sa_handler = SIG_DFL },
					NULL);
			rows[i]();
			_exit(0);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	}
}

static void a_descriptor_is_closed_at_the_end_of_its_block(void **state)
{
	int number;

	(void)state;
	{
		pmg_autofd int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

		assert_true(fd >= 0);
		number = fd;
		errno = EDOM;
	}
	assert_int_equal(errno, EDOM); /* the way out must not disturb what is reported */
	assert_int_equal(fcntl(number, F_GETFD), -1);
}

static void what_is_stolen_survives(void **state)
{
	pmg_autofree char *kept = NULL;
	int number;

	(void)state;
	{
		pmg_autofree char *text = pmg_xasprintf("%s-%d", "a", 1);
		pmg_autofd int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

		kept = pmg_steal_ptr(&text);
		number = pmg_steal_fd(&fd);
		assert_null(text);
		assert_int_equal(fd, -1);
	}
	assert_string_equal(kept, "a-1");
	assert_int_equal(close(number), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_copy_ends_where_it_is_told),
		cmocka_unit_test(a_growing_array_keeps_what_it_holds),
		cmocka_unit_test(nothing_asked_for_is_still_memory),
		cmocka_unit_test(too_much_aborts),
		cmocka_unit_test(a_descriptor_is_closed_at_the_end_of_its_block),
		cmocka_unit_test(what_is_stolen_survives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
