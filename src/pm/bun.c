#include <string.h>

#include "base/path.h"
#include "pm/classify.h"
#include "pm/managers.h"
#include "pm/point.h"

static const char *const tools[] = { "bun", "bunx", NULL };

static const struct pmg_verb_row verbs[] = {
	{ "install", PMG_VERB_FETCH, NULL },  { "i", PMG_VERB_FETCH, NULL },
	{ "add", PMG_VERB_FETCH, NULL },      { "a", PMG_VERB_FETCH, NULL },
	{ "ci", PMG_VERB_FETCH, NULL },       { "remove", PMG_VERB_FETCH, NULL },
	{ "rm", PMG_VERB_FETCH, NULL },       { "update", PMG_VERB_FETCH, NULL },
	{ "outdated", PMG_VERB_FETCH, NULL }, { "audit", PMG_VERB_FETCH, NULL },
	{ "link", PMG_VERB_FETCH, NULL },     { "unlink", PMG_VERB_FETCH, NULL },
	{ "patch", PMG_VERB_FETCH, NULL },    { "patch-commit", PMG_VERB_FETCH, NULL },
	{ "info", PMG_VERB_FETCH, NULL },     { "why", PMG_VERB_FETCH, NULL },
	{ "pm", PMG_VERB_FETCH, NULL },       { 0 },
};

/* Alone these words only print; everything else reads bunfig.toml, which may name code to load. */
static bool is_help(char *const *argv)
{
	static const char *const words[] = { "--version", "-v", "--revision", "--help", "-h" };
	size_t i;

	if (argv[0] && !argv[1])
		return true;
	for (i = 0; argv[0] && !argv[2] && i < PMG_ARRAY_LEN(words); i++)
		if (strcmp(argv[1], words[i]) == 0)
			return true;
	return false;
}

static enum pmg_verb classify(char *const *argv)
{
	if (argv[0] && strcmp(pmg_path_name(argv[0]), "bunx") == 0)
		return PMG_VERB_RUN;
	if (is_help(argv))
		return PMG_VERB_PLAIN;
	return pmg_classify(&pmg_bun_args, verbs, NULL, argv) == PMG_VERB_FETCH ? PMG_VERB_FETCH
										: PMG_VERB_RUN;
}

bool pmg_bun_runs_code(const char *tool, const struct pmg_strv *operands)
{
	/* These fetch; what they start then is a process of its own. */
	static const char *const others[] = { "x", "create", "c", "init", "publish", "upgrade" };
	const struct pmg_verb_row *row = verbs;
	size_t i;

	if (strcmp(pmg_path_name(tool), "bunx") == 0 || operands->n == 0)
		return false;
	for (i = 0; i < PMG_ARRAY_LEN(others); i++)
		if (strcmp(operands->v[0], others[i]) == 0)
			return false;
	while (row->name && strcmp(row->name, operands->v[0]) != 0)
		row++;
	return !row->name;
}

unsigned pmg_bun_own_operands(char *const *argv)
{
	static const char *const two[] = { "run", "x", "exec", "create", "c" };
	pmg_auto(args) struct pmg_args args = { .table = &pmg_bun_args, .argv = argv };
	struct pmg_arg arg;
	size_t i;

	if (strcmp(pmg_path_name(argv[0]), "bunx") == 0)
		return 1;
	while (pmg_args_next(&args, &arg)) {
		char *const verb[] = { argv[0], argv[arg.first], NULL };

		if (arg.kind != PMG_ARG_OPERAND)
			continue;
		if (classify(verb) == PMG_VERB_FETCH)
			return 0;
		for (i = 0; i < PMG_ARRAY_LEN(two); i++)
			if (strcmp(two[i], arg.value) == 0)
				return 2;
		return 1;
	}
	return 1;
}

const struct pmg_pm pmg_pm_bun = {
	.name = "bun",
	.eco = PMG_ECO_NPM,
	.tools = tools,
	.classify = classify,
	.learn = pmg_bun_learn,
	.point = pmg_point,
};
