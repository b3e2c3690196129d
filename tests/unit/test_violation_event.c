#include "violation/event.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/msg.h"
#include "base/str.h"
#include "violation/wire.h"

static struct pmg_event make(int code, const char *target)
{
	struct pmg_event event = { .code = code,
				   .op = PMG_EVENT_READ,
				   .by = PMG_EVENT_BY_BROKER,
				   .target = pmg_xstrdup(target),
				   .first = 100,
				   .last = 100 };

	return event;
}

static void fill(struct pmg_event *event)
{
	event->rule = pmg_xstrdup("**/.ssh");
	event->layer = pmg_xstrdup("mandatory");
	event->source = pmg_xstrdup("built-in:14");
	event->package = pmg_xstrdup("dep-evil@1.2.3");
	event->script = pmg_xstrdup("postinstall");
	event->how_known = pmg_xstrdup("tree");
	pmg_strv_add(&event->process, "npm");
	pmg_strv_add(&event->process, "sh");
	event->allow = pmg_xstrdup("read=/h/.ssh/id_x");
	event->sensitive = true;
}

static void names_are_those_of_the_documents(void **state)
{
	static const char *const names[] = { "read",     "write",  "delete",  "rename",  "link",
					     "metadata", "exec",   "connect", "resolve", "bind",
					     "unix",     "signal", "kernel",  "env" };
	struct pmg_err err = PMG_ERR_INIT;
	enum pmg_event_op op;
	enum pmg_event_by by;
	unsigned i;

	(void)state;
	assert_int_equal(PMG_ARRAY_LEN(names), PMG_EVENT_OP_MAX);
	for (i = 0; i < PMG_EVENT_OP_MAX; i++) {
		assert_string_equal(pmg_event_op_name((enum pmg_event_op)i), names[i]);
		assert_int_equal(pmg_event_op_parse(names[i], &op, &err), 0);
		assert_int_equal(op, i);
		assert_true(strlen(names[i]) < PMG_EVENT_OP_LEN);
	}
	assert_int_equal(pmg_event_op_parse("Read", &op, &err), -PMG_E_PARSE);
	for (i = 0; i < PMG_EVENT_BY_MAX; i++) {
		assert_int_equal(
			pmg_event_by_parse(pmg_event_by_name((enum pmg_event_by)i), &by, &err), 0);
		assert_int_equal(by, i);
	}
	assert_int_equal(pmg_event_by_parse("", &by, &err), -PMG_E_PARSE);
}

/* One change a row to what is else the same. */
struct change {
	void (*apply)(struct pmg_event *event);
	bool same;
};

static void set(char **text, const char *value)
{
	free(*text);
	*text = value ? pmg_xstrdup(value) : NULL;
}

static void other_code(struct pmg_event *e)
{
	e->code = 2002;
}
static void other_op(struct pmg_event *e)
{
	e->op = PMG_EVENT_WRITE;
}
static void other_target(struct pmg_event *e)
{
	set(&e->target, "/h/.ssh/id_y");
}
static void other_rule(struct pmg_event *e)
{
	set(&e->rule, "**/id_*");
}
static void no_rule(struct pmg_event *e)
{
	set(&e->rule, NULL);
}
static void other_package(struct pmg_event *e)
{
	set(&e->package, "dep-evil@1.2.4");
}
static void other_script(struct pmg_event *e)
{
	set(&e->script, "install");
}
static void moved_end(struct pmg_event *e) /* the same bytes in a row, cut elsewhere */
{
	set(&e->package, "dep-evil@1.2.3p");
	set(&e->script, "ostinstall");
}
static void other_rest(struct pmg_event *e)
{
	set(&e->source, "x:1");
	set(&e->layer, "flag");
	set(&e->how_known, "env");
	e->by = PMG_EVENT_BY_PROXY;
	e->first = e->last = 5;
	e->count = 9;
	pmg_strv_add(&e->process, "node");
}

static const struct change changes[] = {
	{ other_code, false },   { other_op, false },  { other_target, false },
	{ other_rule, false },   { no_rule, false },   { other_package, false },
	{ other_script, false }, { moved_end, false }, { other_rest, true },
};

static void the_key_says_what_is_the_same(void **state)
{
	pmg_auto(event) struct pmg_event one = make(2001, "/h/.ssh/id_x");
	char key[PMG_SHA256_HEX], other[PMG_SHA256_HEX];
	size_t i;

	(void)state;
	fill(&one);
	pmg_event_key(&one, key);
	for (i = 0; i < PMG_ARRAY_LEN(changes); i++) {
		pmg_auto(event) struct pmg_event two = make(2001, "/h/.ssh/id_x");

		fill(&two);
		changes[i].apply(&two);
		pmg_event_key(&two, other);
		assert_int_equal(strcmp(key, other) == 0, changes[i].same);
	}
}

