#include "pm/classify.h"
#include "pm/managers.h"
#include "pm/point.h"

static const char *const tools[] = { "pip", "pip3", NULL };

static const char *const config_only[] = { "get", "list", "set", "unset", "debug", NULL };
static const char *const cache_only[] = { "dir", "info", "list", "remove", "purge", NULL };

/* `list` may look for a newer pip, as it does without us; it fetches no package. */
static const struct pmg_verb_row verbs[] = {
	{ "install", PMG_VERB_FETCH, NULL },
	{ "download", PMG_VERB_FETCH, NULL },
	{ "wheel", PMG_VERB_FETCH, NULL },
	{ "lock", PMG_VERB_FETCH, NULL },
	{ "index", PMG_VERB_FETCH, NULL },
	{ "search", PMG_VERB_FETCH, NULL },
	{ "list", PMG_VERB_PLAIN, NULL },
	{ "freeze", PMG_VERB_PLAIN, NULL },
	{ "show", PMG_VERB_PLAIN, NULL },
	{ "check", PMG_VERB_PLAIN, NULL },
	{ "inspect", PMG_VERB_PLAIN, NULL },
	{ "uninstall", PMG_VERB_PLAIN, NULL },
	{ "hash", PMG_VERB_PLAIN, NULL },
	{ "completion", PMG_VERB_PLAIN, NULL },
	{ "debug", PMG_VERB_PLAIN, NULL },
	{ "help", PMG_VERB_PLAIN, NULL },
	{ "config", PMG_VERB_PLAIN, config_only },
	{ "cache", PMG_VERB_PLAIN, cache_only },
	{ 0 },
};

/* Before the verb pip reads by another table, and completes by it: "--local" of `pip list` is there
 * "--local-log FILE", and the word behind it no verb. */
static bool has_plain_start(char *const *argv)
{
	pmg_auto(args) struct pmg_args args = { .table = &pmg_pip_general_args, .argv = argv };
	struct pmg_arg arg;

	while (pmg_args_next(&args, &arg) && arg.kind == PMG_ARG_OPTION)
		if (!arg.sure)
			return false;
	return true;
}

static enum pmg_verb classify(char *const *argv)
{
	if (!has_plain_start(argv))
		return PMG_VERB_RUN;
	return pmg_classify(&pmg_pip_args, verbs, NULL, argv);
}

const struct pmg_pm pmg_pm_pip = {
	.name = "pip",
	.eco = PMG_ECO_PYPI,
	.tools = tools,
	.classify = classify,
	.learn = pmg_pip_learn,
	.point = pmg_point,
};
