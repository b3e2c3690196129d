#ifndef PMG_PROXY_CALLERS_H
#define PMG_PROXY_CALLERS_H
/**
 * What the broker has told of connections that were not seen yet. A connection
 * of TCP takes its entry with it, so that none serves twice; for UDP the last
 * word on a port holds for a while. Bounded: when a role has too many open ones
 * its oldest is dropped, and then that connection is closed unserved.
 */
#include "proxy/inet.h"
#include "proxy/peer.h"

#define PMG_CALLERS_MAX  1024U /* of each role, not taken yet */
#define PMG_CALLERS_UDP  256U
#define PMG_CALLERS_MS   60000U /* until a connection must have come: a machine may be busy */
#define PMG_CALLERS_LONG 60000U /* how long the word on an UDP port holds */

struct pmg_callers;
struct pmg_callers *pmg_callers_new(void) PMG_MUST_CHECK;
void pmg_callers_free(struct pmg_callers *callers);
PMG_DEFINE_AUTO(callers, struct pmg_callers *, pmg_callers_free);

/** @param told  its texts are taken over. @return 0; -PMG_E_PEER: not what a broker says */
int pmg_callers_add(struct pmg_callers *callers, struct pmg_wire_connect *told, uint64_t now_ms,
		    struct pmg_err *err) PMG_MUST_CHECK;
/**
 * Who connected from there to there? Both ends must be as told: ports are used again, and a script
 * that may listen could take the manager's at another address.
 * @return owned by the caller; NULL: not told (yet)
 */
struct pmg_peer *pmg_callers_take(struct pmg_callers *callers, const struct pmg_inet *from,
				  const struct pmg_inet *to, uint64_t now_ms) PMG_MUST_CHECK;
size_t pmg_callers_count(const struct pmg_callers *callers); /* of TCP, not taken yet; about */
/** Who sends from that port by UDP? Borrowed until the next add. @return NULL: not known */
const struct pmg_peer *pmg_callers_udp(const struct pmg_callers *callers, uint16_t port,
				       uint64_t now_ms);

#endif
