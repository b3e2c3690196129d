#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "kernel/procfs.h"
#include "sandbox/broker_priv.h"
#include "tests/helper/folder.h"

/*
 * Puppets: processes that fork, start threads and go where they are told. Each reads orders of one
 * byte from its own pipe and answers with a number. They are forked from us, so that what is static
 * here lies at the same addresses in them.
 */
#define PUPPETS  6
#define PIDS_MAX 1024
static int orders[PUPPETS][2], answers[PUPPETS][2];
static pid_t pids[PIDS_MAX];
static size_t n_pids;

static char *top; /* the project */
static struct pmg_policy policy;
static struct pmg_broker broker;

static void *wait_for_ever(void *arg)
{
	pid_t tid = (pid_t)syscall(SYS_gettid);

	if (write(*(int *)arg, &tid, sizeof tid) < 0)
		_exit(1);
	for (;;)
		(void)pause();
	return NULL;
}

static void play(int me) __attribute__((noreturn));

static pid_t fork_puppet(int child)
{
	pid_t pid = fork();

	if (pid == 0)
		play(child);
	return pid;
}

static int go_to(const char *dir)
{
	pmg_autofree char *path = pmg_path_join(top, dir);

	return chdir(path);
}

/* 0 to 5: fork that puppet; t: a thread; n: a name; u: umask; e, o: to the folder of a package; p:
 * of the project; /: away; x: end */
static void obey(int me, unsigned char order)
{
	static const char *const names[PUPPETS] = { "npm", "sh", "node", "a", "b", "c" };
	pthread_t thread;
	pid_t answer = 0;

	if (order < PUPPETS)
		answer = fork_puppet(order);
	else if (order == 'n')
		answer = prctl(PR_SET_NAME, names[me]);
	else if (order == 'u')
		answer = (pid_t)umask(0027);
	else if (order == 'e' || order == 'o' || order == 'p' || order == '/')
		answer = go_to(order == 'e'   ? "node_modules/evil"
			       : order == 'o' ? "node_modules/other"
			       : order == 'p' ? "."
					      : "/");
	else if (pthread_create(&thread, NULL, wait_for_ever, &answers[me][1]) == 0)
		return; /* the thread answers */
	if (write(answers[me][1], &answer, sizeof answer) < 0)
		_exit(1);
}

static void play(int me)
{
	unsigned char order;

	while (read(orders[me][0], &order, 1) == 1 && order != 'x')
		obey(me, order);
	_exit(0);
}

static pid_t tell(int puppet, int order)
{
	unsigned char byte = (unsigned char)order;
	pid_t answer = -1;

	assert_int_equal(write(orders[puppet][1], &byte, 1), 1);
	assert_int_equal(read(answers[puppet][0], &answer, sizeof answer), sizeof answer);
	if (order < PUPPETS) {
		assert_true(answer > 0);
		pids[n_pids++] = answer;
	}
	return answer;
}

/* Orders are for the next one that is forked in its place: it must be gone by then. */
static void end_puppet(pid_t pid)
{
	pmg_autofd int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd gone = { .fd = fd, .events = POLLIN };

	assert_true(fd >= 0);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(poll(&gone, 1, -1), 1);
}

static void write_package(const char *dir, const char *name, const char *version)
{
	pmg_autofree char *file = pmg_path_join(dir, "package.json");
	pmg_autofree char *text =
		pmg_xasprintf("{\"name\":\"%s\",\"version\":\"%s\"}", name, version);

	folder_write(top, file, text, strlen(text));
}

/* Arguments lie in memory that puppets have from their first parent. */
static char named_yarn[512], other_yarn[512], planted_npm[512], tool_path[512];
static const char *const runs_tool[] = { "node", tool_path, NULL };

