/* pmg-intel as it was built, in a home of its own. */
#include "cli/cmd_intel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "../helper/child.h"
#include "../helper/folder.h"
#include "../helper/intel.h"
#include "../helper/records.h"
#include "base/json.h"
#include "base/str.h"
#include "kernel/confine.h"

static char *home;

#define RUN(...) run((const char *const[]){ __VA_ARGS__, NULL }, NULL)

static struct said run(const char *const *args, const char *in)
{
	return said_run(home, "intel", args, in);
}

static void write_feed(const char *name, const char *text)
{
	pmg_autofree char *path = pmg_xasprintf("feed/%s", name);

	folder_write(home, path, text, strlen(text));
}

static char *feed_path(void)
{
	return pmg_path_join(home, "feed");
}

static int setup(void **state)
{
	(void)state;
	home = folder_new();
	write_feed("a/1.json", RECORD("MAL-1", "x", VERSIONS("\"1.0.0\"")));
	write_feed("2.json", RECORD("MAL-2", "@s/y", RANGE("{\"introduced\":\"2.0.0\"}")));
	write_feed("bad.json", "{");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	folder_free(home);
	return 0;
}

static void the_rows_are_in_order(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	if (pmg_cmds_check(pmg_cmd_intel(), &err) < 0)
		fail_msg("%s", err.msg);
}

static void assert_documented(const char *page, const char *macro, const char *word)
{
	pmg_autofree char *text = pmg_xasprintf("%s%s", macro, word);

	if (!strstr(page, text))
		fail_msg("man/pmg-intel.1 has no \"%s\"", text);
}

static void the_man_page_knows_every_command_and_option(void **state)
{
	const char *top = getenv("srcdir");
	pmg_autofree char *path = pmg_path_join(top ? top : ".", "man/pmg-intel.1");
	pmg_autofree char *page = NULL;
	const struct pmg_cmd *cmd;
	const struct pmg_opt *opt;
	struct pmg_err err = PMG_ERR_INIT;
	size_t len = 0;

	(void)state;
	records_must(pmg_io_slurp(path, 1U << 20, &page, &len, &err), &err);
	for (cmd = pmg_cmd_intel(); strcmp(cmd->name, "intel") != 0; cmd++)
		;
	for (cmd = cmd->subs; cmd->name; cmd++) {
		assert_documented(page, ".Nm \"pmg intel\" Cm ", cmd->name);
		assert_documented(page, ".It Cm ", cmd->name);
		for (opt = cmd->opts; opt && opt->kind != PMG_OPT_END; opt++)
			assert_documented(page, "Fl -", opt->name);
	}
}

static void without_an_index_it_is_said_and_the_answer_is_allow(void **state)
{
	pmg_auto(said) struct said s = RUN("query", "pkg:npm/x@1.0.0");
	pmg_auto(said) struct said t = RUN("status", "--json");
	pmg_auto(json) struct json_t *json = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(s.status, 0);
	assert_string_equal(s.out, "npm x@1.0.0: allow, nothing known against it\n");
	assert_string_equal(s.err, "pmg: no index: your block list and the built-in list are all "
				   "that is asked; `pmg intel update` "
				   "fetches one\n");
	assert_int_equal(t.status, 0);
	assert_int_equal(pmg_json_parse("status", t.out, strlen(t.out), &json, &err), 0);
	assert_false(pmg_json_bool(pmg_json_get(json, "index"), "present"));
}

static void import_says_what_became_of_every_file(void **state)
{
	pmg_autofree char *feed = feed_path();
	pmg_auto(said) struct said s = RUN("import", feed);
	pmg_auto(said) struct said j = RUN("import", "--json", "--name", "other", feed);
	pmg_auto(json) struct json_t *json = NULL;
	const struct json_t *faults;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(s.status, 0);
	assert_string_equal(s.out, "feed: 2 records; in the index now: 2 records, 2 packages\n");
	assert_non_null(strstr(s.err, "pmg: 1 file could not be read:\npmg:   bad.json: "));
	assert_int_equal(j.status, 0);
	assert_int_equal(pmg_json_parse("import", j.out, strlen(j.out), &json, &err), 0);
	assert_string_equal(pmg_json_str(json, "feed"), "other");
	assert_int_equal(pmg_json_int(json, "records"), 2);
	assert_int_equal(pmg_json_int(json, "unread"), 1);
	assert_int_equal(pmg_json_int(pmg_json_get(json, "index"), "records"), 4);
	assert_int_equal(pmg_json_int(pmg_json_get(json, "index"), "packages"), 2);
	faults = pmg_json_get(json, "faults");
	assert_int_equal(pmg_json_len(faults), 1);
	assert_string_equal(pmg_json_str(pmg_json_at(faults, 0), "path"), "bad.json");
	assert_non_null(pmg_json_str(pmg_json_at(faults, 0), "reason"));
}

