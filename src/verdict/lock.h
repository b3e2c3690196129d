#ifndef PMG_VERDICT_LOCK_H
#define PMG_VERDICT_LOCK_H
/**
 * One writer at a time for a file that is replaced by rename. The lock is a
 * file of its own beside it ("PATH.lock", left there): a lock on the file
 * itself would stay with the one that was replaced.
 */
#include <stdint.h>

#include "base/err.h"

#define PMG_LOCK_MS 30000U /* how long a command waits for another one */

/**
 * @param[out] fd  close it to let go
 * @return 0; -PMG_E_TIMEOUT: another held it for wait_ms; -PMG_E_SYS
 */
int pmg_lock_take(const char *path, uint64_t wait_ms, int *fd, struct pmg_err *err) PMG_MUST_CHECK;

#endif