static void equal_ones_are_counted(void **state)
{
	pmg_auto(events) struct pmg_events events = { 0 };
	struct pmg_event event = make(2001, "/a");
	const struct pmg_event *got = pmg_events_add(&events, &event);

	(void)state;
	assert_non_null(got);
	assert_int_equal(got->count, 1);
	assert_null(event.target);
	event = make(2001, "/a");
	event.first = 90;
	event.last = 200;
	event.count = 4;
	assert_null(pmg_events_add(&events, &event));
	assert_int_equal(events.n, 1);
	assert_int_equal(events.v[0].count, 5);
	assert_int_equal(events.v[0].first, 90);
	assert_int_equal(events.v[0].last, 200);
	event = make(2001, "/a");
	event.count = UINT64_MAX;
	assert_null(pmg_events_add(&events, &event));
	assert_true(events.v[0].count == UINT64_MAX);
}

static size_t add_many(struct pmg_events *events, size_t n, bool sensitive)
{
	char name[64];
	size_t i, added = 0;

	for (i = 0; i < n; i++) {
		struct pmg_event event;

		(void)snprintf(name, sizeof name, "/%s/%zu", sensitive ? "s" : "o", i);
		event = make(2001, name);
		event.sensitive = sensitive;
		added += pmg_events_add(events, &event) != NULL;
	}
	return added;
}

static void a_flood_is_bounded_and_hides_nothing_sensitive(void **state)
{
	pmg_auto(events) struct pmg_events events = { 0 };
	const struct pmg_event *more;

	(void)state;
	assert_int_equal(add_many(&events, 100000, false), PMG_EVENTS_MAX - 1 - 64 + 1);
	assert_int_equal(add_many(&events, 1000, true), 64);
	assert_int_equal(events.n, PMG_EVENTS_MAX);
	assert_int_equal(events.n_sensitive, 64);
	assert_int_equal(events.lost, 100000 - 447 + 1000 - 64);
	more = &events.v[447];
	assert_int_equal(more->code, PMG_DIAG_INCOMPLETE);
	assert_string_equal(more->target, PMG_EVENT_LOST_TARGET);
	assert_int_equal(more->count, events.lost);
	/* What is in is still counted. */
	assert_int_equal(add_many(&events, 447, false), 0);
	assert_int_equal(events.v[0].count, 2);
	assert_int_equal(more->count, events.lost);
}

static void texts_from_outside_are_made_clean(void **state)
{
	static const struct {
		const char *target, *shown;
		bool keeps_allow;
	} rows[] = {
		{ "/h/.ssh/id_x", "/h/.ssh/id_x", true },
		{ "/h/\xc3\xa4", "/h/\xc3\xa4", true },
		{ "/h/\x1b]0;x\a", "/h/\\x1b]0;x\\x07", false },
		{ "/h/\xff", "/h/\\xff", false },
		{ "/h/a\nb", "/h/a\\x0ab", false },
		{ "", "?", true },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(event) struct pmg_event event = make(2001, rows[i].target);

		event.allow = pmg_xasprintf("read=%s", rows[i].target);
		event.rule = pmg_xstrdup("");
		pmg_strv_add(&event.process, "");
		pmg_strv_add(&event.process, "a\x1b");
		pmg_event_clean(&event);
		assert_string_equal(event.target, rows[i].shown);
		assert_int_equal(event.allow != NULL, rows[i].keeps_allow);
		assert_null(event.rule);
		assert_int_equal(event.process.n, 1);
		assert_string_equal(event.process.v[0], "a\\x1b");
		assert_int_equal(event.count, 1);
	}
}

static void what_is_too_long_is_cut_between_characters(void **state)
{
	pmg_auto(event) struct pmg_event event = make(2001, "");
	char *name = pmg_xcalloc(PMG_EVENT_TARGET_MAX + 16, 1);
	char first[PMG_SHA256_HEX], again[PMG_SHA256_HEX];
	size_t i;

	(void)state;
	memset(name, 'a', PMG_EVENT_TARGET_MAX - 4);
	memcpy(name + PMG_EVENT_TARGET_MAX - 4, "\xe2\x82\xac\xe2\x82\xac", 6);
	free(event.target);
	event.target = name;
	event.allow = pmg_xstrdup("read=/a");
	for (i = 0; i < 40; i++)
		pmg_strv_addf(&event.process, "p%zu", i);
	pmg_event_clean(&event);
	assert_int_equal(strlen(event.target), PMG_EVENT_TARGET_MAX - 1);
	assert_string_equal(event.target + PMG_EVENT_TARGET_MAX - 6, "aa...");
	assert_null(event.allow);
	assert_int_equal(event.process.n, PMG_EVENT_CHAIN_MAX);
	assert_string_equal(event.process.v[0], "p0");
	assert_string_equal(event.process.v[PMG_EVENT_CHAIN_MAX - 1], "p39");
	pmg_event_key(&event, first);
	pmg_event_clean(&event);
	pmg_event_key(&event, again);
	assert_string_equal(first, again);
}

