#include "proxy/client.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "proxy/client_priv.h"
#include "proxy/probe.h"

#define READ_SIZE 16384U /* bytes at a time: what a TLS record holds */
#define TLS_ALERT 21     /* content type of what a client says at its end, and of failures */
#define TLS_FIRST 22     /* content type of a handshake record */

enum { DIAG_REFUSED = 4008 }; /* docs/codes/ */

/* While a request is with upstream libcurl has its own time-outs, but for a client that takes
 * nothing of the answer. */
static void be_patient(struct pmg_client *client, bool has_moved)
{
	struct pmg_loop *loop = client->service->loop;

	if (client->state != PMG_CLIENT_EXCHANGE && client->state != PMG_CLIENT_DELIVER)
		return;
	if (!client->is_stalled)
		pmg_timer_stop(loop, &client->timer);
	else if (has_moved || client->timer.slot == 0)
		pmg_timer_start(loop, &client->timer, PMG_CLIENT_STALL_MS);
}

void pmg_client_write(struct pmg_client *client)
{
	bool has_moved = false;
	ssize_t n;

	client->wants_in = false;
	while (client->out_at < client->out.len && !client->is_broken) {
		n = pmg_stream_write(&client->stream, client->out.s + client->out_at,
				     client->out.len - client->out_at);
		if (n > 0) {
			client->out_at += (size_t)n;
			has_moved = true;
			continue;
		}
		client->wants_in = n == PMG_TLS_WANT_READ;
		client->is_stalled = client->wants_in || n == PMG_TLS_WANT_WRITE;
		client->is_broken = !client->is_stalled;
		be_patient(client, has_moved);
		return;
	}
	client->is_stalled = false;
	be_patient(client, true);
	pmg_str_clear(&client->out);
	client->out_at = 0;
}

/* All is sent: what comes next in this state? */
static void on_sent(struct pmg_client *client)
{
	if (client->exchange) {
		pmg_exchange_resume(client->exchange);
		return;
	}
	if (client->state == PMG_CLIENT_DELIVER) {
		pmg_client_deliver(client);
		return;
	}
	if (client->state != PMG_CLIENT_FLUSH)
		return;
	pmg_client_forget(client);
	if (client->breaks) {
		pmg_client_end(client);
	} else if (client->closes) {
		pmg_stream_finish(&client->stream);
		pmg_client_enter(client, PMG_CLIENT_LINGER);
	} else {
		pmg_str_done(&client->out);
		pmg_client_enter(client, PMG_CLIENT_HEAD);
		pmg_task_queue(client->service->loop, &client->input_task); /* pipelined */
	}
}

void pmg_client_send(struct pmg_client *client)
{
	pmg_client_write(client);
	if (client->is_broken)
		pmg_client_end(client);
	else if (!client->is_stalled)
		on_sent(client);
	pmg_client_update(client);
}

/* @return 1: something was added; 0: nothing now; -1: the client has ended or is lost */
static int fill(struct pmg_client *client)
{
	size_t room = PMG_CLIENT_IN_MAX - client->in.len;
	ssize_t n;

	room = room < READ_SIZE ? room : READ_SIZE;
	if (room == 0 || pmg_str_reserve(&client->in, room) < 0)
		return 0;
	n = pmg_stream_read(&client->stream, client->in.s + client->in.len, room);
	client->wants_out = n == PMG_TLS_WANT_WRITE;
	if (n == PMG_TLS_WANT_READ || n == PMG_TLS_WANT_WRITE)
		return 0;
	if (n <= 0)
		return -1;
	client->in.len += (size_t)n;
	client->in.s[client->in.len] = '\0';
	return 1;
}

/* A client that refuses our certificate says so only now (TLS 1.3), before its first request. */
static void report_refusal(struct pmg_client *client)
{
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *target = NULL;

	if (!client->stream.tls || client->requests > 0 || !pmg_tls_is_refused(client->stream.tls))
		return;
	target = pmg_xasprintf("%s:%u", client->inside_host, client->inside.port);
	(void)pmg_err_set(&err, PMG_E_TLS, 0, "%s: %s", target, pmg_tls_why(client->stream.tls));
	(void)pmg_err_diag(&err, DIAG_REFUSED);
	pmg_report_trouble(client->service->report, target, &err);
}

