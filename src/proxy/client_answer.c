#include <string.h>
#include <strings.h>

#include "proxy/client_priv.h"
#include "proxy/place.h"

void pmg_client_forget(struct pmg_client *client)
{
	pmg_exchange_free(client->exchange);
	client->exchange = NULL;
	pmg_learner_free(client->learner);
	client->learner = NULL;
	pmg_sniff_free(client->sniff);
	client->sniff = NULL;
	if (client->asked.is_inspected) /* and was not judged to its end */
		pmg_gate_passed(&client->service->gate, &client->asked, &client->request.url);
	pmg_artifact_free(client->artifact);
	client->artifact = NULL;
	pmg_document_free(client->document);
	client->document = NULL;
	pmg_ages_forget(client->service->ages, &client->age);
	client->age.err = (struct pmg_err){ 0 };
	pmg_head_done(&client->held);
	client->held_times = 0;
	pmg_asked_done(&client->asked);
	pmg_request_done(&client->request);
	client->chunked = (struct pmg_chunked){ 0 };
	client->has_body = false;
	client->is_bad_body = false;
	client->has_head = false;
	client->drops_body = false;
	client->is_text = false;
	client->is_disguised = false;
}

void pmg_client_answer(struct pmg_client *client, const struct pmg_answer *answer)
{
	/* out holds at most an interim response: an answer always fits */
	if (pmg_answer_write(answer, &client->out) < 0)
		client->breaks = true;
	client->closes = !answer->keeps;
	pmg_client_enter(client, PMG_CLIENT_FLUSH);
	pmg_client_send(client);
}

void pmg_client_refuse(struct pmg_client *client, int status, const char *text)
{
	pmg_autofree char *body = pmg_xasprintf("%s\n", text);
	struct pmg_answer answer = { .status = status,
				     .body = body,
				     .is_head = client->request.is_head };

	pmg_client_answer(client, &answer);
}

/* The response from upstream. But for done() all of it is called by libcurl. */

/* A document about a package teaches where its artifacts are. */
static void start_learning(struct pmg_client *client, const struct pmg_head *head)
{
	if (client->asked.kind != PMG_PATH_METADATA || client->asked.who.n == 0 ||
	    !pmg_response_has_content(head) || client->request.is_head)
		return;
	client->learner = pmg_learner_new(client->service->catalog, client->asked.registry,
					  &client->request.url, client->asked.who.v[0].name,
					  pmg_head_get(head, "content-type"),
					  pmg_head_get(head, "content-encoding"));
}

/* An address at a place of packages that nothing is known of, and that does not look like one. */
static bool is_unjudged(const struct pmg_client *client)
{
	return client->asked.is_known && client->asked.kind != PMG_PATH_ARTIFACT &&
	       !client->asked.looks_like_artifact;
}

static void start_sniffing(struct pmg_client *client, const struct pmg_head *head)
{
	if (is_unjudged(client) && pmg_response_has_content(head) && !client->request.is_head)
		client->sniff = pmg_sniff_new(pmg_head_get(head, "content-encoding"));
}

/* No text has a NUL, and no archive a client takes is without: but for what a magic begins. */
static bool is_disguised(struct pmg_client *client, const char *bytes, size_t len)
{
	if (client->is_text && client->sniff)
		client->is_disguised |= pmg_sniff_feed(client->sniff, bytes, len) ||
					memchr(bytes, '\0', len) != NULL;
	return client->is_disguised;
}

/* In a coding it would be text to one client and an archive to another: none was asked for. */
static void start_text(struct pmg_client *client, const struct pmg_head *head)
{
	const char *coding = pmg_head_get(head, "content-encoding");
	bool is_plain = !coding || !*coding || strcasecmp(coding, "identity") == 0;

	if (!client->is_text || !pmg_response_has_content(head))
		return;
	client->is_disguised = !is_plain || pmg_head_count(head, "content-encoding") > 1;
	client->sniff = pmg_sniff_new(NULL);
}

static void sniff(struct pmg_client *client, const char *bytes, size_t len)
{
	pmg_autofree char *target = NULL;

	if (!client->sniff || !pmg_sniff_feed(client->sniff, bytes, len))
		return;
	target = pmg_url_text(&client->request.url);
	pmg_report_passed(client->service->report, target, "artifact");
}

/* What a redirect leads to is the same package, wherever it is; what is told of it is told there.
 */
static void follow_redirect(struct pmg_client *client, const struct pmg_head *head)
{
	const char *location = pmg_head_get(head, "location");
	struct pmg_err scratch = PMG_ERR_INIT;
	pmg_auto(url) struct pmg_url url = { 0 };

	if (!location || head->status < 300 || head->status > 399 ||
	    client->asked.kind == PMG_PATH_OTHER ||
	    pmg_reference_resolve(&client->request.url, location, &url, &scratch) < 0)
		return;
	pmg_catalog_follow(client->service->catalog, &client->asked, &url);
	if (pmg_response_redirects(head))
		client->asked.is_inspected = false;
}

