#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/ns.h"
#include "kernel/uapi.h"
#include "sandbox/walls_priv.h"

/*
 * The broker process, but for what it decides (loop.c). This thread starts the others and waits;
 * it is the parent of pid 1 and of the tool, whose "die with the parent" holds for the thread that
 * started them, so it must be the last to end.
 */

struct life {
	const struct pmg_broker_setup *setup;
	struct pmg_broker broker;
	struct pmg_reaper reaper;
	pid_t first;  /* init, then the tool */
	int first_fd; /* pidfd of it */
	int link;     /* to init; -1 once it is the tool */
	int stop;     /* readable: stop serving */
	int served;   /* readable: serving has ended */
	int children;
	pthread_t server;
	bool serves;
	bool proved, go, started;
	bool ending; /* pid 1 was asked to end all */
	bool ended;  /* the tool has, with status */
	bool lost;   /* because pid 1 was ended, by somebody outside */
	int status;
};

/* In the broker's Landlock domain already, and with its rights still: joins the run's pid
 * namespace and leaves init to the broker as its child. The broker itself cannot do so: who has
 * children in another pid namespace may start no thread. */
static void starter_main(const struct life *life, int link, int report)
{
	pid_t pid = -1;

	if (setns(life->reaper.ns, CLONE_NEWPID) == 0)
		pid = (pid_t)syscall(SYS_clone, (unsigned long)CLONE_PARENT, NULL, NULL, NULL, 0UL);
	if (pid == 0)
		pmg_init_main(life->setup, link);
	if (pid < 0)
		pid = -errno;
	_exit(write(report, &pid, sizeof pid) == (ssize_t)sizeof pid ? 0 : 1);
}

static int run_starter(struct life *life, int link, const int report[2], struct pmg_err *err)
{
	pid_t starter = fork(), pid = -1;

	if (starter == 0)
		starter_main(life, link, report[1]);
	(void)close(report[1]);
	if (starter < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "fork");
	if (read(report[0], &pid, sizeof pid) != (ssize_t)sizeof pid || pid < 0)
		return pmg_err_set(err, PMG_E_SYS, pid < 0 ? -pid : 0,
				   "start a process in the run's pid namespace");
	while (waitpid(starter, NULL, 0) < 0 && errno == EINTR)
		;
	life->first = pid;
	return 0;
}

static int start_init(struct life *life, struct pmg_err *err)
{
	pmg_autofd int theirs = -1;
	pmg_autofd int rd = -1;
	int link[2], report[2], r;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, link) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "socketpair");
	life->link = link[0];
	theirs = link[1];
	if (pipe2(report, O_CLOEXEC) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "pipe");
	rd = report[0];
	r = run_starter(life, theirs, report, err);
	if (r < 0)
		return r;
	life->first_fd = (int)syscall(SYS_pidfd_open, life->first, 0U);
	if (life->first_fd < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "pidfd_open");
	return 0;
}

/* The run's /proc is there only now that pid 1 has mounted it. */
static int enter_domain(struct life *life, struct pmg_err *err)
{
	const struct pmg_broker_setup *setup = life->setup;
	struct pmg_broker *broker = &life->broker;
	int r;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "set no_new_privs");
	broker->run_proc = open("/proc", O_PATH | O_CLOEXEC);
	if (broker->run_proc < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "open the run's /proc");
	r = pmg_landlock_allow_fd(setup->outer, broker->run_proc, "/proc",
				  PMG_LANDLOCK_READ | LANDLOCK_ACCESS_FS_WRITE_FILE, err);
	if (r == 0)
		r = pmg_landlock_allow_fd(setup->inner, broker->run_proc, "/proc",
					  PMG_LANDLOCK_READ, err);
	if (r == 0 && !(setup->want->without & PMG_WITHOUT_LANDLOCK))
		r = pmg_landlock_restrict(setup->outer, err);
	return r;
}

static int make_descriptors(struct life *life, struct pmg_err *err)
{
	sigset_t child;

	(void)sigemptyset(&child);
	(void)sigaddset(&child, SIGCHLD);
	life->children = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
	life->stop = eventfd(0, EFD_CLOEXEC);
	life->served = eventfd(0, EFD_CLOEXEC);
	if (life->children < 0 || life->stop < 0 || life->served < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "make descriptors");
	return 0;
}

static int make_broker(struct life *life, struct pmg_err *err)
{
	const struct pmg_broker_setup *setup = life->setup;
	struct pmg_broker *broker = &life->broker;

	if (pthread_rwlock_init(&broker->moves, NULL) != 0 ||
	    pthread_mutex_init(&broker->lock, NULL) != 0)
		return pmg_err_set(err, PMG_E_SYS, 0, "make locks");
	broker->policy = setup->want->policy;
	broker->proc = setup->proc;
	broker->proxy = setup->want->proxy_fd;
	broker->first = life->first;
	broker->reaper = life->reaper.pid;
	broker->secrets = setup->secrets;
	broker->script_secrets = setup->script_secrets;
	broker->hidden_dev = setup->hidden_dev;
	broker->who = pmg_who_table_new(broker->proc, life->first);
	if (broker->policy->runs_code)
		pmg_who_table_runs_code(broker->who);
	return 0;
}

