#ifndef PMG_VERDICT_FEED_ARCHIVE_H
#define PMG_VERDICT_FEED_ARCHIVE_H
/** What zip (feed_zip.c) and tar (feed_tar.c) share: entries become records, nothing is unpacked
 * to disk, and names are text and no more. */
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
	/** The data of the present entry is broken: stand behind it, or give up. */
	int (*pass_over)(struct pmg_feed_archive *archive, struct pmg_err *err);
};

void pmg_feed_archive_close(struct pmg_feed_archive *archive);
/** With libarchive's words. @return -PMG_E_PARSE */
int pmg_feed_archive_failed(const struct pmg_feed_archive *archive, const char *doing,
			    struct pmg_err *err);
/** @return 1: *entry is there; 0: end; -PMG_E_PARSE */
int pmg_feed_archive_next(struct pmg_feed_archive *archive, struct archive_entry **entry,
			  struct pmg_err *err) PMG_MUST_CHECK;
/** Tell the sink of an entry. @return 0; what ends the reading */
int pmg_feed_archive_take(struct pmg_feed_archive *archive, struct archive_entry *entry,
			  struct pmg_err *err) PMG_MUST_CHECK;

#endif
