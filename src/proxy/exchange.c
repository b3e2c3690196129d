#include "proxy/exchange.h"

#include <stdlib.h>
#include <string.h>

#include <curl/curl.h>

#include "base/str.h"

#define BUFFER_SIZE 131072L             /* of libcurl, for one transfer */
#define BURST_MAX   ((size_t)512 << 10) /* bytes of a body, before others are served */

struct pmg_exchange {
	const struct pmg_upstream *upstream;
	const struct pmg_url *url;
	struct pmg_exchange_user user;
	struct pmg_job job;
	struct curl_slist *fields;
	char *method;
	struct pmg_str head; /* lines as they come, of the message at hand */
	bool has_head;       /* the final one was delivered */
	size_t trailer;      /* bytes of it */
	bool waits_body, waits_pull;
	size_t burst;         /* bytes since others were served */
	struct pmg_task more; /* they were */
	bool is_stopped;      /* by us: what libcurl says of it does not matter */
	struct pmg_err why;   /* what we found wrong with the response */
};

void pmg_exchange_free(struct pmg_exchange *exchange)
{
	if (!exchange)
		return;
	pmg_task_cancel(pmg_multi_loop(exchange->upstream->multi), &exchange->more);
	pmg_job_close(&exchange->job);
	curl_slist_free_all(exchange->fields);
	pmg_str_done(&exchange->head);
	free(exchange->method);
	free(exchange);
}

/* @return false: it cannot go on */
static bool deliver_head(struct pmg_exchange *exchange)
{
	pmg_auto(head) struct pmg_head head = { 0 };
	enum pmg_framing framing;
	uint64_t length;

	if (pmg_response_parse(exchange->head.s, exchange->head.len, &head, &exchange->why) < 0)
		return false;
	if (head.status < 200) {
		pmg_str_clear(&exchange->head); /* interim: the final one follows */
		return head.status != 101;
	}
	if (pmg_response_framing(&head, exchange->method, &framing, &length, &exchange->why) < 0)
		return false;
	exchange->has_head = true;
	pmg_str_done(&exchange->head);
	exchange->is_stopped = !exchange->user.head(exchange->user.ctx, &head, framing, length);
	return !exchange->is_stopped;
}

/* Trailers are not passed on, but libcurl keeps them all. */
static size_t drop_trailer(struct pmg_exchange *exchange, size_t len)
{
	exchange->trailer += len;
	if (exchange->trailer <= PMG_HTTP_TRAILER_MAX)
		return len;
	(void)pmg_err_set(&exchange->why, PMG_E_LIMIT, 0, "the trailer is too large");
	return 0;
}

static size_t on_line(char *bytes, size_t one, size_t len, void *ctx)
{
	struct pmg_exchange *exchange = ctx;
	bool is_end = (len == 2 && memcmp(bytes, "\r\n", 2) == 0) || (len == 1 && *bytes == '\n');

	(void)one;
	if (exchange->has_head)
		return drop_trailer(exchange, len);
	if (len > 5 && memcmp(bytes, "HTTP/", 5) == 0)
		pmg_str_clear(&exchange->head);
	if (pmg_str_add(&exchange->head, bytes, len) < 0) {
		(void)pmg_err_set(&exchange->why, PMG_E_LIMIT, 0, "the response head is too large");
		return 0;
	}
	return !is_end || deliver_head(exchange) ? len : 0;
}

/* libcurl goes on as long as there is more to read, and from a fast upstream there always is. */
static bool is_burst(struct pmg_exchange *exchange, size_t len)
{
	exchange->burst += len;
	if (exchange->burst <= BURST_MAX)
		return false;
	exchange->burst = 0;
	exchange->waits_body = true;
	pmg_task_queue(pmg_multi_loop(exchange->upstream->multi), &exchange->more);
	return true;
}

static void on_more(void *ctx)
{
	pmg_exchange_resume(ctx);
}

