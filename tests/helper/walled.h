#ifndef PMG_TESTS_HELPER_WALLED_H
#define PMG_TESTS_HELPER_WALLED_H
/**
 * A run behind walls, for tests: a project, a HOME and the run's folders below one folder; a policy
 * that lets programs of the system and the test itself be started, the project be read and its
 * folder "deps" be written, and hides ".env".
 */
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../helper/child.h"
#include "../helper/folder.h"
#include "base/env.h"
#include "base/log.h"
#include "sandbox/sandbox.h"
#include "violation/wire.h"

/* Leaks are looked for by tracing one's own threads, and nobody traces anything within walls. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

#define WALLED_MS 20000 /* after which nothing comes any more */

struct walled {
	char *top;
	char *project, *home, *tmp, *run_dir, *self;
	struct pmg_policy *policy;
	struct pmg_strv env;
	struct pmg_sandbox sandbox;
	/* What was said. */
	bool walls, started, stopped, ended;
	bool failed;
	struct pmg_err why; /* of FAILED */
	int status;
	size_t denied;
	pid_t pid; /* of the tool */
	size_t n_listeners;
};

static inline void walled_allow(struct walled *walled, enum pmg_access access, enum pmg_rank rank,
				const char *text)
{
	struct pmg_policy_rule rule = { .access = access,
					.rank = rank,
					.layer = PMG_LAYER_BUILTIN,
					.roles = PMG_ROLE_ANY,
					.source = (char *)(uintptr_t) "test",
					.text = (char *)(uintptr_t)text };
	struct pmg_err err = PMG_ERR_INIT;

	if (pmg_policy_add(walled->policy, &rule, &err) < 0) {
		fprintf(stderr, "%s\n", err.msg);
		_exit(99);
	}
}

static inline void walled_allow_below(struct walled *walled, enum pmg_access access,
				      enum pmg_rank rank, const char *dir, const char *rest)
{
	pmg_autofree char *text = pmg_xasprintf("%s/%s", dir, rest);

	walled_allow(walled, access, rank, text);
}

static inline void walled_policy(struct walled *walled)
{
	static const char *const system_trees[] = { "/usr/**", "/lib/**", "/lib64/**",
						    "/bin/**", "/etc/**", "/proc/**" };
	size_t i;

	walled->policy = pmg_policy_new();
	walled->policy->profile = pmg_xstrdup("test");
	walled->policy->project = pmg_xstrdup(walled->project);
	walled->policy->cwd = pmg_xstrdup(walled->project);
	walled->policy->home = pmg_xstrdup(walled->home);
	for (i = 0; i < PMG_ARRAY_LEN(system_trees); i++) {
		walled_allow(walled, PMG_ACCESS_READ, PMG_RANK_ALLOW, system_trees[i]);
		walled_allow(walled, PMG_ACCESS_EXEC, PMG_RANK_ALLOW, system_trees[i]);
	}
	walled_allow(walled, PMG_ACCESS_EXEC, PMG_RANK_ALLOW, walled->self);
	walled_allow(walled, PMG_ACCESS_READ, PMG_RANK_ALLOW, walled->self);
	walled_allow(walled, PMG_ACCESS_READ, PMG_RANK_ALLOW, "/tmp/**");
	walled_allow(walled, PMG_ACCESS_WRITE, PMG_RANK_ALLOW, "/tmp/**");
	walled_allow(walled, PMG_ACCESS_READ, PMG_RANK_ALLOW, "/dev/**");
	walled_allow(walled, PMG_ACCESS_WRITE, PMG_RANK_ALLOW, "/dev/null");
	walled_allow_below(walled, PMG_ACCESS_READ, PMG_RANK_ALLOW, walled->project, "**");
	walled_allow_below(walled, PMG_ACCESS_WRITE, PMG_RANK_ALLOW, walled->project, "deps/**");
	walled_allow_below(walled, PMG_ACCESS_READ, PMG_RANK_MANDATORY_DENY, walled->project,
			   "**/.env");
	walled_allow_below(walled, PMG_ACCESS_READ, PMG_RANK_ALLOW, walled->run_dir, "**");
}

static inline int walled_reach(void)
{
	return access(getenv("TMPDIR"), W_OK | X_OK) < 0;
}

static inline void walled_copy(const char *from, const char *to)
{
	pmg_autofree char *bytes = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	size_t len;

	if (pmg_io_slurp(from, 1U << 30, &bytes, &len, &err) < 0 ||
	    pmg_io_replace(to, bytes, len, 0755, &err) < 0) {
		fprintf(stderr, "%s\n", err.msg);
		exit(99);
	}
}

/**
 * First thing in main: $TMPDIR becomes a folder that an ordinary user too can reach by its whole
 * path, and that is not below what a run has replaced. The build's if it is one.
 * @param[out] self  path of this program there, PATH_MAX bytes
 * @return the folder, for folder_free()
 */
static inline char *walled_place(char *self)
{
	pmg_autofree char *build = pmg_path_real(".");
	char *place = pmg_xasprintf("%s/pmg-test.XXXXXX", build);
	pmg_autofree char *copy = NULL;

	if (!mkdtemp(place) || chmod(place, 0777) < 0 || setenv("TMPDIR", place, 1) < 0)
		exit(99);
	if (in_child(walled_reach, true) != 0 || pmg_path_is_under(place, "/tmp") ||
	    pmg_path_is_under(place, "/var/tmp")) {
		(void)rmdir(place);
		free(place);
		place = pmg_xstrdup("/var/lib/pmg-test.XXXXXX");
		if (!mkdtemp(place) || chmod(place, 0777) < 0 || setenv("TMPDIR", place, 1) < 0) {
			fprintf(stderr, "skip: no folder for an ordinary user\n");
			exit(getenv("PMG_MUST_WORK") ? 1 : 77);
		}
	}
	copy = pmg_path_join(place, "self");
	walled_copy("/proc/self/exe", copy);
	(void)snprintf(self, PATH_MAX, "%s", copy);
	return place;
}

