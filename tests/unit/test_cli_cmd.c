#include "cli/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "tests/helper/said.h"

struct list_opts {
	bool json;
	uint64_t limit;
};

static const struct list_opts list_preset = { .limit = 20 };

static const struct pmg_opt list_opts[] = {
	{ PMG_OPT_FLAG, 0, "json", offsetof(struct list_opts, json), 0, NULL, "print JSON" },
	{ PMG_OPT_UINT, 'n', "limit", offsetof(struct list_opts, limit), 99, "N", "at most N" },
	{ 0 },
};

static int list(const struct pmg_call *call, struct pmg_err *err)
{
	const struct list_opts *opts = call->opts;
	const struct pmg_cmd_settings *settings = call->settings;

	(void)err;
	(void)printf("list %d %u v%u %s\n", opts->json, (unsigned)opts->limit, settings->verbose,
		     call->n_operands ? call->operands[0] : "-");
	return 3;
}

static int raw(const struct pmg_call *call, struct pmg_err *err)
{
	(void)printf("raw %d %s\n", call->n_operands, call->operands[0]);
	return pmg_err_set(err, PMG_E_CONFIG, 0, "a\nb");
}

static const struct pmg_cmd thing_cmds[] = {
	{ .name = "list",
	  .synopsis = "[--json] [NAME]",
	  .summary = "list things",
	  .max = 1,
	  .opts = list_opts,
	  .opts_size = sizeof(struct list_opts),
	  .preset = &list_preset,
	  .run = list },
	{ 0 },
};

static const struct pmg_cmd cmds[] = {
	{ .name = "help",
	  .synopsis = "[COMMAND...]",
	  .summary = "show what there is",
	  .max = PMG_CMD_ANY,
	  .run = pmg_cmd_run_help },
	{ .name = "morrow", .summary = "not yet", .flags = PMG_CMD_LATER },
	{ .name = "raw",
	  .summary = "hand on",
	  .flags = PMG_CMD_RAW,
	  .max = PMG_CMD_ANY,
	  .run = raw },
	{ .name = "thing", .summary = "about things", .subs = thing_cmds },
	{ 0 },
};

static int other(void *settings, struct pmg_out *out, char *const *argv, struct pmg_err *err)
{
	(void)settings;
	(void)err;
	if (strcmp(argv[0], "npm") != 0)
		return PMG_CMD_UNKNOWN;
	(void)fprintf(out->to, "npm with %s\n", argv[1] ? argv[1] : "-");
	return 42;
}

static const struct pmg_opt global[] = { PMG_CMD_SETTINGS_ROWS,
					 { PMG_OPT_LATER, 0, "strict", 0, 0, NULL, NULL },
					 { 0 } };
static const char *const others[] = { "npm", NULL };
static const struct pmg_program program = { .name = "pmg",
					    .cmds = cmds,
					    .global = global,
					    .head = "Usage: pmg ...\n",
					    .tail = "tail\n",
					    .other = other,
					    .other_words = others };

static int play(const char *const *argv)
{
	struct pmg_cmd_settings settings = { 0 };

	return pmg_cmd_main(&program, &settings, (char *const *)(uintptr_t)argv);
}

static int run(const char *const *argv, int to, char *out, size_t max)
{
	return said_by(play, argv, to, out, max);
}

