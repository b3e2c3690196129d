#ifndef PMG_PROXY_CAPTURE_H
#define PMG_PROXY_CAPTURE_H
/**
 * A connection that was meant for some address outside and was caught on its
 * way: where did it want to go? By the name that the address stands for
 * (names.h), else by what it says first, TLS or HTTP, which is looked at but
 * not taken; else to the address itself. A name within that does not fit the
 * address is refused.
 */
#include "proxy/inet.h"
#include "proxy/peer.h"
#include "proxy/service.h"

#define PMG_CAPTURE_MS 5000U /* for the first words; then the address alone counts */

/**
 * @param fd, peer  taken, also on failure; fd non-blocking
 * @param to        where it was to go
 * @param listens   its first words are waited for (HTTP, TLS); else nothing is known of it
 * @return 0 or -PMG_E_SYS
 */
int pmg_capture_new(struct pmg_service *service, int fd, struct pmg_peer *peer,
		    const struct pmg_inet *to, bool listens, struct pmg_err *err) PMG_MUST_CHECK;
void pmg_captures_free(struct pmg_service *service); /* all, when the proxy ends */

#endif
