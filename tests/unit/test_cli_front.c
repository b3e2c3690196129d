#include "cli/front.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "base/path.h"
#include "base/str.h"
#include "tests/helper/folder.h"
#include "tests/helper/said.h"
#include "violation/ledger.h"

static char *root; /* HOME and TMPDIR of the runs */

static int make_root(void **state)
{
	static const char npm[] = "#!/bin/sh\necho \"real npm: $*\"\nexit 5\n";
	pmg_autofree char *path = NULL;

	(void)state;
	root = folder_new();
	folder_write(root, "bin/npm", npm, strlen(npm));
	path = pmg_path_join(root, "bin/npm");
	return chmod(path, 0755);
}

static int remove_root(void **state)
{
	(void)state;
	folder_free(root);
	return 0;
}

static int play(const char *const *argv)
{
	pmg_autofree char *bin = pmg_path_join(root, "bin");

	if (clearenv() != 0 || setenv("HOME", root, 1) != 0 || setenv("PATH", bin, 1) != 0)
		return 99;
	return pmg_front_main((char *const *)(uintptr_t)argv);
}

static int front(const char *const *argv, char *said, size_t max)
{
	return said_by(play, argv, -1, said, max);
}

static const struct {
	const char *argv[6];
	int status;
	const char *said;
} rows[] = {
	{ { "pmg", "version" }, 0, "pmg " PACKAGE_VERSION "\n" },
	{ { "pmg", "--version" }, 0, "pmg " PACKAGE_VERSION "\n" },
	{ { "pmg", "--version", "npm", "i" }, 0, "pmg " PACKAGE_VERSION "\n" },
	{ { "/usr/bin/pmg", "version", "--json" },
	  0,
	  "{\"name\":\"pmg\",\"version\":\"" PACKAGE_VERSION "\"}\n" },
	{ { "pmg", "npm", "--version" }, 5, "real npm: --version\n" },
	{ { "npm", "--version" }, 5, "real npm: --version\n" },
	{ { "/opt/shims/npm", "--version", "-v" }, 5, "real npm: --version -v\n" },
	{ { "pmg", "-v", "npm", "--version" }, 5, "real npm: --version\n" },
	{ { "pmg", "--dry-run", "npm", "--version" },
	  0,
	  "npm neither fetches packages nor runs their code: it would be run as it is\n" },
	{ { "pmg", "--report", "-", "npm", "--version" },
	  121,
	  "pmg: --report does not take \"-\"\npmg: standard output is the tool's: name a file\n" },
	{ { "pmg", "--report=no/such/folder", "npm", "--version" },
	  121,
	  "pmg: --report no/such/folder: No such file or directory\n" },
	{ { "pmg", "--dry-run", "intel", "block", "x" },
	  121,
	  "pmg: --dry-run is for runs of a tool, not for commands of pmg\npmg: nothing was "
	  "done\n" },
	{ { "pmg", "--report=r", "audit", "list" },
	  121,
	  "pmg: --report is for runs of a tool, not for commands of pmg\npmg: nothing was done\n" },
	{ { "pmg", "version", "--dry-run" },
	  121,
	  "pmg: --dry-run is for runs of a tool, not for commands of pmg\npmg: nothing was "
	  "done\n" },
	{ { "pmg", "--dry-run", "help" },
	  121,
	  "pmg: --dry-run is for runs of a tool, not for commands of pmg\npmg: nothing was "
	  "done\n" },
	{ { "pmg", "npx", "--version" },
	  127,
	  "pmg: [PMG5001] npx: No such file or directory\n"
	  "pmg: no npx on PATH besides pmg itself\n" },
	{ { "pmg", "pdm", "add", "x" }, 121, "pmg: pdm is not supported by this version\n" },
	{ { "/opt/shims/pdm", "add", "x" }, 121, "pmg: pdm is not supported by this version\n" },
	{ { "pmg", "sandbox", "learn" },
	  121,
	  "pmg: pmg sandbox learn is not supported by this version\n" },
	{ { "pmg", "--driver=magic", "npm", "i" },
	  121,
	  "pmg: --driver does not take \"magic\"\npmg: it takes full\n" },
	{ { "pmg", "sandbox", "exec" },
	  121,
	  "pmg: too few arguments\npmg: usage: pmg sandbox exec -- COMMAND ...\n" },
	{ { "pmg", "pnpn", "i" },
	  121,
	  "pmg: unknown command \"pnpn\"\npmg: did you mean \"pmg pnpm\"?\n" },
	{ { "pmg", "audit", "list" }, 0, "" },
	{ { "pmg", "audit", "list", "--json" }, 0, "[]\n" },
	{ { "pmg", "audit", "list", "--limit=1000000" },
	  121,
	  "pmg: --limit does not take \"1000000\"\npmg: it takes a number from 0 to 100000\n" },
	{ { "pmg", "audit", "list", "x" },
	  121,
	  "pmg: too many arguments\n"
	  "pmg: usage: pmg audit list [--json] [--limit N] [--run ID] [--blocked]\n" },
	{ { "pmg", "--min-age", "7d", "scan" },
	  121,
	  "pmg: --min-age is for runs of a tool, not for \"pmg scan\"\npmg: nothing was done\n" },
	{ { "pmg", "--no-sandbox", "intel", "status" },
	  121,
	  "pmg: --no-sandbox is for runs of a tool, not for \"pmg intel\"\npmg: nothing was "
	  "done\n" },
	{ { "pmg", "help", "version" },
	  0,
	  "Usage: pmg version [--json]\n\nprint the version\n\nOptions:\n"
	  "      --json  print JSON\n" },
};