static void on_head_input(struct pmg_client *client)
{
	int r = fill(client);

	if (r < 0) {
		report_refusal(client);
		pmg_client_end(client);
	} else if (r > 0) {
		pmg_client_serve(client);
	}
}

static void on_exchange_input(struct pmg_client *client)
{
	int r = fill(client);

	if (r < 0)
		pmg_client_end(client); /* in the middle of its own request */
	else if (r > 0)
		pmg_exchange_resume(client->exchange);
}

/* After CONNECT: TLS, or requests of HTTP as they are? */
static void on_peek_input(struct pmg_client *client)
{
	struct pmg_err err = PMG_ERR_INIT;
	unsigned char first = 0;
	ssize_t n = recv(client->stream.fd, &first, 1, MSG_PEEK);

	if (n < 0)
		return;
	if (n == 0) {
		pmg_client_end(client);
	} else if (first != TLS_FIRST) {
		client->inside.scheme = "http";
		pmg_client_enter(client, PMG_CLIENT_HEAD);
	} else if (pmg_tls_accept(client->service->ca, client->inside_host, client->stream.fd,
				  &client->stream.tls, &err) < 0) {
		pmg_report_trouble(client->service->report, client->inside_host, &err);
		pmg_client_end(client);
	} else {
		pmg_client_enter(client, PMG_CLIENT_HANDSHAKE);
	}
}

static void on_handshake(struct pmg_client *client)
{
	int r = pmg_tls_handshake(client->stream.tls);

	client->wants_out = r == PMG_TLS_WANT_WRITE;
	if (r == PMG_TLS_WANT_READ || r == PMG_TLS_WANT_WRITE)
		return;
	if (r < 0) {
		report_refusal(client);
		pmg_client_end(client);
		return;
	}
	pmg_client_enter(client, PMG_CLIENT_HEAD);
	pmg_task_queue(client->service->loop, &client->input_task);
}

static void on_linger_input(struct pmg_client *client)
{
	char waste[READ_SIZE];
	ssize_t n = recv(client->stream.fd, waste, sizeof waste, 0);

	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		pmg_client_end(client);
}

static const struct {
	void (*input)(struct pmg_client *client); /* NULL: nothing is read */
	uint64_t patience_ms;                     /* then the connection ends; 0: for ever */
} states[PMG_CLIENT_STATES] = {
	[PMG_CLIENT_HEAD] = { on_head_input, PMG_CLIENT_IDLE_MS },
	[PMG_CLIENT_PROBE] = { NULL, PMG_CLIENT_HEAD_MS },
	[PMG_CLIENT_PEEK] = { on_peek_input, PMG_CLIENT_HEAD_MS },
	[PMG_CLIENT_HANDSHAKE] = { on_handshake, PMG_CLIENT_HEAD_MS },
	[PMG_CLIENT_AGE] = { NULL, PMG_CLIENT_AGE_MS },
	[PMG_CLIENT_EXCHANGE] = { on_exchange_input, 0 }, /* libcurl has its own */
	[PMG_CLIENT_JUDGING] = { NULL, PMG_ARTIFACT_JUDGE_MS },
	[PMG_CLIENT_DATING] = { NULL, PMG_CLIENT_AGE_MS },
	[PMG_CLIENT_DELIVER] = { NULL, PMG_CLIENT_STALL_MS },
	[PMG_CLIENT_FLUSH] = { NULL, PMG_CLIENT_STALL_MS },
	[PMG_CLIENT_LINGER] = { on_linger_input, PMG_CLIENT_LINGER_MS },
	[PMG_CLIENT_DEAD] = { NULL, 0 },
};

static bool wants_input(const struct pmg_client *client)
{
	if (client->state == PMG_CLIENT_EXCHANGE)
		return !client->has_body && client->in.len < PMG_CLIENT_IN_MAX;
	return states[client->state].input != NULL;
}

/* Nothing is read while a request is with upstream; a client that goes meanwhile must not keep its
 * place until an upstream that hangs gives up. */
static bool wants_goodbye(const struct pmg_client *client)
{
	bool is_answering = client->state >= PMG_CLIENT_AGE && client->state <= PMG_CLIENT_DELIVER;

	return is_answering && !wants_input(client) && !client->sends_no_more;
}

