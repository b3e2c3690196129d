#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/landlock.h"
#include "kernel/mounts.h"
#include "kernel/netlink.h"
#include "kernel/notify.h"
#include "kernel/ns.h"
#include "sandbox/walls_priv.h"

/* Below it a rename between folders is refused whatever is granted. */
#define LANDLOCK_LEAST 2

#define NAMESPACES "namespaces"

static int try_landlock(struct pmg_err *err)
{
	const struct pmg_landlock_abi *row = NULL;
	int r = pmg_landlock_probe(&row, err);

	if (r < 0)
		return r;
	if (row->version < LANDLOCK_LEAST) {
		(void)pmg_err_set(err, PMG_E_UNSUPPORTED, 0,
				  "Landlock ABI %d, at least %d is needed", row->version,
				  LANDLOCK_LEAST);
		return pmg_err_hint(err, "Linux %s or newer is needed",
				    pmg_landlock_abi_row(LANDLOCK_LEAST)->kernel);
	}
	(void)pmg_err_set(err, PMG_E_UNSUPPORTED, 0, "ABI %d", row->version);
	return 0;
}

static int try_namespaces(struct pmg_err *err)
{
	bool own_user = false;
	int r = pmg_ns_enter(CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC, &own_user, err);

	if (r < 0)
		return r;
	(void)pmg_err_set(err, PMG_E_UNSUPPORTED, 0, "%s",
			  own_user ? "with a user namespace" : "as root, without a user namespace");
	return 0;
}

static int try_mounts(struct pmg_err *err)
{
	int fd, r = pmg_mount_private(err);

	if (r < 0)
		return r;
	fd = pmg_mount_empty(err);
	pmg_auto_closep(&fd);
	return fd < 0 ? fd : 0;
}

/* In a pid namespace of its own, which only a child is in. */
static int try_proc(struct pmg_err *err)
{
	int status;
	pid_t pid = (pid_t)syscall(SYS_clone, (unsigned long)(CLONE_NEWPID | SIGCHLD), NULL, NULL,
				   NULL, 0UL);

	if (pid < 0)
		return pmg_err_set(err, PMG_E_UNSUPPORTED, errno, "no new pid namespace");
	if (pid == 0)
		_exit(pmg_mount_proc(err) < 0);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	(void)pmg_err_set(err, PMG_E_UNSUPPORTED, 0, "a fresh /proc may not be mounted here");
	return pmg_err_hint(err, "in a container parts of /proc are hidden, and then the kernel "
				 "lets nobody mount it anew: run the container with all of it");
}

/* Each is tried after those above it, in the same child. Those that need the new namespaces are not
 * tried without: as root they would do to the host what is meant for the run. */
static const struct {
	const char *id;
	int (*try)(struct pmg_err *err); /* on success err->msg may say more */
	unsigned caps;                   /* that are lost without it */
	bool inside;
} steps[] = {
	{ "landlock", try_landlock, PMG_CAP_FS, false },
	{ "seccomp", pmg_notify_probe, PMG_CAP_FS | PMG_CAP_NET | PMG_CAP_REPORT, false },
	{ NAMESPACES, try_namespaces, PMG_CAP_FS | PMG_CAP_NET, false },
	{ "mounts", try_mounts, PMG_CAP_FS, true },
	{ "network", pmg_netlink_all_local, PMG_CAP_NET, true },
	{ "proc", try_proc, PMG_CAP_FS, true },
};

struct finding {
	bool works;
	struct pmg_err err;
};

static void try_step(size_t i, bool entered, struct finding *out)
{
	*out = (struct finding){ .err = { .code = PMG_E_UNSUPPORTED } };
	if (steps[i].inside && !entered)
		(void)pmg_err_set(&out->err, PMG_E_UNSUPPORTED, 0,
				  "not tried: there are no namespaces");
	else
		out->works = steps[i].try(&out->err) >= 0;
}

static void try_all(pid_t parent, int report)
{
	struct finding finding;
	bool entered = false;
	size_t i;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 || getppid() != parent)
		_exit(1);
	for (i = 0; i < PMG_ARRAY_LEN(steps); i++) {
		try_step(i, entered, &finding);
		if (strcmp(steps[i].id, NAMESPACES) == 0)
			entered = finding.works;
		if (write(report, &finding, sizeof finding) != (ssize_t)sizeof finding)
			break;
	}
	_exit(0);
}

static void take(struct pmg_probe *probe, size_t step, const struct finding *finding)
{
	const char *detail = finding->err.msg;
	struct pmg_probe_item *item;

	if (!*detail)
		detail = finding->works ? "yes" : "no";
	probe->items = pmg_grow(probe->items, probe->n, &probe->cap, sizeof *probe->items);
	item = &probe->items[probe->n++];
	*item = (struct pmg_probe_item){ steps[step].id, finding->works, pmg_xstrdup(detail) };
	if (finding->works)
		return;
	probe->caps &= ~steps[step].caps;
	if (probe->missing)
		return; /* what follows may fail because of this one */
	probe->missing = pmg_xstrdup(detail);
	if (finding->err.hint[0])
		probe->hint = pmg_xstrdup(finding->err.hint);
}

static void hear(struct pmg_probe *probe, int report)
{
	static const struct finding silent = { .err = { .msg = "it could not be tried" } };
	struct finding finding;
	size_t i;
	ssize_t n;

	for (i = 0; i < PMG_ARRAY_LEN(steps); i++) {
		do
			n = read(report, &finding, sizeof finding);
		while (n < 0 && errno == EINTR);
		take(probe, i, n == (ssize_t)sizeof finding ? &finding : &silent);
	}
}

static int probe_full(struct pmg_probe *out, struct pmg_err *err)
{
	pid_t parent = getpid(), child;
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "pipe");
	child = fork();
	if (child == 0)
		try_all(parent, fds[1]);
	(void)close(fds[1]);
	if (child < 0) {
		(void)close(fds[0]);
		return pmg_err_set(err, PMG_E_SYS, errno, "fork");
	}
	out->caps = PMG_CAP_FS | PMG_CAP_NET | PMG_CAP_REPORT;
	hear(out, fds[0]);
	(void)close(fds[0]);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	return 0;
}

const struct pmg_driver pmg_driver_full = {
	.name = "full",
	.locks_network = true,
	.probe = probe_full,
	.keep = pmg_keeper_main,
};
