#ifndef PMG_PM_CLASSIFY_H
#define PMG_PM_CLASSIFY_H
/** What a command line can do, by a table of verbs. */
#include "pm/args.h"
#include "pm/pm.h"

/* A verb or one of its aliases. Verbs that no row names are PMG_VERB_RUN. */
struct pmg_verb_row {
	const char *name;
	enum pmg_verb verb;
	/* PMG_VERB_PLAIN: only with one of these as its operand, "" for none. NULL: with any. */
	const char *const *only;
};

/**
 * Options may stand anywhere. Where one is not known for sure the verb is not
 * either, so the line is PMG_VERB_RUN; so are verbs that are abbreviated.
 * @param rows  ends with a row without name
 * @param skip  words before the verb that change nothing ("recursive"); NULL for none
 */
enum pmg_verb pmg_classify(const struct pmg_arg_table *table, const struct pmg_verb_row *rows,
			   const char *const *skip, char *const *argv);

#endif
