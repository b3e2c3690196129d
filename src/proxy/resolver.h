#ifndef PMG_PROXY_RESOLVER_H
#define PMG_PROXY_RESOLVER_H
/**
 * The DNS server of the run, on whatever address it is asked: UDP sockets that
 * were handed in, and connections of TCP.
 */
#include "proxy/peer.h"
#include "proxy/service.h"

#define PMG_RESOLVER_IDLE_MS 10000U /* a connection of TCP between queries */

/** Who sends from that port? May return NULL. */
typedef const struct pmg_peer *(*pmg_resolver_who)(void *ctx, uint16_t port);

struct pmg_resolver;
/** @param fd  borrowed; bound UDP socket. @return 0 or -PMG_E_SYS */
int pmg_resolver_new(struct pmg_service *service, int fd, pmg_resolver_who who, void *ctx,
		     struct pmg_resolver **out, struct pmg_err *err) PMG_MUST_CHECK;
void pmg_resolver_free(struct pmg_resolver *resolver);
PMG_DEFINE_AUTO(resolver, struct pmg_resolver *, pmg_resolver_free);

/** A connection of TCP. @param fd, peer  taken, also on failure. @return 0 or -PMG_E_SYS */
int pmg_resolver_serve(struct pmg_service *service, int fd, struct pmg_peer *peer,
		       struct pmg_err *err) PMG_MUST_CHECK;
void pmg_resolver_end_all(struct pmg_service *service); /* connections, when the proxy ends */

#endif
