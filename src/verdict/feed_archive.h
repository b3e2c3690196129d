#ifndef PMG_VERDICT_FEED_ARCHIVE_H
#define PMG_VERDICT_FEED_ARCHIVE_H
/** What the readers of zip (feed_zip.c) and tar (feed_tar.c) share: each entry is handed to the
 * sink of the feed. */
#include <archive.h>
#include <archive_entry.h>

#include "base/mem.h"
#include "verdict/feed_priv.h"

#define PMG_FEED_BLOCK 65536U

struct pmg_feed_archive {
	struct pmg_feed_reader *reader;
	int fd;
	struct archive *archive;
	struct pmg_str text; /* of the present record */
	uint64_t at;         /* number of the present entry, from 1 */
	unsigned broken;
	/** Called where the packed data of the present entry is broken: go on behind that entry, or
	 *  give up. @return 0 or what ends the reading */
	int (*pass_over)(struct pmg_feed_archive *archive, struct pmg_err *err);
};

void pmg_feed_archive_close(struct pmg_feed_archive *archive);
/** Set an error that has libarchive's own words in it. @return -PMG_E_PARSE */
int pmg_feed_archive_failed(const struct pmg_feed_archive *archive, const char *doing,
			    struct pmg_err *err);
/** Go to the next entry. @return 1: *entry is it; 0: there is none; -PMG_E_PARSE */
int pmg_feed_archive_next(struct pmg_feed_archive *archive, struct archive_entry **entry,
			  struct pmg_err *err) PMG_MUST_CHECK;
/** Hand an entry to the sink. @return 0; what ends the reading */
int pmg_feed_archive_take(struct pmg_feed_archive *archive, struct archive_entry *entry,
			  struct pmg_err *err) PMG_MUST_CHECK;

#endif
