#ifndef PMG_BASE_PROC_H
#define PMG_BASE_PROC_H
/** Child processes whose output we want. No shell is ever involved. */
#include <stdint.h>

#include "base/err.h"
#include "base/strv.h"

struct pmg_proc {
	const char *path;    /* program, absolute */
	char *const *argv;   /* NULL-terminated */
	char *const *envp;   /* NULL-terminated: the whole environment of the child */
	const char *cwd;     /* NULL: ours */
	size_t max;          /* most bytes of stdout that are taken */
	uint32_t timeout_ms; /* then it is killed, with its process group */
	int cancel_fd;       /* when it becomes readable, likewise; 0: none. It is not read */
};

/**
 * Run to its end; it dies with the thread that called. Its stdin and stderr are /dev/null, stdout
 * is returned.
 * @param[out] text    caller frees
 * @param[out] status  as waitpid(2) gives it
 * @return 0; -PMG_E_SYS: not started; -PMG_E_TIMEOUT: also when cancelled; -PMG_E_LIMIT: said more
 *         than max
 */
int pmg_proc_capture(const struct pmg_proc *proc, char **text, int *status,
		     struct pmg_err *err) PMG_MUST_CHECK;

#endif
