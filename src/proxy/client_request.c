#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "proxy/client_priv.h"
#include "proxy/place.h"
#include "proxy/probe.h"
#include "proxy/reach.h"
#include "proxy/refused.h"
#include "proxy/sni.h"
#include "proxy/tunnel.h"

static const struct {
	int code;
	int status;
	const char *text;
} bad_heads[] = {
	{ -PMG_E_PARSE, 400, "the request is malformed" },
	{ -PMG_E_LIMIT, 431, "the request head is too large" },
	{ -PMG_E_UNSUPPORTED, 505, "only HTTP/1.0 and 1.1 are spoken" },
};

static void refuse_head(struct pmg_client *client, int code, const char *why)
{
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(bad_heads); i++)
		if (bad_heads[i].code == code)
			pmg_client_refuse(client, bad_heads[i].status,
					  why ? why : bad_heads[i].text);
}

/* A CONNECT to a place we look into: from here on this connection is with that place. */
static void look_inside(struct pmg_client *client)
{
	static const char answer[] = "HTTP/1.1 200 Connection established\r\n\r\n";
	struct pmg_request *request = &client->request;

	/* OpenSSL reads from the socket itself: what came too early would be lost to it. */
	if (client->in.len > 0) {
		pmg_client_refuse(client, 400, "bytes after CONNECT, before its answer");
		return;
	}
	client->inside_host = pmg_steal_ptr(&request->url.host);
	client->inside = (struct pmg_inside){ "https", client->inside_host, request->url.port };
	client->requests = 0;
	client->is_ours |= client->is_captured;
	if (!client->is_captured && pmg_str_add(&client->out, answer, sizeof answer - 1) < 0)
		abort(); /* the buffer is empty between requests */
	pmg_client_forget(client);
	pmg_client_enter(client, PMG_CLIENT_PEEK);
	pmg_client_send(client);
}

static void make_tunnel(struct pmg_client *client)
{
	struct pmg_service *service = client->service;
	pmg_autofree char *target = pmg_url_authority(&client->request.url);
	const struct pmg_tunnel_kind kind = { .role = client->peer ? client->peer->role
								   : PMG_ROLE_MANAGER,
					      .is_silent = client->is_captured };

	service->requests++;
	pmg_report_passed(service->report, target, "tunnel");
	pmg_watch_end(client->watch); /* the socket gets another */
	client->watch = NULL;
	pmg_tunnel_new(service, pmg_steal_fd(&client->stream.fd), &client->request.url, &kind,
		       &client->in);
	pmg_client_end(client);
}

static struct pmg_reach reach_of(const struct pmg_client *client)
{
	return pmg_reach_ask(client->service, client->peer, client->request.url.host,
			     client->request.url.port);
}

static void settle_connect(struct pmg_client *client, const struct pmg_reach *reach)
{
	bool is_plain = client->is_captured && client->speaks == PMG_CLIENT_HTTP;

	if (reach->how == PMG_REACH_NO)
		pmg_client_deny(client, reach);
	else if (reach->how == PMG_REACH_LOOK || is_plain)
		look_inside(client);
	else
		make_tunnel(client);
}

void pmg_client_on_probe(void *ctx)
{
	struct pmg_client *client = ctx;
	struct pmg_reach reach = reach_of(client);

	settle_connect(client, &reach);
}

static void serve_connect(struct pmg_client *client)
{
	struct pmg_reach reach = reach_of(client);

	if (reach.may_ask && pmg_probe_wait(client->service->probe, &client->probe_task))
		pmg_client_enter(client, PMG_CLIENT_PROBE);
	else
		settle_connect(client, &reach);
}

void pmg_client_serve_captured(struct pmg_client *client)
{
	serve_connect(client);
}

/* The first bytes were only looked at: unread they would make a reset of the end. */
static void deny_tls(struct pmg_client *client)
{
	static const unsigned char alert[] = { 21, 3, 3, 0, 2, 2, 49 }; /* fatal, access_denied */
	char waste[PMG_SNI_MAX];

	(void)!recv(client->stream.fd, waste, sizeof waste, 0);
	(void)!send(client->stream.fd, alert, sizeof alert, MSG_NOSIGNAL);
	pmg_stream_finish(&client->stream);
	pmg_client_enter(client, PMG_CLIENT_LINGER);
}

static void deny_captured(struct pmg_client *client, char *text)
{
	if (client->speaks == PMG_CLIENT_TLS) {
		deny_tls(client);
	} else if (client->speaks == PMG_CLIENT_HTTP) {
		client->denied = pmg_xstrdup(text);
		pmg_client_forget(client);
		pmg_client_enter(client, PMG_CLIENT_HEAD);
	} else {
		pmg_client_end(client);
	}
}

