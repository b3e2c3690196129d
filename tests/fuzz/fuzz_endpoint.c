#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "sandbox/net_priv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pmg_endpoint endpoint = PMG_ENDPOINT_INIT;
	char target[PMG_TARGET_SIZE];
	size_t i;

	if (pmg_endpoint_set(&endpoint, data, size) < 0)
		return 0;
	/* The copy is what was given, and what is said of it is one printable line. */
	if (endpoint.len != size || memcmp(endpoint.to.bytes, data, size) != 0)
		abort();
	pmg_endpoint_target(&endpoint, target);
	for (i = 0; target[i]; i++)
		if (target[i] < ' ' || target[i] > '~')
			abort();
	return 0;
}
