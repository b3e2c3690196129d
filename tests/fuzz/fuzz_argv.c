#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/strv.h"
#include "pm/args.h"
#include "pm/managers.h"

#define WORDS_MAX 64U

/* Words are counted once, none twice, none past the end. */
static void walk(const struct pmg_arg_table *table, struct pmg_strv *words)
{
	pmg_auto(args) struct pmg_args args = { .table = table, .argv = pmg_strv_argv(words) };
	struct pmg_arg arg;
	size_t next = 1;

	while (pmg_args_next(&args, &arg)) {
		if (arg.first < next || arg.n == 0 || arg.first + arg.n > words->n ||
		    (arg.kind == PMG_ARG_OPTION) != (arg.name != NULL))
			abort();
		next = arg.first + arg.n;
	}
}

/* The input is a command line, one word a line. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pmg_autofree char *text = pmg_xstrndup((const char *)data, size);
	pmg_auto(strv) struct pmg_strv words = { 0 };
	const struct pmg_pm *const *pm;
	char *word, *save = NULL;

	pmg_strv_add(&words, "npm");
	for (word = strtok_r(text, "\n", &save); word && words.n < WORDS_MAX;
	     word = strtok_r(NULL, "\n", &save))
		pmg_strv_add(&words, word);
	walk(&pmg_npm_args, &words);
	walk(&pmg_pnpm_args, &words);
	walk(&pmg_pip_args, &words);
	for (pm = pmg_pm_all(); *pm; pm++)
		if ((int)(*pm)->classify(pmg_strv_argv(&words)) > (int)PMG_VERB_RUN)
			abort();
	return 0;
}
