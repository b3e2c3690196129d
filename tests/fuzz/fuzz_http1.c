#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "proxy/request.h"
#include "proxy/respond.h"

/* Written out again, a head that was accepted must read as the same head. */
static void must_read_the_same(const struct pmg_head *head)
{
	pmg_auto(str) struct pmg_str text = PMG_STR_INIT(2 * PMG_HTTP_HEAD_MAX);
	pmg_auto(head) struct pmg_head again = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	size_t i, scanned = 0;

	if (pmg_str_addf(&text, "%s %s HTTP/1.%d\r\n", head->method, head->target, head->minor) < 0)
		abort();
	for (i = 0; i < head->n; i++)
		if (pmg_str_addf(&text, "%s: %s\r\n", head->fields[i].name, head->fields[i].value) <
		    0)
			abort();
	if (pmg_str_adds(&text, "\r\n") < 0)
		abort();
	if (text.len >= PMG_HTTP_HEAD_MAX)
		return;
	if (pmg_head_end(text.s, text.len, &scanned) != (ssize_t)text.len ||
	    pmg_request_parse(text.s, text.len, &again, &err) < 0 || again.n != head->n ||
	    !pmg_streq(again.target, head->target))
		abort();
}

/* What is judged is what is fetched: inside a tunnel no other place may come out. */
static void request(const struct pmg_head *head)
{
	static const struct pmg_inside inside = { "https", "x.test", 443 };
	struct pmg_err err = PMG_ERR_INIT;
	int status = 0;
	size_t i;

	for (i = 0; i < 2; i++) {
		pmg_auto(request) struct pmg_request out = { 0 };

		if (pmg_request_read(head, i ? &inside : NULL, &out, &status, &err) < 0) {
			if (status < 400 || out.url.host)
				abort();
			continue;
		}
		if (i && (!pmg_streq(out.url.host, "x.test") || out.url.port != 443))
			abort();
	}
}

static void pass_on(struct pmg_head *head, enum pmg_framing framing, uint64_t length)
{
	pmg_auto(str) struct pmg_str out = PMG_STR_INIT(4 * PMG_HTTP_HEAD_MAX);
	pmg_auto(head) struct pmg_head again = { 0 };
	struct pmg_outgoing outgoing = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	if (pmg_response_write(head, framing, length, 1, true, &outgoing, &out) < 0)
		abort();
	if (out.len <= PMG_HTTP_HEAD_MAX &&
	    (pmg_response_parse(out.s, out.len, &again, &err) < 0 || again.status != head->status))
		abort();
}

static void response(const char *bytes, size_t size)
{
	pmg_auto(head) struct pmg_head head = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	enum pmg_framing framing;
	uint64_t length;

	if (pmg_response_parse(bytes, size, &head, &err) < 0)
		return;
	if (head.status < 100 || head.status > 999 || strpbrk(head.reason, "\r\n"))
		abort();
	if (pmg_response_framing(&head, "GET", &framing, &length, &err) < 0)
		return;
	if (length > PMG_HTTP_BODY_MAX)
		abort();
	pass_on(&head, framing, length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *bytes = (const char *)data;
	pmg_auto(head) struct pmg_head head = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	enum pmg_framing framing;
	size_t scanned = 0;
	uint64_t length;
	ssize_t end;

	if (size == 0)
		return 0;
	response(bytes, size);
	end = pmg_head_end(bytes, size, &scanned);
	if (end <= 0 || pmg_request_parse(bytes, (size_t)end, &head, &err) < 0)
		return 0;
	must_read_the_same(&head);
	request(&head);
	if (pmg_request_framing(&head, &framing, &length, &err) == 0 &&
	    framing == PMG_FRAMING_CHUNKED && pmg_head_get(&head, "content-length"))
		abort();
	pmg_head_strip(&head);
	if (pmg_head_get(&head, "connection") || pmg_head_get(&head, "proxy-authorization"))
		abort();
	return 0;
}
