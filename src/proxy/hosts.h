#ifndef PMG_PROXY_HOSTS_H
#define PMG_PROXY_HOSTS_H
/**
 * Which hosts the run may reach: the rules of the network as the front sent
 * them. A registry is no host here but a word of its own: the rule "registry"
 * says which roles reach the places that packages come from (catalog.h).
 */
#include "policy/policy.h"
#include "violation/wire.h"

#define PMG_HOSTS_RULES_MAX 4096U

struct pmg_hosts;
struct pmg_hosts *pmg_hosts_new(void) PMG_MUST_CHECK;
void pmg_hosts_free(struct pmg_hosts *hosts);
PMG_DEFINE_AUTO(hosts, struct pmg_hosts *, pmg_hosts_free);

/** @return 0; -PMG_E_PEER: no rank, role or layer; -PMG_E_CONFIG: no such pattern; -PMG_E_LIMIT */
int pmg_hosts_add(struct pmg_hosts *hosts, const struct pmg_wire_netrule *rule,
		  struct pmg_err *err) PMG_MUST_CHECK;
void pmg_hosts_seal(struct pmg_hosts *hosts); /* after the last */

/** @param host  any spelling. One that is called "registry" nobody may reach. */
struct pmg_decision pmg_hosts_ask(const struct pmg_hosts *hosts, enum pmg_role role,
				  const char *host, uint16_t port);
/** May that role reach registries, to be judged? */
struct pmg_decision pmg_hosts_registry(const struct pmg_hosts *hosts, enum pmg_role role);
/** Does some rule let somebody reach that name, on whatever port? */
bool pmg_hosts_reachable(const struct pmg_hosts *hosts, const char *name);

/** Domains that resolvers put behind a name: the lines "search" and "domain" of a resolv.conf. */
void pmg_hosts_set_search(struct pmg_hosts *hosts, const char *resolv_conf);
/**
 * Is that name another one with such a domain behind it?
 * @return how long the other is; 0: no
 */
size_t pmg_hosts_searched(const struct pmg_hosts *hosts, const char *name);

#endif