static int setup(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;
	int i;

	(void)state;
	for (i = 0; i < PUPPETS; i++)
		if (pipe2(orders[i], O_CLOEXEC) < 0 || pipe2(answers[i], O_CLOEXEC) < 0)
			return -1;
	top = folder_new();
	(void)snprintf(named_yarn, sizeof named_yarn, "%s/.yarn/releases/yarn-4.cjs", top);
	(void)snprintf(other_yarn, sizeof other_yarn, "%s/.yarn/releases/other.cjs", top);
	(void)snprintf(tool_path, sizeof tool_path, "%s/bin/pipx", top);
	(void)snprintf(planted_npm, sizeof planted_npm, "%s/npm/bin/npm-cli.js", top);
	write_package(".", "root", "0.1.0");
	write_package("node_modules/evil", "evil", "1.2.3");
	write_package("node_modules/other", "other", "4.5.6");
	policy = (struct pmg_policy){ .project = pmg_xstrdup(top), .home = pmg_xstrdup("/none") };
	pmg_strv_add(&policy.dependency_names, "node_modules");
	pmg_policy_seal(&policy);
	memset(&broker, 0, sizeof broker);
	broker.policy = &policy;
	broker.reaper = getpid(); /* who takes orphans */
	broker.proc = pmg_procfs_open(&err);
	if (broker.proc < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
		return -1;
	n_pids = 0;
	pids[n_pids++] = broker.first = fork_puppet(0);
	broker.who = pmg_who_table_new(broker.proc, broker.first);
	return 0;
}

static int teardown(void **state)
{
	size_t i;

	(void)state;
	pmg_who_table_free(broker.who);
	while (n_pids > 0)
		(void)kill(pids[--n_pids], SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		;
	for (i = 0; i < PUPPETS; i++) {
		(void)close(orders[i][1]);
		(void)close(orders[i][0]);
		(void)close(answers[i][0]);
		(void)close(answers[i][1]);
	}
	(void)close(broker.proc);
	free(policy.project);
	free(policy.home);
	pmg_strv_done(&policy.dependency_names);
	free(policy.rules);
	free(policy.needs);
	folder_free(top);
	return 0;
}

static struct pmg_who find(pid_t tid)
{
	struct pmg_who who = { 0 };

	assert_int_equal(pmg_who_find(&broker, tid, &who), 0);
	assert_int_equal(who.tid, tid);
	return who;
}

static const char *const no_args[] = { NULL };

static void executes_as(pid_t pid, const char *called, const char *program, const char *const *argv,
			const char *const *envp)
{
	struct pmg_who who = find(pid);
	struct pmg_who_start start = { program, called, (uintptr_t)argv, (uintptr_t)envp };

	pmg_who_exec(&broker, &who, &start);
}

static void executes(pid_t pid, const char *program, const char *const *argv,
		     const char *const *envp)
{
	executes_as(pid, NULL, program, argv, envp);
}

static bool str_begins(const char *text, const char *with)
{
	return text && strncmp(text, with, strlen(with)) == 0;
}

/* "package script how_known" */
static void assert_known(pid_t pid, const char *expected)
{
	pmg_auto(event) struct pmg_event event = { 0 };
	struct pmg_who who = find(pid);
	pmg_autofree char *text = NULL;

	pmg_who_fill(&broker, &who, &event);
	/* What the project's own scripts start is theirs, until it is a package's. */
	assert_int_equal(pmg_who_is_own(&broker, &who),
			 str_begins(event.package, "root@") && !str_begins(event.how_known, "env"));
	text = pmg_xasprintf("%s %s %s", event.package ? event.package : "-",
			     event.script ? event.script : "-",
			     event.how_known ? event.how_known : "-");
	assert_string_equal(text, expected);
}

static void only_the_first_thread_group_is_the_manager(void **state)
{
	pid_t thread = tell(0, 't'), child = tell(0, 1), grandchild = tell(1, 2);
	pid_t other = tell(1, 't');

	(void)state;
	assert_int_equal(find(broker.first).role, PMG_ROLE_MANAGER);
	assert_int_equal(find(thread).role, PMG_ROLE_MANAGER);
	assert_int_equal(find(thread).tgid, broker.first);
	assert_int_equal(find(thread).id, find(broker.first).id);
	assert_int_equal(find(grandchild).role, PMG_ROLE_SCRIPT);
	assert_int_equal(find(child).role, PMG_ROLE_SCRIPT);
	assert_int_equal(find(other).role, PMG_ROLE_SCRIPT);
	assert_int_equal(find(other).tgid, child);
	assert_int_equal(find(getpid()).role, PMG_ROLE_SCRIPT);
}

static void who_is_gone_is_nobody(void **state)
{
	pid_t child = tell(0, 1);
	struct pmg_who who = find(child), after = { 0 };

	(void)state;
	assert_int_equal(write(orders[1][1], "x", 1), 1);
	assert_int_equal(kill(broker.first, SIGKILL), 0);
	assert_int_equal(waitpid(broker.first, NULL, 0), broker.first);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(pmg_who_find(&broker, child, &after), -ESRCH);
	assert_int_equal(pmg_who_find(&broker, broker.first, &after), -ESRCH);
	assert_int_equal(pmg_who_find(&broker, 0, &after), -ESRCH);
	pmg_who_umask(&broker, &who, 0); /* harmless */
	assert_int_equal(after.tid, 0);
}

/* A process with a number that was another's. Choosing numbers is a privilege; the kernel gives a
 * thread's back a moment after its end is seen. */
static pid_t fork_as(pid_t pid)
{
	struct clone_args args = { .exit_signal = SIGCHLD,
				   .set_tid = (uintptr_t)&pid,
				   .set_tid_size = 1 };
	pid_t made = -1;
	int tries;

	for (tries = 0; made < 0 && tries < 1000; tries++) {
		made = (pid_t)syscall(SYS_clone3, &args, sizeof args);
		if (made < 0 && errno != EEXIST)
			return -1;
		if (made < 0)
			(void)usleep(1000);
	}
	if (made == 0)
		for (;;)
			(void)pause();
	if (made > 0)
		pids[n_pids++] = made;
	return made;
}

static void a_number_used_again_does_not_inherit_the_manager(void **state)
{
	pid_t thread = tell(0, 't');

	(void)state;
	assert_int_equal(find(thread).role, PMG_ROLE_MANAGER);
	assert_int_equal(find(broker.first).role, PMG_ROLE_MANAGER);
	assert_int_equal(kill(broker.first, SIGKILL), 0);
	assert_int_equal(waitpid(broker.first, NULL, 0), broker.first);
	if (fork_as(broker.first) < 0) {
		assert_int_equal(errno, EPERM);
		skip(); /* needs CAP_CHECKPOINT_RESTORE */
	}
	assert_int_equal(fork_as(thread), thread);
	assert_int_equal(find(broker.first).role, PMG_ROLE_SCRIPT);
	assert_int_equal(find(thread).role, PMG_ROLE_SCRIPT);
	assert_int_equal(find(thread).tgid, thread);
}

static const char *const of_evil[] = { "PATH=/bin", "npm_lifecycle_event=postinstall",
				       "npm_package_name=claimed", "npm_package_version=9.9.9",
				       NULL };
static const char *const of_build[] = { "npm_lifecycle_event=build", "npm_package_name=root",
					NULL };

static void the_folder_of_its_first_program_names_the_package(void **state)
{
	pid_t script = tell(0, 1), below;

	(void)state;
	assert_int_equal(tell(1, 'e'), 0);
	assert_known(script, "- - -");
	executes(script, "/bin/sh", no_args, of_evil);
	assert_known(script, "evil@1.2.3 postinstall cwd");
	/* Nothing that it does later makes it another's: neither a new folder nor a new claim. */
	assert_int_equal(tell(1, 'o'), 0);
	executes(script, "/bin/sh", no_args, of_build);
	assert_known(script, "evil@1.2.3 postinstall cwd");
	below = tell(1, 2);
	executes(below, "/bin/node", no_args, of_build);
	assert_known(below, "evil@1.2.3 postinstall tree");
}

static void a_script_of_the_project_starts_those_of_packages(void **state)
{
	pid_t build, npm, script;

	(void)state;
	build = tell(0, 1);
	assert_int_equal(tell(1, 'p'), 0);
	executes(build, "/bin/sh", no_args, of_build);
	assert_known(build, "root@0.1.0 build cwd");
	npm = tell(1, 2);
	executes(npm, "/bin/node", no_args, of_build);
	assert_known(npm, "root@0.1.0 build tree");
	script = tell(2, 3);
	assert_int_equal(tell(3, 'e'), 0);
	executes(script, "/bin/sh", no_args, of_evil);
	assert_known(script, "evil@1.2.3 postinstall cwd");
}

static void without_a_folder_the_environment_is_a_claim(void **state)
{
	pid_t script = tell(0, 1), below;

	(void)state;
	assert_int_equal(tell(1, '/'), 0);
	executes(script, "/bin/sh", no_args, of_evil);
	assert_known(script, "claimed@9.9.9 postinstall env");
	below = tell(1, 2);
	assert_int_equal(tell(2, 'o'), 0);
	executes(below, "/bin/sh", no_args, of_build);
	assert_known(below, "claimed@9.9.9 postinstall env");
}

static void an_orphan_is_a_script_of_nobody(void **state)
{
	pid_t child = tell(0, 1), orphan = tell(1, 2);

	(void)state;
	assert_int_equal(write(orders[1][1], "x", 1), 1);
	assert_int_equal(kill(broker.first, SIGKILL), 0);
	assert_int_equal(waitpid(broker.first, NULL, 0), broker.first);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(find(orphan).role, PMG_ROLE_SCRIPT);
	assert_known(orphan, "- - -");
}

static const char *const runner[] = { "python3",
				      "/usr/lib/python3/dist-packages/pip/__pip-runner__.py",
				      "install", NULL };
static const char *const hook[] = { "python3", "/x/pyproject_hooks/_in_process/_in_process.py",
				    "build_wheel", NULL };
static const char *const setup_py[] = { "python3", "-c", "exec('setup.py')", NULL };

static void a_part_of_the_manager_has_its_role_for_one_program(void **state)
{
	pid_t part = tell(0, 1), fetch;

	(void)state;
	assert_int_equal(find(part).role, PMG_ROLE_SCRIPT);
	executes(part, "/usr/bin/python3.11", runner, no_args);
	assert_int_equal(find(part).role, PMG_ROLE_MANAGER);
	fetch = tell(1, 2); /* and what it starts is judged as what the manager starts */
	assert_int_equal(find(fetch).role, PMG_ROLE_SCRIPT);
	executes(fetch, "/usr/bin/git", no_args, no_args);
	assert_int_equal(find(fetch).role, PMG_ROLE_MANAGER);
	executes(fetch, "/usr/bin/git", no_args, no_args);
	assert_int_equal(find(fetch).role, PMG_ROLE_SCRIPT);
	executes(broker.first, "/usr/bin/node", no_args, no_args);
	assert_int_equal(find(broker.first).role, PMG_ROLE_MANAGER);
}

/* What `python -m` imports it looks for in its folder first. */
static void modules_of_python_are_parts_where_the_project_cannot_shadow_them(void **state)
{
	static const char python[] = "/usr/bin/python3.11";
	static const struct {
		const char *program;
		const char *argv[4];
		int dir; /* as in obey() */
		enum pmg_role role;
		bool safe;
	} cases[] = {
		{ python, { "python", "-m", "pip", NULL }, '/', PMG_ROLE_MANAGER, false },
		{ python, { "python", "-m", "venv", NULL }, '/', PMG_ROLE_MANAGER, false },
		{ python, { "python", "-m", "pip", NULL }, 'p', PMG_ROLE_SCRIPT, false },
		{ python, { "python", "-m", "pip", NULL }, 'p', PMG_ROLE_MANAGER, true },
		{ "/usr/bin/python3.10",
		  { "python", "-m", "pip", NULL },
		  'p',
		  PMG_ROLE_SCRIPT,
		  true },
		{ python, { "python", "-m", "pipes", NULL }, '/', PMG_ROLE_SCRIPT, false },
		{ python, { "python", "-c", "import os", NULL }, '/', PMG_ROLE_SCRIPT, false },
		{ "/usr/bin/pythonx", { "pythonx", "-m", NULL }, '/', PMG_ROLE_SCRIPT, false },
		{ "/usr/bin/uv", { "uv", "pip", "install", NULL }, 'p', PMG_ROLE_MANAGER, false },
	};
	static const char *const safe[] = { "A=b", "PYTHONSAFEPATH=1", NULL };
	size_t i;

	(void)state;
	for (i = 0; i < 2 * PMG_ARRAY_LEN(cases); i++) {
		size_t row = i / 2;
		pid_t child = tell(0, 1);
		bool is_python = i % 2 == 0;
		bool by_all = !strstr(cases[row].program, "python");

		/* In a run of yarn that is what "script-shell" makes of a script. */
		policy.is_python = is_python;
		assert_int_equal(tell(1, cases[row].dir), 0);
		executes(child, cases[row].program, cases[row].argv,
			 cases[row].safe ? safe : no_args);
		if (find(child).role != (is_python || by_all ? cases[row].role : PMG_ROLE_SCRIPT))
			fail_msg("row %zu, python %d", row, is_python);
		end_puppet(child);
	}
}

/* `pipx run x` becomes x; a shim becomes the tool. */
static const char env_bash[] = "#!/usr/bin/env bash\n", python[] = "#!/usr/bin/python3\n";

/* `pipx run --spec evil pipx`: a package may call its program as it likes. */
static void the_tool_is_reached_once(void **state)
{
	pmg_autofree char *tool = pmg_path_join(top, "bin/pipx");
	pmg_autofree char *node = pmg_path_join(top, "bin/node");

	(void)state;
	policy.has_manager = true;
	folder_write(top, "bin/pipx", python, sizeof python - 1);
	/* What runs it lies in the prefix, as the node of nvm does. */
	executes_as(broker.first, tool, tool, no_args, no_args);
	executes(broker.first, node, runs_tool, no_args);
	assert_int_equal(find(broker.first).role, PMG_ROLE_MANAGER);
	executes(broker.first, tool, no_args, no_args);
	assert_int_equal(find(broker.first).role, PMG_ROLE_SCRIPT);
}

/* In an environment below the current folder it lies where packages are installed. */
static void uvx_becomes_the_uv_beside_it(void **state)
{
	pmg_autofree char *uvx = pmg_path_join(top, "bin/uvx");
	pmg_autofree char *uv = pmg_path_join(top, "bin/uv");
	pmg_autofree char *other = pmg_path_join(top, "other/uv");

	(void)state;
	policy.has_manager = true;
	executes_as(broker.first, uvx, uvx, no_args, no_args);
	executes_as(broker.first, uv, uv, no_args, no_args);
	assert_int_equal(find(broker.first).role, PMG_ROLE_MANAGER);
	executes_as(broker.first, uv, uv, no_args, no_args);
	assert_int_equal(find(broker.first).role, PMG_ROLE_SCRIPT);
	executes_as(broker.first, other, other, no_args, no_args);
	assert_int_equal(find(broker.first).role, PMG_ROLE_SCRIPT);
}

static void the_manager_is_not_what_it_becomes(void **state)
{
	pmg_autofree char *pyenv = pmg_path_join(top, "bin/pyenv");
	pmg_autofree char *app = pmg_path_join(top, "bin/app");
	pmg_autofree char *shimmed = pmg_path_join(top, "bin/pipx");
	pid_t child;

	(void)state;
	policy.has_manager = true;
	folder_write(top, "bin/pyenv", env_bash, sizeof env_bash - 1);
	folder_write(top, "bin/pipx", python, sizeof python - 1);
	/* In a prefix of its own: a shim, what that starts, another called as the tool is, and the
	 * tool. */
	executes_as(broker.first, "/usr/bin/pipx", pyenv, no_args, no_args);
	executes(broker.first, "/usr/bin/bash", no_args, no_args);
	executes(broker.first, pyenv, no_args, no_args);
	executes(broker.first, "/usr/bin/bash", no_args, no_args);
	executes(broker.first, "/usr/bin/env", no_args, no_args);
	executes_as(broker.first, shimmed, app, no_args, no_args); /* a link to it */
	executes(broker.first, shimmed, no_args, no_args);
	assert_int_equal(find(broker.first).role, PMG_ROLE_MANAGER);
	executes(broker.first, app, no_args, no_args);
	assert_int_equal(find(broker.first).role, PMG_ROLE_SCRIPT);
	child = tell(0, 1);
	executes(child, "/usr/bin/git", no_args, no_args);
	assert_int_equal(find(child).role, PMG_ROLE_SCRIPT);
	executes(broker.first, "/usr/bin/pipx", no_args, no_args);
	assert_int_equal(find(broker.first).role, PMG_ROLE_SCRIPT);
}

/* `bun x.ts` is x.ts and whatever that loads. */
static void a_manager_that_runs_code_is_a_script(void **state)
{
	pid_t child;

	(void)state;
	policy.has_manager = true;
	pmg_who_table_runs_code(broker.who);
	executes(broker.first, "/usr/bin/bun", no_args, no_args);
	assert_int_equal(find(broker.first).role, PMG_ROLE_SCRIPT);
	child = tell(0, 1);
	executes(child, "/usr/bin/git", no_args, no_args);
	assert_int_equal(find(child).role, PMG_ROLE_SCRIPT);
}

/* A command that a person names is theirs, whatever it becomes. */
static void without_a_manager_a_command_stays_what_it_is(void **state)
{
	pmg_autofree char *app = pmg_path_join(top, "bin/app");

	(void)state;
	executes(broker.first, "/bin/sh", no_args, no_args);
	executes(broker.first, app, no_args, no_args);
	assert_int_equal(find(broker.first).role, PMG_ROLE_MANAGER);
}

static void a_tool_that_the_manager_starts_itself_is_a_part(void **state)
{
	static const char *const npm[] = { "node", "/usr/lib/node_modules/npm/bin/npm-cli.js",
					   "install", NULL };
	static const char *const add[] = { "bunx", "add", "x", NULL };
	static const char *const readd[] = { "bun", "/x/add", NULL };
	pid_t pip = tell(0, 1), nested = tell(0, 2), bunx = tell(0, 3), other = tell(0, 4);

	(void)state;
	executes(bunx, "/usr/lib/bun/bunx.exe", add, no_args);
	executes(other, "/usr/lib/bun/bun.exe", readd, no_args);
	assert_int_equal(find(bunx).role, PMG_ROLE_MANAGER);
	assert_int_equal(find(other).role, PMG_ROLE_SCRIPT);
	executes(pip, "/opt/versions/3.11.7/bin/pip3.11", no_args, no_args);
	executes(nested, "/usr/bin/node", npm, no_args);
	assert_int_equal(find(pip).role, PMG_ROLE_MANAGER);
	assert_int_equal(find(nested).role, PMG_ROLE_MANAGER);
}

static void nothing_below_a_script_is_a_part_of_the_manager(void **state)
{
	static const struct {
		const char *program;
		const char *const *argv;
	} rows[] = {
		{ "/usr/bin/python3", runner },
		{ "/usr/bin/git", no_args },
		{ "/usr/lib/git-core/git-remote-https", no_args },
	};
	pid_t script = tell(0, 1);
	size_t i;

	(void)state;
	executes(script, "/bin/sh", no_args, no_args);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pid_t below = tell(1, 2 + (int)i);

		executes(below, rows[i].program, rows[i].argv, no_args);
		assert_int_equal(find(below).role, PMG_ROLE_SCRIPT);
		executes(script, rows[i].program, rows[i].argv, no_args);
		assert_int_equal(find(script).role, PMG_ROLE_SCRIPT);
	}
}

/* A nested npm asks for its settings; what only runs code does not, nor what was given some. */
static void a_package_manager_of_this_machine_is_a_tool(void **state)
{
	static const char *const preload[] = { "NODE_OPTIONS=--require ./x", NULL };
	static const char *const empty[] = { "NODE_OPTIONS=", "A=b", NULL };
	static const struct {
		const char *program;
		const char *argv[4];
		const char *const *envp;
		bool is_tool;
	} cases[] = {
		{ "/usr/bin/node", { "node", "/usr/bin/npm", "ci", NULL }, no_args, true },
		{ "/usr/bin/node", { "node", "/usr/lib/x/yarn-4.1.0.cjs", NULL }, empty, true },
		{ "/usr/bin/node", { "node", "/usr/bin/npm", "ci", NULL }, preload, false },
		{ "/usr/bin/node", { "node", "npm", NULL }, no_args, false }, /* of this folder */
		{ "/usr/bin/node", { "node", "/usr/bin/npmx", NULL }, no_args, false },
		{ "/usr/bin/node", { "node", "/usr/bin/x.js", NULL }, no_args, false },
		{ "/usr/bin/bun", { "bun", "install", NULL }, no_args, true },
		{ "/usr/bin/bun.exe", { "bun", "add", "x", NULL }, no_args, true },
		{ "/usr/bin/bun", { "bun", "x.ts", NULL }, no_args, false },
		{ "/usr/bin/bun.exe", { "bun", "run", "x", NULL }, no_args, false },
		{ "/usr/bin/pnpm", { "pnpm", "i", NULL }, no_args, true },
		{ "/usr/bin/cat", { "cat", "/usr/bin/npm", NULL }, no_args, false },
	};
	pid_t child = tell(0, 1);
	struct pmg_who who;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(cases); i++) {
		executes(child, cases[i].program, cases[i].argv, cases[i].envp);
		who = find(child);
		if (pmg_who_is_tool(&broker, &who) != cases[i].is_tool)
			fail_msg("row %zu", i);
	}
}

