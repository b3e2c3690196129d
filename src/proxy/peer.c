#include "proxy/peer.h"

#include <stdlib.h>
#include <string.h>

#define PROGRAM_MAX 64U /* bytes of the name of a program that are kept */

void pmg_peer_free(struct pmg_peer *peer)
{
	if (!peer)
		return;
	free(peer->package);
	free(peer->script);
	free(peer->how_known);
	pmg_strv_done(&peer->process);
	free(peer);
}

struct pmg_peer *pmg_peer_new(struct pmg_wire_connect *told)
{
	struct pmg_peer *peer = pmg_xcalloc(1, sizeof *peer);
	size_t i;

	for (i = 0; i < told->process.n; i++) /* hundreds of peers wait at times */
		if (strlen(told->process.v[i]) > PROGRAM_MAX)
			told->process.v[i][PROGRAM_MAX] = '\0';

	peer->role = told->role == PMG_ROLE_MANAGER ? PMG_ROLE_MANAGER : PMG_ROLE_SCRIPT;
	peer->package = pmg_steal_ptr(&told->package);
	peer->script = pmg_steal_ptr(&told->script);
	peer->how_known = pmg_steal_ptr(&told->how_known);
	peer->process = told->process;
	told->process = (struct pmg_strv){ 0 };
	return peer;
}
