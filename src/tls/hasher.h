#ifndef PMG_TLS_HASHER_H
#define PMG_TLS_HASHER_H
/**
 * SHA-256 and SHA-512 (FIPS 180-4) of what comes in pieces. By OpenSSL, which is several times as
 * fast as libmd where the processor helps (base/hash.h has the one for small things).
 */
#include <stddef.h>

#include "base/mem.h"

#define PMG_HASHER_MAX 64U /* bytes of the longest digest */

struct pmg_hasher;
/** @param bits  256 or 512. @return 0 or -PMG_E_TLS */
int pmg_hasher_new(unsigned bits, struct pmg_hasher **out, struct pmg_err *err) PMG_MUST_CHECK;
void pmg_hasher_free(struct pmg_hasher *hasher);
PMG_DEFINE_AUTO(hasher, struct pmg_hasher *, pmg_hasher_free);

/** @return 0 or -PMG_E_TLS */
int pmg_hasher_add(struct pmg_hasher *hasher, const void *bytes, size_t len,
		   struct pmg_err *err) PMG_MUST_CHECK;
/** The last call but free. @param[out] out  bits / 8 bytes. @return 0 or -PMG_E_TLS */
int pmg_hasher_end(struct pmg_hasher *hasher, unsigned char out[PMG_HASHER_MAX],
		   struct pmg_err *err) PMG_MUST_CHECK;

#endif