static void command_lines_do_what_they_say(void **state)
{
	char said[8192];
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		assert_int_equal(front(rows[i].argv, said, sizeof said), rows[i].status);
		assert_string_equal(said, rows[i].said);
	}
}

static void help_says_what_there_is_and_fits_a_screen(void **state)
{
	static const char *const argv[] = { "pmg", "--help", NULL };
	char said[8192], *c;
	unsigned lines = 0;

	(void)state;
	assert_int_equal(front(argv, said, sizeof said), 0);
	assert_non_null(strstr(said, "within walls"));
	assert_non_null(strstr(said, "Tools:\n  npm npx pnpm"));
	assert_null(strstr(said, "completion"));
	assert_non_null(strstr(said, "--min-age DURATION"));
	for (c = said; *c; c++)
		lines += *c == '\n';
	assert_true(lines < 55);
}

/* What failed is said to everybody; a refusal does not even ask. */
static void who_wants_quiet_hears_of_faults_alone(void **state)
{
	static const struct {
		bool quiet;
		unsigned verbose;
		int verbosity, least;
		bool fault, note, detail;
	} rows_of[] = {
		{ false, 0, PMG_VERBOSITY_SILENT, PMG_VERBOSITY_SILENT, true, false, false },
		{ false, 0, PMG_VERBOSITY_NORMAL, PMG_VERBOSITY_SILENT, true, true, false },
		{ false, 0, PMG_VERBOSITY_VERBOSE, PMG_VERBOSITY_SILENT, true, true, true },
		{ true, 0, PMG_VERBOSITY_NORMAL, PMG_VERBOSITY_SILENT, true, false, false },
		{ true, 0, PMG_VERBOSITY_VERBOSE, PMG_VERBOSITY_SILENT, true, false, false },
		{ false, 1, PMG_VERBOSITY_SILENT, PMG_VERBOSITY_SILENT, true, true, true },
		{ true, 1, PMG_VERBOSITY_NORMAL, PMG_VERBOSITY_SILENT, true, true, true },
		/* As far as managed policy lets it be quiet. */
		{ true, 0, PMG_VERBOSITY_VERBOSE, PMG_VERBOSITY_NORMAL, true, true, false },
		{ true, 0, PMG_VERBOSITY_VERBOSE, PMG_VERBOSITY_VERBOSE, true, true, true },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows_of); i++) {
		struct pmg_cmd_settings s = { .quiet = rows_of[i].quiet,
					      .verbose = rows_of[i].verbose };
		const struct pmg_config v = { .verbosity = rows_of[i].verbosity,
					      .least_verbosity = rows_of[i].least };

		assert_int_equal(pmg_front_says(&s, &v, PMG_SAY_FAULT), rows_of[i].fault);
		assert_int_equal(pmg_front_says(&s, &v, PMG_SAY_NOTE), rows_of[i].note);
		assert_int_equal(pmg_front_says(&s, &v, PMG_SAY_DETAIL), rows_of[i].detail);
	}
}

