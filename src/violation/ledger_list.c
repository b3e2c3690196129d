#include "violation/ledger.h"

#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "violation/ledger_priv.h"

static const char run_sql[] = "SELECT run,started,ended,tool,argv,cwd,exit,fingerprint,profile,"
			      "lost,index_present,index_state,index_built,index_checked,"
			      "index_records,id FROM runs"
			      " WHERE (?1 IS NULL OR run = ?1) AND (?2 = 0 OR EXISTS(SELECT 1 FROM"
			      " packages WHERE packages.run = runs.id AND verdict NOT IN"
			      " ('allow', 'withheld')))"
			      " ORDER BY started DESC, id DESC LIMIT ?3";
static const struct pmg_column run_columns[] = {
	{ PMG_COLUMN_TEXT, "run" },
	{ PMG_COLUMN_TIME, "started" },
	{ PMG_COLUMN_TIME, "ended" },
	{ PMG_COLUMN_TEXT, "tool" },
	{ PMG_COLUMN_LIST, "argv" },
	{ PMG_COLUMN_TEXT, "cwd" },
	{ PMG_COLUMN_INT, "exit" },
	{ PMG_COLUMN_TEXT, "fingerprint" },
	{ PMG_COLUMN_TEXT, "profile" },
	{ PMG_COLUMN_INT, "lost" },
	{ 0 },
};

#define INDEX_AT  10 /* column where run_sql goes on with these */
#define RUN_ID_AT 15
static const struct pmg_column index_columns[] = {
	{ PMG_COLUMN_BOOL, "present" }, { PMG_COLUMN_TEXT, "state" },  { PMG_COLUMN_TIME, "built" },
	{ PMG_COLUMN_TIME, "checked" }, { PMG_COLUMN_INT, "records" }, { 0 },
};

static const char packages_sql[] =
	"SELECT "
	"eco,name,version,verdict,reason,diag,note,instead,published,more,ids,sources,findings,"
	"waivers,url,count FROM packages"
	" WHERE run = ?1 AND (?2 = 0 OR verdict NOT IN ('allow', 'withheld'))"
	" ORDER BY eco, name, version, verdict";
static const struct pmg_column package_columns[] = {
	{ PMG_COLUMN_TEXT, "ecosystem" },
	{ PMG_COLUMN_TEXT, "name" },
	{ PMG_COLUMN_TEXT, "version" },
	{ PMG_COLUMN_TEXT, "verdict" },
	{ PMG_COLUMN_TEXT, "reason" },
	{ PMG_COLUMN_CODE, "code" },
	{ PMG_COLUMN_TEXT, "note" },
	{ PMG_COLUMN_TEXT, "instead" },
	{ PMG_COLUMN_TEXT, "published" },
	{ PMG_COLUMN_SOME, "more" },
	{ PMG_COLUMN_LIST, "ids" },
	{ PMG_COLUMN_LIST, "sources" },
	{ PMG_COLUMN_LIST, "findings" },
	{ PMG_COLUMN_LIST, "waivers" },
	{ PMG_COLUMN_TEXT, "url" },
	{ PMG_COLUMN_INT, "count" },
	{ 0 },
};

static const char passed_sql[] = "SELECT target,why,count FROM passed WHERE run = ?1"
				 " ORDER BY why, target";
static const struct pmg_column passed_columns[] = {
	{ PMG_COLUMN_TEXT, "target" },
	{ PMG_COLUMN_TEXT, "why" },
	{ PMG_COLUMN_INT, "count" },
	{ 0 },
};

static const char troubles_sql[] = "SELECT target,what,diag,count FROM troubles WHERE run = ?1"
				   " ORDER BY target, what";
static const struct pmg_column trouble_columns[] = {
	{ PMG_COLUMN_TEXT, "target" },
	{ PMG_COLUMN_TEXT, "what" },
	{ PMG_COLUMN_CODE, "code" },
	{ PMG_COLUMN_INT, "count" },
	{ 0 },
};

static const char events_sql[] = "SELECT " PMG_LEDGER_EVENT_COLUMNS "," PMG_LEDGER_EVENT_TAIL
				 " FROM violations WHERE run = ?1 ORDER BY id";

static int set_list(struct json_t *obj, const char *key, const char *text, struct pmg_err *err)
{
	pmg_auto(json) struct json_t *list = NULL;

	if (!text || pmg_json_parse(key, text, strlen(text), &list, err) < 0 ||
	    !pmg_json_is_array(list))
		return pmg_err_set(err, PMG_E_DB, 0, "ledger: column %s is damaged", key);
	pmg_json_set(obj, key, pmg_steal_ptr(&list));
	return 0;
}

/* But for plain ones what is 0 is left out: there is none. */
static void set_number(struct json_t *obj, const struct pmg_column *column, int64_t n)
{
	char text[PMG_RFC3339_LEN > PMG_DIAG_LEN ? PMG_RFC3339_LEN : PMG_DIAG_LEN];

	if (n == 0 && column->kind != PMG_COLUMN_INT)
		return;
	if (column->kind == PMG_COLUMN_INT || column->kind == PMG_COLUMN_SOME) {
		pmg_json_set_int(obj, column->key, n);
		return;
	}
	if (column->kind == PMG_COLUMN_TIME)
		pmg_clock_format(n, text);
	else
		pmg_diag_text((int)n, text);
	pmg_json_set_str(obj, column->key, text);
}

