#include "tests/helper/broker.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/procfs.h"
#include "sandbox/walls_priv.h"

#define HARD_ERROR 99 /* automake: the test could not be made */

static void must(bool holds, const char *what)
{
	if (holds)
		return;
	perror(what);
	_exit(HARD_ERROR);
}

void broker_rule(struct pmg_policy *policy, enum pmg_access access, enum pmg_rank rank,
		 const char *pattern)
{
	struct pmg_policy_rule rule = { .access = access,
					.rank = rank,
					.layer = PMG_LAYER_BUILTIN,
					.roles = PMG_ROLE_ANY,
					.sensitive = rank == PMG_RANK_MANDATORY_DENY };
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *text = pmg_xstrdup(pattern);
	pmg_autofree char *source = pmg_xstrdup("test:1");

	rule.text = text;
	rule.source = source;
	must(pmg_policy_add(policy, &rule, &err) == 0, pattern);
}

struct pmg_policy *broker_policy(const char *project)
{
	struct pmg_policy *policy = pmg_policy_new();

	policy->profile = pmg_xstrdup("test");
	policy->project = pmg_xstrdup(project);
	policy->cwd = pmg_xstrdup(project);
	policy->home = pmg_xstrdup("/nonexistent");
	pmg_strv_add(&policy->dependency_names, "node_modules");
	broker_rule(policy, PMG_ACCESS_READ, PMG_RANK_ALLOW, "/**");
	broker_rule(policy, PMG_ACCESS_WRITE, PMG_RANK_ALLOW, "/**");
	broker_rule(policy, PMG_ACCESS_EXEC, PMG_RANK_ALLOW, "/**");
	return policy;
}

void *broker_shared(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	must(p != MAP_FAILED, "mmap");
	return p;
}

int broker_bare_child(void (*body)(void *arg), void *arg)
{
	int status = 0;
	pid_t pid = fork();

	must(pid >= 0, "fork");
	if (pid == 0) {
		body(arg);
		_exit(0);
	}
	must(waitpid(pid, &status, 0) == pid, "waitpid");
	return status;
}

static struct pmg_seccomp_code filter(void)
{
	struct pmg_seccomp_code code = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	if (pmg_walls_filter(false, &code, &err) < 0) {
		(void)fprintf(stderr, "%s\n", err.msg);
		_exit(HARD_ERROR);
	}
	return code;
}

/* Tells which of its descriptors is the listener, and waits until it is served. */
static void child(const struct pmg_seccomp_code *code, const int up[2], const int down[2],
		  void (*body)(void *arg), void *arg)
{
	struct pmg_err err = PMG_ERR_INIT;
	int listener = -1;
	char c;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)close(up[0]);
	(void)close(down[1]);
	must(pmg_seccomp_enter(code, &listener, &err) == 0, err.msg);
	must(write(up[1], &listener, sizeof listener) == sizeof listener, "pipe");
	must(read(down[0], &c, 1) == 1, "pipe");
	(void)close(listener);
	(void)close(up[1]);
	(void)close(down[0]);
	body(arg);
	_exit(0);
}

static int listener_of(pid_t pid, int number)
{
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	int fd = (int)syscall(SYS_pidfd_getfd, pidfd, number, 0);

	must(fd >= 0, "pidfd_getfd");
	(void)close(pidfd);
	return fd;
}

static void *serve(void *arg)
{
	struct pmg_err err = PMG_ERR_INIT;

	if (pmg_broker_serve(arg, -1, &err) < 0)
		(void)fprintf(stderr, "broker: %s\n", err.msg);
	return NULL;
}

static void start(struct pmg_broker *broker, pid_t pid, const struct pmg_policy *policy)
{
	struct pmg_err err = PMG_ERR_INIT;

	broker->policy = policy;
	broker->wire = -1;
	broker->proxy = -1;
	broker->proc = pmg_procfs_open(&err);
	must(broker->proc >= 0, err.msg);
	broker->run_proc = broker->proc;
	broker->first = pid;
	broker->who = pmg_who_table_new(broker->proc, pid);
}

int broker_serve_child(const struct pmg_policy *policy, void (*prepare)(struct pmg_broker *broker),
		       void (*body)(void *arg), void *arg, struct pmg_events *events)
{
	struct pmg_broker *broker = pmg_xcalloc(1, sizeof *broker);
	pmg_auto(seccomp_code) struct pmg_seccomp_code code = filter();
	int up[2], down[2], number = -1, status = 0;
	pthread_t thread;
	pid_t pid;

	must(pipe2(up, O_CLOEXEC) == 0 && pipe2(down, O_CLOEXEC) == 0, "pipe");
	pid = fork();
	must(pid >= 0, "fork");
	if (pid == 0)
		child(&code, up, down, body, arg);
	(void)close(up[1]);
	must(read(up[0], &number, sizeof number) == sizeof number, "the child's listener");
	start(broker, pid, policy);
	broker->listener = listener_of(pid, number);
	if (prepare)
		prepare(broker);
	must(pthread_create(&thread, NULL, serve, broker) == 0, "thread");
	must(write(down[1], "x", 1) == 1, "pipe");
	must(waitpid(pid, &status, 0) == pid, "waitpid");
	must(pthread_join(thread, NULL) == 0, "thread");
	(void)close(up[0]);
	(void)close(down[0]);
	(void)close(down[1]);
	(void)close(broker->listener);
	(void)close(broker->proc);
	pmg_who_table_free(broker->who);
	*events = broker->events;
	free(broker);
	return status;
}