static void status_shows_feeds_and_block_list(void **state)
{
	pmg_auto(said) struct said s = RUN("status");
	pmg_auto(said) struct said j = RUN("status", "--json");
	pmg_auto(json) struct json_t *json = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	const struct json_t *index;

	(void)state;
	assert_int_equal(s.status, 0);
	assert_non_null(strstr(s.out, "records     4\npackages    2\n"));
	assert_non_null(strstr(s.out, "other  2026-05-28T20:26:40Z  2        0\n"));
	assert_string_equal(s.err, "");
	assert_int_equal(pmg_json_parse("status", j.out, strlen(j.out), &json, &err), 0);
	index = pmg_json_get(json, "index");
	assert_true(pmg_json_bool(index, "present"));
	assert_int_equal(pmg_json_int(index, "records"), 4);
	assert_string_equal(pmg_json_str(index, "built"), "2026-05-28T20:26:40Z");
	assert_int_equal(pmg_json_len(pmg_json_get(index, "feeds")), 2);
	assert_int_equal(pmg_json_int(pmg_json_get(json, "blocklist"), "entries"), 0);
}

/* The index of these tests has its date, which gets older. */
static void assert_answer(const char *out, const char *head)
{
	static const char index[] = "\"index\":{\"built\":\"2026-05-28T20:26:40Z\",\"records\":4,"
				    "\"state\":\"stale\",\"checked\":\"2026-05-28T20:26:40Z\","
				    "\"age_s\":";

	assert_true(pmg_str_has_prefix(out, head));
	assert_true(pmg_str_has_prefix(out + strlen(head), index));
	assert_string_equal(out + strlen(head) + strlen(index) +
				    strspn(out + strlen(head) + strlen(index), "0123456789"),
			    "}}\n");
}

static void the_json_of_a_query_has_its_promised_shape(void **state)
{
	pmg_auto(said) struct said s = RUN("query", "--json", "pkg:npm/x@1.0.0");
	pmg_auto(said) struct said o =
		RUN("query", "--json", "--ecosystem", "NPM", "--name", "x", "--version", "1.0.1");

	(void)state;
	assert_int_equal(s.status, 0);
	assert_answer(s.out, "{\"ecosystem\":\"npm\",\"name\":\"x\",\"version\":\"1.0.0\","
			     "\"verdict\":\"block\",\"ids\":[\"MAL-1\"],\"source\":[\"feed\","
			     "\"other\"],\"reason\":\"known malware\",");
	assert_answer(o.out, "{\"ecosystem\":\"npm\",\"name\":\"x\",\"version\":\"1.0.1\","
			     "\"verdict\":\"allow\",\"ids\":[],\"source\":[],");
	assert_true(pmg_str_has_prefix(s.err, "pmg: the index is old: brought up to date "));
}