void pmg_client_deny(struct pmg_client *client, const struct pmg_reach *reach)
{
	const struct pmg_url *url = &client->request.url;
	pmg_autofree char *host = pmg_host_canonical(url->host);
	pmg_autofree char *target = pmg_url_authority(url);
	bool is_script = client->peer->role != PMG_ROLE_MANAGER;
	pmg_autofree char *text = pmg_xasprintf(
		"pmg: tcp %s is not allowed to %s of this run [PMG2009]; see pmg violations list",
		target, is_script ? "scripts" : "the package manager");

	pmg_refused_connect(client->service->refused, client->peer,
			    &(struct pmg_refused_place){
				    .protocol = "tcp",
				    .host = host,
				    .port = url->port,
				    .rule = reach->rule,
				    .may_help = !client->is_deceiving,
				    .is_registry = reach->is_registry,
				    .is_limited = reach->is_limited,
			    });
	if (client->is_captured && !client->inside_host)
		deny_captured(client, text);
	else
		pmg_client_refuse(client, 403, text);
}

/* A request that leads back to the proxy would go round for ever. By name here; what else a name
 * resolves to is caught when libcurl connects. */
static bool is_loop(const struct pmg_client *client)
{
	const struct pmg_url *url = &client->request.url;
	pmg_autofree char *host = pmg_host_canonical(url->host);

	return url->port == client->service->own_port &&
	       (strcmp(host, client->service->own_host) == 0 || pmg_host_is_loopback(host));
}

static void ask_for_token(struct pmg_client *client)
{
	struct pmg_answer answer = {
		.status = 407,
		.field = "Proxy-Authenticate: Basic realm=\"pmg\"",
		.body = "this proxy serves one guarded run only\n",
		.keeps = client->request.keeps && client->request.framing == PMG_FRAMING_NONE,
		.is_head = client->request.is_head,
	};

	pmg_client_answer(client, &answer);
}

void pmg_client_refuse_package(struct pmg_client *client, const struct pmg_refusal *refusal)
{
	bool is_npm = refusal->eco == PMG_ECO_NPM;
	pmg_autofree char *body =
		is_npm ? pmg_error_json(refusal->text) : pmg_xasprintf("%s\n", refusal->text);
	struct pmg_answer answer = {
		.status = refusal->status,
		.reason = refusal->reason,
		.type = is_npm ? "application/json" : NULL,
		.body = body,
		.keeps = client->request.keeps && client->request.framing == PMG_FRAMING_NONE,
		.is_head = client->request.is_head,
	};

	client->asked.is_inspected = false; /* what is refused has not passed */
	pmg_client_answer(client, &answer);
}

/* What was refused for what it is need not be fetched again. */
static bool may_have(struct pmg_client *client, struct pmg_refusal *refusal)
{
	const struct pmg_artifacts *artifacts = client->service->artifacts;
	const struct pmg_url *url = &client->request.url;

	client->asked.is_inspected =
		!client->request.is_head && pmg_artifacts_want(artifacts, &client->asked, url);
	client->is_text =
		!client->request.is_head && pmg_artifacts_want_text(artifacts, &client->asked, url);
	if (!pmg_artifacts_refuse(artifacts, url, refusal))
		return true;
	client->asked.is_inspected = false;
	return false;
}

static void admit(struct pmg_client *client, struct pmg_head *head)
{
	struct pmg_refusal refusal = { 0 };

	if (may_have(client, &refusal) && pmg_gate_admit(&client->service->gate, &client->asked,
							 &client->request.url, &refusal)) {
		pmg_ages_keep(client->service->ages, &client->asked, &client->request.url);
		pmg_client_forward(client, head);
	} else {
		pmg_client_refuse_package(client, &refusal);
	}
}

/* It could not be found out when it was published. That is no reason to let it in. What kept the
 * registry from answering has a code of its own, and a page that helps more. */
static void refuse_undated(struct pmg_client *client)
{
	const struct pmg_identity *who = &client->asked.who.v[0];
	pmg_autofree char *target = pmg_url_authority(&client->request.url);
	struct pmg_refusal refusal = { .status = 502, .eco = who->eco };
	struct pmg_err err = client->age.err;

	(void)pmg_err_wrap(&err, "when %s was published", who->name);
	if (err.diag == 0)
		(void)pmg_err_diag(&err, PMG_DIAG_DOCUMENT);
	pmg_report_trouble(client->service->report, target, &err);
	(void)snprintf(refusal.reason, sizeof refusal.reason, "Blocked by pmg: no publish time");
	(void)snprintf(refusal.text, sizeof refusal.text, "pmg could not find out %s [PMG%d]",
		       err.msg, err.diag);
	pmg_client_refuse_package(client, &refusal);
}

