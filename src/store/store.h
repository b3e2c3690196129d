#ifndef PMG_STORE_STORE_H
#define PMG_STORE_STORE_H
/**
 * One thin layer over SQLite, which only this folder includes: open, migrate,
 * statement, transaction. All failures are -PMG_E_DB with the file's path and
 * SQLite's own words; a damaged or busy file has a hint.
 *
 * A store belongs to one thread. Statements must be freed before their store.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

#define PMG_STORE_BUSY_MS 5000 /* how long we wait for another process's lock */

enum pmg_store_mode {
	/* Read-only and immutable: no lock, no journal, nothing is written next to it. For files
	   that are only ever replaced by rename. What was read is kept, at most 64 MB. */
	PMG_STORE_READ,
	/* Read and write, several processes at once (write-ahead log). Made when missing: file
	   0600, folders 0700. */
	PMG_STORE_WRITE,
	/* A new file that nobody else sees before it is renamed: no journal, no sync, which is left
	   to who renames it. An existing file is an error. Temporary tables that do not fit into
	   memory go into files without names beside it. */
	PMG_STORE_BUILD,
};

struct pmg_store;
struct pmg_stmt;

void pmg_store_close(struct pmg_store *store); /* an open transaction is rolled back */
PMG_DEFINE_AUTO(store, struct pmg_store *, pmg_store_close);
void pmg_stmt_free(struct pmg_stmt *stmt);
PMG_DEFINE_AUTO(stmt, struct pmg_stmt *, pmg_stmt_free);

/**
 * Open a database and read its header.
 * @return 0; -PMG_E_NOTFOUND: PMG_STORE_READ and no such file; -PMG_E_SYS: folder or file cannot
 *         be made; -PMG_E_DB: not a database, damaged, ...
 */
int pmg_store_open(const char *path, enum pmg_store_mode mode, struct pmg_store **out,
		   struct pmg_err *err) PMG_MUST_CHECK;
const char *pmg_store_path(const struct pmg_store *store); /* borrowed */

/**
 * Bring the schema up to step n. Step i takes user_version from i to i + 1, in a transaction of
 * its own; steps that are done are skipped, so it is called after each open. Steps once released
 * never change. Fit for several processes that start at the same time.
 * @param steps  SQL texts, each one or more statements
 * @return 0; -PMG_E_DB: also when the file is of a newer pmg (user_version above n)
 */
int pmg_store_migrate(struct pmg_store *store, const char *const *steps, size_t n,
		      struct pmg_err *err) PMG_MUST_CHECK;
int pmg_store_user_version(struct pmg_store *store, int64_t *out,
			   struct pmg_err *err) PMG_MUST_CHECK;

/** Run SQL that returns no rows; one or more statements. Never built from outside text. */
int pmg_store_exec(struct pmg_store *store, const char *sql, struct pmg_err *err) PMG_MUST_CHECK;

/**
 * Leave what is written in the log ("-wal") when the store is closed, so that nobody waits for the
 * disk; only when the log is longer than PMG_STORE_LOG_MAX it is moved into the file. Opening the
 * file with PMG_STORE_WRITE finds all of it, with PMG_STORE_READ only what was moved. A power cut
 * may lose the last transactions, as it may without this call.
 */
#define PMG_STORE_LOG_MAX (512 * 1024) /* bytes; each opening reads all of the log */
int pmg_store_leave_log(struct pmg_store *store, struct pmg_err *err) PMG_MUST_CHECK;

/* Transactions. begin takes the write lock at once, so that a reader never becomes a writer in the
   middle and fails. Rollback without a transaction does nothing. */
int pmg_store_begin(struct pmg_store *store, struct pmg_err *err) PMG_MUST_CHECK;
int pmg_store_commit(struct pmg_store *store, struct pmg_err *err) PMG_MUST_CHECK;
void pmg_store_rollback(struct pmg_store *store);

int64_t pmg_store_last_id(const struct pmg_store *store); /* rowid of the last INSERT */
int64_t pmg_store_changes(const struct pmg_store *store); /* rows of the last statement */

/** Read and check every page. Keeps SQLite's cache small, from then on too. @return 0; -PMG_E_DB
 *  with the first fault that is found */
int pmg_store_check(struct pmg_store *store, struct pmg_err *err) PMG_MUST_CHECK;
/** Make tables of another database file readable as `name`.table; it is opened immutable.
 *  @param name  literal identifier */
int pmg_store_attach(struct pmg_store *store, const char *path, const char *name,
		     struct pmg_err *err) PMG_MUST_CHECK;

/* Statements. Parameters are numbered from 1, columns from 0. A bind that fails (number out of
   range, out of memory) is reported by the next step. Text is copied. */
int pmg_store_prepare(struct pmg_store *store, const char *sql, struct pmg_stmt **out,
		      struct pmg_err *err) PMG_MUST_CHECK;
void pmg_stmt_bind_text(struct pmg_stmt *stmt, int param, const char *text); /* NULL: null */
void pmg_stmt_bind_int(struct pmg_stmt *stmt, int param, int64_t n);
void pmg_stmt_bind_blob(struct pmg_stmt *stmt, int param, const void *bytes,
			size_t len); /* copied */

/** @return 1: a row is there; 0: done, the statement is reset; -PMG_E_DB, reset too */
int pmg_stmt_step(struct pmg_stmt *stmt, struct pmg_err *err) PMG_MUST_CHECK;
/** Step to the end, ignoring rows; for INSERT and the like. @return 0 or -PMG_E_DB */
int pmg_stmt_run(struct pmg_stmt *stmt, struct pmg_err *err) PMG_MUST_CHECK;
/** Ready for new values and another run; bound values stay until bound anew. */
void pmg_stmt_reset(struct pmg_stmt *stmt);

/* Values of the present row, borrowed until the next step, run or reset. Null is NULL, "", 0. */
const char *pmg_stmt_text(struct pmg_stmt *stmt, int column); /* NULL for null */
int64_t pmg_stmt_int(struct pmg_stmt *stmt, int column);
const void *pmg_stmt_blob(struct pmg_stmt *stmt, int column, size_t *len); /* NULL when empty */
bool pmg_stmt_is_null(struct pmg_stmt *stmt, int column);

#endif
