#include "fuzz.h"

#include <stdlib.h>

#include "pm/yarn_lock.h"
#include "pm/yarn_rc.h"

/* The lockfile, and the .yarnrc of yarn 1, which is written in the same way. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pmg_auto(settings) struct pmg_settings settings = { 0 };
	pmg_auto(facts) struct pmg_facts facts = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	if (pmg_yarn_lock_parse(&facts, "l", (const char *)data, size, &err) < 0)
		abort(); /* no input of this size has too many */
	for (i = 0; i < facts.n_sources; i++)
		if (!facts.sources[i].url.host || facts.sources[i].url.userinfo)
			abort();
	if (pmg_yarnrc_parse(&settings, "rc", (const char *)data, size, &err) < 0)
		abort();
	for (i = 0; i < settings.n; i++)
		if (settings.v[i].key[0] == '\0' || settings.v[i].line == 0)
			abort();
	return 0;
}
