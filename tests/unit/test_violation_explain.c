#include "violation/explain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"

static char *copy(const char *text)
{
	return text ? pmg_xstrdup(text) : NULL;
}

struct row {
	int code;
	enum pmg_event_op op;
	const char *target, *rule, *layer, *package, *script, *program, *allow;
	bool sensitive;
	const char *line, *command;
};

static const struct row rows[] = {
	{ 2001, PMG_EVENT_READ, "/h/.ssh/id_x", "**/.ssh", "mandatory", "dep-evil@1.2.3",
	  "postinstall", "node", NULL, true,
	  "read of /h/.ssh/id_x refused: by dep-evil@1.2.3 (postinstall); rule **/.ssh (mandatory)",
	  NULL },
	{ 2007, PMG_EVENT_EXEC, "/h/evil", NULL, NULL, NULL, NULL, "sh", "exec=/h/evil", false,
	  "exec of /h/evil refused: by npm > sh; no rule allows it",
	  "pmg sandbox allow exec=/h/evil" },
	{ 2007, PMG_EVENT_EXEC, "/h/$(x) 'y'", NULL, NULL, NULL, NULL, NULL, "exec=/h/$(x) 'y'",
	  false, "exec of /h/$(x) 'y' refused: by npm; no rule allows it",
	  "pmg sandbox allow 'exec=/h/$(x) '\\''y'\\'''" },
	/* closed, but touched as a matter of course */
	{ 2002, PMG_EVENT_WRITE, "/p/.git/config.lock", "**/.git/config.lock", "mandatory", NULL,
	  NULL, "git", "write=/p/.git/config.lock", false,
	  "write to /p/.git/config.lock refused: by npm > git; rule **/.git/config.lock "
	  "(mandatory)",
	  "pmg sandbox allow --force write=/p/.git/config.lock" },
	{ 2009, PMG_EVENT_CONNECT, "tcp 10.99.0.1:8080", NULL, NULL, "x@1", NULL, NULL,
	  "net-connect=10.99.0.1:8080", false,
	  "connection to tcp 10.99.0.1:8080 refused: by x@1; no rule allows it",
	  "pmg sandbox allow net-connect=10.99.0.1:8080" },
	{ 2016, PMG_EVENT_KERNEL, "io_uring_setup", NULL, NULL, "x@1", NULL, NULL, NULL, false,
	  "call of io_uring_setup refused: by x@1", NULL },
	{ 2003, PMG_EVENT_ENV, "NPM_TOKEN", NULL, NULL, NULL, NULL, NULL, "env=NPM_TOKEN", false,
	  "variable NPM_TOKEN left out", "pmg sandbox allow env=NPM_TOKEN" },
	{ 2002, PMG_EVENT_WRITE, "/p/.git/refs/heads/main.lock", NULL, NULL, NULL, NULL, "git",
	  "write=/p/.git/refs/heads/main.lock", false,
	  "write to /p/.git/refs/heads/main.lock refused: by npm > git; no rule allows it",
	  "pmg sandbox allow preset=git" },
	{ 2012, PMG_EVENT_DELETE, "/p*/.git/index.lock", NULL, NULL, NULL, NULL, "git",
	  "write=/p\\*/.git/index.lock", false,
	  "delete of /p*/.git/index.lock refused: by npm > git; no rule allows it",
	  "pmg sandbox allow preset=git" },
	{ 2002, PMG_EVENT_WRITE, "/p/git/index", NULL, NULL, NULL, NULL, NULL, "write=/p/git/index",
	  false, "write to /p/git/index refused: by npm; no rule allows it",
	  "pmg sandbox allow write=/p/git/index" },
	{ 2018, PMG_EVENT_KERNEL, PMG_EVENT_LOST_TARGET, NULL, NULL, NULL, NULL, NULL, NULL, false,
	  "more refusals than are recorded (1)", NULL },
};

static struct pmg_event event_of(const struct row *row)
{
	struct pmg_event event = { .code = row->code,
				   .op = row->op,
				   .by = PMG_EVENT_BY_BROKER,
				   .target = copy(row->target),
				   .rule = copy(row->rule),
				   .layer = copy(row->layer),
				   .package = copy(row->package),
				   .script = copy(row->script),
				   .allow = copy(row->allow),
				   .sensitive = row->sensitive,
				   .first = 100,
				   .last = 100 };

