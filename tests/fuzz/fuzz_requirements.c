#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "pm/requirements.h"

/* A requirement has a value; a name is never empty; lines are counted from 1. */
static int check(void *ctx, const struct pmg_requirement *r)
{
	(void)ctx;
	if (!r->value || r->line == 0 || (r->name && r->name[0] == '\0') || (r->option && r->name))
		abort();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pmg_auto(strv) struct pmg_strv env = { 0 };

	pmg_strv_add(&env, "X=value");
	if (pmg_requirements_parse((const char *)data, size, &env, check, NULL) != 0 ||
	    pmg_requirements_scan((const char *)data, size, check, NULL) != 0)
		abort();
	return 0;
}
