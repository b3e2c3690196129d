#include "store/store.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "base/path.h"

static const char *const steps[] = {
	"CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, note TEXT)",
	"CREATE INDEX t_name ON t(name); CREATE TABLE u(a)",
};

static char folder[4096];

static int setup(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	(void)snprintf(folder, sizeof folder, "%s/store.XXXXXX", tmp ? tmp : ".");
	return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
	char cmd[5000];
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		(void)snprintf(cmd, sizeof cmd, "%s", folder);
		execl("/bin/rm", "rm", "-rf", cmd, (char *)NULL);
		_exit(127);
	}
	return pid > 0 && waitpid(pid, NULL, 0) == pid ? 0 : -1;
}

static struct pmg_store *must_open(const char *path, enum pmg_store_mode mode)
{
	struct pmg_err err = PMG_ERR_INIT;
	struct pmg_store *store = NULL;

	if (pmg_store_open(path, mode, &store, &err) < 0)
		fail_msg("%s", err.msg);
	return store;
}

static int64_t count(struct pmg_store *store)
{
	pmg_auto(stmt) struct pmg_stmt *stmt = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(pmg_store_prepare(store, "SELECT count(*) FROM t", &stmt, &err), 0);
	assert_int_equal(pmg_stmt_step(stmt, &err), 1);
	return pmg_stmt_int(stmt, 0);
}

static void a_new_file_is_private_and_so_are_its_folders(void **state)
{
	pmg_autofree char *dir = pmg_path_join(folder, "new/deep?q=1%41#");
	pmg_autofree char *path = pmg_path_join(dir, "x.db"), *wal = NULL;
	pmg_auto(store) struct pmg_store *store = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	struct stat st;

	(void)state;
	(void)umask(0);
	store = must_open(path, PMG_STORE_WRITE);
	assert_int_equal(pmg_store_migrate(store, steps, 2, &err), 0);
	wal = pmg_xasprintf("%s-wal", path);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(stat(wal, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(stat(dir, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_string_equal(pmg_store_path(store), path);
}

static void migration_runs_each_step_once(void **state)
{
	pmg_autofree char *path = pmg_path_join(folder, "migrate.db");
	pmg_auto(store) struct pmg_store *store = must_open(path, PMG_STORE_WRITE);
	struct pmg_err err = PMG_ERR_INIT;
	int64_t version = -1;

	(void)state;
	assert_int_equal(pmg_store_migrate(store, steps, 1, &err), 0);
	assert_int_equal(pmg_store_user_version(store, &version, &err), 0);
	assert_int_equal(version, 1);
	assert_int_equal(pmg_store_migrate(store, steps, 2, &err), 0);
	assert_int_equal(pmg_store_migrate(store, steps, 2, &err), 0);
	assert_int_equal(pmg_store_user_version(store, &version, &err), 0);
	assert_int_equal(version, 2);
}

static void a_step_that_fails_leaves_nothing_behind(void **state)
{
	static const char *const bad[] = { "CREATE TABLE a(x); CREATE TABLE a(x)" };
	pmg_autofree char *path = pmg_path_join(folder, "bad-step.db");
	pmg_auto(store) struct pmg_store *store = must_open(path, PMG_STORE_WRITE);
	struct pmg_err err = PMG_ERR_INIT;
	int64_t version = -1;

	(void)state;
	assert_int_equal(pmg_store_migrate(store, bad, 1, &err), -PMG_E_DB);
	assert_non_null(strstr(err.msg, "step 1"));
	assert_non_null(strstr(err.msg, "already exists"));
	assert_int_equal(pmg_store_user_version(store, &version, &err), 0);
	assert_int_equal(version, 0);
	assert_int_equal(pmg_store_exec(store, "CREATE TABLE a(x)", &err), 0);
}

static void a_file_of_a_newer_pmg_is_refused(void **state)
{
	pmg_autofree char *path = pmg_path_join(folder, "newer.db");
	pmg_auto(store) struct pmg_store *store = must_open(path, PMG_STORE_WRITE);
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_store_migrate(store, steps, 2, &err), 0);
	assert_int_equal(pmg_store_migrate(store, steps, 1, &err), -PMG_E_DB);
	assert_non_null(strstr(err.msg, "version 2, this pmg knows 1"));
	assert_non_null(strstr(err.hint, "newer pmg"));
}

static void values_come_back_as_they_were_bound(void **state)
{
	pmg_autofree char *path = pmg_path_join(folder, "values.db");
	pmg_auto(store) struct pmg_store *store = must_open(path, PMG_STORE_WRITE);
	pmg_auto(stmt) struct pmg_stmt *in = NULL;
	pmg_auto(stmt) struct pmg_stmt *out = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_store_migrate(store, steps, 2, &err), 0);
	assert_int_equal(pmg_store_prepare(store, "INSERT INTO t VALUES(?1,?2,?3)", &in, &err), 0);
	pmg_stmt_bind_int(in, 1, INT64_MIN);
	pmg_stmt_bind_text(in, 2, "a'\n\xc3\xa9");
	pmg_stmt_bind_text(in, 3, "");
	assert_int_equal(pmg_stmt_run(in, &err), 0);
	assert_int_equal(pmg_store_changes(store), 1);
	assert_true(pmg_store_last_id(store) == INT64_MIN);
	pmg_stmt_bind_int(in, 1, 7);
	pmg_stmt_bind_text(in, 2, NULL);
	pmg_stmt_bind_text(in, 3, NULL);
	assert_int_equal(pmg_stmt_run(in, &err), 0);

	assert_int_equal(pmg_store_prepare(store, "SELECT * FROM t ORDER BY id", &out, &err), 0);
	assert_int_equal(pmg_stmt_step(out, &err), 1);
	assert_true(pmg_stmt_int(out, 0) == INT64_MIN);
	assert_string_equal(pmg_stmt_text(out, 1), "a'\n\xc3\xa9");
	assert_string_equal(pmg_stmt_text(out, 2), "");
	assert_false(pmg_stmt_is_null(out, 2));
	assert_int_equal(pmg_stmt_step(out, &err), 1);
	assert_null(pmg_stmt_text(out, 1));
	assert_true(pmg_stmt_is_null(out, 2));
	assert_false(pmg_stmt_is_null(out, 0));
	assert_int_equal(pmg_stmt_step(out, &err), 0);
}

static void bytes_are_found_by_what_they_are(void **state)
{
	pmg_autofree char *path = pmg_path_join(folder, "bytes.db");
	pmg_auto(store) struct pmg_store *store = must_open(path, PMG_STORE_WRITE);
	pmg_auto(stmt) struct pmg_stmt *stmt = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_store_prepare(store, "SELECT ?1 = x'00ff00'", &stmt, &err), 0);
	pmg_stmt_bind_blob(stmt, 1, "\0\xff\0", 3);
	assert_int_equal(pmg_stmt_step(stmt, &err), 1);
	assert_int_equal(pmg_stmt_int(stmt, 0), 1);
	pmg_stmt_reset(stmt);
	pmg_stmt_bind_blob(stmt, 1, "\0\xff\0", 2);
	assert_int_equal(pmg_stmt_step(stmt, &err), 1);
	assert_int_equal(pmg_stmt_int(stmt, 0), 0);
}

static void a_bind_that_cannot_be_is_told_by_the_next_step(void **state)
{
	pmg_autofree char *path = pmg_path_join(folder, "bind.db");
	pmg_auto(store) struct pmg_store *store = must_open(path, PMG_STORE_WRITE);
	pmg_auto(stmt) struct pmg_stmt *stmt = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_store_prepare(store, "SELECT ?1", &stmt, &err), 0);
	pmg_stmt_bind_int(stmt, 2, 1);
	pmg_stmt_bind_int(stmt, 1, 1);
	assert_int_equal(pmg_stmt_step(stmt, &err), -PMG_E_DB);
	assert_int_equal(pmg_stmt_step(stmt, &err), 1);
}

