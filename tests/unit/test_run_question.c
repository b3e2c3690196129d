#include "run/question.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/str.h"
#include "tests/helper/folder.h"

static char *home, *project, *before;

static void link_to(const char *target, const char *name)
{
	pmg_autofree char *path = pmg_path_join(project, name);

	assert_int_equal(symlink(target, path), 0);
}

static int make_home(void **state)
{
	pmg_autofree char *env = NULL;
	pmg_autofree char *hard = NULL;
	pmg_autofree char *tool = NULL;

	(void)state;
	before = getcwd(NULL, 0);
	home = folder_new();
	project = pmg_path_join(home, "project");
	env = pmg_path_join(project, ".env");
	hard = pmg_path_join(project, "hard");
	tool = pmg_path_join(project, "node_modules/.bin/tool");
	folder_write(home, ".ssh/id", "k", 1);
	folder_write(project, "package.json", "{}", 2);
	folder_write(project, ".env", "A=1", 3);
	folder_write(project, "node_modules/.bin/tool", "#!/nowhere/node\n", 16);
	folder_write(home, "elsewhere/run", "#!/bin/sh\n", 10);
	assert_int_equal(chmod(tool, 0755), 0);
	assert_int_equal(link(env, hard), 0);
	link_to("../.ssh", "keys");
	link_to("made/later", "dangling");
	link_to("loop", "loop");
	link_to("../elsewhere/run", "leads-out");
	return chdir(project);
}

static int remove_home(void **state)
{
	int r = chdir(before);

	(void)state;
	folder_free(home);
	free(project);
	free(before);
	return r;
}

/* "{h}" is the home, "{p}" the project. */
static char *filled(const char *text)
{
	if (!text || strncmp(text, "{", 1) != 0)
		return text ? pmg_xstrdup(text) : NULL;
	return pmg_xasprintf("%s%s", text[1] == 'h' ? home : project, text + 3);
}

#define MANAGER PMG_ROLE_MANAGER
#define SCRIPT  PMG_ROLE_SCRIPT

