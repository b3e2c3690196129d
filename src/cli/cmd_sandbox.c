#include "cli/cmd_sandbox.h"

#include "cli/cmd_violations.h"

#define LATER(NAME)                                                                                \
	{                                                                                          \
		.name = NAME, .summary = "not in this version", .flags = PMG_CMD_LATER             \
	}

const struct pmg_cmd pmg_sandbox_cmds[] = {
	LATER("allow"),
	LATER("check"),
	LATER("doctor"),
	LATER("drill"),
	LATER("exec"),
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
	LATER("preset"),
	LATER("profile"),
	LATER("project"),
	{ .name = "violations",
	  .summary = "what was refused, as \"pmg violations\"",
	  .subs = pmg_violations_cmds },
	{ 0 },
};
