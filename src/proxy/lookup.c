#include "proxy/lookup.h"

#include <string.h>

#include "base/str.h"
#include "base/url.h"
#include "proxy/place.h"
#include "proxy/refused.h"

/* Do packages come from there, whatever the port? */
static bool is_package_place(const struct pmg_service *service, const char *name)
{
	size_t i, n = pmg_catalog_count(service->catalog);

	if (pmg_catalog_knows(service->catalog, name, 443))
		return true;
	for (i = 0; i < n; i++)
		if (strcmp(pmg_catalog_base(service->catalog, i)->host, name) == 0)
			return true;
	return false;
}

/* May somebody reach it: then it was rightly asked for. Registries only count for who may reach
 * them; of a caller that is not known the best is assumed. */
static bool is_of_use(const struct pmg_service *service, const struct pmg_peer *peer,
		      const char *name)
{
	if (pmg_hosts_reachable(service->hosts, name))
		return true;
	return is_package_place(service, name) &&
	       pmg_hosts_registry(service->hosts, peer ? peer->role : PMG_ROLE_ANY).allowed;
}

static void note(struct pmg_service *service, const struct pmg_peer *peer, const char *name)
{
	enum pmg_role role = peer ? peer->role : PMG_ROLE_SCRIPT;
	struct pmg_decision decision = pmg_hosts_ask(service->hosts, role, name, 443);

	pmg_refused_resolve(service->refused, peer, name, decision.allowed ? NULL : decision.rule);
}

static void set_address(struct pmg_dns_answer *answer, uint16_t type, const struct in6_addr *v4,
			const struct in6_addr *v6)
{
	answer->has_data = true;
	if (type == PMG_DNS_A)
		memcpy(answer->address, v4->s6_addr + 12, 4);
	else
		memcpy(answer->address, v6, 16);
}

/*
 * Resolvers try a name with each of their search domains behind it, before the name itself where
 * "ndots" says so. To all names there is an answer here: such a one must get none, or the caller
 * would connect to an address that stands for a name it never meant. One with a single label in
 * front of the domain may have been meant as it stands.
 */
static bool is_attempt(const struct pmg_service *service, const char *name)
{
	return memchr(name, '.', pmg_hosts_searched(service->hosts, name)) != NULL;
}

static void answer_host(struct pmg_service *service, const struct pmg_peer *peer,
			const struct pmg_dns_query *query, struct pmg_dns_answer *answer)
{
	static const struct in6_addr loopback4 = { { { [10] = 0xff, 0xff, 127, 0, 0, 1 } } };
	pmg_autofree char *name = pmg_host_canonical(query->name);
	bool has_address = query->type == PMG_DNS_A || query->type == PMG_DNS_AAAA;
	struct in6_addr v4, v6;
	bool is_useful;

	if (!*name || pmg_host_is_loopback(name)) {
		if (*name && has_address)
			set_address(answer, query->type, &loopback4, &in6addr_loopback);
		return;
	}
	is_useful = is_of_use(service, peer, name);
	if (!is_useful && is_attempt(service, name)) {
		answer->rcode = PMG_DNS_NXDOMAIN;
		return;
	}
	if (!is_useful)
		note(service, peer, name);
	if (!has_address)
		return;
	pmg_names_give(service->names, name, is_useful, &v4, &v6);
	set_address(answer, query->type, &v4, &v6);
}

/* The name of one of our own addresses; of others nobody here knows. */
static void answer_reverse(const struct pmg_service *service, const struct pmg_dns_query *query,
			   const unsigned char address[16], struct pmg_dns_answer *answer)
{
	struct in6_addr in6;

	memcpy(&in6, address, sizeof in6);
	answer->name = pmg_names_find(service->names, &in6);
	if (IN6_IS_ADDR_LOOPBACK(&in6) || (IN6_IS_ADDR_V4MAPPED(&in6) && address[12] == 127))
		answer->name = "localhost";
	if (!answer->name)
		answer->rcode = PMG_DNS_NXDOMAIN;
	else
		answer->has_data = query->type == PMG_DNS_PTR;
}

size_t pmg_lookup_answer(struct pmg_service *service, const struct pmg_peer *peer,
			 const void *query, size_t len, unsigned char *out)
{
	struct pmg_dns_answer answer = { 0 };
	unsigned char address[16];
	struct pmg_dns_query read;
	int r = pmg_dns_read(query, len, &read);

	if (r < 0)
		return 0;
	answer.rcode = (enum pmg_dns_rcode)r;
	if (r == PMG_DNS_OK && pmg_dns_reverse(read.name, address))
		answer_reverse(service, &read, address, &answer);
	else if (r == PMG_DNS_OK && pmg_str_has_suffix(read.name, ".arpa"))
		answer.rcode = PMG_DNS_NXDOMAIN;
	else if (r == PMG_DNS_OK)
		answer_host(service, peer, &read, &answer);
	return pmg_dns_write(query, &read, &answer, out);
}