/* Its configuration, which may be the project's, names programs and their arguments. */
static void of_what_git_starts_only_its_own_is_a_part(void **state)
{
	static const char git[] = "/usr/bin/git";
	static const struct {
		const char *program;
		const char *argv[5];
		enum pmg_role role;
	} cases[] = {
		{ git, { "git", "remote-https", "o", NULL }, PMG_ROLE_MANAGER },
		{ git, { "git", "fetch-pack", "--stdin", NULL }, PMG_ROLE_MANAGER },
		{ git,
		  { "git", "-c", "fetch.negotiationAlgorithm=noop", "fetch", NULL },
		  PMG_ROLE_MANAGER },
		{ "/usr/lib/git-core/git-remote-https", { "x", "o", NULL }, PMG_ROLE_MANAGER },
		{ git, { "git", "remote-evil", "o", NULL }, PMG_ROLE_SCRIPT },
		{ git, { "git", "remote-ext", "o", NULL }, PMG_ROLE_SCRIPT },
		{ git, { "git", "evil", "9418", NULL }, PMG_ROLE_SCRIPT },
		{ git, { "git", "-c", "alias.x=diff", "x", NULL }, PMG_ROLE_SCRIPT },
		{ git, { "git", "diff", "--no-index", NULL }, PMG_ROLE_SCRIPT },
		{ "/usr/bin/pip", { "pip", "x", NULL }, PMG_ROLE_SCRIPT },
		{ "/usr/bin/uv", { "uv", "x", NULL }, PMG_ROLE_SCRIPT },
	};
	pid_t parent = tell(0, 1);
	size_t i;

	(void)state;
	executes(parent, git, cases[8].argv, no_args);
	assert_int_equal(find(parent).role, PMG_ROLE_MANAGER); /* it is the manager who says that */
	for (i = 0; i < PMG_ARRAY_LEN(cases); i++) {
		pid_t child = tell(1, 2), below = tell(2, 3);

		executes(child, cases[i].program, cases[i].argv, no_args);
		if (find(child).role != cases[i].role)
			fail_msg("row %zu", i);
		executes(below, git, cases[9].argv, no_args);
		if (find(below).role != PMG_ROLE_SCRIPT)
			fail_msg("below row %zu", i);
		end_puppet(below);
		end_puppet(child);
	}
}

