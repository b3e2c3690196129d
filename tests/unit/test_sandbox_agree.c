/*
 * Random policies, each with walls of its own and many random calls within them, by the manager and
 * by a script. Before a call is made what the policy says of it is worked out, by pmg_policy_ask()
 * of what the path leads to, and `pmg sandbox check` is asked too. Then the kernel must do what it
 * does without walls to a tree that looks the same, or refuse; and what is recorded is that
 * refusal, with its code, target and rule, or nothing.
 *
 * PMG_TEST_SEED=N plays other dice; it is printed.
 */
#include "sandbox/broker_priv.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cmocka.h>

#include "base/path.h"
#include "run/question.h"

#include "../helper/agree.h"
#include "../helper/walled.h"

#define POLICIES 20 /* of each user; each with walls of its own */
#define CALLS    50
#define SEED     1796030669 /* the same in each check: what it shows can be looked at again */

static char self[PATH_MAX];
static uint64_t seed;

/* The front's side of one run. */
struct run {
	struct walled walled;
	struct agree_tree real, twin;
	int ask, hear;        /* to and from the tool */
	struct pmg_strv seen; /* refusals that were told of */
	uint64_t expected, told;
	unsigned policy, call;
	unsigned allowed, denied, left_out;
};

__attribute__((noreturn)) static void disagree(const struct run *run, const struct agree_call *call,
					       const char *what)
{
	size_t i;

	fprintf(stderr, "PMG_TEST_SEED=%llu: policy %u, call %u: %s %s%s%s by %s: %s\n",
		(unsigned long long)seed, run->policy, run->call, agree_name(call->op), call->a,
		call->b[0] ? " to " : "", call->b,
		call->role == PMG_ROLE_SCRIPT ? "script" : "manager", what);
	for (i = 0; i < run->walled.policy->n_rules; i++) {
		const struct pmg_policy_rule *rule = &run->walled.policy->rules[i];

		if (strcmp(rule->source, "random") == 0)
			fprintf(stderr, "  %s %d roles %u %s\n", pmg_access_name(rule->access),
				(int)rule->rank, rule->roles, rule->text);
	}
	_exit(1);
}

static int answer_of(struct run *run, const struct agree_call *call)
{
	int result = -1;

	if (write(run->ask, call, sizeof *call) != sizeof *call ||
	    read(run->hear, &result, sizeof result) != sizeof result)
		disagree(run, call, "the tool is gone");
	return result;
}

/* What was said since the last call. @return an event, NULL: nothing */
static bool next_event(struct run *run, struct pmg_event *out)
{
	struct pollfd fd = { .fd = run->walled.sandbox.fd, .events = POLLIN };
	struct pmg_err err = PMG_ERR_INIT;

	while (poll(&fd, 1, 0) == 1) {
		pmg_auto(msg) struct pmg_msg msg = { 0 };

		if (pmg_msg_recv(fd.fd, &msg, &err) != 1)
			return false;
		if (msg.type == PMG_WIRE_DENIED)
			return pmg_event_decode(msg.body, out, &err) == 0;
		walled_take(&run->walled, &msg);
	}
	return false;
}

static char *key_of(int code, const char *target, const char *rule)
{
	return pmg_xasprintf("PMG%d %s by %s", code, target, rule ? rule : "no rule");
}

/* Each refusal is told of once; then it is counted, and that is told of in the end. */
static bool was_told(const struct run *run, const struct agree_verdict *verdict)
{
	unsigned i;

	for (i = 0; i < verdict->n; i++) {
		const struct agree_reason *reason = &verdict->v[i];
		pmg_autofree char *key = key_of(reason->code, reason->target,
						reason->rule ? reason->rule->text : NULL);

		if (pmg_strv_has(&run->seen, key))
			return true;
	}
	return false;
}

static bool is_reason(const struct agree_verdict *verdict, const char *got)
{
	unsigned i;

	for (i = 0; i < verdict->n; i++) {
		const struct agree_reason *reason = &verdict->v[i];
		pmg_autofree char *key = key_of(reason->code, reason->target,
						reason->rule ? reason->rule->text : NULL);

		if (strcmp(key, got) == 0)
			return true;
	}
	return false;
}

static void check_record(struct run *run, const struct agree_call *call,
			 const struct agree_verdict *verdict, bool refused)
{
	pmg_auto(event) struct pmg_event event = { 0 };
	bool told = next_event(run, &event);
	pmg_autofree char *got = told ? key_of(event.code, event.target, event.rule) : NULL;
	pmg_autofree char *what = NULL;

	run->expected += refused;
	if (!told && refused && !was_told(run, verdict))
		disagree(run, call, "refused, and not recorded");
	if (!told)
		return;
	run->told += event.count;
	what = pmg_xasprintf("recorded: %s", got);
	if (!refused || !is_reason(verdict, got))
		disagree(run, call, what);
	pmg_strv_add(&run->seen, got);
	if (next_event(run, &event))
		disagree(run, call, "recorded twice");
}