static void a_query_says_what_is_waived_and_by_which_line(void **state)
{
	static const char config[] = "schema_version: 1\ntrusted_packages: [{purl: "
				     "'pkg:npm/x@1.0.0', reason: audited}]\n";
	static const char bad[] =
		"schema_version: 1\ntrusted_packages: [{purl: 'pkg:npm/x@1.x'}]\n";
	static const char none[] = "schema_version: 1\n";
	pmg_auto(said) struct said s = { 0 };
	pmg_auto(said) struct said j = { 0 };
	pmg_auto(said) struct said b = { 0 };
	pmg_auto(json) struct json_t *json = NULL;
	pmg_autofree char *place = pmg_path_join(home, ".config/pmg/config.yml:2");
	struct pmg_err err = PMG_ERR_INIT;
	const char *line;

	(void)state;
	folder_write(home, ".config/pmg/config.yml", config, strlen(config));
	s = RUN("query", "pkg:npm/x@1.0.0");
	j = RUN("query", "--json", "pkg:npm/x@1.0.0");
	folder_write(home, ".config/pmg/config.yml", bad, strlen(bad));
	b = RUN("query", "pkg:npm/x@1.0.0");
	folder_write(home, ".config/pmg/config.yml", none, strlen(none));
	assert_int_equal(s.status, 0);
	assert_true(pmg_str_has_prefix(s.out, "npm x@1.0.0: allow, though on record: MAL-1\n"
					      "  known malware (MAL-1), waived by trusted_packages "
					      "pkg:npm/x@1.0.0 ("));
	assert_int_equal(pmg_json_parse("query", j.out, strlen(j.out), &json, &err), 0);
	assert_string_equal(pmg_json_str(json, "verdict"), "allow");
	line = pmg_json_text(pmg_json_at(pmg_json_get(json, "waivers"), 0));
	assert_non_null(strstr(line, place));
	assert_true(pmg_str_has_suffix(line, "): audited"));
	assert_int_equal(b.status, 121);
	assert_non_null(strstr(b.err, place));
	assert_non_null(strstr(b.err, "trusted_packages: package pattern \"pkg:npm/x@1.x\": "));
}

static void a_query_without_a_version_says_that_single_ones_are_bad(void **state)
{
	pmg_auto(said) struct said s = RUN("query", "pkg:npm/x");
	pmg_auto(said) struct said j = RUN("query", "--json", "pkg:npm/x");
	pmg_auto(said) struct said v = RUN("query", "pkg:npm/x@1.0.1");

	(void)state;
	assert_non_null(strstr(s.out, "npm x: allow, nothing known against all of its versions\n"
				      "  single versions are known to be bad: MAL-1"));
	assert_non_null(strstr(j.out, "\"single_versions\":[\"MAL-1\""));
	assert_null(strstr(v.out, "single versions"));
}

static void a_report_tells_what_is_known(void **state)
{
	pmg_auto(said) struct said all = RUN("report");
	pmg_auto(said) struct said j = RUN("report", "--json");
	pmg_auto(said) struct said one = RUN("report", "pkg:npm/x@1.0.1");
	pmg_auto(said) struct said o = RUN("report", "--json", "pkg:npm/x");
	pmg_auto(json) struct json_t *json = NULL;
	pmg_auto(json) struct json_t *known = NULL;
	const struct json_t *other, *fault;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_non_null(strstr(all.out, "npm       2 packages, 4 records\n"));
	assert_non_null(strstr(all.out, "other  2        0"));
	assert_int_equal(pmg_json_parse("report", j.out, strlen(j.out), &json, &err), 0);
	assert_int_equal(pmg_json_len(pmg_json_get(json, "feeds")), 2);
	assert_string_equal(pmg_json_str(pmg_json_get(json, "index"), "state"), "stale");
	assert_non_null(strstr(all.out, "\nnewest of other: MAL-1, MAL-2\n"));
	assert_non_null(strstr(all.out, "\nin other 1 file could not be read:\n  bad.json: "));
	other = pmg_json_at(pmg_json_get(json, "feeds"), 1);
	assert_string_equal(pmg_json_text(pmg_json_at(pmg_json_get(other, "newest_ids"), 0)),
			    "MAL-1");
	assert_int_equal(pmg_json_int(other, "unread"), 1);
	fault = pmg_json_at(pmg_json_get(other, "faults"), 0);
	assert_string_equal(pmg_json_str(fault, "path"), "bad.json");
	assert_non_null(pmg_json_str(fault, "reason"));
	assert_true(pmg_str_has_prefix(one.out, "pkg:npm/x@1.0.1: allow, nothing known"));
	assert_non_null(strstr(one.out, "MAL-1  feed   1.0.0"));
	assert_int_equal(pmg_json_parse("report", o.out, strlen(o.out), &known, &err), 0);
	assert_true(pmg_json_len(pmg_json_get(known, "known")) >= 2);
	assert_false(pmg_json_bool(known, "more"));
}

