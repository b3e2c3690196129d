#ifndef PMG_BASE_HASH_H
#define PMG_BASE_HASH_H
/**
 * SHA-256 (FIPS 180-4) of small things: fingerprints, file names. By libmd, so
 * that the front need not load OpenSSL. Artifacts are hashed in tls/.
 */
#include <stddef.h>

#define PMG_SHA256_HEX 65 /* 64 digits and NUL */

void pmg_sha256_hex(const void *bytes, size_t len, char out[PMG_SHA256_HEX]);

#endif
