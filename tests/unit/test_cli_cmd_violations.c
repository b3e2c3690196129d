#include "cli/cmd_violations.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "base/json.h"
#include "base/path.h"
#include "cli/front.h"
#include "tests/helper/folder.h"
#include "tests/helper/said.h"
#include "violation/ledger.h"

static char *root; /* HOME; its ledger has one run */
static const char *home;

static void deny(struct pmg_record *record, int code, enum pmg_event_op op, const char *target,
		 bool sensitive)
{
	struct pmg_event event = { .code = code,
				   .op = op,
				   .by = PMG_EVENT_BY_BROKER,
				   .target = pmg_xstrdup(target),
				   .package = pmg_xstrdup("dep-evil@1.2.3"),
				   .script = pmg_xstrdup("postinstall"),
				   .how_known = pmg_xstrdup("tree"),
				   .allow = pmg_xasprintf("%s=%s", pmg_event_op_name(op), target),
				   .sensitive = sensitive,
				   .first = 100,
				   .last = 100 };

	if (sensitive) {
		event.rule = pmg_xstrdup("**/.ssh");
		event.layer = pmg_xstrdup("mandatory");
		event.source = pmg_xstrdup("built-in:14");
	}
	pmg_strv_add(&event.process, "npm");
	pmg_strv_add(&event.process, "node");
	(void)pmg_record_denied(record, &event);
}

static int make_root(void **state)
{
	static const struct pmg_ledger_keep keep = { 0, 0 };
	pmg_auto(record) struct pmg_record record = { .started = 100, .ended = 101 };
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *path = NULL;

	(void)state;
	root = folder_new();
	home = root;
	path = pmg_path_join(root, ".local/state/pmg/ledger.db");
	(void)snprintf(record.id, sizeof record.id, "r-19700101-0001");
	record.tool = pmg_xstrdup("npm");
	record.cwd = pmg_xstrdup("/");
	record.profile = pmg_xstrdup("npm");
	record.fingerprint = pmg_xstrdup("abc");
	deny(&record, 2001, PMG_EVENT_READ, "/h/.ssh/id_x", true);
	deny(&record, 2007, PMG_EVENT_EXEC, "/h/e\x1b]0;vil", false);
	deny(&record, 2007, PMG_EVENT_EXEC, "/h/evil", false);
	return pmg_ledger_write(path, &record, &keep, &err);
}

static int remove_root(void **state)
{
	(void)state;
	folder_free(root);
	return 0;
}

static int play(const char *const *argv)
{
	int back = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC), r;

	if (clearenv() != 0 || (home && setenv("HOME", home, 1) != 0) || chdir("/") < 0)
		return 99;
	r = pmg_front_main((char *const *)(uintptr_t)argv);
	if (fchdir(back) < 0)
		return 99;
	(void)close(back);
	return r;
}

#define ROW_1                                                                                      \
	"{\"id\":1,\"run\":\"r-19700101-0001\",\"cwd\":\"/\",\"first\":\"1970-01-01T00:01:40Z\","  \
	"\"last\":\"1970-01-01T00:01:40Z\",\"count\":1,\"code\":\"PMG2001\",\"op\":\"read\","      \
	"\"target\":\"/h/.ssh/id_x\",\"rule\":\"**/.ssh\",\"layer\":\"mandatory\","                \
	"\"source\":\"built-in:14\",\"package\":\"dep-evil@1.2.3\",\"script\":\"postinstall\","    \
	"\"how_known\":\"tree\",\"process\":[\"npm\",\"node\"],\"enforced_by\":\"broker\","        \
	"\"profile\":\"npm\",\"fingerprint\":\"abc\",\"sensitive\":true,"                          \
	"\"allow\":\"read=/h/.ssh/id_x\"}"