/* Not in any feed: built in, and the user's own. */
static void what_no_index_has_is_told_as_well(void **state)
{
	pmg_auto(said) struct said add =
		RUN("block", "-q", "--reason", "ours", "pkg:npm/%40s/own@2.0.0");
	pmg_auto(said) struct said q = RUN("query", "pkg:npm/event-stream");
	pmg_auto(said) struct said r = RUN("report", "pkg:npm/event-stream");
	pmg_auto(said) struct said v = RUN("report", "pkg:npm/event-stream@3.3.5");
	pmg_auto(said) struct said o = RUN("query", "pkg:npm/%40s/own");
	pmg_auto(said) struct said p = RUN("report", "pkg:npm/%40s/own");
	pmg_auto(said) struct said none = RUN("report", "pkg:npm/left-pad");
	pmg_auto(said) struct said end = RUN("unblock", "-q", "pkg:npm/%40s/own@2.0.0");

	(void)state;
	assert_int_equal(add.status, 0);
	assert_int_equal(end.status, 0);
	assert_non_null(strstr(q.out, "single versions are known to be bad: "
				      "built-in:npm/event-stream\n"));
	assert_true(pmg_str_has_prefix(r.out, "pkg:npm/event-stream: allow, single versions are "
					      "known to be bad\n"));
	assert_non_null(strstr(r.out, "built-in:npm/event-stream  built-in  3.3.6"));
	assert_true(pmg_str_has_prefix(v.out, "pkg:npm/event-stream@3.3.5: allow, nothing known "
					      "against this version\n"));
	assert_non_null(strstr(o.out, "known to be bad: pkg:npm/%40s/own@2.0.0\n"));
	assert_non_null(strstr(p.out, "blocklist  2.0.0     ours"));
	assert_string_equal(none.out, "pkg:npm/left-pad: allow, nothing known against it\n");
}

static void what_is_allowed_is_one_record_of_one_version_with_a_reason(void **state)
{
	pmg_autofree char *path = pmg_path_join(home, ".config/pmg/overrides.yml");
	pmg_auto(said) struct said why = RUN("allow", "pkg:npm/x@1.0.0");
	pmg_auto(said) struct said whole = RUN("allow", "--reason", "r", "pkg:npm/x");
	pmg_auto(said) struct said other =
		RUN("allow", "--reason", "r", "--id", "MAL-77", "pkg:npm/x@1.0.0");
	pmg_auto(said) struct said fine = RUN("allow", "--reason", "r", "pkg:npm/x@1.0.1");
	pmg_auto(said) struct said past =
		RUN("allow", "--reason", "r", "--expires", "2020-01-01", "pkg:npm/x@1.0.0");

	(void)state;
	assert_int_equal(why.status, 121);
	assert_int_equal(whole.status, 121);
	assert_int_equal(other.status, 121);
	assert_int_equal(fine.status, 121);
	assert_int_equal(past.status, 121);
	assert_int_equal(access(path, F_OK), -1);
	{
		pmg_auto(said) struct said s = RUN("allow", "--json", "--reason", "not \033[1mbad",
						   "--expires", "30d", "pkg:npm/x@1.0.0");
		pmg_auto(said) struct said q = RUN("query", "pkg:npm/x@1.0.0");
		pmg_auto(said) struct said again =
			RUN("allow", "--json", "--reason", "r", "pkg:npm/x@1.0.0");

		assert_int_equal(s.status, 0);
		assert_true(pmg_str_has_prefix(s.out, "{\"purl\":\"pkg:npm/x@1.0.0\",\"ids\":["
						      "\"MAL-1\"],"));
		assert_non_null(strstr(s.out, "\"added\":true"));
		assert_true(pmg_str_has_prefix(q.out, "npm x@1.0.0: allow, though on record: "
						      "MAL-1\n"));
		assert_non_null(strstr(q.out, "overrides.yml:5"));
		assert_non_null(strstr(q.out, "not \\x1b[1mbad"));
		assert_non_null(strstr(again.out, "\"added\":false"));
	}
	{
		pmg_auto(said) struct said both =
			RUN("allow", "--remove", "--reason", "r", "pkg:npm/x@1.0.0");
		pmg_auto(said) struct said every = RUN("allow", "--remove", "pkg:npm/x");
		pmg_auto(said) struct said of_two =
			RUN("allow", "--remove", "--id", "MAL-2", "pkg:npm/x@1.0.0");
		pmg_auto(said) struct said r =
			RUN("allow", "--remove", "--json", "pkg:npm/x@1.0.0");
		pmg_auto(said) struct said q = RUN("query", "pkg:npm/x@1.0.0");
		pmg_auto(said) struct said again = RUN("allow", "--remove", "pkg:npm/x@1.0.0");

		assert_int_equal(both.status, 121);
		assert_int_equal(every.status, 121);
		assert_int_equal(of_two.status, 121);
		assert_int_equal(r.status, 0);
		assert_true(pmg_str_has_prefix(r.out, "{\"purl\":\"pkg:npm/x@1.0.0\",\"ids\":["
						      "\"MAL-1\"],\"path\":"));
		assert_non_null(strstr(r.out, "\"removed\":true"));
		assert_true(pmg_str_has_prefix(q.out, "npm x@1.0.0: block, "));
		assert_int_equal(again.status, 121);
		assert_non_null(strstr(again.err, "has no such entry for this version"));
	}
	assert_int_equal(unlink(path), 0);
}

