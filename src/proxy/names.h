#ifndef PMG_PROXY_NAMES_H
#define PMG_PROXY_NAMES_H
/**
 * Addresses that stand for names. Nothing is ever asked outside on behalf of
 * the run: each name it looks up gets an address of our own, and a connection
 * to that address tells the name again. The table is bounded; the name that was
 * longest not asked for goes first, and its address stands for nothing until
 * all others have been given.
 *
 * Addresses: 198.18.0.0/15 (RFC 2544: never routed), fd00:706d:67::/48.
 */
#include <netinet/in.h>
#include <stdbool.h>

#include "base/mem.h"

#define PMG_NAMES_MAX  4096U
#define PMG_NAMES_KEPT 1024U /* of these, for names that a rule lets somebody reach */

struct pmg_names;
struct pmg_names *pmg_names_new(void) PMG_MUST_CHECK;
void pmg_names_free(struct pmg_names *names);
PMG_DEFINE_AUTO(names, struct pmg_names *, pmg_names_free);

/**
 * @param name     copied; canonical (place.h)
 * @param is_kept  in the part of the table that names of no use cannot flood; as at the first time
 * @param[out] v4  mapped into IPv6
 */
void pmg_names_give(struct pmg_names *names, const char *name, bool is_kept, struct in6_addr *v4,
		    struct in6_addr *v6);
/** Is it one of these addresses, given or not? */
bool pmg_names_is_ours(const struct in6_addr *address);
/** @param address  IPv4 mapped. @return NULL: it stands for no name. Borrowed until the next
 *  pmg_names_give() */
const char *pmg_names_find(const struct pmg_names *names, const struct in6_addr *address);

#endif
