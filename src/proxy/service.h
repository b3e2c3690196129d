#ifndef PMG_PROXY_SERVICE_H
#define PMG_PROXY_SERVICE_H
/**
 * What every connection of the proxy works with; the server owns it all, and
 * connections borrow it.
 */
#include "proxy/exchange.h"
#include "proxy/gate.h"
#include "tls/ca.h"

struct pmg_client;
struct pmg_tunnel;
struct pmg_probe;

struct pmg_service {
	struct pmg_loop *loop;
	struct pmg_ca *ca;
	struct pmg_catalog *catalog;
	struct pmg_report *report;
	struct pmg_probe *probe;
	struct pmg_gate gate;
	struct pmg_upstream upstream;
	char *authorization; /* base64 of "pmg:token" */
	char *own_host;      /* where the proxy listens; canonical */
	uint16_t own_port;
	uint64_t requests;          /* and tunnels; a CONNECT that is looked into is none */
	uint64_t bytes;             /* of bodies, to clients */
	struct pmg_client *clients; /* all, linked by themselves */
	struct pmg_tunnel *tunnels;
	size_t n_connections;
	void (*freed)(void *ctx); /* a connection has ended: another may come */
	void *freed_ctx;
};

#endif