static void a_feed_is_taken_out_again(void **state)
{
	pmg_autofree char *feed = feed_path();
	pmg_auto(said) struct said add = RUN("import", "-q", "--name", "osv-npm", feed);
	pmg_auto(said) struct said with = RUN("import", "--remove", "osv-npm", feed);
	pmg_auto(said) struct said none = RUN("import", "--remove", "osv-pypi");
	pmg_auto(said) struct said out = RUN("import", "--remove", "osv-npm");
	pmg_auto(said) struct said again = RUN("import", "--remove", "osv-npm", "--json");
	pmg_auto(said) struct said status = RUN("status", "--json");

	(void)state;
	assert_int_equal(add.status, 0);
	assert_int_equal(with.status, 121);
	assert_int_equal(none.status, 121);
	assert_non_null(strstr(none.err, "the index has no feed \"osv-pypi\""));
	assert_int_equal(out.status, 0);
	assert_string_equal(out.out, "osv-npm: removed, 2 records; in the index now: 4 records, 2 "
				     "packages\n");
	assert_non_null(strstr(out.err, "osv-npm is one of the feeds that \"pmg intel update\" "));
	assert_int_equal(again.status, 121);
	assert_null(strstr(status.out, "osv-npm"));
	{
		pmg_auto(said) struct said a = RUN("import", "-q", "--name", "mine", feed);
		pmg_auto(said) struct said j = RUN("import", "--remove", "mine", "--json");

		assert_int_equal(a.status, 0);
		assert_true(pmg_str_has_prefix(
			j.out, "{\"feed\":\"mine\",\"removed\":2,\"index\":{\"built\":\""));
		assert_string_equal(j.err, "");
	}
}

static void lines_are_answered_one_by_one(void **state)
{
	static const char in[] = "#ecosystem\tname\tversion\n"
				 "npm\tx\t1.0.0\tBLOCK\tMAL-1\n"
				 "\n"
				 "PyPI\tx\t1.0.0\r\n"
				 "npm\t@s/y\todd\n"
				 "npm\t@s/y";
	static const char *const verdicts[] = { "block", "allow", "indeterminate", "allow" };
	pmg_auto(said) struct said s = run((const char *const[]){ "query", "--stdin", NULL }, in);
	struct pmg_err err = PMG_ERR_INIT;
	char *save, *line = strtok_r(s.out, "\n", &save);
	size_t i;

	(void)state;
	assert_int_equal(s.status, 0);
	for (i = 0; i < PMG_ARRAY_LEN(verdicts); i++) {
		pmg_auto(json) struct json_t *json = NULL;

		assert_non_null(line);
		assert_int_equal(pmg_json_parse("line", line, strlen(line), &json, &err), 0);
		assert_string_equal(pmg_json_str(json, "verdict"), verdicts[i]);
		line = strtok_r(NULL, "\n", &save);
	}
	assert_null(line);
}

