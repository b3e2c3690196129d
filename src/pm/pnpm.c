#include <string.h>

#include "base/path.h"
#include "pm/classify.h"
#include "pm/managers.h"
#include "pm/point.h"

/* pn and pnx are what pnpm 11 and later also install. */
static const char *const tools[] = { "pnpm", "pnpx", "pn", "pnx", NULL };

static const char *const skip[] = { "recursive", "multi", "m", NULL };

/*
 * No verb of pnpm is plain. pnpm 9 and 10 load the project's .pnpmfile.cjs for
 * every command, `--version` and `help` too, and where package.json names
 * another version of pnpm they download and start that one first.
 */
static const struct pmg_verb_row verbs[] = {
	{ "install", PMG_VERB_FETCH, NULL },      { "i", PMG_VERB_FETCH, NULL },
	{ "add", PMG_VERB_FETCH, NULL },          { "update", PMG_VERB_FETCH, NULL },
	{ "up", PMG_VERB_FETCH, NULL },           { "upgrade", PMG_VERB_FETCH, NULL },
	{ "ci", PMG_VERB_FETCH, NULL },           { "clean-install", PMG_VERB_FETCH, NULL },
	{ "ic", PMG_VERB_FETCH, NULL },           { "install-clean", PMG_VERB_FETCH, NULL },
	{ "install-test", PMG_VERB_FETCH, NULL }, { "it", PMG_VERB_FETCH, NULL },
	{ "import", PMG_VERB_FETCH, NULL },       { "fetch", PMG_VERB_FETCH, NULL },
	{ "rebuild", PMG_VERB_FETCH, NULL },      { "rb", PMG_VERB_FETCH, NULL },
	{ "dedupe", PMG_VERB_FETCH, NULL },       { "deploy", PMG_VERB_FETCH, NULL },
	{ "link", PMG_VERB_FETCH, NULL },         { "ln", PMG_VERB_FETCH, NULL },
	{ "unlink", PMG_VERB_FETCH, NULL },       { "dislink", PMG_VERB_FETCH, NULL },
	{ "remove", PMG_VERB_FETCH, NULL },       { "rm", PMG_VERB_FETCH, NULL },
	{ "uninstall", PMG_VERB_FETCH, NULL },    { "un", PMG_VERB_FETCH, NULL },
	{ "uni", PMG_VERB_FETCH, NULL },          { "prune", PMG_VERB_FETCH, NULL },
	{ "audit", PMG_VERB_FETCH, NULL },        { "outdated", PMG_VERB_FETCH, NULL },
	{ "view", PMG_VERB_FETCH, NULL },         { "info", PMG_VERB_FETCH, NULL },
	{ "show", PMG_VERB_FETCH, NULL },         { 0 },
};

static enum pmg_verb classify(char *const *argv)
{
	const char *tool = argv[0] ? pmg_path_name(argv[0]) : "";

	if (strcmp(tool, "pnpx") == 0 || strcmp(tool, "pnx") == 0)
		return PMG_VERB_RUN;
	if (pmg_classify(&pmg_pnpm_args, verbs, skip, argv) == PMG_VERB_FETCH)
		return PMG_VERB_FETCH;
	return PMG_VERB_RUN;
}

const struct pmg_pm pmg_pm_pnpm = {
	.name = "pnpm",
	.eco = PMG_ECO_NPM,
	.tools = tools,
	.classify = classify,
	.learn = pmg_pnpm_learn,
	.point = pmg_point,
};
