#ifndef PMG_RUN_LEARNED_H
#define PMG_RUN_LEARNED_H
/**
 * The file of artifact hosts that earlier runs learned from metadata: lines
 * "eco base-url artifact-host:port", the newest last. Only the front writes it.
 */
#include "base/err.h"
#include "base/strv.h"

#define PMG_LEARNED_LINES_MAX 1024U
#define PMG_LEARNED_FILE_MAX  1048576U /* bytes */

/**
 * Add lines that are not there yet; the oldest go above the maximum.
 * @return 0: also when there was nothing to add; -PMG_E_SYS, -PMG_E_LIMIT
 */
int pmg_learned_add(const char *path, const struct pmg_strv *lines,
		    struct pmg_err *err) PMG_MUST_CHECK;

#endif
