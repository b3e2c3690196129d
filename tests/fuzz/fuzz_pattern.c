#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "pm/pattern.h"
#include "pm/version.h"

/* A name that is longer by one letter is another package, to all but the wide patterns. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pmg_autofree char *text = pmg_xstrndup((const char *)data, size);
	pmg_auto(pattern) struct pmg_pattern p = { 0 };
	pmg_autofree char *other = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	if (pmg_pattern_parse(text, &p, &err) < 0)
		return 0;
	if (p.of != PMG_PATTERN_NAME) {
		if (!pmg_pattern_is_whole(&p) || !strchr(text, '*'))
			abort();
		return 0;
	}
	other = pmg_xasprintf("%sx", p.name);
	if (!pmg_pattern_has_name(&p, p.eco, p.name) || pmg_pattern_has_name(&p, p.eco, other) ||
	    (p.version && !pmg_pattern_has_version(&p, p.version)) ||
	    (p.line && !pmg_line_is_valid(p.eco, p.line)))
		abort();
	return 0;
}
