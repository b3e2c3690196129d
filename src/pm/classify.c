#include "pm/classify.h"

#include "base/str.h"

static bool is_one_of(const char *const *list, const char *word)
{
	for (; list && *list; list++)
		if (pmg_streq(*list, word))
			return true;
	return false;
}

enum pmg_verb pmg_classify(const struct pmg_arg_table *table, const struct pmg_verb_row *rows,
			   const char *const *skip, char *const *argv)
{
	pmg_auto(args) struct pmg_args args = { .table = table, .argv = argv };
	const char *verb = NULL, *operand = "";
	struct pmg_arg arg;

	while (pmg_args_next(&args, &arg)) {
		if (!arg.sure)
			return PMG_VERB_RUN;
		if (arg.kind != PMG_ARG_OPERAND)
			continue;
		if (!verb && !is_one_of(skip, arg.value))
			verb = arg.value;
		else if (verb && operand[0] == '\0')
			operand = arg.value;
	}
	for (; verb && rows->name; rows++) {
		if (!pmg_streq(rows->name, verb))
			continue;
		if (rows->verb == PMG_VERB_PLAIN && rows->only && !is_one_of(rows->only, operand))
			return PMG_VERB_RUN;
		return rows->verb;
	}
	return verb ? PMG_VERB_RUN : PMG_VERB_PLAIN; /* without a verb there is only help */
}
