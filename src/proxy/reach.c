#include "proxy/reach.h"

#include <string.h>

#include "base/str.h"

static struct pmg_reach ask_without_walls(const struct pmg_service *service, const char *host,
					  uint16_t port)
{
	bool is_known = pmg_catalog_knows(service->catalog, host, port);

	return (struct pmg_reach){ .how = is_known ? PMG_REACH_LOOK : PMG_REACH_PASS,
				   .may_ask = !is_known };
}

struct pmg_reach pmg_reach_ask(const struct pmg_service *service, const struct pmg_peer *peer,
			       const char *host, uint16_t port)
{
	struct pmg_reach reach = { .how = PMG_REACH_NO };
	struct pmg_decision decision, registry;
	bool is_known;

	if (!peer)
		return ask_without_walls(service, host, port);
	decision = pmg_hosts_ask(service->hosts, peer->role, host, port);
	registry = pmg_hosts_registry(service->hosts, peer->role);
	is_known = pmg_catalog_knows(service->catalog, host, port);
	reach.rule = decision.rule;
	reach.is_registry = is_known;
	if (!decision.allowed && decision.rule)
		return reach; /* a deny holds for registries too */
	if (is_known && (decision.allowed || registry.allowed)) {
		reach.how = PMG_REACH_LOOK;
		reach.is_limited = !decision.allowed && peer->role != PMG_ROLE_MANAGER;
		if (reach.is_limited)
			reach.rule = registry.rule;
		return reach;
	}
	if (decision.allowed)
		reach.how = PMG_REACH_PASS;
	reach.may_ask = !is_known && registry.allowed;
	return reach;
}

bool pmg_reach_fetches(const char *method, bool has_body, const struct pmg_url *url,
		       const struct pmg_asked *asked)
{
	if (asked->is_audit && asked->kind == PMG_PATH_OTHER)
		return strcmp(method, "POST") == 0 && !url->query;
	return (strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0) && !has_body &&
	       !url->query && !asked->is_odd && asked->kind != PMG_PATH_OTHER && asked->who.n > 0;
}