static void a_line_that_cannot_be_read_ends_it_with_its_number(void **state)
{
	pmg_auto(said) struct said s = run((const char *const[]){ "query", "--stdin", NULL },
					   "npm\tx\t1.0.0\ncargo\tx\t1\nnpm\tx\t1.0.0\n");
	pmg_auto(said) struct said t =
		run((const char *const[]){ "query", "--stdin", NULL }, "npm x 1.0.0\n");
	pmg_auto(said) struct said v = run((const char *const[]){ "query", "--stdin", NULL },
					   "npm\tx\t1.0.0\nnpm\tx\t1.0\nnpm\tx\t^1.0.0\n");

	(void)state;
	assert_int_equal(s.status, 121);
	assert_non_null(strstr(s.err, "line 2: ecosystem \"cargo\""));
	assert_int_equal(t.status, 121);
	assert_non_null(strstr(t.err, "line 1: no tab"));
	assert_int_equal(v.status, 121);
	assert_non_null(strstr(v.err, "line 3: \"^1.0.0\" is not one exact npm version"));
}

static void block_and_unblock_change_the_answer(void **state)
{
	pmg_autofree char *path = pmg_path_join(home, ".config/pmg/blocklist.yml");
	struct stat st;

	(void)state;
	{
		pmg_auto(said) struct said s =
			RUN("block", "--reason", "not \033[1mus", "pkg:npm/%40s/z");
		pmg_auto(said) struct said q = RUN("query", "pkg:npm/@s/z@7.0.0");

		assert_int_equal(s.status, 0);
		assert_string_equal(s.out, "");
		assert_string_equal(s.err, "pmg: pkg:npm/%40s/z is now blocked, in all versions\n");
		assert_string_equal(q.out,
				    "npm @s/z@7.0.0: block, on your block list: not \\x1b[1mus\n");
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_mode & 07777, 0600);
	}
	{
		pmg_auto(said) struct said s = RUN("block", "pkg:npm/%40s/z");
		pmg_auto(said) struct said t = RUN("block", "--reason", "b", "pkg:npm/%40s/z");

		assert_string_equal(s.err,
				    "pmg: pkg:npm/%40s/z was already blocked, in all versions\n");
		assert_string_equal(t.err, "pmg: pkg:npm/%40s/z is blocked as before, in all "
					   "versions; reason changed\n");
	}
	{
		pmg_auto(said) struct said wrong = RUN("unblock", "pkg:npm/@s/z@7.0.0");
		pmg_auto(said) struct said s = RUN("unblock", "-q", "pkg:npm/@s/z");
		pmg_auto(said) struct said q = RUN("query", "pkg:npm/@s/z@7.0.0");

		assert_int_equal(wrong.status, 121);
		assert_non_null(strstr(wrong.err, "is not on your block list"));
		assert_int_equal(s.status, 0);
		assert_string_equal(s.err, "");
		assert_non_null(strstr(q.out, ": allow, "));
	}
}

static void exact_versions_and_old_names_are_blocked(void **state)
{
	static const char *const purls[] = {
		"pkg:npm/is-even@1.0.0", "pkg:npm/is-even@v1.0.1-rc.1+b", "pkg:npm/JSONStream",
		"pkg:pypi/x@1.0",        "pkg:pypi/x@1!2.0.post1",
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(purls); i++) {
		pmg_auto(said) struct said s = RUN("block", purls[i]);
		pmg_auto(said) struct said q = RUN("query", purls[i]);
		pmg_auto(said) struct said u = RUN("unblock", purls[i]);

		if (s.status != 0 || !strstr(q.out, ": block, ") || u.status != 0)
			fail_msg("%s: %s%s%s", purls[i], s.err, q.out, u.err);
	}
}