	if (row->code != 2018)
		pmg_strv_add(&event.process, "npm");
	if (row->program)
		pmg_strv_add(&event.process, row->program);
	pmg_event_clean(&event);
	return event;
}

static void a_refusal_is_one_line_and_one_command(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(event) struct pmg_event event = event_of(&rows[i]);
		pmg_autofree char *line = pmg_explain_line(&event);
		pmg_autofree char *command = pmg_explain_command(&event);

		assert_string_equal(line, rows[i].line);
		assert_int_equal(command != NULL, rows[i].command != NULL);
		if (command)
			assert_string_equal(command, rows[i].command);
		assert_int_equal(pmg_explain_is_notice(&event),
				 rows[i].code == 2003 || rows[i].code == 2018);
	}
}

static void a_sensitive_refusal_comes_with_a_warning_and_no_command(void **state)
{
	pmg_auto(event) struct pmg_event event = event_of(&rows[0]);
	const struct pmg_explain_what what = { &event, 12, "r-1", "/p", "npm", "abc" };
	pmg_autofree char *text = NULL;

	(void)state;
	event.source = copy("built-in:14");
	event.how_known = copy("tree");
	event.count = 3;
	event.last = 101;
	text = pmg_explain_text(&what);
	assert_string_equal(
		text,
		"[PMG2001] read denied: read of /h/.ssh/id_x\n"
		"  by        dep-evil@1.2.3 (postinstall)\n"
		"  known     seen: where its process hangs\n"
		"  programs  npm > node\n"
		"  rule      **/.ssh\n"
		"  of        mandatory, built-in:14\n"
		"  seen by   broker\n"
		"  profile   npm\n"
		"  policy    abc\n"
		"  when      3 times, 1970-01-01T00:01:40Z to 1970-01-01T00:01:41Z\n"
		"  run       r-1\n"
		"  in        /p\n"
		"  id        12\n"
		"\nIf you did not expect it: A script that reads credentials sends them away: "
		"remove "
		"the package, rotate what was reachable, report it.\n"
		"\nDo not allow it: a credential, or a place from which code would start again "
		"later.\n"
		"\nMore of this code: pmg sandbox explain PMG2001\n");
}

static void what_is_not_known_is_left_out(void **state)
{
	pmg_auto(event) struct pmg_event event = { .code = 2007,
						   .op = PMG_EVENT_EXEC,
						   .target = copy("/h/evil"),
						   .allow = copy("exec=/h/evil"),
						   .first = 100 };
	const struct pmg_explain_what what = { .event = &event };
	pmg_autofree char *text = NULL;

	(void)state;
	pmg_event_clean(&event);
	text = pmg_explain_text(&what);
	assert_string_equal(text, "[PMG2007] exec denied: exec of /h/evil\n"
				  "  rule      none allows it\n"
				  "  seen by   kernel\n"
				  "  when      1970-01-01T00:01:40Z\n"
				  "\nThis allows exactly that, and nothing more:\n"
				  "  pmg sandbox allow exec=/h/evil\n"
				  "\nMore of this code: pmg sandbox explain PMG2007\n");
}

/* The broker offers such a file only where the project's own script asked for it. */
static void a_script_of_the_project_may_be_meant(void **state)
{
	pmg_auto(event) struct pmg_event event = event_of(&rows[0]);
	const struct pmg_explain_what what = { .event = &event };
	pmg_autofree char *none = pmg_explain_own_command(&event);
	pmg_autofree char *own = NULL;
	pmg_autofree char *command = NULL;
	pmg_autofree char *text = NULL;

	(void)state;
	assert_null(none);
	event.allow = copy("read=/p/.env");
	own = pmg_explain_own_command(&event);
	command = pmg_explain_command(&event);
	text = pmg_explain_text(&what);
	assert_string_equal(own, "pmg sandbox allow --force read=/p/.env");
	assert_null(command);
	assert_non_null(
		strstr(text, "just this file:\n  pmg sandbox allow --force read=/p/.env\n"));
	assert_null(strstr(text, "Do not allow it"));
}

