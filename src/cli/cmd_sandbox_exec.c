#include "cli/cmd_sandbox.h"
#include "cli/front.h"

/* Everything that a guarded tool gets, for a program that is no package manager. */
int pmg_cmd_sandbox_exec(const struct pmg_call *call, struct pmg_err *err)
{
	struct pmg_front_settings settings = *(const struct pmg_front_settings *)call->settings;

	settings.command = true;
	return pmg_front_run(&settings, call->out, call->operands, err);
}
