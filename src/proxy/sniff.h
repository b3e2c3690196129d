#ifndef PMG_PROXY_SNIFF_H
#define PMG_PROXY_SNIFF_H
/**
 * Is a body an archive, whatever its address looks like? Of a place that packages come from, what
 * no address of ours is known for would otherwise go by as if it were a document: neither judged
 * nor recorded.
 *
 * Sources: the magic numbers of gzip (RFC 1952), zip (APPNOTE 4.3.7), bzip2, xz, zstd (RFC 8878)
 * and POSIX tar ("ustar" at 257).
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"

#define PMG_SNIFF_MAX 262U /* bytes from the start of a body that are looked at */

struct pmg_sniff;
/** @param encoding  Content-Encoding of the body, NULL for none */
struct pmg_sniff *pmg_sniff_new(const char *encoding) PMG_MUST_CHECK;
void pmg_sniff_free(struct pmg_sniff *sniff);
PMG_DEFINE_AUTO(sniff, struct pmg_sniff *, pmg_sniff_free);

/**
 * Take the next piece of the body.
 * @return true, once, when it is an archive, or is coded so that nobody here can tell
 */
bool pmg_sniff_feed(struct pmg_sniff *sniff, const char *bytes, size_t len);

#endif
