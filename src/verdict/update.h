#ifndef PMG_VERDICT_UPDATE_H
#define PMG_VERDICT_UPDATE_H
/**
 * Bring the index up to date with one feed (conf/config_intel.h): fetch what has
 * changed, and hand it to an import. Of a dump of OSV.dev the whole is taken once
 * a week and changed records by themselves in between, where the server has
 * modified_id.csv; of other feeds the whole whenever it has changed. Once a week
 * it is taken whatever its server says of changes.
 *
 * Killed at any moment it leaves the index as it was or as it is to be. What was
 * fetched and not yet imported is imported by the next one.
 */
#include "conf/config_intel.h"
#include "net/fetch.h"
#include "verdict/fetched.h"
#include "verdict/import.h"

#define PMG_UPDATE_FILE_MAX   4294967296U /* bytes of a feed: some 20 times the largest */
#define PMG_UPDATE_RECORD_MAX 8388608U    /* as pmg_feed_limits_default() */
#define PMG_UPDATE_FULL_S     (7 * 86400) /* then the whole is taken, with what has vanished */
#define PMG_UPDATE_DELAY_S    86400 /* a dump may be so much older than the changes beside it */

/* All borrowed. */
struct pmg_update {
	const char *index;  /* intel.db */
	const char *folder; /* pmg_fetched_folder(); made, and locked by the caller */
	struct pmg_fetch *fetch;
	int64_t now;      /* seconds since 1970 */
	int64_t built_as; /* date of the index; `now` but where builds are to be repeated */
	bool full;        /* the whole, whatever the server says of changes */
	bool accept;      /* also what looks wrong (gates.h) */
	/** Import: in a process of its own. want->index and ->now are set. */
	int (*import)(void *arg, const struct pmg_import_want *want, struct pmg_err *err);
	/** How far a feed is. @param total  0: not known. @param records  else bytes */
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
	uint64_t bytes;   /* that were fetched now */
	uint64_t resumed; /* that were there already */
	size_t changed;   /* records that were fetched by themselves */
	size_t missing;   /* of them those that the server has not */
	size_t unread;    /* lines of modified_id.csv that are none */
};

/**
 * @param[out] report  zeroed before; also filled as far as things went
 * @return 0; what pmg_fetch_file() and the import return; -PMG_E_PARSE: what came is no feed.
 *         The index is then as it was
 */
int pmg_update_feed(const struct pmg_update *update, const struct pmg_config_feed *feed,
		    struct pmg_update_report *report, struct pmg_err *err) PMG_MUST_CHECK;

#endif