static void rows_of_pmg_are_in_order(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_cmds_check(pmg_front_cmds(), &err), 0);
}

/* "[--json] [--limit N]" as mdoc(7) writes it, a line for each. */
static char *as_mdoc(const char *synopsis)
{
	pmg_auto(str) struct pmg_str text = PMG_STR_INIT(4096);
	pmg_autofree char *copy = pmg_xstrdup(synopsis);
	char *rest = copy, *word;

	while ((word = strsep(&rest, "]"))) {
		char *option = strstr(word, "[--"), *value;

		if (!option || option[3] == ' ') /* "[-- TOOL ARGS...]" is none */
			continue;
		value = strchr(option, ' ');
		if (value)
			*value++ = '\0';
		assert_int_equal(pmg_str_addf(&text, ".Op Fl \\-%s%s%s\n", option + 3,
					      value ? " Ar " : "", value ? value : ""),
				 0);
	}
	return pmg_str_steal(&text);
}

static void check_page(const char *page, const struct pmg_cmd *rows_of, const char *path)
{
	const struct pmg_cmd *cmd;

	for (cmd = rows_of; cmd->name; cmd++) {
		pmg_autofree char *name =
			pmg_xasprintf("%s%s%s", path, *path ? " " : "", cmd->name);
		pmg_autofree char *options = cmd->synopsis ? as_mdoc(cmd->synopsis) : NULL;
		pmg_autofree char *expected =
			pmg_xasprintf(".Nm\n.Cm %s\n%s", name, options ? options : "");

		if (cmd->flags & PMG_CMD_LATER)
			assert_null(strstr(page, expected));
		else if (cmd->subs)
			check_page(page, cmd->subs, name);
		else
			assert_non_null(strstr(page, expected));
	}
}

/* "--dry-run" as mdoc(7) writes it, with a backslash before each dash. */
static char *escape_dashes(const char *name)
{
	pmg_auto(str) struct pmg_str text = PMG_STR_INIT(256);
	pmg_auto(strv) struct pmg_strv words = { 0 };
	size_t i;

	pmg_strv_split(&words, name, "-");
	for (i = 0; i < words.n; i++)
		assert_int_equal(pmg_str_addf(&text, "\\-%s", words.v[i]), 0);
	return pmg_str_steal(&text);
}

static void the_manual_page_has_the_synopsis_of_each_command_and_all_options(void **state)
{
	const char *srcdir = getenv("srcdir");
	pmg_autofree char *path = pmg_path_join(srcdir ? srcdir : "..", "man/pmg.1");
	pmg_autofree char *page = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	const struct pmg_opt *opt;
	size_t len;

	(void)state;
	assert_int_equal(pmg_io_slurp(path, 1U << 20, &page, &len, &err), 0);
	check_page(page, pmg_front_cmds(), "");
	for (opt = pmg_front_options(); opt->kind != PMG_OPT_END; opt++) {
		pmg_autofree char *escaped = escape_dashes(opt->name);

		assert_int_equal(strstr(page, escaped) != NULL, opt->help != NULL);
	}
}

