#ifndef PMG_RUN_CONFINED_H
#define PMG_RUN_CONFINED_H
/**
 * The front's dealings with the walls of a run: what keeper and broker say, and
 * the channel by which the broker tells pmg-proxy who connects.
 */
#include "policy/policy.h"
#include "sandbox/sandbox.h"
#include "violation/record.h"
#include "violation/wire.h"

#define PMG_CONFINED_WALLS_MS 20000 /* from start to WALLS: a slow disk is searched for secrets */
#define PMG_CONFINED_START_MS 20000 /* from GO to STARTED */
#define PMG_CONFINED_END_MS   2500  /* from END to ENDED */
#define PMG_CONFINED_TOOL_PID 2     /* of the tool in its pid namespace: the reaper is 1 */

struct pmg_confined {
	struct pmg_sandbox sandbox;
	int broker_fd;     /* pmg-proxy's end of the channel, until it is sent; -1 */
	int keeper_status; /* of waitpid(2), once sandbox.keeper is 0 */
	bool failed;       /* keeper or broker said that they could not, or are gone */
};

#define PMG_CONFINED_INIT                                                                          \
	{                                                                                          \
		.sandbox = PMG_SANDBOX_INIT, .broker_fd = -1                                       \
	}

/** Ends all of it. Fit for one that was not started. */
void pmg_confined_done(struct pmg_confined *confined);
PMG_DEFINE_AUTO_DONE(confined, struct pmg_confined, pmg_confined_done);

/**
 * Make the channel and start the keeper.
 * @param want  proxy_fd is filled in
 * @param[out] out  PMG_CONFINED_INIT before
 */
int pmg_confined_start(struct pmg_sandbox_want *want, struct pmg_confined *out,
		       struct pmg_err *err) PMG_MUST_CHECK;

/* What one message brought; at most one is filled. */
struct pmg_confined_news {
	enum pmg_wire_type type;
	struct pmg_wire_walls walls;
	struct pmg_msg listeners; /* of WALLS: its descriptors */
	struct pmg_wire_started started;
	struct pmg_wire_stopped stopped;
	struct pmg_wire_ended ended;
};
void pmg_confined_news_done(struct pmg_confined_news *news);
PMG_DEFINE_AUTO_DONE(confined_news, struct pmg_confined_news, pmg_confined_news_done);

/**
 * Take one message; DENIED goes into the record, STARTED's descriptor into the sandbox. Waits.
 * @param[out] news  zeroed before
 * @return 1: taken; what FAILED says; -PMG_E_PEER: nonsense, or keeper and broker are gone
 */
int pmg_confined_take(struct pmg_confined *confined, struct pmg_record *record,
		      struct pmg_confined_news *news, struct pmg_err *err) PMG_MUST_CHECK;

/**
 * NETRULE for each rule of connecting, then LISTEN with the listeners and the channel.
 * @param proxy_fd  message socket of pmg-proxy
 */
int pmg_confined_hand_over(struct pmg_confined *confined, const struct pmg_policy *policy,
			   struct pmg_confined_news *walls, int proxy_fd,
			   struct pmg_err *err) PMG_MUST_CHECK;

#endif