static const struct {
	enum pmg_access access;
	bool asks; /* the others are about the name itself, not about what it leads to */
} questions[AGREE_OP_MAX] = {
	[AGREE_READ] = { PMG_ACCESS_READ, true },
	[AGREE_LIST] = { PMG_ACCESS_READ, true },
	[AGREE_WRITE] = { PMG_ACCESS_WRITE, true },
	[AGREE_TRUNCATE] = { PMG_ACCESS_WRITE, true },
	[AGREE_CREATE] = { PMG_ACCESS_WRITE, true },
	[AGREE_CREATE_NEW] = { PMG_ACCESS_WRITE, true },
	[AGREE_MKDIR] = { PMG_ACCESS_WRITE, true },
	[AGREE_SYMLINK] = { PMG_ACCESS_WRITE, true },
	[AGREE_EXEC] = { PMG_ACCESS_EXEC, true },
	[AGREE_CONNECT] = { PMG_ACCESS_UNIX, true },
};

/* @param verdict  why it was refused, if it was */
static void check_answer(struct run *run, const struct agree_call *call,
			 const struct agree_verdict *verdict, bool refused)
{
	const struct pmg_question question = { .access = questions[call->op].access,
					       .role = call->role,
					       .text = call->a };
	pmg_autofree char *cwd = pmg_path_real(".");
	const struct pmg_prepared prepared = { .policy = run->walled.policy, .cwd = cwd };
	const struct pmg_strv env = { 0 };
	pmg_auto(reply) struct pmg_reply reply = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *what = NULL;
	bool says_names; /* only the kernel refuses: it is said beside the answer */

	if (!questions[call->op].asks)
		return;
	if (pmg_question_ask(&prepared, &env, &question, &reply, &err) < 0)
		disagree(run, call, err.msg);
	says_names = question.access == PMG_ACCESS_WRITE && reply.allowed && reply.note;
	if (reply.allowed == refused && !says_names)
		what = pmg_xasprintf("sandbox check: %s %s by %s",
				     reply.allowed ? "allowed" : "denied", reply.event.target,
				     reply.event.rule ? reply.event.rule : "no rule");
	else if (refused && strcmp(verdict->v[0].target, reply.event.target) != 0)
		what = pmg_xasprintf("sandbox check: of %s", reply.event.target);
	if (what)
		disagree(run, call, what);
}

static void check_call(struct run *run, const struct agree_call *call)
{
	struct agree_verdict verdict = { 0 };
	struct agree_call bare = *call;
	struct agree_where here, there;
	pmg_autofree char *what = NULL;
	int without, within;

	agree_judge(run->walled.policy, call, &verdict);
	if (verdict.left_out) {
		run->left_out++;
		return;
	}
	agree_move(&run->real, &run->twin, &bare);
	agree_look(call, &here);
	agree_look(&bare, &there);
	without = agree_perform(&bare);
	agree_undo(&run->twin, &bare, &there, without);
	within = answer_of(run, call);
	agree_undo(&run->real, call, &here, within);
	/* What cannot be done anyway may be refused first. */
	if (verdict.n == 0 && within != without)
		what = pmg_xasprintf("%s, and %s without walls", strerror(within),
				     strerror(without));
	else if (verdict.n > 0 && within == 0)
		what = pmg_xasprintf("done, and denied by %s",
				     verdict.v[0].rule ? verdict.v[0].rule->text : "no rule");
	else if (verdict.n > 0 && without == 0 && within != EACCES)
		what = pmg_xasprintf("%s instead of a refusal", strerror(within));
	if (what)
		disagree(run, call, what);
	check_record(run, call, &verdict, verdict.n > 0 && within == EACCES);
	if (within == 0 || (verdict.n > 0 && without == 0))
		check_answer(run, call, &verdict, within != 0);
	run->allowed += verdict.n == 0 && without == 0;
	run->denied += verdict.n > 0 && without == 0;
}

static void hear_the_end(struct run *run)
{
	struct pmg_err err = PMG_ERR_INIT;
	const struct agree_call none = { 0 };

	while (!run->walled.ended) {
		struct pollfd fd = { .fd = run->walled.sandbox.fd, .events = POLLIN };
		pmg_auto(msg) struct pmg_msg msg = { 0 };
		pmg_auto(event) struct pmg_event event = { 0 };

		if (poll(&fd, 1, WALLED_MS) != 1 || pmg_msg_recv(fd.fd, &msg, &err) != 1)
			disagree(run, &none, "it does not end");
		if (msg.type == PMG_WIRE_DENIED && pmg_event_decode(msg.body, &event, &err) == 0)
			run->told += event.count;
		else
			walled_take(&run->walled, &msg);
	}
	if (run->told != run->expected)
		disagree(run, &none, "not as many refusals were counted as there were");
}