static size_t on_body(char *bytes, size_t one, size_t len, void *ctx)
{
	struct pmg_exchange *exchange = ctx;

	(void)one;
	if (!exchange->has_head)
		return 0;
	if (is_burst(exchange, len))
		return CURL_WRITEFUNC_PAUSE;
	switch (exchange->user.body(exchange->user.ctx, bytes, len)) {
	case PMG_FLOW_GO:
		return len;
	case PMG_FLOW_WAIT:
		exchange->waits_body = true;
		return CURL_WRITEFUNC_PAUSE;
	case PMG_FLOW_END:
	case PMG_FLOW_STOP:
		break;
	}
	exchange->is_stopped = true;
	return 0;
}

static size_t on_pull(char *to, size_t one, size_t room, void *ctx)
{
	struct pmg_exchange *exchange = ctx;
	size_t n = 0;

	switch (exchange->user.pull(exchange->user.ctx, to, one * room, &n)) {
	case PMG_FLOW_GO:
		return n;
	case PMG_FLOW_WAIT:
		exchange->waits_pull = true;
		return CURL_READFUNC_PAUSE;
	case PMG_FLOW_END:
		return 0;
	case PMG_FLOW_STOP:
		break;
	}
	exchange->is_stopped = true; /* 0 would tell upstream that a cut body is whole */
	return CURL_READFUNC_ABORT;
}

/* What a client is answered that got no head. */
static int answer_status(struct pmg_exchange *exchange, const struct pmg_err *err)
{
	long parent = pmg_upstream_connect_status(exchange->job.easy);

	if (exchange->job.is_loop)
		return 508;
	if (parent >= 400 && parent <= 599)
		return (int)parent;
	return err->code == PMG_E_TIMEOUT ? 504 : 502;
}

static void explain(struct pmg_exchange *exchange, int curlcode, struct pmg_err *err)
{
	pmg_autofree char *target = pmg_url_authority(exchange->url);

	if (exchange->job.is_loop) {
		(void)pmg_err_set(err, PMG_E_NETWORK, 0, "%s: that is this proxy itself", target);
	} else if (exchange->why.msg[0]) {
		/* As libcurl says of what it finds malformed itself. */
		(void)pmg_upstream_error(CURLE_WEIRD_SERVER_REPLY, exchange->job.easy,
					 exchange->url, exchange->upstream->route, err);
	} else {
		(void)pmg_upstream_error(curlcode, exchange->job.easy, exchange->url,
					 exchange->upstream->route, err);
	}
}

static void on_done(void *ctx, int curlcode)
{
	struct pmg_exchange *exchange = ctx;
	struct pmg_err err = PMG_ERR_INIT;

	if (curlcode == CURLE_OK && exchange->has_head && !exchange->is_stopped) {
		exchange->user.done(exchange->user.ctx, NULL, 0);
		return;
	}
	if (exchange->is_stopped)
		(void)pmg_err_set(&err, PMG_E_INTERNAL, 0, "the client is gone");
	else
		explain(exchange, curlcode == CURLE_OK ? CURLE_GOT_NOTHING : curlcode, &err);
	exchange->user.done(exchange->user.ctx, &err, answer_status(exchange, &err));
}

void pmg_exchange_resume(struct pmg_exchange *exchange)
{
	if (!exchange->waits_body && !exchange->waits_pull)
		return;
	exchange->waits_body = false;
	exchange->waits_pull = false;
	(void)curl_easy_pause(exchange->job.easy, CURLPAUSE_CONT);
}

static void add_line(struct pmg_exchange *exchange, const char *line)
{
	struct curl_slist *more = curl_slist_append(exchange->fields, line);

	if (!more)
		abort();
	exchange->fields = more;
}

/* The client's fields; and none of those that libcurl would add of its own. */
static void add_fields(struct pmg_exchange *exchange, const struct pmg_head *head,
		       enum pmg_framing framing)
{
	size_t i;

	for (i = 0; i < head->n; i++) {
		const struct pmg_field *field = &head->fields[i];
		pmg_autofree char *line =
			field->value[0] ? pmg_xasprintf("%s: %s", field->name, field->value)
					: pmg_xasprintf("%s;", field->name);

		add_line(exchange, line);
	}
	if (!pmg_head_get(head, "accept"))
		add_line(exchange, "Accept:");
	add_line(exchange, "Expect:");
	if (framing == PMG_FRAMING_CHUNKED)
		add_line(exchange, "Transfer-Encoding: chunked");
}

