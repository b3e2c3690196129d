#include "base/path.h"
#include "base/str.h"
#include "pm/classify.h"
#include "pm/managers.h"
#include "pm/point.h"

static const char *const tools[] = { "uv", "uvx", NULL };

static const char *const cache_only[] = { "dir", "clean", "prune", "size", NULL };
static const char *const dir_only[] = { "dir", NULL };
static const char *const self_only[] = { "version", NULL };

/* Whatever looks for an interpreter starts the one in .venv: `uv pip list` too, and `uv tool list`
 * those of the tools; with --outdated it asks the index. */
static const struct pmg_verb_row verbs[] = {
	{ "add", PMG_VERB_FETCH, NULL },
	{ "remove", PMG_VERB_FETCH, NULL },
	{ "sync", PMG_VERB_FETCH, NULL },
	{ "lock", PMG_VERB_FETCH, NULL },
	{ "pip", PMG_VERB_FETCH, NULL },
	{ "cache", PMG_VERB_PLAIN, cache_only },
	{ "python", PMG_VERB_PLAIN, dir_only },
	{ "tool", PMG_VERB_PLAIN, dir_only },
	{ "self", PMG_VERB_PLAIN, self_only },
	{ "generate-shell-completion", PMG_VERB_PLAIN, NULL },
	{ "help", PMG_VERB_PLAIN, NULL },
	{ 0 },
};

static const struct pmg_verb_row no_verbs[] = { { 0 } };

/* uvx takes no verb: its first word is the package to be run. */
static enum pmg_verb classify(char *const *argv)
{
	bool uvx = pmg_streq(pmg_path_name(argv[0]), "uvx");

	return pmg_classify(&pmg_uv_args, uvx ? no_verbs : verbs, NULL, argv);
}

const struct pmg_pm pmg_pm_uv = {
	.name = "uv",
	.eco = PMG_ECO_PYPI,
	.tools = tools,
	.classify = classify,
	.learn = pmg_uv_learn,
	.point = pmg_point_python,
};
