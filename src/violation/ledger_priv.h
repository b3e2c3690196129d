#ifndef PMG_VIOLATION_LEDGER_PRIV_H
#define PMG_VIOLATION_LEDGER_PRIV_H
/** What writing and reading the ledger share. */
#include "base/strv.h"
#include "store/store.h"
#include "violation/record.h"

struct json_t;

/** Open (made when missing) with the present schema. */
int pmg_ledger_open(const char *path, struct pmg_store **out, struct pmg_err *err) PMG_MUST_CHECK;

/* Writing. */

/** A list becomes a JSON text: it is shown whole, never searched. */
void pmg_ledger_bind_list(struct pmg_stmt *stmt, int param, const struct pmg_strv *list);
void pmg_ledger_bind_count(struct pmg_stmt *stmt, int param, uint64_t n);
/** ledger_events.c: the refusals of run number `run`. */
int pmg_ledger_insert_events(struct pmg_store *store, const struct pmg_events *events, int64_t run,
			     struct pmg_err *err) PMG_MUST_CHECK;

/* Reading: columns of a SELECT as keys of a JSON object; docs/cli-json.md has the same. */

enum pmg_column_kind {
	PMG_COLUMN_END,
	PMG_COLUMN_TEXT,
	PMG_COLUMN_INT,
	PMG_COLUMN_SOME, /* a number; 0 is left out */
	PMG_COLUMN_BOOL,
	PMG_COLUMN_TIME, /* 0 is left out */
	PMG_COLUMN_CODE, /* PMGnnnn; 0 is left out */
	PMG_COLUMN_LIST
};
struct pmg_column {
	enum pmg_column_kind kind;
	const char *key;
};

/** An object with these columns, added to array. */
int pmg_ledger_row(struct json_t *array, struct pmg_stmt *stmt, const struct pmg_column *columns,
		   struct pmg_err *err) PMG_MUST_CHECK;

/* Columns of table violations that an event becomes, and their keys in that order. */
#define PMG_LEDGER_EVENT_COLUMNS                                                                   \
	"first,last,count,code,op,target,rule,layer,source,package,script,how_known,process,"      \
	"enforced_by"
#define PMG_LEDGER_EVENT_TAIL "sensitive,allow"
extern const struct pmg_column pmg_ledger_event_columns[]; /* of both */

#endif