static void start(struct run *run, int ask[2], int hear[2])
{
	char *argv[] = { self, (char *)(uintptr_t) "agent", NULL };

	if (pipe2(ask, O_CLOEXEC) < 0 || pipe2(hear, O_CLOEXEC) < 0 || dup2(ask[0], 0) < 0 ||
	    dup2(hear[1], 1) < 0)
		_exit(99);
	(void)close(ask[0]);
	(void)close(hear[1]);
	run->ask = ask[1];
	run->hear = hear[0];
	walled_start(&run->walled, argv, 0);
	walled_go(&run->walled);
	if (!walled_until(&run->walled, PMG_WIRE_STARTED)) {
		fprintf(stderr, "%s\n", run->walled.why.msg);
		_exit(99);
	}
}

static void one_policy(struct agree_dice *dice, unsigned number, unsigned counts[3])
{
	struct run run = { .policy = number };
	int ask[2], hear[2];

	walled_begin(&run.walled, self);
	agree_plant(&run.real, run.walled.top, dice);
	agree_copy(&run.real, &run.twin);
	agree_rules(run.walled.policy, &run.real, dice);
	start(&run, ask, hear);
	for (run.call = 0; run.call < CALLS; run.call++) {
		struct agree_call call;

		agree_call(&run.real, dice, &call);
		check_call(&run, &call);
	}
	(void)close(run.ask);
	hear_the_end(&run);
	counts[0] += run.allowed;
	counts[1] += run.denied;
	counts[2] += run.left_out;
	(void)close(run.hear);
	agree_uproot(&run.twin);
	agree_uproot(&run.real);
	pmg_strv_done(&run.seen);
	walled_end(&run.walled);
}

static int all_policies(void)
{
	struct agree_dice dice = { seed };
	unsigned i, counts[3] = { 0, 0, 0 };

	for (i = 0; i < POLICIES; i++)
		one_policy(&dice, i, counts);
	fprintf(stderr,
		"%u calls that work without walls were done, %u refused; %u of %u were not made\n",
		counts[0], counts[1], counts[2], POLICIES * CALLS);
	/* Else it was no test. */
	return counts[0] < POLICIES * CALLS / 10 || counts[1] < POLICIES * CALLS / 10 ||
	       counts[2] > POLICIES * CALLS / 50;
}

static void check_kernel_and_observer_agree(void **state)
{
	assert_int_equal(in_child(all_policies, *(bool *)*state), 0);
}

/* The tool: does what it is told, or has a script do it. */
static int agent(bool script)
{
	struct agree_call call;
	int down[2] = { -1, -1 }, up[2] = { -1, -1 }, result;

	if (!script && (pipe(down) < 0 || pipe(up) < 0))
		return 98;
	if (!script && fork() == 0) {
		(void)dup2(down[0], 0);
		(void)dup2(up[1], 1);
		(void)close(down[1]);
		(void)close(up[0]);
		(void)execl("/proc/self/exe", "self", "script", NULL);
		_exit(97);
	}
	while (read(0, &call, sizeof call) == sizeof call) {
		if (!script && call.role == PMG_ROLE_SCRIPT) {
			if (write(down[1], &call, sizeof call) != sizeof call ||
			    read(up[0], &result, sizeof result) != sizeof result)
				return 96;
		} else {
			result = agree_perform(&call);
		}
		if (write(1, &result, sizeof result) != sizeof result)
			return 95;
	}
	return 0;
}

static int can(void)
{
	pmg_auto(probe) struct pmg_probe probe = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	return pmg_driver_full.probe(&probe, &err) < 0 || probe.missing;
}

int main(int argc, char **argv)
{
	pmg_auto(folder) char *place = NULL;
	static bool ordinary = true, as_we_are = false;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(check_kernel_and_observer_agree, &as_we_are),
		cmocka_unit_test_prestate(check_kernel_and_observer_agree, &ordinary),
	};

	if (argc > 1)
		return agent(strcmp(argv[1], "script") == 0);
	seed = getenv("PMG_TEST_SEED") ? strtoull(getenv("PMG_TEST_SEED"), NULL, 10) : SEED;
	print_message("PMG_TEST_SEED=%llu\n", (unsigned long long)seed);
	place = walled_place(self);
	if (in_child(can, true) != 0)
		return child_skip("no walls here");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
