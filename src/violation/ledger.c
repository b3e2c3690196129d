#include "violation/ledger.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "violation/ledger_priv.h"

#define ID_TRIES 16

/* Lists are JSON texts: they are shown whole, never searched. */
static const char *const steps[] = {
	"CREATE TABLE runs(id INTEGER PRIMARY KEY, run TEXT NOT NULL UNIQUE,"
	" started INTEGER NOT NULL, ended INTEGER NOT NULL, tool TEXT NOT NULL,"
	" argv TEXT NOT NULL, cwd TEXT NOT NULL, exit INTEGER NOT NULL,"
	" fingerprint TEXT NOT NULL, index_present INTEGER NOT NULL,"
	" index_built INTEGER NOT NULL, index_records INTEGER NOT NULL,"
	" lost INTEGER NOT NULL);"
	"CREATE INDEX runs_started ON runs(started);"
	"CREATE TABLE packages("
	" run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,"
	" eco TEXT NOT NULL, name TEXT NOT NULL, version TEXT NOT NULL,"
	" verdict TEXT NOT NULL, reason TEXT, diag INTEGER NOT NULL, note TEXT,"
	" url TEXT NOT NULL, ids TEXT NOT NULL, sources TEXT NOT NULL,"
	" count INTEGER NOT NULL);"
	"CREATE INDEX packages_run ON packages(run);"
	"CREATE INDEX packages_name ON packages(name);"
	"CREATE TABLE passed("
	" run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,"
	" target TEXT NOT NULL, why TEXT NOT NULL, count INTEGER NOT NULL);"
	"CREATE INDEX passed_run ON passed(run);"
	"CREATE TABLE troubles("
	" run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,"
	" target TEXT NOT NULL, what TEXT NOT NULL, diag INTEGER NOT NULL,"
	" count INTEGER NOT NULL);"
	"CREATE INDEX troubles_run ON troubles(run);",
	/* Ids are shown to people and typed by them: one that was forgotten is not used again. */
	"ALTER TABLE runs ADD COLUMN profile TEXT;"
	"CREATE TABLE violations("
	" id INTEGER PRIMARY KEY AUTOINCREMENT,"
	" run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,"
	" key TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,"
	" count INTEGER NOT NULL, code INTEGER NOT NULL, op TEXT NOT NULL,"
	" target TEXT NOT NULL, rule TEXT, layer TEXT, source TEXT, package TEXT,"
	" script TEXT, how_known TEXT, process TEXT NOT NULL,"
	" enforced_by TEXT NOT NULL, sensitive INTEGER NOT NULL, allow TEXT,"
	" UNIQUE(run, key));",
	"ALTER TABLE packages ADD COLUMN findings TEXT NOT NULL DEFAULT '[]';",
	/* Runs of one fingerprint could reach the same. */
	"CREATE TABLE reaches(fingerprint TEXT PRIMARY KEY, list TEXT NOT NULL) WITHOUT ROWID;",
	("ALTER TABLE packages ADD COLUMN instead TEXT;"
	 "ALTER TABLE packages ADD COLUMN published TEXT;"),
	"ALTER TABLE packages ADD COLUMN waivers TEXT NOT NULL DEFAULT '[]';",
	("ALTER TABLE runs ADD COLUMN index_state TEXT;"
	 "ALTER TABLE runs ADD COLUMN index_checked INTEGER NOT NULL DEFAULT 0;"),
	"ALTER TABLE packages ADD COLUMN more INTEGER NOT NULL DEFAULT 0;",
};

int pmg_ledger_open(const char *path, struct pmg_store **out, struct pmg_err *err)
{
	pmg_auto(store) struct pmg_store *store = NULL;
	int r = pmg_store_open(path, PMG_STORE_WRITE, &store, err);

	if (r == 0)
		r = pmg_store_leave_log(store, err);
	if (r == 0)
		r = pmg_store_migrate(store, steps, PMG_ARRAY_LEN(steps), err);
	if (r < 0)
		return r;
	*out = pmg_steal_ptr(&store);
	return 0;
}

void pmg_ledger_bind_list(struct pmg_stmt *stmt, int param, const struct pmg_strv *list)
{
	pmg_auto(json) struct json_t *array = pmg_json_strv(list);
	pmg_autofree char *text = pmg_json_dump(array);

	pmg_stmt_bind_text(stmt, param, text);
}

void pmg_ledger_bind_count(struct pmg_stmt *stmt, int param, uint64_t n)
{
	pmg_stmt_bind_int(stmt, param, n > INT64_MAX ? INT64_MAX : (int64_t)n);
}

static const char *or_empty(const char *s)
{
	return s ? s : "";
}

