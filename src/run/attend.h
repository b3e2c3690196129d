#ifndef PMG_RUN_ATTEND_H
#define PMG_RUN_ATTEND_H
/**
 * The front's waiting: for the proxy to be ready, for the tool to end, for
 * what is left to go. One place that hears signals, children and the proxy.
 */
#include <stdbool.h>
#include <sys/types.h>

#include "run/confined.h"
#include "run/proxy.h"
#include "run/signals.h"
#include "violation/record.h"

#define PMG_ATTEND_TERM_MS  500  /* without walls, from SIGTERM to SIGKILL for what is left */
#define PMG_ATTEND_KILL_MS  500  /* how long SIGKILL is repeated */
#define PMG_ATTEND_DYING_MS 100  /* the kernel kills the walls' last process: this long we wait */
#define PMG_ATTEND_ASK_MS   1200 /* from a request to end to SIGTERM, for an install */
#define PMG_ATTEND_FORCE_MS 300  /* the same from a second request */

struct pmg_attend {
	const struct pmg_signals *signals;
	struct pmg_proxy *proxy;
	struct pmg_record *record;
	struct pmg_confined *confined; /* NULL: the tool is our own child, without walls */
	pid_t sweeper;                 /* 0: none. Neither it nor the proxy is the tool's */
	pid_t tool;     /* 0 before it is started; within walls as the broker tells it */
	bool may_force; /* when asked to end, the tool has PMG_ATTEND_ASK_MS, whatever it does */
	bool ended;     /* the tool has, with `status` as of waitpid(2) */
	int status;
	int proxy_status; /* of waitpid(2), once proxy->pid is 0 */
	unsigned asked;   /* how often we were asked to end */
	int ended_by;     /* the signal, when asked before the tool was started */
	int asked_by;     /* the signal, when asked later; the first */
};

/** The signal by which we were asked to end before the tool was started; 0: none so far. */
int pmg_attend_asked(struct pmg_attend *attend);

/**
 * Wait for READY.
 * @param[out] ready  zeroed before
 * @return 0, also with ended_by set and no READY; what FAILED says; -PMG_E_PEER; -PMG_E_TIMEOUT
 */
int pmg_attend_ready(struct pmg_attend *attend, struct pmg_wire_ready *ready,
		     struct pmg_err *err) PMG_MUST_CHECK;

/**
 * Ask of packages and wait for all answers, which are in proxy->answers then.
 * @return 0, also with ended_by set and not all of them; -PMG_E_PEER; -PMG_E_TIMEOUT
 */
int pmg_attend_ask(struct pmg_attend *attend, const struct pmg_wire_ask *ask,
		   struct pmg_err *err) PMG_MUST_CHECK;

/**
 * Wait for WALLS.
 * @param[out] news  zeroed before
 * @return 0, also with ended_by set and nothing in news; what FAILED says; -PMG_E_PEER;
 *         -PMG_E_TIMEOUT
 */
int pmg_attend_walls(struct pmg_attend *attend, struct pmg_confined_news *news,
		     struct pmg_err *err) PMG_MUST_CHECK;
/**
 * Why a message could not be sent: whoever closed its socket has said why, or how it ended tells.
 * @param r  that of the failure; returned when it was another's
 */
int pmg_attend_explain(struct pmg_attend *attend, int r, struct pmg_err *err) PMG_MUST_CHECK;

/** Wait for STARTED; fills attend->tool. @return as above */
int pmg_attend_started(struct pmg_attend *attend, struct pmg_err *err) PMG_MUST_CHECK;

/**
 * Wait for the tool, passing signals on and stopping when it is stopped.
 * @return 0: it ended; -PMG_E_PEER: proxy or walls are gone: the tool must not go on
 */
int pmg_attend_tool(struct pmg_attend *attend, struct pmg_err *err) PMG_MUST_CHECK;

/** End all that is left of the tool's processes, and the tool itself. */
void pmg_attend_end_tree(struct pmg_attend *attend);

/**
 * Stop the proxy and take what it still has to say. Gives up after PMG_PROXY_STOP_MS, or
 * PMG_PROXY_HURRY_MS when the run was asked to end.
 * @param[out] done  zeroed before
 * @return 0; -PMG_E_PEER, -PMG_E_TIMEOUT: it is gone without having said all
 */
int pmg_attend_stop_proxy(struct pmg_attend *attend, struct pmg_wire_done *done,
			  struct pmg_err *err) PMG_MUST_CHECK;

#endif
