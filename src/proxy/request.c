#include "proxy/request.h"

#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "proxy/place.h"

void pmg_request_done(struct pmg_request *request)
{
	pmg_url_done(&request->url);
	*request = (struct pmg_request){ 0 };
}

static bool is_same_place(const struct pmg_inside *inside, const char *host, uint16_t port)
{
	pmg_autofree char *a = pmg_host_canonical(inside->host);
	pmg_autofree char *b = pmg_host_canonical(host);

	return inside->port == port && strcmp(a, b) == 0;
}

static uint16_t default_port(const char *scheme)
{
	return strcmp(scheme, "http") == 0 ? 80 : 443;
}

/* A Host that names another place than the one the connection was made to: it would be judged in
 * one name and answered in another. */
static int check_host(const struct pmg_head *head, const struct pmg_inside *inside, int *status,
		      struct pmg_err *err)
{
	const char *value = pmg_head_get(head, "host");
	pmg_autofree char *host = NULL;
	uint16_t port = 0;

	*status = 400;
	if (pmg_head_count(head, "host") > 1)
		return pmg_err_set(err, PMG_E_PARSE, 0, "more than one Host");
	if (!value && head->minor > 0)
		return pmg_err_set(err, PMG_E_PARSE, 0, "no Host");
	if (!value)
		return 0;
	if (pmg_hostport_parse(value, default_port(inside->scheme), &host, &port, err) < 0)
		return pmg_err_set(err, PMG_E_PARSE, 0, "the Host cannot be read");
	*status = 421;
	if (!is_same_place(inside, host, port))
		return pmg_err_set(err, PMG_E_PARSE, 0,
				   "the Host is not the one this connection leads to");
	return 0;
}

static int read_connect(const struct pmg_head *head, struct pmg_request *out, struct pmg_err *err)
{
	pmg_autofree char *host = NULL;
	uint16_t port = 0;

	if (pmg_hostport_parse(head->target, 0, &host, &port, err) < 0 || port == 0)
		return pmg_err_set(err, PMG_E_PARSE, 0, "CONNECT needs host:port");
	out->is_connect = true;
	out->url = (struct pmg_url){ .scheme = pmg_xstrdup("https"),
				     .host = pmg_steal_ptr(&host),
				     .port = port,
				     .path = pmg_xstrdup("/") };
	return 0;
}

static int read_address(const char *address, struct pmg_request *out, int *status,
			struct pmg_err *err)
{
	if (strlen(address) > PMG_URL_MAX) {
		*status = 414;
		return pmg_err_set(err, PMG_E_PARSE, 0, "the address is too long");
	}
	if (pmg_url_parse(address, &out->url, err) < 0)
		return pmg_err_set(err, PMG_E_PARSE, 0, "the address cannot be read");
	if (out->url.userinfo)
		return pmg_err_set(err, PMG_E_PARSE, 0, "a user name in the address");
	return 0;
}

static int read_inside(const struct pmg_head *head, const struct pmg_inside *inside,
		       struct pmg_request *out, int *status, struct pmg_err *err)
{
	pmg_autofree char *text = NULL;
	const char *open = strchr(inside->host, ':') ? "[" : "", *close = *open ? "]" : "";
	int r;

	r = check_host(head, inside, status, err);
	if (r < 0)
		return r;
	*status = 400;
	if (head->target[0] == '/') {
		text = pmg_xasprintf("%s://%s%s%s:%u%s", inside->scheme, open, inside->host, close,
				     inside->port, head->target);
		return read_address(text, out, status, err);
	}
	r = read_address(head->target, out, status, err);
	if (r < 0)
		return r;
	*status = 421;
	if (strcmp(out->url.scheme, inside->scheme) != 0 ||
	    !is_same_place(inside, out->url.host, out->url.port))
		return pmg_err_set(err, PMG_E_PARSE, 0,
				   "the address is not where this connection leads to");
	return 0;
}

