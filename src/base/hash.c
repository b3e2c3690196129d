#include "base/hash.h"

#include <sha2.h>
#include <stdint.h>

void pmg_sha256_hex(const void *bytes, size_t len, char out[PMG_SHA256_HEX])
{
	(void)SHA256Data(bytes, len, out); /* returns its argument */
}

uint32_t pmg_fnv1a(uint32_t h, const void *bytes, size_t len)
{
	const unsigned char *b = bytes;
	size_t i;

	for (i = 0; i < len; i++)
		h = (h ^ b[i]) * 16777619U;
	return h;
}
