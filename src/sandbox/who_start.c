#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "base/str.h"
#include "kernel/procfs.h"
#include "sandbox/who_priv.h"

#define ARGS_READ 3U    /* argv[0] to argv[2] */
#define ENV_MAX   1024U /* variables looked at */
#define ENV_STEP  64U
#define TEXT_MAX  512U /* of an argument or variable */
#define HEAD_MAX  256U /* bytes of a "#!" line: BINPRM_BUF_SIZE of the kernel */
#define PATH_SIZE 4096U

/*
 * What a manager starts is a script, but for these parts of itself that do its work over the
 * network: pip installs what a build needs through another pip, npm what is needed to pack a git
 * dependency through another npm, yarn works in a member of a workspace by another yarn, all fetch
 * by git, and a shim of pyenv waits for its pip. They are believed only in a child that the manager
 * forked, before that child ran anything: its memory is the manager's, so program and arguments are
 * what the manager chose. (Where its installation can be written by scripts, as in .venv, they can
 * change the manager's own modules as well.)
 *
 * What the manager chose may have been chosen for it by a hostile project: npm's script-shell=./git
 * would make every script of it a part of npm. So a program of the project is none,
 * and what takes its program from "-c" is one where python's managers run alone: npm and yarn start
 * any script-shell so.
 */
static const struct {
	const char *program;  /* its name; with an argument: what it begins with */
	const char *argument; /* what the first one ends with, or is where it begins without a
			       * slash; NULL: whatever it is */
	const char *next;     /* what the second is, in a run of one of python's managers; where
			       * the first is "-c": begins with */
} own_parts[] = {
	{ "python", "/pip/__pip-runner__.py", NULL },
	{ "python", "/site-packages/pip", NULL },
	{ "python", "/dist-packages/pip", NULL },
	{ "pip", NULL, NULL },
	{ "pip3", "", NULL }, /* "pip3.12" */
	{ "node", "/npm/bin/npm-cli.js", NULL },
	{ "node", "/yarn/bin/yarn.js", NULL }, /* `yarn workspace a add x` of yarn 1 */
	{ "node", "/yarn/lib/cli.js", NULL },
	{ "bun", "add", NULL },     /* bunx x */
	{ "bun", "install", NULL }, /* bun init */
	{ "git", NULL, NULL },
	{ "git-remote-http", NULL, NULL },
	{ "git-remote-https", NULL, NULL },
	/* pipx: its environments, the pip that they share, and what venv and ensurepip start for it
	 */
	{ "uv", NULL, NULL },
	{ "python", "-m", "pip" },
	{ "python", "-m", "venv" },
	{ "python", "-m", "ensurepip" },
	{ "python", "-W", "ignore::DeprecationWarning" },
	{ "python", "-c", "import sys, sysconfig, venv; from pathlib import Path; venv.main(" },
};

void pmg_started_done(struct pmg_started *started)
{
	free(started->cwd);
	free(started->script);
	pmg_package_done(&started->package);
	pmg_package_done(&started->claim);
	*started = (struct pmg_started){ 0 };
}

/* The beginning of a text, perhaps cut. "" when it cannot be read. */
static void read_some(pid_t tid, uint64_t address, char *out, size_t size)
{
	ssize_t n = address ? pmg_notify_read(tid, address, out, size - 1) : 0;

	out[n > 0 ? n : 0] = '\0';
}

static bool is_planted(const struct pmg_policy *policy, const char *program)
{
	return (policy->project && pmg_path_is_under(program, policy->project)) ||
	       (policy->cwd && pmg_path_is_under(program, policy->cwd)) ||
	       pmg_policy_ask(policy, PMG_ACCESS_WRITE, PMG_ROLE_SCRIPT, program).allowed;
}

/*
 * What yarnPath of the project's own .yarnrc.yml names: with it yarn starts itself anew. Scripts
 * cannot write that file, and in the manager's place it has the manager's rights, as a plugin of
 * the project has that yarn loads.
 */
