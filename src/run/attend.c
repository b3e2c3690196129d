#include "run/attend.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/log.h"
#include "run/tree.h"

#define FOREVER UINT64_MAX

/* Whose message is there. */
enum from { FROM_NOBODY, FROM_PROXY, FROM_WALLS };

/* What one message brought. */
struct news {
	struct pmg_proxy_news proxy;
	struct pmg_confined_news walls;
};

static void news_done(struct news *news)
{
	pmg_proxy_news_done(&news->proxy);
	pmg_confined_news_done(&news->walls);
}
PMG_DEFINE_AUTO_DONE(news, struct news, news_done);

/* All children that have something to tell. Orphans that came to us are only taken away. */
static void reap(struct pmg_attend *attend)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0) {
		if (WIFSTOPPED(status)) {
			if (pid == attend->tool && pmg_signal_stops(WSTOPSIG(status)))
				pmg_signals_stop_self(WSTOPSIG(status));
		} else if (pid == attend->tool && !attend->confined) {
			attend->ended = true;
			attend->status = status;
		} else if (pid == attend->proxy->pid) {
			attend->proxy->pid = 0;
			attend->proxy_status = status;
		} else if (attend->confined && pid == attend->confined->sandbox.keeper) {
			attend->confined->sandbox.keeper = 0;
			attend->confined->keeper_status = status;
		}
	}
}

static void signal_tool(const struct pmg_attend *attend, int sig)
{
	struct pmg_err scratch = PMG_ERR_INIT;

	if (!attend->confined)
		(void)kill(attend->tool, sig);
	else if (pmg_sandbox_signal(&attend->confined->sandbox, sig, &scratch) < 0)
		pmg_log_debug("signal %d: %s", sig, scratch.msg); /* it has just ended */
}

/* While the tool runs: what the terminal sent, it got itself. */
static void pass_on(struct pmg_attend *attend, int sig, bool by_terminal)
{
	if (sig != SIGCONT && pmg_signal_ends(sig) && attend->asked++ == 0)
		attend->asked_by = sig;
	if (!by_terminal && !attend->ended)
		signal_tool(attend, sig);
}

static void hear_signals(struct pmg_attend *attend)
{
	bool by_terminal;
	int sig;

	while ((sig = pmg_signals_take(attend->signals, &by_terminal)) > 0) {
		if (sig == SIGCHLD)
			reap(attend);
		else if (attend->tool > 0)
			pass_on(attend, sig, by_terminal);
		else if (pmg_signal_stops(sig))
			pmg_signals_stop_self(sig);
		else if (pmg_signal_ends(sig) && !attend->ended_by)
			attend->ended_by = sig;
	}
}

int pmg_attend_asked(struct pmg_attend *attend)
{
	hear_signals(attend);
	return attend->ended_by;
}

/*
 * One round of waiting, to `until` at most, for somebody named `who`.
 * @return enum from; FROM_NOBODY: look at attend; -PMG_E_TIMEOUT; -PMG_E_SYS
 */
static int wait_for(struct pmg_attend *attend, uint64_t until, const char *who, struct pmg_err *err)
{
	int walls = attend->confined ? attend->confined->sandbox.fd : -1;
	struct pollfd fds[] = { { .fd = attend->signals->fd, .events = POLLIN },
				{ .fd = attend->proxy->fd, .events = POLLIN },
				{ .fd = walls, .events = POLLIN } };
	uint64_t now = pmg_clock_ms();
	int n, timeout = -1;

	if (until != FOREVER)
		timeout = until > now ? (int)(until - now) : 0;
	n = poll(fds, PMG_ARRAY_LEN(fds), timeout);
	if (n < 0 && errno != EINTR)
		return pmg_err_set(err, PMG_E_SYS, errno, "poll");
	if (n > 0 && fds[0].revents)
		hear_signals(attend);
	if (n > 0 && fds[2].revents)
		return FROM_WALLS; /* first: it says how the tool ended */
	if (n > 0 && fds[1].revents)
		return FROM_PROXY;
	if (n == 0)
		return pmg_err_set(err, PMG_E_TIMEOUT, 0, "no answer from %s", who);
	return FROM_NOBODY;
}

