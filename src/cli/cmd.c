#include "cli/cmd.h"

#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"

#define USAGE_COLUMNS 80U

#define WORDS_MAX 128

/* One reading of a command line, from the program's name to run(). */
struct reading {
	const struct pmg_program *program;
	struct pmg_cmd_settings *settings;
	struct pmg_out out;
	struct pmg_str path; /* "pmg audit list" */
	struct pmg_err *err;
};

static const struct pmg_cmd *find(const struct pmg_cmd *cmds, const char *name)
{
	for (; cmds && cmds->name; cmds++)
		if (strcmp(cmds->name, name) == 0)
			return cmds;
	return NULL;
}

static void list_commands(const struct pmg_cmd *cmds, FILE *to)
{
	const struct pmg_cmd *cmd;
	size_t wide = 0;

	for (cmd = cmds; cmd->name; cmd++)
		if (strlen(cmd->name) > wide && !(cmd->flags & PMG_CMD_LATER))
			wide = strlen(cmd->name);
	for (cmd = cmds; cmd->name; cmd++)
		if (!(cmd->flags & PMG_CMD_LATER))
			(void)fprintf(to, "  %-*s  %s\n", (int)wide, cmd->name, cmd->summary);
}

/* A part of a synopsis: up to a blank that is in no brackets. */
static size_t part_len(const char *at)
{
	size_t n;
	int depth = 0;

	for (n = 0; at[n] && (depth > 0 || at[n] != ' '); n++)
		depth += at[n] == '[' ? 1 : at[n] == ']' ? -1 : 0;
	return n;
}

static void print_usage(const char *path, const char *synopsis, FILE *to)
{
	size_t column = strlen("Usage: ") + strlen(path), indent = column, n;

	(void)fprintf(to, "Usage: %s", path);
	for (; *synopsis; synopsis += n) {
		synopsis += *synopsis == ' ';
		n = part_len(synopsis);
		if (column + 1 + n > USAGE_COLUMNS && column > indent) {
			(void)fprintf(to, "\n%*s", (int)indent, "");
			column = indent;
		}
		(void)fprintf(to, " %.*s", (int)n, synopsis);
		column += 1 + n;
	}
	(void)fputs("\n", to);
}

void pmg_cmd_help(const struct pmg_cmd *cmd, const char *path, FILE *to)
{
	const char *synopsis = cmd->subs ? "COMMAND" : cmd->synopsis;

	print_usage(path, synopsis ? synopsis : "", to);
	(void)fprintf(to, "\n%s\n", cmd->summary);
	if (cmd->about)
		(void)fprintf(to, "\n%s", cmd->about);
	if (cmd->subs) {
		(void)fputs("\nCommands:\n", to);
		list_commands(cmd->subs, to);
	}
	if (cmd->opts) {
		(void)fputs("\nOptions:\n", to);
		pmg_opts_help(cmd->opts, to);
	}
}

static int program_help(const struct pmg_program *program, FILE *to)
{
	(void)fprintf(to, "%s\nCommands:\n", program->head);
	list_commands(program->cmds, to);
	(void)fputs("\nOptions:\n", to);
	pmg_opts_help(program->global, to);
	if (program->tail)
		(void)fprintf(to, "\n%s", program->tail);
	return 0;
}

static void add_words(const char **words, size_t *n, const struct pmg_cmd *cmds)
{
	for (; cmds && cmds->name && *n < WORDS_MAX; cmds++)
		if (!(cmds->flags & PMG_CMD_LATER))
			words[(*n)++] = cmds->name;
}

