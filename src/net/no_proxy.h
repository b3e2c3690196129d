#ifndef PMG_NET_NO_PROXY_H
#define PMG_NET_NO_PROXY_H
/**
 * NO_PROXY: which targets go past the parent proxy. There is no standard;
 * this is the union of what curl, Go, Python and the package managers accept,
 * so that a value that works for one of them works here.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

#define PMG_NO_PROXY_MAX 65536U /* bytes of the list */

struct pmg_no_proxy;
void pmg_no_proxy_free(struct pmg_no_proxy *list);
PMG_DEFINE_AUTO(no_proxy, struct pmg_no_proxy *, pmg_no_proxy_free);

/**
 * Items are separated by commas and blanks; an item that makes no sense is passed over.
 *
 *   host  .host  *.host       the host and all below it, whatever the case
 *   192.0.2.1  2001:db8::1    this address, however it is spelled; [2001:db8::1] too
 *   10.0.0.0/8  2001:db8::/32 this network
 *   127.0.0.*  10.*           this network
 *   any of them and :port     only that port (IPv6 then in brackets)
 *   *                         everything
 *
 * Names are not resolved: an address rule meets only a target that is written as an address.
 * @param text  NULL or "" for an empty list
 * @return 0; -PMG_E_LIMIT: longer than PMG_NO_PROXY_MAX
 */
int pmg_no_proxy_new(const char *text, struct pmg_no_proxy **out,
		     struct pmg_err *err) PMG_MUST_CHECK;
/** @param host  IPv6 without brackets; a dot at the end does not count */
bool pmg_no_proxy_match(const struct pmg_no_proxy *list, const char *host, uint16_t port);

#endif
