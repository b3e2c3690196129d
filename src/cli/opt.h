#ifndef PMG_CLI_OPT_H
#define PMG_CLI_OPT_H
/**
 * Options as rows: one table says what a command accepts, where it is stored
 * and what --help prints. A row's value goes to `offset` in the caller's
 * struct, which the caller has filled with the defaults.
 *
 *   static const struct pmg_opt list_opts[] = {
 *       { PMG_OPT_FLAG, 0, "json", offsetof(struct list_opts, json), 0, NULL, "print JSON" },
 *       { PMG_OPT_UINT, 'n', "limit", offsetof(struct list_opts, limit), 1000, "N", "at most N" },
 *       { 0 },
 *   };
 *
 * Accepted: --name, --name=value, --name value, -n5, -n 5, -vq (a cluster),
 * "--" (what follows is operands), options before and after operands. Names
 * are never abbreviated: a later option could make a script's guess wrong.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/strv.h"

enum pmg_opt_kind {
	PMG_OPT_END,   /* last row */
	PMG_OPT_FLAG,  /* bool: true when given */
	PMG_OPT_COUNT, /* unsigned: how often it was given */
	PMG_OPT_UINT,  /* uint64_t, at most `max` */
	PMG_OPT_TEXT,  /* const char *, borrowed from argv */
	PMG_OPT_WORD,  /* const char *: one of the words of `arg`, "auto|always|never" */
	PMG_OPT_LIST,  /* struct pmg_strv: each value is added; pmg_opts_done() */
	PMG_OPT_LATER  /* known, but not to this version: an error that says so; not in --help */
};

struct pmg_opt {
	enum pmg_opt_kind kind;
	char letter;      /* short form, or 0 */
	const char *name; /* long form, without "--" */
	size_t offset;
	uint64_t max;     /* of PMG_OPT_UINT */
	const char *arg;  /* name of the value in --help; NULL for FLAG and COUNT */
	const char *help; /* a phrase; NULL hides the row */
};

/* A table and the struct its offsets point into. */
struct pmg_opt_set {
	const struct pmg_opt *rows; /* NULL: none */
	void *base;
};

/* How to read a command line. */
struct pmg_opt_parse {
	const struct pmg_opt_set *sets; /* the first that has the option wins */
	size_t n_sets;
	bool stop; /* the first operand ends the options: the rest is another program's */
};

/**
 * @param argv          NULL-terminated, without the program's name; borrowed
 * @param[out] operands room for as many pointers as argv has, with the NULL; NULL-terminated
 * @return number of operands; -PMG_E_USAGE: the hint names the nearest option
 */
int pmg_opts_parse(const struct pmg_opt_parse *how, char *const *argv, char **operands,
		   struct pmg_err *err) PMG_MUST_CHECK;

/** Free what PMG_OPT_LIST rows hold. */
void pmg_opts_done(const struct pmg_opt *rows, void *base);

/** The lines of --help: "  -n, --limit N   at most N rows". */
void pmg_opts_help(const struct pmg_opt *rows, FILE *to);

#endif
