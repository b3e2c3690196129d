#include "run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/env.h"
#include "base/io.h"
#include "base/json.h"
#include "base/path.h"
#include "base/str.h"
#include "policy/plan.h"
#include "tests/helper/stage.h"
#include "violation/ledger.h"

static void run(const char *words, const char *const *args, struct stage_run *out)
{
	pmg_auto(strv) struct pmg_strv env = { 0 };

	stage_env(&env, words);
	stage_wait(stage_start(&env, args), out);
	assert_int_equal(stage_living(), 0);
	assert_int_equal(stage_folders(), 0);
}

static const struct {
	const char *words;
	const char *args[4];
	int exit;   /* or */
	int signal; /* that ended the front */
} ends[] = {
	{ "allow", { "install" }, 0, 0 },
	{ "allow", { "install", "exit", "3" }, 3, 0 },
	{ "allow", { "run", "exit", "255" }, 255, 0 },
	{ "allow", { "run", "signal", "15" }, 0, SIGTERM },
	{ "allow", { "run", "signal", "9" }, 0, SIGKILL },
	{ "allow", { "run", "signal", "2" }, 0, SIGINT },
	{ "allow", { "run", "signal", "3" }, 0, SIGQUIT },
	{ "allow/block", { "install" }, 1, 0 },
	{ "block", { "install", "exit", "7" }, 7, 0 },
	{ "block", { "install", "signal", "15" }, 0, SIGTERM },
	{ "plain", { "plain", "exit", "5" }, 5, 0 },
	{ "plain", { "plain", "signal", "15" }, 0, SIGTERM },
};

static void the_front_ends_as_the_tool_or_with_1_where_a_package_was_withheld(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(ends); i++) {
		struct stage_run out = { 0 };

		run(ends[i].words, ends[i].args, &out);
		if (ends[i].signal) {
			assert_true(WIFSIGNALED(out.status));
			assert_int_equal(WTERMSIG(out.status), ends[i].signal);
			assert_false(WCOREDUMP(out.status));
		} else {
			assert_true(WIFEXITED(out.status));
			assert_int_equal(WEXITSTATUS(out.status), ends[i].exit);
		}
		assert_string_equal(out.said, "");
		stage_run_done(&out);
	}
}

static void a_plain_verb_becomes_the_tool_and_starts_nothing(void **state)
{
	static const char *const args[] = { "plain", "pid", NULL };
	pmg_auto(strv) struct pmg_strv env = { 0 };
	struct stage_run out = { 0 };
	pid_t pid;

	(void)state;
	stage_env(&env, "allow");
	pid = stage_start(&env, args);
	stage_wait(pid, &out);
	assert_int_equal(out.r, 1);
	assert_int_equal(out.proxies, 0);
	assert_int_equal(atoi(out.out), pid);
	stage_run_done(&out);
}

/* Lines of "env" that are not in the environment of the run, names only. */
static void added_names(const char *text, const struct pmg_strv *env, struct pmg_strv *names)
{
	pmg_autofree char *copy = pmg_xstrdup(text);
	char *rest = copy, *line;

	while ((line = strsep(&rest, "\n")))
		if (*line && !pmg_strv_has(env, line)) {
			line[strcspn(line, "=")] = '\0';
			pmg_strv_add(names, line);
		}
	pmg_strv_sort(names);
}

static void the_tool_gets_the_users_environment_and_what_points_it_to_the_proxy(void **state)
{
	static const char *const args[] = { "install", "env", NULL };
	static const char *const plain[] = { "plain", "env", NULL };
	static const char *const expected[] = { "FAKE_BUNDLE", "FAKE_LOOPBACK", "FAKE_PROXY",
						"PMG_RUN", "PMG_VIA" };
	pmg_auto(strv) struct pmg_strv env = { 0 };
	pmg_auto(strv) struct pmg_strv names = { 0 };
	pmg_auto(strv) struct pmg_strv plain_names = { 0 };
	struct stage_run out = { 0 }, plain_out = { 0 };
	size_t i;

	(void)state;
	stage_env(&env, "allow");
	pmg_strv_add(&env, "ODD=a=b");
	stage_wait(stage_start(&env, args), &out);
	added_names(out.out, &env, &names);
	assert_int_equal(names.n, PMG_ARRAY_LEN(expected));
	for (i = 0; i < names.n; i++)
		assert_string_equal(names.v[i], expected[i]);
	assert_non_null(strstr(out.out, "FAKE_LOOPBACK=no\n"));
	assert_non_null(strstr(out.out, "FAKE_PROXY=http://pmg:"));
	assert_non_null(strstr(out.out, "ODD=a=b\n"));
	stage_wait(stage_start(&env, plain), &plain_out);
	added_names(plain_out.out, &env, &plain_names);
	assert_int_equal(plain_names.n, 1);
	assert_string_equal(plain_names.v[0], "PMG_VIA");
	stage_run_done(&out);
	stage_run_done(&plain_out);
}