void pmg_client_update(struct pmg_client *client)
{
	uint32_t events = 0;

	if (client->state == PMG_CLIENT_DEAD)
		return;
	if (wants_input(client)) {
		events |= EPOLLIN;
		if (pmg_stream_pending(&client->stream))
			pmg_task_queue(client->service->loop, &client->input_task);
	}
	if (wants_goodbye(client))
		events |= EPOLLRDHUP;
	if (client->wants_in)
		events |= EPOLLIN;
	if (client->wants_out || (client->is_stalled && !client->wants_in))
		events |= EPOLLOUT;
	pmg_watch_want(client->watch, events);
}

/* What the manager opens is the run's own. It may be slow to speak on a busy machine. */
static bool is_stranger(const struct pmg_client *client)
{
	return !client->is_ours && !(client->peer && client->peer->role == PMG_ROLE_MANAGER);
}

/* Who has no token may not hold a place that the run needs, however often it asks. */
static uint64_t strangers_time(const struct pmg_client *client)
{
	uint64_t age = pmg_clock_ms() - client->born_ms;

	return age < PMG_CLIENT_STRANGER_MS ? PMG_CLIENT_STRANGER_MS - age : 0;
}

void pmg_client_enter(struct pmg_client *client, enum pmg_client_state state)
{
	struct pmg_loop *loop = client->service->loop;

	client->state = state;
	client->is_hurried = false;
	if (state == PMG_CLIENT_HEAD && is_stranger(client))
		pmg_timer_start(loop, &client->timer, strangers_time(client));
	else if (states[state].patience_ms > 0)
		pmg_timer_start(loop, &client->timer, states[state].patience_ms);
	else
		pmg_timer_stop(loop, &client->timer);
	pmg_client_update(client);
}

static void input(struct pmg_client *client)
{
	if (wants_input(client))
		states[client->state].input(client);
	pmg_client_update(client);
}

/* Both directions have ended. What came before may hold the alert that says why. */
static void hang_up(struct pmg_client *client)
{
	if (client->state == PMG_CLIENT_HANDSHAKE)
		(void)!pmg_tls_handshake(client->stream.tls);
	else if (client->state == PMG_CLIENT_HEAD)
		(void)fill(client);
	report_refusal(client);
	pmg_client_end(client);
}

/* It has closed its half: is it gone, or are there requests before the end? */
static void on_goodbye(struct pmg_client *client)
{
	unsigned char first = 0;
	ssize_t n = recv(client->stream.fd, &first, 1, MSG_PEEK);

	if (client->in.len == 0 && (n == 0 || (n > 0 && client->stream.tls && first == TLS_ALERT)))
		pmg_client_end(client);
	else
		client->sends_no_more = true;
	pmg_client_update(client);
}

static void on_event(void *ctx, uint32_t events)
{
	struct pmg_client *client = ctx;

	if (events & (EPOLLHUP | EPOLLERR)) {
		hang_up(client);
		return;
	}
	if ((events & EPOLLRDHUP) && wants_goodbye(client)) {
		on_goodbye(client);
		return;
	}
	if ((events & EPOLLOUT) || client->wants_in)
		pmg_client_send(client);
	if ((events & EPOLLIN) || client->wants_out)
		input(client);
}

static void on_input_task(void *ctx)
{
	struct pmg_client *client = ctx;

	if (client->state == PMG_CLIENT_HEAD && client->in.len > 0)
		pmg_client_serve(client);
	input(client);
}

static void on_send_task(void *ctx)
{
	pmg_client_send(ctx);
}

static void on_timeout(void *ctx)
{
	pmg_client_end(ctx);
}

static void on_free_task(void *ctx)
{
	struct pmg_client *client = ctx;

	pmg_str_done(&client->in);
	pmg_str_done(&client->out);
	free(client->inside_host);
	free(client->denied);
	pmg_peer_free(client->peer);
	free(client);
}

static enum pmg_role role_of(const struct pmg_client *client)
{
	return client->peer ? client->peer->role : PMG_ROLE_MANAGER;
}

static int make(struct pmg_service *service, int fd, struct pmg_peer *peer, struct pmg_client **out,
		struct pmg_err *err)
{
	struct pmg_client *client = pmg_xcalloc(1, sizeof *client);
	int r;

