#include "pm/classify.h"
#include "pm/managers.h"
#include "pm/point.h"

static const char *const tools[] = { "pipx", NULL };

static const char *const cache_only[] = { "dir", "purge", NULL };

/* Before version 1.5 whatever looks at an environment brings the pip that all share up to date
 * first: `list` and `uninstall` too. `ensurepath` asks the shell for its PATH and edits what that
 * reads when it starts: within walls it could do neither. */
static const struct pmg_verb_row verbs[] = {
	{ "install", PMG_VERB_FETCH, NULL },
	{ "install-all", PMG_VERB_FETCH, NULL },
	{ "inject", PMG_VERB_FETCH, NULL },
	{ "upgrade", PMG_VERB_FETCH, NULL },
	{ "upgrade-all", PMG_VERB_FETCH, NULL },
	{ "upgrade-shared", PMG_VERB_FETCH, NULL },
	{ "reinstall", PMG_VERB_FETCH, NULL },
	{ "reinstall-all", PMG_VERB_FETCH, NULL },
	{ "list", PMG_VERB_FETCH, NULL },
	{ "uninstall", PMG_VERB_FETCH, NULL },
	{ "uninstall-all", PMG_VERB_FETCH, NULL },
	{ "environment", PMG_VERB_PLAIN, NULL },
	{ "completions", PMG_VERB_PLAIN, NULL },
	{ "ensurepath", PMG_VERB_PLAIN, NULL },
	{ "help", PMG_VERB_PLAIN, NULL },
	{ "cache", PMG_VERB_PLAIN, cache_only },
	{ 0 },
};

/* What `pipx VERB --help` of pipx 1.4 to 1.18 names, all verbs together. --outdated of `list` is
 * left out on purpose: it asks the index. */
static const char flags[] =
	"all-shells dry-run editable fetch-missing-python force global help include-apps "
	"include-deps include-injected injected-only install json leave-deps no-cache "
	"no-path-check path pinned prepend pypackages quiet refresh short skip-maintenance "
	"system-site-packages upgrade verbose version with-suffix yes";
static const char values[] =
	"app backend cooldown fetch-python include-resources-from index-url lock output "
	"pip-args preinstall python python-args requirement skip spec suffix "
	"upgrade-strategy value with";
static const struct pmg_arg_short shorts[] = {
	{ "h", "help", NULL },
	{ "q", "quiet", NULL },
	{ "v", "verbose", NULL },
	{ "f", "force", NULL },
	{ "e", "editable", NULL },
	{ "i", "index-url", NULL },
	{ "U", "upgrade", NULL },
	{ "r", "requirement", NULL },
	{ "y", "yes", NULL },
	{ "V", "value", NULL },
	{ 0 },
};

const struct pmg_arg_table pmg_pipx_args = { .flags = flags, .values = values, .shorts = shorts };

static enum pmg_verb classify(char *const *argv)
{
	return pmg_classify(&pmg_pipx_args, verbs, NULL, argv);
}

const struct pmg_pm pmg_pm_pipx = {
	.name = "pipx",
	.eco = PMG_ECO_PYPI,
	.tools = tools,
	.classify = classify,
	.learn = pmg_pipx_learn,
	.point = pmg_point_pipx,
};
