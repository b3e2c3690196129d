#ifndef PMG_RUN_TARGET_H
#define PMG_RUN_TARGET_H
/** Which object a path leads to, for who asks before a run; the broker finds it again when asked.
 */
#include <sys/stat.h>

#include "base/mem.h"

struct pmg_policy;

/**
 * Follow every link, the last one too; what is not there yet is where it would be made. The folders
 * /proc/self and /proc/thread-self stay as they are: rules speak of them so.
 * @param policy  NULL, or of a run: what is hidden in it is not gone into, what follows is text
 * @param cwd     absolute, canonical
 * @param[out] st  of the object; st_mode 0: it is not there, or not to be looked at
 * @return NULL with errno: ELOOP, ENAMETOOLONG, ENOTDIR. Caller frees
 */
char *pmg_target_find(const struct pmg_policy *policy, const char *cwd, const char *path,
		      struct stat *st) PMG_MUST_CHECK;

#endif
