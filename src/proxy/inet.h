#ifndef PMG_PROXY_INET_H
#define PMG_PROXY_INET_H
/**
 * One end of a connection within the run's own network: address and port in
 * one spelling, so that what the broker tells and what the kernel tells can be
 * compared. IPv4 is mapped into IPv6; "any" is loopback, as connect(2) has it.
 * Pure functions.
 */
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/err.h"

struct pmg_inet {
	struct in6_addr address;
	uint16_t port; /* host order */
};

/** @return 0; -PMG_E_PARSE: neither IPv4 nor IPv6 */
int pmg_inet_read(const struct sockaddr_storage *from, struct pmg_inet *out,
		  struct pmg_err *err) PMG_MUST_CHECK;
/** "10.0.0.1:443", "[::1]:443": addresses only, no names. @return 0 or -PMG_E_PARSE */
int pmg_inet_parse(const char *text, struct pmg_inet *out, struct pmg_err *err) PMG_MUST_CHECK;
bool pmg_inet_is_same(const struct pmg_inet *a, const struct pmg_inet *b);
bool pmg_inet_is_loopback(const struct pmg_inet *end);
/** The address alone: "10.0.0.1", "::1". Caller frees. */
char *pmg_inet_host(const struct pmg_inet *end) PMG_MUST_CHECK;

#endif