/**
 * In the process that is to be the front; as an ordinary user after child_become_ordinary().
 * @param self  program of the test, absolute
 */
static inline void walled_begin(struct walled *walled, const char *self)
{
	pmg_autofree char *deps = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	*walled = (struct walled){ .sandbox = PMG_SANDBOX_INIT };
	walled->top = folder_new();
	walled->project = pmg_path_join(walled->top, "home/project");
	walled->home = pmg_path_join(walled->top, "home");
	walled->tmp = pmg_path_join(walled->top, "run/tmp");
	walled->run_dir = pmg_path_join(walled->top, "run/dir");
	walled->self = pmg_xstrdup(self);
	deps = pmg_path_join(walled->project, "deps");
	if (pmg_io_mkdirs(deps, 0700, &err) < 0 || pmg_io_mkdirs(walled->tmp, 0700, &err) < 0 ||
	    pmg_io_mkdirs(walled->run_dir, 0700, &err) < 0) {
		fprintf(stderr, "%s\n", err.msg);
		_exit(99);
	}
	folder_write(walled->project, ".env", "secret", 6);
	folder_write(walled->project, "open", "open", 4);
	walled_policy(walled);
	pmg_env_set(&walled->env, "PATH", "/usr/bin:/bin");
	pmg_env_set(&walled->env, "HOME", walled->home);
	pmg_env_set(&walled->env, "TMPDIR", "/tmp");
}

static inline void walled_end(struct walled *walled)
{
	pmg_sandbox_done(&walled->sandbox);
	pmg_policy_free(walled->policy);
	pmg_strv_done(&walled->env);
	folder_free(walled->top);
	free(walled->project);
	free(walled->home);
	free(walled->tmp);
	free(walled->run_dir);
	free(walled->self);
}

static inline void walled_start(struct walled *walled, char *const *argv, unsigned without)
{
	struct pmg_sandbox_want want = { .driver = &pmg_driver_full,
					 .policy = walled->policy,
					 .program = argv[0],
					 .argv = argv,
					 .envp = pmg_strv_argv(&walled->env),
					 .cwd = walled->project,
					 .tmp = walled->tmp,
					 .run_dir = walled->run_dir,
					 .proxy_fd = -1,
					 .debug = getenv("WALLED_DEBUG") != NULL,
					 .without = without | PMG_WITHOUT_PROXY };
	struct pmg_err err = PMG_ERR_INIT;
	sigset_t none;

	(void)sigemptyset(&none);
	want.mask = &none;
	pmg_policy_seal(walled->policy);
	pmg_log_enable("walled", want.debug);
	if (pmg_sandbox_start(&want, &walled->sandbox, &err) < 0) {
		fprintf(stderr, "%s\n", err.msg);
		_exit(99);
	}
}

static inline void walled_take(struct walled *walled, struct pmg_msg *msg)
{
	struct pmg_err err = PMG_ERR_INIT;
	struct pmg_wire_started started = { 0 };
	struct pmg_wire_ended ended = { 0 };

	if (msg->type == PMG_WIRE_WALLS) {
		walled->walls = true;
		walled->n_listeners = msg->n_fds;
	} else if (msg->type == PMG_WIRE_STARTED && msg->n_fds == 1 &&
		   pmg_wire_started_decode(msg->body, &started, &err) == 0) {
		walled->started = true;
		walled->pid = started.pid;
		walled->sandbox.tool_fd = pmg_steal_fd(&msg->fds[0]);
	} else if (msg->type == PMG_WIRE_FAILED) {
		walled->failed = pmg_wire_failed_decode(msg->body, &walled->why, &err) == 0;
	} else if (msg->type == PMG_WIRE_STOPPED) {
		walled->stopped = true;
	} else if (msg->type == PMG_WIRE_DENIED) {
		walled->denied++;
	} else if (msg->type == PMG_WIRE_ENDED &&
		   pmg_wire_ended_decode(msg->body, &ended, &err) == 0) {
		walled->ended = true;
		walled->status = ended.status;
	}
}

/** One message. @return its type; 0: nothing more comes */
static inline int walled_hear(struct walled *walled)
{
	struct pollfd fd = { .fd = walled->sandbox.fd, .events = POLLIN };
	pmg_auto(msg) struct pmg_msg msg = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	if (poll(&fd, 1, WALLED_MS) != 1) {
		fprintf(stderr, "nothing was said for long\n");
		return 0;
	}
	if (pmg_msg_recv(walled->sandbox.fd, &msg, &err) != 1)
		return 0;
	walled_take(walled, &msg);
	return msg.type;
}

/** Until a message of this type, or until nothing more comes. @return true: it came */
static inline bool walled_until(struct walled *walled, int type)
{
	int heard;

	do
		heard = walled_hear(walled);
	while (heard != 0 && heard != type);
	return heard == type;
}

static inline void walled_go(struct walled *walled)
{
	struct pmg_err err = PMG_ERR_INIT;

	if (walled_until(walled, PMG_WIRE_WALLS))
		(void)!pmg_sandbox_go(&walled->sandbox, &err);
}

/** From start to end. */
static inline void walled_run(struct walled *walled, char *const *argv, unsigned without)
{
	walled_start(walled, argv, without);
	walled_go(walled);
	(void)walled_until(walled, PMG_WIRE_ENDED);
}

#endif