static int read_target(const struct pmg_head *head, const struct pmg_inside *inside,
		       struct pmg_request *out, int *status, struct pmg_err *err)
{
	if (inside && strcmp(head->method, "CONNECT") != 0)
		return read_inside(head, inside, out, status, err);
	if (inside)
		return pmg_err_set(err, PMG_E_PARSE, 0, "CONNECT within CONNECT");
	if (strcmp(head->method, "CONNECT") == 0)
		return read_connect(head, out, err);
	if (head->target[0] == '/' || head->target[0] == '*')
		return pmg_err_set(err, PMG_E_PARSE, 0, "this is a proxy, not a web server");
	return read_address(head->target, out, status, err);
}

int pmg_request_read(const struct pmg_head *head, const struct pmg_inside *inside,
		     struct pmg_request *out, int *status, struct pmg_err *err)
{
	pmg_auto(request) struct pmg_request request = { 0 };
	const char *expect = pmg_head_get(head, "expect");
	int r;

	*status = 400;
	r = pmg_request_framing(head, &request.framing, &request.length, err);
	if (r < 0)
		return -PMG_E_PARSE;
	r = read_target(head, inside, &request, status, err);
	if (r < 0)
		return r;
	if (expect && strcasecmp(expect, "100-continue") != 0) {
		*status = 417;
		return pmg_err_set(err, PMG_E_PARSE, 0, "an Expect other than 100-continue");
	}
	if (request.is_connect && request.framing != PMG_FRAMING_NONE) {
		*status = 400;
		return pmg_err_set(err, PMG_E_PARSE, 0, "CONNECT with a body");
	}
	request.is_head = strcmp(head->method, "HEAD") == 0;
	request.keeps = pmg_head_keeps(head);
	request.wants_continue = expect && head->minor > 0 && request.framing != PMG_FRAMING_NONE;
	*out = request;
	request = (struct pmg_request){ 0 };
	return 0;
}

bool pmg_request_is_authorized(const struct pmg_head *head, const char *want)
{
	const char *value = pmg_head_get(head, "proxy-authorization");
	size_t n = strlen(want);

	if (!value || pmg_head_count(head, "proxy-authorization") != 1 ||
	    !pmg_str_has_prefix_nocase(value, "basic "))
		return false;
	value += strlen("basic ");
	value += strspn(value, " ");
	return strlen(value) == n && pmg_equal_secret(value, want, n);
}

/* Does a list like "gzip;q=1.0, deflate" take gzip? */
static bool takes_gzip(const char *list)
{
	size_t n;
	const char *q;

	for (; *list; list += n + (list[n] == ',')) {
		list += strspn(list, " \t");
		n = strcspn(list, ",");
		if (strncasecmp(list, "gzip", 4) != 0 && strncasecmp(list, "*", 1) != 0)
			continue;
		q = memmem(list, n, "q=0", 3);
		if (!q || strspn(q + 2, "0.") < strcspn(q + 2, ", \t;"))
			return true;
	}
	return false;
}

void pmg_request_clean(struct pmg_head *head, bool limit_coding)
{
	static const char *const ours[] = { "host", "content-length", "expect" };
	static char gzip[] = "gzip", identity[] = "identity";
	bool has_gzip = false, has_any = false;
	size_t i, kept = 0;

	pmg_head_strip(head);
	for (i = 0; i < PMG_ARRAY_LEN(ours); i++)
		pmg_head_remove(head, ours[i]);
	if (!limit_coding)
		return;
	for (i = 0; i < head->n; i++) {
		if (strcasecmp(head->fields[i].name, "accept-encoding") == 0) {
			has_gzip |= takes_gzip(head->fields[i].value);
			if (has_any)
				continue;
			has_any = true;
		}
		head->fields[kept++] = head->fields[i];
	}
	head->n = kept;
	for (i = 0; i < head->n; i++)
		if (strcasecmp(head->fields[i].name, "accept-encoding") == 0)
			head->fields[i].value = has_gzip ? gzip : identity;
}
