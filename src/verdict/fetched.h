#ifndef PMG_VERDICT_FETCHED_H
#define PMG_VERDICT_FETCHED_H
/**
 * What `pmg intel update` remembers of each feed, in feeds/NAME.json beside the index: validators,
 * so that nothing is fetched twice, and when the feed's server was last heard of. From that the
 * age of the index is counted, not from its date: a feed without news is no old feed.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

/* Times are seconds since 1970, 0 for never. */
struct pmg_fetched {
	char *url; /* the address that all below is about; NULL: nothing is remembered */

	/* Validators that came with the feed's file when it was last fetched; NULL: none came. */
	char *etag, *last_modified;
	/* The same of modified_id.csv, the list of changed records. */
	char *list_etag, *list_last_modified;

	int64_t checked;  /* when the server last said what it has, and the index had it */
	int64_t whole_at; /* when the whole feed was last taken into the index */
	int64_t since;    /* the whole may lack what was changed from this time on */

	/* The `imported` that the index has of this feed (struct pmg_index_feed) after the import
	 * that this file tells of. When the index says another one, it was made elsewhere and what
	 * stands here is not about it. -1: no index. */
	int64_t imported;
	bool pending; /* the feed's file is fetched, and not yet in the index */
	bool merged;  /* every change that was fetched is in the index */
};

void pmg_fetched_done(struct pmg_fetched *fetched);
PMG_DEFINE_AUTO_DONE(fetched, struct pmg_fetched, pmg_fetched_done);

/** The folder of these files, in which feeds are fetched too. Caller frees. */
char *pmg_fetched_folder(const char *index_path) PMG_MUST_CHECK;

/**
 * A file that cannot be read is as good as none: then all is fetched again. (What must not be lost
 * is elsewhere: the sequence of a signed index in signed.h.)
 * @param[out] out  zeroed by the caller; stays so when nothing is remembered
 */
void pmg_fetched_load(const char *folder, const char *feed, struct pmg_fetched *out);
/** @return 0; -PMG_E_SYS */
int pmg_fetched_save(const char *folder, const char *feed, const struct pmg_fetched *fetched,
		     struct pmg_err *err) PMG_MUST_CHECK;

/**
 * To be called before another index takes the place of the present one: marks all that is
 * remembered as being about no index (imported -1). So the next update takes each feed whole,
 * whatever its server says, and until then the index is as old as its imports.
 * @return 0; -PMG_E_SYS
 */
int pmg_fetched_forget(const char *folder, struct pmg_err *err) PMG_MUST_CHECK;

struct pmg_index;
/**
 * When was an index last known to hold what its feeds have? Of those of its feeds that are
 * fetched, the time of the one that was heard of longest ago; without such feeds the date on which
 * it was built.
 * @param index_path  where it lies, for the folder beside it
 * @return 0 or -PMG_E_DB
 */
int pmg_fetched_checked(const char *index_path, struct pmg_index *index, int64_t *out,
			struct pmg_err *err) PMG_MUST_CHECK;

#endif