static void a_program_of_another_name_is_no_part(void **state)
{
	pid_t one = tell(0, 1), two = tell(0, 2), three = tell(0, 3);

	(void)state;
	executes(one, "/bin/sh", runner, no_args);
	executes(two, "/usr/bin/python3", hook, no_args);
	executes(three, "/usr/bin/git-evil", no_args, no_args);
	assert_int_equal(find(one).role, PMG_ROLE_SCRIPT);
	assert_int_equal(find(two).role, PMG_ROLE_SCRIPT);
	assert_int_equal(find(three).role, PMG_ROLE_SCRIPT);
}

/* "script-shell=./git" in the project's own .npmrc. */
/* yarnPath: the one program of the project by which yarn starts itself anew. */
static void what_the_project_names_as_its_yarn_is_a_part(void **state)
{
	pmg_autofree char *node = pmg_path_join(top, "node");
	static const char *const named[] = { "node", named_yarn, "install", NULL };
	static const char *const another[] = { "node", other_yarn, "install", NULL };
	static const char *const workspace[] = { "node", "/usr/share/yarn/lib/cli.js", "add",
						 NULL };
	pid_t one = tell(0, 1), two = tell(0, 2), three = tell(0, 3), four = tell(0, 4);

	(void)state;
	pmg_strv_add(&policy.manager_parts, named_yarn);
	executes(one, "/usr/bin/node", named, no_args);
	executes(two, "/usr/bin/node", another, no_args);
	executes(three, node, named, no_args); /* by a node of the project */
	executes(four, "/usr/bin/node", workspace, no_args);
	assert_int_equal(find(one).role, PMG_ROLE_MANAGER);
	assert_int_equal(find(two).role, PMG_ROLE_SCRIPT);
	assert_int_equal(find(three).role, PMG_ROLE_SCRIPT);
	assert_int_equal(find(four).role, PMG_ROLE_MANAGER);
	pmg_strv_done(&policy.manager_parts);
}

