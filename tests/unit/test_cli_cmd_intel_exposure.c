/* `pmg audit exposure` asked of ledgers that a test wrote. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../helper/folder.h"
#include "../helper/intel.h"
#include "../helper/records.h"
#include "base/json.h"
#include "base/str.h"
#include "violation/ledger.h"

static char *home;

static int setup(void **state)
{
	static const char list[] = "schema_version: 1\nblock:\n  - {purl: \"pkg:npm/bad@1.0.0\", "
				   "reason: \"it \\e[1mis\"}\n";

	(void)state;
	home = folder_new();
	folder_write(home, ".config/pmg/blocklist.yml", list, strlen(list));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	folder_free(home);
	return 0;
}

static void judged(struct pmg_record *record, const char *name, const char *verdict)
{
	struct pmg_wire_judged m = {
		.eco = pmg_xstrdup("npm"),
		.name = pmg_xstrdup(name),
		.version = pmg_xstrdup("1.0.0"),
		.verdict = pmg_xstrdup(verdict),
		.url = pmg_xstrdup("https://registry.test/x"),
	};

	(void)pmg_record_judged(record, &m);
}

/* A run that let in `name` and refused "bad". @param reach  between spaces */
static void wrote_run(const char *id, int64_t started, const char *name, const char *profile,
		      const char *const *reach)
{
	pmg_autofree char *path = pmg_path_join(home, ".local/state/pmg/ledger.db");
	pmg_auto(record) struct pmg_record record = { .started = started, .ended = started + 1 };
	static const struct pmg_ledger_keep keep = { 0, 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)snprintf(record.id, sizeof record.id, "%s", id);
	record.tool = pmg_xstrdup("npm");
	record.cwd = pmg_xstrdup("/home/u/p");
	record.profile = pmg_xstrdup(profile);
	record.fingerprint = pmg_xstrdup(id);
	for (; reach && *reach; reach++)
		pmg_strv_add(&record.reach, *reach);
	judged(&record, name, "allow");
	judged(&record, "worse", "block");
	records_must(pmg_ledger_write(path, &record, &keep, &err), &err);
}

#define EXPOSURE(...)                                                                              \
	said_run(home, "audit", (const char *const[]){ "exposure", __VA_ARGS__, NULL }, NULL)

static void without_a_ledger_or_a_listed_package_nothing_is_exposed(void **state)
{
	pmg_auto(said) struct said none = EXPOSURE(NULL);
	pmg_auto(said) struct said some = { 0 };
	pmg_auto(said) struct said json = { 0 };

	(void)state;
	assert_int_equal(none.status, 0);
	assert_string_equal(none.out, "");
	wrote_run("r-1", 100, "good", "npm", NULL);
	some = EXPOSURE(NULL);
	assert_int_equal(some.status, 0);
	assert_string_equal(some.out, "");
	assert_string_equal(some.err,
			    "pmg: 1 package on record, 0 of them listed now, in 0 runs\n");
	json = EXPOSURE("--json");
	assert_string_equal(json.out, "[]\n");
}

static void what_every_run_has_is_not_listed_one_by_one(void **state)
{
	static const char *const reach[] = { "built-in write=/dev/null",
					     "built-in write=/tmp/**",
					     "built-in write=/home/u/p/node_modules/**",
					     "built-in write=/home/u/.npm/**",
					     "built-in net-connect=registry",
					     "read=/home/u/.ssh/id_x",
					     "write=/home/u/p/out/**",
					     NULL };
	pmg_auto(said) struct said s = { 0 };
	pmg_auto(said) struct said j = { 0 };
	pmg_auto(json) struct json_t *json = NULL;
	const struct json_t *run;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	wrote_run("r-1", 100, "bad", "npm", reach);
	s = EXPOSURE("-q");
	assert_int_equal(s.status, 1);
	assert_string_equal(
		s.out, "bad@1.0.0 (npm): on your block list [PMG3006]\n"
		       "  r-1 1970-01-01T00:01:40Z: npm in /home/u/p, profile npm; scripts could "
		       "reach\n"
		       "    write=/home/u/.npm/**\n"
		       "    net-connect=registry\n"
		       "    read=/home/u/.ssh/id_x\n"
		       "    write=/home/u/p/out/**\n"
		       "    and its own folder, temporary files and devices\n");
	assert_string_equal(s.err, "");
	j = EXPOSURE("--json");
	assert_int_equal(j.status, 1);
	assert_int_equal(pmg_json_parse("exposure", j.out, strlen(j.out), &json, &err), 0);
	assert_string_equal(pmg_json_str(pmg_json_at(json, 0), "note"), "it \033[1mis");
	run = pmg_json_at(pmg_json_get(pmg_json_at(json, 0), "runs"), 0);
	assert_int_equal(pmg_json_len(pmg_json_get(run, "reach")), 7);
	assert_string_equal(pmg_json_text(pmg_json_at(pmg_json_get(run, "reach"), 0)),
			    "write=/dev/null");
	assert_int_equal(pmg_json_len(pmg_json_get(run, "added")), 2);
	assert_true(pmg_json_bool(run, "walls"));
}

static void runs_without_walls_or_without_a_list_say_so(void **state)
{
	pmg_auto(said) struct said s = { 0 };

	(void)state;
	wrote_run("r-2", 200, "bad", "none", NULL);
	wrote_run("r-1", 100, "bad", "npm", NULL);
	s = EXPOSURE(NULL);
	assert_int_equal(s.status, 1);
	assert_string_equal(
		s.out, "bad@1.0.0 (npm): on your block list [PMG3006]\n"
		       "  r-1 1970-01-01T00:01:40Z: npm in /home/u/p, profile npm; scripts could "
		       "reach\n"
		       "    what it could reach was not kept\n"
		       "  r-2 1970-01-01T00:03:20Z: npm in /home/u/p, profile none; scripts could "
		       "reach\n"
		       "    it had no walls: all that you could\n");
	assert_string_equal(s.err, "pmg: 1 package on record, 1 of them listed now, in 2 runs\n");
}

static void a_damaged_ledger_is_an_error(void **state)
{
	pmg_auto(said) struct said s = { 0 };

	(void)state;
	folder_write(home, ".local/state/pmg/ledger.db", "no database, but some text", 26);
	s = EXPOSURE("--json");
	assert_int_equal(s.status, 125);
	assert_string_equal(s.out, "");
	assert_non_null(strstr(s.err, "ledger.db"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(without_a_ledger_or_a_listed_package_nothing_is_exposed),
		TEST(what_every_run_has_is_not_listed_one_by_one),
		TEST(runs_without_walls_or_without_a_list_say_so),
		TEST(a_damaged_ledger_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
