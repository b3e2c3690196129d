#ifndef PMG_PROXY_ADDRESSES_H
#define PMG_PROXY_ADDRESSES_H
/**
 * Which package is behind an address whose shape does not say it. Spellings of
 * one address are one entry; an address may have several identities, and all of
 * them count. The table is bounded by the bytes it takes.
 */
#include "base/url.h"
#include "proxy/identity.h"

#define PMG_ADDRESSES_SAME_MAX 8U /* identities of one address */

/* What an address is. */
struct pmg_address {
	struct pmg_address *next; /* another identity of the same address */
	enum pmg_path_kind kind;
	enum pmg_eco eco;
	size_t registry;     /* that said so */
	const char *name;    /* NULL: not known */
	const char *version; /* NULL: not known */
	char key[];
};

struct pmg_addresses;
struct pmg_addresses *pmg_addresses_new(void) PMG_MUST_CHECK;
void pmg_addresses_free(struct pmg_addresses *addresses);
PMG_DEFINE_AUTO(addresses, struct pmg_addresses *, pmg_addresses_free);

/**
 * @param as    borrowed: kind, eco, registry, name, version
 * @param room  bytes it may take at most
 * @return bytes it took; 0: it was there already, there is no room, or the path of the address can
 *         be read in two ways
 */
size_t pmg_addresses_add(struct pmg_addresses *addresses, const struct pmg_url *url,
			 const struct pmg_address *as, size_t room);

/** @param with_query  false: the address as if it had no query
 *  @return the first identity, or NULL */
const struct pmg_address *pmg_addresses_find(const struct pmg_addresses *addresses,
					     const struct pmg_url *url, bool with_query);

#endif