static void a_program_of_the_project_is_no_part(void **state)
{
	pmg_autofree char *git = pmg_path_join(top, "git");
	pmg_autofree char *bin = pmg_path_join(top, "node_modules/.bin/git");
	static const char *const planted[] = { "node", planted_npm, "install", NULL };
	static const char *const relative[] = { "node", "./npm/bin/npm-cli.js", "install", NULL };
	pid_t one = tell(0, 1), two = tell(0, 2), three = tell(0, 3), four = tell(0, 4);

	(void)state;
	executes(one, git, no_args, no_args);
	executes(two, bin, no_args, no_args);
	executes(three, "/usr/bin/node", planted, no_args);
	executes(four, "/usr/bin/node", relative, no_args);
	assert_int_equal(find(one).role, PMG_ROLE_SCRIPT);
	assert_int_equal(find(two).role, PMG_ROLE_SCRIPT);
	assert_int_equal(find(three).role, PMG_ROLE_SCRIPT);
	assert_int_equal(find(four).role, PMG_ROLE_SCRIPT);
}

static void steps_of_a_python_build_are_told(void **state)
{
	pid_t one = tell(0, 1), two = tell(0, 2);

	(void)state;
	assert_int_equal(tell(1, 'e'), 0);
	assert_int_equal(tell(2, 'e'), 0);
	executes(one, "/usr/bin/python3", hook, no_args);
	executes(two, "/usr/bin/python3", setup_py, no_args);
	assert_known(one, "evil@1.2.3 build_wheel cwd");
	assert_known(two, "evil@1.2.3 setup.py cwd");
}

