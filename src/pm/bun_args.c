#include "pm/managers.h"

/* What `bun install --help` and its neighbours name, from 1.1 to 1.4. Words after a script's or a
 * program's name are not bun's: see bun.c. */
static const char flags[] =
	"all analyze bun dev dry-run exact force frozen-lockfile global help if-present "
	"ignore-scripts interactive json latest lockfile-only no-cache no-env-file no-install "
	"no-progress no-save no-summary no-verify offline only-missing optional peer "
	"prefer-offline "
	"production quiet recursive revision save save-prod save-text-lockfile silent trust "
	"use-bundled-ca use-openssl-ca use-system-ca verbose version yarn";
static const char values[] =
	"backend ca cache-dir cafile catalog concurrent-scripts config cpu cwd env-file filter "
	"libc linker minimum-release-age minimum-release-age-excludes network-concurrency omit os "
	"package registry";
static const struct pmg_arg_short shorts[] = {
	{ "D", "dev", NULL },         { "E", "exact", NULL },      { "F", "filter", NULL },
	{ "a", "analyze", NULL },     { "c", "config", NULL },     { "d", "dev", NULL },
	{ "f", "force", NULL },       { "g", "global", NULL },     { "h", "help", NULL },
	{ "i", "interactive", NULL }, { "p", "production", NULL }, { "r", "recursive", NULL },
	{ "v", "version", NULL },     { "y", "yarn", NULL },       { 0 },
};

const struct pmg_arg_table pmg_bun_args = {
	.flags = flags, .values = values, .shorts = shorts, .nopt = true
};