static const struct {
	const char *words;
	int r, diag;
	const char *msg;
} failures[] = {
	{ "fail", -PMG_E_NETWORK, 4004, "pmg-proxy did not start: upstream cannot be reached" },
	{ "quit", -PMG_E_PEER, 4019, "pmg-proxy did not start: pmg-proxy ended with status 3" },
	{ "nonsense", -PMG_E_PEER, 0, "pmg-proxy did not start: pmg-proxy sent message 99" },
};

static void a_proxy_that_does_not_start_means_no_tool(void **state)
{
	static const char *const args[] = { "install", "env", NULL };
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(failures); i++) {
		struct stage_run out = { 0 };

		run(failures[i].words, args, &out);
		assert_int_equal(out.r, failures[i].r);
		assert_int_equal(out.diag, failures[i].diag);
		assert_string_equal(out.err, failures[i].msg);
		assert_string_equal(out.out, "");
		stage_run_done(&out);
	}
}

static void a_proxy_that_is_not_there_or_not_ours_means_no_tool(void **state)
{
	static const char *const args[] = { "install", "env", NULL };
	pmg_autofree char *proxy = stage_path("bin/pmg-proxy");
	pmg_autofree char *away = stage_path("bin/away");
	struct stage_run gone = { 0 }, open_to_all = { 0 };

	(void)state;
	assert_int_equal(rename(proxy, away), 0);
	run("allow", args, &gone);
	assert_int_equal(gone.r, -PMG_E_NOTFOUND);
	assert_int_equal(gone.errnum, 0);
	assert_string_equal(gone.out, "");
	assert_int_equal(rename(away, proxy), 0);
	assert_int_equal(chmod(proxy, 0757), 0);
	run("allow", args, &open_to_all);
	assert_int_equal(open_to_all.r, -PMG_E_UNSUPPORTED);
	assert_string_equal(open_to_all.out, "");
	assert_int_equal(chmod(proxy, 0755), 0);
	stage_run_done(&gone);
	stage_run_done(&open_to_all);
}

static void without_an_index_one_line_is_said_or_nothing_is_run(void **state)
{
	static const char *const args[] = { "install", "env", NULL };
	static const char config[] = "schema_version: 1\nintel: {on_missing: block}\n";
	pmg_autofree char *path = stage_path("home/.config/pmg/config.yml");
	pmg_autofree char *dir = pmg_path_dir(path);
	struct stage_run warned = { 0 }, unneeded = { 0 }, refused = { 0 }, old = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	run("noindex", args, &unneeded);
	assert_string_equal(unneeded.said, ""); /* no package was fetched */
	run("noindex/allow", args, &warned);
	assert_int_equal(warned.r, 0);
	assert_string_equal(warned.said, "note: no malware index yet, only the block list and the "
					 "built-in list are checked; "
					 "\"pmg intel update\" fetches one\n");
	assert_string_not_equal(warned.out, "");
	run("stale/allow", args, &old);
	assert_int_equal(old.r, 0);
	assert_string_equal(old.said,
			    "note: the malware index was last brought up to date 8 days ago, "
			    "intel.max_age is 7 days: \"pmg intel update\" does it\n");
	assert_int_equal(pmg_io_mkdirs(dir, 0700, &err), 0);
	assert_int_equal(pmg_io_replace(path, config, strlen(config), 0600, &err), 0);
	run("noindex", args, &refused);
	assert_int_equal(refused.r, -PMG_E_UNSUPPORTED);
	assert_int_equal(refused.diag, 3007);
	assert_string_equal(refused.out, "");
	assert_int_equal(unlink(path), 0);
	stage_run_done(&warned);
	stage_run_done(&old);
	stage_run_done(&unneeded);
	stage_run_done(&refused);
}

static void a_broken_configuration_means_no_tool(void **state)
{
	static const char *const args[] = { "install", "env", NULL };
	pmg_autofree char *path = stage_path("home/.config/pmg/config.yml");
	struct stage_run out = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_io_replace(path, "nonsense: 1\n", 12, 0600, &err), 0);
	run("allow", args, &out);
	assert_int_equal(out.r, -PMG_E_CONFIG);
	assert_int_equal(out.proxies, 0);
	assert_string_equal(out.out, "");
	assert_int_equal(unlink(path), 0);
	stage_run_done(&out);
}

