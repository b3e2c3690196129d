#include "cli/opt.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct values {
	bool json;
	unsigned verbose;
	uint64_t limit;
	const char *text;
	const char *color;
	struct pmg_strv list;
};

static const struct pmg_opt rows[] = {
	{ PMG_OPT_FLAG, 'j', "json", offsetof(struct values, json), 0, NULL, "print JSON" },
	{ PMG_OPT_COUNT, 'v', "verbose", offsetof(struct values, verbose), 0, NULL, "say more" },
	{ PMG_OPT_UINT, 'n', "limit", offsetof(struct values, limit), 50, "N", "at most N" },
	{ PMG_OPT_TEXT, 't', "text", offsetof(struct values, text), 0, "TEXT", "a text" },
	{ PMG_OPT_WORD, 0, "color", offsetof(struct values, color), 0, "auto|never", "colour" },
	{ PMG_OPT_LIST, 0, "add", offsetof(struct values, list), 0, "X", NULL },
	{ 0 },
};

#define MAX 8

static int parse(struct values *v, int stop, char *const *argv, char **operands,
		 struct pmg_err *err)
{
	struct pmg_opt_set set = { rows, v };
	struct pmg_opt_parse how = { &set, 1, stop };

	memset(v, 0, sizeof *v);
	return pmg_opts_parse(&how, argv, operands, err);
}

struct good {
	const char *argv[MAX];
	const char *operands[MAX];
	bool json;
	unsigned verbose;
	uint64_t limit;
	const char *text;
};

static const struct good goods[] = {
	{ { NULL }, { NULL }, false, 0, 0, NULL },
	{ { "a", "--json", "b" }, { "a", "b" }, true, 0, 0, NULL },
	{ { "-jv", "a" }, { "a" }, true, 1, 0, NULL },
	{ { "-vvn", "5", "a" }, { "a" }, false, 2, 5, NULL },
	{ { "-vn5" }, { NULL }, false, 1, 5, NULL },
	{ { "--limit=7", "--text", "--json" }, { NULL }, false, 0, 7, "--json" },
	{ { "--text=", "a" }, { "a" }, false, 0, 0, "" },
	{ { "--text=a=b" }, { NULL }, false, 0, 0, "a=b" },
	{ { "--limit", "1", "--limit", "2" }, { NULL }, false, 0, 2, NULL },
	{ { "-", "--", "--json", "--" }, { "-", "--json", "--" }, false, 0, 0, NULL },
};

static void good_lines_are_read(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;
	char *operands[MAX + 1];
	struct values v;
	size_t i;
	int n, k;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(goods); i++) {
		n = parse(&v, 0, (char *const *)(uintptr_t)goods[i].argv, operands, &err);
		for (k = 0; goods[i].operands[k]; k++)
			assert_string_equal(operands[k], goods[i].operands[k]);
		assert_int_equal(n, k);
		assert_null(operands[n]);
		assert_int_equal(v.json, goods[i].json);
		assert_int_equal(v.verbose, goods[i].verbose);
		assert_int_equal(v.limit, goods[i].limit);
		if (goods[i].text)
			assert_string_equal(v.text, goods[i].text);
	}
}

static const struct {
	const char *argv[MAX];
	const char *msg, *hint;
} bads[] = {
	{ { "--jsn" }, "unknown option --jsn", "did you mean --json?" },
	{ { "--jsn=1" }, "unknown option --jsn", "did you mean --json?" },
	{ { "--zzzzzzzz" }, "unknown option --zzzzzzzz", "" },
	{ { "--js" }, "unknown option --js", "" },
	{ { "--\033[2J" }, "unknown option --\\x1b[2J", "" },
	{ { "-jx" }, "unknown option -x", "" },
	{ { "--json=yes" }, "--json takes no value", "" },
	{ { "--limit" }, "--limit needs a value", "write --limit=N" },
	{ { "-vn" }, "--limit needs a value", "write --limit=N" },
	{ { "--limit=51" }, "--limit does not take \"51\"", "it takes a number from 0 to 50" },
	{ { "--limit=-1" }, "--limit does not take \"-1\"", "it takes a number from 0 to 50" },
	{ { "--limit", "" }, "--limit does not take \"\"", "it takes a number from 0 to 50" },
	{ { "--color=aut" }, "--color does not take \"aut\"", "it takes auto|never" },
	{ { "--color=auto|never" }, "--color does not take \"auto|never\"", "it takes auto|never" },
};

static void bad_lines_are_usage_errors_with_a_hint(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;
	char *operands[MAX + 1];
	struct values v;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(bads); i++) {
		assert_int_equal(
			parse(&v, 0, (char *const *)(uintptr_t)bads[i].argv, operands, &err),
			-PMG_E_USAGE);
		assert_string_equal(err.msg, bads[i].msg);
		assert_string_equal(err.hint, bads[i].hint);
	}
}

static void the_first_operand_ends_the_options_where_asked(void **state)
{
	static const char *const argv[] = { "-v", "npm", "-v", "--", "--json", NULL };
	struct pmg_err err = PMG_ERR_INIT;
	char *operands[MAX + 1];
	struct values v;

	(void)state;
	assert_int_equal(parse(&v, 1, (char *const *)(uintptr_t)argv, operands, &err), 4);
	assert_int_equal(v.verbose, 1);
	assert_false(v.json);
	assert_string_equal(operands[1], "-v");
	assert_string_equal(operands[2], "--");
}

static void a_list_keeps_every_value(void **state)
{
	static const char *const argv[] = { "--add=a", "--add", "b", NULL };
	struct pmg_err err = PMG_ERR_INIT;
	char *operands[MAX + 1];
	struct values v;

	(void)state;
	assert_int_equal(parse(&v, 0, (char *const *)(uintptr_t)argv, operands, &err), 0);
	assert_int_equal(v.list.n, 2);
	assert_string_equal(v.list.v[1], "b");
	pmg_opts_done(rows, &v);
	assert_int_equal(v.list.n, 0);
}

static void help_aligns_and_hides_rows_without_a_text(void **state)
{
	char *text = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&text, &len);

	(void)state;
	pmg_opts_help(rows, to);
	assert_int_equal(fclose(to), 0);
	assert_string_equal(text, "  -j, --json              print JSON\n"
				  "  -v, --verbose           say more\n"
				  "  -n, --limit N           at most N\n"
				  "  -t, --text TEXT         a text\n"
				  "      --color auto|never  colour\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_lines_are_read),
		cmocka_unit_test(bad_lines_are_usage_errors_with_a_hint),
		cmocka_unit_test(the_first_operand_ends_the_options_where_asked),
		cmocka_unit_test(a_list_keeps_every_value),
		cmocka_unit_test(help_aligns_and_hides_rows_without_a_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
