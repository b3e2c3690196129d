#ifndef PMG_PROXY_SNI_H
#define PMG_PROXY_SNI_H
/**
 * The name in the first message of a TLS client (RFC 8446 section 4.1.2, RFC
 * 6066 section 3), read without touching the connection. Strict: a message
 * that could be read in two ways has no name. Pure function.
 */
#include <stddef.h>

#include "base/err.h"
#include "base/mem.h"

#define PMG_SNI_MAX                                                                                \
	16384U /* bytes of the message, with its records; what clients send has 2,000              \
		*/

/**
 * @param bytes  from the start of the connection
 * @param[out] name  with 1: lower case, or NULL when the client names nobody. Caller frees
 * @return 1: the whole message is there; 0: more is needed; -PMG_E_PARSE: not such a message
 */
int pmg_sni_read(const unsigned char *bytes, size_t len, char **name) PMG_MUST_CHECK;

#endif
