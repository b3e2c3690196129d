#include "proxy/loop.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/str.h"

struct world {
	struct pmg_loop *loop;
	struct pmg_str said;
	struct pmg_watch *watch[2];
	struct pmg_timer timer[8];
	struct pmg_task task[3];
	int pipes[2][2];
};

static void say(struct world *w, const char *word)
{
	assert_int_equal(pmg_str_addf(&w->said, "%s ", word), 0);
}

static int setup(void **state)
{
	struct world *w = pmg_xcalloc(1, sizeof *w);
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	w->said.max = 4096;
	assert_int_equal(pmg_loop_new(&w->loop, &err), 0);
	for (i = 0; i < 2; i++)
		assert_int_equal(pipe(w->pipes[i]), 0);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;
	size_t i;

	for (i = 0; i < 2; i++) {
		pmg_watch_end(w->watch[i]);
		(void)close(w->pipes[i][0]);
		(void)close(w->pipes[i][1]);
	}
	pmg_loop_free(w->loop);
	pmg_str_done(&w->said);
	free(w);
	return 0;
}

static void end_loop(void *ctx)
{
	struct world *w = ctx;

	say(w, "end");
	pmg_loop_end(w->loop);
}

static void end_other_watch(void *ctx, uint32_t events)
{
	struct world *w = ctx;

	assert_true(events & EPOLLIN);
	say(w, "in");
	pmg_watch_end(w->watch[0]);
	pmg_watch_end(w->watch[1]);
}

static void run(struct world *w)
{
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(pmg_loop_run(w->loop, &err), 0);
}

static void an_ended_watch_is_not_called_though_its_event_was_fetched(void **state)
{
	struct world *w = *state;
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	for (i = 0; i < 2; i++) {
		assert_int_equal(write(w->pipes[i][1], "x", 1), 1);
		assert_int_equal(pmg_watch_new(w->loop, w->pipes[i][0], EPOLLIN, end_other_watch, w,
					       &w->watch[i], &err),
				 0);
	}
	w->timer[0] = (struct pmg_timer){ .fn = end_loop, .ctx = w };
	pmg_timer_start(w->loop, &w->timer[0], 20);
	run(w);
	assert_string_equal(w->said.s, "in end ");
	memset(w->watch, 0, sizeof w->watch); /* the loop has freed them */
}

static void never(void *ctx, uint32_t events)
{
	(void)events;
	say(ctx, "never");
}

static void a_watch_that_wants_nothing_is_silent(void **state)
{
	struct world *w = *state;
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(write(w->pipes[0][1], "x", 1), 1);
	assert_int_equal(
		pmg_watch_new(w->loop, w->pipes[0][0], EPOLLIN, never, w, &w->watch[0], &err), 0);
	pmg_watch_want(w->watch[0], 0);
	w->timer[0] = (struct pmg_timer){ .fn = end_loop, .ctx = w };
	pmg_timer_start(w->loop, &w->timer[0], 20);
	run(w);
	assert_string_equal(w->said.s, "end ");
}

struct digit {
	struct world *w;
	const char *word;
	struct pmg_timer *stops;
};

static void say_digit(void *ctx)
{
	struct digit *digit = ctx;

	say(digit->w, digit->word);
	if (digit->stops)
		pmg_timer_stop(digit->w->loop, digit->stops);
}

static void timers_run_in_order_and_can_be_stopped(void **state)
{
	struct world *w = *state;
	struct digit digits[] = {
		{ w, "0", NULL }, { w, "1", NULL }, { w, "2", &w->timer[3] }, { w, "3", NULL }
	};
	static const uint64_t in_ms[] = { 12, 4, 8, 16 };
	size_t i;

	for (i = 0; i < 4; i++) {
		w->timer[i].fn = say_digit;
		w->timer[i].ctx = &digits[i];
		pmg_timer_start(w->loop, &w->timer[i], in_ms[i]);
	}
	w->timer[4] = (struct pmg_timer){ .fn = end_loop, .ctx = w };
	pmg_timer_start(w->loop, &w->timer[4], 1);
	pmg_timer_start(w->loop, &w->timer[4], 24); /* anew */
	run(w);
	assert_string_equal(w->said.s, "1 2 0 end ");
}

static void first_task(void *ctx)
{
	struct world *w = ctx;

	say(w, "first");
	pmg_task_cancel(w->loop, &w->task[1]);
	pmg_task_queue(w->loop, &w->task[2]);
	pmg_task_queue(w->loop, &w->task[2]);
}

static void tasks_run_once_and_can_be_cancelled(void **state)
{
	struct world *w = *state;

	w->task[0] = (struct pmg_task){ .fn = first_task, .ctx = w };
	w->task[1] = (struct pmg_task){ .fn = first_task, .ctx = w };
	w->task[2] = (struct pmg_task){ .fn = end_loop, .ctx = w };
	pmg_task_queue(w->loop, &w->task[0]);
	pmg_task_queue(w->loop, &w->task[1]);
	run(w);
	assert_string_equal(w->said.s, "first end ");
}

static void count(void *ctx)
{
	++*(unsigned *)ctx;
}

static void what_is_queued_at_the_end_still_runs(void **state)
{
	struct world *w = *state;
	struct pmg_err err = PMG_ERR_INIT;
	unsigned runs = 0;

	w->task[0] = (struct pmg_task){ .fn = end_loop, .ctx = w };
	w->task[1] = (struct pmg_task){ .fn = count, .ctx = &runs };
	pmg_task_queue(w->loop, &w->task[0]);
	pmg_task_queue(w->loop, &w->task[1]);
	run(w);
	assert_int_equal(runs, 0);
	pmg_loop_free(w->loop);
	assert_int_equal(runs, 1);
	assert_int_equal(pmg_loop_new(&w->loop, &err), 0);
}

struct greedy {
	struct world *world;
	unsigned runs;
};

static void run_again(void *ctx)
{
	struct greedy *greedy = ctx;

	greedy->runs++;
	pmg_task_queue(greedy->world->loop, &greedy->world->task[0]);
}

static void end_on_event(void *ctx, uint32_t events)
{
	(void)events;
	end_loop(ctx);
}

static void a_task_that_queues_itself_keeps_no_descriptor_waiting(void **state)
{
	struct world *w = *state;
	struct greedy greedy = { w, 0 };
	struct pmg_err err = PMG_ERR_INIT;

	w->task[0] = (struct pmg_task){ .fn = run_again, .ctx = &greedy };
	assert_int_equal(write(w->pipes[0][1], "x", 1), 1);
	assert_int_equal(pmg_watch_new(w->loop, w->pipes[0][0], EPOLLIN, end_on_event, w,
				       &w->watch[0], &err),
			 0);
	pmg_task_queue(w->loop, &w->task[0]);
	run(w);
	assert_int_equal(greedy.runs, 1);
	pmg_task_cancel(w->loop, &w->task[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			an_ended_watch_is_not_called_though_its_event_was_fetched, setup, teardown),
		cmocka_unit_test_setup_teardown(a_watch_that_wants_nothing_is_silent, setup,
						teardown),
		cmocka_unit_test_setup_teardown(timers_run_in_order_and_can_be_stopped, setup,
						teardown),
		cmocka_unit_test_setup_teardown(what_is_queued_at_the_end_still_runs, setup,
						teardown),
		cmocka_unit_test_setup_teardown(
			a_task_that_queues_itself_keeps_no_descriptor_waiting, setup, teardown),
		cmocka_unit_test_setup_teardown(tasks_run_once_and_can_be_cancelled, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
