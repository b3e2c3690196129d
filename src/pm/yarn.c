#include <string.h>

#include "base/path.h"
#include "pm/classify.h"
#include "pm/managers.h"
#include "pm/point.h"

/* yarnpkg is what npm's package and Debian install beside it. */
static const char *const tools[] = { "yarn", "yarnpkg", NULL };

/*
 * No verb of yarn is plain. Every one of them, --version too, first starts the program that a
 * yarn-path of .yarnrc or yarnPath of .yarnrc.yml names, and berry (2 to 4) loads the plugins that
 * are named there.
 */
static const struct pmg_verb_row verbs[] = {
	{ "install", PMG_VERB_FETCH, NULL },      { "add", PMG_VERB_FETCH, NULL },
	{ "remove", PMG_VERB_FETCH, NULL },       { "up", PMG_VERB_FETCH, NULL },
	{ "upgrade", PMG_VERB_FETCH, NULL },      { "upgrade-interactive", PMG_VERB_FETCH, NULL },
	{ "global", PMG_VERB_FETCH, NULL },       { "import", PMG_VERB_FETCH, NULL },
	{ "link", PMG_VERB_FETCH, NULL },         { "unlink", PMG_VERB_FETCH, NULL },
	{ "dedupe", PMG_VERB_FETCH, NULL },       { "rebuild", PMG_VERB_FETCH, NULL },
	{ "unplug", PMG_VERB_FETCH, NULL },       { "patch", PMG_VERB_FETCH, NULL },
	{ "patch-commit", PMG_VERB_FETCH, NULL }, { "set", PMG_VERB_FETCH, NULL },
	{ "policies", PMG_VERB_FETCH, NULL },     { "plugin", PMG_VERB_FETCH, NULL },
	{ "audit", PMG_VERB_FETCH, NULL },        { "outdated", PMG_VERB_FETCH, NULL },
	{ "info", PMG_VERB_FETCH, NULL },         { "search", PMG_VERB_FETCH, NULL },
	{ "list", PMG_VERB_FETCH, NULL },         { "why", PMG_VERB_FETCH, NULL },
	{ "explain", PMG_VERB_FETCH, NULL },      { "check", PMG_VERB_FETCH, NULL },
	{ "autoclean", PMG_VERB_FETCH, NULL },    { "cache", PMG_VERB_FETCH, NULL },
	{ "config", PMG_VERB_FETCH, NULL },       { "licenses", PMG_VERB_FETCH, NULL },
	{ "versions", PMG_VERB_FETCH, NULL },     { "bin", PMG_VERB_FETCH, NULL },
	{ "help", PMG_VERB_FETCH, NULL },         { 0 },
};

/* `yarn` alone installs. */
static enum pmg_verb classify(char *const *argv)
{
	return pmg_classify(&pmg_yarn_args, verbs, NULL, argv) == PMG_VERB_RUN ? PMG_VERB_RUN
									       : PMG_VERB_FETCH;
}

/* Operands that are yarn's own; what follows the name of a script or program is not. */
unsigned pmg_yarn_own_operands(char *const *argv)
{
	static const char *const two[] = { "run", "exec", "dlx", "node", "create", "workspaces" };
	pmg_auto(args) struct pmg_args args = { .table = &pmg_yarn_args, .argv = argv };
	struct pmg_arg arg;
	size_t i;

	while (pmg_args_next(&args, &arg)) {
		char *const verb[] = { argv[0], argv[arg.first], NULL };

		if (arg.kind != PMG_ARG_OPERAND)
			continue;
		/* `yarn workspace a add x`: options anywhere are yarn's */
		if (strcmp(arg.value, "workspace") == 0 || classify(verb) == PMG_VERB_FETCH)
			return 0;
		for (i = 0; i < PMG_ARRAY_LEN(two); i++)
			if (strcmp(two[i], arg.value) == 0)
				return 2;
		return 1;
	}
	return 0;
}

const struct pmg_pm pmg_pm_yarn = {
	.name = "yarn",
	.eco = PMG_ECO_NPM,
	.tools = tools,
	.classify = classify,
	.learn = pmg_yarn_learn,
	.point = pmg_point,
};
