#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "conf/yamlscan.h"

/* Keys are text or an item of a list, and no deeper than promised. */
static int check(void *ctx, const struct pmg_yamlscan_at *at, const char *value)
{
	size_t *sum = ctx;
	unsigned i;

	if (at->depth > PMG_YAMLSCAN_DEPTH_MAX || at->line == 0)
		abort();
	for (i = 0; i < at->depth; i++)
		*sum += at->keys[i] ? strlen(at->keys[i]) : 0;
	*sum += strlen(value);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pmg_err err = PMG_ERR_INIT;
	size_t sum = 0;
	int r;

	r = pmg_yamlscan("f", (const char *)data, size, check, &sum, &err);
	if (r != 0 && r != -PMG_E_PARSE)
		abort();
	return 0;
}