/* Some take the body where its Location is empty, or where it leads too often: there is none. */
static void drop_redirected(struct pmg_client *client, struct pmg_head *head,
			    enum pmg_framing *framing, uint64_t *length)
{
	if (client->asked.kind == PMG_PATH_OTHER || !pmg_response_redirects(head) ||
	    *framing == PMG_FRAMING_NONE)
		return;
	client->drops_body = true;
	pmg_head_remove(head, "content-encoding");
	*framing = PMG_FRAMING_LENGTH;
	*length = 0;
}

static bool on_head(void *ctx, struct pmg_head *head, enum pmg_framing framing, uint64_t length)
{
	struct pmg_client *client = ctx;
	/* An answer before the whole request was read: what is left of it is no next request. */
	bool keeps = client->request.keeps && client->has_body;
	bool is_held;

	start_sniffing(client, head);
	start_text(client, head);
	if (client->is_disguised)
		return false;
	if (client->document) {
		if (pmg_document_begin(client->document, head))
			return true;
		pmg_document_free(client->document);
		client->document = NULL;
		client->drops_body = client->request.is_head; /* upstream was asked for it */
	}
	start_learning(client, head);
	follow_redirect(client, head);
	drop_redirected(client, head, &framing, &length);
	is_held = pmg_client_begin_artifact(client, head, framing, length);
	if (pmg_response_write(head, framing, length, client->minor, keeps, &client->outgoing,
			       is_held ? pmg_artifact_head(client->artifact) : &client->out) < 0)
		return false;
	if (client->drops_body)
		client->outgoing.framing = PMG_FRAMING_LENGTH; /* no last chunk either */
	client->has_head = !is_held;
	client->closes = !client->outgoing.keeps;
	/* Soon, but together with the first bytes of a body that is at hand already. */
	pmg_task_queue(client->service->loop, &client->send_task);
	return true;
}

/* Straight from libcurl's buffer to the client; the rest waits in ours. */
static enum pmg_flow write_through(struct pmg_client *client, const char *bytes, size_t len)
{
	ssize_t n = 0;

	if (client->out.len == 0) { /* else the head goes first, and both together */
		n = pmg_stream_write(&client->stream, bytes, len);
		if (n == PMG_TLS_WANT_READ || n == PMG_TLS_WANT_WRITE)
			n = 0;
		client->is_broken |= n < 0;
	}
	if (client->is_broken)
		return PMG_FLOW_STOP;
	if ((size_t)n < len && pmg_str_add(&client->out, bytes + n, len - (size_t)n) < 0)
		return PMG_FLOW_STOP;
	return PMG_FLOW_GO;
}

static enum pmg_flow write_chunk(struct pmg_client *client, const char *bytes, size_t len)
{
	if (pmg_str_addf(&client->out, "%zx\r\n", len) < 0 ||
	    pmg_str_add(&client->out, bytes, len) < 0 || pmg_str_adds(&client->out, "\r\n") < 0)
		return PMG_FLOW_STOP;
	return PMG_FLOW_GO;
}

static bool add_held_head(struct pmg_client *client)
{
	struct pmg_str *head = pmg_artifact_head(client->artifact);

	client->has_head = true;
	return pmg_str_add(&client->out, head->s, head->len) == 0;
}

enum pmg_flow pmg_client_deliver_bytes(void *ctx, const char *bytes, size_t len)
{
	struct pmg_client *client = ctx;
	enum pmg_flow flow;

	if (!client->has_head && !add_held_head(client))
		return PMG_FLOW_STOP;
	client->service->bytes += len;
	flow = client->outgoing.framing == PMG_FRAMING_CHUNKED ? write_chunk(client, bytes, len)
							       : write_through(client, bytes, len);
	pmg_client_write(client);
	pmg_client_update(client);
	return client->is_broken ? PMG_FLOW_STOP : flow;
}

static enum pmg_flow on_body(void *ctx, const char *bytes, size_t len)
{
	struct pmg_client *client = ctx;

	if (client->is_broken)
		return PMG_FLOW_STOP;
	if (client->drops_body)
		return PMG_FLOW_GO;
	if (is_disguised(client, bytes, len))
		return PMG_FLOW_STOP;
	if (client->document) {
		sniff(client, bytes, len);
		return pmg_document_feed(client->document, bytes, len);
	}
	if (client->is_stalled)
		return PMG_FLOW_WAIT;
	if (client->learner)
		pmg_learner_feed(client->learner, bytes, len);
	sniff(client, bytes, len);
	if (client->artifact)
		return pmg_artifact_feed(client->artifact, bytes, len);
	return pmg_client_deliver_bytes(client, bytes, len);
}

/* The body of the request, out of what was read from the client. */
static enum pmg_flow pull_chunked(struct pmg_client *client, char *to, size_t room, size_t *n)
{
	size_t used = 0, got = 0, have;
	const char *data = NULL;
	int r = 0;

