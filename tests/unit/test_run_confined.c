#include "run/confined.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/str.h"
#include "violation/event.h"

/* The front's end, and the other, which the test plays. */
struct stage {
	struct pmg_confined confined;
	int theirs;
};

static void stage_open(struct stage *stage)
{
	struct pmg_err err = PMG_ERR_INIT;
	int fds[2];

	*stage = (struct stage){ .confined = PMG_CONFINED_INIT };
	assert_int_equal(pmg_msg_pair(fds, &err), 0);
	stage->confined.sandbox.fd = fds[0];
	stage->theirs = fds[1];
}

static void stage_done(struct stage *stage)
{
	pmg_auto_closep(&stage->theirs);
	pmg_confined_done(&stage->confined);
}
PMG_DEFINE_AUTO_DONE(stage, struct stage, stage_done);

static void say(const struct stage *stage, enum pmg_wire_type type, struct json_t *taken,
		const int *fds, size_t n)
{
	pmg_auto(json) struct json_t *body = taken;
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(pmg_msg_send_fds(stage->theirs, (uint16_t)type, body, fds, n, &err), 0);
}

static int take(struct stage *stage, struct pmg_record *record, struct pmg_confined_news *news,
		struct pmg_err *err)
{
	return pmg_confined_take(&stage->confined, record, news, err);
}

static void what_the_walls_say_is_taken(void **state)
{
	struct pmg_wire_stopped stopped = { .signal = SIGTSTP };
	struct pmg_wire_started started = { .pid = 42 };
	struct pmg_wire_ended ended = { .status = 256 };
	struct pmg_event event = { .code = 2001, .op = PMG_EVENT_READ, .count = 1 };
	pmg_auto(record) struct pmg_record record = { 0 };
	pmg_auto(stage) struct stage stage;
	struct pmg_err err = PMG_ERR_INIT;
	int null = dup(0);

	(void)state;
	stage_open(&stage);
	event.target = pmg_xstrdup("/home/u/.ssh/id_x");
	say(&stage, PMG_WIRE_STARTED, pmg_wire_started_encode(&started), &null, 1);
	say(&stage, PMG_WIRE_DENIED, pmg_event_encode(&event), NULL, 0);
	say(&stage, PMG_WIRE_STOPPED, pmg_wire_stopped_encode(&stopped), NULL, 0);
	say(&stage, PMG_WIRE_ENDED, pmg_wire_ended_encode(&ended), NULL, 0);
	{
		pmg_auto(confined_news) struct pmg_confined_news news = { 0 };

		assert_int_equal(take(&stage, &record, &news, &err), 1);
		assert_int_equal(news.started.pid, 42);
		assert_true(stage.confined.sandbox.tool_fd >= 0);
		assert_int_equal(take(&stage, &record, &news, &err), 1);
		assert_int_equal(record.events.n, 1);
		assert_int_equal(take(&stage, &record, &news, &err), 1);
		assert_int_equal(news.stopped.signal, SIGTSTP);
		assert_int_equal(take(&stage, &record, &news, &err), 1);
		assert_int_equal(news.ended.status, 256);
	}
	pmg_event_done(&event);
	(void)close(null);
}

static void a_message_without_its_descriptors_is_nonsense(void **state)
{
	struct pmg_wire_started started = { .pid = 42 };
	struct pmg_wire_walls walls = { 0 };
	pmg_auto(record) struct pmg_record record = { 0 };
	pmg_auto(confined_news) struct pmg_confined_news news = { 0 };
	pmg_auto(stage) struct stage stage;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	stage_open(&stage);
	pmg_strv_add(&walls.kinds, "proxy");
	say(&stage, PMG_WIRE_STARTED, pmg_wire_started_encode(&started), NULL, 0);
	say(&stage, PMG_WIRE_WALLS, pmg_wire_walls_encode(&walls), NULL, 0);
	say(&stage, PMG_WIRE_READY, NULL, NULL, 0);
	assert_int_equal(take(&stage, &record, &news, &err), -PMG_E_PEER);
	assert_int_equal(take(&stage, &record, &news, &err), -PMG_E_PEER);
	assert_int_equal(take(&stage, &record, &news, &err), -PMG_E_PEER);
	pmg_wire_walls_done(&walls);
}