static int set_up(struct life *life, struct pmg_err *err)
{
	const struct pmg_broker_setup *setup = life->setup;
	int r = pmg_walls_die_with(setup->keeper, err);

	if (r == 0)
		r = pmg_reaper_start(setup, &life->reaper, err);
	pmg_walls_stage(setup->want, "pid 1");
	if (r == 0)
		r = enter_domain(life, err);
	if (r == 0)
		r = start_init(life, err);
	if (r == 0)
		r = pmg_walls_detach(setup->want->debug, err);
	if (r == 0)
		r = pmg_caps_keep(setup->caps | 1ULL << CAP_SYS_PTRACE, err);
	if (r == 0)
		r = make_descriptors(life, err);
	if (r == 0)
		r = make_broker(life, err);
	pmg_walls_stage(setup->want, "broker");
	return r;
}

static void *serve(void *arg)
{
	struct life *life = arg;
	struct pmg_err err = PMG_ERR_INIT;
	uint64_t one = 1;

	/* Whatever ended it: this thread tells, the other one ends the run. */
	if (pmg_broker_serve(&life->broker, life->stop, &err) < 0)
		pmg_walls_stage(life->setup->want, err.msg);
	(void)!write(life->served, &one, sizeof one);
	return NULL;
}

static int start_serving(struct life *life, int number, struct pmg_err *err)
{
	life->broker.listener = (int)syscall(SYS_pidfd_getfd, life->first_fd, number, 0U);
	if (life->broker.listener < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "take the filter's listener");
	if (pthread_create(&life->server, NULL, serve, life) != 0)
		return pmg_err_set(err, PMG_E_SYS, 0, "start a thread");
	life->serves = true;
	return 0;
}

static void stop_serving(struct life *life)
{
	uint64_t one = 1;

	if (!life->serves)
		return;
	(void)!write(life->stop, &one, sizeof one);
	(void)pthread_join(life->server, NULL);
	pmg_broker_flush(&life->broker);
}

/* Pid 1 lets go of its leash when it is ended from outside, before the kernel ends all else. */
static void note_loss(struct life *life)
{
	struct pollfd leash = { .fd = life->reaper.leash };

	if (!life->ending && leash.fd >= 0 && poll(&leash, 1, 0) > 0 && leash.revents & POLLHUP)
		life->lost = true;
}

static void kill_run(struct life *life)
{
	pmg_auto_closep(&life->reaper.leash);
	life->reaper.leash = -1;
}

/* A manager that is asked takes away what it has half made. */
static void end_run(struct life *life)
{
	life->ending = true;
	if (life->reaper.leash >= 0)
		(void)!write(life->reaper.leash, &(const char){ PMG_REAPER_END }, 1);
}

/* The canary tried what is refused; that is nobody's violation. */
static void forget_canary(struct life *life)
{
	struct pmg_broker *broker = &life->broker;

	(void)pthread_mutex_lock(&broker->lock);
	pmg_events_done(&broker->events);
	broker->events = (struct pmg_events){ 0 };
	broker->wire = life->setup->wire;
	(void)pthread_mutex_unlock(&broker->lock);
}

static int answer_init(const struct life *life, struct pmg_err *err)
{
	if (write(life->link, "", 1) != 1)
		return pmg_err_set(err, PMG_E_PEER, errno, "the tool's process is gone");
	return 0;
}

static int send_started(struct life *life, struct pmg_err *err)
{
	const struct pmg_wire_started m = { .pid = life->first };
	pmg_auto(json) struct json_t *body = pmg_wire_started_encode(&m);

	life->started = true;
	pmg_walls_stage(life->setup->want, "started");
	return pmg_msg_send_fds(life->setup->wire, PMG_WIRE_STARTED, body, &life->first_fd, 1, err);
}

static int link_closed(struct life *life, struct pmg_err *err)
{
	pmg_auto_closep(&life->link);
	life->link = -1;
	if (life->proved && life->go)
		return send_started(life, err);
	return pmg_err_set(err, PMG_E_PEER, 0, "the tool's process ended before its program");
}

static int hear_init(struct life *life, struct pmg_err *err)
{
	struct pmg_init_says says;
	ssize_t n = read(life->link, &says, sizeof says);
	int r;

	if (n < 0 && errno == EINTR)
		return 0;
	if (n != (ssize_t)sizeof says)
		return link_closed(life, err);
	switch (says.kind) {
	case PMG_INIT_LISTENER:
		r = start_serving(life, says.listener, err);
		return r == 0 ? answer_init(life, err) : r;
	case PMG_INIT_PROVED:
		life->proved = true;
		forget_canary(life);
		pmg_walls_stage(life->setup->want, "proved");
		return life->go ? answer_init(life, err) : 0;
	case PMG_INIT_FAILED:
		break;
	}
	*err = says.err;
	return -(int)err->code;
}

