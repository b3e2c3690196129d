#include "base/path.h"
#include "cli/cmd_sandbox.h"
#include "cli/front.h"
#include "pm/pm.h"

/* "exec -- npm install": no registry is open to it here, and no cache may be written. */
static void name_manager(const struct pmg_call *call, const struct pmg_front_settings *settings)
{
	const char *name = pmg_path_name(call->operands[0]);
	const struct pmg_pm *pm = pmg_pm_find(name);
	pmg_autofree char *safe = pmg_out_quote(name);

	if (!pm || settings->common.quiet || pm->classify(call->operands) == PMG_VERB_PLAIN)
		return;
	pmg_out_note(call->out,
		     "%s runs as any command here, without a registry; \"pmg %s ...\" guards it as "
		     "what it is",
		     safe, safe);
}

/* Everything that a guarded tool gets, for a program that is no package manager. */
int pmg_cmd_sandbox_exec(const struct pmg_call *call, struct pmg_err *err)
{
	struct pmg_front_settings settings = *(const struct pmg_front_settings *)call->settings;

	settings.command = true;
	name_manager(call, &settings);
	return pmg_front_run(&settings, call->out, call->operands, err);
}
