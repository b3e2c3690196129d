#ifndef PMG_VERDICT_UPDATE_H
#define PMG_VERDICT_UPDATE_H
/**
 * Bring the index up to date with one feed (conf/config_intel.h): fetch what has changed, and hand
 * it to an import.
 *
 * A dump of OSV.dev is fetched whole once a week; in between only the records that its server lists
 * as changed (modified_id.csv), where it has such a list. Any other feed is fetched whole whenever
 * it has changed, and once a week in any case: a server could say "unchanged" for ever.
 *
 * An update that is killed leaves the index either as it was or as it was to become. What it had
 * fetched and not yet imported, the next update imports.
 */
#include "conf/config_intel.h"
#include "net/fetch.h"
#include "verdict/fetched.h"
#include "verdict/import.h"

#define PMG_UPDATE_FILE_MAX   4294967296U /* bytes of a feed: some 20 times the largest */
#define PMG_UPDATE_RECORD_MAX 8388608U    /* as pmg_feed_limits_default() */
#define PMG_UPDATE_FULL_S     (7 * 86400) /* after this the whole is taken: what vanished goes */
#define PMG_UPDATE_DELAY_S    86400 /* a dump may lack changes that are so much older than it */

/* All borrowed. */
struct pmg_update {
	const char *index;  /* intel.db */
	const char *folder; /* pmg_fetched_folder(); made, and locked by the caller */
	struct pmg_fetch *fetch;
	int64_t now;      /* seconds since 1970 */
	int64_t built_as; /* date that the index gets: `now`, or SOURCE_DATE_EPOCH */
	bool full;        /* the whole, whatever the server says of changes */
	bool accept;      /* take feeds that look wrong (gates.h) */
	/** Imports, in a process of its own. @param want  index and now are set in it */
	int (*import)(void *arg, const struct pmg_import_want *want, struct pmg_err *err);
	/** Called now and then, to show how far a feed is; NULL: nobody wants to know.
	 *  @param total  0: not known  @param records  done and total count records, else bytes */
	void (*progress)(void *arg, const char *feed, uint64_t done, uint64_t total, bool records);
	void *arg;
};

enum pmg_update_kind {
	PMG_UPDATE_UNCHANGED,
	PMG_UPDATE_WHOLE,
	PMG_UPDATE_CHANGES, /* of single records */
};
/** "unchanged", "whole", "changes". */
const char *pmg_update_kind_name(enum pmg_update_kind kind);

struct pmg_update_report {
	enum pmg_update_kind kind;
	uint64_t bytes;   /* fetched by this update */
	uint64_t resumed; /* not fetched again: they were there from an update that was cut off */
	size_t changed;   /* single records that were fetched */
	size_t missing;   /* records that modified_id.csv names and the server does not have */
	size_t unread;    /* lines of modified_id.csv that cannot be read */
};

/**
 * @param[out] report  zeroed by the caller; on failure it tells what was done until then
 * @return 0; what pmg_fetch_file() and the import return; -PMG_E_PARSE: what came is no feed.
 *         The index is then as it was
 */
int pmg_update_feed(const struct pmg_update *update, const struct pmg_config_feed *feed,
		    struct pmg_update_report *report, struct pmg_err *err) PMG_MUST_CHECK;

#endif