static bool is_named_part(const struct pmg_policy *policy, const char *name, const char *program,
			  const char *argument)
{
	const char *part = pmg_str_has_prefix(name, "node") ? argument : program;

	return part[0] == '/' && pmg_strv_has(&policy->manager_parts, part) &&
	       (part == program || !is_planted(policy, program)) &&
	       !pmg_policy_ask(policy, PMG_ACCESS_WRITE, PMG_ROLE_SCRIPT, part).allowed;
}

bool pmg_started_is_installed(const struct pmg_policy *policy, const char *program)
{
	return is_planted(policy, program) ||
	       pmg_policy_ask(policy, PMG_ACCESS_WRITE, PMG_ROLE_MANAGER, program).allowed;
}

static bool is_shell(const char *program)
{
	static const char *const shells[] = { "sh", "bash", "dash", "zsh", "ksh" };
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(shells); i++)
		if (strcmp(pmg_path_name(program), shells[i]) == 0)
			return true;
	return false;
}

bool pmg_started_is_shim(const char *program, bool was)
{
	pmg_autofd int fd = -1;
	char line[HEAD_MAX] = "", *rest = line + 2, *word;
	ssize_t n;

	if (was && is_shell(program)) /* what "#!/usr/bin/env bash" starts */
		return true;
	fd = open(program, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	n = fd < 0 ? -1 : pread(fd, line, sizeof line - 1, 0);
	if (n < 2 || line[0] != '#' || line[1] != '!')
		return false;
	line[strcspn(line, "\n")] = '\0';
	while ((word = strsep(&rest, " \t")))
		if (is_shell(word))
			return true;
	return false;
}

/*
 * What git starts for itself. The configuration of a hostile project has it start others:
 * core.gitProxy, the helper of an address that url.*.insteadOf made (ext::, or an alias of that
 * name), with arguments of its choice, by which `git diff --no-index` would copy what only the
 * manager may read.
 */
static bool is_gits_own(const char *name, const char *argument, const char *next)
{
	static const char *const words[] = { "remote-http", "remote-https", "fetch-pack",
					     "http-fetch",  "index-pack",   "unpack-objects",
					     "rev-list",    "maintenance",  "gc",
					     "repack",      "pack-objects", "pack-refs",
					     "prune",       "reflog",       "commit-graph" };
	size_t i;

	if (strcmp(name, "git") != 0)
		return true; /* git-remote-https */
	for (i = 0; i < PMG_ARRAY_LEN(words); i++)
		if (strcmp(words[i], argument) == 0)
			return true;
	/* of a clone that left out files: `git -c ... fetch` */
	return pmg_streq(argument, "-c") && pmg_streq(next, "fetch.negotiationAlgorithm=noop");
}

bool pmg_started_runs(pid_t tid, const struct pmg_who_start *start, const char *path)
{
	uint64_t argv[2] = { 0 };
	char argument[PATH_SIZE];

	if (!start->argv || pmg_notify_read(tid, start->argv, argv, sizeof argv) < 0 || !argv[0])
		return false;
	read_some(tid, argv[1], argument, sizeof argument);
	return strcmp(argument, path) == 0;
}

/* "-m pip" whole, "-c TEXT" as it begins. */
static bool is_next(const char *argument, const char *wanted, const char *next)
{
	return pmg_streq(argument, "-c") ? pmg_str_has_prefix(next, wanted)
					 : pmg_streq(next, wanted);
}

/* Variables of what starts, each handed to `take` until that says stop. */
static void walk_environment(pid_t tid, uint64_t envp,
			     bool (*take)(pid_t tid, uint64_t address, void *ctx), void *ctx)
{
	uint64_t v[ENV_STEP];
	size_t done, i;

	for (done = 0; envp && done < ENV_MAX; done += ENV_STEP) {
		ssize_t n = pmg_notify_read(tid, envp + done * sizeof v[0], v, sizeof v);

		for (i = 0; n > 0 && i < (size_t)n / sizeof v[0] && v[i]; i++)
			if (!take(tid, v[i], ctx))
				return;
		if (i < ENV_STEP)
			return;
	}
}

static bool take_safe_path(pid_t tid, uint64_t address, void *ctx)
{
	static const char name[] = "PYTHONSAFEPATH=";
	char text[sizeof name + 1];
	bool *found = ctx;

	read_some(tid, address, text, sizeof text);
	*found = pmg_str_has_prefix(text, name) && text[sizeof name - 1];
	return !*found;
}

/* "-m pip" and "-c" look for modules in the folder where they start, unless python is of 3.11 or
 * later and told not to. The project, or a script, may have put some there. */
static bool is_led_astray(const struct pmg_policy *policy, pid_t tid,
			  const struct pmg_who_start *start, const char *cwd)
{
	static const char series[] = "python3.";
	const char *name = pmg_path_name(start->program);
	uint64_t minor = 0;
	bool safe = false;

	if (cwd && !is_planted(policy, cwd))
		return false;
	if (!pmg_str_has_prefix(name, series) ||
	    pmg_parse_uint(name + sizeof series - 1, 1000, &minor) < 0 || minor < 11)
		return true;
	walk_environment(tid, start->envp, take_safe_path, &safe);
	return !safe;
}

static bool take_loaded(pid_t tid, uint64_t address, void *ctx)
{
	static const char *const names[] = { "NODE_OPTIONS=", "BUN_OPTIONS=", "LD_PRELOAD=" };
	char text[16];
	bool *found = ctx;
	size_t i;

	read_some(tid, address, text, sizeof text);
	for (i = 0; i < PMG_ARRAY_LEN(names); i++)
		*found = *found || (pmg_str_has_prefix(text, names[i]) && text[strlen(names[i])]);
	return !*found;
}

/* "npm", "npx-cli.js", "pnpm.cjs", "yarn-4.1.0.cjs" */
static bool is_tools_name(const char *name)
{
	static const char *const names[] = { "npm",  "npx",     "pnpm", "pnpx",
					     "yarn", "yarnpkg", "bun",  "bunx" };
	static const char after[] = ".-";
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(names); i++) {
		const char *rest = name + strlen(names[i]);

		if (pmg_str_has_prefix(name, names[i]) && (!*rest || strchr(after, *rest)))
			return true;
	}
	return false;
}

