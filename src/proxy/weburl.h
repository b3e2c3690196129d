#ifndef PMG_PROXY_WEBURL_H
#define PMG_PROXY_WEBURL_H
/**
 * Addresses as they are read by clients that follow the URL standard of WHATWG,
 * node above all, and so npm, pnpm and yarn: what a strict reader refuses
 * ("http:\\host\x", "HTTP:host", "/%2e%2e/") they fetch. Pure functions.
 *
 * Sources: url.spec.whatwg.org, "URL parsing", states of a special scheme without a base.
 */
#include <stdbool.h>

#include "base/mem.h"

/**
 * The one spelling of an absolute address of http or https.
 * @param[out] is_odd  it was written so that a client with a reader of its own may go elsewhere
 * @return without user, fragment and an empty query; caller frees. NULL: it is no such address, or
 *         its host is written in a way that is not followed here (escapes, other than ASCII)
 */
char *pmg_weburl(const char *text, bool *is_odd) PMG_MUST_CHECK;

/** Does whoever reads it go to the same place, and can that be judged by its path? */
bool pmg_weburl_is_plain(const char *text);

#endif
