#include "base/hash.h"

#include <sha2.h>
#include <stdint.h>

void pmg_sha256_hex(const void *bytes, size_t len, char out[PMG_SHA256_HEX])
{
	(void)SHA256Data(bytes, len, out); /* returns its argument */
}
