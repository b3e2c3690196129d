#ifndef PMG_PROXY_PEER_H
#define PMG_PROXY_PEER_H
/** Who of the run is at the other end of a connection, as the broker told it. */
#include "policy/policy.h"
#include "violation/wire.h"

struct pmg_peer {
	enum pmg_role role;
	char *package; /* or NULL, as the two below */
	char *script;
	char *how_known;
	struct pmg_strv process;
};

void pmg_peer_free(struct pmg_peer *peer);
PMG_DEFINE_AUTO(peer, struct pmg_peer *, pmg_peer_free);
/** @param told  its texts are taken over. A role that is not known is that of a script. */
struct pmg_peer *pmg_peer_new(struct pmg_wire_connect *told) PMG_MUST_CHECK;

#endif
