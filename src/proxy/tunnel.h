#ifndef PMG_PROXY_TUNNEL_H
#define PMG_PROXY_TUNNEL_H
/**
 * A connection that is passed on unread, to a host that serves no packages as
 * far as is known. Each direction ends by itself (half-close); a reset on one
 * side becomes one on the other. There is no time-out: only the ends know.
 */
#include "base/str.h"
#include "proxy/service.h"

#define PMG_TUNNEL_BUFFER 65536U /* bytes under way in one direction */

struct pmg_tunnel_kind {
	enum pmg_role role; /* whose place among the connections it takes */
	bool is_silent;     /* there was no CONNECT: nothing is answered, a failure is a reset */
};

/**
 * Dial, answer the CONNECT, then pass on. What fails is answered and reported.
 * @param fd     taken; non-blocking
 * @param url    borrowed for the call: host and port
 * @param early  what the client has sent already; its content is taken
 */
void pmg_tunnel_new(struct pmg_service *service, int fd, const struct pmg_url *url,
		    const struct pmg_tunnel_kind *kind, struct pmg_str *early);
void pmg_tunnels_free(struct pmg_service *service); /* all, at once: when the proxy ends */

#endif