static void a_port_is_the_run_s_own(void **state)
{
	pmg_auto(event) struct pmg_event event = { .code = 2014,
						   .op = PMG_EVENT_BIND,
						   .target = copy("tcp 127.0.0.1:5173"),
						   .allow = copy("net-bind=127.0.0.1:5173") };
	const struct pmg_explain_what what = { .event = &event };
	pmg_autofree char *text = NULL;

	(void)state;
	pmg_event_clean(&event);
	text = pmg_explain_text(&what);
	assert_non_null(strstr(text, "net-bind=127.0.0.1:5173\nOnly programs of the run reach it"));
}

static void where_there_is_no_command_it_is_said_why(void **state)
{
	static const struct {
		int code;
		enum pmg_event_op op;
		const char *target, *part;
	} rows_of[] = {
		{ 2009, PMG_EVENT_RESOLVE, "dns host.test", "net-connect=HOST:PORT\n" },
		{ 2016, PMG_EVENT_KERNEL, "bpf", "\nNothing allows it.\n" },
		{ 2018, PMG_EVENT_KERNEL, PMG_EVENT_LOST_TARGET,
		  "look at the sensitive ones.\n\nMore" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows_of); i++) {
		pmg_auto(event) struct pmg_event event = { .code = rows_of[i].code,
							   .op = rows_of[i].op,
							   .target = copy(rows_of[i].target) };
		const struct pmg_explain_what what = { .event = &event };
		pmg_autofree char *text = NULL;

		pmg_event_clean(&event);
		text = pmg_explain_text(&what);
		assert_non_null(strstr(text, rows_of[i].part));
	}
}

static void machines_get_the_keys_of_the_contract(void **state)
{
	static const char *const keys[] = { "code",  "name",   "severity",  "disposition",
					    "layer", "target", "process",   "policy_fp",
					    "docs",  "id",     "run",       "profile",
					    "op",    "count",  "sensitive", "malicious" };
	pmg_auto(event) struct pmg_event event = event_of(&rows[0]);
	const struct pmg_explain_what what = { &event, 12, "r-1", "/p", "npm", "abc" };
	pmg_auto(json) struct json_t *json = pmg_explain_json(&what);
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(keys); i++)
		assert_non_null(pmg_json_get(json, keys[i]));
	assert_string_equal(pmg_json_str(json, "severity"), "high");
	assert_string_equal(pmg_json_str(json, "docs"), "docs/codes/PMG2001.md");
	assert_null(pmg_json_get(json, "command"));
}

static void the_largest_event_can_be_explained(void **state)
{
	pmg_auto(event) struct pmg_event event = { .code = 2001 };
	char **const texts[] = { &event.target,  &event.rule,   &event.layer, &event.source,
				 &event.package, &event.script, &event.allow };
	const struct pmg_explain_what what = { .event = &event };
	pmg_autofree char *text = NULL;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(texts); i++) {
		*texts[i] = pmg_xcalloc(9001, 1);
		memset(*texts[i], '\'', 9000);
	}
	for (i = 0; i < PMG_EVENT_CHAIN_MAX; i++)
		pmg_strv_addf(&event.process, "%0600d", 1);
	pmg_event_clean(&event);
	event.allow = pmg_xcalloc(PMG_EVENT_SOURCE_MAX + 1, 1);
	memset(event.allow, '\'', PMG_EVENT_SOURCE_MAX);
	text = pmg_explain_text(&what);
	assert_non_null(strstr(text, "More of this code"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_refusal_is_one_line_and_one_command),
		cmocka_unit_test(a_sensitive_refusal_comes_with_a_warning_and_no_command),
		cmocka_unit_test(what_is_not_known_is_left_out),
		cmocka_unit_test(a_script_of_the_project_may_be_meant),
		cmocka_unit_test(a_port_is_the_run_s_own),
		cmocka_unit_test(where_there_is_no_command_it_is_said_why),
		cmocka_unit_test(machines_get_the_keys_of_the_contract),
		cmocka_unit_test(the_largest_event_can_be_explained),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
