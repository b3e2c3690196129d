#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "violation/ledger.h"
#include "violation/ledger_priv.h"

const struct pmg_column pmg_ledger_event_columns[] = {
	{ PMG_COLUMN_TIME, "first" },
	{ PMG_COLUMN_TIME, "last" },
	{ PMG_COLUMN_INT, "count" },
	{ PMG_COLUMN_CODE, "code" },
	{ PMG_COLUMN_TEXT, "op" },
	{ PMG_COLUMN_TEXT, "target" },
	{ PMG_COLUMN_TEXT, "rule" },
	{ PMG_COLUMN_TEXT, "layer" },
	{ PMG_COLUMN_TEXT, "source" },
	{ PMG_COLUMN_TEXT, "package" },
	{ PMG_COLUMN_TEXT, "script" },
	{ PMG_COLUMN_TEXT, "how_known" },
	{ PMG_COLUMN_LIST, "process" },
	{ PMG_COLUMN_TEXT, "enforced_by" },
	{ PMG_COLUMN_BOOL, "sensitive" },
	{ PMG_COLUMN_TEXT, "allow" },
	{ 0 },
};

/* The same with what its run adds. */
static const struct pmg_column listed_columns[] = {
	{ PMG_COLUMN_INT, "id" },           { PMG_COLUMN_TEXT, "run" },
	{ PMG_COLUMN_TEXT, "cwd" },         { PMG_COLUMN_TIME, "first" },
	{ PMG_COLUMN_TIME, "last" },        { PMG_COLUMN_INT, "count" },
	{ PMG_COLUMN_CODE, "code" },        { PMG_COLUMN_TEXT, "op" },
	{ PMG_COLUMN_TEXT, "target" },      { PMG_COLUMN_TEXT, "rule" },
	{ PMG_COLUMN_TEXT, "layer" },       { PMG_COLUMN_TEXT, "source" },
	{ PMG_COLUMN_TEXT, "package" },     { PMG_COLUMN_TEXT, "script" },
	{ PMG_COLUMN_TEXT, "how_known" },   { PMG_COLUMN_LIST, "process" },
	{ PMG_COLUMN_TEXT, "enforced_by" }, { PMG_COLUMN_TEXT, "profile" },
	{ PMG_COLUMN_TEXT, "fingerprint" }, { PMG_COLUMN_BOOL, "sensitive" },
	{ PMG_COLUMN_TEXT, "allow" },       { 0 },
};

/* ?9: a folder, or all that is below it. */
#define HERE " AND (?9 IS NULL OR x.cwd = ?9 OR substr(x.cwd, 1, length(?9) + 1) = ?9 || '/')"

/* ?5: a package with its version, or all versions of a name. */
static const char list_sql[] =
	"SELECT v.id,runs.run,runs.cwd," PMG_LEDGER_EVENT_COLUMNS
	",profile,fingerprint," PMG_LEDGER_EVENT_TAIL
	" FROM violations AS v JOIN runs ON runs.id = v.run"
	" WHERE (?1 IS NULL OR runs.run = ?1)"
	" AND (?2 = 0 OR v.run = coalesce((SELECT max(w.run) FROM violations AS w"
	" JOIN runs AS x ON x.id = w.run WHERE op <> 'env'" HERE "),"
	" (SELECT max(w.run) FROM violations AS w JOIN runs AS x ON x.id = w.run WHERE 1" HERE ")))"
	" AND (?3 = 0 OR v.id = ?3) AND (?4 = 0 OR code = ?4)"
	" AND (?5 IS NULL OR package = ?5 OR substr(package, 1, length(?5) + 1) = ?5 || '@')"
	" AND last >= ?6 AND (?7 = 0 OR sensitive)"
	" ORDER BY v.id DESC LIMIT ?8";

int pmg_ledger_insert_events(struct pmg_store *store, const struct pmg_events *events, int64_t run,
			     struct pmg_err *err)
{
	static const char sql[] =
		"INSERT INTO violations(run,key," PMG_LEDGER_EVENT_COLUMNS "," PMG_LEDGER_EVENT_TAIL
		") VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18)";
	pmg_auto(stmt) struct pmg_stmt *stmt = NULL;
	int r = pmg_store_prepare(store, sql, &stmt, err);
	size_t i;

	for (i = 0; r == 0 && i < events->n; i++) {
		const struct pmg_event *event = &events->v[i];

		pmg_stmt_bind_int(stmt, 1, run);
		pmg_stmt_bind_text(stmt, 2, events->keys[i].hex);
		pmg_stmt_bind_int(stmt, 3, event->first);
		pmg_stmt_bind_int(stmt, 4, event->last);
		pmg_ledger_bind_count(stmt, 5, event->count);
		pmg_stmt_bind_int(stmt, 6, event->code);
		pmg_stmt_bind_text(stmt, 7, pmg_event_op_name(event->op));
		pmg_stmt_bind_text(stmt, 8, event->target);
		pmg_stmt_bind_text(stmt, 9, event->rule);
		pmg_stmt_bind_text(stmt, 10, event->layer);
		pmg_stmt_bind_text(stmt, 11, event->source);
		pmg_stmt_bind_text(stmt, 12, event->package);
		pmg_stmt_bind_text(stmt, 13, event->script);
		pmg_stmt_bind_text(stmt, 14, event->how_known);
		pmg_ledger_bind_list(stmt, 15, &event->process);
		pmg_stmt_bind_text(stmt, 16, pmg_event_by_name(event->by));
		pmg_stmt_bind_int(stmt, 17, event->sensitive);
		pmg_stmt_bind_text(stmt, 18, event->allow);
		r = pmg_stmt_run(stmt, err);
	}
	return r;
}

static int read_all(struct pmg_store *store, const struct pmg_ledger_events_query *query,
		    struct json_t *array, struct pmg_err *err)
{
	uint64_t limit = query->limit < PMG_LEDGER_LIST_MAX ? query->limit : PMG_LEDGER_LIST_MAX;
	pmg_auto(stmt) struct pmg_stmt *stmt = NULL;
	int r = pmg_store_prepare(store, list_sql, &stmt, err);

	if (r < 0)
		return r;
	pmg_stmt_bind_text(stmt, 1, query->run);
	pmg_stmt_bind_int(stmt, 2, query->last_run);
	pmg_stmt_bind_int(stmt, 3, query->id);
	pmg_stmt_bind_int(stmt, 4, query->code);
	pmg_stmt_bind_text(stmt, 5, query->package);
	pmg_stmt_bind_int(stmt, 6, query->since);
	pmg_stmt_bind_int(stmt, 7, query->sensitive);
	pmg_stmt_bind_int(stmt, 8, (int64_t)limit);
	pmg_stmt_bind_text(stmt, 9, query->folder);
	while ((r = pmg_stmt_step(stmt, err)) == 1) {
		r = pmg_ledger_row(array, stmt, listed_columns, err);
		if (r < 0)
			return r;
	}
	return r;
}

int pmg_ledger_events(const char *path, const struct pmg_ledger_events_query *query,
		      struct json_t **out, struct pmg_err *err)
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