static void when_the_proxy_is_lost_the_tool_is_ended(void **state)
{
	static const char *const args[] = { "install", "connect", NULL };
	struct stage_run out = { 0 };

	(void)state;
	run("die", args, &out);
	assert_int_equal(out.r, -PMG_E_PEER);
	assert_int_equal(out.diag, 4019);
	assert_string_equal(out.err, "pmg-proxy was ended by signal 9 (Killed)");
	assert_int_equal(WEXITSTATUS(out.status), 125);
	assert_true(out.took_ms < 2000);
	stage_run_done(&out);
}

static void a_proxy_that_does_not_tell_all_makes_the_run_fail(void **state)
{
	static const char *const args[] = { "install", NULL };
	static const char *const killed[] = { "install", "signal", "15", NULL };
	struct stage_run out = { 0 }, signaled = { 0 };

	(void)state;
	run("deaf", args, &out);
	assert_int_equal(out.r, -PMG_E_TIMEOUT);
	assert_int_equal(WEXITSTATUS(out.status), 125);
	assert_true(out.took_ms < 4000);
	/* Ended by a signal, it fails anyway, and at once. */
	run("deaf", killed, &signaled);
	assert_true(WIFSIGNALED(signaled.status));
	assert_string_equal(signaled.said, "fault: no answer from pmg-proxy\n");
	assert_true(signaled.took_ms < 2000);
	stage_run_done(&out);
	stage_run_done(&signaled);
}

static void what_the_tool_leaves_behind_is_ended(void **state)
{
	static const char *const args[] = { "run", "daemon", NULL };
	struct stage_run out = { 0 };

	(void)state;
	run("allow", args, &out);
	assert_int_equal(out.r, 0);
	assert_true(out.took_ms < 2000);
	stage_run_done(&out);
}

static void signals_to_the_front_alone_reach_the_tool(void **state)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR1 };
	static const char *const args[] = { "install", "hang", NULL };
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(signals); i++) {
		pmg_auto(strv) struct pmg_strv env = { 0 };
		pmg_autofree char *hanging = NULL;
		struct stage_run out = { 0 };
		pid_t front;

		stage_env(&env, "allow");
		front = stage_start(&env, args);
		hanging = stage_await("hanging");
		assert_string_equal(hanging, "x");
		assert_int_equal(kill(front, signals[i]), 0);
		stage_wait(front, &out);
		assert_true(WIFSIGNALED(out.status));
		assert_int_equal(WTERMSIG(out.status), signals[i]);
		assert_true(out.took_ms < 2000);
		assert_int_equal(stage_living(), 0);
		assert_int_equal(stage_folders(), 0);
		stage_run_done(&out);
	}
}

static void request_end(const char *const *args, int requests, unsigned most_ms)
{
	pmg_auto(strv) struct pmg_strv env = { 0 };
	pmg_autofree char *hanging = NULL;
	struct stage_run out = { 0 };
	pid_t front;

	stage_env(&env, "allow");
	front = stage_start(&env, args);
	hanging = stage_await("hanging");
	for (; requests > 0; requests--) {
		assert_int_equal(kill(front, SIGINT), 0);
		(void)usleep(100000);
	}
	stage_wait(front, &out);
	assert_true(out.took_ms < most_ms);
	assert_int_equal(stage_living(), 0);
	stage_run_done(&out);
}

/* npm goes on after Ctrl-C while it waits for a slow registry. */
static void an_install_that_is_asked_to_end_ends(void **state)
{
	static const char *const args[] = { "install", "count", NULL };

	(void)state;
	request_end(args, 1, 3500);
	request_end(args, 2, 3000);
}

static void asked_to_end_before_the_tool_starts_the_front_just_ends(void **state)
{
	static const char *const args[] = { "install", "env", NULL };
	pmg_auto(strv) struct pmg_strv env = { 0 };
	pmg_autofree char *proxies = NULL;
	struct stage_run out = { 0 };
	pid_t front;

	(void)state;
	stage_env(&env, "mute");
	front = stage_start(&env, args);
	proxies = stage_await("proxies");
	assert_int_equal(kill(front, SIGTERM), 0);
	stage_wait(front, &out);
	assert_true(WIFSIGNALED(out.status));
	assert_int_equal(WTERMSIG(out.status), SIGTERM);
	assert_string_equal(out.out, "");
	assert_int_equal(stage_living(), 0);
	assert_int_equal(stage_folders(), 0);
	stage_run_done(&out);
}