	while (r == 0 && *n < room && client->in.len > 0) {
		have = client->in.len < room - *n ? client->in.len : room - *n;
		r = pmg_chunked_next(&client->chunked, client->in.s, have, &used, &data, &got);
		if (r < 0)
			break;
		if (got > 0)
			memcpy(to + *n, data, got);
		*n += got;
		pmg_str_consume(&client->in, used);
	}
	client->is_bad_body = r < 0;
	client->has_body = r > 0;
	if (client->is_bad_body)
		return PMG_FLOW_STOP;
	if (*n > 0)
		return PMG_FLOW_GO;
	return client->has_body ? PMG_FLOW_END : PMG_FLOW_WAIT;
}

static enum pmg_flow pull_length(struct pmg_client *client, char *to, size_t room, size_t *n)
{
	size_t take = client->in.len < room ? client->in.len : room;

	take = take < client->body_left ? take : (size_t)client->body_left;
	if (take == 0)
		return client->body_left == 0 ? PMG_FLOW_END : PMG_FLOW_WAIT;
	memcpy(to, client->in.s, take);
	pmg_str_consume(&client->in, take);
	client->body_left -= take;
	client->has_body = client->body_left == 0;
	*n = take;
	return PMG_FLOW_GO;
}

static enum pmg_flow on_pull(void *ctx, char *to, size_t room, size_t *n)
{
	struct pmg_client *client = ctx;
	enum pmg_flow flow;

	if (client->has_body)
		return PMG_FLOW_END;
	flow = client->request.framing == PMG_FRAMING_CHUNKED ? pull_chunked(client, to, room, n)
							      : pull_length(client, to, room, n);
	pmg_client_update(client);
	return flow;
}

static void answer_failure(struct pmg_client *client, const struct pmg_err *err, int status)
{
	pmg_autofree char *target = pmg_url_authority(&client->request.url);
	pmg_autofree char *text = pmg_str_quote(err->msg, strlen(err->msg), sizeof err->msg);

	if (client->is_broken) {
		pmg_client_end(client);
	} else if (client->is_bad_body) {
		pmg_client_refuse(client, 400, "the body of the request is malformed");
	} else {
		pmg_report_trouble(client->service->report, target, err);
		pmg_client_refuse(client, status, text);
	}
}

void pmg_client_end_answer(struct pmg_client *client, bool is_whole)
{
	/* A body that was cut must not look whole: no last chunk, no clean end. */
	client->breaks = !is_whole;
	if (is_whole && client->outgoing.framing == PMG_FRAMING_CHUNKED &&
	    pmg_str_adds(&client->out, "0\r\n\r\n") < 0)
		client->breaks = true;
	pmg_client_enter(client, PMG_CLIENT_FLUSH);
	pmg_client_send(client);
}

static void on_done(void *ctx, const struct pmg_err *err, int status)
{
	struct pmg_client *client = ctx;
	struct pmg_err disguised = PMG_ERR_INIT;

	pmg_exchange_free(client->exchange);
	client->exchange = NULL;
	if (client->is_disguised) {
		(void)pmg_err_set(&disguised, PMG_E_UNSUPPORTED, 0,
				  "a metadata file that is no plain text");
		err = &disguised;
		status = 502;
	}
	if (client->document && (!err || pmg_document_is_lost(client->document))) {
		pmg_client_end_document(client);
		return;
	}
	if (!err && client->artifact) {
		pmg_client_end_artifact(client);
		return;
	}
	if (err && !client->has_head) {
		answer_failure(client, err, status);
		return;
	}
	if (err && !client->is_broken && !client->is_bad_body) {
		pmg_autofree char *target = pmg_url_authority(&client->request.url);

		pmg_report_trouble(client->service->report, target, err);
	}
	pmg_client_end_answer(client, err == NULL);
}

void pmg_client_forward(struct pmg_client *client, struct pmg_head *head)
{
	const struct pmg_exchange_user user = { client, on_head, on_body, on_pull, on_done };
	const struct pmg_request *request = &client->request;
	struct pmg_err err = PMG_ERR_INIT;

	pmg_request_clean(head, is_unjudged(client));
	if (client->asked.is_inspected)
		pmg_artifact_ask_whole(head);
	else if (client->is_text)
		pmg_artifact_ask_plain(head);
	client->document = pmg_document_new(client->service, &client->asked, &request->url, head,
					    &client->document_task);
	if (request->wants_continue &&
	    pmg_str_adds(&client->out, "HTTP/1.1 100 Continue\r\n\r\n") < 0)
		client->is_broken = true;
	if (pmg_exchange_start(pmg_service_way(client->service, &request->url), &request->url, head,
			       request->framing, request->length, &user, &client->exchange,
			       &err) < 0) {
		pmg_client_refuse(client, 500, err.msg);
		return;
	}
	pmg_client_enter(client, PMG_CLIENT_EXCHANGE);
	pmg_client_send(client);
}
