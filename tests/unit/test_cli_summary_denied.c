#include "cli/summary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/path.h"
#include "tests/helper/folder.h"

static const struct pmg_summary_how quiet = { .failed = false };
static const struct pmg_summary_how normal = { .notes = true };
static const struct pmg_summary_how failed = { .failed = true, .notes = true };
static const struct pmg_summary_how verbose = { .notes = true, .details = true };
static const struct pmg_summary_how command = { .notes = true, .command = true };

static void deny(struct pmg_record *record, int code, enum pmg_event_op op, const char *target,
		 bool sensitive)
{
	struct pmg_event event = { .code = code,
				   .op = op,
				   .by = PMG_EVENT_BY_BROKER,
				   .target = pmg_xstrdup(target),
				   .package = pmg_xstrdup("dep@1"),
				   .script = pmg_xstrdup("install"),
				   .sensitive = sensitive };

	if (sensitive) {
		event.rule = pmg_xstrdup("**/.ssh");
		event.layer = pmg_xstrdup("mandatory");
	} else {
		event.allow = pmg_xasprintf("%s=%s", pmg_event_op_name(op), target);
	}
	(void)pmg_record_denied(record, &event);
}

static char *said(const struct pmg_record *record, const struct pmg_summary_how *how)
{
	struct pmg_out out = { 0 };
	char *text = NULL;
	size_t len = 0;

	out.messages = open_memstream(&text, &len);
	pmg_summary_denied(&out, record, how);
	assert_int_equal(fclose(out.messages), 0);
	return text;
}

#define SENSITIVE                                                                                  \
	"pmg: [PMG2001] read of /h/.ssh/id_x refused: by dep@1 (install); "                        \
	"rule **/.ssh (mandatory)\n"                                                               \
	"pmg:   do not allow it; why: \"pmg sandbox explain PMG2001\"\n"
#define OTHER                                                                                      \
	"pmg: [PMG2007] exec of /h/e vil refused: by dep@1 (install); no rule allows it\n"         \
	"pmg:   \"pmg sandbox allow 'exec=/h/e vil'\" allows it; why: \"pmg sandbox explain "      \
	"PMG2007\"\n"
#define LEFT_OUT                                                                                   \
	"pmg: [PMG2003] variables left out: NPM_TOKEN, X_KEY\n"                                    \
	"pmg:   \"pmg sandbox allow env=NAME\" lets one through\n"

#define CHANNELS "pmg: [PMG2008] variables left out: SSH_AUTH_SOCK\n"

