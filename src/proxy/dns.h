#ifndef PMG_PROXY_DNS_H
#define PMG_PROXY_DNS_H
/**
 * DNS messages of the one kind that stub resolvers send: one question, nothing
 * else but an OPT record. Read strictly, since hostile programs write them;
 * what is asked is never passed on. Pure functions.
 *
 * Source: RFC 1035 section 4; RFC 6891 (OPT); RFC 8482 (ANY).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define PMG_DNS_QUERY_MAX  512U /* bytes; longer ones are malformed */
#define PMG_DNS_ANSWER_MAX 1024U
#define PMG_DNS_NAME_MAX   253U /* as text, without the dot at the end */
#define PMG_DNS_TTL_S      5U   /* addresses are the run's own: nobody need keep them long */

enum pmg_dns_rcode {
	PMG_DNS_OK = 0,
	PMG_DNS_FORMERR = 1,
	PMG_DNS_NXDOMAIN = 3,
	PMG_DNS_NOTIMP = 4,
	PMG_DNS_REFUSED = 5
};

enum pmg_dns_type { PMG_DNS_A = 1, PMG_DNS_PTR = 12, PMG_DNS_AAAA = 28, PMG_DNS_ANY = 255 };

struct pmg_dns_query {
	char name[PMG_DNS_NAME_MAX + 1]; /* lower case, no dot at the end; "": the root */
	uint16_t type;
	size_t question; /* bytes of the question as sent; 0: it was not understood */
	bool has_opt;
};

/**
 * @param[out] out  always set; zeroed where nothing was understood
 * @return a pmg_dns_rcode: PMG_DNS_OK, or what to answer at once (PMG_DNS_REFUSED for ANY and
 *         transfers, PMG_DNS_NXDOMAIN for a name no host has); -PMG_E_PARSE: not a query, say
 *         nothing
 */
int pmg_dns_read(const void *bytes, size_t len, struct pmg_dns_query *out) PMG_MUST_CHECK;

struct pmg_dns_answer {
	enum pmg_dns_rcode rcode;
	/* One record of the type that was asked for. */
	bool has_data;
	unsigned char address[16]; /* A: the first 4 */
	const char *name;          /* PTR */
};

/**
 * @param bytes  the query that pmg_dns_read() has read
 * @param out    PMG_DNS_ANSWER_MAX bytes
 * @return length
 */
size_t pmg_dns_write(const void *bytes, const struct pmg_dns_query *query,
		     const struct pmg_dns_answer *answer, unsigned char *out);

/** Is it "1.0.0.127.in-addr.arpa" or its ip6.arpa sibling? @param[out] address  IPv4 mapped */
bool pmg_dns_reverse(const char *name, unsigned char address[16]);

#endif
