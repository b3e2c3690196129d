#ifndef PMG_VERDICT_PUBLISH_H
#define PMG_VERDICT_PUBLISH_H
/**
 * intel.db and the one before it, intel.db.prev: replaced and swapped so that
 * whoever looks sees one of them whole, and so that there is no moment without
 * an index, which would mean "no known malware".
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/**
 * Make the folder in which the next index is built, "PATH.build" beside it: who reads a feed may
 * write there, and need not anywhere else. What a killed build left in it is removed. The caller
 * holds the lock (lock.h).
 * @param[out] folder  caller frees
 */
int pmg_publish_folder(const char *path, char **folder, struct pmg_err *err) PMG_MUST_CHECK;
/** The file to build in it. Caller frees. */
char *pmg_publish_file(const char *folder) PMG_MUST_CHECK;
/** Remove it, and the files in it. */
void pmg_publish_clear(const char *folder);

/**
 * Put a finished file into the place of the index; the present one is kept as the previous. It is
 * synced before, and read by nobody here: whoever made it may have been taken over. The caller
 * holds the lock.
 * @param temp  in the same file system as path
 * @return 0; -PMG_E_PARSE: not a file of its own; -PMG_E_SYS
 */
int pmg_publish(const char *temp, const char *path, struct pmg_err *err) PMG_MUST_CHECK;

/* An index, of those that were swapped. */
struct pmg_rollback_side {
	bool usable;      /* else it is missing, damaged or of another pmg, and nothing is known */
	int64_t built;    /* seconds since 1970 */
	uint64_t records; /* live */
};

struct pmg_rollback {
	struct pmg_rollback_side from, to;
};

/**
 * Swap the index with the previous one, which is read and checked first. Once more swaps them
 * back. What was heard of feeds is of another index then (pmg_fetched_forget()). That the present
 * one is missing or damaged is no error: what else is it for.
 * @return 0; -PMG_E_NOTFOUND: there is no previous one; -PMG_E_DB: it is not usable;
 * -PMG_E_TIMEOUT: a build runs; -PMG_E_CONFIG: somebody else could have written it; -PMG_E_SYS.
 * Both files are then as they were.
 */
int pmg_rollback(const char *path, struct pmg_rollback *out, struct pmg_err *err) PMG_MUST_CHECK;

#endif
