#include "proxy/turn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define N 4

struct world {
	struct pmg_loop *loop;
	struct pmg_turns turns;
	struct pmg_task tasks[N];
	struct pmg_turn turn[N];
	int told[N];
};

static void count(void *ctx)
{
	++*(int *)ctx;
}

static void set_up(struct world *w)
{
	struct pmg_err err = PMG_ERR_INIT;
	int i;

	assert_int_equal(pmg_loop_new(&w->loop, &err), 0);
	w->turns.loop = w->loop;
	for (i = 0; i < N; i++) {
		w->tasks[i] = (struct pmg_task){ .fn = count, .ctx = &w->told[i] };
		w->turn[i].task = &w->tasks[i];
	}
}

static void it_goes_round_in_the_order_of_asking(void **state)
{
	struct world w = { 0 };
	int i;

	(void)state;
	set_up(&w);
	assert_true(pmg_turn_take(&w.turns, &w.turn[0]));
	assert_true(pmg_turn_take(&w.turns, &w.turn[0]));
	for (i = 1; i < N; i++) {
		assert_false(pmg_turn_take(&w.turns, &w.turn[i]));
		assert_false(pmg_turn_take(&w.turns, &w.turn[i])); /* does not stand there twice */
	}
	pmg_turn_leave(&w.turns, &w.turn[2]); /* it waited, and does no more */
	pmg_turn_leave(&w.turns, &w.turn[0]);
	assert_true(pmg_turn_take(&w.turns, &w.turn[1]));
	assert_false(pmg_turn_take(&w.turns, &w.turn[0])); /* behind those who wait */
	pmg_turn_leave(&w.turns, &w.turn[1]);
	assert_true(w.turns.holder == &w.turn[3]);
	pmg_turn_leave(&w.turns, &w.turn[3]);
	assert_true(w.turns.holder == &w.turn[0]);
	pmg_turn_leave(&w.turns, &w.turn[0]);
	pmg_turn_leave(&w.turns, &w.turn[0]); /* has none: fine */
	assert_null(w.turns.holder);
	assert_null(w.turns.first);
	assert_null(w.turns.last);
	pmg_loop_free(w.loop); /* runs what is queued */
	assert_int_equal(w.told[0], 1);
	assert_int_equal(w.told[1], 1);
	assert_int_equal(w.told[2], 0);
	assert_int_equal(w.told[3], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_goes_round_in_the_order_of_asking),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