static const char whole[] =
	"{\"first\":\"1970-01-01T00:01:40Z\",\"last\":\"1970-01-01T00:01:40Z\",\"count\":3,"
	"\"code\":\"PMG2001\",\"op\":\"read\",\"target\":\"/h/.ssh/id_x\",\"rule\":\"**/.ssh\","
	"\"layer\":\"mandatory\",\"source\":\"built-in:14\",\"package\":\"dep-evil@1.2.3\","
	"\"script\":\"postinstall\",\"how_known\":\"tree\",\"process\":[\"npm\",\"sh\"],"
	"\"enforced_by\":\"broker\",\"sensitive\":true,\"allow\":\"read=/h/.ssh/id_x\"}";
static const char bare[] =
	"{\"first\":\"1970-01-01T00:01:40Z\",\"last\":\"1970-01-01T00:01:40Z\",\"count\":3,"
	"\"code\":\"PMG2001\",\"op\":\"read\",\"target\":\"/h/.ssh/id_x\",\"process\":[],"
	"\"enforced_by\":\"broker\",\"sensitive\":false}";

static void an_event_survives_the_way(void **state)
{
	static const char *const shapes[] = { whole, bare };
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(shapes); i++) {
		pmg_auto(event) struct pmg_event event = make(2001, "/h/.ssh/id_x");
		pmg_auto(event) struct pmg_event got = { 0 };
		pmg_auto(json) struct json_t *json = NULL, *again = NULL;
		pmg_autofree char *text = NULL, *same = NULL;

		if (i == 0)
			fill(&event);
		event.count = 3;
		json = pmg_event_encode(&event);
		text = pmg_json_dump(json);
		assert_string_equal(text, shapes[i]);
		assert_int_equal(pmg_event_decode(json, &got, &err), 0);
		again = pmg_event_encode(&got);
		same = pmg_json_dump(again);
		assert_string_equal(same, text);
	}
}

static void broken_events_are_refused_by_the_field(void **state)
{
	static const struct {
		const char *from, *to, *msg;
	} rows[] = {
		{ "\"PMG2001\"", "\"PMG201\"", "message field \"code\" is no PMGnnnn" },
		{ "\"PMG2001\"", "\"PMG20x1\"", "message field \"code\" is no PMGnnnn" },
		{ "\"PMG2001\"", "2001", "message field \"code\" is no text" },
		{ "\"read\"", "\"peek\"", "message field \"op\" is no operation" },
		{ "\"broker\"", "\"nobody\"", "message field \"enforced_by\" is nobody" },
		{ "\"count\":3", "\"count\":0", "message field \"count\" is nothing" },
		{ "\"count\":3", "\"count\":-3", "message field \"count\" is no count" },
		{ "\"1970-01-01T00:01:40Z\"", "\"1970\"", "message field \"first\" is no time" },
		{ "\"1970-01-01T00:01:40Z\"", "\"1969-12-31T23:59:59Z\"",
		  "message field \"first\" is no time" },
		{ "\"1970-01-01T00:01:40Z\"", "\"9999-12-31T23:59:59-01:00\"",
		  "message field \"first\" is too long" },
		{ "\"sensitive\":false", "\"x\":1", "message has an unknown field" },
		{ ",\"sensitive\":false", "", "message field \"sensitive\" is missing" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		const char *place = strstr(bare, rows[i].from);
		pmg_autofree char *text = pmg_xasprintf("%.*s%s%s", (int)(place - bare), bare,
							rows[i].to, place + strlen(rows[i].from));
		pmg_auto(json) struct json_t *body = NULL;
		struct pmg_err err = PMG_ERR_INIT;
		struct pmg_event got = { 0 };

		assert_int_equal(pmg_json_parse("row", text, strlen(text), &body, &err), 0);
		assert_int_equal(pmg_event_decode(body, &got, &err), -PMG_E_PEER);
		assert_string_equal(err.msg, rows[i].msg);
		assert_null(got.target);
	}
}

static void a_listed_event_is_read_with_what_its_run_adds(void **state)
{
	pmg_autofree char *text =
		pmg_xasprintf("{\"id\":3,\"run\":\"r-1\",\"profile\":\"npm\",%s", whole + 1);
	pmg_autofree char *dirty = pmg_xasprintf("{\"id\":3,%s", whole + 1);
	pmg_auto(json) struct json_t *body = NULL;
	pmg_auto(json) struct json_t *bad = NULL;
	pmg_auto(event) struct pmg_event got = { 0 };
	struct pmg_event none = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_json_parse("row", text, strlen(text), &body, &err), 0);
	assert_int_equal(pmg_event_decode(body, &none, &err), -PMG_E_PEER);
	assert_int_equal(pmg_event_read(body, &got, &err), 0);
	assert_string_equal(got.target, "/h/.ssh/id_x");
	assert_int_equal(got.count, 3);
	memcpy(strstr(dirty, "broker"), "brokem", 6);
	assert_int_equal(pmg_json_parse("row", dirty, strlen(dirty), &bad, &err), 0);
	assert_int_equal(pmg_event_read(bad, &none, &err), -PMG_E_PEER);
	assert_null(none.target);
}

