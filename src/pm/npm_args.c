#include "pm/managers.h"

/* npm 11's own definitions (lib definitions.js, "type"), and those of npm 6 to 10 that are gone. */
static const char flags[] =
	"all allow-same-version allow-scripts-pending allow-scripts-pin audit bin-links "
	"bypass-2fa commit-hooks dangerously-allow-all-scripts description dev "
	"diff-ignore-all-space diff-name-only diff-no-prefix diff-text dry-run "
	"engine-strict expect-results force foreground-scripts format-package-lock fund "
	"git-tag-version global global-style if-present ignore-scripts "
	"include-attestations include-staged include-workspace-root init-private "
	"install-links json legacy-bundling legacy-peer-deps link long offline "
	"omit-lockfile-registry-resolved optional package-lock package-lock-only "
	"packages-all parseable prefer-dedupe prefer-offline prefer-online production "
	"progress provenance read-only rebuild-bundle save save-bundle save-dev "
	"save-exact save-optional save-peer save-prod shrinkwrap sign-git-commit "
	"sign-git-tag strict-allow-scripts strict-peer-deps strict-ssl timing unicode "
	"update-notifier usage version versions workspaces workspaces-update yes";
static const char maybes[] = "browser color";
/* Known to every npm from 6 to 11. */
static const char values[] =
	"access also audit-level auth-type before ca cache cache-max cache-min "
	"cafile cert cidr depth editor fetch-retries fetch-retry-factor "
	"fetch-retry-maxtimeout fetch-retry-mintimeout git globalconfig "
	"heading https-proxy init-author-email init-author-name "
	"init-author-url init-license init-module init-version key "
	"local-address loglevel logs-max maxsockets message node-options "
	"noproxy only otp prefix preid proxy registry save-prefix scope "
	"script-shell searchexclude searchlimit searchopts searchstaleness "
	"shell tag tag-version-prefix umask user-agent userconfig viewer";
/* Not known to all of them: an npm that does not know one takes it for a flag. */
static const char recent[] =
	"_auth allow-directory allow-file allow-git allow-remote allow-scripts "
	"call cpu diff diff-dst-prefix diff-src-prefix diff-unified "
	"expect-result-count expires fetch-timeout include init-type "
	"init.author.email init.author.name init.author.url init.license "
	"init.module init.version install-strategy libc location "
	"lockfile-version logs-dir min-release-age min-release-age-exclude "
	"name node-gyp omit orgs orgs-permission os pack-destination package "
	"packages packages-and-scopes-permission password provenance-file "
	"replace-registry-host sbom-format sbom-type scopes token-description "
	"which workspace";
static const struct pmg_arg_short shorts[] = {
	{ "enjoy-by", "before", NULL },
	{ "d", "loglevel", "info" },
	{ "dd", "loglevel", "verbose" },
	{ "ddd", "loglevel", "silly" },
	{ "quiet", "loglevel", "warn" },
	{ "q", "loglevel", "warn" },
	{ "s", "loglevel", "silent" },
	{ "silent", "loglevel", "silent" },
	{ "verbose", "loglevel", "verbose" },
	{ "desc", "description", NULL },
	{ "help", "usage", NULL },
	{ "local", "global", NULL },
	{ "n", "yes", NULL },
	{ "no", "yes", NULL },
	{ "porcelain", "parseable", NULL },
	{ "readonly", "read-only", NULL },
	{ "reg", "registry", NULL },
	{ "iwr", "include-workspace-root", NULL },
	{ "ws", "workspaces", NULL },
	{ "a", "all", NULL },
	{ "c", "call", NULL },
	{ "f", "force", NULL },
	{ "g", "global", NULL },
	{ "L", "location", NULL },
	{ "l", "long", NULL },
	{ "m", "message", NULL },
	{ "p", "parseable", NULL },
	{ "C", "prefix", NULL },
	{ "S", "save", NULL },
	{ "B", "save-bundle", NULL },
	{ "D", "save-dev", NULL },
	{ "E", "save-exact", NULL },
	{ "O", "save-optional", NULL },
	{ "P", "save-prod", NULL },
	{ "?", "usage", NULL },
	{ "H", "usage", NULL },
	{ "h", "usage", NULL },
	{ "v", "version", NULL },
	{ "w", "workspace", NULL },
	{ "y", "yes", NULL },
	{ 0 },
};

const struct pmg_arg_table pmg_npm_args = { .flags = flags,
					    .maybes = maybes,
					    .values = values,
					    .recent = recent,
					    .shorts = shorts,
					    .nopt = true };
