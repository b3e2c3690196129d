#ifndef PMG_VERDICT_FEED_PRIV_H
#define PMG_VERDICT_FEED_PRIV_H
/** What the readers of folders and of archives share. */
#include <stdbool.h>

#include "base/str.h"
#include "verdict/feed.h"

struct pmg_feed_reader {
	const char *path; /* of the feed, for messages */
	const struct pmg_feed_limits *limits;
	const struct pmg_feed_sink *sink;
	uint64_t total, entries;
};

/** Is it a record by its name? */
bool pmg_feed_is_record(const char *path);
/** Count one more entry. @return 0 or -PMG_E_LIMIT */
int pmg_feed_count(struct pmg_feed_reader *reader, struct pmg_err *err) PMG_MUST_CHECK;
/** Hand a record on, counting its bytes. @return 0; -PMG_E_LIMIT; what the sink returned */
int pmg_feed_take(struct pmg_feed_reader *reader, const char *path, const char *text, size_t len,
		  struct pmg_err *err) PMG_MUST_CHECK;

/** Read a zip archive from fd, which stands at its beginning. */
int pmg_feed_read_zip(struct pmg_feed_reader *reader, int fd, struct pmg_err *err) PMG_MUST_CHECK;

/** Read a tar archive, packed by gzip, zstd or not at all. A cut one is -PMG_E_PARSE. */
int pmg_feed_read_tar(struct pmg_feed_reader *reader, int fd, struct pmg_err *err) PMG_MUST_CHECK;
/** Read a file that is no archive: lines of JSON, one record, or a list. */
int pmg_feed_read_text(struct pmg_feed_reader *reader, int fd, struct pmg_err *err) PMG_MUST_CHECK;

#endif
