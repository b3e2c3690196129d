#ifndef PMG_PROXY_LOOKUP_H
#define PMG_PROXY_LOOKUP_H
/** The answer to a DNS query of the run: from our own table, never from outside. */
#include "proxy/dns.h"
#include "proxy/peer.h"
#include "proxy/service.h"

/**
 * @param peer  NULL: not known
 * @param out   PMG_DNS_ANSWER_MAX bytes
 * @return length of the answer; 0: say nothing
 */
size_t pmg_lookup_answer(struct pmg_service *service, const struct pmg_peer *peer,
			 const void *query, size_t len, unsigned char *out);

#endif