/* The proxy closed the socket. Says how it ended; it has no more chances. */
static int proxy_lost(struct pmg_attend *attend, struct pmg_err *err)
{
	pid_t pid = attend->proxy->pid;

	pmg_auto_closep(&attend->proxy->fd);
	attend->proxy->fd = -1;
	if (pid > 0) {
		(void)kill(pid, SIGKILL); /* no effect on one that is dead already */
		while (waitpid(pid, &attend->proxy_status, 0) < 0 && errno == EINTR)
			;
		attend->proxy->pid = 0;
	}
	if (WIFSIGNALED(attend->proxy_status))
		(void)pmg_err_set(err, PMG_E_PEER, 0, "pmg-proxy was ended by signal %d (%s)",
				  WTERMSIG(attend->proxy_status),
				  strsignal(WTERMSIG(attend->proxy_status)));
	else
		(void)pmg_err_set(err, PMG_E_PEER, 0, "pmg-proxy ended with status %d",
				  WEXITSTATUS(attend->proxy_status));
	return pmg_err_diag(err, 4019);
}

/* What the walls say of the tool. */
static void hear_of_tool(struct pmg_attend *attend, const struct pmg_confined_news *news)
{
	if (news->type == PMG_WIRE_STARTED)
		attend->tool = news->started.pid;
	if (news->type == PMG_WIRE_STOPPED && pmg_signal_stops(news->stopped.signal))
		pmg_signals_stop_self(news->stopped.signal);
	if (news->type == PMG_WIRE_ENDED) {
		attend->ended = true;
		attend->status = news->ended.status;
	}
}

/* @return 1: one message was taken; else as an error */
static int take(struct pmg_attend *attend, int from, struct news *news, struct pmg_err *err)
{
	int r;

	if (from == FROM_PROXY) {
		r = pmg_proxy_take(attend->proxy, attend->record, &news->proxy, err);
		return r == 0 ? proxy_lost(attend, err) : r;
	}
	r = pmg_confined_take(attend->confined, attend->record, &news->walls, err);
	if (r == 1)
		hear_of_tool(attend, &news->walls);
	return r;
}

static bool is_proxys(enum pmg_wire_type type)
{
	return type == PMG_WIRE_READY || type == PMG_WIRE_ANSWERED;
}

/*
 * Wait for a message of this type.
 * @return 1: it is in *news; 0: we were asked to end; else as an error
 */
static int await(struct pmg_attend *attend, enum pmg_wire_type type, uint32_t limit_ms,
		 struct news *news, struct pmg_err *err)
{
	uint64_t until = pmg_clock_ms() + limit_ms;
	int r;

	for (;;) {
		news_done(news);
		*news = (struct news){ 0 };
		r = wait_for(attend, until, is_proxys(type) ? "pmg-proxy" : "the sandbox", err);
		if (attend->ended_by)
			return 0;
		if (r > 0)
			r = take(attend, r, news, err);
		if (r < 0)
			return r;
		if (r == 1 && (news->proxy.type == type || news->walls.type == type))
			return 1;
	}
}

int pmg_attend_ready(struct pmg_attend *attend, struct pmg_wire_ready *ready, struct pmg_err *err)
{
	pmg_auto(news) struct news news = { 0 };
	int r = await(attend, PMG_WIRE_READY, PMG_PROXY_READY_MS, &news, err);

	if (r == 1) {
		*ready = news.proxy.ready;
		news.proxy.ready = (struct pmg_wire_ready){ 0 };
	}
	return r < 0 ? r : 0;
}

/* Registries are asked for dates, which takes longer than to look into the index. */
static bool wants_dates(const struct pmg_wire_ask *ask)
{
	size_t i;

	for (i = 0; i < ask->ages.n && !*ask->ages.v[i]; i++)
		;
	return i < ask->ages.n;
}