/* bun is what runs code as well; its settings it reads only to install. */
static bool installs(const char *verb)
{
	static const char *const verbs[] = { "install", "i",      "ci",     "add",    "a",
					     "remove",  "rm",     "update", "up",     "outdated",
					     "link",    "unlink", "pm",     "create", "x",
					     "publish", "patch",  "audit" };
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(verbs); i++)
		if (strcmp(verbs[i], verb) == 0)
			return true;
	return false;
}

bool pmg_started_is_tool(const struct pmg_policy *policy, pid_t tid,
			 const struct pmg_who_start *start)
{
	const char *name = pmg_path_name(start->program), *tool = start->program;
	bool is_node = pmg_str_has_prefix(name, "node"), loaded = false;
	char argument[PATH_SIZE];
	uint64_t argv[2] = { 0 };

	if (!is_node && !is_tools_name(name))
		return false;
	if (!start->argv || pmg_notify_read(tid, start->argv, argv, sizeof argv) < 0 || !argv[0])
		return false;
	read_some(tid, argv[1], argument, sizeof argument);
	if (is_node)
		tool = argument;
	else if (pmg_str_has_prefix(name, "bun") && !installs(argument)) /* "bun.exe" too */
		return false;
	if (tool[0] != '/' || !is_tools_name(pmg_path_name(tool)) ||
	    (is_planted(policy, tool) && !pmg_strv_has(&policy->manager_parts, tool)))
		return false;
	walk_environment(tid, start->envp, take_loaded, &loaded);
	return !loaded;
}

static bool is_argument(const char *argument, const char *wanted)
{
	return wanted[0] == '/' || wanted[0] == '\0' ? pmg_str_has_suffix(argument, wanted)
						     : pmg_streq(argument, wanted);
}

