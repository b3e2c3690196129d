#ifndef PMG_CLI_CMD_VIOLATIONS_H
#define PMG_CLI_CMD_VIOLATIONS_H
/** `pmg violations`, and the same below `pmg sandbox`. */
#include "cli/cmd.h"
#include "violation/ledger.h"

extern const struct pmg_cmd pmg_violations_cmds[]; /* rows below "violations" */

/** Refusals of the ledger of this user; as pmg_ledger_events(). */
int pmg_violations_read(const struct pmg_ledger_events_query *query, struct json_t **out,
			struct pmg_err *err) PMG_MUST_CHECK;

/** What to say of a --run that the ledger does not have. */
int pmg_violations_no_run(const char *run, struct pmg_err *err);

/** Explain the last refusal (id 0), or that with this id. */
int pmg_violations_explain(const struct pmg_call *call, int64_t id, bool json, struct pmg_err *err);

int pmg_cmd_violations_list(const struct pmg_call *call, struct pmg_err *err);
int pmg_cmd_violations_explain(const struct pmg_call *call, struct pmg_err *err);

#endif