int pmg_attend_ask(struct pmg_attend *attend, const struct pmg_wire_ask *ask, struct pmg_err *err)
{
	uint32_t limit_ms = wants_dates(ask) ? PMG_PROXY_DATE_MS : PMG_PROXY_ASK_MS;
	pmg_auto(news) struct news news = { 0 };
	int r = pmg_proxy_ask(attend->proxy, ask, err);

	if (r == 0)
		r = await(attend, PMG_WIRE_ANSWERED, limit_ms, &news, err);
	if (r == 1 && news.proxy.answered != ask->number)
		return pmg_err_set(err, PMG_E_PEER, 0, "an answer to another question");
	return r < 0 ? r : 0;
}

int pmg_attend_walls(struct pmg_attend *attend, struct pmg_confined_news *out, struct pmg_err *err)
{
	pmg_auto(news) struct news news = { 0 };
	int r = await(attend, PMG_WIRE_WALLS, PMG_CONFINED_WALLS_MS, &news, err);

	if (r == 1) {
		*out = news.walls;
		news.walls = (struct pmg_confined_news){ 0 };
	}
	return r < 0 ? r : 0;
}

static bool has_closed(int fd)
{
	struct pollfd one = { .fd = fd, .events = POLLIN };

	return fd >= 0 && poll(&one, 1, 0) > 0 && one.revents & (POLLHUP | POLLERR);
}

/* Takes what it said to the end. */
static int last_words(struct pmg_attend *attend, int from, struct pmg_err *err)
{
	int r;

	do {
		pmg_auto(news) struct news news = { 0 };

		r = take(attend, from, &news, err);
	} while (r > 0);
	return r;
}

int pmg_attend_explain(struct pmg_attend *attend, int r, struct pmg_err *err)
{
	if (err->errnum != EPIPE && err->errnum != ECONNRESET)
		return r;
	if (has_closed(attend->proxy->fd))
		return last_words(attend, FROM_PROXY, err);
	if (attend->confined && has_closed(attend->confined->sandbox.fd))
		return last_words(attend, FROM_WALLS, err);
	return r;
}

int pmg_attend_started(struct pmg_attend *attend, struct pmg_err *err)
{
	pmg_auto(news) struct news news = { 0 };
	int r = await(attend, PMG_WIRE_STARTED, PMG_CONFINED_START_MS, &news, err);

	return r < 0 ? r : 0;
}

/* npm hears of Ctrl-C and then waits for what it is fetching, however long that takes. */
static uint64_t deadline(const struct pmg_attend *attend, uint64_t until)
{
	uint64_t next;

	if (attend->asked == 0)
		return until;
	next = pmg_clock_ms() + (attend->asked > 1 ? PMG_ATTEND_FORCE_MS : PMG_ATTEND_ASK_MS);
	return next < until ? next : until;
}

int pmg_attend_tool(struct pmg_attend *attend, struct pmg_err *err)
{
	uint64_t until = FOREVER;
	int r;

	while (!attend->ended) {
		pmg_auto(news) struct news news = { 0 };

		r = wait_for(attend, until, "the tool", err);
		if (r == -PMG_E_TIMEOUT)
			break; /* it was asked, and went on */
		if (r > 0)
			r = take(attend, r, &news, err);
		if (r < 0 && !attend->ended)
			return r;
		if (r < 0)
			break; /* both ended at once: stopping the proxy reports it */
		if (attend->may_force)
			until = deadline(attend, until);
	}
	return 0;
}

static bool has_others(const struct pmg_attend *attend)
{
	const pid_t ours[] = { attend->sweeper, attend->proxy->pid, 0 };

	return pmg_tree_has_others(attend->sweeper ? ours : ours + 1);
}

static void signal_others(const struct pmg_attend *attend, int sig)
{
	const pid_t ours[] = { attend->sweeper, attend->proxy->pid, 0 };

	(void)pmg_tree_signal(sig, attend->sweeper ? ours : ours + 1);
}

