/*
 * pmg-intel: the commands of pmg that need archives, TLS or the network. pmg
 * starts it with its own arguments; it is a program of its own so that pmg
 * need not load those libraries.
 */
#include <sys/stat.h>

#include "cli/cmd_intel.h"

static const struct pmg_opt settings_opts[] = { PMG_CMD_SETTINGS_ROWS, { 0 } };

int main(int argc, char **argv)
{
	struct pmg_cmd_settings settings = { 0 };
	const struct pmg_program program = {
		.name = "pmg",
		.cmds = pmg_cmd_intel(),
		.global = settings_opts,
		.head = "Usage: pmg intel COMMAND\n",
	};

	(void)umask(077); /* what is made here is the user's alone */
	return pmg_cmd_main(&program, &settings, argc > 0 ? argv + 1 : argv);
}