static const struct {
	const char *args[6];
	const char *why;
} wrong[] = {
	{ { "query" }, "which package?" },
	{ { "query", "x" }, "does not begin with pkg:" },
	{ { "query", "--name", "x" }, "--ecosystem and --name go together" },
	{ { "query", "--ecosystem", "cargo", "--name", "x" }, "\"cargo\" is not known" },
	{ { "query", "--stdin", "pkg:npm/x" }, "too many questions" },
	{ { "query", "pkg:npm/is-even@^1" }, "\"^1\" is not one exact npm version" },
	{ { "query", "pkg:npm/is-even@latest" }, "\"latest\" is not one exact npm version" },
	{ { "block" }, "too few arguments" },
	{ { "block", "left-pad" }, "does not begin with pkg:" },
	{ { "block", "pkg:npm/is-even@^1" }, "\"^1\" is not one exact npm version" },
	{ { "block", "pkg:npm/is-even@1.0" }, "\"1.0\" is not one exact npm version" },
	{ { "block", "pkg:npm/is-even@v1" }, "\"v1\" is not one exact npm version" },
	{ { "block", "pkg:npm/is-even@1.0.0.1" }, "is not one exact npm version" },
	{ { "block", "pkg:npm/is-even@latest" }, "give one exact version, like 1.0.0, or none" },
	{ { "block", "pkg:pypi/x@1.*" }, "\"1.*\" is not one exact pypi version" },
	{ { "unblock", "pkg:npm/nope" }, "not on your block list" },
	{ { "import", "--name", "a/b", "x" }, "\"a/b\" cannot be the name of a feed" },
	{ { "import", "--name", "a b", "x" }, "letters, digits and -_. , a letter or digit first" },
	{ { "import", "./-.zip" }, "the feed needs a name" },
	{ { "unallow", "pkg:npm/x@1.0.0" }, "\"pmg intel --help\" lists them" },
	{ { "imprt" }, "did you mean \"pmg intel import\"" },
};

static void a_wrong_command_line_is_told_and_changes_nothing(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(wrong); i++) {
		pmg_auto(said) struct said s = run(wrong[i].args, NULL);

		if (s.status != 121 || !strstr(s.err, wrong[i].why))
			fail_msg("%s: %d %s", wrong[i].args[0], s.status, s.err);
		assert_string_equal(s.out, "");
	}
}

static void an_empty_feed_is_said_and_takes_no_full_ones_place(void **state)
{
	static const char none[] = RECORD("GHSA-1", "x", EVER);
	pmg_autofree char *path = pmg_path_join(home, "none.json");

	(void)state;
	folder_write(home, "none.json", none, strlen(none));
	{
		pmg_auto(said) struct said s = RUN("import", "-q", path);
		pmg_auto(said) struct said t = RUN("import", "--name", "feed", path);

		assert_int_equal(s.status, 0);
		assert_string_equal(s.err, "pmg: none: 0 records\n");
		assert_non_null(strstr(s.out, "none: 0 records; in the index now: "));
		assert_int_equal(t.status, 125);
		assert_string_equal(t.out, "");
		assert_non_null(strstr(t.err, "the feed \"feed\" has 2 in the index"));
	}
}

/* Without a signature it takes a word, and it is looked at all the same. */
/* The gates are for feeds of others: what is blocked here, and no more, is a decision. */
static void a_list_of_your_own_is_taken_and_what_looks_wrong_is_said(void **state)
{
	static const char many[] = "schema_version: 1\nblock: [{purl: 'pkg:npm/react'}, {purl: "
				   "'pkg:npm/a'}, {purl: 'pkg:npm/b'}]\n";
	static const char few[] = "schema_version: 1\nblock: [{purl: 'pkg:npm/a'}]\n";
	static const char other[] = "{\"react\": null}";
	pmg_autofree char *path = pmg_path_join(home, "team.yml");
	pmg_autofree char *datadog = pmg_path_join(home, "npm.json");
	pmg_auto(said) struct said s = { 0 };
	pmg_auto(said) struct said t = { 0 };
	pmg_auto(said) struct said o = { 0 };

	(void)state;
	folder_write(home, "team.yml", many, strlen(many));
	s = RUN("import", path);
	assert_int_equal(s.status, 0);
	assert_non_null(strstr(s.err, "pmg: accepted, though all versions of react, which "));
	folder_write(home, "team.yml", few, strlen(few));
	t = RUN("import", path);
	assert_int_equal(t.status, 0);
	assert_non_null(strstr(t.err, "pmg: accepted, though "));
	folder_write(home, "npm.json", other, strlen(other));
	o = RUN("import", datadog);
	assert_int_equal(o.status, 125);
	assert_non_null(strstr(o.err, "[PMG3010]"));
}

