#ifndef PMG_NET_UPSTREAM_H
#define PMG_NET_UPSTREAM_H
/**
 * How pmg reaches the outside: which parent proxy, which roots. Sets up
 * libcurl handles; the event loop that drives them is the caller's.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/url.h"
#include "tls/bundle.h"

struct pmg_route; /* parent proxies and their exceptions */
void pmg_route_free(struct pmg_route *route);
PMG_DEFINE_AUTO(route, struct pmg_route *, pmg_route_free);

/**
 * @param https_proxy, http_proxy  as the user wrote them: an address, or "host:port"; NULL or ""
 *        for none. http, https, socks5 and socks5h are known.
 * @param no_proxy  list by comma or blank: host (also its subdomains), .suffix, *.suffix,
 * host:port, address, address/bits, 127.0.0.*, "*"; NULL or ""
 * @return 0; -PMG_E_CONFIG: not an address
 */
int pmg_route_new(const char *https_proxy, const char *http_proxy, const char *no_proxy,
		  struct pmg_route **out, struct pmg_err *err) PMG_MUST_CHECK;
/** Address of the parent proxy for a target, "" for none (CURLOPT_PROXY: "" keeps libcurl from
 *  looking into our own environment). Borrowed. */
const char *pmg_route_find(const struct pmg_route *route, const char *scheme, const char *host,
			   uint16_t port);

typedef void CURL; /* as <curl/curl.h> has it */

/**
 * Ready an easy handle for a target: parent proxy, verification against the
 * bundle, no redirects, no environment, no netrc, no signals, TCP_NODELAY,
 * HTTP/1.1. Verification cannot be switched off.
 * @param bundle  borrowed, must outlive the transfer
 * @return 0 or -PMG_E_INTERNAL
 */
int pmg_upstream_prepare(CURL *easy, const struct pmg_url *url, const struct pmg_route *route,
			 struct pmg_bundle *bundle, struct pmg_err *err) PMG_MUST_CHECK;
/** Turn a CURLcode into an error with a cause a person can act on (PMG40xx), naming host:port. */
int pmg_upstream_error(int curlcode, CURL *easy, const struct pmg_url *url, struct pmg_err *err);

#endif
