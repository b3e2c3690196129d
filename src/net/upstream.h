#ifndef PMG_NET_UPSTREAM_H
#define PMG_NET_UPSTREAM_H
/**
 * How pmg reaches the outside: which parent proxy, which roots. Sets up
 * libcurl handles; the event loop that drives them is the caller's.
 */

#include "base/url.h"
#include "net/route.h"
#include "tls/bundle.h"

#define PMG_UPSTREAM_CONNECT_MS 30000L /* name, connection and TLS together */
#define PMG_UPSTREAM_STALL_S    300L   /* without a byte; npm waits as long */

typedef void CURL; /* as <curl/curl.h> has it */

/**
 * Ready an easy handle for a target: address (path and query as in url, not normalised again),
 * parent proxy, verification against the bundle, no redirects, no environment, no netrc, no
 * signals, no proxy headers among the answer's, TCP_NODELAY, HTTP/1.1, TLS 1.2 at least, time-outs
 * as above. Verification cannot be switched off; a parent proxy spoken to by TLS is verified
 * against the same bundle. Options of a caller's own (method, headers, callbacks) come on top.
 * @param bundle  borrowed, must outlive the transfer
 * @return 0 or -PMG_E_INTERNAL
 */
int pmg_upstream_prepare(CURL *easy, const struct pmg_url *url, const struct pmg_route *route,
			 struct pmg_bundle *bundle, struct pmg_err *err) PMG_MUST_CHECK;
/**
 * Ready an easy handle for a bare connection to host:port (CURLOPT_CONNECT_ONLY), through the
 * parent proxy by CONNECT where there is one. When the transfer is done its bytes go by
 * curl_easy_send() and curl_easy_recv(), which also know a parent proxy spoken to by TLS. The
 * connection belongs to the handle: clean it up, do not reset it (libcurl 7.88 then leaks).
 * @param target  scheme "https"; path and query do not matter
 */
int pmg_upstream_prepare_tunnel(CURL *easy, const struct pmg_url *target,
				const struct pmg_route *route, struct pmg_bundle *bundle,
				struct pmg_err *err) PMG_MUST_CHECK;
/** What the parent proxy answered to the last CONNECT of this handle: 407, 502; 0 for none. */
long pmg_upstream_connect_status(CURL *easy);
/**
 * Turn a CURLcode into an error with a cause a person can act on (PMG40xx), naming host:port.
 * @param curlcode  not CURLE_OK; of a transfer of this handle that is over
 * @return -PMG_E_NETWORK, -PMG_E_TLS, -PMG_E_TIMEOUT, or -PMG_E_INTERNAL: pmg itself ended it
 */
int pmg_upstream_error(int curlcode, CURL *easy, const struct pmg_url *url,
		       const struct pmg_route *route, struct pmg_err *err);

#endif
