#ifndef PMG_VIOLATION_LEDGER_H
#define PMG_VIOLATION_LEDGER_H
/**
 * ledger.db: every run in which something was fetched or refused, with what was
 * judged, what went by unjudged, what went wrong and what the walls refused. The front is its only
 * writer, in one transaction at the end of a run; runs at the same time wait for each other. Opened
 * only when there is something to write or to show.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "violation/record.h"

struct json_t;

#define PMG_LEDGER_LIST_MAX 100000U

struct pmg_ledger_keep {
	uint64_t retention_s; /* older runs go when a new one is written; 0: none go */
	uint64_t max_size;    /* bytes in use above which the oldest tenth goes; 0: no maximum */
};

/**
 * Write a run and drop what is too old.
 * @param path  made when missing, 0600
 * @param[in,out] record  gets another id when a run of the same day has it already
 * @return 0; -PMG_E_DB, -PMG_E_SYS: nothing of this run was written. A caller says so and goes on:
 *         what was refused stays refused.
 */
int pmg_ledger_write(const char *path, struct pmg_record *record,
		     const struct pmg_ledger_keep *keep, struct pmg_err *err) PMG_MUST_CHECK;

struct pmg_ledger_query {
	uint64_t limit;  /* runs, newest first */
	const char *run; /* only this id; NULL: all */
	bool blocked;    /* only runs in which a package was refused, and only those packages */
};

/**
 * Read runs in the shape of docs/cli-json.md, "pmg audit list".
 * @param[out] out  an array, newest run first; empty when there is no ledger yet
 * @return 0; -PMG_E_DB
 */
int pmg_ledger_list(const char *path, const struct pmg_ledger_query *query, struct json_t **out,
		    struct pmg_err *err) PMG_MUST_CHECK;

/* A package that was let in, in one run. All borrowed, until the next one. */
struct pmg_ledger_landed {
	const char *eco, *name, *version; /* version "" where it was not known */
	const char *run;
	int64_t started; /* seconds since 1970 */
	const char *tool, *cwd, *profile,
		*fingerprint; /* profile NULL, fingerprint "": not known */
	const char *url;      /* where it came from */
	const char *reach;    /* JSON list of what scripts were allowed; NULL: not known */
};
/** @return 0 to go on, else the reading ends and gives it back */
typedef int pmg_ledger_landed_fn(void *ctx, const struct pmg_ledger_landed *landed,
				 struct pmg_err *err);

/**
 * All packages that were let in, by ecosystem, name, version, and then the oldest run first.
 * @return 0, also when there is no ledger yet; what fn returned; -PMG_E_DB
 */
int pmg_ledger_each_landed(const char *path, pmg_ledger_landed_fn *fn, void *ctx,
			   struct pmg_err *err) PMG_MUST_CHECK;

/* Which refusals; zero and NULL: any. */
struct pmg_ledger_events_query {
	uint64_t limit;
	int64_t id;
	const char *run;
	bool last_run;      /* the newest run that has refusals */
	const char *folder; /* with last_run: of those that were started in it or below it */
	int code;
	const char *package; /* "name@version", or "name" for all its versions */
	int64_t since;       /* seconds since 1970 */
	bool sensitive;
};

/**
 * Read refusals in the shape of docs/cli-json.md, "pmg violations list".
 * @param[out] out  an array, the newest first; empty when there is no ledger yet
 * @return 0; -PMG_E_DB
 */
int pmg_ledger_events(const char *path, const struct pmg_ledger_events_query *query,
		      struct json_t **out, struct pmg_err *err) PMG_MUST_CHECK;

#endif