static void rollback_undoes_and_closing_rolls_back(void **state)
{
	pmg_autofree char *path = pmg_path_join(folder, "tx.db");
	pmg_auto(store) struct pmg_store *store = must_open(path, PMG_STORE_WRITE);
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	pmg_store_rollback(store); /* without a transaction: nothing */
	assert_int_equal(pmg_store_migrate(store, steps, 2, &err), 0);
	assert_int_equal(pmg_store_begin(store, &err), 0);
	assert_int_equal(pmg_store_exec(store, "INSERT INTO t(name) VALUES('a')", &err), 0);
	pmg_store_rollback(store);
	assert_int_equal(count(store), 0);
	assert_int_equal(pmg_store_begin(store, &err), 0);
	assert_int_equal(pmg_store_exec(store, "INSERT INTO t(name) VALUES('a')", &err), 0);
	assert_int_equal(pmg_store_commit(store, &err), 0);
	assert_int_equal(pmg_store_begin(store, &err), 0);
	assert_int_equal(pmg_store_exec(store, "INSERT INTO t(name) VALUES('b')", &err), 0);
	pmg_store_close(pmg_steal_ptr(&store));
	store = must_open(path, PMG_STORE_READ);
	assert_int_equal(count(store), 1);
}

static off_t size_of(const char *path, const char *tail)
{
	pmg_autofree char *whole = pmg_xasprintf("%s%s", path, tail);
	struct stat st;

	return stat(whole, &st) == 0 ? st.st_size : -1;
}

