#ifndef PMG_CLI_CMD_SANDBOX_H
#define PMG_CLI_CMD_SANDBOX_H
/** `pmg sandbox`: the walls, what they let through and what they refused. */
#include "cli/cmd.h"

extern const struct pmg_cmd pmg_sandbox_cmds[]; /* rows below "sandbox" */

/* cmd_sandbox_explain.c */
extern const struct pmg_opt pmg_sandbox_explain_opts[];
#define PMG_SANDBOX_EXPLAIN_SIZE (2 * sizeof(bool))
int pmg_cmd_sandbox_explain(const struct pmg_call *call, struct pmg_err *err);

#endif
