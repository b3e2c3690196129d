#ifndef PMG_CLI_CMD_AUDIT_H
#define PMG_CLI_CMD_AUDIT_H
/** `pmg audit`: what the ledger holds. */
#include "cli/cmd.h"

extern const struct pmg_cmd pmg_audit_cmds[]; /* rows below "audit" */

#endif
