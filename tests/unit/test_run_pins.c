#include "run/pins.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/str.h"

/* The proxy of these tests: names that begin with "bad" are listed, and so is the hash "h-bad". */
static void answer_one(int fd, const struct pmg_wire_ask *ask, size_t at, uint64_t number)
{
	struct pmg_err err = PMG_ERR_INIT;
	char verdict[] = "block", reason[] = "known malware";
	struct pmg_wire_answer answer = {
		.number = number, .at = at, .verdict = verdict, .reason = reason, .diag = 3001
	};
	pmg_auto(json) struct json_t *body = pmg_wire_answer_encode(&answer);

	if ((pmg_str_has_prefix(ask->names.v[at], "bad") || strstr(ask->hashes.v[at], "h-bad")) &&
	    pmg_msg_send(fd, PMG_WIRE_ANSWER, body, &err) < 0)
		_exit(1);
}

/* @param off  added to the number of each answer: an answer to another question */
static void proxy(int fd, unsigned off)
{
	struct pmg_err err = PMG_ERR_INIT;

	for (;;) {
		pmg_auto(msg) struct pmg_msg msg = { 0 };
		pmg_auto(wire_ask) struct pmg_wire_ask ask = { 0 };
		struct pmg_wire_answered answered = { 0 };
		pmg_auto(json) struct json_t *body = NULL;
		size_t i;

		if (pmg_msg_recv(fd, &msg, &err) <= 0)
			_exit(0);
		if (msg.type != PMG_WIRE_ASK || pmg_wire_ask_decode(msg.body, &ask, &err) < 0)
			_exit(2);
		for (i = 0; i < ask.names.n; i++)
			answer_one(fd, &ask, i, ask.number + off);
		answered.number = ask.number;
		body = pmg_wire_answered_encode(&answered);
		if (pmg_msg_send(fd, PMG_WIRE_ANSWERED, body, &err) < 0)
			_exit(1);
	}
}

struct world {
	struct pmg_signals signals;
	struct pmg_proxy proxy;
	struct pmg_record record;
	struct pmg_attend attend;
};

static void begin(struct world *w, unsigned off)
{
	struct pmg_err err = PMG_ERR_INIT;
	int fds[2];

	*w = (struct world){ .signals = PMG_SIGNALS_INIT, .proxy = PMG_PROXY_INIT };
	assert_int_equal(pmg_signals_open(&w->signals, &err), 0);
	assert_int_equal(pmg_msg_pair(fds, &err), 0);
	w->proxy.fd = fds[0];
	w->proxy.pid = fork();
	assert_true(w->proxy.pid >= 0);
	if (w->proxy.pid == 0) {
		(void)close(fds[0]);
		proxy(fds[1], off);
	}
	(void)close(fds[1]);
	w->attend = (struct pmg_attend){ .signals = &w->signals,
					 .proxy = &w->proxy,
					 .record = &w->record };
}

static void end(struct world *w)
{
	pmg_proxy_done(&w->proxy);
	pmg_signals_close(&w->signals);
	pmg_record_done(&w->record);
}

static void add(struct pmg_resolved *set, enum pmg_eco eco, char *name, const char *version,
		char *integrity)
{
	set->v = pmg_grow(set->v, set->n, &set->cap, sizeof *set->v);
	set->v[set->n++] = (struct pmg_resolved_package){ .eco = eco,
							  .name = name,
							  .version = pmg_xstrdup(version),
							  .integrity = integrity,
							  .file = "lock" };
}

static enum pmg_pin_age age_of(void *ctx, const struct pmg_resolved_package *p)
{
	(void)ctx;
	(void)p;
	return PMG_PIN_AGE_NONE;
}

/* More packages than a question holds, of both ecosystems, some of them twice. */
static void every_package_is_asked_once(void **state)
{
	pmg_auto(resolved) struct pmg_resolved set = { 0 };
	pmg_auto(pin_hits) struct pmg_pin_hits hits = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	struct world w;
	size_t i;

	(void)state;
	begin(&w, 0);
	for (i = 0; i < 3000; i++)
		add(&set, PMG_ECO_NPM, pmg_xasprintf("p%zu", i), "1.0.0",
		    pmg_xasprintf("sha512-%080zu==", i));
	for (i = 0; i < 5; i++)
		add(&set, PMG_ECO_NPM, pmg_xstrdup("bad-npm"), "1.0.0\x1b[31m", NULL);
	add(&set, PMG_ECO_PYPI, pmg_xstrdup("bad-py"), "1.0", NULL);
	pmg_resolved_sort(&set);
	assert_int_equal(pmg_pins_ask(&w.attend, &set, age_of, NULL, &hits, &err), 0);
	assert_int_equal(hits.n, 2);
	assert_string_equal(set.v[hits.v[0].at].name, "bad-npm");
	assert_string_equal(set.v[hits.v[1].at].name, "bad-py");
	assert_string_equal(hits.v[1].what.reason, "known malware");
	end(&w);
}

/* A package whose hashes fill more than one element is asked for until all are told. */
static void the_last_of_many_hashes_counts(void **state)
{
	pmg_auto(str) struct pmg_str hashes = PMG_STR_INIT(1U << 20);
	pmg_auto(resolved) struct pmg_resolved set = { 0 };
	pmg_auto(pin_hits) struct pmg_pin_hits hits = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	struct world w;
	size_t i;

	(void)state;
	begin(&w, 0);
	for (i = 0; i < 900; i++)
		assert_int_equal(pmg_str_addf(&hashes, "sha256:%064zu ", i), 0);
	assert_int_equal(pmg_str_adds(&hashes, "h-bad"), 0);
	add(&set, PMG_ECO_PYPI, pmg_xstrdup("many"), "1", pmg_str_steal(&hashes));
	add(&set, PMG_ECO_PYPI, pmg_xstrdup("next"), "1", NULL);
	assert_int_equal(pmg_pins_ask(&w.attend, &set, age_of, NULL, &hits, &err), 0);
	assert_int_equal(hits.n, 1);
	assert_int_equal(hits.v[0].at, 0);
	end(&w);
}

static void an_answer_to_another_question_ends_it(void **state)
{
	pmg_auto(resolved) struct pmg_resolved set = { 0 };
	pmg_auto(pin_hits) struct pmg_pin_hits hits = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	struct world w;

	(void)state;
	begin(&w, 1);
	add(&set, PMG_ECO_NPM, pmg_xstrdup("bad"), "1.0.0", NULL);
	assert_int_equal(pmg_pins_ask(&w.attend, &set, age_of, NULL, &hits, &err), -PMG_E_PEER);
	assert_int_equal(hits.n, 0);
	end(&w);
}

static void a_proxy_that_is_gone_is_an_error(void **state)
{
	pmg_auto(resolved) struct pmg_resolved set = { 0 };
	pmg_auto(pin_hits) struct pmg_pin_hits hits = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	struct world w;

	(void)state;
	begin(&w, 0);
	assert_int_equal(kill(w.proxy.pid, SIGKILL), 0);
	add(&set, PMG_ECO_NPM, pmg_xstrdup("x"), "1.0.0", NULL);
	assert_int_equal(pmg_pins_ask(&w.attend, &set, age_of, NULL, &hits, &err), -PMG_E_PEER);
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_package_is_asked_once),
		cmocka_unit_test(the_last_of_many_hashes_counts),
		cmocka_unit_test(an_answer_to_another_question_ends_it),
		cmocka_unit_test(a_proxy_that_is_gone_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