static void arguments_that_cannot_be_read_say_nothing(void **state)
{
	pid_t script = tell(0, 1);
	struct pmg_who who = find(script);
	struct pmg_who_start start = { "/usr/bin/python3", NULL, 8, 16 };

	(void)state;
	assert_int_equal(tell(1, 'e'), 0);
	pmg_who_exec(&broker, &who, &start);
	assert_known(script, "evil@1.2.3 - cwd");
}

static void the_umask_is_that_of_the_process(void **state)
{
	pid_t child = tell(0, 1), other;
	struct pmg_who who;

	(void)state;
	assert_int_equal(tell(1, 'u') >= 0, 1);
	who = find(child);
	assert_int_equal(who.umask, 0027);
	pmg_who_umask(&broker, &who, 07077);
	assert_int_equal(find(child).umask, 077);
	other = tell(1, 2);
	assert_int_equal(find(other).umask, 0027); /* as the kernel has it */
	assert_int_equal(find(child).umask, 077);
}

static void the_chain_begins_with_the_outermost(void **state)
{
	pmg_auto(event) struct pmg_event event = { 0 };
	struct pmg_who who;
	int i;

	(void)state;
	for (i = 0; i < 3; i++) {
		assert_int_equal(tell(i, 'n'), 0);
		who = find(tell(i, i + 1));
	}
	assert_int_equal(tell(3, 'n'), 0);
	pmg_who_fill(&broker, &who, &event);
	assert_int_equal(event.process.n, 4);
	assert_string_equal(event.process.v[0], "npm");
	assert_string_equal(event.process.v[1], "sh");
	assert_string_equal(event.process.v[2], "node");
	assert_string_equal(event.process.v[3], "a");
}

