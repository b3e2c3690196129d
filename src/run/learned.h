#ifndef PMG_RUN_LEARNED_H
#define PMG_RUN_LEARNED_H
/**
 * Files of what earlier runs learned from registries, one thing a line, the newest last. Only the
 * front writes them.
 *   artifact-hosts  "eco base-url artifact-host:port"
 *   dates           "eco base-url name version-or-file seconds-since-1970": when it was published
 *   contents        "eco name form version contents day": what it had in it (verdict/earlier.h),
 *                   and when that was seen last, in days since 1970
 */
#include <stdint.h>

#include "base/err.h"
#include "base/strv.h"

#define PMG_LEARNED_LINES_MAX    1024U /* artifact hosts */
#define PMG_LEARNED_DATES_MAX    8192U
#define PMG_LEARNED_CONTENTS_MAX 8192U
#define PMG_LEARNED_FILE_MAX     1048576U /* bytes */
#define PMG_LEARNED_DAYS         400      /* that contents are kept */

/**
 * Add lines that are not there yet; the oldest go above max.
 * @return 0: also when there was nothing to add; -PMG_E_SYS, -PMG_E_LIMIT
 */
int pmg_learned_add(const char *path, const struct pmg_strv *lines, size_t max,
		    struct pmg_err *err) PMG_MUST_CHECK;
/**
 * The same for lines of which the first four words name a thing, and the last is to be the day:
 * what was said of it before goes, and so do lines that are too old. A file that is damaged is
 * begun anew, less what is no such line.
 * @param lines  without the day
 * @param today  days since 1970
 */
int pmg_learned_put(const char *path, const struct pmg_strv *lines, int64_t today,
		    struct pmg_err *err) PMG_MUST_CHECK;

#endif