static void an_exported_index_can_be_imported(void **state)
{
	pmg_autofree char *file = pmg_path_join(home, "exported.db");
	pmg_auto(said) struct said e = RUN("export", file);
	pmg_auto(said) struct said j = RUN("export", "--json", file);
	pmg_auto(said) struct said r = RUN("import", file);
	pmg_auto(said) struct said n = RUN("import", "--accept", "--name", "x", file);
	pmg_auto(said) struct said t = RUN("import", "--accept", file);
	pmg_auto(said) struct said k = RUN("import", "--accept", "--json", file);

	(void)state;
	assert_int_equal(e.status, 0);
	assert_true(pmg_str_has_prefix(e.out, "wrote "));
	assert_non_null(strstr(e.err, "`pmg intel import --accept "));
	assert_non_null(strstr(j.out, "\"sha256\":\""));
	assert_string_equal(j.err, "");
	assert_int_equal(r.status, 121);
	assert_non_null(strstr(r.err, "an index that nobody has signed"));
	assert_int_equal(n.status, 121);
	assert_int_equal(t.status, 0);
	assert_non_null(strstr(t.out, "in the index now: 5 records, 3 packages\n"));
	assert_non_null(strstr(k.out, "\"index\":{\"built\":\"2026-05-28T20:26:40Z\",\"records\":5,"
				      "\"packages\":3}"));
	assert_int_equal(truncate(file, 8192), 0);
	{
		pmg_auto(said) struct said bad = RUN("import", "--accept", file);
		pmg_auto(said) struct said q = RUN("query", "pkg:npm/x@1.0.0");

		assert_int_equal(bad.status, 125);
		assert_non_null(strstr(q.out, ": block, "));
	}
}

static void a_damaged_index_is_an_error_that_says_what_to_do(void **state)
{
	static const char *const commands[][3] = {
		{ "status", NULL, NULL },
		{ "query", "pkg:npm/x@1.0.0", NULL },
		{ "import", "feed", NULL },
	};
	pmg_autofree char *path = pmg_path_join(home, ".local/state/pmg/intel.db");
	pmg_autofree char *feed = feed_path();
	struct stat st;
	size_t i;

	(void)state;
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(truncate(path, st.st_size / 2), 0);
	for (i = 0; i < PMG_ARRAY_LEN(commands); i++) {
		const char *second = i == 2 ? feed : commands[i][1];
		pmg_auto(said) struct said s =
			run((const char *const[]){ commands[i][0], second, NULL }, NULL);

		assert_int_equal(s.status, 125);
		assert_string_equal(s.out, "");
		assert_non_null(strstr(s.err, "intel.db: "));
		assert_non_null(strstr(s.err, "remove the file and import the feeds again"));
	}
}

CHILD_CONFINED(confine)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_rows_are_in_order),
		cmocka_unit_test(the_man_page_knows_every_command_and_option),
		cmocka_unit_test(without_an_index_it_is_said_and_the_answer_is_allow),
		cmocka_unit_test(import_says_what_became_of_every_file),
		cmocka_unit_test(status_shows_feeds_and_block_list),
		cmocka_unit_test(the_json_of_a_query_has_its_promised_shape),
		cmocka_unit_test(a_query_says_what_is_waived_and_by_which_line),
		cmocka_unit_test(a_query_without_a_version_says_that_single_ones_are_bad),
		cmocka_unit_test(a_report_tells_what_is_known),
		cmocka_unit_test(what_no_index_has_is_told_as_well),
		cmocka_unit_test(what_is_allowed_is_one_record_of_one_version_with_a_reason),
		cmocka_unit_test(a_feed_is_taken_out_again),
		cmocka_unit_test(lines_are_answered_one_by_one),
		cmocka_unit_test(a_line_that_cannot_be_read_ends_it_with_its_number),
		cmocka_unit_test(block_and_unblock_change_the_answer),
		cmocka_unit_test(exact_versions_and_old_names_are_blocked),
		cmocka_unit_test(a_wrong_command_line_is_told_and_changes_nothing),
		cmocka_unit_test(an_empty_feed_is_said_and_takes_no_full_ones_place),
		cmocka_unit_test(a_list_of_your_own_is_taken_and_what_looks_wrong_is_said),
		cmocka_unit_test(an_exported_index_can_be_imported),
		cmocka_unit_test(a_damaged_index_is_an_error_that_says_what_to_do),
	};

	if (in_child(confine, false) != 0) /* then no feed is read */
		return child_skip("a process cannot be confined here");
	return cmocka_run_group_tests(tests, setup, teardown);
}
