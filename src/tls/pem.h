#ifndef PMG_TLS_PEM_H
#define PMG_TLS_PEM_H
/**
 * Certificates out of PEM text (RFC 7468) that others wrote: comments, other
 * blocks and CRLF are passed over. Private keys are never taken along.
 */
#include <stddef.h>

#include "base/err.h"
#include "base/mem.h"

#define PMG_PEM_CERT_MAX ((size_t)65536) /* bytes of one certificate in DER */

enum pmg_pem {
	PMG_PEM_END,     /* no further block */
	PMG_PEM_CERT,    /* *out holds one */
	PMG_PEM_REFUSED, /* a trusted certificate that is not trusted for servers */
	PMG_PEM_BAD      /* a block that is cut, too large or no DER */
};

struct pmg_der {
	unsigned char *bytes; /* from malloc */
	size_t len;
};

/**
 * The next certificate: blocks CERTIFICATE, X509 CERTIFICATE and, without the data that OpenSSL
 * adds to it, TRUSTED CERTIFICATE.
 * @param[in,out] text  moved behind the block
 * @param end  one past the last byte
 * @param[out] out  caller frees out->bytes; set for PMG_PEM_CERT only. Its outer frame is checked,
 *                  what is inside is not
 */
enum pmg_pem pmg_pem_next(const char **text, const char *end, struct pmg_der *out);

#endif