/* The command is not there; `others` are words that would do as well. */
static int unknown(const struct reading *in, const struct pmg_cmd *cmds, const char *typed,
		   const char *const *others)
{
	pmg_autofree char *shown = pmg_out_quote(typed);
	const char *words[WORDS_MAX + 1], *near;
	size_t n = 0;

	add_words(words, &n, cmds);
	for (; others && *others && n < WORDS_MAX; others++)
		words[n++] = *others;
	words[n] = NULL;
	near = pmg_str_nearest(typed, words);
	/* Who wants to undo a thing is not to be told to do it: "unallow". */
	if (near && pmg_str_has_prefix(typed, "un") && strcmp(typed + 2, near) == 0)
		near = NULL;
	(void)pmg_err_set(in->err, PMG_E_USAGE, 0, "unknown command \"%s\"", shown);
	if (near)
		return pmg_err_hint(in->err, "did you mean \"%s %s\"?", in->path.s, near);
	return pmg_err_hint(in->err, "\"%s --help\" lists them%s", in->path.s,
			    others ? "; any other program runs within the walls by \"pmg sandbox "
				     "exec -- PROGRAM\""
				   : "");
}

static int check_count(const struct reading *in, const struct pmg_cmd *cmd, int n)
{
	if (n >= cmd->min && (cmd->max == PMG_CMD_ANY || n <= cmd->max))
		return 0;
	(void)pmg_err_set(in->err, PMG_E_USAGE, 0, "%s",
			  n < cmd->min ? "too few arguments" : "too many arguments");
	return pmg_err_hint(in->err, "usage: %s%s%s", in->path.s, cmd->synopsis ? " " : "",
			    cmd->synopsis ? cmd->synopsis : "");
}

/* Global options count after the command's name as well; colours may change by them. */
static void settle(struct reading *in)
{
	pmg_out_init(&in->out, in->settings->color);
	pmg_log_enable(in->program->name, in->settings->debug);
}

/* Options of the program that mean nothing to its commands. */
static int check_options(const struct reading *in)
{
	const struct pmg_program *program = in->program;
	const char *option =
		program->not_for_commands ? program->not_for_commands(in->settings) : NULL;

	if (!option)
		return 0;
	(void)pmg_err_set(in->err, PMG_E_USAGE, 0,
			  "%s is for runs of a tool, not for commands of %s", option,
			  program->name);
	return pmg_err_hint(in->err, "nothing was done");
}

static int call(struct reading *in, const struct pmg_cmd *cmd, const void *opts, char **operands,
		int n)
{
	struct pmg_call what = {
		.program = in->program,
		.cmd = cmd,
		.out = &in->out,
		.settings = in->settings,
		.opts = cmd->opts ? opts : NULL,
		.operands = operands,
		.n_operands = n,
	};

	if (check_options(in) < 0) /* they may stand after the command's name as well */
		return -(int)in->err->code;
	if (in->settings->help) {
		pmg_cmd_help(cmd, in->path.s, in->out.to);
		return 0;
	}
	n = check_count(in, cmd, n);
	return n < 0 ? n : cmd->run(&what, in->err);
}

static int leaf(struct reading *in, const struct pmg_cmd *cmd, char *const *argv)
{
	_Alignas(max_align_t) unsigned char opts[PMG_CMD_OPTS_MAX] = { 0 };
	struct pmg_opt_set sets[] = { { cmd->opts, opts }, { in->program->global, in->settings } };
	struct pmg_opt_parse how = { sets, PMG_ARRAY_LEN(sets), false };
	pmg_autofree char **operands = NULL;
	size_t n_argv = 0;
	int n;

	while (argv[n_argv])
		n_argv++;
	operands = pmg_xcalloc(n_argv + 1, sizeof *operands);
	if (cmd->preset)
		memcpy(opts, cmd->preset, cmd->opts_size);
	if (cmd->flags & PMG_CMD_RAW) {
		memcpy(operands, argv, n_argv * sizeof *operands);
		return call(in, cmd, opts, operands, (int)n_argv);
	}
	n = pmg_opts_parse(&how, argv, operands, in->err);
	if (n < 0) {
		if (!in->err->hint[0])
			(void)pmg_err_hint(in->err, "\"%s --help\" lists the options", in->path.s);
	} else {
		settle(in);
		n = call(in, cmd, opts, operands, n);
	}
	pmg_opts_done(cmd->opts, opts);
	return n;
}

