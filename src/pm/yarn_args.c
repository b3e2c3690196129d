#include "pm/managers.h"

/* What yarn 1.22 (`yarn help`) and berry 2 to 4 (`yarn --help`) name. Words after a script's or a
 * program's name are not yarn's: see yarn.c. */
static const char flags[] =
	"all bin-links cached caret check-cache check-files check-resolutions clear clear-all "
	"commit-hooks default-rc dev disable-pnp enable-pnp exact fixed flat focus force "
	"frozen-lockfile git-tag-version global har help ignore-engines ignore-optional "
	"ignore-platform ignore-scripts ignore-workspace-root-check immutable immutable-cache init "
	"inline-builds integrity interactive json latest link-duplicates lockfile major minor "
	"no-bin-links no-commit-hooks no-default-rc no-git-tag-version no-lockfile "
	"no-node-version-check no-progress node-version-check non-interactive offline optional "
	"patch "
	"peer pnp prefer-dev prefer-offline premajor preminor prepatch prerelease private prod "
	"progress pure-lockfile recursive refresh-lockfile save save-dev save-exact save-optional "
	"save-peer save-tilde silent skip-builds skip-integrity-check strict-semver summary tilde "
	"update-checksums verbose verify-tree version why workspaces yes";
static const char maybes[] = "emoji production scripts-prepend-node-path";
static const char values[] =
	"access cache-folder cwd global-folder groups https-proxy level link-folder mode "
	"modules-folder mutex network-concurrency network-timeout otp preferred-cache-folder "
	"prefix "
	"proxy registry tag use-manifest use-yarnrc";
/* Of some verbs, or of yarn 1 or berry alone. */
static const char recent[] =
	"depth environment filename from include into message package pattern preid scope severity";
static const struct pmg_arg_short shorts[] = {
	{ "A", "all", NULL },
	{ "C", "caret", NULL },
	{ "D", "dev", NULL },
	{ "E", "exact", NULL },
	{ "F", "fixed", NULL },
	{ "O", "optional", NULL },
	{ "P", "peer", NULL },
	{ "R", "recursive", NULL },
	{ "T", "tilde", NULL },
	{ "W", "ignore-workspace-root-check", NULL },
	{ "f", "force", NULL },
	{ "g", "global", NULL },
	{ "h", "help", NULL },
	{ "i", "interactive", NULL },
	{ "p", "package", NULL },
	{ "s", "silent", NULL },
	{ "v", "version", NULL },
	{ "y", "yes", NULL },
	{ 0 },
};

const struct pmg_arg_table pmg_yarn_args = { .flags = flags,
					     .maybes = maybes,
					     .values = values,
					     .recent = recent,
					     .shorts = shorts,
					     .nopt = true };
