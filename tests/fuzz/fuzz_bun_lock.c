#include "fuzz.h"

#include <stdlib.h>

#include "pm/bun_lock.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pmg_auto(facts) struct pmg_facts facts = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	if (pmg_bun_lock_parse(&facts, "l", (const char *)data, size, &err) < 0)
		abort(); /* no input of this size has too many */
	for (i = 0; i < facts.n_sources; i++)
		if (!facts.sources[i].url.host || facts.sources[i].url.userinfo)
			abort();
	return 0;
}