/* Of npm in the project. */
static const struct {
	enum pmg_access access;
	enum pmg_role role;
	const char *text;
	int code; /* 0: allowed */
	const char *target;
	bool sensitive;
	const char *allow;
} rows[] = {
	{ PMG_ACCESS_READ, SCRIPT, "package.json", 0, "{p}/package.json", false, NULL },
	{ PMG_ACCESS_READ, SCRIPT, "keys/id", 2001, "{h}/.ssh/id", true, NULL },
	{ PMG_ACCESS_READ, SCRIPT, "hard", 2001, "{p}/hard", true, NULL },
	{ PMG_ACCESS_READ, SCRIPT, "/proc/1/environ", 2015, "/proc/1/environ", false, NULL },
	{ PMG_ACCESS_READ, SCRIPT, "/proc/1/cmdline", 0, "/proc/1/cmdline", false, NULL },
	{ PMG_ACCESS_READ, SCRIPT, "/proc/self/environ", 0, "/proc/self/environ", false, NULL },
	{ PMG_ACCESS_READ, MANAGER, "{h}/.npmrc", 0, "{h}/.npmrc", false, NULL },
	{ PMG_ACCESS_READ, SCRIPT, "{h}/.npmrc", 2001, "{h}/.npmrc", true, NULL },
	{ PMG_ACCESS_WRITE, SCRIPT, "node_modules/x", 0, "{p}/node_modules/x", false, NULL },
	{ PMG_ACCESS_WRITE, SCRIPT, "dangling", 2002, "{p}/made/later", false, "write=" },
	{ PMG_ACCESS_WRITE, SCRIPT, "package.json", 2002, "{p}/package.json", false, "write=" },
	{ PMG_ACCESS_WRITE, MANAGER, "package.json", 0, "{p}/package.json", false, NULL },
	{ PMG_ACCESS_EXEC, SCRIPT, "sh", 0, NULL, false, NULL },
	{ PMG_ACCESS_EXEC, SCRIPT, "./leads-out", 2007, "{h}/elsewhere/run", false, "exec=" },
	/* A script is started by what it names. */
	{ PMG_ACCESS_EXEC, SCRIPT, "node_modules/.bin/tool", 2007, "/nowhere/node", false,
	  "exec=/nowhere/node" },
	{ PMG_ACCESS_CONNECT, SCRIPT, "x.test", 2009, "tcp x.test:443", false,
	  "net-connect=x.test:443" },
	{ PMG_ACCESS_CONNECT, SCRIPT, "169.254.169.254:80", 2009, "tcp 169.254.169.254:80", true,
	  NULL },
	{ PMG_ACCESS_CONNECT, MANAGER, "packages.test:8080", 0, "tcp packages.test:8080", false,
	  NULL },
	{ PMG_ACCESS_CONNECT, SCRIPT, "packages.test:8081", 2009, "tcp packages.test:8081", false,
	  "net-connect=packages.test:8081" },
	{ PMG_ACCESS_BIND, SCRIPT, "127.0.0.1:3000", 2014, "tcp 127.0.0.1:3000", false,
	  "net-bind=127.0.0.1:3000" },
	{ PMG_ACCESS_BIND, MANAGER, "127.0.0.1:3000", 2014, "tcp 127.0.0.1:3000", false, NULL },
	{ PMG_ACCESS_BIND, SCRIPT, "127.0.0.1:0", 0, "tcp 127.0.0.1:0", false, NULL },
	{ PMG_ACCESS_UNIX, SCRIPT, "/run/docker.sock", 2013, "unix /run/docker.sock", true, NULL },
	{ PMG_ACCESS_UNIX, SCRIPT, "@x", 2013, "unix @x", false, NULL },
	{ PMG_ACCESS_UNIX, SCRIPT, "node_modules/s", 0, NULL, false, NULL },
	{ PMG_ACCESS_ENV, SCRIPT, "PLAIN", 0, "PLAIN", false, NULL },
	{ PMG_ACCESS_ENV, SCRIPT, "MY_TOKEN", 2003, "MY_TOKEN", false, "env=MY_TOKEN" },
	{ PMG_ACCESS_ENV, SCRIPT, "WHERE", 2003, "WHERE", false, "env=WHERE" }, /* by its value */
	{ PMG_ACCESS_ENV, SCRIPT, "SSH_AUTH_SOCK", 2008, "SSH_AUTH_SOCK", false,
	  "env=SSH_AUTH_SOCK" },
};

