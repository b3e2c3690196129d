#ifndef PMG_PROXY_SERVICE_H
#define PMG_PROXY_SERVICE_H
/**
 * What every connection of the proxy works with; the server owns it all, and
 * connections borrow it.
 */
#include "policy/policy.h"
#include "proxy/exchange.h"
#include "proxy/gate.h"
#include "proxy/hosts.h"
#include "proxy/names.h"
#include "proxy/turn.h"
#include "tls/ca.h"

#define PMG_CONNECTIONS_MAX 256U /* clients, tunnels, ...; further ones wait in the kernel */
#define PMG_SCRIPTS_MAX     160U /* of these, of scripts: the manager always gets a place */

struct pmg_ages;
struct pmg_artifacts;
struct pmg_client;
struct pmg_dates;
struct pmg_lookup;
struct pmg_capture;
struct pmg_probe;
struct pmg_refused;
struct pmg_spool;
struct pmg_tunnel;

struct pmg_service {
	struct pmg_loop *loop;
	struct pmg_ca *ca;
	struct pmg_catalog *catalog;
	struct pmg_report *report;
	struct pmg_probe *probe;
	struct pmg_gate gate;
	struct pmg_artifacts *artifacts; /* those that are looked into */
	struct pmg_spool *spool;         /* where documents wait */
	struct pmg_dates *dates;         /* when what was published */
	struct pmg_ages *ages;           /* asks for that */
	struct pmg_turns large;          /* clients' documents that take much memory */
	struct pmg_upstream upstream;
	/* Within walls; NULL without. */
	struct pmg_hosts *hosts;
	struct pmg_names *names;
	struct pmg_refused *refused;
	struct pmg_upstream nearby; /* without a parent proxy: loopback is this host's */
	char *authorization;        /* base64 of "pmg:token" */
	char *own_host;             /* where the proxy listens; canonical */
	uint16_t own_port;
	uint64_t requests;          /* and tunnels; a CONNECT that is looked into is none */
	uint64_t bytes;             /* of bodies, to clients */
	struct pmg_client *clients; /* all, linked by themselves */
	struct pmg_tunnel *tunnels;
	struct pmg_lookup *lookups;
	struct pmg_capture *captures;
	size_t n_connections;
	size_t n_scripts;         /* of these */
	void (*freed)(void *ctx); /* a connection has ended: another may come */
	void *freed_ctx;
};

/** Is there a place for another connection of that role? Without walls all are the manager's. */
bool pmg_service_has_room(const struct pmg_service *service, enum pmg_role role);
void pmg_service_enter(struct pmg_service *service, enum pmg_role role);
void pmg_service_leave(struct pmg_service *service, enum pmg_role role); /* calls freed() */
/** The way out to a host: the user's loopback is not sought behind a parent proxy, unless packages
 *  come from there: then it goes as the tool itself would. */
const struct pmg_upstream *pmg_service_way(const struct pmg_service *service,
					   const struct pmg_url *url);

#endif
