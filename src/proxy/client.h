#ifndef PMG_PROXY_CLIENT_H
#define PMG_PROXY_CLIENT_H
/**
 * A connection of a client: HTTP/1.1 requests one after the other, perhaps
 * inside TLS after a CONNECT. It lives until either side ends it; a tunnel
 * takes its socket over and lives on its own (tunnel.h).
 */
#include "proxy/peer.h"
#include "proxy/service.h"

#define PMG_CLIENT_IN_MAX      ((size_t)2 * PMG_HTTP_HEAD_MAX) /* bytes read ahead */
#define PMG_CLIENT_OUT_MAX     ((size_t)512 << 10) /* bytes not yet taken by the client */
#define PMG_CLIENT_IDLE_MS     300000U             /* between requests */
#define PMG_CLIENT_STRANGER_MS 5000U               /* for the first request with the token */
#define PMG_CLIENT_HEAD_MS     60000U              /* within a head; within a handshake */
#define PMG_CLIENT_AGE_MS      300000U             /* until it is known when a package came out */
#define PMG_CLIENT_STALL_MS    600000U             /* while a client takes nothing of an answer */
#define PMG_CLIENT_LINGER_MS   2000U /* for what it still sends after the last answer */

/** @param fd, peer  taken, also on failure; fd non-blocking; peer NULL without walls.
 *  @return 0 or -PMG_E_SYS */
int pmg_client_new(struct pmg_service *service, int fd, struct pmg_peer *peer,
		   struct pmg_err *err) PMG_MUST_CHECK;

/* What a connection that was meant for somebody else begins with. */
enum pmg_client_speaks { PMG_CLIENT_TLS, PMG_CLIENT_HTTP, PMG_CLIENT_OTHER };

/**
 * A connection that believes to be with host:port: served as after a CONNECT to it, but in silence.
 * @param refused  do not serve it: a rule for what its address stands for, and another name within
 */
int pmg_client_capture(struct pmg_service *service, int fd, struct pmg_peer *peer, const char *host,
		       uint16_t port, enum pmg_client_speaks speaks, bool refused,
		       struct pmg_err *err) PMG_MUST_CHECK;
/** All of them, at once: when the proxy ends. */
void pmg_clients_free(struct pmg_service *service);

#endif
