#include "run/confined.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "base/msg.h"

#define LOOK_NS 2000000L
#define LOOKS   500U

void pmg_confined_done(struct pmg_confined *confined)
{
	pmg_sandbox_done(&confined->sandbox);
	pmg_auto_closep(&confined->broker_fd);
	confined->broker_fd = -1;
}

int pmg_confined_start(struct pmg_sandbox_want *want, struct pmg_confined *out, struct pmg_err *err)
{
	pmg_autofd int theirs = -1;
	int fds[2], r = pmg_msg_pair(fds, err);

	if (r < 0)
		return r;
	out->broker_fd = fds[0];
	theirs = fds[1];
	want->proxy_fd = theirs;
	r = pmg_sandbox_start(want, &out->sandbox, err);
	want->proxy_fd = -1;
	return r;
}

void pmg_confined_news_done(struct pmg_confined_news *news)
{
	pmg_wire_walls_done(&news->walls);
	pmg_msg_done(&news->listeners);
}

/* It ends when the broker does; unless somebody has stopped it, and then we do not wait. */
static bool await_keeper(pid_t keeper, int *status)
{
	const struct timespec pause = { 0, LOOK_NS };
	unsigned looks;
	pid_t pid = 0;

	for (looks = 0; pid == 0 && looks < LOOKS; looks++) {
		pid = waitpid(keeper, status, WNOHANG);
		if (pid == 0)
			(void)nanosleep(&pause, NULL);
	}
	return pid == keeper;
}

/* Closed without ENDED: who was killed took all else with it. */
static int lost(struct pmg_confined *confined, struct pmg_err *err)
{
	struct pmg_sandbox *sandbox = &confined->sandbox;
	int status;

	if (sandbox->keeper > 0 && await_keeper(sandbox->keeper, &status)) {
		sandbox->keeper = 0;
		confined->keeper_status = status;
	}
	status = confined->keeper_status;
	confined->failed = true;
	pmg_auto_closep(&sandbox->fd);
	sandbox->fd = -1;
	if (WIFSIGNALED(status))
		(void)pmg_err_set(err, PMG_E_PEER, 0,
				  "the sandbox was ended by signal %d (%s), and the tool with it",
				  WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		(void)pmg_err_set(err, PMG_E_PEER, 0,
				  "the sandbox was lost, and the tool ended with it");
	return pmg_err_diag(err, 2107);
}

static int failed(const struct json_t *body, struct pmg_err *err)
{
	struct pmg_err theirs = PMG_ERR_INIT;
	int r = pmg_wire_failed_decode(body, &theirs, err);

	if (r < 0)
		return r;
	*err = theirs;
	if (theirs.code == PMG_E_PEER && theirs.diag == 0)
		(void)pmg_err_diag(err, 2107); /* one of them was lost to another */
	return -(int)theirs.code;
}

static int started(struct pmg_confined *confined, struct pmg_msg *msg,
		   struct pmg_confined_news *news, struct pmg_err *err)
{
	int r = pmg_wire_started_decode(msg->body, &news->started, err);

	if (r < 0)
		return r;
	if (msg->n_fds != 1)
		return pmg_err_set(err, PMG_E_PEER, 0, "the tool's descriptor is missing");
	confined->sandbox.tool_fd = pmg_steal_fd(&msg->fds[0]);
	return 0;
}

static int walls(struct pmg_msg *msg, struct pmg_confined_news *news, struct pmg_err *err)
{
	int r = pmg_wire_walls_decode(msg->body, &news->walls, err);

	if (r < 0)
		return r;
	if (msg->n_fds != news->walls.kinds.n)
		return pmg_err_set(err, PMG_E_PEER, 0, "%zu listeners for %zu names", msg->n_fds,
				   news->walls.kinds.n);
	news->listeners = *msg;
	*msg = (struct pmg_msg){ 0 };
	return 0;
}

int pmg_confined_take(struct pmg_confined *confined, struct pmg_record *record,
		      struct pmg_confined_news *news, struct pmg_err *err)
{
	pmg_auto(msg) struct pmg_msg msg = { 0 };
	int r = pmg_msg_recv(confined->sandbox.fd, &msg, err);

	if (r < 0)
		return r;
	if (r == 0)
		return lost(confined, err);
	news->type = (enum pmg_wire_type)msg.type;
	switch (msg.type) {
	case PMG_WIRE_WALLS:
		r = walls(&msg, news, err);
		break;
	case PMG_WIRE_FAILED:
		confined->failed = true;
		r = failed(msg.body, err);
		break;
	case PMG_WIRE_STARTED:
		r = started(confined, &msg, news, err);
		break;
	case PMG_WIRE_STOPPED:
		r = pmg_wire_stopped_decode(msg.body, &news->stopped, err);
		break;
	case PMG_WIRE_ENDED:
		r = pmg_wire_ended_decode(msg.body, &news->ended, err);
		break;
	case PMG_WIRE_DENIED:
		r = pmg_record_denied_read(record, msg.body, err);
		break;
	default:
		r = pmg_err_set(err, PMG_E_PEER, 0, "the sandbox sent message %u", msg.type);
	}
	return r < 0 ? r : 1;
}

static int tell_rule(const struct pmg_policy_rule *rule, int proxy_fd, struct pmg_err *err)
{
	struct pmg_wire_netrule m = {
		.rank = (int)rule->rank,
		.roles = (int)rule->roles,
		.layer = (int)rule->layer,
		.text = rule->text,
		.source = rule->source,
		.sensitive = rule->sensitive,
	};
	pmg_auto(json) struct json_t *body = pmg_wire_netrule_encode(&m);

	return pmg_msg_send(proxy_fd, PMG_WIRE_NETRULE, body, err);
}

int pmg_confined_hand_over(struct pmg_confined *confined, const struct pmg_policy *policy,
			   struct pmg_confined_news *walls, int proxy_fd, struct pmg_err *err)
{
	struct pmg_wire_listen listen = { .kinds = walls->walls.kinds }; /* borrowed, but for one */
	pmg_auto(json) struct json_t *body = NULL;
	struct pmg_msg *msg = &walls->listeners;
	size_t i;
	int r = 0;

	for (i = 0; r == 0 && i < policy->n_rules; i++)
		if (policy->rules[i].access == PMG_ACCESS_CONNECT)
			r = tell_rule(&policy->rules[i], proxy_fd, err);
	if (r < 0)
		return r;
	if (msg->n_fds == PMG_MSG_FDS_MAX)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "more than %u listeners",
				   PMG_MSG_FDS_MAX - 1);
	msg->fds[msg->n_fds++] = pmg_steal_fd(&confined->broker_fd);
	pmg_strv_add(&walls->walls.kinds, "broker");
	listen.kinds = walls->walls.kinds;
	body = pmg_wire_listen_encode(&listen);
	return pmg_msg_send_fds(proxy_fd, PMG_WIRE_LISTEN, body, msg->fds, msg->n_fds, err);
}