/* A body: its connection must be fresh, since a kept one that turns out to be dead cannot be
 * tried again once bytes of the client's are gone. */
static CURLcode set_upload(CURL *easy, struct pmg_exchange *exchange, enum pmg_framing framing,
			   uint64_t length)
{
	CURLcode code = curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);

	if (code == CURLE_OK)
		code = curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE,
					framing == PMG_FRAMING_LENGTH ? (curl_off_t)length
								      : (curl_off_t)-1);
	if (code == CURLE_OK)
		code = curl_easy_setopt(easy, CURLOPT_READFUNCTION, on_pull);
	if (code == CURLE_OK)
		code = curl_easy_setopt(easy, CURLOPT_READDATA, exchange);
	if (code == CURLE_OK)
		code = curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
	return code;
}

static CURLcode set_method(CURL *easy, const char *method)
{
	if (strcmp(method, "HEAD") == 0)
		return curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
	if (strcmp(method, "GET") == 0)
		return CURLE_OK;
	return curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method);
}

static int set_up(struct pmg_exchange *exchange, enum pmg_framing framing, uint64_t length,
		  struct pmg_err *err)
{
	CURL *easy = exchange->job.easy;
	CURLcode code = CURLE_OK;

	if (framing != PMG_FRAMING_NONE)
		code = set_upload(easy, exchange, framing, length);
	if (code == CURLE_OK && framing != PMG_FRAMING_NONE)
		code = curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, exchange->method);
	else if (code == CURLE_OK)
		code = set_method(easy, exchange->method);
	if (code == CURLE_OK)
		code = curl_easy_setopt(easy, CURLOPT_HTTPHEADER, exchange->fields);
	if (code == CURLE_OK)
		code = curl_easy_setopt(easy, CURLOPT_HEADEROPT, (long)CURLHEADER_SEPARATE);
	if (code == CURLE_OK)
		code = curl_easy_setopt(easy, CURLOPT_HTTP_CONTENT_DECODING, 0L);
	if (code == CURLE_OK)
		code = curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, BUFFER_SIZE);
	if (code == CURLE_OK)
		code = curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_line);
	if (code == CURLE_OK)
		code = curl_easy_setopt(easy, CURLOPT_HEADERDATA, exchange);
	if (code == CURLE_OK)
		code = curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
	if (code == CURLE_OK)
		code = curl_easy_setopt(easy, CURLOPT_WRITEDATA, exchange);
	if (code != CURLE_OK)
		return pmg_err_set(err, PMG_E_INTERNAL, 0, "libcurl refused an option: %s",
				   curl_easy_strerror(code));
	return 0;
}

int pmg_exchange_start(const struct pmg_upstream *upstream, const struct pmg_url *url,
		       const struct pmg_head *head, enum pmg_framing framing, uint64_t length,
		       const struct pmg_exchange_user *user, struct pmg_exchange **out,
		       struct pmg_err *err)
{
	struct pmg_exchange *exchange = pmg_xcalloc(1, sizeof *exchange);
	int r;

	exchange->upstream = upstream;
	exchange->url = url;
	exchange->user = *user;
	exchange->method = pmg_xstrdup(head->method);
	exchange->head.max = PMG_HTTP_HEAD_MAX;
	exchange->job.done = on_done;
	exchange->job.ctx = exchange;
	exchange->more = (struct pmg_task){ .fn = on_more, .ctx = exchange };
	add_fields(exchange, head, framing);
	r = pmg_job_open(upstream->multi, &exchange->job, err);
	if (r == 0)
		r = pmg_upstream_prepare(exchange->job.easy, url, upstream->route, upstream->bundle,
					 err);
	if (r == 0)
		r = set_up(exchange, framing, length, err);
	if (r == 0)
		r = pmg_job_start(&exchange->job, err);
	if (r < 0) {
		pmg_exchange_free(exchange);
		return r;
	}
	*out = exchange;
	return 0;
}
