#ifndef PMG_PROXY_INFLATE_H
#define PMG_PROXY_INFLATE_H
/**
 * Look into a compressed body while it streams by: gzip (RFC 1952, also several
 * members), zlib (RFC 1950) and, since clients take it for "deflate" too, deflate without a header
 * (RFC 1951). The body itself goes to the client as it is.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/mem.h"

/* No document that a client could parse is larger; a bomb costs no more than this. */
#define PMG_INFLATE_MAX ((size_t)1 << 30)

/**
 * Does a body of that Content-Encoding (NULL: none) have to be inflated?
 * @param[out] is_unknown  it has a coding that cannot be read here, and false is returned
 */
bool pmg_inflate_is_needed(const char *encoding, bool *is_unknown);

struct pmg_inflate;
/** @param encoding  only "deflate" may come without a header; NULL: it has one */
struct pmg_inflate *pmg_inflate_new(const char *encoding) PMG_MUST_CHECK;
void pmg_inflate_free(struct pmg_inflate *inflate);
PMG_DEFINE_AUTO(inflate, struct pmg_inflate *, pmg_inflate_free);

typedef void (*pmg_inflate_fn)(void *ctx, const char *bytes, size_t len);

/**
 * Take the next compressed piece; calls fn with what it yields.
 * @return 0; -PMG_E_PARSE: no such data; -PMG_E_LIMIT: above PMG_INFLATE_MAX. After a failure it
 *         is of no more use.
 */
int pmg_inflate_feed(struct pmg_inflate *inflate, const char *bytes, size_t len, pmg_inflate_fn fn,
		     void *ctx) PMG_MUST_CHECK;

#endif
