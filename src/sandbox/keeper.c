#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel/mounts.h"
#include "kernel/netlink.h"
#include "kernel/ns.h"
#include "kernel/procfs.h"
#include "sandbox/lockdown.h"
#include "sandbox/walls_priv.h"

/* What root keeps in the run: to install as root means to give files away and set their modes. */
#define ROOT_KEEPS                                                                                 \
	(1ULL << CAP_CHOWN | 1ULL << CAP_DAC_OVERRIDE | 1ULL << CAP_FOWNER | 1ULL << CAP_FSETID)

#define LOOK_MS  1000 /* between looks at the masks when no event tells */
#define AGAIN_MS 5

struct keeper {
	const struct pmg_sandbox_want *want;
	pid_t front;
	int wire;
	int mountinfo;
	int fds[PMG_MSG_FDS_MAX]; /* listeners */
	size_t n_fds;
	struct pmg_wire_walls walls;
	struct pmg_masks *masks;
	struct pmg_canary canary;
	struct pmg_seccomp_code filter;
	struct pmg_broker_setup setup;
};

static const char *const ns_names[PMG_WALLS_NS_MAX] = {
	[PMG_WALLS_MNT] = "self/ns/mnt",   [PMG_WALLS_NET] = "self/ns/net",
	[PMG_WALLS_IPC] = "self/ns/ipc",   [PMG_WALLS_PID] = "self/ns/pid",
	[PMG_WALLS_USER] = "self/ns/user",
};

static int look_at_host(struct keeper *keeper, struct pmg_err *err)
{
	struct stat st;
	size_t i;

	keeper->setup.proc = pmg_procfs_open(err);
	if (keeper->setup.proc < 0)
		return keeper->setup.proc;
	for (i = 0; i < PMG_WALLS_NS_MAX; i++) {
		if (fstatat(keeper->setup.proc, ns_names[i], &st, 0) < 0)
			return pmg_err_set(err, PMG_E_SYS, errno, "stat /proc/%s", ns_names[i]);
		keeper->setup.host[i] = st.st_ino;
	}
	return 0;
}

static int enter(struct keeper *keeper, struct pmg_err *err)
{
	unsigned without = keeper->want->without;
	int flags = CLONE_NEWNS;
	int r;

	if (!(without & PMG_WITHOUT_NETWORK))
		flags |= CLONE_NEWNET;
	if (!(without & PMG_WITHOUT_IPC))
		flags |= CLONE_NEWIPC;
	r = pmg_ns_enter(flags, &keeper->setup.own_user, err);
	if (r == 0) /* the new rights have undone it */
		r = pmg_walls_die_with(keeper->front, err);
	if (r == 0)
		r = pmg_mount_private(err);
	/* Only the host's root may set it, even for a pid namespace of its own. */
	keeper->setup.has_memfd_noexec =
		!keeper->setup.own_user &&
		faccessat(keeper->setup.proc, "sys/vm/memfd_noexec", F_OK, 0) == 0;
	pmg_walls_stage(keeper->want, "namespaces");
	return r;
}

static int network(struct keeper *keeper, struct pmg_err *err)
{
	int r;

	if (keeper->want->without & PMG_WITHOUT_NETWORK)
		return 0;
	r = pmg_netlink_all_local(err);
	if (r == 0)
		r = pmg_walls_listen(keeper->want->policy, &keeper->walls, keeper->fds,
				     &keeper->n_fds, err);
	pmg_walls_stage(keeper->want, "network");
	return r;
}

/* For root these are the host's: core_pattern alone would be a way out. */
static int host_readonly(const struct keeper *keeper, struct pmg_err *err)
{
	return keeper->setup.own_user ? 0 : pmg_mount_readonly("/sys", err);
}

static int files(struct keeper *keeper, struct pmg_err *err)
{
	const struct pmg_sandbox_want *want = keeper->want;
	struct pmg_strv *notes = &keeper->walls.notes;
	pmg_auto(subtrees) struct pmg_subtrees subtrees = { 0 };
	bool mixed = false;
	int r = 0;

	pmg_policy_subtrees(want->policy, &subtrees);
	if (!(want->without & PMG_WITHOUT_CANARY)) {
		r = pmg_canary_prepare(want, &subtrees, &keeper->canary, err);
		keeper->setup.canary = &keeper->canary;
	}
	if (r == 0 && !(want->without & PMG_WITHOUT_PRIVATE))
		r = pmg_walls_private(want, &subtrees, &mixed, notes, err);
	if (r == 0)
		r = host_readonly(keeper, err);
	pmg_walls_stage(want, "private folders");
	if (r == 0 && !(want->without & PMG_WITHOUT_MASKS))
		r = pmg_masks_make(want->policy, &keeper->masks, notes, err);
	pmg_walls_stage(want, "masks");
	if (r == 0 && keeper->masks && keeper->setup.canary)
		r = pmg_masks_hide(keeper->masks, keeper->canary.secret, err);
	if (r == 0)
		r = pmg_walls_domains(want, &subtrees, mixed, keeper->setup.proc,
				      &keeper->setup.outer, &keeper->setup.inner, err);
	if (r == 0)
		pmg_walls_degraded(pmg_landlock_handled(keeper->setup.outer), notes);
	pmg_walls_stage(want, "Landlock");
	return r;
}