static int hear_front(struct life *life, struct pmg_err *err)
{
	pmg_auto(msg) struct pmg_msg msg = { 0 };
	int r = pmg_msg_recv(life->setup->wire, &msg, err);

	if (r == 1 && msg.type == PMG_WIRE_GO && !life->go) {
		life->go = true;
		pmg_walls_stage(life->setup->want, "go");
		return life->proved ? answer_init(life, err) : 0;
	}
	if (r == 1 && msg.type == PMG_WIRE_END) {
		end_run(life);
		return 0;
	}
	kill_run(life); /* the front is gone, or it talks nonsense */
	return r < 0 ? r : pmg_err_set(err, PMG_E_PEER, 0, "the front is gone");
}

static int send_stopped(const struct life *life, int sig, struct pmg_err *err)
{
	const struct pmg_wire_stopped m = { .signal = sig };
	pmg_auto(json) struct json_t *body = pmg_wire_stopped_encode(&m);

	return pmg_msg_send(life->setup->wire, PMG_WIRE_STOPPED, body, err);
}

static int hear_children(struct life *life, struct pmg_err *err)
{
	struct signalfd_siginfo info;
	int status, r = 0;

	(void)!read(life->children, &info, sizeof info);
	while (r == 0 && !life->ended &&
	       waitpid(life->first, &status, WNOHANG | WUNTRACED) == life->first) {
		if (WIFSTOPPED(status)) {
			r = life->started ? send_stopped(life, WSTOPSIG(status), err) : 0;
			continue;
		}
		life->ended = true;
		life->status = status;
		note_loss(life);
		end_run(life);
	}
	return r;
}

/* The link first: that the tool started is said before that it ended. */
static int attend(struct life *life, struct pmg_err *err)
{
	struct pollfd fds[] = {
		{ .events = POLLIN }, /* link */
		{ .fd = life->setup->wire, .events = POLLIN },
		{ .fd = life->children, .events = POLLIN },
		{ .fd = life->served, .events = POLLIN },
		{ .fd = life->reaper.pidfd, .events = POLLIN },
	};
	int r = 0;

	while (r == 0 && !fds[4].revents) {
		fds[0].fd = life->link;
		if (poll(fds, PMG_ARRAY_LEN(fds), -1) < 0 && errno != EINTR)
			return pmg_err_set(err, PMG_E_SYS, errno, "poll");
		if (fds[0].fd >= 0 && fds[0].revents)
			r = hear_init(life, err);
		if (r == 0 && fds[1].revents)
			r = hear_front(life, err);
		if (r == 0 && fds[2].revents)
			r = hear_children(life, err);
		if (fds[3].revents) {
			fds[3].fd = -1; /* nobody answers any more: nobody may be left to ask */
			if (!life->ended) {
				note_loss(life);
				kill_run(life);
			}
		}
	}
	return r;
}

static void send_ended(struct life *life)
{
	const struct pmg_wire_ended m = { .status = life->status };
	pmg_auto(json) struct json_t *body = pmg_wire_ended_encode(&m);
	struct pmg_err scratch = PMG_ERR_INIT;

	(void)!pmg_msg_send(life->setup->wire, PMG_WIRE_ENDED, body, &scratch);
	pmg_walls_hang_up(life->setup->wire);
}

/* How the tool ended would look like its own end. */
static void send_lost(const struct life *life)
{
	struct pmg_err err = PMG_ERR_INIT;

	(void)pmg_err_set(&err, PMG_E_PEER, 0,
			  "the sandbox's first process was ended, and the tool with it");
	pmg_walls_failed(life->setup->wire, &err);
}

/* Pid 1 is gone, so the kernel has killed all that was left, and the tool can be waited for. */
static void finish(struct life *life)
{
	while (!life->ended) {
		pid_t pid = waitpid(life->first, &life->status, 0);

		if (pid == life->first || (pid < 0 && errno != EINTR))
			life->ended = true;
	}
	stop_serving(life);
	if (life->lost && WIFSIGNALED(life->status) && WTERMSIG(life->status) == SIGKILL)
		send_lost(life);
	else
		send_ended(life);
}

void pmg_broker_main(const struct pmg_broker_setup *setup)
{
	struct life life = { .setup = setup,
			     .broker = { .listener = -1, .run_proc = -1, .wire = -1, .proxy = -1 },
			     .reaper = PMG_REAPER_INIT,
			     .first_fd = -1,
			     .link = -1,
			     .stop = -1,
			     .served = -1,
			     .children = -1 };
	struct pmg_err err = PMG_ERR_INIT;
	int r = set_up(&life, &err);

	(void)prctl(PR_SET_NAME, "pmg-broker", 0, 0, 0);
	if (r == 0)
		r = attend(&life, &err);
	if (r == 0)
		finish(&life);
	else if (!life.started)
		pmg_walls_failed(setup->wire, &err);
	if (r < 0)
		pmg_walls_stage(setup->want, err.msg);
	_exit(r < 0 ? PMG_EXIT_INTERNAL : 0); /* and so ends what is left: the leash, and death */
}