	client->service = service;
	client->peer = peer;
	client->stream.fd = fd;
	client->born_ms = pmg_clock_ms();
	client->in.max = PMG_CLIENT_IN_MAX;
	client->out.max = PMG_CLIENT_OUT_MAX;
	client->timer = (struct pmg_timer){ .fn = on_timeout, .ctx = client };
	client->input_task = (struct pmg_task){ .fn = on_input_task, .ctx = client };
	client->send_task = (struct pmg_task){ .fn = on_send_task, .ctx = client };
	client->document_task = (struct pmg_task){ .fn = pmg_client_on_document, .ctx = client };
	client->age.task = (struct pmg_task){ .fn = pmg_client_on_age, .ctx = client };
	client->probe_task = (struct pmg_task){ .fn = pmg_client_on_probe, .ctx = client };
	client->free_task = (struct pmg_task){ .fn = on_free_task, .ctx = client };
	r = pmg_watch_new(service->loop, fd, EPOLLIN, on_event, client, &client->watch, err);
	if (r < 0) {
		(void)close(fd);
		pmg_peer_free(peer);
		free(client);
		return r;
	}
	client->next = service->clients;
	if (client->next)
		client->next->prev = client;
	service->clients = client;
	pmg_service_enter(service, role_of(client));
	*out = client;
	return 0;
}

int pmg_client_new(struct pmg_service *service, int fd, struct pmg_peer *peer, struct pmg_err *err)
{
	struct pmg_client *client;
	int r = make(service, fd, peer, &client, err);

	if (r == 0)
		pmg_client_enter(client, PMG_CLIENT_HEAD);
	return r;
}

int pmg_client_capture(struct pmg_service *service, int fd, struct pmg_peer *peer, const char *host,
		       uint16_t port, enum pmg_client_speaks speaks, bool refused,
		       struct pmg_err *err)
{
	struct pmg_client *client;
	int r = make(service, fd, peer, &client, err);

	if (r < 0)
		return r;
	client->is_captured = true;
	client->is_deceiving = refused;
	client->speaks = speaks;
	client->request.url = (struct pmg_url){ .scheme = pmg_xstrdup("https"),
						.host = pmg_xstrdup(host),
						.port = port,
						.path = pmg_xstrdup("/") };
	if (refused)
		pmg_client_deny(client, &(struct pmg_reach){ .how = PMG_REACH_NO });
	else
		pmg_client_serve_captured(client);
	return 0;
}

static void unlink_client(struct pmg_client *client)
{
	struct pmg_service *service = client->service;

	if (client->prev)
		client->prev->next = client->next;
	else
		service->clients = client->next;
	if (client->next)
		client->next->prev = client->prev;
}

void pmg_client_end(struct pmg_client *client)
{
	struct pmg_service *service = client->service;
	bool is_cut;

	if (client->state == PMG_CLIENT_DEAD)
		return;
	/* Whatever the reason: an answer that is not all out may not look as if it were. */
	is_cut = client->breaks || client->is_broken || client->is_stalled ||
		 client->state == PMG_CLIENT_DELIVER ||
		 (client->has_head && (client->exchange || client->state == PMG_CLIENT_JUDGING));
	pmg_client_forget(client);
	pmg_watch_end(client->watch);
	if (is_cut)
		pmg_stream_break(&client->stream, client->outgoing.framing == PMG_FRAMING_CLOSE);
	else
		pmg_stream_done(&client->stream);
	pmg_timer_stop(service->loop, &client->timer);
	pmg_task_cancel(service->loop, &client->input_task);
	pmg_task_cancel(service->loop, &client->send_task);
	pmg_task_cancel(service->loop, &client->document_task);
	pmg_probe_forget(service->probe, &client->probe_task);
	unlink_client(client);
	client->state = PMG_CLIENT_DEAD;
	pmg_task_queue(service->loop, &client->free_task);
	pmg_service_leave(service, role_of(client));
}

void pmg_clients_free(struct pmg_service *service)
{
	struct pmg_client *client;

	while ((client = service->clients)) {
		pmg_client_end(client);
		pmg_task_cancel(service->loop, &client->free_task);
		on_free_task(client);
	}
}
