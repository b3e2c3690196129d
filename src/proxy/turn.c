#include "proxy/turn.h"

bool pmg_turn_take(struct pmg_turns *turns, struct pmg_turn *turn)
{
	if (turns->holder == turn)
		return true;
	if (!turns->holder && !turns->first) {
		turns->holder = turn;
		return true;
	}
	if (turn->waits)
		return false;
	turn->waits = true;
	turn->prev = turns->last;
	turn->next = NULL;
	*(turns->last ? &turns->last->next : &turns->first) = turn;
	turns->last = turn;
	return false;
}

static void stop_waiting(struct pmg_turns *turns, struct pmg_turn *turn)
{
	*(turn->prev ? &turn->prev->next : &turns->first) = turn->next;
	*(turn->next ? &turn->next->prev : &turns->last) = turn->prev;
	turn->prev = NULL;
	turn->next = NULL;
	turn->waits = false;
}

void pmg_turn_leave(struct pmg_turns *turns, struct pmg_turn *turn)
{
	struct pmg_turn *next = turns->first;

	if (turn->waits) {
		stop_waiting(turns, turn);
		return;
	}
	if (turns->holder != turn)
		return;
	turns->holder = next;
	if (!next)
		return;
	stop_waiting(turns, next);
	pmg_task_queue(turns->loop, next->task);
}
