/* The first line is the file's name, which chooses the reader; the rest is what stands in it. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "pm/resolved.h"
#include "pm/version.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pmg_auto(resolved) struct pmg_resolved set = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	const uint8_t *end = memchr(data, '\n', size < 64 ? size : 64);
	pmg_autofree char *name = NULL;
	size_t i;

	if (!end)
		return 0;
	name = pmg_xstrndup((const char *)data, (size_t)(end - data));
	if (pmg_resolved_text(&set, name, (const char *)end + 1, size - (size_t)(end - data) - 1,
			      &err) < 0)
		abort(); /* no input of this size has too many */
	/* A NUL of TOML becomes U+FFFD. */
	for (i = 0; i < set.n; i++)
		if (!pmg_name_is_valid(set.v[i].eco, set.v[i].name) || !set.v[i].file ||
		    (set.v[i].version && strlen(set.v[i].version) > 3 * size))
			abort();
	pmg_resolved_sort(&set);
	for (i = 0; i < set.n; i++)
		if (!pmg_resolved_has(&set, &set.v[i]))
			abort();
	return 0;
}
