#ifndef PMG_CLI_CMD_SANDBOX_H
#define PMG_CLI_CMD_SANDBOX_H
/** `pmg sandbox`: the walls, what they let through and what they refused. */
#include "cli/cmd.h"

extern const struct pmg_cmd pmg_sandbox_cmds[]; /* rows below "sandbox" */

/* cmd_sandbox_explain.c */
extern const struct pmg_opt pmg_sandbox_explain_opts[];
#define PMG_SANDBOX_EXPLAIN_SIZE (2 * sizeof(bool))
int pmg_cmd_sandbox_explain(const struct pmg_call *call, struct pmg_err *err);

/* cmd_sandbox_allow.c */
extern const struct pmg_opt pmg_sandbox_allow_opts[];
#define PMG_SANDBOX_ALLOW_SIZE (4 * sizeof(void *) + 2 * sizeof(struct pmg_strv))
int pmg_cmd_sandbox_allow(const struct pmg_call *call, struct pmg_err *err);

/* cmd_sandbox_check.c: 1 when something that was asked for is denied */
extern const struct pmg_opt pmg_sandbox_check_opts[];
#define PMG_SANDBOX_CHECK_SIZE (3 * sizeof(void *) + 7 * sizeof(struct pmg_strv))
int pmg_cmd_sandbox_check(const struct pmg_call *call, struct pmg_err *err);

/* cmd_sandbox_doctor.c: 1 when no driver gives what a run needs */
extern const struct pmg_opt pmg_sandbox_doctor_opts[];
#define PMG_SANDBOX_DOCTOR_SIZE sizeof(bool)
int pmg_cmd_sandbox_doctor(const struct pmg_call *call, struct pmg_err *err);

/* cmd_sandbox_exec.c */
int pmg_cmd_sandbox_exec(const struct pmg_call *call, struct pmg_err *err);

/* cmd_sandbox_preset.c */
extern const struct pmg_cmd pmg_sandbox_preset_cmds[]; /* rows below "preset" */

/* cmd_sandbox_profile.c */
extern const struct pmg_cmd pmg_sandbox_profile_cmds[]; /* rows below "profile" */

/* cmd_sandbox_profile_diff.c */
int pmg_cmd_sandbox_profile_diff(const struct pmg_call *call, struct pmg_err *err);

/* cmd_sandbox_profile_show.c */
extern const struct pmg_opt pmg_sandbox_profile_show_opts[];
#define PMG_SANDBOX_PROFILE_SHOW_SIZE (2 * sizeof(void *))
int pmg_cmd_sandbox_profile_show(const struct pmg_call *call, struct pmg_err *err);
struct pmg_policy_rule;
/** An element of docs/cli-json.md, "pmg sandbox profile show". */
struct json_t *pmg_sandbox_rule_json(const struct pmg_policy_rule *rule) PMG_MUST_CHECK;

/* cmd_sandbox_project.c */
extern const struct pmg_cmd pmg_sandbox_project_cmds[]; /* rows below "project" */

#endif
