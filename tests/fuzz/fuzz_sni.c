#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "proxy/sni.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pmg_autofree char *name = NULL;
	pmg_autofree char *less = NULL;
	int r = pmg_sni_read(data, size, &name), before;

	if (r != 0 && r != 1 && r != -PMG_E_PARSE)
		abort();
	if (r != 1 && name)
		abort();
	if (name && (!*name || strlen(name) > 253 || strpbrk(name, " /:\n\\@ABC")))
		abort();
	if (size == 0)
		return 0;
	/* A part of what can be read is never something else, only not enough. */
	before = pmg_sni_read(data, size - 1, &less);
	if (before == -PMG_E_PARSE && r != -PMG_E_PARSE)
		abort();
	if (before == 1 && (r != 1 || (name != NULL) != (less != NULL)))
		abort();
	return 0;
}
