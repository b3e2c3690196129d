#include "verdict/publish.h"

#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../helper/folder.h"
#include "../helper/records.h"
#include "base/io.h"
#include "base/str.h"

static const char *const first[] = { RECORD("MAL-1", "x", EVER), NULL };
static const char *const second[] = { RECORD("MAL-2", "y", EVER), RECORD("MAL-3", "z", EVER),
				      NULL };

static uint64_t records_of(const char *path)
{
	pmg_auto(index) struct pmg_index *index = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	records_must(pmg_index_open(path, &index, &err), &err);
	return pmg_index_records(index);
}

static void the_index_and_the_one_before_change_places(void **state)
{
	pmg_auto(folder) char *dir = folder_new();
	pmg_autofree char *path = pmg_path_join(dir, "intel.db");
	pmg_autofree char *prev = pmg_path_join(dir, "intel.db.prev");
	struct pmg_rollback r = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	(void)records_build(dir, "f", first);
	(void)records_build(dir, "f", second);
	assert_int_equal(pmg_rollback(path, &r, &err), 0);
	assert_true(r.from.usable && r.to.usable);
	assert_int_equal(r.from.records, 2);
	assert_int_equal(r.to.records, 1);
	assert_int_equal(r.to.built, RECORDS_NOW);
	assert_int_equal(records_of(path), 1);
	assert_int_equal(records_of(prev), 2);
	assert_int_equal(pmg_rollback(path, &r, &err), 0);
	assert_int_equal(records_of(path), 2);
}

static void there_must_be_a_previous_one_and_it_must_be_sound(void **state)
{
	pmg_auto(folder) char *dir = folder_new();
	pmg_autofree char *path = pmg_path_join(dir, "intel.db");
	struct pmg_rollback r = { .to = { .records = 7 } };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_rollback(path, &r, &err), -PMG_E_NOTFOUND);
	(void)records_build(dir, "f", first);
	assert_int_equal(pmg_rollback(path, &r, &err), -PMG_E_NOTFOUND);
	assert_non_null(strstr(err.hint, "intel.db.prev"));
	folder_write(dir, "intel.db.prev", "SQLite format 3 or so", 21);
	assert_int_equal(pmg_rollback(path, &r, &err), -PMG_E_DB);
	assert_non_null(strstr(err.msg, "the previous index: "));
	assert_int_equal(records_of(path), 1);
	assert_int_equal(r.to.records, 7);
}

static void what_is_damaged_or_missing_is_rolled_back_too(void **state)
{
	pmg_auto(folder) char *dir = folder_new();
	pmg_autofree char *path = pmg_path_join(dir, "intel.db");
	struct pmg_rollback r = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	(void)records_build(dir, "f", first);
	(void)records_build(dir, "f", second);
	folder_write(dir, "intel.db", "damaged", 7);
	assert_int_equal(pmg_rollback(path, &r, &err), 0);
	assert_false(r.from.usable);
	assert_int_equal(records_of(path), 1);
	assert_int_equal(pmg_rollback(path, &r, &err), -PMG_E_DB); /* the damaged one */
	(void)records_build(dir, "f", second);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(pmg_rollback(path, &r, &err), 0);
	assert_false(r.from.usable);
	assert_int_equal(records_of(path), 1);
}

/* Eight look while it is replaced fifty times: each finds one whole index. */
#define READERS 8
#define ROUNDS  50

static void look_until(const char *path, int stop)
{
	struct pmg_index_question q = { PMG_ECO_NPM, "always", "1.0.0", true };
	struct pmg_err err = PMG_ERR_INIT;
	char byte;

	do {
		pmg_auto(index) struct pmg_index *index = NULL;
		pmg_auto(index_answer) struct pmg_index_answer answer = { 0 };

		if (pmg_index_open(path, &index, &err) < 0 ||
		    pmg_index_find(index, &q, &answer, &err) < 0 || answer.hit != PMG_INDEX_HIT) {
			fprintf(stderr, "a reader: %s\n", err.msg);
			_exit(1);
		}
		(void)poll(NULL, 0, 1);     /* leave the machine to the one who replaces */
	} while (read(stop, &byte, 1) < 0); /* EAGAIN */
	_exit(0);
}

static void readers_see_one_index_whole_while_it_is_replaced(void **state)
{
	static const char *const with_y[] = { RECORD("MAL-0", "always", EVER),
					      RECORD("MAL-1", "y", EVER), NULL };
	static const char *const with_z[] = { RECORD("MAL-0", "always", EVER), NULL };
	pmg_auto(folder) char *dir = folder_new();
	pmg_autofree char *path = pmg_path_join(dir, "intel.db");
	struct pmg_rollback r;
	struct pmg_err err = PMG_ERR_INIT;
	pid_t readers[READERS];
	int i, status, stop[2];

	(void)state;
	(void)records_build(dir, "f", with_y);
	assert_int_equal(pipe2(stop, O_NONBLOCK | O_CLOEXEC), 0);
	for (i = 0; i < READERS; i++) {
		readers[i] = fork();
		if (readers[i] == 0) {
			(void)close(stop[1]);
			look_until(path, stop[0]);
		}
	}
	for (i = 0; i < ROUNDS; i++)
		if (i % 5 == 4)
			assert_int_equal(pmg_rollback(path, &r, &err), 0);
		else
			(void)records_build(dir, "f", i % 2 ? with_y : with_z);
	(void)close(stop[1]);
	for (i = 0; i < READERS; i++) {
		assert_int_equal(waitpid(readers[i], &status, 0), readers[i]);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	(void)close(stop[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_index_and_the_one_before_change_places),
		cmocka_unit_test(there_must_be_a_previous_one_and_it_must_be_sound),
		cmocka_unit_test(what_is_damaged_or_missing_is_rolled_back_too),
		cmocka_unit_test(readers_see_one_index_whole_while_it_is_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