/* Judge it by its age too: the registry may have to be asked for that. */
static void judge(struct pmg_client *client, struct pmg_head *head)
{
	struct pmg_ages *ages = client->service->ages;
	const struct pmg_identity *who = NULL;
	size_t registry = 0;

	client->asked.published = PMG_DATE_UNASKED;
	if (client->asked.kind != PMG_PATH_ARTIFACT || client->asked.who.overflow ||
	    pmg_ages_find(ages, &client->asked, &client->request.url, &client->asked.published,
			  &registry, &who)) {
		admit(client, head);
		return;
	}
	if (client->age.err.code != 0 || ++client->held_times > PMG_REGISTRIES_MAX) {
		refuse_undated(client);
		return;
	}
	if (head != &client->held) {
		client->held = *head;
		*head = (struct pmg_head){ 0 };
	}
	pmg_client_enter(client, PMG_CLIENT_AGE);
	pmg_ages_wait(ages, registry, who->name, PMG_AGES_PLAIN, &client->age);
}

void pmg_client_on_age(void *ctx)
{
	struct pmg_client *client = ctx;

	judge(client, &client->held);
}

static void serve_request(struct pmg_client *client, struct pmg_head *head)
{
	struct pmg_service *service = client->service;
	struct pmg_reach reach = reach_of(client);
	struct pmg_refusal refusal = { 0 };

	service->requests++;
	pmg_catalog_ask(service->catalog, &client->request.url, &client->asked);
	if (client->asked.is_known)
		pmg_ages_note(service->ages, &client->request.url,
			      pmg_head_get(head, "authorization"));
	if (reach.how == PMG_REACH_NO ||
	    (reach.is_limited &&
	     !pmg_reach_fetches(head->method, client->request.framing != PMG_FRAMING_NONE,
				&client->request.url, &client->asked)))
		pmg_client_deny(client, &reach);
	else if (pmg_gate_bars(&service->gate, &client->asked, &client->request.url, &refusal))
		pmg_client_refuse_package(client, &refusal);
	else
		judge(client, head);
}

static void serve_head(struct pmg_client *client, struct pmg_head *head)
{
	const struct pmg_inside *inside = client->inside_host ? &client->inside : NULL;
	struct pmg_err err = PMG_ERR_INIT;
	bool has_token;
	int status = 0;

	if (client->denied) {
		pmg_client_refuse(client, 403, client->denied);
		return;
	}
	client->requests++;
	client->minor = head->minor;
	client->closes = false;
	if (pmg_request_read(head, inside, &client->request, &status, &err) < 0) {
		pmg_client_refuse(client, status, err.msg);
		return;
	}
	client->has_body = client->request.framing == PMG_FRAMING_NONE;
	client->body_left = client->request.length;
	/* Within walls nobody but the run gets here, and the broker has told who it is: yarn 2
	 * sends no user name to a proxy. */
	has_token = client->peer || pmg_request_is_authorized(head, client->service->authorization);
	client->is_ours |= has_token;
	if (!inside && !has_token)
		ask_for_token(client);
	else if (is_loop(client) && !inside)
		pmg_client_refuse(client, 508, "that is this proxy itself");
	else if (client->request.is_connect)
		serve_connect(client);
	else
		serve_request(client, head);
}

void pmg_client_serve(struct pmg_client *client)
{
	pmg_auto(head) struct pmg_head head = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	ssize_t end = pmg_head_end(client->in.s, client->in.len, &client->scanned);
	int r;

	if (end == 0 && client->is_hurried)
		return;
	if (end == 0) {
		client->is_hurried = true;
		if (client->is_ours) /* a stranger has little time anyway */
			pmg_timer_start(client->service->loop, &client->timer, PMG_CLIENT_HEAD_MS);
		return;
	}
	if (end < 0) {
		refuse_head(client, (int)end, NULL);
		return;
	}
	r = pmg_request_parse(client->in.s, (size_t)end, &head, &err);
	pmg_str_consume(&client->in, (size_t)end);
	client->scanned = 0;
	if (r < 0)
		refuse_head(client, r, err.msg);
	else
		serve_head(client, &head);
}