/* Nobody waits for the disk at the end, nothing is missing, and the log does not grow for ever. */
static void what_is_left_in_the_log_is_there(void **state)
{
	pmg_autofree char *path = pmg_path_join(folder, "log.db");
	pmg_autofree char *moved = pmg_path_join(folder, "moved.db");
	struct pmg_err err = PMG_ERR_INIT;
	off_t size = 0, most = 0;
	int i, emptied = 0;

	(void)state;
	for (i = 0; i < 300; i++) {
		pmg_auto(store) struct pmg_store *store = must_open(path, PMG_STORE_WRITE);

		assert_int_equal(pmg_store_leave_log(store, &err), 0);
		assert_int_equal(pmg_store_migrate(store, steps, 2, &err), 0);
		assert_int_equal(count(store), i);
		assert_int_equal(pmg_store_exec(store, "INSERT INTO t(name) VALUES('x')", &err), 0);
		pmg_store_close(pmg_steal_ptr(&store));
		size = size_of(path, "-wal");
		assert_true(size > 0 || most > PMG_STORE_LOG_MAX / 2);
		emptied += size <= 0;
		most = size > most ? size : most;
	}
	assert_true(most <= PMG_STORE_LOG_MAX);
	assert_true(emptied > 0 && emptied < 10);
	/* What belonged to a file that was moved away is not taken for its successor's. */
	assert_int_equal(rename(path, moved), 0);
	{
		pmg_auto(store) struct pmg_store *store = must_open(path, PMG_STORE_WRITE);

		assert_int_equal(pmg_store_leave_log(store, &err), 0);
		assert_int_equal(pmg_store_migrate(store, steps, 2, &err), 0);
		assert_int_equal(count(store), 0);
		assert_int_equal(pmg_store_check(store, &err), 0);
	}
}

static void child_work(const char *path)
{
	struct pmg_err err = PMG_ERR_INIT;
	struct pmg_store *store = NULL;
	int r = pmg_store_open(path, PMG_STORE_WRITE, &store, &err), i;

	if (r == 0 && strstr(path, "-log.db"))
		r = pmg_store_leave_log(store, &err);
	if (r == 0)
		r = pmg_store_migrate(store, steps, 2, &err);
	for (i = 0; r == 0 && i < 20; i++) {
		r = pmg_store_begin(store, &err);
		if (r == 0)
			r = pmg_store_exec(store, "INSERT INTO t(name) VALUES('x')", &err);
		if (r == 0)
			r = pmg_store_commit(store, &err);
	}
	if (r < 0)
		fprintf(stderr, "child: %s\n", err.msg);
	pmg_store_close(store);
	_exit(r < 0 ? 1 : 0);
}

static void all_write(const char *name)
{
	pmg_autofree char *path = pmg_path_join(folder, name);
	pmg_auto(store) struct pmg_store *store = NULL;
	pid_t pids[6];
	size_t i;
	int status;

	for (i = 0; i < PMG_ARRAY_LEN(pids); i++) {
		pids[i] = fork();
		assert_true(pids[i] >= 0);
		if (pids[i] == 0)
			child_work(path);
	}
	for (i = 0; i < PMG_ARRAY_LEN(pids); i++) {
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
	store = must_open(path, PMG_STORE_WRITE);
	assert_int_equal(count(store), 20 * PMG_ARRAY_LEN(pids));
}

static void processes_that_start_together_all_write(void **state)
{
	(void)state;
	all_write("many.db");
	all_write("many-log.db");
}

static void a_missing_file_is_not_found_for_a_reader(void **state)
{
	pmg_autofree char *path = pmg_path_join(folder, "none.db");
	struct pmg_store *store = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_store_open(path, PMG_STORE_READ, &store, &err), -PMG_E_NOTFOUND);
	assert_null(store);
	assert_int_not_equal(access(path, F_OK), 0);
}

static void a_file_that_is_no_database_is_an_error_with_a_hint(void **state)
{
	static const enum pmg_store_mode modes[] = { PMG_STORE_READ, PMG_STORE_WRITE };
	pmg_autofree char *path = pmg_path_join(folder, "text.db");
	struct pmg_store *store = NULL;
	char junk[5000];
	size_t i;

	(void)state;
	memset(junk, 'j', sizeof junk);
	for (i = 0; i < PMG_ARRAY_LEN(modes); i++) {
		struct pmg_err err = PMG_ERR_INIT;

		assert_int_equal(pmg_io_replace(path, junk, sizeof junk, 0600, &err), 0);
		assert_int_equal(pmg_store_open(path, modes[i], &store, &err), -PMG_E_DB);
		assert_non_null(strstr(err.msg, path));
		assert_non_null(strstr(err.hint, "move it away"));
		assert_null(store);
	}
}

