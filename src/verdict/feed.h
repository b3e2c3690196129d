#ifndef PMG_VERDICT_FEED_H
#define PMG_VERDICT_FEED_H
/**
 * Read the records of a feed. Its content tells of which kind it is: a zip archive; a tar archive,
 * packed by gzip, zstd or not at all; a folder tree; a file with one record a line (JSON lines);
 * one record; or a list of another shape (lists.h). In archives and folders the files whose names
 * end in
 * ".json" are records. Nothing is unpacked to disk: a name like "../../x.json" is text and no more.
 *
 * What cannot be read is handed to the sink with its path and a reason, and the reading goes on. It
 * ends early only where a limit on the whole is passed, where an archive is damaged so that nothing
 * can be found in it any more, and where the sink says so.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct pmg_feed_limits {
	size_t record;    /* bytes of one record, unpacked; a larger one is unread */
	uint64_t total;   /* bytes of all records, unpacked */
	uint64_t entries; /* files and folders */
	unsigned depth;   /* of folders in each other; what lies deeper is unread */
	unsigned broken;  /* entries of a zip archive whose packed data is broken */
	size_t list;      /* bytes of a file that is one list, or one record */
};

/** 8 MiB, 8 GiB, 4 million, 16, 64, 64 MiB: some ten times what the largest feeds need. */
const struct pmg_feed_limits *pmg_feed_limits_default(void);

/* Takes what is read. Paths are relative to the feed; all is borrowed for the call. */
struct pmg_feed_sink {
	/** @return 0; a negative code ends the reading with *err */
	int (*record)(void *arg, const char *path, const char *text, size_t len,
		      struct pmg_err *err);
	void (*unread)(void *arg, const char *path, const char *why);
	void (*other)(void *arg, const char *path); /* by its name the file is no record */
	void *arg;
	/** The feed is one text file, which is a record or a list. NULL: record() gets it.
	 *  @return as record() */
	int (*whole)(void *arg, const char *path, const char *text, size_t len,
		     struct pmg_err *err);
};

/**
 * @return 0; -PMG_E_NOTFOUND; -PMG_E_PARSE: a zip archive whose directory cannot be read, a tar
 *         archive that is damaged or cut, a web page; -PMG_E_LIMIT; -PMG_E_SYS; what the sink
 *         returned
 */
int pmg_feed_read(const char *path, const struct pmg_feed_limits *limits,
		  const struct pmg_feed_sink *sink, struct pmg_err *err) PMG_MUST_CHECK;

#endif