static bool is_own_part(const struct pmg_policy *policy, const char *program, bool astray,
			const char *argument, const char *next)
{
	const char *name = pmg_path_name(program);
	size_t i;

	if (is_named_part(policy, name, program, argument))
		return true;
	/* The python of an environment in the project is what runs pip itself. */
	if (!pmg_str_has_prefix(name, "python") && is_planted(policy, program))
		return false;
	if (pmg_str_has_prefix(name, "node") &&
	    (argument[0] != '/' || is_planted(policy, argument)))
		return false;
	for (i = 0; i < PMG_ARRAY_LEN(own_parts); i++) {
		if (own_parts[i].next &&
		    (!policy->is_python || astray || !is_next(argument, own_parts[i].next, next)))
			continue;
		if (own_parts[i].argument ? pmg_str_has_prefix(name, own_parts[i].program) &&
						    is_argument(argument, own_parts[i].argument)
					  : pmg_streq(name, own_parts[i].program))
			return true;
	}
	return false;
}

/* A hook of a build backend (PEP 517) as pip starts it, or the older setup.py. */
static const char *build_script(const char *argument, const char *next)
{
	if (pmg_str_has_suffix(argument, "/_in_process.py"))
		return next;
	if (pmg_streq(pmg_path_name(argument), "setup.py") ||
	    (pmg_streq(argument, "-c") && strstr(next, "setup.py")))
		return "setup.py";
	return NULL;
}

static void read_arguments(const struct pmg_policy *policy, pid_t tid,
			   const struct pmg_who_start *start, struct pmg_started *out)
{
	uint64_t argv[ARGS_READ] = { 0 };
	const char *name = pmg_path_name(start->program);
	char argument[TEXT_MAX], next[TEXT_MAX];
	const char *script;
	size_t i;
	bool ended = false;

	if (!start->argv || pmg_notify_read(tid, start->argv, argv, sizeof argv) < 0)
		return;
	for (i = 0; i < ARGS_READ; i++) {
		ended = ended || argv[i] == 0;
		argv[i] = ended ? 0 : argv[i];
	}
	read_some(tid, argv[1], argument, sizeof argument);
	read_some(tid, argv[2], next, sizeof next);
	out->is_own_part = is_own_part(
		policy, start->program,
		argument[0] == '-' && is_led_astray(policy, tid, start, out->cwd), argument, next);
	out->is_git = out->is_own_part &&
		      (strcmp(name, "git") == 0 || pmg_str_has_prefix(name, "git-remote-"));
	out->is_gits_own = out->is_git && is_gits_own(name, argument, next);
	script = build_script(argument, next);
	if (script)
		out->script = pmg_xstrdup(script);
}

static void claim(char **to, const char *variable, const char *name, size_t max)
{
	size_t len = strlen(name);

	if (!*to && strncmp(variable, name, len) == 0 && variable[len] &&
	    strlen(variable + len) <= max)
		*to = pmg_xstrdup(variable + len);
}

static bool read_variable(pid_t tid, uint64_t address, void *ctx)
{
	struct pmg_started *out = ctx;
	char start[5], text[TEXT_MAX];

	read_some(tid, address, start, sizeof start);
	if (!pmg_streq(start, "npm_"))
		return true; /* values are nothing of ours: not even copied */
	read_some(tid, address, text, sizeof text);
	claim(&out->claim.name, text, "npm_package_name=", PMG_PACKAGE_NAME_MAX);
	claim(&out->claim.version, text, "npm_package_version=", PMG_PACKAGE_VER_MAX);
	claim(&out->script, text, "npm_lifecycle_event=", PMG_PACKAGE_VER_MAX);
	return true;
}

bool pmg_started_read(struct pmg_broker *broker, pid_t tid, const struct pmg_who_start *start,
		      const char *folder, struct pmg_started *out)
{
	pmg_autofd int cwd = pmg_procfs_follow(broker->proc, tid, "cwd");
	char path[PATH_SIZE];

	if (cwd >= 0 && pmg_procfs_fd_path(broker->proc, cwd, path, sizeof path) > 0)
		out->cwd = pmg_xstrdup(path);
	if (out->cwd && pmg_streq(out->cwd, folder))
		return false;
	read_arguments(broker->policy, tid, start, out);
	if (out->is_own_part)
		return true;
	walk_environment(tid, start->envp, read_variable, out);
	if (out->cwd)
		(void)pmg_package_of(broker->policy, cwd, out->cwd, &out->package);
	return true;
}
