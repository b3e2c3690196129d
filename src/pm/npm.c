#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "pm/classify.h"
#include "pm/managers.h"
#include "pm/point.h"

static const char *const tools[] = { "npm", "npx", NULL };

static const char *const nothing[] = { "", NULL };
static const char *const config_only[] = { "get", "list", "ls", "set", "delete", "rm", NULL };
static const char *const cache_only[] = { "ls", "list", "verify", "clean", "clear", "rm", NULL };
static const char *const pkg_only[] = { "get", "set", "delete", NULL };

/*
 * Plain are only verbs that were seen to ask no server and to start nothing,
 * in a project whose .npmrc would have had them do so. Not plain though they
 * look it: `help x`, `docs`, `repo`, `bugs`, `fund`, `login` start the browser
 * that .npmrc names, `config edit` and `edit` its editor, `query` may ask for
 * advisories, `version x` runs scripts.
 */
static const struct pmg_verb_row verbs[] = {
	{ "install", PMG_VERB_FETCH, NULL },
	{ "i", PMG_VERB_FETCH, NULL },
	{ "in", PMG_VERB_FETCH, NULL },
	{ "ins", PMG_VERB_FETCH, NULL },
	{ "inst", PMG_VERB_FETCH, NULL },
	{ "insta", PMG_VERB_FETCH, NULL },
	{ "instal", PMG_VERB_FETCH, NULL },
	{ "isnt", PMG_VERB_FETCH, NULL },
	{ "isnta", PMG_VERB_FETCH, NULL },
	{ "isntal", PMG_VERB_FETCH, NULL },
	{ "isntall", PMG_VERB_FETCH, NULL },
	{ "add", PMG_VERB_FETCH, NULL },
	{ "ci", PMG_VERB_FETCH, NULL },
	{ "ic", PMG_VERB_FETCH, NULL },
	{ "clean-install", PMG_VERB_FETCH, NULL },
	{ "install-clean", PMG_VERB_FETCH, NULL },
	{ "isntall-clean", PMG_VERB_FETCH, NULL },
	{ "install-test", PMG_VERB_FETCH, NULL },
	{ "it", PMG_VERB_FETCH, NULL },
	{ "install-ci-test", PMG_VERB_FETCH, NULL },
	{ "cit", PMG_VERB_FETCH, NULL },
	{ "sit", PMG_VERB_FETCH, NULL },
	{ "clean-install-test", PMG_VERB_FETCH, NULL },
	{ "update", PMG_VERB_FETCH, NULL },
	{ "u", PMG_VERB_FETCH, NULL },
	{ "up", PMG_VERB_FETCH, NULL },
	{ "upgrade", PMG_VERB_FETCH, NULL },
	{ "udpate", PMG_VERB_FETCH, NULL },
	{ "link", PMG_VERB_FETCH, NULL },
	{ "ln", PMG_VERB_FETCH, NULL },
	{ "dedupe", PMG_VERB_FETCH, NULL },
	{ "ddp", PMG_VERB_FETCH, NULL },
	{ "find-dupes", PMG_VERB_FETCH, NULL },
	{ "uninstall", PMG_VERB_FETCH, NULL },
	{ "unlink", PMG_VERB_FETCH, NULL },
	{ "remove", PMG_VERB_FETCH, NULL },
	{ "rm", PMG_VERB_FETCH, NULL },
	{ "r", PMG_VERB_FETCH, NULL },
	{ "un", PMG_VERB_FETCH, NULL },
	{ "prune", PMG_VERB_FETCH, NULL },
	{ "audit", PMG_VERB_FETCH, NULL },
	{ "outdated", PMG_VERB_FETCH, NULL },
	{ "view", PMG_VERB_FETCH, NULL },
	{ "v", PMG_VERB_FETCH, NULL },
	{ "info", PMG_VERB_FETCH, NULL },
	{ "show", PMG_VERB_FETCH, NULL },
	{ "search", PMG_VERB_FETCH, NULL },
	{ "s", PMG_VERB_FETCH, NULL },
	{ "se", PMG_VERB_FETCH, NULL },
	{ "find", PMG_VERB_FETCH, NULL },
	{ "diff", PMG_VERB_FETCH, NULL },
	{ "doctor", PMG_VERB_FETCH, NULL },
	{ "query", PMG_VERB_FETCH, NULL },
	{ "ls", PMG_VERB_PLAIN, NULL },
	{ "list", PMG_VERB_PLAIN, NULL },
	{ "la", PMG_VERB_PLAIN, NULL },
	{ "ll", PMG_VERB_PLAIN, NULL },
	{ "explain", PMG_VERB_PLAIN, NULL },
	{ "why", PMG_VERB_PLAIN, NULL },
	{ "root", PMG_VERB_PLAIN, NULL },
	{ "prefix", PMG_VERB_PLAIN, NULL },
	{ "get", PMG_VERB_PLAIN, NULL },
	{ "set", PMG_VERB_PLAIN, NULL },
	{ "completion", PMG_VERB_PLAIN, NULL },
	{ "help", PMG_VERB_PLAIN, nothing },
	{ "hlep", PMG_VERB_PLAIN, nothing },
	{ "version", PMG_VERB_PLAIN, nothing },
	{ "verison", PMG_VERB_PLAIN, nothing },
	{ "config", PMG_VERB_PLAIN, config_only },
	{ "c", PMG_VERB_PLAIN, config_only },
	{ "cache", PMG_VERB_PLAIN, cache_only },
	{ "pkg", PMG_VERB_PLAIN, pkg_only },
	{ 0 },
};

/* npx runs whatever it is given; alone these four words only print. */
static bool is_npx_help(char *const *argv)
{
	static const char *const words[] = { "--version", "-v", "--help", "-h" };
	size_t i;

	for (i = 0; argv[0] && argv[1] && !argv[2] && i < PMG_ARRAY_LEN(words); i++)
		if (strcmp(argv[1], words[i]) == 0)
			return true;
	return false;
}

static enum pmg_verb classify(char *const *argv)
{
	if (argv[0] && strcmp(pmg_path_name(argv[0]), "npx") == 0)
		return is_npx_help(argv) ? PMG_VERB_PLAIN : PMG_VERB_RUN;
	return pmg_classify(&pmg_npm_args, verbs, NULL, argv);
}

const struct pmg_pm pmg_pm_npm = {
	.name = "npm",
	.eco = PMG_ECO_NPM,
	.tools = tools,
	.classify = classify,
	.learn = pmg_npm_learn,
	.point = pmg_point,
};
