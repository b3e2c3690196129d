#include "proxy/spool.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define PIECE 70001U /* meets no end of a block */

static char byte_at(uint64_t i, unsigned seed)
{
	return (char)((i * 2654435761U + seed) >> 13);
}

static void add(struct pmg_spooled *body, uint64_t upto, unsigned seed)
{
	struct pmg_err err = PMG_ERR_INIT;
	char piece[PIECE];
	size_t i, n;

	while (body->len < upto) {
		n = upto - body->len < PIECE ? (size_t)(upto - body->len) : PIECE;
		for (i = 0; i < n; i++)
			piece[i] = byte_at(body->len + i, seed);
		assert_int_equal(pmg_spooled_add(body, piece, n, &err), 0);
	}
}

static void check(const struct pmg_spooled *body, unsigned seed)
{
	struct pmg_err err = PMG_ERR_INIT;
	char piece[PIECE];
	uint64_t at = 0;
	size_t i, n = 0;

	do {
		assert_int_equal(pmg_spooled_read(body, at, piece, PIECE, &n, &err), 0);
		for (i = 0; i < n; i++)
			if (piece[i] != byte_at(at + i, seed))
				fail_msg("byte %zu of %llu", i, (unsigned long long)at);
		at += n;
	} while (n > 0);
	assert_int_equal(at, body->len);
}

/* A file of the test's own, so that its size can be looked at. */
static int file(void)
{
	int fd = pmg_spool_open();

	assert_true(fd >= 0);
	return fd;
}

static off_t size_of(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return st.st_size;
}

static void what_is_small_stays_in_memory(void **state)
{
	int fd = file(), look = dup(fd);
	pmg_auto(spool) struct pmg_spool *spool = pmg_spool_new(fd);
	struct pmg_spooled body = { .spool = spool };

	(void)state;
	add(&body, PMG_SPOOL_ONE_MAX, 1);
	check(&body, 1);
	assert_int_equal(size_of(look), 0);
	pmg_spooled_done(&body);
	assert_int_equal(body.len, 0);
	(void)close(look);
}

/* Two share the memory and the file, and come in turns. */
static void what_is_large_goes_to_the_file_which_is_emptied(void **state)
{
	int fd = file(), look = dup(fd);
	pmg_auto(spool) struct pmg_spool *spool = pmg_spool_new(fd);
	struct pmg_spooled a = { .spool = spool }, b = { .spool = spool }, c = { .spool = spool };
	uint64_t i;

	(void)state;
	for (i = 1; i <= 20; i++) {
		add(&a, i << 20, 1);
		add(&b, i << 20, 2);
	}
	assert_true(a.memory.len + b.memory.len <= PMG_SPOOL_MEMORY_MAX);
	assert_true(size_of(look) >= 28 << 20);
	check(&a, 1);
	check(&b, 2);
	pmg_spooled_done(&a);
	add(&c, 9 << 20, 3); /* where a was */
	check(&c, 3);
	check(&b, 2);
	assert_true(size_of(look) <= 29 << 20);
	pmg_spooled_done(&b);
	pmg_spooled_done(&c);
	assert_int_equal(size_of(look), 0);
	add(&a, 20 << 20, 4); /* usable again */
	check(&a, 4);
	pmg_spooled_done(&a);
	(void)close(look);
}

static void without_a_file_what_is_large_is_refused(void **state)
{
	pmg_auto(spool) struct pmg_spool *spool = pmg_spool_new(-1);
	struct pmg_spooled body = { .spool = spool };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	add(&body, PMG_SPOOL_ONE_MAX, 1);
	assert_int_equal(pmg_spooled_add(&body, "x", 1, &err), -PMG_E_LIMIT);
	assert_string_equal(err.msg, "no room for so large a document");
	check(&body, 1);
	pmg_spooled_done(&body);
}

/* A disk that is full, or whatever else the kernel says. */
static void a_file_that_takes_nothing_is_an_error(void **state)
{
	pmg_auto(spool) struct pmg_spool *spool =
		pmg_spool_new(open("/dev/null", O_RDONLY | O_CLOEXEC));
	struct pmg_spooled body = { .spool = spool };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	add(&body, PMG_SPOOL_ONE_MAX, 1);
	assert_int_equal(pmg_spooled_add(&body, "x", 1, &err), -PMG_E_SYS);
	assert_int_equal(err.code, PMG_E_SYS);
	pmg_spooled_done(&body);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_small_stays_in_memory),
		cmocka_unit_test(what_is_large_goes_to_the_file_which_is_emptied),
		cmocka_unit_test(without_a_file_what_is_large_is_refused),
		cmocka_unit_test(a_file_that_takes_nothing_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