/* said: whole, or where it ends in "...", how it begins. */
static const struct {
	const char *argv[8];
	int status;
	const char *said;
} rows[] = {
	{ { "pmg", "violations", "list", "--json", "--sensitive" }, 0, "[" ROW_1 "]\n" },
	{ { "pmg", "sandbox", "violations", "list", "--json", "--code=2001" }, 0, "[" ROW_1 "]\n" },
	{ { "pmg", "violations", "list", "--run=r-none" },
	  121,
	  "pmg: there is no run \"r-none\"\npmg: \"pmg audit list\" shows the runs\n" },
	{ { "pmg", "violations", "list", "--run=r-19700101-0001", "--code=2009" },
	  0,
	  "pmg: nothing of that kind is on record\n" },
	{ { "pmg", "violations", "list", "--package=dep-evil", "--limit=2" },
	  0,
	  "ID  LAST                  CODE     OP    TARGET          COUNT  PACKAGE         "
	  "SCRIPT       RULE  NOTE  FOLDER\n"
	  "3   1970-01-01T00:01:40Z  PMG2007  exec  /h/evil         1      dep-evil@1.2.3  "
	  "postinstall              /\n"
	  "2   1970-01-01T00:01:40Z  PMG2007  exec  /h/e\\x1b]0;vil  1      dep-evil@1.2.3  "
	  "postinstall              /\n" },
	{ { "pmg", "violations", "list", "--here", "--since=1970-01-01T00:01:39Z", "-n1" },
	  0,
	  "ID  LAST                  CODE     OP    TARGET   COUNT  PACKAGE         SCRIPT       "
	  "RULE  NOTE\n..." },
	{ { "pmg", "violations", "list", "--since=7d" },
	  0,
	  "pmg: nothing of that kind is on record\n" },
	{ { "pmg", "violations", "list", "--since=1970-01-01T00:01:39Z", "--last", "-n1" },
	  0,
	  "ID  LAST..." },
	{ { "pmg", "violations", "list", "--since=soon" },
	  121,
	  "pmg: --since does not take \"soon\"\n"
	  "pmg: it takes 36h, 7d, or 2026-11-29T10:00:00Z\n" },
	{ { "pmg", "violations", "list", "--code=PMG9" },
	  121,
	  "pmg: there is no code \"PMG9\"\n..." },
	{ { "pmg", "violations", "explain", "3" },
	  0,
	  "[PMG2007] exec denied: exec of /h/evil\n"
	  "  by        dep-evil@1.2.3 (postinstall)\n"
	  "  known     seen: where its process hangs\n"
	  "  programs  npm > node\n"
	  "  rule      none allows it\n..." },
	{ { "pmg", "sandbox", "violations", "explain", "1" }, 0, "[PMG2001] read denied..." },
	{ { "pmg", "violations", "explain", "--last" }, 0, "[PMG2001] read denied..." },
	{ { "pmg", "sandbox", "explain", "--last" }, 0, "[PMG2001] read denied..." },
	{ { "pmg", "sandbox", "explain", "--last", "--json" }, 0, "{\"first\":..." },
	{ { "pmg", "violations", "explain", "4" },
	  121,
	  "pmg: there is no refusal 4\npmg: \"pmg violations list\" shows them\n" },
	{ { "pmg", "violations", "explain" }, 121, "pmg: name one id, or --last\n" },
	{ { "pmg", "violations", "explain", "1", "--last" }, 121, "pmg: name one id, or --last\n" },
	{ { "pmg", "violations", "explain", "PMG2001" },
	  121,
	  "pmg: \"PMG2001\" is no id\npmg: \"pmg violations list\" shows them; a code is for "
	  "\"pmg sandbox explain\"\n" },
	{ { "pmg", "sandbox", "explain" }, 121, "pmg: name one code, or --last\n" },
	{ { "pmg", "sandbox", "explain", "PMG2001" },
	  0,
	  "PMG2001: read denied\n\nWhat. A program of the run..." },
	{ { "pmg", "sandbox", "explain", "3001", "--json" },
	  0,
	  "{\"code\":\"PMG3001\",\"name\":..." },
	{ { "pmg", "sandbox", "explain", "PMG2007", "--json" },
	  0,
	  "{\"code\":\"PMG2007\",\"name\":\"exec denied\",\"severity\":\"medium\","
	  "\"disposition\":\"denied\",\"malicious\":\"A dropped program..." },
};

