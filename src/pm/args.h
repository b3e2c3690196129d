#ifndef PMG_PM_ARGS_H
#define PMG_PM_ARGS_H
/**
 * Command lines of package managers, read as the manager reads them: options
 * may stand before the verb, some of them take the next word. What a table
 * does not know for sure is marked, and callers then assume the worst.
 *
 * Two grammars: npm's and pnpm's (nopt: any number of dashes, "--no-x", unique
 * prefixes, "-gD" for "-g -D", "--json false") and pip's (Python optparse:
 * unique prefixes, "-iURL").
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"

/* "d" stands for "--loglevel info"; value NULL when it only stands for the name. */
struct pmg_arg_short {
	const char *from;
	const char *to;
	const char *value;
};

/* Long names without dashes, separated by single blanks; NULL for none. */
struct pmg_arg_table {
	const char *flags;  /* never take the next word, save "true" and "false" (npm) */
	const char *maybes; /* take it unless it looks like an option (npm) */
	const char *values; /* take it */
	const char *recent; /* take it in some versions; in others the next word is an operand */
	const struct pmg_arg_short *shorts; /* ends with a row without from */
	bool nopt;                          /* else optparse */
};

enum pmg_arg_kind { PMG_ARG_END, PMG_ARG_OPERAND, PMG_ARG_OPTION };

struct pmg_arg {
	enum pmg_arg_kind kind;
	/* Of an option: long, without dashes and "no-"; valid until the next one. */
	const char *name;
	/* Of an option, NULL for none; of an operand: itself. Borrowed from argv. */
	const char *value;
	bool negated; /* "--no-x" */
	bool sure;    /* exactly known, spelled out, its value beyond doubt */
	size_t first; /* index in argv, and number of words */
	size_t n;
};

/* A walk along argv; zero-initialise and set table and argv. */
struct pmg_args {
	const struct pmg_arg_table *table;
	char *const *argv;  /* borrowed, NULL-terminated; [0] is the program and is skipped */
	bool stop_at_first; /* everything from the first operand on is an operand (npx) */
	size_t next;
	bool ended; /* "--" was seen, or stop_at_first took hold */
	char *name;
};

void pmg_args_done(struct pmg_args *args);
PMG_DEFINE_AUTO_DONE(args, struct pmg_args, pmg_args_done);

/** Fill *out with the next option or operand. @return false at the end */
bool pmg_args_next(struct pmg_args *args, struct pmg_arg *out);

#endif
