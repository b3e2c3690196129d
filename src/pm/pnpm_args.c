#include "pm/managers.h"

/* What `pnpm help VERB` of pnpm 9, 10 and 12 names. Words after a script's or a program's name
 * are not pnpm's: see pnpm.c. */
static const char flags[] =
	"aggregate-output auto-dedupe bail dev dry-run exclude-peers fail-if-no-match "
	"fix-lockfile force frozen-lockfile frozen-store global help "
	"ignore-manifest-check ignore-pnpmfile ignore-scripts ignore-workspace "
	"ignore-workspace-root-check include-workspace-root json latest lockfile "
	"lockfile-only long merge-git-branch-lockfiles offline only-projects "
	"optimistic-repeat-install optional parallel parseable prefer-frozen-lockfile "
	"prefer-offline prod production progress recursive report-summary resolution-only "
	"reverse save save-catalog save-dev save-exact save-optional save-peer save-prod "
	"save-types shamefully-hoist shell-mode side-effects-cache "
	"side-effects-cache-readonly silent sort stream strict-peer-dependencies "
	"strict-ssl tilde trust-lockfile update-checksums use-stderr version workspace "
	"workspace-root yes";
static const char maybes[] = "color";
static const char values[] =
	"allow-build ca cafile changed-files-ignore-pattern child-concurrency cpu depth "
	"dir env-file fetch-retries fetch-timeout filter filter-prod find-by global-dir "
	"hoist-pattern http-proxy https-proxy libc lockfile-dir loglevel modules-dir "
	"network-concurrency node-linker noproxy npmrc-auth-file os package "
	"package-import-method proxy public-hoist-pattern registry reporter resume-from "
	"save-catalog-name save-prefix state-dir store-dir test-pattern trust-policy "
	"trust-policy-exclude trust-policy-ignore-after user-agent virtual-store-dir "
	"workspace-concurrency workspace-packages";
static const struct pmg_arg_short shorts[] = {
	{ "C", "dir", NULL },
	{ "D", "save-dev", NULL },
	{ "E", "save-exact", NULL },
	{ "F", "filter", NULL },
	{ "O", "save-optional", NULL },
	{ "P", "save-prod", NULL },
	{ "L", "latest", NULL },
	{ "g", "global", NULL },
	{ "h", "help", NULL },
	{ "r", "recursive", NULL },
	{ "s", "silent", NULL },
	{ "v", "version", NULL },
	{ "w", "workspace-root", NULL },
	{ "y", "yes", NULL },
	{ "prefix", "dir", NULL },
	{ "d", "loglevel", "info" },
	{ 0 },
};

const struct pmg_arg_table pmg_pnpm_args = {
	.flags = flags, .maybes = maybes, .values = values, .shorts = shorts, .nopt = true
};
