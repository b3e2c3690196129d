#include "proxy/refused.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/linked.h"

struct world {
	struct linked front;
	struct pmg_refused *refused;
};

static int setup(void **state)
{
	struct world *w = pmg_xcalloc(1, sizeof *w);

	linked_begin(&w->front);
	w->refused = pmg_refused_new(w->front.link);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	pmg_refused_free(w->refused);
	linked_end(&w->front);
	free(w);
	return 0;
}

static void hear(struct world *w, struct pmg_event *out)
{
	pmg_auto(msg) struct pmg_msg msg = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	pmg_event_done(out);
	assert_int_equal(pmg_msg_recv(w->front.fds[1], &msg, &err), 1);
	assert_int_equal(msg.type, PMG_WIRE_DENIED);
	assert_int_equal(pmg_event_decode(msg.body, out, &err), 0);
}

static void a_connection_is_told_at_once_and_counted_at_the_end(void **state)
{
	static char package[] = "dep@1.0.0", script[] = "install", program[] = "node";
	static char *process[] = { program, NULL };
	const struct pmg_peer peer = { .role = PMG_ROLE_SCRIPT,
				       .package = package,
				       .script = script,
				       .process = { .v = process, .n = 1 } };
	pmg_auto(event) struct pmg_event event = { 0 };
	struct world *w = *state;

	pmg_refused_connect(
		w->refused, &peer,
		&(struct pmg_refused_place){ "tcp", "evil.test", 443, NULL, true, false, false });
	hear(w, &event);
	assert_int_equal(event.code, 2009);
	assert_int_equal(event.op, PMG_EVENT_CONNECT);
	assert_int_equal(event.by, PMG_EVENT_BY_PROXY);
	assert_string_equal(event.target, "tcp evil.test:443");
	assert_string_equal(event.allow, "net-connect=evil.test:443");
	assert_string_equal(event.package, package);
	assert_string_equal(event.script, script);
	assert_string_equal(event.process.v[0], "node");
	assert_null(event.rule);
	pmg_refused_connect(
		w->refused, &peer,
		&(struct pmg_refused_place){ "tcp", "evil.test", 443, NULL, true, false, false });
	pmg_refused_connect(
		w->refused, NULL,
		&(struct pmg_refused_place){ "tcp", "fd00::1", 80, NULL, true, false, false });
	hear(w, &event);
	assert_string_equal(event.target, "tcp [fd00::1]:80");
	assert_string_equal(event.allow, "net-connect=[fd00::1]:80");
	assert_null(event.package);
	pmg_refused_connect(
		w->refused, &peer,
		&(struct pmg_refused_place){ "tcp", "evil.test", 443, NULL, true, false, false });
	pmg_refused_flush(w->refused);
	hear(w, &event);
	assert_string_equal(event.target, "tcp evil.test:443");
	assert_int_equal(event.count, 2);
	pmg_refused_flush(w->refused); /* nothing is new */
	pmg_refused_connect(
		w->refused, NULL,
		&(struct pmg_refused_place){ "udp", "z.test", 9, NULL, false, false, false });
	hear(w, &event);
	assert_string_equal(event.target, "udp z.test:9");
	assert_null(event.allow);
}

static void the_rule_is_named_and_what_must_stay_closed_gets_no_hint(void **state)
{
	static char text[] = "x.test", source[] = "built-in:1";
	static const struct {
		enum pmg_rank rank;
		bool sensitive, hint;
	} rows[] = {
		{ PMG_RANK_DENY, false, true },
		{ PMG_RANK_DENY, true, false },
		{ PMG_RANK_MANDATORY_DENY, false, false },
		{ PMG_RANK_MANAGED_DENY, false, false },
	};
	pmg_auto(event) struct pmg_event event = { 0 };
	struct world *w = *state;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		const struct pmg_policy_rule rule = { .rank = rows[i].rank,
						      .layer = PMG_LAYER_OVERLAY,
						      .sensitive = rows[i].sensitive,
						      .text = text,
						      .source = source };

		pmg_refused_connect(w->refused, NULL,
				    &(struct pmg_refused_place){ "tcp", "x.test", (uint16_t)(i + 1),
								 &rule, true, false, false });
		hear(w, &event);
		assert_string_equal(event.rule, "x.test");
		assert_string_equal(event.source, "built-in:1");
		assert_string_equal(event.layer, pmg_layer_name(PMG_LAYER_OVERLAY));
		assert_int_equal(event.sensitive, rows[i].sensitive);
		assert_int_equal(event.allow != NULL, rows[i].hint);
	}
}

static void a_registry_is_suggested_by_the_word(void **state)
{
	static char word[] = "registry", source[] = "built-in:1";
	const struct pmg_policy_rule flag = {
		.rank = PMG_RANK_OPT_OUT, .layer = PMG_LAYER_FLAG, .text = word, .source = source
	};
	const struct pmg_policy_rule deny = {
		.rank = PMG_RANK_DENY, .layer = PMG_LAYER_PROFILE, .text = word, .source = source
	};
	const struct {
		struct pmg_refused_place at;
		const char *allow, *rule;
	} rows[] = {
		{ { "tcp", "r.test", 443, NULL, true, true, false }, "net-connect=registry", NULL },
		{ { "tcp", "r.test", 444, NULL, false, true, false }, NULL, NULL },
		/* what is denied by its host is opened by that alone */
		{ { "tcp", "r.test", 445, &deny, true, true, false },
		  "net-connect=r.test:445",
		  "registry" },
		/* the word is there, and this was no fetching */
		{ { "tcp", "r.test", 446, &flag, true, true, true },
		  "net-connect=r.test:446",
		  "registry, only to fetch packages" },
	};
	pmg_auto(event) struct pmg_event event = { 0 };
	struct world *w = *state;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_refused_connect(w->refused, NULL, &rows[i].at);
		hear(w, &event);
		if (!pmg_streq(event.allow, rows[i].allow) || !pmg_streq(event.rule, rows[i].rule))
			fail_msg("row %zu: %s, %s", i, event.allow, event.rule);
	}
}

static void many_names_do_not_hide_a_connection(void **state)
{
	pmg_auto(event) struct pmg_event event = { 0 };
	struct world *w = *state;
	char name[32];
	unsigned i;

	for (i = 0; i < 5000; i++) {
		(void)snprintf(name, sizeof name, "n%u.test", i);
		pmg_refused_resolve(w->refused, NULL, name, NULL);
	}
	for (i = 0; i < PMG_REFUSED_NAMES_MAX; i++)
		hear(w, &event);
	assert_int_equal(event.op, PMG_EVENT_RESOLVE);
	assert_string_equal(event.target, "dns n127.test");
	assert_null(event.allow);
	hear(w, &event);
	assert_string_equal(event.target, "dns (and more names)");
	pmg_refused_connect(
		w->refused, NULL,
		&(struct pmg_refused_place){ "tcp", "evil.test", 443, NULL, true, false, false });
	hear(w, &event);
	assert_string_equal(event.target, "tcp evil.test:443");
	pmg_refused_flush(w->refused);
	hear(w, &event);
	assert_string_equal(event.target, "dns (and more names)");
	assert_int_equal(event.count, 5000 - PMG_REFUSED_NAMES_MAX - 1);
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_connection_is_told_at_once_and_counted_at_the_end),
		TEST(the_rule_is_named_and_what_must_stay_closed_gets_no_hint),
		TEST(a_registry_is_suggested_by_the_word),
		TEST(many_names_do_not_hide_a_connection),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
