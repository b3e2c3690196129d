#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/path.h"
#include "base/str.h"
#include "store/store_priv.h"

#define URI_MAX ((size_t)3 * 65536)

/* What the user can do, by SQLite's primary result code. */
static const struct {
	int rc;
	const char *hint;
} hints[] = {
	{ SQLITE_BUSY, "another pmg is writing to it: try again" },
	{ SQLITE_LOCKED, "another pmg is writing to it: try again" },
	{ SQLITE_CORRUPT, "the file is damaged: move it away, pmg makes it anew" },
	{ SQLITE_NOTADB, "the file is no database: move it away, pmg makes it anew" },
	{ SQLITE_FULL, "the disk is full" },
	{ SQLITE_READONLY, "the file or its folder may not be written" },
	{ SQLITE_PERM, "the file may not be opened" },
};

int pmg_store_fail(const struct pmg_store *store, int rc, const char *doing, struct pmg_err *err)
{
	/* The connection's text belongs to its last call; another rc (a bind that was held back)
	   has only its general text. */
	bool same = store->db && sqlite3_errcode(store->db) == rc;
	const char *text = same ? sqlite3_errmsg(store->db) : sqlite3_errstr(rc);
	size_t i;

	(void)pmg_err_set(err, PMG_E_DB, 0, "%s: %s: %s", store->path, doing, text);
	for (i = 0; i < PMG_ARRAY_LEN(hints); i++)
		if (hints[i].rc == (rc & 0xff))
			return pmg_err_hint(err, "%s", hints[i].hint);
	return -PMG_E_DB;
}

/* What is in the log goes into the file by a close only: that also empties the log. */
static void mind_log(struct pmg_store *store)
{
	pmg_autofree char *log = pmg_xasprintf("%s-wal", store->path);
	struct stat st;

	if (stat(log, &st) == 0 && st.st_size > PMG_STORE_LOG_MAX)
		(void)sqlite3_db_config(store->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
}

void pmg_store_close(struct pmg_store *store)
{
	if (!store)
		return;
	if (store->leaves_log)
		mind_log(store);
	(void)sqlite3_close_v2(store->db); /* rolls back; waits for no statement of ours */
	free(store->path);
	free(store);
}

const char *pmg_store_path(const struct pmg_store *store)
{
	return store->path;
}

/* "file:" address of a path (RFC 3986): a "?" or "%" in a folder's name must not become a query. */
static char *uri(const char *path, const char *query)
{
	struct pmg_str out = PMG_STR_INIT(URI_MAX);
	int r = pmg_str_adds(&out, "file:");

	for (; r == 0 && *path; path++)
		r = strchr("?#%", *path)
			    ? pmg_str_addf(&out, "%%%02x", (unsigned int)(unsigned char)*path)
			    : pmg_str_add(&out, path, 1);
	if (r == 0)
		r = pmg_str_adds(&out, query);
	if (r < 0)
		pmg_str_clear(&out); /* far above PATH_MAX: opening "" fails below */
	return pmg_str_steal(&out);
}

/*
 * SQLite would make the file by the umask; others must never be able to read it, not even for a
 * moment. An existing file is not opened here: closing it would drop the locks this process may
 * hold on it (POSIX locks belong to the process).
 */
static int make_file(const char *path, bool may_exist, struct pmg_err *err)
{
	pmg_autofree char *dir = pmg_path_dir(path);
	pmg_autofd int fd = -1;
	int r = pmg_io_mkdirs(dir, 0700, err);

	if (r < 0)
		return r;
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0 && !(may_exist && errno == EEXIST))
		return pmg_err_set(err, PMG_E_SYS, errno, "create %s", path);
	return 0;
}

