#ifndef PMG_PROXY_TURN_H
#define PMG_PROXY_TURN_H
/**
 * Who may use much memory: one at a time, in the order they came. Whoever has
 * the turn keeps it until it leaves.
 */
#include "proxy/loop.h"

struct pmg_turn;

/* Those who want it. */
struct pmg_turns {
	struct pmg_loop *loop;
	struct pmg_turn *holder;
	struct pmg_turn *first, *last; /* waiting */
};

/* In the caller's memory; set task, zero the rest. */
struct pmg_turn {
	struct pmg_task *task; /* borrowed; queued when a turn that was waited for has come */
	struct pmg_turn *prev, *next;
	bool waits;
};

/** @return true: it is its turn, or already was; false: it waits */
bool pmg_turn_take(struct pmg_turns *turns, struct pmg_turn *turn);
/** Done, or not wanted any more. Neither holding nor waiting: fine. */
void pmg_turn_leave(struct pmg_turns *turns, struct pmg_turn *turn);

#endif
