#ifndef PMG_PROXY_SERVER_H
#define PMG_PROXY_SERVER_H
/** The proxy at work: from READY until the front says STOP or is gone. */
#include "proxy/start.h"

/**
 * Serve.
 * @param start      borrowed
 * @param listen_fd  borrowed; listening TCP socket, already bound; not looked at within walls
 * @return 0: STOP came, DONE was sent; -PMG_E_PEER: the front is gone; -PMG_E_SYS, -PMG_E_INTERNAL:
 *         could not begin (no READY was sent then), or the loop broke
 */
int pmg_server_run(struct pmg_start *start, int wire_fd, int listen_fd,
		   const struct pmg_wire_ready *ready, struct pmg_err *err) PMG_MUST_CHECK;

#endif
