#include <string.h>

#include "base/str.h"
#include "pm/version.h"
#include "proxy/client_priv.h"

#define AT_ONCE 8U /* pieces of a document, before others are served */

static void refuse_document(struct pmg_client *client, const struct pmg_err *err)
{
	pmg_autofree char *target = pmg_url_authority(&client->request.url);
	pmg_autofree char *quoted = pmg_str_quote(err->msg, strlen(err->msg), sizeof err->msg);
	pmg_autofree char *text = pmg_xasprintf("pmg refused %s [PMG%d]", quoted, err->diag);
	bool is_npm = client->asked.who.n > 0 && client->asked.who.v[0].eco == PMG_ECO_NPM;
	pmg_autofree char *body = is_npm ? pmg_error_json(text) : pmg_xasprintf("%s\n", text);
	const struct pmg_answer answer = { .status = 502,
					   .type = is_npm ? "application/json" : NULL,
					   .body = body,
					   .is_head = client->request.is_head,
					   .keeps = client->request.keeps };

	pmg_report_trouble(client->service->report, target, err);
	pmg_client_answer(client, &answer);
}

/* To the document of another version, beside the one that was asked for. It is judged as any. */
static void send_elsewhere(struct pmg_client *client, const char *version)
{
	struct pmg_str field = PMG_STR_INIT(2 * PMG_VERSION_MAX);
	pmg_autofree char *text = NULL;
	struct pmg_answer answer = { .status = 307,
				     .is_head = client->request.is_head,
				     .keeps = client->request.keeps };

	(void)!pmg_str_adds(&field, "Location: ");
	for (; *version; version++)
		(void)!(*version == '+' ? pmg_str_adds(&field, "%2b")
					: pmg_str_add(&field, version, 1));
	text = pmg_str_steal(&field);
	answer.field = text;
	pmg_client_answer(client, &answer);
}

static void start_delivery(struct pmg_client *client)
{
	const char *instead = pmg_document_instead(client->document);
	struct pmg_err err = PMG_ERR_INIT;
	int r;

	if (instead) {
		send_elsewhere(client, instead);
		return;
	}
	r = pmg_document_start(client->document, client->minor, client->request.keeps,
			       &client->outgoing, &client->out, &err);
	if (r < 0) {
		refuse_document(client, &err);
		return;
	}
	client->has_head = true;
	client->closes = !client->outgoing.keeps;
	if (r == 0 || client->request.is_head) {
		pmg_client_end_answer(client, true);
		return;
	}
	pmg_client_enter(client, PMG_CLIENT_DELIVER);
	pmg_client_send(client);
}

/* As if it could take no more for now: the loop comes back to it. */
static void let_others(struct pmg_client *client)
{
	client->is_stalled = true;
	pmg_timer_start(client->service->loop, &client->timer, PMG_CLIENT_STALL_MS);
	pmg_client_update(client);
}

void pmg_client_deliver(struct pmg_client *client)
{
	struct pmg_err err = PMG_ERR_INIT;
	const char *bytes;
	size_t len = 0;
	unsigned n;
	int r = 0;

	for (n = 0; n < AT_ONCE && !client->is_stalled && !client->is_broken; n++) {
		r = pmg_document_pull(client->document, &bytes, &len, &err);
		if (r < 0 || len == 0)
			break;
		if (pmg_client_deliver_bytes(client, bytes, len) != PMG_FLOW_GO)
			break;
	}
	if (client->is_broken)
		pmg_client_end(client);
	else if (r < 0 || len == 0)
		pmg_client_end_answer(client, r == 0);
	else if (n == AT_ONCE)
		let_others(client);
	else
		pmg_client_update(client);
}

void pmg_client_on_document(void *ctx)
{
	struct pmg_client *client = ctx;

	if (client->exchange) /* its turn has come: the rest may be read */
		pmg_exchange_resume(client->exchange);
	else if (client->document && pmg_document_end(client->document))
		start_delivery(client);
}

void pmg_client_end_document(struct pmg_client *client)
{
	if (pmg_document_end(client->document))
		start_delivery(client);
	else
		pmg_client_enter(client, PMG_CLIENT_DATING);
}
