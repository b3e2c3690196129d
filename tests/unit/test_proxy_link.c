#include "proxy/link.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

struct world {
	struct pmg_loop *loop;
	struct pmg_link *link;
	int fds[2]; /* ours, the front's */
	unsigned messages, sents, gones;
	uint16_t last;
};

static void on_message(void *ctx, const struct pmg_msg *msg)
{
	struct world *w = ctx;

	w->messages++;
	w->last = msg->type;
	pmg_loop_end(w->loop);
}

static void on_sent(void *ctx)
{
	struct world *w = ctx;

	w->sents++;
	pmg_loop_end(w->loop);
}

static void on_gone(void *ctx)
{
	struct world *w = ctx;

	w->gones++;
	pmg_loop_end(w->loop);
}

static int setup(void **state)
{
	struct world *w = pmg_xcalloc(1, sizeof *w);
	struct pmg_link_user user = { w, on_message, on_sent, on_gone };
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(pmg_loop_new(&w->loop, &err), 0);
	assert_int_equal(pmg_msg_pair(w->fds, &err), 0);
	assert_int_equal(pmg_link_new(w->loop, w->fds[0], &user, &w->link, &err), 0);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	pmg_link_free(w->link);
	pmg_loop_free(w->loop);
	(void)close(w->fds[0]);
	(void)close(w->fds[1]);
	free(w);
	return 0;
}

static void run(struct world *w)
{
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(pmg_loop_run(w->loop, &err), 0);
}

static void messages_go_both_ways(void **state)
{
	struct world *w = *state;
	pmg_auto(msg) struct pmg_msg msg = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	pmg_link_send(w->link, 7, pmg_json_object());
	assert_true(pmg_link_is_idle(w->link));
	assert_int_equal(pmg_msg_recv(w->fds[1], &msg, &err), 1);
	assert_int_equal(msg.type, 7);
	assert_int_equal(pmg_msg_send(w->fds[1], 9, NULL, &err), 0);
	run(w);
	assert_int_equal(w->last, 9);
}

static void end_loop(void *ctx)
{
	pmg_loop_end(ctx);
}

static void a_busy_front_delays_messages_but_loses_none(void **state)
{
	struct world *w = *state;
	struct pmg_timer timer = { .fn = end_loop, .ctx = w->loop };
	struct pmg_err err = PMG_ERR_INIT;
	unsigned sent = 0, got = 0;
	int r;

	assert_int_equal(fcntl(w->fds[1], F_SETFL, O_NONBLOCK), 0);
	while (pmg_link_is_idle(w->link) && sent < 100000)
		pmg_link_send(w->link, (uint16_t)++sent, pmg_json_object());
	pmg_link_send(w->link, (uint16_t)++sent, pmg_json_object());
	while (got < sent) {
		pmg_auto(msg) struct pmg_msg msg = { 0 };

		r = pmg_msg_recv(w->fds[1], &msg, &err);
		if (r == -PMG_E_TIMEOUT) { /* there is room again: more goes out */
			pmg_timer_start(w->loop, &timer, 1);
			run(w);
			pmg_timer_stop(w->loop, &timer);
			continue;
		}
		assert_int_equal(r, 1);
		assert_int_equal(msg.type, (uint16_t)++got);
	}
	assert_true(pmg_link_is_idle(w->link));
	assert_int_equal(w->sents, 1);
	assert_int_equal(w->gones, 0);
}

static void a_closed_front_is_told_once(void **state)
{
	struct world *w = *state;

	assert_int_equal(shutdown(w->fds[1], SHUT_RDWR), 0);
	run(w);
	assert_int_equal(w->gones, 1);
	pmg_link_send(w->link, 1, pmg_json_object()); /* goes nowhere */
	assert_int_equal(w->gones, 1);
}

static void nonsense_from_the_front_ends_it(void **state)
{
	struct world *w = *state;

	assert_int_equal(send(w->fds[1], "x", 1, 0), 1);
	run(w);
	assert_int_equal(w->gones, 1);
	assert_int_equal(w->messages, 0);
}

static void a_front_that_never_reads_is_taken_for_gone(void **state)
{
	struct world *w = *state;
	size_t i;

	for (i = 0; i < PMG_LINK_QUEUE_MAX + 10000; i++)
		pmg_link_send(w->link, 1, pmg_json_object());
	assert_int_equal(w->gones, 0);
	run(w);
	assert_int_equal(w->gones, 1);
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(messages_go_both_ways),
		TEST(a_busy_front_delays_messages_but_loses_none),
		TEST(a_closed_front_is_told_once),
		TEST(nonsense_from_the_front_ends_it),
		TEST(a_front_that_never_reads_is_taken_for_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