static void times_that_cannot_be_written_are_moved(void **state)
{
	static const struct {
		int64_t first, last, first_then, last_then;
	} rows[] = {
		{ -5, 3, 0, 3 },
		{ 5, 3, 5, 5 },
		{ INT64_MIN, INT64_MAX, 0, 253402300799 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(event) struct pmg_event event = make(2001, "/a");
		pmg_auto(event) struct pmg_event got = { 0 };
		pmg_auto(json) struct json_t *json = NULL;
		struct pmg_err err = PMG_ERR_INIT;

		event.first = rows[i].first;
		event.last = rows[i].last;
		pmg_event_clean(&event);
		assert_int_equal(event.first, rows[i].first_then);
		assert_int_equal(event.last, rows[i].last_then);
		json = pmg_event_encode(&event);
		assert_int_equal(pmg_event_decode(json, &got, &err), 0);
	}
}

static char *worst(size_t n)
{
	char *text = pmg_xcalloc(n + 1, 1);

	memset(text, '"', n); /* two bytes each in JSON */
	return text;
}

static void the_largest_event_fits_a_message(void **state)
{
	pmg_auto(event) struct pmg_event event = make(2001, "");
	char **const texts[] = { &event.target,  &event.rule,   &event.layer,     &event.source,
				 &event.package, &event.script, &event.how_known, &event.allow };
	pmg_auto(event) struct pmg_event got = { 0 };
	pmg_auto(json) struct json_t *json = NULL;
	pmg_auto(msg) struct pmg_msg msg = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;
	int fds[2];

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(texts); i++) {
		free(*texts[i]);
		*texts[i] = worst(PMG_MSG_MAX);
	}
	for (i = 0; i < 40; i++)
		pmg_strv_take(&event.process, worst(PMG_MSG_MAX));
	pmg_event_clean(&event);
	event.allow = worst(PMG_EVENT_SOURCE_MAX);
	json = pmg_event_encode(&event);
	assert_int_equal(pmg_msg_pair(fds, &err), 0);
	assert_int_equal(pmg_msg_send(fds[0], PMG_WIRE_DENIED, json, &err), 0);
	assert_int_equal(pmg_msg_recv(fds[1], &msg, &err), 1);
	assert_int_equal(pmg_event_decode(msg.body, &got, &err), 0);
	assert_string_equal(got.target, event.target);
	pmg_auto_closep(&fds[0]);
	pmg_auto_closep(&fds[1]);
}

static void only_what_is_new_is_told(void **state)
{
	pmg_auto(events) struct pmg_events events = { 0 };
	struct pmg_event event = make(2001, "/a");
	pmg_auto(json) struct json_t *first = NULL, *second = NULL;

	(void)state;
	event.count = 2;
	assert_non_null(pmg_events_add(&events, &event));
	first = pmg_event_tell(&events.v[0]);
	assert_int_equal(pmg_json_int(first, "count"), 2);
	assert_null(pmg_event_tell(&events.v[0]));
	event = make(2001, "/a");
	assert_null(pmg_events_add(&events, &event));
	second = pmg_event_tell(&events.v[0]);
	assert_int_equal(pmg_json_int(second, "count"), 1);
	assert_int_equal(events.v[0].count, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_those_of_the_documents),
		cmocka_unit_test(the_key_says_what_is_the_same),
		cmocka_unit_test(equal_ones_are_counted),
		cmocka_unit_test(a_flood_is_bounded_and_hides_nothing_sensitive),
		cmocka_unit_test(texts_from_outside_are_made_clean),
		cmocka_unit_test(what_is_too_long_is_cut_between_characters),
		cmocka_unit_test(an_event_survives_the_way),
		cmocka_unit_test(broken_events_are_refused_by_the_field),
		cmocka_unit_test(a_listed_event_is_read_with_what_its_run_adds),
		cmocka_unit_test(times_that_cannot_be_written_are_moved),
		cmocka_unit_test(the_largest_event_fits_a_message),
		cmocka_unit_test(only_what_is_new_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
