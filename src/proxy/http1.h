#ifndef PMG_PROXY_HTTP1_H
#define PMG_PROXY_HTTP1_H
/**
 * HTTP/1.1 messages as bytes (RFC 9112), read strictly: what two readers could
 * understand in two ways is refused, since the proxy judges what it reads and
 * another program acts on what it forwards. Pure functions; no socket here.
 */
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/mem.h"

#define PMG_HTTP_HEAD_MAX   65536U /* bytes of a request or response head */
#define PMG_HTTP_FIELDS_MAX 256U   /* header lines of one head */
#define PMG_HTTP_METHOD_MAX 32U

struct pmg_field {
	char *name;  /* a token, as written */
	char *value; /* without blanks at either end; HTAB, 0x20-0x7e and 0x80-0xff only */
};

/* A head, of a request or of a response. Everything points into text. */
struct pmg_head {
	char *text;
	char *method; /* request */
	char *target; /* request: no blank, no control byte, no "#" */
	char *reason; /* response; may be "" */
	int status;   /* response */
	int minor;    /* HTTP/1.minor: 0 or 1 */
	struct pmg_field *fields;
	size_t n;
};

void pmg_head_done(struct pmg_head *head);
PMG_DEFINE_AUTO_DONE(head, struct pmg_head, pmg_head_done);

/**
 * Is a whole request head there? One empty line in front is skipped, as RFC 9112 2.2 asks.
 * @param[in,out] scanned  bytes looked at before; 0 for a new head
 * @return length of the head with its empty line; 0: more is needed; -PMG_E_PARSE: a line end that
 *         is not CRLF, or a NUL; -PMG_E_LIMIT: more than PMG_HTTP_HEAD_MAX
 */
ssize_t pmg_head_end(const char *bytes, size_t len, size_t *scanned) PMG_MUST_CHECK;

/**
 * Read a request head that pmg_head_end() found complete.
 * @param[out] out  pmg_head_done(); untouched on failure
 * @return 0; -PMG_E_PARSE: answer 400; -PMG_E_LIMIT: answer 431; -PMG_E_UNSUPPORTED: answer 505
 */
int pmg_request_parse(const char *bytes, size_t len, struct pmg_head *out,
		      struct pmg_err *err) PMG_MUST_CHECK;

/**
 * Read a response head as a server sent it: a bare LF ends a line too, folded lines are joined by
 * a blank, the version may be HTTP/2.
 * @return 0; -PMG_E_PARSE; -PMG_E_LIMIT
 */
int pmg_response_parse(const char *bytes, size_t len, struct pmg_head *out,
		       struct pmg_err *err) PMG_MUST_CHECK;

/** Value of the first field of that name (any case); NULL when there is none. Borrowed. */
const char *pmg_head_get(const struct pmg_head *head, const char *name);
size_t pmg_head_count(const struct pmg_head *head, const char *name);
void pmg_head_remove(struct pmg_head *head, const char *name); /* all of that name */
/** Is token (any case) one of the comma-separated members of that field, in any of its lines? */
bool pmg_head_lists(const struct pmg_head *head, const char *name, const char *token);
/**
 * Remove what is meant for one connection only: Connection and what it lists, Keep-Alive, TE,
 * Trailer, Transfer-Encoding, Upgrade, and every Proxy-... (RFC 9110, 7.6.1).
 */
void pmg_head_strip(struct pmg_head *head);
/** Does the sender keep the connection for another message? */
bool pmg_head_keeps(const struct pmg_head *head);

#endif
