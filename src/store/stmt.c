#include <stdlib.h>

#include "store/store_priv.h"

struct pmg_stmt {
	struct pmg_store *store;
	sqlite3_stmt *raw;
	int bind_rc; /* first bind that failed since the last run */
};

int pmg_store_prepare(struct pmg_store *store, const char *sql, struct pmg_stmt **out,
		      struct pmg_err *err)
{
	struct pmg_stmt *stmt;
	sqlite3_stmt *raw = NULL;
	int rc = sqlite3_prepare_v3(store->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &raw, NULL);

	if (rc != SQLITE_OK)
		return pmg_store_fail(store, rc, "prepare", err);
	stmt = pmg_xcalloc(1, sizeof *stmt);
	stmt->store = store;
	stmt->raw = raw;
	*out = stmt;
	return 0;
}

void pmg_stmt_free(struct pmg_stmt *stmt)
{
	if (!stmt)
		return;
	(void)sqlite3_finalize(stmt->raw); /* repeats the error of the last step */
	free(stmt);
}

static void note(struct pmg_stmt *stmt, int rc)
{
	if (stmt->bind_rc == SQLITE_OK)
		stmt->bind_rc = rc;
}

void pmg_stmt_bind_text(struct pmg_stmt *stmt, int param, const char *text)
{
	note(stmt, sqlite3_bind_text(stmt->raw, param, text, -1, SQLITE_TRANSIENT));
}

void pmg_stmt_bind_int(struct pmg_stmt *stmt, int param, int64_t n)
{
	note(stmt, sqlite3_bind_int64(stmt->raw, param, n));
}

void pmg_stmt_bind_blob(struct pmg_stmt *stmt, int param, const void *bytes, size_t len)
{
	note(stmt, sqlite3_bind_blob64(stmt->raw, param, bytes, len, SQLITE_TRANSIENT));
}

void pmg_stmt_reset(struct pmg_stmt *stmt)
{
	(void)sqlite3_reset(stmt->raw); /* repeats the error of the last step */
	stmt->bind_rc = SQLITE_OK;
}

int pmg_stmt_step(struct pmg_stmt *stmt, struct pmg_err *err)
{
	int rc = stmt->bind_rc, r = 0;

	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt->raw);
	if (rc == SQLITE_ROW)
		return 1;
	if (rc != SQLITE_DONE)
		r = pmg_store_fail(stmt->store, rc, "query", err);
	pmg_stmt_reset(stmt);
	return r;
}

int pmg_stmt_run(struct pmg_stmt *stmt, struct pmg_err *err)
{
	int r;

	do
		r = pmg_stmt_step(stmt, err);
	while (r > 0);
	return r;
}

const char *pmg_stmt_text(struct pmg_stmt *stmt, int column)
{
	return (const char *)sqlite3_column_text(stmt->raw, column);
}

int64_t pmg_stmt_int(struct pmg_stmt *stmt, int column)
{
	return sqlite3_column_int64(stmt->raw, column);
}

const void *pmg_stmt_blob(struct pmg_stmt *stmt, int column, size_t *len)
{
	const void *bytes = sqlite3_column_blob(stmt->raw, column);

	*len = (size_t)sqlite3_column_bytes(stmt->raw, column);
	return bytes;
}

bool pmg_stmt_is_null(struct pmg_stmt *stmt, int column)
{
	return sqlite3_column_type(stmt->raw, column) == SQLITE_NULL;
}