static void each_kind_of_run_hears_what_it_should(void **state)
{
	static const struct {
		bool sensitive, other, left_out;
		const struct pmg_summary_how *how;
		const char *said;
	} rows[] = {
		{ false, false, false, &verbose, "" },
		{ false, false, true, &normal, "" },
		{ false, false, true, &failed, LEFT_OUT },
		{ false, false, true, &command, LEFT_OUT },
		{ false, true, true, &quiet, "" },
		{ false, true, false, &normal,
		  "pmg: 1 denied: \"pmg violations list --run r-1\" shows it\n" },
		{ false, true, true, &failed,
		  OTHER LEFT_OUT "pmg: 1 denied: \"pmg violations list --run r-1\" shows it\n" },
		{ false, true, true, &verbose,
		  OTHER LEFT_OUT CHANNELS
		  "pmg: 1 denied: \"pmg violations list --run r-1\" shows it\n" },
		{ true, false, false, &quiet,
		  SENSITIVE "pmg: 1 denied: \"pmg violations list --run r-1\" shows it\n" },
		{ true, true, true, &normal,
		  SENSITIVE "pmg: 2 denied: \"pmg violations list --run r-1\" shows them\n" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(record) struct pmg_record record = { .id = "r-1" };
		pmg_autofree char *text = NULL;

		if (rows[i].left_out) {
			deny(&record, 2003, PMG_EVENT_ENV, "NPM_TOKEN", false);
			deny(&record, 2008, PMG_EVENT_ENV, "SSH_AUTH_SOCK", false);
			deny(&record, 2003, PMG_EVENT_ENV, "X_KEY", false);
		}
		if (rows[i].other)
			deny(&record, 2007, PMG_EVENT_EXEC, "/h/e vil", false);
		if (rows[i].sensitive)
			deny(&record, 2001, PMG_EVENT_READ, "/h/.ssh/id_x", true);
		text = said(&record, rows[i].how);
		assert_string_equal(text, rows[i].said);
	}
}

/* It may be what the tool was started for, whatever that says of itself. */
static void what_could_not_be_written_here_is_said_of_a_run_that_worked(void **state)
{
	pmg_auto(record) struct pmg_record record = { .id = "r-1", .cwd = (char[]){ "/p" } };
	pmg_autofree char *normally = NULL;
	pmg_autofree char *quietly = NULL;
	size_t i, lines = 0;

	(void)state;
	deny(&record, 2002, PMG_EVENT_WRITE, "/p/index.js", false);
	deny(&record, 2012, PMG_EVENT_DELETE, "/p/old", false);
	deny(&record, 2002, PMG_EVENT_WRITE, "/h/other", false);
	deny(&record, 2001, PMG_EVENT_READ, "/p/x", false);
	normally = said(&record, &normal);
	quietly = said(&record, &quiet);
	assert_string_equal(normally, "pmg: [PMG2002] write to /p/index.js refused: by dep@1 "
				      "(install); no rule allows it\n"
				      "pmg: [PMG2012] delete of /p/old refused: by dep@1 "
				      "(install); no rule allows it\n"
				      "pmg:   \"pmg sandbox allow --last --all\" allows what was "
				      "refused here, then do it again\n"
				      "pmg: 4 denied: \"pmg violations list --run r-1\" shows "
				      "them\n");
	assert_string_equal(quietly, "");
	for (i = 0; i < 20; i++) {
		pmg_autofree char *path = pmg_xasprintf("/p/%zu", i);

		deny(&record, 2002, PMG_EVENT_WRITE, path, false);
	}
	free(normally);
	normally = said(&record, &normal);
	for (i = 0; normally[i]; i++)
		lines += normally[i] == '\n';
	assert_int_equal(lines, PMG_SUMMARY_TROUBLES + 2);
	record.cwd = NULL; /* not ours to free */
}

static void denied_to(struct pmg_record *record, const char *target, const char *package,
		      const char *program)
{
	struct pmg_event event = { .code = 2002,
				   .op = PMG_EVENT_WRITE,
				   .by = PMG_EVENT_BY_BROKER,
				   .target = pmg_xstrdup(target),
				   .package = package ? pmg_xstrdup(package) : NULL };

	pmg_strv_add(&event.process, "pip");
	pmg_strv_add(&event.process, program);
	(void)pmg_record_denied(record, &event);
}

/* A package's git says nothing of what the person wants. */
static void who_makes_a_project_is_told_how_without_a_repository(void **state)
{
	static const struct {
		const char *target, *package, *program;
		bool told;
	} rows[] = {
		{ "/p/demo/.git", NULL, "git", true },
		{ "/p/demo/.git", "dep@1", "git", false },
		{ "/p/demo/.git", NULL, "sh", false },
		{ "/p/demo/.git/hooks/x", NULL, "git", false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(record) struct pmg_record record = { .id = "r-1" };
		pmg_autofree char *text = NULL;

		denied_to(&record, rows[i].target, rows[i].package, rows[i].program);
		text = said(&record, &verbose);
		assert_int_equal(strstr(text, "uv init --vcs none") != NULL, rows[i].told);
	}
}

/* Those folders, by those programs alone, and not by a package. */
static void what_tools_try_as_a_matter_of_course_is_told_with_v_alone(void **state)
{
	static const struct {
		const char *target, *package, *program;
		bool told;
	} rows[] = {
		{ "/h/.rustup", NULL, "rustc", false },
		{ "/h/.rustup", "dep@1", "rustc", true },
		{ "/h/.rustup", NULL, "sh", true },
		{ "/h/.rustup/bin/x", NULL, "rustc", true },
		{ "/h/.local/share/uv/credentials", NULL, "uv", false },
		{ "/h/.local/share/uv/credentials", NULL, "python", true },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(record) struct pmg_record record = { .id = "r-1" };
		pmg_autofree char *usual = NULL;
		pmg_autofree char *all = NULL;

		denied_to(&record, rows[i].target, rows[i].package, rows[i].program);
		usual = said(&record, &failed);
		all = said(&record, &verbose);
		if ((*usual != '\0') != rows[i].told)
			fail_msg("row %zu: %s", i, usual);
		assert_non_null(strstr(all, "1 denied"));
	}
}

static void a_manager_that_another_starts_is_told_of(void **state)
{
	static const struct {
		const char *words[6];
		const char *within; /* NULL: none */
	} rows[] = {
		{ { "npx", "pnpm", "install" },
		  "pnpm started by npx is guarded as a script of it; "
		  "\"pmg pnpm ...\" guards it as what it is\n" },
		{ { "npx", "-y", "pnpm@9", "install" }, "pnpm started by npx " },
		{ { "npm", "exec", "--", "yarn" }, "yarn started by npm " },
		{ { "pnpm", "dlx", "uv@1" }, "uv started by pnpm " },
		{ { "npx", "cowsay", "pnpm" }, NULL },
		{ { "npm", "install", "pnpm" }, NULL },
		{ { "npx", "@s/pnpm" }, NULL },
		{ { "pip", "install", "uv" }, NULL },
	};
	size_t i, k;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(record) struct pmg_record record = { .id = "r-1" };
		pmg_autofree char *text = NULL;

		record.tool = pmg_xstrdup(rows[i].words[0]);
		for (k = 0; k < 6 && rows[i].words[k]; k++)
			pmg_strv_add(&record.argv, rows[i].words[k]);
		denied_to(&record, "/h/x", NULL, "node");
		text = said(&record, &failed);
		if (rows[i].within ? !strstr(text, rows[i].within)
				   : strstr(text, "is guarded as a script") != NULL)
			fail_msg("row %zu: %s", i, text);
	}
}

/* "file:../x" in the manifest: a link is made that leads nowhere. */
static void a_folder_of_the_manifest_that_is_closed_is_said_with_what_opens_it(void **state)
{
	static const struct {
		const char *target, *package;
		bool is_folder;
	} rows[] = {
		{ "/h/a b/package.json", NULL, true },     { "/h/a b/index.js", NULL, false },
		{ "/h/a b/package.json", "dep@1", false }, /* asked for by somebody else */
		{ "/package.json", NULL, false },          /* holds the project itself */
		{ "/h/p/y/package.json", NULL, false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(record) struct pmg_record record = { .id = "r-1",
							      .cwd = pmg_xstrdup("/h/p") };
		struct pmg_event event = { .code = 2001,
					   .op = PMG_EVENT_READ,
					   .by = PMG_EVENT_BY_BROKER,
					   .target = pmg_xstrdup(rows[i].target),
					   .allow = pmg_xasprintf("read=%s", rows[i].target) };
		pmg_autofree char *text = NULL;

		if (rows[i].package)
			event.package = pmg_xstrdup(rows[i].package);
		(void)pmg_record_denied(&record, &event);
		text = said(&record, &normal);
		if ((strstr(text, "\"pmg sandbox allow 'read=/h/a b/**'\" opens it") != NULL) !=
		    rows[i].is_folder)
			fail_msg("row %zu: %s", i, text);
	}
}

/* Where the manager did not take it back, and by its name as a folder has it. */
static void a_package_that_reached_for_a_secret_is_still_there(void **state)
{
	static const struct {
		const char *tool, *package, *how_known, *said;
	} rows[] = {
		{ "npm", "dep@1", "tree",
		  "pmg: dep stays installed: \"npm ls dep\" shows what brought it, "
		  "\"npm uninstall\" of that removes it\n" },
		{ "pnpm", "@a/dep@1", "cwd",
		  "pmg: @a/dep stays installed: \"pnpm why @a/dep\" shows what brought it, "
		  "\"pnpm remove\" of that removes it\n" },
		{ "npm", "gone@1", "tree", NULL },
		{ "npm", "dep@1", "env", NULL },
		{ "npx", "dep@1", "tree", NULL },
		{ "npm", "@a", "tree", NULL },
	};
	pmg_autofree char *top = folder_new();
	size_t i;

	(void)state;
	folder_write(top, "node_modules/dep/package.json", "{}", 2);
	folder_write(top, "node_modules/@a/dep/package.json", "{}", 2);
	folder_write(top, "packages/b/x", "", 0);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(record) struct pmg_record record = { .id = "r-1" };
		struct pmg_event event = { .code = 2001,
					   .op = PMG_EVENT_READ,
					   .target = pmg_xstrdup("/h/.ssh/id_x"),
					   .package = pmg_xstrdup(rows[i].package),
					   .how_known = pmg_xstrdup(rows[i].how_known),
					   .sensitive = true };
		pmg_autofree char *text = NULL;

		record.tool = pmg_xstrdup(rows[i].tool);
		record.cwd = pmg_path_join(top, "packages/b");
		(void)pmg_record_denied(&record, &event);
		text = said(&record, &normal);
		if (rows[i].said)
			assert_non_null(strstr(text, rows[i].said));
		else
			assert_null(strstr(text, "stays installed"));
	}
	folder_free(pmg_steal_ptr(&top));
}

static void the_project_s_own_script_is_told_how(void **state)
{
	pmg_auto(record) struct pmg_record record = { .id = "r-1" };
	struct pmg_event event = { .code = 2001,
				   .op = PMG_EVENT_READ,
				   .target = pmg_xstrdup("/p/.env"),
				   .rule = pmg_xstrdup("/p/**/.env"),
				   .allow = pmg_xstrdup("read=/p/.env"),
				   .sensitive = true };
	pmg_autofree char *text = NULL;

	(void)state;
	(void)pmg_record_denied(&record, &event);
	text = said(&record, &quiet);
	assert_non_null(strstr(text, "pmg:   if your own script is to read it: \"pmg sandbox allow "
				     "--force read=/p/.env\"; why: \"pmg sandbox explain "
				     "PMG2001\"\n"));
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	while ((text = strstr(text, what))) {
		text++;
		n++;
	}
	return n;
}

static void a_flood_is_said_in_a_few_clean_lines(void **state)
{
	pmg_auto(record) struct pmg_record record = { .id = "r-1" };
	pmg_autofree char *text = NULL;
	unsigned i;

	(void)state;
	for (i = 0; i < 100000; i++) {
		pmg_autofree char *name = pmg_xasprintf("/h/\x1b]0;%u\a", i);

		deny(&record, 2001, PMG_EVENT_READ, name, i % 10 == 0);
	}
	text = said(&record, &failed);
	assert_null(strpbrk(text, "\x1b\a"));
	assert_int_equal(count(text, "[PMG2018]"), 1);
	assert_true(count(text, "\n") < 60);
	assert_non_null(strstr(text, " denied: "));
}

static void a_command_too_long_to_show_is_left_out(void **state)
{
	pmg_auto(record) struct pmg_record record = { .id = "r-1" };
	char name[2000] = { '/' };
	pmg_autofree char *text = NULL;

	(void)state;
	memset(name + 1, 'a', sizeof name - 2);
	deny(&record, 2001, PMG_EVENT_READ, name, false);
	text = said(&record, &failed);
	assert_null(strstr(text, "allows it; why"));
	assert_non_null(strstr(text, "pmg:   why: \"pmg sandbox explain PMG2001\"\n"));
}

static void nothing_is_suggested_for_what_nothing_lets_through(void **state)
{
	pmg_auto(record) struct pmg_record record = { 0 };
	pmg_autofree char *text = NULL;

	(void)state;
	deny(&record, 2003, PMG_EVENT_ENV, "ACME_X", false);
	free(record.events.v[0].allow);
	record.events.v[0].allow = NULL;
	text = said(&record, &failed);
	assert_string_equal(text, "pmg: [PMG2003] variables left out: ACME_X\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_of_run_hears_what_it_should),
		cmocka_unit_test(what_could_not_be_written_here_is_said_of_a_run_that_worked),
		cmocka_unit_test(who_makes_a_project_is_told_how_without_a_repository),
		cmocka_unit_test(what_tools_try_as_a_matter_of_course_is_told_with_v_alone),
		cmocka_unit_test(a_manager_that_another_starts_is_told_of),
		cmocka_unit_test(
			a_folder_of_the_manifest_that_is_closed_is_said_with_what_opens_it),
		cmocka_unit_test(a_package_that_reached_for_a_secret_is_still_there),
		cmocka_unit_test(the_project_s_own_script_is_told_how),
		cmocka_unit_test(a_flood_is_said_in_a_few_clean_lines),
		cmocka_unit_test(a_command_too_long_to_show_is_left_out),
		cmocka_unit_test(nothing_is_suggested_for_what_nothing_lets_through),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
