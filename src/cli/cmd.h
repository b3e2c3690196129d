#ifndef PMG_CLI_CMD_H
#define PMG_CLI_CMD_H
/**
 * Commands as rows. A row has subcommands or run(), never both; the dispatcher
 * finds the row, reads its options, checks the number of operands, answers
 * --help, and calls run(). How to add one: docs/adding-a-command.md.
 *
 *   static const struct pmg_cmd audit_cmds[] = {
 *       { .name = "list", .synopsis = "[--json] [--limit N]", .summary = "show what was judged",
 *         .max = 0, .opts = list_opts, .opts_size = sizeof(struct list_opts),
 *         .run = pmg_cmd_audit_list },
 *       { 0 },
 *   };
 */
#include <stdbool.h>

#include "cli/opt.h"
#include "cli/out.h"

#define PMG_CMD_RAW      1U /* all that follows the name is operands, options too */
#define PMG_CMD_LATER    2U /* known, but not to this version: says so; not in --help */
#define PMG_CMD_ANY      -1 /* of max: no limit */
#define PMG_CMD_OPTS_MAX 256

/* The settings that every program knows; a program's own struct starts with it. */
struct pmg_cmd_settings {
	unsigned verbose;
	bool quiet;
	bool debug;
	bool help;
	const char *color; /* PMG_OUT_COLORS or NULL */
};

/*
 * Rows of the above for a settings struct that starts with struct pmg_cmd_settings; sorted. One
 * row a line, which clang-format would not leave be.
 */
/* clang-format off */
#define PMG_CMD_SETTING(field) offsetof(struct pmg_cmd_settings, field)
#define PMG_CMD_SETTINGS_ROWS \
	{ PMG_OPT_WORD, 0, "color", PMG_CMD_SETTING(color), 0, PMG_OUT_COLORS, "colour of messages" }, \
	{ PMG_OPT_FLAG, 0, "debug", PMG_CMD_SETTING(debug), 0, NULL, "say on stderr what is done" }, \
	{ PMG_OPT_FLAG, 'h', "help", PMG_CMD_SETTING(help), 0, NULL, "show this help" }, \
	{ PMG_OPT_FLAG, 'q', "quiet", PMG_CMD_SETTING(quiet), 0, NULL, "say nothing but errors and refusals" }, \
	{ PMG_OPT_COUNT, 'v', "verbose", PMG_CMD_SETTING(verbose), 0, NULL, "say what was done" }
/* clang-format on */

struct pmg_cmd;
struct pmg_program;

/* One call of a command; all borrowed. */
struct pmg_call {
	const struct pmg_program *program;
	const struct pmg_cmd *cmd;
	struct pmg_out *out;
	const void *settings;  /* the program's settings struct */
	const void *opts;      /* the command's struct, filled; NULL when it has no options */
	char *const *operands; /* NULL-terminated */
	int n_operands;
};

struct pmg_cmd {
	const char *name;     /* NULL: last row */
	const char *synopsis; /* what follows the name: "[--json] PATH"; NULL for nothing */
	const char *summary;  /* one phrase */
	const char *about;    /* more for --help, lines ended with newlines; or NULL */
	unsigned flags;       /* PMG_CMD_* */
	int min, max;         /* operands; PMG_CMD_ANY */
	const struct pmg_cmd *subs;
	const struct pmg_opt *opts;
	size_t opts_size;   /* bytes of the struct of opts; at most PMG_CMD_OPTS_MAX */
	const void *preset; /* defaults of that struct; NULL: zeros */
	/** @return exit status, or -PMG_E_* with *err filled */
	int (*run)(const struct pmg_call *call, struct pmg_err *err);
};

/*
 * A program that pmg executes for some of its commands (pmg-intel) is called
 * with the global options, the command's name and all that followed it: its
 * table has the same rows, and its name here is "pmg" too.
 */
struct pmg_program {
	const char *name;             /* as typed: "pmg" */
	const struct pmg_cmd *cmds;   /* sorted by name */
	const struct pmg_opt *global; /* rows over the settings struct */
	const char *head;             /* of the program's --help, before the commands */
	const char *tail;             /* after the options; or NULL */
	/**
	 * A first word that is no command (a tool, for pmg); NULL: always an error.
	 * @param argv  the word and all after it, untouched
	 * @return exit status, -PMG_E_*; or PMG_CMD_UNKNOWN: not mine
	 */
	int (*other)(void *settings, struct pmg_out *out, char *const *argv, struct pmg_err *err);
	/**
	 * An option that was given and that no command takes, only other(), "--dry-run"; or NULL:
	 * none. May itself be NULL. An option that is ignored would be a promise broken.
	 */
	const char *(*not_for_commands)(const void *settings);
	/** The command that an option before all words stands for ("--version"), or NULL: none. */
	char *(*instead)(const void *settings);
	const char *const *other_words; /* for "did you mean"; NULL-terminated or NULL */
};

#define PMG_CMD_UNKNOWN 1000 /* no exit status */

/**
 * Whole main: global options, command, its options, run(), flush of stdout,
 * the error printed.
 * @param settings  the program's struct, starting with struct pmg_cmd_settings, filled with
 * defaults
 * @param argv      without the program's name; NULL-terminated
 * @return exit status
 */
int pmg_cmd_main(const struct pmg_program *program, void *settings, char *const *argv);

/**
 * The run() of a row "help": of the program, or of the command that is named by the operands. A
 * PMG_CMD_RAW row answers itself: its run() gets what follows its name, and "--help".
 */
int pmg_cmd_run_help(const struct pmg_call *call, struct pmg_err *err);

/** --help of one row; path is "pmg audit list". */
void pmg_cmd_help(const struct pmg_cmd *cmd, const char *path, FILE *to);

/**
 * Are the rows in order? Sorted, no name twice, subs or run but not both,
 * options inside their struct. For tests.
 * @return 0 or -PMG_E_INTERNAL naming the row
 */
int pmg_cmds_check(const struct pmg_cmd *cmds, struct pmg_err *err) PMG_MUST_CHECK;

#endif