/* Two runs of one day may have drawn the same id: the later one draws again. */
static int insert_run(struct pmg_store *store, struct pmg_record *record, struct pmg_err *err)
{
	pmg_auto(stmt) struct pmg_stmt *stmt = NULL;
	/* Named: only then does SQLite notice that another process has just added the last one. */
	static const char sql[] =
		"INSERT OR IGNORE INTO runs(run,started,ended,tool,argv,cwd,exit,fingerprint,"
		"index_present,index_built,index_records,lost,profile,index_state,index_checked)"
		" VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15)";
	int r = pmg_store_prepare(store, sql, &stmt, err);
	int tries;

	if (r < 0)
		return r;
	pmg_stmt_bind_int(stmt, 2, record->started);
	pmg_stmt_bind_int(stmt, 3, record->ended);
	pmg_stmt_bind_text(stmt, 4, or_empty(record->tool));
	pmg_ledger_bind_list(stmt, 5, &record->argv);
	pmg_stmt_bind_text(stmt, 6, or_empty(record->cwd));
	pmg_stmt_bind_int(stmt, 7, record->exit);
	pmg_stmt_bind_text(stmt, 8, or_empty(record->fingerprint));
	pmg_stmt_bind_int(stmt, 9, record->index_present);
	pmg_stmt_bind_int(stmt, 10, record->index_built);
	pmg_ledger_bind_count(stmt, 11, record->index_records);
	pmg_ledger_bind_count(stmt, 12, record->lost);
	pmg_stmt_bind_text(stmt, 13, record->profile);
	pmg_stmt_bind_text(stmt, 14, record->index_state);
	pmg_stmt_bind_int(stmt, 15, record->index_checked);
	for (tries = 0; tries < ID_TRIES; tries++) {
		pmg_stmt_bind_text(stmt, 1, record->id);
		r = pmg_stmt_run(stmt, err);
		if (r < 0 || pmg_store_changes(store) == 1)
			return r;
		r = pmg_run_id(record->started, record->id, err);
		if (r < 0)
			return r;
	}
	return pmg_err_set(err, PMG_E_DB, 0, "no free run id");
}

static int insert_reach(struct pmg_store *store, const struct pmg_record *record,
			struct pmg_err *err)
{
	pmg_auto(stmt) struct pmg_stmt *stmt = NULL;
	int r;

	if (!record->fingerprint || record->reach.n == 0)
		return 0;
	r = pmg_store_prepare(store, "INSERT OR IGNORE INTO reaches VALUES(?1,?2)", &stmt, err);
	if (r < 0)
		return r;
	pmg_stmt_bind_text(stmt, 1, record->fingerprint);
	pmg_ledger_bind_list(stmt, 2, &record->reach);
	return pmg_stmt_run(stmt, err);
}

static int insert_packages(struct pmg_store *store, const struct pmg_record *record, int64_t run,
			   struct pmg_err *err)
{
	pmg_auto(stmt) struct pmg_stmt *stmt = NULL;
	int r = pmg_store_prepare(store,
				  "INSERT INTO packages(run,eco,name,version,verdict,reason,diag,"
				  "note,url,ids,sources,count,findings,instead,published,waivers,"
				  "more) VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,"
				  "?16,?17)",
				  &stmt, err);
	size_t i;

	for (i = 0; r == 0 && i < record->n_packages; i++) {
		const struct pmg_wire_judged *m = &record->packages[i].what;

		pmg_stmt_bind_int(stmt, 1, run);
		pmg_stmt_bind_text(stmt, 2, m->eco);
		pmg_stmt_bind_text(stmt, 3, m->name);
		pmg_stmt_bind_text(stmt, 4, m->version);
		pmg_stmt_bind_text(stmt, 5, m->verdict);
		pmg_stmt_bind_text(stmt, 6, m->reason);
		pmg_stmt_bind_int(stmt, 7, m->diag);
		pmg_stmt_bind_text(stmt, 8, m->note);
		pmg_stmt_bind_text(stmt, 9, m->url);
		pmg_ledger_bind_list(stmt, 10, &m->ids);
		pmg_ledger_bind_list(stmt, 11, &m->sources);
		pmg_ledger_bind_count(stmt, 12, record->packages[i].count);
		pmg_ledger_bind_list(stmt, 13, &m->findings);
		pmg_stmt_bind_text(stmt, 14, m->instead);
		pmg_stmt_bind_text(stmt, 15, m->published);
		pmg_ledger_bind_list(stmt, 16, &m->waivers);
		pmg_ledger_bind_count(stmt, 17, m->more);
		r = pmg_stmt_run(stmt, err);
	}
	return r;
}