/* Waits until nothing but what is ours is left below us. @return true when so */
static bool wait_until_gone(struct pmg_attend *attend, uint64_t until)
{
	unsigned asked = attend->asked;
	struct pollfd fd = { .fd = attend->signals->fd, .events = POLLIN };
	uint64_t now;

	for (;;) {
		hear_signals(attend);
		reap(attend);
		if (!has_others(attend))
			return true;
		now = pmg_clock_ms();
		/* Whoever asks again will not wait for anybody to be polite. */
		if (now >= until || attend->asked > asked)
			return false;
		(void)poll(&fd, 1, (int)(until - now) < 20 ? (int)(until - now) : 20);
	}
}

/* Takes what is said until the tool has ended, for `ms` at most, or until who would say it is gone.
 */
static void await_end(struct pmg_attend *attend, uint32_t ms)
{
	uint64_t until = pmg_clock_ms() + ms;
	struct pmg_err scratch = PMG_ERR_INIT;
	unsigned asked = attend->asked;
	int r = 0;

	if (attend->confined->failed)
		return;
	/* Whoever asks again will not wait for anybody to be polite. */
	while (r >= 0 && !attend->ended && attend->confined->sandbox.fd >= 0 &&
	       attend->asked == asked) {
		pmg_auto(news) struct news news = { 0 };

		r = wait_for(attend, until, "the sandbox", &scratch);
		if (r > 0)
			r = take(attend, r, &news, &scratch);
	}
}

/* Pid 1 of the run asks all of it first, so that it can clear up (sandbox/reaper.c), and then ends
 * it: nobody else need be polite. */
static void end_confined(struct pmg_attend *attend)
{
	struct pmg_err scratch = PMG_ERR_INIT;

	if (!attend->ended && attend->confined->sandbox.fd >= 0 &&
	    pmg_sandbox_stop(&attend->confined->sandbox, &scratch) == 0)
		await_end(attend, PMG_CONFINED_END_MS);
	pmg_confined_done(attend->confined);
}

void pmg_attend_end_tree(struct pmg_attend *attend)
{
	uint64_t until;

	if (attend->confined)
		end_confined(attend);
	reap(attend);
	if (!has_others(attend))
		return;
	/* Of the walls the broker goes last, and the kernel may not be done with it: looking
	 * through all processes of the machine for it would take longer. */
	if (attend->confined && wait_until_gone(attend, pmg_clock_ms() + PMG_ATTEND_DYING_MS))
		return;
	signal_others(attend, SIGTERM);
	signal_others(attend, SIGCONT); /* a stopped one does not see it */
	if (wait_until_gone(attend, pmg_clock_ms() + PMG_ATTEND_TERM_MS))
		return;
	/* Again and again: what is killed may just have forked. */
	until = pmg_clock_ms() + PMG_ATTEND_KILL_MS;
	do
		signal_others(attend, SIGKILL);
	while (!wait_until_gone(attend, pmg_clock_ms() + 10) && pmg_clock_ms() < until);
}

int pmg_attend_stop_proxy(struct pmg_attend *attend, struct pmg_wire_done *done,
			  struct pmg_err *err)
{
	bool hurry = attend->asked > 0 || WIFSIGNALED(attend->status);
	uint64_t until = pmg_clock_ms() + (hurry ? PMG_PROXY_HURRY_MS : PMG_PROXY_STOP_MS);
	int r;

	if (attend->proxy->fd < 0)
		return pmg_err_set(err, PMG_E_PEER, 0, "pmg-proxy is gone");
	r = pmg_proxy_ask_stop(attend->proxy, err);
	while (r >= 0) {
		pmg_auto(news) struct news news = { 0 };

		r = wait_for(attend, until, "pmg-proxy", err);
		if (r > 0)
			r = take(attend, r, &news, err);
		if (r == 1 && news.proxy.type == PMG_WIRE_DONE) {
			*done = news.proxy.done;
			news.proxy.done = (struct pmg_wire_done){ 0 };
			r = 0;
			break;
		}
	}
	pmg_proxy_end(attend->proxy); /* has said all, or never will */
	return r;
}
