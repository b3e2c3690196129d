#ifndef PMG_VERDICT_PUBLISH_H
#define PMG_VERDICT_PUBLISH_H
/**
 * intel.db and the index before it, intel.db.prev, are replaced and swapped in such a way that
 * whoever looks sees one of them whole, and that there is no moment without an index, which would
 * mean "no known malware".
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/**
 * Make the folder in which the next index is built, "PATH.build" beside it: so the process that
 * reads a feed needs to write in this folder alone. What a killed build left in it is removed. The
 * caller holds the lock (lock.h).
 * @param path  of the index
 * @param[out] folder  caller frees
 */
int pmg_publish_folder(const char *path, char **folder, struct pmg_err *err) PMG_MUST_CHECK;
/** Path of the file to build in that folder. Caller frees. */
char *pmg_publish_file(const char *folder) PMG_MUST_CHECK;
/** Remove that folder, and the files in it. */
void pmg_publish_clear(const char *folder);

/**
 * Put a finished file into the place of the index; the present one is kept as the previous one. The
 * file is synced first. It is not read here: whoever built it may have been taken over by a feed.
 * The caller holds the lock.
 * @param temp  in the same file system as path
 * @return 0; -PMG_E_PARSE: no regular file, or one with a second name; -PMG_E_SYS
 */
int pmg_publish(const char *temp, const char *path, struct pmg_err *err) PMG_MUST_CHECK;

/* What is known of one of the two indexes that were swapped. */
struct pmg_rollback_side {
	bool usable;      /* false: missing, damaged or of another pmg, so nothing is known of it */
	int64_t built;    /* seconds since 1970 */
	uint64_t records; /* live */
};

struct pmg_rollback {
	struct pmg_rollback_side from, to;
};

/**
 * Swap the index with the previous one, which is read and checked first; doing it once more swaps
 * them back. What is remembered of feeds is about another index then, so it is forgotten
 * (pmg_fetched_forget()). It is no error that the present one is missing or damaged: that is what a
 * rollback is for.
 * @return 0; -PMG_E_NOTFOUND: there is no previous one; -PMG_E_DB: it is not usable;
 * -PMG_E_TIMEOUT: a build runs; -PMG_E_CONFIG: somebody else could have written it; -PMG_E_SYS.
 * On failure both files are as they were.
 */
int pmg_rollback(const char *path, struct pmg_rollback *out, struct pmg_err *err) PMG_MUST_CHECK;

#endif
