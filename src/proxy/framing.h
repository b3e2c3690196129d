#ifndef PMG_PROXY_FRAMING_H
#define PMG_PROXY_FRAMING_H
/** Where a message's body ends (RFC 9112, 6 and 7), and chunks. Pure functions. */
#include <stdint.h>

#include "proxy/http1.h"

#define PMG_HTTP_TRAILER_MAX 8192U               /* bytes after the last chunk; they are dropped */
#define PMG_HTTP_EXT_MAX     512U                /* bytes of a chunk size line with its extension */
#define PMG_HTTP_BODY_MAX    ((uint64_t)1 << 60) /* keeps sums of sizes far from overflow */

/* How a body ends. */
enum pmg_framing { PMG_FRAMING_NONE, PMG_FRAMING_LENGTH, PMG_FRAMING_CHUNKED, PMG_FRAMING_CLOSE };

/**
 * Framing of a request's body. Refused, since readers differ on them: two Content-Length, a
 * Content-Length beside Transfer-Encoding, a coding other than chunked, Transfer-Encoding in 1.0.
 * @param[out] length  bytes, for PMG_FRAMING_LENGTH, else 0
 * @return 0; -PMG_E_PARSE; -PMG_E_LIMIT
 */
int pmg_request_framing(const struct pmg_head *head, enum pmg_framing *out, uint64_t *length,
			struct pmg_err *err) PMG_MUST_CHECK;
/**
 * Framing of a response's body to a request with that method (RFC 9112, 6.3). Equal lengths given
 * twice are one; different ones are refused.
 */
int pmg_response_framing(const struct pmg_head *head, const char *method, enum pmg_framing *out,
			 uint64_t *length, struct pmg_err *err) PMG_MUST_CHECK;

/* A chunked body as it comes in pieces of any size. Zeroed is new. */
struct pmg_chunked {
	int state;
	uint64_t left; /* of the chunk at hand */
	size_t line;   /* bytes of the line at hand */
	size_t trailer;
};

/**
 * Take the next piece.
 * @param[out] used  bytes of the input that are done with, data among them
 * @param[out] data  start of body bytes within the input, NULL when there are none
 * @param[out] n     how many
 * @return 1: the body is complete, the rest of the input belongs to the next message; 0: go on with
 *         what follows used (used is 0 only for an empty input); -PMG_E_PARSE; -PMG_E_LIMIT
 */
int pmg_chunked_next(struct pmg_chunked *chunked, const char *bytes, size_t len, size_t *used,
		     const char **data, size_t *n) PMG_MUST_CHECK;

#endif
