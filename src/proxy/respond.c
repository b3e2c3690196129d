#include "proxy/respond.h"

#include <inttypes.h>
#include <string.h>

#include "base/json.h"

static const struct {
	int status;
	const char *reason;
} reasons[] = {
	{ 100, "Continue" },
	{ 200, "OK" },
	{ 201, "Created" },
	{ 202, "Accepted" },
	{ 204, "No Content" },
	{ 206, "Partial Content" },
	{ 301, "Moved Permanently" },
	{ 302, "Found" },
	{ 303, "See Other" },
	{ 304, "Not Modified" },
	{ 307, "Temporary Redirect" },
	{ 308, "Permanent Redirect" },
	{ 400, "Bad Request" },
	{ 401, "Unauthorized" },
	{ 403, "Forbidden" },
	{ 404, "Not Found" },
	{ 405, "Method Not Allowed" },
	{ 406, "Not Acceptable" },
	{ 407, "Proxy Authentication Required" },
	{ 408, "Request Timeout" },
	{ 409, "Conflict" },
	{ 410, "Gone" },
	{ 413, "Content Too Large" },
	{ 414, "URI Too Long" },
	{ 416, "Range Not Satisfiable" },
	{ 417, "Expectation Failed" },
	{ 421, "Misdirected Request" },
	{ 429, "Too Many Requests" },
	{ 431, "Request Header Fields Too Large" },
	{ 500, "Internal Server Error" },
	{ 501, "Not Implemented" },
	{ 502, "Bad Gateway" },
	{ 503, "Service Unavailable" },
	{ 504, "Gateway Timeout" },
	{ 505, "HTTP Version Not Supported" },
	{ 508, "Loop Detected" },
};

const char *pmg_status_reason(int status)
{
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(reasons); i++)
		if (reasons[i].status == status)
			return reasons[i].reason;
	return "";
}

int pmg_answer_write(const struct pmg_answer *answer, struct pmg_str *out)
{
	const char *reason = answer->reason ? answer->reason : pmg_status_reason(answer->status);
	const char *body = answer->body ? answer->body : "";

	return pmg_str_addf(out,
			    "HTTP/1.1 %d %s\r\n"
			    "Content-Type: %s\r\n"
			    "Content-Length: %zu\r\n"
			    "Cache-Control: no-store\r\n"
			    "%s%s"
			    "Connection: %s\r\n"
			    "\r\n"
			    "%s",
			    answer->status, reason,
			    answer->type ? answer->type : "text/plain; charset=utf-8", strlen(body),
			    answer->field ? answer->field : "", answer->field ? "\r\n" : "",
			    answer->keeps ? "keep-alive" : "close", answer->is_head ? "" : body);
}

static int add_framing(const struct pmg_outgoing *outgoing, enum pmg_framing framing,
		       uint64_t length, struct pmg_str *out)
{
	if (outgoing->framing == PMG_FRAMING_CHUNKED)
		return pmg_str_adds(out, "Transfer-Encoding: chunked\r\n");
	if (framing == PMG_FRAMING_LENGTH)
		return pmg_str_addf(out, "Content-Length: %" PRIu64 "\r\n", length);
	return 0;
}

int pmg_response_write(struct pmg_head *head, enum pmg_framing framing, uint64_t length, int minor,
		       bool keeps, struct pmg_outgoing *outgoing, struct pmg_str *out)
{
	bool is_open = framing == PMG_FRAMING_CHUNKED || framing == PMG_FRAMING_CLOSE;
	size_t i;
	int r;

	outgoing->framing = !is_open    ? framing
			    : minor > 0 ? PMG_FRAMING_CHUNKED
					: PMG_FRAMING_CLOSE;
	outgoing->keeps = keeps && outgoing->framing != PMG_FRAMING_CLOSE;
	pmg_head_strip(head);
	if (framing != PMG_FRAMING_NONE) /* of HEAD and 304 it tells the length of another body */
		pmg_head_remove(head, "content-length");
	r = pmg_str_addf(out, "HTTP/1.1 %d %s\r\n", head->status, head->reason);
	for (i = 0; i < head->n && r == 0; i++)
		r = pmg_str_addf(out, "%s: %s\r\n", head->fields[i].name, head->fields[i].value);
	if (r == 0)
		r = add_framing(outgoing, framing, length, out);
	if (r == 0 && !outgoing->keeps)
		r = pmg_str_adds(out, "Connection: close\r\n");
	else if (r == 0 && minor == 0)
		r = pmg_str_adds(out, "Connection: keep-alive\r\n");
	return r < 0 ? r : pmg_str_adds(out, "\r\n");
}

bool pmg_response_redirects(const struct pmg_head *head)
{
	static const int statuses[] = { 301, 302, 303, 307, 308 };
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(statuses); i++)
		if (head->status == statuses[i])
			return pmg_head_get(head, "location") != NULL;
	return false;
}

bool pmg_response_has_content(const struct pmg_head *head)
{
	return head->status >= 200 && head->status < 400 && head->status != 204 &&
	       head->status != 304 && !pmg_response_redirects(head);
}

char *pmg_error_json(const char *text)
{
	pmg_auto(json) struct json_t *obj = pmg_json_object();

	pmg_json_set_str(obj, "error", text);
	return pmg_json_dump(obj);
}