/* Columns of the present row from `first` on, into obj. */
static int read_columns(struct json_t *obj, struct pmg_stmt *stmt, int first,
			const struct pmg_column *columns, struct pmg_err *err)
{
	const struct pmg_column *column;
	int r = 0, at = first;

	for (column = columns; r == 0 && column->kind != PMG_COLUMN_END; column++, at++) {
		if (column->kind == PMG_COLUMN_TEXT)
			pmg_json_set_str(obj, column->key, pmg_stmt_text(stmt, at));
		else if (column->kind == PMG_COLUMN_LIST)
			r = set_list(obj, column->key, pmg_stmt_text(stmt, at), err);
		else if (column->kind == PMG_COLUMN_BOOL)
			pmg_json_set_bool(obj, column->key, pmg_stmt_int(stmt, at) != 0);
		else
			set_number(obj, column, pmg_stmt_int(stmt, at));
	}
	return r;
}

int pmg_ledger_row(struct json_t *array, struct pmg_stmt *stmt, const struct pmg_column *columns,
		   struct pmg_err *err)
{
	pmg_auto(json) struct json_t *obj = pmg_json_object();
	int r = read_columns(obj, stmt, 0, columns, err);

	if (r == 0)
		pmg_json_add(array, pmg_steal_ptr(&obj));
	return r;
}

/* All rows of one run, as a list below `key`. */
static int set_rows(struct json_t *obj, const char *key, struct pmg_stmt *stmt, int64_t run,
		    const struct pmg_column *columns, struct pmg_err *err)
{
	pmg_auto(json) struct json_t *array = pmg_json_array();
	int r;

	pmg_stmt_reset(stmt);
	pmg_stmt_bind_int(stmt, 1, run);
	while ((r = pmg_stmt_step(stmt, err)) == 1) {
		r = pmg_ledger_row(array, stmt, columns, err);
		if (r < 0)
			return r;
	}
	if (r == 0)
		pmg_json_set(obj, key, pmg_steal_ptr(&array));
	return r;
}

/* The statements of a listing. */
struct reader {
	struct pmg_stmt *runs, *packages, *passed, *troubles, *events;
};

static void reader_done(struct reader *reader)
{
	pmg_stmt_free(reader->runs);
	pmg_stmt_free(reader->packages);
	pmg_stmt_free(reader->passed);
	pmg_stmt_free(reader->troubles);
	pmg_stmt_free(reader->events);
}
PMG_DEFINE_AUTO_DONE(reader, struct reader, reader_done);

static int reader_init(struct reader *reader, struct pmg_store *store,
		       const struct pmg_ledger_query *query, struct pmg_err *err)
{
	uint64_t limit = query->limit < PMG_LEDGER_LIST_MAX ? query->limit : PMG_LEDGER_LIST_MAX;
	int r = pmg_store_prepare(store, run_sql, &reader->runs, err);

	if (r == 0)
		r = pmg_store_prepare(store, packages_sql, &reader->packages, err);
	if (r == 0)
		r = pmg_store_prepare(store, passed_sql, &reader->passed, err);
	if (r == 0)
		r = pmg_store_prepare(store, troubles_sql, &reader->troubles, err);
	if (r == 0)
		r = pmg_store_prepare(store, events_sql, &reader->events, err);
	if (r < 0)
		return r;
	pmg_stmt_bind_text(reader->runs, 1, query->run);
	pmg_stmt_bind_int(reader->runs, 2, query->blocked);
	pmg_stmt_bind_int(reader->runs, 3, (int64_t)limit);
	pmg_stmt_bind_int(reader->packages, 2, query->blocked);
	return 0;
}

static int read_run(struct reader *reader, struct json_t *array, struct pmg_err *err)
{
	pmg_auto(json) struct json_t *obj = pmg_json_object();
	struct json_t *index = pmg_json_object();
	int64_t run = pmg_stmt_int(reader->runs, RUN_ID_AT);
	int r = read_columns(obj, reader->runs, 0, run_columns, err);

	if (r == 0)
		r = read_columns(index, reader->runs, INDEX_AT, index_columns, err);
	pmg_json_set(obj, "index", index);
	if (r == 0)
		r = set_rows(obj, "packages", reader->packages, run, package_columns, err);
	if (r == 0)
		r = set_rows(obj, "passed", reader->passed, run, passed_columns, err);
	if (r == 0)
		r = set_rows(obj, "troubles", reader->troubles, run, trouble_columns, err);
	if (r == 0)
		r = set_rows(obj, "violations", reader->events, run, pmg_ledger_event_columns, err);
	if (r == 0)
		pmg_json_add(array, pmg_steal_ptr(&obj));
	return r;
}

static int read_all(struct pmg_store *store, const struct pmg_ledger_query *query,
		    struct json_t *array, struct pmg_err *err)
{
	pmg_auto(reader) struct reader reader = { 0 };
	int r = reader_init(&reader, store, query, err);

	if (r < 0)
		return r;
	while ((r = pmg_stmt_step(reader.runs, err)) == 1) {
		r = read_run(&reader, array, err);
		if (r < 0)
			return r;
	}
	return r;
}

int pmg_ledger_list(const char *path, const struct pmg_ledger_query *query, struct json_t **out,
		    struct pmg_err *err)
{
	pmg_auto(json) struct json_t *array = pmg_json_array();
	pmg_auto(store) struct pmg_store *store = NULL;
	int r;

	if (access(path, F_OK) == 0) {
		r = pmg_ledger_open(path, &store, err);
		if (r == 0)
			r = read_all(store, query, array, err);
		if (r < 0)
			return r;
	}
	*out = pmg_steal_ptr(&array);
	return 0;
}