static void write_ledger(void)
{
	static const struct pmg_ledger_keep keep = { 0, 0 };
	pmg_autofree char *path = pmg_path_join(root, ".local/state/pmg/ledger.db");
	pmg_auto(record) struct pmg_record record = { .started = 86400, .ended = 86401, .exit = 1 };
	struct pmg_wire_judged bad = {
		.eco = pmg_xstrdup("npm"),
		.name = pmg_xstrdup("evil\033"),
		.version = pmg_xstrdup("1.0"),
		.verdict = pmg_xstrdup("block"),
		.reason = pmg_xstrdup("known malware"),
		.diag = 3001,
		.url = pmg_xstrdup("http://registry.test/e"),
	};
	struct pmg_wire_judged held = {
		.eco = pmg_xstrdup("npm"),
		.name = pmg_xstrdup("held"),
		.version = pmg_xstrdup("2.0"),
		.verdict = pmg_xstrdup("withheld"),
		.reason = pmg_xstrdup("too young"),
		.diag = 3003,
		.url = pmg_xstrdup("http://registry.test/h"),
	};
	struct pmg_wire_judged trusted = {
		.eco = pmg_xstrdup("npm"),
		.name = pmg_xstrdup("trusted"),
		.version = pmg_xstrdup("1.0"),
		.verdict = pmg_xstrdup("allow"),
		.url = pmg_xstrdup("http://registry.test/t"),
	};
	struct pmg_err err = PMG_ERR_INIT;

	(void)snprintf(record.id, sizeof record.id, "r-19700102-0001");
	record.tool = pmg_xstrdup("npm");
	record.profile = pmg_xstrdup("none");
	pmg_strv_add(&record.argv, "npm");
	pmg_strv_add(&record.argv, "i");
	pmg_strv_add(&bad.ids, "MAL-1");
	pmg_strv_add(&trusted.waivers, "too young, waived by me");
	(void)pmg_record_judged(&record, &bad);
	(void)pmg_record_judged(&record, &trusted);
	(void)pmg_record_judged(&record, &held);
	assert_int_equal(pmg_ledger_write(path, &record, &keep, &err), 0);
}

static void the_audit_shows_runs_or_packages(void **state)
{
	static const struct {
		const char *argv[6];
		const char *said;
		int status;
	} lists[] = {
		{ { "pmg", "audit", "list" },
		  "RUN              STARTED               EXIT  JUDGED  REFUSED  UNJUDGED  "
		  "PROFILE  COMMAND\n"
		  "r-19700102-0001  1970-01-02T00:00:00Z  1     3       1        0         none    "
		  " npm "
		  "i\n",
		  0 },
		{ { "pmg", "audit", "list", "--blocked" },
		  "RUN              ECOSYSTEM  NAME      VERSION  VERDICT  REASON         IDS\n"
		  "r-19700102-0001  npm        evil\\x1b  1.0      block    known malware  "
		  "MAL-1\n",
		  0 },
		{ { "pmg", "audit", "list", "--run=r-19700102-0001" },
		  "RUN              ECOSYSTEM  NAME      VERSION  VERDICT   REASON                 "
		  "  IDS\n"
		  "r-19700102-0001  npm        evil\\x1b  1.0      block     known malware        "
		  "    MAL-1\n"
		  "r-19700102-0001  npm        held      2.0      withheld  too young\n"
		  "r-19700102-0001  npm        trusted   1.0      allow     too young, waived by "
		  "me\n",
		  0 },
		{ { "pmg", "audit", "list", "--run=r-x", "--json" },
		  "pmg: there is no run \"r-x\"\npmg: \"pmg audit list\" shows the runs\n",
		  121 },
		{ { "pmg", "audit", "list", "-n0", "--json" }, "[]\n", 0 },
	};
	char said[8192];
	size_t i;

	(void)state;
	write_ledger();
	for (i = 0; i < PMG_ARRAY_LEN(lists); i++) {
		assert_int_equal(front(lists[i].argv, said, sizeof said), lists[i].status);
		assert_string_equal(said, lists[i].said);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(command_lines_do_what_they_say),
		cmocka_unit_test(help_says_what_there_is_and_fits_a_screen),
		cmocka_unit_test(who_wants_quiet_hears_of_faults_alone),
		cmocka_unit_test(rows_of_pmg_are_in_order),
		cmocka_unit_test(the_manual_page_has_the_synopsis_of_each_command_and_all_options),
		cmocka_unit_test(the_audit_shows_runs_or_packages),
	};

	return cmocka_run_group_tests(tests, make_root, remove_root);
}
