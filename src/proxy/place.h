#ifndef PMG_PROXY_PLACE_H
#define PMG_PROXY_PLACE_H
/**
 * When do two addresses mean the same thing? What is judged under one spelling
 * must not be fetched under another. Pure functions.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/url.h"

/**
 * The one spelling of a host: lower case, no dot at the end, addresses as inet_ntop() writes them
 * (also "127.1", "0x7f000001" and IPv4 mapped into IPv6, which a resolver takes). Caller frees.
 */
char *pmg_host_canonical(const char *host) PMG_MUST_CHECK;

/**
 * Ports of one host that serve the same registry: equal, or both of 80 and 443, since a registry
 * of https answers, or redirects, a client that asks by http.
 */
bool pmg_port_is_same(uint16_t a, uint16_t b);

/**
 * A path as its server will understand it: decoded once, empty segments gone, from "/".
 * @param path  raw, from "/", without query
 * @return NULL when it can be understood in two ways: a dot segment, an escape that is malformed or
 *         leaves another escape, a backslash, a control byte. Caller frees.
 */
char *pmg_path_plain(const char *path) PMG_MUST_CHECK;

/**
 * Resolve a reference found in a document (RFC 3986, 5.2): absolute, "//host/x", "/x", "x", "?x".
 * Blanks around it go; blanks and non-ASCII bytes within are escaped, as clients do.
 * @param base  where the document was
 * @param[out] out  pmg_url_done()
 * @return 0; -PMG_E_PARSE; -PMG_E_LIMIT
 */
int pmg_reference_resolve(const struct pmg_url *base, const char *reference, struct pmg_url *out,
			  struct pmg_err *err) PMG_MUST_CHECK;

#endif
