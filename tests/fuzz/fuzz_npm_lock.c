#include "fuzz.h"

#include <stdlib.h>

#include "pm/facts.h"
#include "pm/npm_lock.h"

/* A text that may be left unparsed must have no address in it that parsing would find. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pmg_auto(facts) struct pmg_facts facts = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	bool ordinary;

	if (pmg_facts_registry(&facts, PMG_ECO_NPM, "https://r.test/", NULL, "x", 0, &err) < 0)
		abort();
	ordinary = pmg_npm_lock_is_ordinary(&facts, (const char *)data, size);
	if (pmg_npm_lock_parse(&facts, "l", (const char *)data, size, &err) == 0 && ordinary &&
	    facts.n_sources > 0)
		abort();
	return 0;
}