static const struct {
	const char *argv[8];
	int status;
	const char *said;
} rows[] = {
	{ { "thing", "list" }, 3, "list 0 20 v0 -\n" },
	{ { "thing", "list", "x", "--json", "-n3" }, 3, "list 1 3 v0 x\n" },
	{ { "-v", "thing", "list", "-v" }, 3, "list 0 20 v2 -\n" },
	{ { "thing", "list", "--jso" },
	  121,
	  "pmg: unknown option --jso\npmg: did you mean --json?\n" },
	{ { "thing", "list", "--zzzzzz" },
	  121,
	  "pmg: unknown option --zzzzzz\npmg: \"pmg thing list --help\" lists the options\n" },
	{ { "thing", "list", "a", "b" },
	  121,
	  "pmg: too many arguments\n"
	  "pmg: usage: pmg thing list [--json] [NAME]\n" },
	{ { "thing", "lst" },
	  121,
	  "pmg: unknown command \"lst\"\npmg: did you mean \"pmg thing list\"?\n" },
	{ { "thin" }, 121, "pmg: unknown command \"thin\"\npmg: did you mean \"pmg thing\"?\n" },
	{ { "npn", "i" }, 121, "pmg: unknown command \"npn\"\npmg: did you mean \"pmg npm\"?\n" },
	{ { "npm", "--version" }, 42, "npm with --version\n" },
	{ { "raw", "--json", "-v", "--help" }, 121, "pmg: a\\x0ab\nraw 3 --json\n" },
	{ { "help", "raw" }, 121, "pmg: a\\x0ab\nraw 1 --help\n" },
	{ { "help", "raw", "x", "y" }, 121, "pmg: a\\x0ab\nraw 3 x\n" },
	{ { "--color=sometimes" },
	  121,
	  "pmg: --color does not take \"sometimes\"\npmg: it takes auto|always|never\n" },
	{ { NULL }, 121, "pmg: nothing to do\npmg: \"pmg --help\" shows what there is\n" },
	{ { "thing", "list", "--help" },
	  0,
	  "Usage: pmg thing list [--json] [NAME]\n\nlist things\n\nOptions:\n"
	  "      --json     print JSON\n  -n, --limit N  at most N\n" },
	{ { "thing", "-h" },
	  0,
	  "Usage: pmg thing COMMAND\n\nabout things\n\nCommands:\n  list  list things\n" },
};

static void lines_reach_their_command(void **state)
{
	char said[4096];
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		assert_int_equal(run(rows[i].argv, -1, said, sizeof said), rows[i].status);
		assert_string_equal(said, rows[i].said);
	}
}

static void help_of_the_program_lists_commands_and_options(void **state)
{
	static const char *const argv[] = { "--help", NULL };
	char said[4096];

	(void)state;
	assert_int_equal(run(argv, -1, said, sizeof said), 0);
	assert_non_null(strstr(
		said,
		"Usage: pmg ...\n\nCommands:\n  help   show what there is\n  raw    hand on\n"));
	assert_non_null(strstr(said, "-q, --quiet"));
	assert_non_null(strstr(said, "\ntail\n"));
}

static void a_full_disk_on_stdout_is_an_error(void **state)
{
	static const char *const argv[] = { "thing", "--help", NULL };
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	char said[4096];

	(void)state;
	if (full < 0)
		skip();
	assert_int_equal(run(argv, full, said, sizeof said), 125);
	assert_string_equal(said, "pmg: write to standard output: No space left on device\n");
	(void)close(full);
}

static void the_rows_of_this_test_are_in_order(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_cmds_check(cmds, &err), 0);
}

static void rows_out_of_order_are_found(void **state)
{
	static const struct pmg_cmd unsorted[] = {
		{ .name = "b", .summary = "b", .run = list },
		{ .name = "a", .summary = "a", .run = list },
		{ 0 },
	};
	static const struct pmg_cmd neither[] = { { .name = "a", .summary = "a" }, { 0 } };
	static const struct pmg_cmd outside[] = {
		{ .name = "a", .summary = "a", .opts = list_opts, .opts_size = 8, .run = list },
		{ 0 },
	};
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_cmds_check(unsorted, &err), -PMG_E_INTERNAL);
	assert_string_equal(err.msg, "a: not sorted");
	assert_int_equal(pmg_cmds_check(neither, &err), -PMG_E_INTERNAL);
	assert_int_equal(pmg_cmds_check(outside, &err), -PMG_E_INTERNAL);
	assert_string_equal(err.msg, "a --limit: outside its struct");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_reach_their_command),
		cmocka_unit_test(help_of_the_program_lists_commands_and_options),
		cmocka_unit_test(a_full_disk_on_stdout_is_an_error),
		cmocka_unit_test(the_rows_of_this_test_are_in_order),
		cmocka_unit_test(rows_out_of_order_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
