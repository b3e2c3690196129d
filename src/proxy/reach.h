#ifndef PMG_PROXY_REACH_H
#define PMG_PROXY_REACH_H
/** May somebody of the run reach a host, and how? Without walls everybody may reach all. */
#include "proxy/peer.h"
#include "proxy/service.h"

enum pmg_reach_how {
	PMG_REACH_NO,
	PMG_REACH_PASS, /* by tunnel, or by plain requests */
	PMG_REACH_LOOK  /* packages come from there: looked into, and judged */
};

struct pmg_reach {
	enum pmg_reach_how how;
	bool is_limited;                    /* LOOK, but pmg_reach_fetches() must hold too */
	bool may_ask;                       /* NO or PASS: an index may know it as LOOK */
	bool is_registry;                   /* packages come from there: the word means it too */
	const struct pmg_policy_rule *rule; /* NO: that said so, or NULL; is_limited: that lets it
					     * be no more */
};

/** @param peer  NULL: there are no walls */
struct pmg_reach pmg_reach_ask(const struct pmg_service *service, const struct pmg_peer *peer,
			       const char *host, uint16_t port);

/**
 * What a script may ask of a registry: a package's document or file by its plain address, without
 * a query or a body, so that what it can tell by asking is only which package it wants. And the
 * question which packages are vulnerable, which every install asks: what its body says is read by
 * the registry, and by nobody else who could have sent the script.
 * @param asked  of that url
 */
bool pmg_reach_fetches(const char *method, bool has_body, const struct pmg_url *url,
		       const struct pmg_asked *asked);

#endif