static void a_reader_can_write_nothing(void **state)
{
	pmg_autofree char *path = pmg_path_join(folder, "ro.db"), *side = NULL;
	pmg_auto(store) struct pmg_store *store = must_open(path, PMG_STORE_BUILD);
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_store_migrate(store, steps, 2, &err), 0);
	pmg_store_close(pmg_steal_ptr(&store));
	store = must_open(path, PMG_STORE_READ);
	assert_int_equal(pmg_store_exec(store, "INSERT INTO t(name) VALUES('x')", &err), -PMG_E_DB);
	assert_int_equal(count(store), 0);
	side = pmg_xasprintf("%s-wal", path);
	assert_int_not_equal(access(side, F_OK), 0);
}

static void a_build_never_writes_into_a_file_that_is_there(void **state)
{
	pmg_autofree char *path = pmg_path_join(folder, "there.db");
	pmg_auto(store) struct pmg_store *store = must_open(path, PMG_STORE_BUILD);
	struct pmg_store *second = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_string_equal(pmg_store_path(store), path);
	assert_int_equal(pmg_store_open(path, PMG_STORE_BUILD, &second, &err), -PMG_E_SYS);
	assert_null(second);
}

static void a_check_finds_a_page_that_was_overwritten(void **state)
{
	pmg_autofree char *path = pmg_path_join(folder, "rot.db");
	pmg_auto(store) struct pmg_store *store = must_open(path, PMG_STORE_BUILD);
	pmg_autofd int fd = -1;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_store_migrate(store, steps, 2, &err), 0);
	assert_int_equal(pmg_store_exec(store,
					"WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 "
					"FROM c WHERE i<2000) INSERT INTO t(name) SELECT 'n'||i "
					"FROM c",
					&err),
			 0);
	assert_int_equal(pmg_store_check(store, &err), 0);
	pmg_store_close(pmg_steal_ptr(&store));
	fd = open(path, O_WRONLY | O_CLOEXEC);
	assert_int_equal(pwrite(fd, "rotten rotten rotten", 20, 4096 * 5), 20);
	store = must_open(path, PMG_STORE_READ);
	assert_int_equal(pmg_store_check(store, &err), -PMG_E_DB);
	assert_non_null(strstr(err.hint, "move"));
}

static void another_file_can_be_read_beside(void **state)
{
	pmg_autofree char *path = pmg_path_join(folder, "a?b.db");
	pmg_autofree char *other = pmg_path_join(folder, "c?d.db");
	pmg_auto(store) struct pmg_store *store = must_open(other, PMG_STORE_BUILD);
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_store_migrate(store, steps, 2, &err), 0);
	assert_int_equal(pmg_store_exec(store, "INSERT INTO t(name) VALUES('x')", &err), 0);
	pmg_store_close(pmg_steal_ptr(&store));
	store = must_open(path, PMG_STORE_BUILD);
	assert_int_equal(pmg_store_attach(store, other, "old", &err), 0);
	assert_int_equal(pmg_store_exec(store, "CREATE TABLE t AS SELECT * FROM old.t", &err), 0);
	assert_int_equal(count(store), 1);
	assert_int_equal(pmg_store_exec(store, "DELETE FROM old.t", &err), -PMG_E_DB);
	assert_int_equal(pmg_store_attach(store, folder, "bad", &err), -PMG_E_DB);
	assert_non_null(strstr(err.msg, folder));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_file_is_private_and_so_are_its_folders),
		cmocka_unit_test(migration_runs_each_step_once),
		cmocka_unit_test(a_step_that_fails_leaves_nothing_behind),
		cmocka_unit_test(a_file_of_a_newer_pmg_is_refused),
		cmocka_unit_test(values_come_back_as_they_were_bound),
		cmocka_unit_test(bytes_are_found_by_what_they_are),
		cmocka_unit_test(a_bind_that_cannot_be_is_told_by_the_next_step),
		cmocka_unit_test(rollback_undoes_and_closing_rolls_back),
		cmocka_unit_test(what_is_left_in_the_log_is_there),
		cmocka_unit_test(processes_that_start_together_all_write),
		cmocka_unit_test(a_missing_file_is_not_found_for_a_reader),
		cmocka_unit_test(a_file_that_is_no_database_is_an_error_with_a_hint),
		cmocka_unit_test(a_reader_can_write_nothing),
		cmocka_unit_test(a_build_never_writes_into_a_file_that_is_there),
		cmocka_unit_test(a_check_finds_a_page_that_was_overwritten),
		cmocka_unit_test(another_file_can_be_read_beside),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