/* Walks down the rows as long as a row has subcommands. */
static int descend(struct reading *in, const struct pmg_cmd *cmds, char *const *argv)
{
	const struct pmg_cmd *cmd = find(cmds, argv[0]);

	if (!cmd)
		return unknown(in, cmds, argv[0], NULL);
	if (pmg_str_addf(&in->path, " %s", cmd->name) < 0)
		return pmg_err_set(in->err, PMG_E_LIMIT, 0, "command name is too long");
	if (cmd->flags & PMG_CMD_LATER)
		return pmg_err_set(in->err, PMG_E_USAGE, 0, "%s is not supported by this version",
				   in->path.s);
	if (!cmd->subs)
		return leaf(in, cmd, argv + 1);
	if (argv[1] && argv[1][0] != '-')
		return descend(in, cmd->subs, argv + 1);
	if (!argv[1] || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		pmg_cmd_help(cmd, in->path.s, argv[1] ? in->out.to : in->out.messages);
		return argv[1] ? 0 : PMG_EXIT_CONFIG;
	}
	(void)pmg_err_set(in->err, PMG_E_USAGE, 0, "%s: a command comes before options",
			  in->path.s);
	return pmg_err_hint(in->err, "\"%s --help\" lists the commands", in->path.s);
}

static int dispatch(struct reading *in, char *const *argv)
{
	const struct pmg_program *program = in->program;
	struct pmg_opt_set set = { program->global, in->settings };
	struct pmg_opt_parse how = { &set, 1, true };
	pmg_autofree char **rest = NULL;
	char *instead[] = { NULL, NULL };
	size_t n_argv = 0;
	int n;

	while (argv[n_argv])
		n_argv++;
	rest = pmg_xcalloc(n_argv + 1, sizeof *rest);
	n = pmg_opts_parse(&how, argv, rest, in->err);
	if (n < 0 && !in->err->hint[0])
		return pmg_err_hint(in->err, "\"%s --help\" lists the options", in->path.s);
	if (n < 0)
		return n;
	settle(in);
	if (in->settings->help)
		return program_help(program, in->out.to);
	instead[0] = program->instead ? program->instead(in->settings) : NULL;
	if (instead[0])
		return descend(in, program->cmds, instead);
	if (n == 0) {
		(void)pmg_err_set(in->err, PMG_E_USAGE, 0, "nothing to do");
		return pmg_err_hint(in->err, "\"%s --help\" shows what there is", in->path.s);
	}
	if (find(program->cmds, rest[0])) {
		n = check_options(in);
		return n < 0 ? n : descend(in, program->cmds, rest);
	}
	n = PMG_CMD_UNKNOWN;
	if (program->other)
		n = program->other(in->settings, &in->out, rest, in->err);
	if (n == PMG_CMD_UNKNOWN)
		return unknown(in, program->cmds, rest[0], program->other_words);
	return n;
}

int pmg_cmd_main(const struct pmg_program *program, void *settings, char *const *argv)
{
	struct pmg_err err = PMG_ERR_INIT, last = PMG_ERR_INIT;
	struct reading in = {
		.program = program,
		.settings = settings,
		.path = PMG_STR_INIT(256),
		.err = &err,
	};
	int status;

	pmg_out_init(&in.out, NULL);
	status = pmg_str_adds(&in.path, program->name);
	if (status == 0)
		status = dispatch(&in, argv);
	if (status < 0)
		pmg_out_error(&in.out, &err);
	if (status < 0)
		status = pmg_code_exit(err.code);
	if (pmg_out_finish(&in.out, &last) < 0) {
		pmg_out_error(&in.out, &last);
		status = status ? status : pmg_code_exit(last.code);
	}
	pmg_str_done(&in.path);
	return status;
}