static pid_t fork_below(size_t depth, int fd)
{
	pid_t pid = fork();

	if (pid > 0)
		return pid;
	pid = getpid();
	if (write(fd, &pid, sizeof pid) < 0)
		_exit(1);
	if (depth > 0)
		(void)fork_below(depth - 1, fd);
	for (;;)
		(void)pause();
}

/* Deeper than a chain may be, and than is looked for parents at once. */
static void a_deep_tree_is_bounded(void **state)
{
	pmg_auto(event) struct pmg_event event = { 0 };
	struct pmg_who who = { 0 };
	pid_t pid = 0;
	int fds[2];
	size_t i;

	(void)state;
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	(void)fork_below(60, fds[1]);
	for (i = 0; i <= 60; i++) {
		assert_int_equal(read(fds[0], &pid, sizeof pid), sizeof pid);
		pids[n_pids++] = pid;
	}
	who = find(pid);
	assert_int_equal(who.role, PMG_ROLE_SCRIPT);
	pmg_who_fill(&broker, &who, &event);
	assert_int_equal(event.process.n, PMG_EVENT_CHAIN_MAX);
	(void)close(fds[0]);
	(void)close(fds[1]);
}

/* More processes at a time than are held: none is taken for another, and the manager stays. */
static void a_full_table_forgets_scripts_only(void **state)
{
	pid_t first = 0;
	size_t i, round;

	(void)state;
	for (i = 0; i < 500; i++) {
		pid_t pid = fork();

		if (pid == 0)
			for (;;)
				(void)pause();
		assert_true(pid > 0);
		pids[n_pids++] = pid;
		first = first ? first : pid;
	}
	for (round = 0; round < 2; round++)
		for (i = 1; i < n_pids; i++)
			assert_int_equal(find(pids[i]).role, PMG_ROLE_SCRIPT);
	assert_int_equal(find(broker.first).role, PMG_ROLE_MANAGER);
	assert_int_equal(find(first).tgid, first);
}

