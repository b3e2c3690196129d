#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "verdict/delta.h"

/* Whatever a list of changes says, the names that come of it stay in their folder and beside the
 * dump. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pmg_auto(delta) struct pmg_delta delta = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	if (pmg_delta_parse("list", (const char *)data, size, 0, &delta, &err) < 0)
		return 0;
	for (i = 0; i < delta.n; i++) {
		pmg_autofree char *file = pmg_delta_file(&delta.v[i]);

		if (strpbrk(file, "/\\%?# \n") || file[0] == '.' || file[0] == '-' ||
		    strlen(file) > 255)
			abort();
	}
	return 0;
}