static void asked_to_end_while_the_manager_is_asked_the_front_just_ends(void **state)
{
	static const char *const args[] = { "install", "env", NULL };
	pmg_auto(strv) struct pmg_strv env = { 0 };
	pmg_autofree char *asked = NULL;
	struct stage_run out = { 0 };
	pid_t front;

	(void)state;
	stage_env(&env, "allow");
	pmg_env_set(&env, "FAKE_SLOW", "1");
	front = stage_start(&env, args);
	asked = stage_await("asked");
	assert_int_equal(kill(front, SIGINT), 0);
	stage_wait(front, &out);
	assert_true(WIFSIGNALED(out.status));
	assert_int_equal(WTERMSIG(out.status), SIGINT);
	assert_true(out.took_ms < 2000);
	assert_int_equal(stage_living(), 0);
	assert_int_equal(stage_folders(), 0);
	stage_run_done(&out);
}

static void a_killed_front_leaves_neither_proxy_nor_tool_nor_folder(void **state)
{
	static const char *const args[] = { "install", "hang", NULL };
	pmg_auto(strv) struct pmg_strv env = { 0 };
	pmg_autofree char *hanging = NULL;
	struct stage_run out = { 0 };
	pid_t front;
	int i;

	(void)state;
	stage_env(&env, "allow");
	front = stage_start(&env, args);
	hanging = stage_await("hanging");
	assert_int_equal(stage_living(), 2);
	assert_int_equal(kill(front, SIGKILL), 0);
	stage_wait(front, &out);
	for (i = 0; i < 200 && (stage_living() > 0 || stage_folders() > 0); i++)
		(void)usleep(10000);
	assert_int_equal(stage_living(), 0);
	assert_int_equal(stage_folders(), 0);
	stage_run_done(&out);
}

static void a_run_within_a_run_uses_its_proxy(void **state)
{
	static const char *const same[] = { "run", "nest", "install", "env", NULL };
	struct stage_run out = { 0 };

	(void)state;
	run("allow/block", same, &out);
	assert_int_equal(out.proxies, 1);
	assert_non_null(strstr(out.out, "FAKE_PROXY=http://pmg:"));
	assert_int_equal(WEXITSTATUS(out.status), 1); /* the outer run has seen the block */
	stage_run_done(&out);
}

static void a_run_within_a_dead_or_foreign_run_has_its_own(void **state)
{
	static const char *const args[] = { "install", "env", NULL };
	static const char *const folders[] = { "/nowhere", "", "relative", "/tmp" };
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(folders); i++) {
		pmg_auto(strv) struct pmg_strv env = { 0 };
		struct stage_run out = { 0 };

		stage_env(&env, "allow");
		pmg_env_set(&env, "PMG_RUN", folders[i]);
		stage_wait(stage_start(&env, args), &out);
		assert_int_equal(out.proxies, 1);
		assert_int_equal(out.r, 0);
		stage_run_done(&out);
	}
}

static void the_ledger_gets_what_happened_and_a_broken_one_changes_nothing(void **state)
{
	static const char *const args[] = { "install", NULL };
	static const struct pmg_ledger_query query = { .limit = 1 };
	pmg_autofree char *path = stage_path("home/.local/state/pmg/ledger.db");
	pmg_autofree char *log = pmg_xasprintf("%s-wal", path); /* in which all of it stands */
	pmg_auto(json) struct json_t *list = NULL;
	pmg_autofree char *text = NULL;
	struct stage_run first = { 0 }, second = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	run("allow/block/tunnel/trouble", args, &first);
	assert_int_equal(pmg_ledger_list(path, &query, &list, &err), 0);
	text = pmg_json_dump(list);
	assert_non_null(strstr(text, "\"name\":\"evil\""));
	assert_non_null(strstr(text, "\"target\":\"h.test:443\""));
	assert_non_null(strstr(text, "\"what\":\"no way\""));
	assert_non_null(strstr(text, "\"exit\":1"));
	assert_int_equal(unlink(log), 0);
	assert_int_equal(pmg_io_replace(path, "not a database at all, but a text", 33, 0600, &err),
			 0);
	run("allow/block", args, &second);
	assert_int_equal(second.r, 0);
	assert_int_equal(WEXITSTATUS(second.status), 1);
	assert_true(pmg_str_has_prefix(second.said, "fault: this run is not in the ledger: "));
	assert_int_equal(unlink(path), 0);
	stage_run_done(&first);
	stage_run_done(&second);
}

