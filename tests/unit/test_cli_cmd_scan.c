/* pmg-intel as it was built, in a home of its own. */
#include "cli/cmd_scan.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "../helper/folder.h"
#include "base/json.h"
#include "base/str.h"

#define CLEAN  "{\"packages\": {\"node_modules/good\": {\"version\": \"1.0.0\"}}}"
#define LISTED "{\"packages\": {\"\": {},\n\"node_modules/bad\": {\"version\": \"1.0.0\"}}}"

static char *home;
static const char *ci = "false";

/* Runs it in the project. @return exit status; *out is what it printed */
static int scan(const char *a, const char *b, char **out)
{
	pmg_autofree char *project = pmg_path_join(home, "p");
	pmg_autofree char *self = pmg_path_real("./pmg-intel");
	pmg_autofree char *path = pmg_path_join(home, "out");
	struct pmg_err err = PMG_ERR_INIT;
	size_t len = 0;
	int status = 0;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

		(void)setenv("HOME", home, 1);
		(void)setenv("CI", ci, 1);
		(void)unsetenv("XDG_STATE_HOME");
		(void)unsetenv("XDG_CONFIG_HOME");
		if (fd < 0 || dup2(fd, 1) < 0 || chdir(project) < 0)
			_exit(126);
		(void)execl(self, "pmg-intel", "-q", "scan", a, b, (char *)NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(pmg_io_slurp(path, 1U << 20, out, &len, &err), 0);
	return WEXITSTATUS(status);
}

static void put(const char *name, const char *text)
{
	folder_write(home, name, text, strlen(text));
}

static int set_up(void **state)
{
	(void)state;
	home = folder_new();
	put(".config/pmg/blocklist.yml",
	    "schema_version: 1\nblock:\n  - {purl: \"pkg:npm/bad@1.0.0\", reason: \"it is\"}\n");
	put("p/package-lock.json", CLEAN);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	folder_free(home);
	return 0;
}

static void a_clean_tree_is_silent(void **state)
{
	pmg_autofree char *out = NULL;

	(void)state;
	assert_int_equal(scan(NULL, NULL, &out), 0);
	assert_string_equal(out, "");
}

static void what_is_listed_is_named_with_its_line(void **state)
{
	pmg_autofree char *out = NULL, *none = NULL, *one = NULL;

	(void)state;
	put("p/deep/package-lock.json", LISTED);
	put("p/odd/bun.lock", "{");
	assert_int_equal(scan(NULL, NULL, &out), 1);
	assert_non_null(strstr(out, "./deep/package-lock.json:2: bad@1.0.0 (npm): on your block "
				    "list: it is [PMG3006]\n"));
	assert_non_null(strstr(out, "./odd/bun.lock:"));
	assert_non_null(strstr(out, "[PMG3008]\n"));
	/* One that cannot be read is enough; a file that is clean is not made bad by others. */
	assert_int_equal(scan("odd", NULL, &none), 1);
	assert_int_equal(scan("package-lock.json", NULL, &one), 0);
}

static void json_has_all_of_it(void **state)
{
	pmg_auto(json) struct json_t *json = NULL;
	const struct json_t *hit;
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *out = NULL;

	(void)state;
	put("p/deep/package-lock.json", LISTED);
	assert_int_equal(scan("--json", "deep", &out), 1);
	assert_int_equal(pmg_json_parse("out", out, strlen(out), &json, &err), 0);
	assert_int_equal(pmg_json_int(json, "packages"), 1);
	hit = pmg_json_at(pmg_json_get(json, "findings"), 0);
	assert_string_equal(pmg_json_str(hit, "file"), "deep/package-lock.json");
	assert_int_equal(pmg_json_int(hit, "line"), 2);
	assert_string_equal(pmg_json_str(hit, "code"), "PMG3006");
	assert_string_equal(pmg_json_str(hit, "verdict"), "block");
}

/* Of what the policy on packages lets in, too: by which record it would have been listed. */
static void what_was_waived_has_its_record(void **state)
{
	pmg_auto(json) struct json_t *json = NULL;
	const struct json_t *one;
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *out = NULL, *listed = NULL;

	(void)state;
	put("p/package-lock.json",
	    "{\"packages\": {\"node_modules/event-stream\": {\"version\": \"3.3.6\"}}}");
	assert_int_equal(scan("--json", NULL, &listed), 1);
	put(".config/pmg/config.yml", "schema_version: 1\ntrusted_packages:\n"
				      "  - {purl: \"pkg:npm/event-stream\", reason: read}\n");
	assert_int_equal(scan("--json", NULL, &out), 0);
	assert_int_equal(pmg_json_parse("out", out, strlen(out), &json, &err), 0);
	assert_int_equal(pmg_json_len(pmg_json_get(json, "findings")), 0);
	one = pmg_json_at(pmg_json_get(json, "let_in"), 0);
	assert_string_equal(pmg_json_str(one, "verdict"), "allow");
	assert_null(pmg_json_str(one, "reason"));
	assert_int_equal(pmg_json_len(pmg_json_get(one, "ids")), 1);
	assert_non_null(strstr(pmg_json_text(pmg_json_at(pmg_json_get(one, "waivers"), 0)),
			       "waived by trusted_packages pkg:npm/event-stream"));
	assert_string_equal(pmg_json_str(one, "file"), "./package-lock.json");
	assert_int_equal(pmg_json_len(pmg_json_get(json, "waived")), 1);
}

static void sarif_names_rule_and_place(void **state)
{
	pmg_auto(json) struct json_t *json = NULL;
	const struct json_t *run, *result, *place;
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *out = NULL;

	(void)state;
	put("p/a b/package-lock.json", LISTED);
	assert_int_equal(scan("--sarif", NULL, &out), 1);
	assert_int_equal(pmg_json_parse("out", out, strlen(out), &json, &err), 0);
	assert_string_equal(pmg_json_str(json, "version"), "2.1.0");
	run = pmg_json_at(pmg_json_get(json, "runs"), 0);
	result = pmg_json_at(pmg_json_get(run, "results"), 0);
	assert_string_equal(pmg_json_str(result, "ruleId"), "PMG3006");
	place = pmg_json_get(pmg_json_at(pmg_json_get(result, "locations"), 0), "physicalLocation");
	assert_string_equal(pmg_json_str(pmg_json_get(place, "artifactLocation"), "uri"),
			    "a%20b/package-lock.json");
	assert_int_equal(pmg_json_int(pmg_json_get(place, "region"), "startLine"), 2);
}

static void what_is_not_there_is_a_wrong_command_line(void **state)
{
	pmg_autofree char *out = NULL, *both = NULL;

	(void)state;
	assert_int_equal(scan("nowhere", NULL, &out), PMG_EXIT_CONFIG);
	assert_int_equal(scan("--json", "--sarif", &both), PMG_EXIT_CONFIG);
}

/* Where nobody reads a warning, a scan that knows of nothing is no pass. */
static void without_an_index_it_ends_as_a_run_does(void **state)
{
	pmg_autofree char *out = NULL, *sarif = NULL, *chosen = NULL, *warned = NULL;

	(void)state;
	ci = "true";
	assert_int_equal(scan(NULL, NULL, &out), PMG_EXIT_UNAVAILABLE);
	assert_string_equal(out, "");
	assert_int_equal(scan("--sarif", NULL, &sarif), PMG_EXIT_UNAVAILABLE);
	assert_string_equal(sarif, "");
	put(".config/pmg/config.yml", "schema_version: 1\nintel: {on_missing: warn}\n");
	assert_int_equal(scan(NULL, NULL, &warned), 0);
	ci = "false";
	put(".config/pmg/config.yml", "schema_version: 1\nintel: {on_missing: block}\n");
	assert_int_equal(scan("--json", NULL, &chosen), PMG_EXIT_UNAVAILABLE);
	assert_string_equal(chosen, "");
}

int main(void)
{
#define ROW(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		ROW(a_clean_tree_is_silent),
		ROW(what_is_listed_is_named_with_its_line),
		ROW(json_has_all_of_it),
		ROW(what_was_waived_has_its_record),
		ROW(sarif_names_rule_and_place),
		ROW(without_an_index_it_ends_as_a_run_does),
		ROW(what_is_not_there_is_a_wrong_command_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