/* Settings of every connection: a crafted file must not run anything through its schema. */
static int harden(struct pmg_store *store, struct pmg_err *err)
{
	int rc = sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_db_config(store->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_busy_timeout(store->db, PMG_STORE_BUSY_MS);
	if (rc != SQLITE_OK)
		return pmg_store_fail(store, rc, "configure", err);
	return 0;
}

/* What is asked for again and again is read and checked once: more than the largest index that is
   to be expected, and no memory that was not asked for. What reads all of a file needs no more than
   SQLite's usual two megabytes. */
#define READ_CACHE  "PRAGMA cache_size=-65536;"
#define SWEEP_CACHE "PRAGMA cache_size=-2000;"

static const char *const mode_pragmas[] = {
	[PMG_STORE_READ] = "PRAGMA cell_size_check=ON;PRAGMA query_only=ON;" READ_CACHE,
	/* NORMAL: after a power cut the last transactions may be missing, the file stays whole. */
	[PMG_STORE_WRITE] = "PRAGMA synchronous=NORMAL;PRAGMA foreign_keys=ON;",
	/* A journal there has to be (SQLITE_DBCONFIG_DEFENSIVE): of a new file it is a few pages.
	 */
	[PMG_STORE_BUILD] = ("PRAGMA journal_mode=MEMORY;PRAGMA synchronous=OFF;"
			     "PRAGMA locking_mode=EXCLUSIVE;"),
};

/*
 * Going over to WAL takes a lock that SQLite does not wait for, whatever the busy timeout: when
 * several runs make the file at the same time, all but one are told that it is locked.
 */
static int enter_wal(struct pmg_store *store, struct pmg_err *err)
{
	const struct timespec nap = { 0, 2000000 };
	uint64_t end = pmg_clock_ms() + PMG_STORE_BUSY_MS;
	int rc;

	for (;;) {
		rc = sqlite3_exec(store->db, "PRAGMA journal_mode=WAL", NULL, NULL, NULL);
		if (rc == SQLITE_OK)
			return 0;
		if (rc != SQLITE_BUSY || pmg_clock_ms() >= end)
			return pmg_store_fail(store, rc, "execute", err);
		(void)nanosleep(&nap, NULL);
	}
}

static int open_raw(struct pmg_store *store, struct pmg_err *err)
{
	bool read = store->mode == PMG_STORE_READ;
	pmg_autofree char *name = uri(store->path, read ? "?immutable=1" : "");
	int flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX |
		    (read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE);
	int rc = sqlite3_open_v2(name, &store->db, flags, NULL);

	if (rc == SQLITE_OK)
		return 0;
	if (read && store->db && sqlite3_system_errno(store->db) == ENOENT)
		return pmg_err_set(err, PMG_E_NOTFOUND, ENOENT, "open %s", store->path);
	return pmg_store_fail(store, rc, "open", err);
}

/* What does not fit into memory goes into files without names in the folder of the file that is
   built: the one place where the process may write that builds one (kernel/confine.h). */
static void keep_temporaries_beside(const char *path)
{
	pmg_autofree char *dir = pmg_path_dir(path);

	sqlite3_free(sqlite3_temp_directory);
	sqlite3_temp_directory = sqlite3_mprintf("%s", dir); /* NULL: SQLite looks for a place */
}

int pmg_store_open(const char *path, enum pmg_store_mode mode, struct pmg_store **out,
		   struct pmg_err *err)
{
	pmg_auto(store) struct pmg_store *store = pmg_xcalloc(1, sizeof *store);
	int64_t version;
	int r;

	store->path = pmg_xstrdup(path);
	store->mode = mode;
	r = mode == PMG_STORE_READ ? 0 : make_file(path, mode == PMG_STORE_WRITE, err);
	if (mode == PMG_STORE_BUILD)
		keep_temporaries_beside(path);
	if (r == 0)
		r = open_raw(store, err);
	if (r == 0)
		r = harden(store, err);
	if (r == 0 && mode == PMG_STORE_WRITE)
		r = enter_wal(store, err);
	if (r == 0)
		r = pmg_store_exec(store, mode_pragmas[mode], err);
	if (r == 0) /* reads the header: a file that is no database fails here, not later */
		r = pmg_store_user_version(store, &version, err);
	if (r < 0)
		return r;
	*out = pmg_steal_ptr(&store);
	return 0;
}

int pmg_store_exec(struct pmg_store *store, const char *sql, struct pmg_err *err)
{
	int rc = sqlite3_exec(store->db, sql, NULL, NULL, NULL);

	return rc == SQLITE_OK ? 0 : pmg_store_fail(store, rc, "execute", err);
}

int pmg_store_leave_log(struct pmg_store *store, struct pmg_err *err)
{
	int rc = sqlite3_db_config(store->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);

	if (rc != SQLITE_OK)
		return pmg_store_fail(store, rc, "configure", err);
	store->leaves_log = true;
	return 0;
}

int pmg_store_begin(struct pmg_store *store, struct pmg_err *err)
{
	return pmg_store_exec(store, "BEGIN IMMEDIATE", err);
}

int pmg_store_commit(struct pmg_store *store, struct pmg_err *err)
{
	return pmg_store_exec(store, "COMMIT", err);
}

void pmg_store_rollback(struct pmg_store *store)
{
	if (!sqlite3_get_autocommit(store->db))
		(void)sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
}

int64_t pmg_store_last_id(const struct pmg_store *store)
{
	return sqlite3_last_insert_rowid(store->db);
}

int64_t pmg_store_changes(const struct pmg_store *store)
{
	return sqlite3_changes(store->db);
}

/* The first column of the first row. */
static int one_int(struct pmg_store *store, const char *sql, int64_t *out, struct pmg_err *err)
{
	pmg_auto(stmt) struct pmg_stmt *stmt = NULL;
	int r = pmg_store_prepare(store, sql, &stmt, err);

	if (r == 0)
		r = pmg_stmt_step(stmt, err);
	if (r < 0)
		return r;
	*out = r == 1 ? pmg_stmt_int(stmt, 0) : 0;
	return 0;
}

int pmg_store_user_version(struct pmg_store *store, int64_t *out, struct pmg_err *err)
{
	return one_int(store, "PRAGMA user_version", out, err);
}

/* One step, in a transaction: somebody else may have done it since we looked. */
static int migrate_one(struct pmg_store *store, const char *step, int64_t from, struct pmg_err *err)
{
	char sql[64];
	int64_t now = 0;
	int r = pmg_store_begin(store, err);

	if (r == 0)
		r = pmg_store_user_version(store, &now, err);
	if (r == 0 && now == from) {
		(void)snprintf(sql, sizeof sql, "PRAGMA user_version=%lld", (long long)from + 1);
		r = pmg_store_exec(store, step, err);
		if (r == 0)
			r = pmg_store_exec(store, sql, err);
	}
	if (r == 0)
		r = pmg_store_commit(store, err);
	if (r < 0)
		pmg_store_rollback(store);
	return r;
}

int pmg_store_migrate(struct pmg_store *store, const char *const *steps, size_t n,
		      struct pmg_err *err)
{
	int64_t version = 0;
	int r = pmg_store_user_version(store, &version, err);

	if (r < 0)
		return r;
	if (version < 0 || version > (int64_t)n) {
		(void)pmg_err_set(err, PMG_E_DB, 0, "%s: of version %lld, this pmg knows %zu",
				  store->path, (long long)version, n);
		return pmg_err_hint(err, "a newer pmg has written it: use that one");
	}
	for (; version < (int64_t)n; version++) {
		r = migrate_one(store, steps[version], version, err);
		if (r < 0)
			return pmg_err_wrap(err, "step %lld", (long long)version + 1);
	}
	return 0;
}

int pmg_store_check(struct pmg_store *store, struct pmg_err *err)
{
	pmg_auto(stmt) struct pmg_stmt *stmt = NULL;
	const char *found;
	int r = pmg_store_exec(store, SWEEP_CACHE, err);

	if (r == 0)
		r = pmg_store_prepare(store, "PRAGMA integrity_check(1)", &stmt, err);
	if (r == 0)
		r = pmg_stmt_step(stmt, err);
	if (r < 0)
		return r;
	found = r == 1 ? pmg_stmt_text(stmt, 0) : NULL;
	if (pmg_streq(found, "ok"))
		return 0;
	(void)pmg_err_set(err, PMG_E_DB, 0, "%s: damaged: %s", store->path, found ? found : "?");
	return pmg_err_hint(err, "move it away, pmg makes it anew");
}

int pmg_store_attach(struct pmg_store *store, const char *path, const char *name,
		     struct pmg_err *err)
{
	pmg_auto(stmt) struct pmg_stmt *stmt = NULL;
	pmg_autofree char *address = uri(path, "?immutable=1&mode=ro");
	pmg_autofree char *sql = pmg_xasprintf("ATTACH ?1 AS %s", name);
	int r = pmg_store_prepare(store, sql, &stmt, err);

	if (r < 0)
		return r;
	pmg_stmt_bind_text(stmt, 1, address);
	r = pmg_stmt_run(stmt, err);
	return r < 0 ? pmg_err_wrap(err, "attach %s", path) : 0;
}
