#ifndef PMG_POLICY_HOST_H
#define PMG_POLICY_HOST_H
/**
 * Patterns of hosts and addresses: what may be connected to and listened on.
 *
 *   host[:port]     a name or an address, IPv6 in brackets where a port follows; without a port:
 * any
 *   *.host[:port]   every name below host, at any depth, not host itself
 *   registry        the registries that the manager really uses; pmg knows which, no name does
 *   localhost       also 127.0.0.1 and ::1
 *
 * To listen (bind): an address or localhost; port 0 or none: any. To connect, port 0 is an error.
 * Names are compared in lower case and without the dot at their end; addresses as the kernel
 * writes them, an IPv4 address mapped into IPv6 as IPv4. "127.1" and "0x7f.1" are errors, since a
 * resolver would take them for addresses.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

struct pmg_host;
void pmg_host_free(struct pmg_host *host);
PMG_DEFINE_AUTO(host, struct pmg_host *, pmg_host_free);

/** @return 0; -PMG_E_CONFIG with what is wrong */
int pmg_host_new(const char *pattern, bool bind, struct pmg_host **out,
		 struct pmg_err *err) PMG_MUST_CHECK;
/** Has it no star? */
bool pmg_host_is_exact(const struct pmg_host *host);
/** Of a pattern to bind: is it a loopback address? */
bool pmg_host_is_local(const struct pmg_host *host);
/** The name or address it is about, canonical; of "*.x": "x". Borrowed. */
const char *pmg_host_name(const struct pmg_host *host);
/** @return the one port it names, 0: any. What a listener has to be made for. */
uint16_t pmg_host_port(const struct pmg_host *host);

/* A host that is asked for, as patterns have it. */
struct pmg_host_asked {
	char name[256]; /* "" when it cannot be one: only the word "registry" is looked at */
	bool is_registry;
	bool is_localhost;
	uint16_t port;
};
void pmg_host_ask(struct pmg_host_asked *out, const char *host, uint16_t port);
/** @param deny  the rule refuses: then "localhost" is met by 127.0.0.1 and ::1 as well, for it
 *               leads to one of them */
bool pmg_host_match(const struct pmg_host *host, const struct pmg_host_asked *asked, bool deny);

#endif
