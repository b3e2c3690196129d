#include "cli/cmd_sandbox.h"

#include "cli/cmd_violations.h"

#define LATER(NAME)                                                                                \
	{                                                                                          \
		.name = NAME, .summary = "not in this version", .flags = PMG_CMD_LATER             \
	}

const struct pmg_cmd pmg_sandbox_cmds[] = {
	{ .name = "allow",
	  .synopsis = "[--last] [--all] [--force] [--remove] [--reason TEXT] "
		      "[--expires TIME] [--for TOOL] [--preset NAME] TYPE=VALUE...",
	  .summary = "allow something in this repository, for good",
	  .about = "TYPE is read, write, exec, net-connect, net-bind, unix, env or preset. --last "
		   "takes what\nwas refused last, --last --all all that was refused in the last "
		   "run; what stays closed\nfor good reason (credentials, start files, hooks) "
		   "needs --force and its own name.\n--remove takes an allowance back.\n",
	  .max = PMG_CMD_ANY,
	  .opts = pmg_sandbox_allow_opts,
	  .opts_size = PMG_SANDBOX_ALLOW_SIZE,
	  .run = pmg_cmd_sandbox_allow },
	{ .name = "check",
	  .synopsis = "[--json] [--profile NAME] [--role ROLE] [--read PATH] [--write PATH] "
		      "[--exec PROGRAM] [--connect HOST:PORT] [--bind ADDRESS:PORT] "
		      "[--unix SOCKET] [--env NAME] [-- TOOL ARGS...]",
	  .summary = "say what a run would be allowed, and by which rule",
	  .about =
		  "Each question may be given again. It is asked for a run of TOOL here; without "
		  "one for the\nmanager of --profile, else for the one whose lockfile or manifest "
		  "is found, else for\n\"pmg sandbox exec\". Overlay and --sandbox-allow count as "
		  "in "
		  "a run. ROLE is manager or\nscript (what packages bring: the default where there "
		  "is a manager).\nEnds with 0 when all is allowed, with 1 when something is "
		  "not.\n",
	  .max = PMG_CMD_ANY,
	  .opts = pmg_sandbox_check_opts,
	  .opts_size = PMG_SANDBOX_CHECK_SIZE,
	  .run = pmg_cmd_sandbox_check },
	{ .name = "doctor",
	  .synopsis = "[--json]",
	  .summary = "try what this machine can enforce",
	  .opts = pmg_sandbox_doctor_opts,
	  .opts_size = PMG_SANDBOX_DOCTOR_SIZE,
	  .run = pmg_cmd_sandbox_doctor },
	LATER("drill"),
	{ .name = "exec",
	  .synopsis = "-- COMMAND ...",
	  .summary = "run any program within the walls",
	  .about = "It may change the current folder's project, and reach nothing on the network "
		   "but what\n--sandbox-allow or the repository's allowances name.\n",
	  .min = 1,
	  .max = PMG_CMD_ANY,
	  .run = pmg_cmd_sandbox_exec },
	{ .name = "explain",
	  .synopsis = "[--json] [--last] [CODE]",
	  .summary = "say what a code means, or the last refusal",
	  .about = "CODE stands in brackets in messages, as PMG2001. Its page is part of pmg: no\n"
		   "network and no configuration is needed.\n",
	  .max = 1,
	  .opts = pmg_sandbox_explain_opts,
	  .opts_size = PMG_SANDBOX_EXPLAIN_SIZE,
	  .run = pmg_cmd_sandbox_explain },
	LATER("learn"),
	{ .name = "preset",
	  .summary = "what single tools need, beyond profiles",
	  .subs = pmg_sandbox_preset_cmds },
	{ .name = "profile", .summary = "what profiles allow", .subs = pmg_sandbox_profile_cmds },
	{ .name = "project",
	  .summary = "what is allowed in this repository, and in others",
	  .subs = pmg_sandbox_project_cmds },
	{ .name = "violations",
	  .summary = "what was refused, as \"pmg violations\"",
	  .subs = pmg_violations_cmds },
	{ 0 },
};