static void prepare(struct pmg_strv *env, struct pmg_prepared *out)
{
	static char npm[] = "npm", *argv[] = { npm, NULL };
	const struct pmg_run_want want = { .tool = npm, .argv = argv, .env = env };
	struct pmg_registry registry = { .eco = PMG_ECO_NPM };
	struct pmg_err err = PMG_ERR_INIT;

	pmg_strv_addf(env, "HOME=%s", home);
	pmg_strv_add(env, "PATH=/usr/bin:/bin");
	pmg_strv_add(env, "WHERE=https://u:secret@packages.test/");
	if (pmg_question_prepare(&want, false, out, &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(pmg_url_parse("http://packages.test:8080/", &registry.base, &err), 0);
	out->facts.registries = pmg_grow(NULL, 0, &out->facts.cap_registries, sizeof registry);
	out->facts.registries[out->facts.n_registries++] = registry;
}

static void each_question_is_answered_as_a_run_would_be(void **state)
{
	pmg_auto(strv) struct pmg_strv env = { 0 };
	pmg_auto(prepared) struct pmg_prepared prepared = { 0 };
	size_t i;

	(void)state;
	prepare(&env, &prepared);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *text = filled(rows[i].text);
		pmg_autofree char *target = filled(rows[i].target);
		const struct pmg_question question = { rows[i].access, rows[i].role, text };
		pmg_auto(reply) struct pmg_reply reply = { 0 };
		struct pmg_err err = PMG_ERR_INIT;

		if (pmg_question_ask(&prepared, &env, &question, &reply, &err) < 0)
			fail_msg("row %zu: %s", i, err.msg);
		if (reply.allowed != (rows[i].code == 0) || reply.event.code != rows[i].code ||
		    reply.event.sensitive != rows[i].sensitive ||
		    (target && !pmg_streq(reply.event.target, target)) ||
		    (reply.event.allow != NULL) != (rows[i].allow != NULL) ||
		    (rows[i].allow && !pmg_str_has_prefix(reply.event.allow, rows[i].allow)))
			fail_msg("row %zu: %s %d %s, allow %s", i, reply.allowed ? "yes" : "no",
				 reply.event.code, reply.event.target,
				 reply.event.allow ? reply.event.allow : "nothing");
	}
}

static void what_is_no_question_is_said_to_be_none(void **state)
{
	static const struct {
		enum pmg_access access;
		const char *text, *msg;
	} wrong[] = {
		{ PMG_ACCESS_READ, "", "read: nothing is named" },
		{ PMG_ACCESS_READ, "loop", "loop" },
		{ PMG_ACCESS_CONNECT, "*.x.test", "*.x.test: name one host" },
		{ PMG_ACCESS_CONNECT, "registry", "registry: name the host that is meant" },
		{ PMG_ACCESS_CONNECT, "127.1:80", "host \"127.1:80\"" },
		{ PMG_ACCESS_BIND, "x.test:80", "host \"x.test:80\"" },
		{ PMG_ACCESS_ENV, "A*", "A*: no name of a variable" },
		{ PMG_ACCESS_ENV, "A=B", "A=B: no name of a variable" },
	};
	pmg_auto(strv) struct pmg_strv env = { 0 };
	pmg_auto(prepared) struct pmg_prepared prepared = { 0 };
	size_t i;

	(void)state;
	prepare(&env, &prepared);
	for (i = 0; i < PMG_ARRAY_LEN(wrong); i++) {
		const struct pmg_question question = { wrong[i].access, SCRIPT, wrong[i].text };
		pmg_auto(reply) struct pmg_reply reply = { 0 };
		struct pmg_err err = PMG_ERR_INIT;

		if (pmg_question_ask(&prepared, &env, &question, &reply, &err) != -PMG_E_USAGE ||
		    !pmg_str_has_prefix(err.msg, wrong[i].msg))
			fail_msg("row %zu: %s", i, err.msg);
	}
}

static void the_tool_is_the_one_that_the_folder_speaks_of(void **state)
{
	static const struct {
		const char *file, *cwd, *tool;
	} kinds[] = {
		{ "a/package.json", "a", "npm" },     { "a/pnpm-lock.yaml", "a", "pnpm" },
		{ "b/uv.lock", "b", "uv" },           { "c/requirements.txt", "c", "pip" },
		{ "d/package.json", "d/e/f", "npm" }, { "g/h/README", "g/h", "sh" },
	};
	pmg_auto(folder) char *top = folder_new();
	size_t i;

	(void)state;
	/* A manifest in the home is none of the projects'. */
	folder_write(top, "package.json", "{}", 2);
	for (i = 0; i < PMG_ARRAY_LEN(kinds); i++) {
		pmg_autofree char *cwd = pmg_path_join(top, kinds[i].cwd);

		folder_write(top, kinds[i].file, "", 0);
		assert_string_equal(pmg_question_tool(cwd, top), kinds[i].tool);
	}
	assert_string_equal(pmg_question_tool(top, top), "npm");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_question_is_answered_as_a_run_would_be),
		cmocka_unit_test(what_is_no_question_is_said_to_be_none),
		cmocka_unit_test(the_tool_is_the_one_that_the_folder_speaks_of),
	};

	return cmocka_run_group_tests(tests, make_home, remove_home);
}
