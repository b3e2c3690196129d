#ifndef PMG_PROXY_RESPOND_H
#define PMG_PROXY_RESPOND_H
/** The bytes of response heads, and of the proxy's own answers. Pure functions. */
#include "base/str.h"
#include "proxy/framing.h"

/* An answer of the proxy's own. */
struct pmg_answer {
	int status;
	const char *reason; /* NULL: the usual one */
	const char *type;   /* of the body; NULL: text/plain */
	const char *field;  /* one more header line, "Name: value"; or NULL */
	const char *body;   /* NULL: none */
	bool keeps;         /* the connection stays usable */
	bool is_head;       /* to a HEAD request: the body is not sent */
};

/** @return 0 or -PMG_E_LIMIT */
int pmg_answer_write(const struct pmg_answer *answer, struct pmg_str *out) PMG_MUST_CHECK;

/* How a body from upstream goes on to the client. */
struct pmg_outgoing {
	enum pmg_framing framing; /* NONE, LENGTH, CHUNKED or CLOSE */
	bool keeps;
};

/**
 * Head of a response that is passed on: status line and fields as upstream sent them, less what is
 * for one connection only; the body framed as the client's version of HTTP allows.
 * @param framing, length  as the body comes from upstream
 * @param minor, keeps     of the client's request
 * @return 0 or -PMG_E_LIMIT
 */
int pmg_response_write(struct pmg_head *head, enum pmg_framing framing, uint64_t length, int minor,
		       bool keeps, struct pmg_outgoing *outgoing,
		       struct pmg_str *out) PMG_MUST_CHECK;

/** Does it lead elsewhere? Then its body is nobody's business. Without a Location clients take it
 * for what they asked for. */
bool pmg_response_redirects(const struct pmg_head *head);
/** Is its body what was asked for, to some client? Managers look at no more than "is it an error?".
 */
bool pmg_response_has_content(const struct pmg_head *head);

/** The usual reason phrase of a status; "" when there is none. */
const char *pmg_status_reason(int status);

/** {"error":"text"} as npm prints it. Caller frees. */
char *pmg_error_json(const char *text) PMG_MUST_CHECK;

#endif