static void a_run_without_walls_is_in_the_ledger_whatever_it_fetched(void **state)
{
	static const char *const args[] = { "run", NULL };
	pmg_autofree char *path = stage_path("home/.local/state/pmg/ledger.db");
	const struct pmg_ledger_query query = { .limit = 1 };
	pmg_auto(json) struct json_t *runs = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	struct stage_run out = { 0 };

	(void)state;
	(void)unlink(path);
	run("nothing", args, &out);
	assert_int_equal(out.r, 0);
	assert_int_equal(pmg_ledger_list(path, &query, &runs, &err), 0);
	assert_string_equal(pmg_json_str(pmg_json_at(runs, 0), "profile"), "none");
	stage_run_done(&out);
}

static void the_tool_that_is_not_there_is_told_from_one_that_cannot_run(void **state)
{
	static const char *const args[] = { "install", NULL };
	pmg_auto(strv) struct pmg_strv env = { 0 };
	struct stage_run out = { 0 };

	(void)state;
	stage_env(&env, "allow");
	pmg_env_set(&env, "PATH", "/nowhere");
	stage_wait(stage_start(&env, args), &out);
	assert_int_equal(out.r, -PMG_E_NOTFOUND);
	assert_int_equal(out.errnum, ENOENT);
	assert_int_equal(out.proxies, 0);
	stage_run_done(&out);
}

static void silent(void *arg, enum pmg_say kind, const char *line)
{
	(void)arg;
	(void)kind;
	(void)line;
}

static void the_plan_shows_where_packages_come_from(void **state)
{
	char npm[] = "npm", install[] = "install", plain[] = "plain";
	char *argv[] = { npm, install, NULL };
	pmg_auto(strv) struct pmg_strv env = { 0 };
	struct pmg_run_want want = {
		.tool = "npm", .argv = argv, .env = &env, .no_sandbox = true, .say = silent
	};
	pmg_auto(plan) struct pmg_plan *plan = NULL;
	pmg_autofree char *text = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	stage_env(&env, "allow");
	assert_int_equal(pmg_run_plan(&want, &plan, &err), 0);
	text = pmg_plan_text(plan);
	assert_non_null(strstr(text, "fetch http://registry.test/allow/  "
				     "(registry: environment FAKE_REGISTRY) by proxy\n"));
	assert_non_null(strstr(text, "tunnel *  "));
	pmg_plan_free(plan);
	plan = NULL;
	argv[1] = plain;
	assert_int_equal(pmg_run_plan(&want, &plan, &err), 0);
	assert_null(plan);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_front_ends_as_the_tool_or_with_1_where_a_package_was_withheld),
		cmocka_unit_test(a_plain_verb_becomes_the_tool_and_starts_nothing),
		cmocka_unit_test(
			the_tool_gets_the_users_environment_and_what_points_it_to_the_proxy),
		cmocka_unit_test(a_proxy_that_does_not_start_means_no_tool),
		cmocka_unit_test(a_proxy_that_is_not_there_or_not_ours_means_no_tool),
		cmocka_unit_test(without_an_index_one_line_is_said_or_nothing_is_run),
		cmocka_unit_test(a_broken_configuration_means_no_tool),
		cmocka_unit_test(when_the_proxy_is_lost_the_tool_is_ended),
		cmocka_unit_test(a_proxy_that_does_not_tell_all_makes_the_run_fail),
		cmocka_unit_test(what_the_tool_leaves_behind_is_ended),
		cmocka_unit_test(signals_to_the_front_alone_reach_the_tool),
		cmocka_unit_test(an_install_that_is_asked_to_end_ends),
		cmocka_unit_test(asked_to_end_before_the_tool_starts_the_front_just_ends),
		cmocka_unit_test(asked_to_end_while_the_manager_is_asked_the_front_just_ends),
		cmocka_unit_test(a_killed_front_leaves_neither_proxy_nor_tool_nor_folder),
		cmocka_unit_test(a_run_within_a_run_uses_its_proxy),
		cmocka_unit_test(a_run_within_a_dead_or_foreign_run_has_its_own),
		cmocka_unit_test(the_ledger_gets_what_happened_and_a_broken_one_changes_nothing),
		cmocka_unit_test(a_run_without_walls_is_in_the_ledger_whatever_it_fetched),
		cmocka_unit_test(the_tool_that_is_not_there_is_told_from_one_that_cannot_run),
		cmocka_unit_test(the_plan_shows_where_packages_come_from),
	};
	int failed;

	stage_open(argc, argv);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	stage_close();
	return failed;
}