/* The listeners are pmg-proxy's from now on; nobody here keeps one. */
static int tell_front(struct keeper *keeper, struct pmg_err *err)
{
	pmg_auto(json) struct json_t *body = pmg_wire_walls_encode(&keeper->walls);
	size_t i;
	int r = pmg_msg_send_fds(keeper->wire, PMG_WIRE_WALLS, body, keeper->fds, keeper->n_fds,
				 err);

	for (i = 0; i < keeper->n_fds; i++)
		(void)close(keeper->fds[i]);
	keeper->n_fds = 0;
	pmg_walls_stage(keeper->want, "told");
	return r;
}

/* Who asked the front's driver by mistake, or a front that is not what it was, gets no walls. */
static int check_lockdown(const struct keeper *keeper, struct pmg_err *err)
{
	const struct pmg_sandbox_want *want = keeper->want;

	if (want->without & PMG_WITHOUT_PROXY)
		return 0;
	return pmg_lockdown_check(want->policy, want->driver, want->proxy, want->proxy_fd, err);
}

static int set_up(struct keeper *keeper, struct pmg_err *err)
{
	int r = check_lockdown(keeper, err);

	if (r == 0)
		r = look_at_host(keeper, err);
	if (r == 0)
		r = enter(keeper, err);
	if (r == 0)
		r = network(keeper, err);
	if (r == 0)
		r = files(keeper, err);
	if (r == 0)
		r = tell_front(keeper, err);
	if (r == 0)
		r = pmg_walls_filter(keeper->setup.has_memfd_noexec, &keeper->filter, err);
	pmg_walls_stage(keeper->want, "filter");
	if (r == 0 && keeper->setup.own_user)
		r = pmg_ns_no_more_users(err);
	if (r == 0) {
		keeper->mountinfo =
			openat(keeper->setup.proc, "self/mountinfo", O_RDONLY | O_CLOEXEC);
		if (keeper->mountinfo < 0)
			r = pmg_err_set(err, PMG_E_SYS, errno, "open mountinfo");
	}
	return r;
}

/* @return pidfd of the broker, or -code */
static int start_broker(struct keeper *keeper, struct pmg_err *err)
{
	struct pmg_broker_setup *setup = &keeper->setup;
	pid_t pid;
	int fd;

	setup->want = keeper->want;
	setup->filter = &keeper->filter;
	setup->secrets = keeper->masks ? pmg_masks_inodes(keeper->masks) : NULL;
	setup->script_secrets = keeper->masks ? pmg_masks_script_inodes(keeper->masks) : NULL;
	setup->hidden_dev = keeper->masks ? pmg_masks_dev(keeper->masks) : 0;
	setup->wire = keeper->wire;
	setup->caps = setup->own_user ? 0 : ROOT_KEEPS & pmg_caps_effective();
	setup->keeper = getpid();
	pid = fork();
	if (pid < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "fork");
	if (pid == 0) {
		(void)close(keeper->mountinfo);
		pmg_broker_main(setup);
	}
	fd = (int)syscall(SYS_pidfd_open, pid, 0U);
	return fd < 0 ? pmg_err_set(err, PMG_E_SYS, errno, "pidfd_open") : fd;
}

/* From here on only mounting, and no message: the broker has the wire. */
static int settle(struct keeper *keeper, struct pmg_err *err)
{
	int r = pmg_walls_detach(keeper->want->debug, err);

	if (r == 0)
		r = pmg_caps_keep(1ULL << CAP_SYS_ADMIN, err);
	pmg_landlock_free(pmg_steal_ptr(&keeper->setup.outer));
	pmg_landlock_free(pmg_steal_ptr(&keeper->setup.inner));
	pmg_auto_closep(&keeper->setup.proc);
	pmg_canary_done(&keeper->canary);
	pmg_auto_closep(&keeper->wire);
	if (keeper->want->proxy_fd >= 0)
		(void)close(keeper->want->proxy_fd);
	return r == 0 ? pmg_keeper_confine(err) : r;
}

/* A mask goes when somebody outside renames over its file: the mounts change. */
static int watch(struct keeper *keeper, int broker, struct pmg_err *err)
{
	struct pollfd fds[] = { { .fd = broker, .events = POLLIN },
				{ .fd = keeper->mountinfo, .events = POLLPRI } };
	int r = 0;

	while (r >= 0 && !fds[0].revents) {
		if (poll(fds, PMG_ARRAY_LEN(fds), r > 0 ? AGAIN_MS : LOOK_MS) < 0 && errno != EINTR)
			return pmg_err_set(err, PMG_E_SYS, errno, "poll");
		if (!fds[0].revents && keeper->masks)
			r = pmg_masks_renew(keeper->masks, err);
	}
	return r;
}

void pmg_keeper_main(const struct pmg_sandbox_want *want, int wire)
{
	struct keeper keeper = { .want = want,
				 .front = getppid(),
				 .wire = wire,
				 .mountinfo = -1,
				 .canary = PMG_CANARY_INIT,
				 .setup = { .proc = -1 } };
	struct pmg_err err = PMG_ERR_INIT;
	sigset_t all;
	int broker = -1, r;

	(void)sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, NULL);
	pmg_walls_close_but((const int[]){ wire, want->proxy_fd }, 2);
	pmg_walls_stage(want, "keeper");
	r = set_up(&keeper, &err);
	if (r == 0)
		r = broker = start_broker(&keeper, &err);
	if (r < 0) {
		pmg_walls_failed(wire, &err);
		_exit(PMG_EXIT_INTERNAL);
	}
	r = settle(&keeper, &err);
	if (r == 0)
		r = watch(&keeper, broker, &err);
	if (r < 0)
		pmg_walls_stage(want, err.msg);
	_exit(r < 0 ? PMG_EXIT_INTERNAL : 0); /* the broker, if it lives, dies with us */
}
