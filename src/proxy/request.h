#ifndef PMG_PROXY_REQUEST_H
#define PMG_PROXY_REQUEST_H
/**
 * What a request head asks of a proxy, and under which one name: the host that
 * is judged is the host that is fetched from. Pure functions.
 */
#include "base/url.h"
#include "proxy/framing.h"

/* The place that a connection is tied to, once a CONNECT was answered by looking inside. */
struct pmg_inside {
	const char *scheme;
	const char *host;
	uint16_t port;
};

struct pmg_request {
	bool is_connect; /* url: https, host and port of the target, path "/" */
	bool is_head;
	bool keeps;          /* the client keeps the connection */
	bool wants_continue; /* it waits for "100 Continue" before it sends the body */
	struct pmg_url url;
	enum pmg_framing framing;
	uint64_t length;
};

void pmg_request_done(struct pmg_request *request);
PMG_DEFINE_AUTO_DONE(request, struct pmg_request, pmg_request_done);

/**
 * @param inside  where the connection leads, or NULL: it is with the proxy itself
 * @param[out] out  pmg_request_done(); untouched on failure
 * @param[out] status  to answer with on failure: 400, 414, 417, 421, 501
 * @return 0 or -PMG_E_PARSE
 *
 * With the proxy itself: CONNECT host:port, or an absolute address, whose host counts (Host is
 * ignored, RFC 9112 3.2.2). Inside: a path, or an absolute address of that very place, and a Host
 * that names it (421 else).
 */
int pmg_request_read(const struct pmg_head *head, const struct pmg_inside *inside,
		     struct pmg_request *out, int *status, struct pmg_err *err) PMG_MUST_CHECK;

/** May this user pass? "Basic " and base64 of "pmg:token". @param want  that base64 text */
bool pmg_request_is_authorized(const struct pmg_head *head, const char *want);

/**
 * Ready the head for the way upstream: hop-by-hop fields, Host, Content-Length and Expect go;
 * they are made anew.
 * @param limit_coding  what comes is to be looked into: Accept-Encoding names only what can be
 *        read
 */
void pmg_request_clean(struct pmg_head *head, bool limit_coding);

#endif