static int insert_passed(struct pmg_store *store, const struct pmg_record *record, int64_t run,
			 struct pmg_err *err)
{
	pmg_auto(stmt) struct pmg_stmt *stmt = NULL;
	int r = pmg_store_prepare(store, "INSERT INTO passed VALUES(?1,?2,?3,?4)", &stmt, err);
	size_t i;

	for (i = 0; r == 0 && i < record->n_passed; i++) {
		pmg_stmt_bind_int(stmt, 1, run);
		pmg_stmt_bind_text(stmt, 2, record->passed[i].what.target);
		pmg_stmt_bind_text(stmt, 3, record->passed[i].what.why);
		pmg_ledger_bind_count(stmt, 4, record->passed[i].count);
		r = pmg_stmt_run(stmt, err);
	}
	return r;
}

static int insert_troubles(struct pmg_store *store, const struct pmg_record *record, int64_t run,
			   struct pmg_err *err)
{
	pmg_auto(stmt) struct pmg_stmt *stmt = NULL;
	int r = pmg_store_prepare(store, "INSERT INTO troubles VALUES(?1,?2,?3,?4,?5)", &stmt, err);
	size_t i;

	for (i = 0; r == 0 && i < record->n_troubles; i++) {
		pmg_stmt_bind_int(stmt, 1, run);
		pmg_stmt_bind_text(stmt, 2, record->troubles[i].what.target);
		pmg_stmt_bind_text(stmt, 3, record->troubles[i].what.what);
		pmg_stmt_bind_int(stmt, 4, record->troubles[i].what.diag);
		pmg_ledger_bind_count(stmt, 5, record->troubles[i].count);
		r = pmg_stmt_run(stmt, err);
	}
	return r;
}

/* Runs `sql` with one number. */
static int run_with(struct pmg_store *store, const char *sql, int64_t n, struct pmg_err *err)
{
	pmg_auto(stmt) struct pmg_stmt *stmt = NULL;
	int r = pmg_store_prepare(store, sql, &stmt, err);

	if (r < 0)
		return r;
	pmg_stmt_bind_int(stmt, 1, n);
	return pmg_stmt_run(stmt, err);
}

static int used_bytes(struct pmg_store *store, uint64_t *out, struct pmg_err *err)
{
	pmg_auto(stmt) struct pmg_stmt *stmt = NULL;
	int r = pmg_store_prepare(store,
				  "SELECT (page_count-freelist_count)*page_size FROM"
				  " pragma_page_count, pragma_freelist_count, pragma_page_size",
				  &stmt, err);

	if (r == 0)
		r = pmg_stmt_step(stmt, err);
	if (r < 0)
		return r;
	*out = (uint64_t)pmg_stmt_int(stmt, 0);
	return 0;
}

/* The run just written (`newest`) always stays. */
static int forget(struct pmg_store *store, const struct pmg_ledger_keep *keep, int64_t newest,
		  struct pmg_err *err)
{
	uint64_t used = 0;
	int r = 0;

	if (keep->retention_s > 0)
		r = run_with(store, "DELETE FROM runs WHERE started < ?1",
			     pmg_clock_now() - (int64_t)keep->retention_s, err);
	if (r == 0 && keep->max_size > 0)
		r = used_bytes(store, &used, err);
	if (r == 0 && keep->max_size > 0 && used > keep->max_size)
		r = run_with(store,
			     "DELETE FROM runs WHERE id <> ?1 AND id IN (SELECT id FROM runs"
			     " ORDER BY started, id LIMIT (SELECT max(1, count(*)/10) FROM runs))",
			     newest, err);
	return r;
}

static int write_all(struct pmg_store *store, struct pmg_record *record,
		     const struct pmg_ledger_keep *keep, struct pmg_err *err)
{
	int64_t run;
	int r = insert_run(store, record, err);

	if (r < 0)
		return r;
	run = pmg_store_last_id(store);
	r = insert_reach(store, record, err);
	if (r == 0)
		r = insert_packages(store, record, run, err);
	if (r == 0)
		r = insert_passed(store, record, run, err);
	if (r == 0)
		r = insert_troubles(store, record, run, err);
	if (r == 0)
		r = pmg_ledger_insert_events(store, &record->events, run, err);
	if (r == 0)
		r = forget(store, keep, run, err);
	return r;
}

int pmg_ledger_write(const char *path, struct pmg_record *record,
		     const struct pmg_ledger_keep *keep, struct pmg_err *err)
{
	pmg_auto(store) struct pmg_store *store = NULL;
	int r = pmg_ledger_open(path, &store, err);

	if (r == 0)
		r = pmg_store_begin(store, err);
	if (r < 0)
		return r;
	r = write_all(store, record, keep, err);
	if (r == 0)
		r = pmg_store_commit(store, err);
	if (r < 0)
		pmg_store_rollback(store);
	return r;
}