/* "help intel import" is "intel import --help". */
static int raw_help(const struct pmg_call *call, const struct pmg_cmd *cmd, char *const *words,
		    struct pmg_err *err)
{
	pmg_auto(strv) struct pmg_strv operands = { 0 };
	struct pmg_call what = *call;

	pmg_strv_extend(&operands, words);
	pmg_strv_add(&operands, "--help");
	what.cmd = cmd;
	what.opts = NULL;
	what.operands = pmg_strv_argv(&operands);
	what.n_operands = (int)operands.n;
	return cmd->run(&what, err);
}

int pmg_cmd_run_help(const struct pmg_call *call, struct pmg_err *err)
{
	const struct pmg_cmd *cmds = call->program->cmds, *cmd = NULL;
	pmg_auto(str) struct pmg_str path = PMG_STR_INIT(256);
	struct reading in = { .program = call->program, .path = PMG_STR_INIT(256), .err = err };
	int i, r = pmg_str_adds(&path, call->program->name);

	for (i = 0; r == 0 && i < call->n_operands; i++) {
		cmd = find(cmds, call->operands[i]);
		if (!cmd) {
			in.path = path; /* borrowed */
			return unknown(&in, cmds, call->operands[i], NULL);
		}
		if (cmd->flags & PMG_CMD_RAW)
			return raw_help(call, cmd, call->operands + i + 1, err);
		cmds = cmd->subs;
		r = pmg_str_addf(&path, " %s", cmd->name);
	}
	if (r < 0)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "command name is too long");
	if (!cmd)
		return program_help(call->program, call->out->to);
	pmg_cmd_help(cmd, path.s, call->out->to);
	return 0;
}

static size_t kind_size(enum pmg_opt_kind kind)
{
	static const size_t sizes[] = {
		[PMG_OPT_FLAG] = sizeof(bool),     [PMG_OPT_COUNT] = sizeof(unsigned),
		[PMG_OPT_UINT] = sizeof(uint64_t), [PMG_OPT_TEXT] = sizeof(char *),
		[PMG_OPT_WORD] = sizeof(char *),   [PMG_OPT_LIST] = sizeof(struct pmg_strv),
	};

	return sizes[kind];
}

static int check_row(const struct pmg_cmd *cmd, struct pmg_err *err)
{
	const struct pmg_opt *opt;

	if (!cmd->summary || (!cmd->subs == !cmd->run) != !!(cmd->flags & PMG_CMD_LATER))
		return pmg_err_set(err, PMG_E_INTERNAL, 0,
				   "%s: no summary, or not one of subs, run", cmd->name);
	if (cmd->opts_size > PMG_CMD_OPTS_MAX || (cmd->max != PMG_CMD_ANY && cmd->max < cmd->min))
		return pmg_err_set(err, PMG_E_INTERNAL, 0, "%s: sizes", cmd->name);
	for (opt = cmd->opts; opt && opt->kind != PMG_OPT_END; opt++)
		if (opt->offset + kind_size(opt->kind) > cmd->opts_size || !opt->name)
			return pmg_err_set(err, PMG_E_INTERNAL, 0, "%s --%s: outside its struct",
					   cmd->name, opt->name ? opt->name : "?");
	return 0;
}

int pmg_cmds_check(const struct pmg_cmd *cmds, struct pmg_err *err)
{
	const struct pmg_cmd *cmd;
	int r;

	for (cmd = cmds; cmd->name; cmd++) {
		if (cmd > cmds && strcmp(cmd[-1].name, cmd->name) >= 0)
			return pmg_err_set(err, PMG_E_INTERNAL, 0, "%s: not sorted", cmd->name);
		r = check_row(cmd, err);
		if (r == 0 && cmd->subs)
			r = pmg_cmds_check(cmd->subs, err);
		if (r < 0)
			return r;
	}
	return 0;
}