static void compare(const char *said, const char *expected)
{
	size_t len = strlen(expected);

	if (len > 3 && strcmp(expected + len - 3, "...") == 0)
		assert_memory_equal(said, expected, len - 3);
	else
		assert_string_equal(said, expected);
}

static void command_lines_do_what_they_say(void **state)
{
	char said[8192];
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		assert_int_equal(said_by(play, rows[i].argv, -1, said, sizeof said),
				 rows[i].status);
		compare(said, rows[i].said);
		assert_null(strchr(said, '\x1b'));
	}
}

static void a_code_is_explained_without_a_home(void **state)
{
	static const char *const argv[] = { "pmg", "sandbox", "explain", "PMG2009", NULL };
	char said[8192];

	(void)state;
	home = NULL;
	assert_int_equal(said_by(play, argv, -1, said, sizeof said), 0);
	assert_non_null(strstr(said, "If malicious. Exfiltration"));
	home = root;
}

static struct json_t *parsed(const char *text)
{
	struct pmg_err err = PMG_ERR_INIT;
	struct json_t *json = NULL;

	assert_int_equal(pmg_json_parse("said", text, strlen(text), &json, &err), 0);
	return json;
}

/* Each key that is shown stands in the schema, and what the schema requires is shown. */
static void the_schema_is_in_step(void **state)
{
	static const char *const argv[] = { "pmg", "violations", "list", "--json", NULL };
	const char *srcdir = getenv("srcdir");
	pmg_autofree char *path =
		pmg_path_join(srcdir ? srcdir : "..", "docs/schema/violation.json");
	pmg_autofree char *text = NULL;
	pmg_auto(json) struct json_t *schema = NULL;
	pmg_auto(json) struct json_t *rows_shown = NULL;
	const struct json_t *required, *properties;
	struct pmg_err err = PMG_ERR_INIT;
	char said[8192];
	size_t len, i, j;

	(void)state;
	assert_int_equal(pmg_io_slurp(path, 1U << 20, &text, &len, &err), 0);
	schema = parsed(text);
	required = pmg_json_get(schema, "required");
	properties = pmg_json_get(schema, "properties");
	assert_int_equal(said_by(play, argv, -1, said, sizeof said), 0);
	rows_shown = parsed(said);
	assert_int_equal(pmg_json_len(rows_shown), 3);
	for (i = 0; i < pmg_json_len(rows_shown); i++) {
		pmg_json_object_each (pmg_json_at(rows_shown, i), it)
			assert_non_null(pmg_json_get(properties, pmg_json_iter_key(it)));
		for (j = 0; j < pmg_json_len(required); j++)
			assert_non_null(pmg_json_get(pmg_json_at(rows_shown, i),
						     pmg_json_text(pmg_json_at(required, j))));
	}
}

static void without_a_ledger_nothing_was_refused(void **state)
{
	static const char *const list[] = { "pmg", "violations", "list", "--json", NULL };
	static const char *const last[] = { "pmg", "violations", "explain", "--last", NULL };
	pmg_auto(folder) char *empty = folder_new();
	char said[1024];

	(void)state;
	home = empty;
	assert_int_equal(said_by(play, list, -1, said, sizeof said), 0);
	assert_string_equal(said, "[]\n");
	assert_int_equal(said_by(play, last, -1, said, sizeof said), 121);
	assert_string_equal(said,
			    "pmg: nothing was refused yet in /\n"
			    "pmg: \"pmg violations list\" shows what was refused elsewhere\n");
	home = root;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(command_lines_do_what_they_say),
		cmocka_unit_test(a_code_is_explained_without_a_home),
		cmocka_unit_test(the_schema_is_in_step),
		cmocka_unit_test(without_a_ledger_nothing_was_refused),
	};

	return cmocka_run_group_tests(tests, make_root, remove_root);
}
