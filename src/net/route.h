#ifndef PMG_NET_ROUTE_H
#define PMG_NET_ROUTE_H
/** Which parent proxy leads to a target: the user's settings, read once. */
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

struct pmg_route; /* parent proxies and their exceptions */
void pmg_route_free(struct pmg_route *route);
PMG_DEFINE_AUTO(route, struct pmg_route *, pmg_route_free);

/**
 * @param https_proxy, http_proxy  as the user wrote them: an address, or "host:port"; NULL or ""
 *        for none. http, https, socks5 and socks5h are known; user and password may stand before
 *        "@". Without a port the scheme's own is taken (80, 443, 1080); a path is passed over.
 * @param no_proxy  net/no_proxy.h; NULL or ""
 * @return 0; -PMG_E_CONFIG: not an address (msg never shows user and password);
 *         -PMG_E_LIMIT: too long
 */
int pmg_route_new(const char *https_proxy, const char *http_proxy, const char *no_proxy,
		  struct pmg_route **out, struct pmg_err *err) PMG_MUST_CHECK;
/**
 * Address of the parent proxy for a target, "" for none (CURLOPT_PROXY: "" keeps libcurl from
 * looking into our own environment). Holds the user's password: not for messages. Borrowed.
 * @param scheme  "https" (tunnels too) or "http"
 */
const char *pmg_route_find(const struct pmg_route *route, const char *scheme, const char *host,
			   uint16_t port);
/** The same for messages: "host:port" of the parent proxy, "" for none. Borrowed. */
const char *pmg_route_name(const struct pmg_route *route, const char *scheme, const char *host,
			   uint16_t port);

#endif