/* A keeper that is killed takes the tool with it; the front says so, and by which signal. */
static void walls_that_are_gone_are_an_error_with_its_code(void **state)
{
	pmg_auto(record) struct pmg_record record = { 0 };
	pmg_auto(confined_news) struct pmg_confined_news news = { 0 };
	pmg_auto(stage) struct stage stage;
	struct pmg_err err = PMG_ERR_INIT;
	pid_t child = fork();

	(void)state;
	if (child == 0) {
		(void)raise(SIGKILL);
		_exit(1);
	}
	stage_open(&stage);
	stage.confined.sandbox.keeper = child;
	pmg_auto_closep(&stage.theirs);
	stage.theirs = -1;
	assert_int_equal(take(&stage, &record, &news, &err), -PMG_E_PEER);
	assert_int_equal(err.diag, 2107);
	assert_non_null(strstr(err.msg, "signal 9"));
	assert_int_equal(stage.confined.sandbox.keeper, 0);
}

static void add_rule(struct pmg_policy *policy, enum pmg_access access, const char *text)
{
	char source[] = "test:1";
	pmg_autofree char *copy = pmg_xstrdup(text);
	struct pmg_policy_rule rule = { .access = access,
					.rank = PMG_RANK_ALLOW,
					.layer = PMG_LAYER_FLAG,
					.roles = PMG_ROLE_SCRIPT,
					.text = copy,
					.source = source };
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(pmg_policy_add(policy, &rule, &err), 0);
}

static void rules_of_the_network_and_listeners_go_to_the_proxy(void **state)
{
	pmg_auto(policy) struct pmg_policy *policy = pmg_policy_new();
	pmg_auto(confined) struct pmg_confined confined = PMG_CONFINED_INIT;
	pmg_auto(confined_news) struct pmg_confined_news walls = { 0 };
	pmg_auto(msg) struct pmg_msg first = { 0 };
	pmg_auto(msg) struct pmg_msg second = { 0 };
	pmg_auto(wire_netrule) struct pmg_wire_netrule rule = { 0 };
	pmg_auto(wire_listen) struct pmg_wire_listen listen = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	int fds[2];

	(void)state;
	add_rule(policy, PMG_ACCESS_CONNECT, "host.test:443");
	add_rule(policy, PMG_ACCESS_READ, "/etc/**");
	pmg_policy_seal(policy);
	assert_int_equal(pmg_msg_pair(fds, &err), 0);
	confined.broker_fd = dup(0);
	pmg_strv_add(&walls.walls.kinds, "proxy");
	walls.listeners.fds[walls.listeners.n_fds++] = dup(0);
	assert_int_equal(pmg_confined_hand_over(&confined, policy, &walls, fds[0], &err), 0);
	assert_int_equal(confined.broker_fd, -1);
	assert_int_equal(pmg_msg_recv(fds[1], &first, &err), 1);
	assert_int_equal(first.type, PMG_WIRE_NETRULE);
	assert_int_equal(pmg_wire_netrule_decode(first.body, &rule, &err), 0);
	assert_string_equal(rule.text, "host.test:443");
	assert_int_equal(rule.roles, PMG_ROLE_SCRIPT);
	assert_int_equal(pmg_msg_recv(fds[1], &second, &err), 1);
	assert_int_equal(second.type, PMG_WIRE_LISTEN);
	assert_int_equal(pmg_wire_listen_decode(second.body, &listen, &err), 0);
	assert_int_equal(listen.kinds.n, 2);
	assert_string_equal(listen.kinds.v[1], "broker");
	assert_int_equal(second.n_fds, 2);
	(void)close(fds[0]);
	(void)close(fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_walls_say_is_taken),
		cmocka_unit_test(a_message_without_its_descriptors_is_nonsense),
		cmocka_unit_test(walls_that_are_gone_are_an_error_with_its_code),
		cmocka_unit_test(rules_of_the_network_and_listeners_go_to_the_proxy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
