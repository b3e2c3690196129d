#ifndef PMG_RUN_TOOL_H
#define PMG_RUN_TOOL_H
/** Starting the tool: the same session, process group and terminal, stdio untouched. */
#include <sys/types.h>

#include "base/strv.h"
#include "run/find.h"
#include "run/signals.h"

struct pmg_tool {
	const struct pmg_found *found;
	char *const *argv;          /* argv[0] as typed */
	const struct pmg_strv *env; /* without PMG_VIA, which is added here */
};

/**
 * Become the tool. Returns only on failure: -PMG_E_NOTFOUND with errnum (ENOENT: exit 127, else
 * 126).
 */
int pmg_tool_exec(const struct pmg_tool *tool, struct pmg_err *err) PMG_MUST_CHECK;

/**
 * Start the tool as a child that dies with the front.
 * @param[out] pid  running: its exec has succeeded
 * @return 0; -PMG_E_NOTFOUND as above; -PMG_E_SYS
 */
int pmg_tool_start(const struct pmg_tool *tool, const struct pmg_signals *signals, pid_t *pid,
		   struct pmg_err *err) PMG_MUST_CHECK;

#endif
