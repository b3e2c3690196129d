#ifndef PMG_BASE_HASH_H
#define PMG_BASE_HASH_H
/**
 * SHA-256 (FIPS 180-4) of small things: fingerprints, file names. By libmd, so
 * that the front need not load OpenSSL. And a hash for tables.
 */
#include <stddef.h>
#include <stdint.h>

#define PMG_SHA256_HEX 65 /* 64 digits and NUL */

#define PMG_FNV1A_INIT 2166136261U
/** FNV-1a, 32 bits, for tables of ours: go on from h with more bytes. Anybody can make collisions.
 */
uint32_t pmg_fnv1a(uint32_t h, const void *bytes, size_t len);

void pmg_sha256_hex(const void *bytes, size_t len, char out[PMG_SHA256_HEX]);

#endif