/* What was forgotten of a process must not make it look as if it had run nothing yet: then it could
 * become a part of the manager by an execve of its own choice. */
static void a_flood_makes_no_part_of_the_manager(void **state)
{
	pid_t script = tell(0, 1);
	size_t i, round;

	(void)state;
	executes(script, "/bin/sh", no_args, of_evil);
	for (i = 0; i < 450; i++)
		(void)tell(0, 5);
	for (round = 0; round < 2; round++)
		for (i = 2; i < n_pids; i++)
			assert_int_equal(find(pids[i]).role, PMG_ROLE_SCRIPT);
	executes(script, "/usr/bin/git", no_args, no_args);
	assert_int_equal(find(script).role, PMG_ROLE_SCRIPT);
	executes(pids[2], "/usr/bin/git", no_args, no_args);
	assert_int_equal(find(pids[2]).role, PMG_ROLE_SCRIPT);
	assert_int_equal(find(broker.first).role, PMG_ROLE_MANAGER);
}

static void processes_are_known_where_descriptors_are_few(void **state)
{
	struct rlimit limit, few;
	size_t i;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	few = limit;
	few.rlim_cur = 64;
	for (i = 0; i < 100; i++)
		(void)tell(0, 5);
	pmg_who_table_free(broker.who);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	broker.who = pmg_who_table_new(broker.proc, broker.first);
	for (i = 1; i < n_pids; i++)
		assert_int_equal(find(pids[i]).role, PMG_ROLE_SCRIPT);
	assert_int_equal(find(broker.first).role, PMG_ROLE_MANAGER);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/* It chose its folder after its parents were gone. */
static void where_an_orphan_starts_is_a_claim(void **state)
{
	pid_t child = tell(0, 1), orphan = tell(1, 2);

	(void)state;
	assert_int_equal(write(orders[1][1], "x", 1), 1);
	assert_int_equal(kill(broker.first, SIGKILL), 0);
	assert_int_equal(waitpid(broker.first, NULL, 0), broker.first);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(tell(2, 'o'), 0);
	executes(orphan, "/bin/sh", no_args, of_evil);
	assert_known(orphan, "other@4.5.6 postinstall env");
}

#define ROW(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ROW(only_the_first_thread_group_is_the_manager),
		ROW(who_is_gone_is_nobody),
		ROW(a_number_used_again_does_not_inherit_the_manager),
		ROW(the_folder_of_its_first_program_names_the_package),
		ROW(a_script_of_the_project_starts_those_of_packages),
		ROW(without_a_folder_the_environment_is_a_claim),
		ROW(an_orphan_is_a_script_of_nobody),
		ROW(a_part_of_the_manager_has_its_role_for_one_program),
		ROW(a_tool_that_the_manager_starts_itself_is_a_part),
		ROW(uvx_becomes_the_uv_beside_it),
		ROW(the_tool_is_reached_once),
		ROW(the_manager_is_not_what_it_becomes),
		ROW(without_a_manager_a_command_stays_what_it_is),
		ROW(modules_of_python_are_parts_where_the_project_cannot_shadow_them),
		ROW(nothing_below_a_script_is_a_part_of_the_manager),
		ROW(a_manager_that_runs_code_is_a_script),
		ROW(a_package_manager_of_this_machine_is_a_tool),
		ROW(of_what_git_starts_only_its_own_is_a_part),
		ROW(a_program_of_another_name_is_no_part),
		ROW(a_program_of_the_project_is_no_part),
		ROW(what_the_project_names_as_its_yarn_is_a_part),
		ROW(steps_of_a_python_build_are_told),
		ROW(arguments_that_cannot_be_read_say_nothing),
		ROW(the_umask_is_that_of_the_process),
		ROW(the_chain_begins_with_the_outermost),
		ROW(a_deep_tree_is_bounded),
		ROW(a_full_table_forgets_scripts_only),
		ROW(a_flood_makes_no_part_of_the_manager),
		ROW(processes_are_known_where_descriptors_are_few),
		ROW(where_an_orphan_starts_is_a_claim),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
