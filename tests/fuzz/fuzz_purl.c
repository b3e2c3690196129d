#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "pm/purl.h"

/* What was read and written must be read as the same package again. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pmg_autofree char *text = pmg_xstrndup((const char *)data, size);
	pmg_auto(purl) struct pmg_purl one = { 0 };
	pmg_auto(purl) struct pmg_purl two = { 0 };
	pmg_autofree char *again = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	if (pmg_purl_parse(text, &one, &err) < 0)
		return 0;
	again = pmg_purl_format(&one);
	if (pmg_purl_parse(again, &two, &err) < 0 || one.eco != two.eco ||
	    !pmg_streq(one.name, two.name) || !pmg_streq(one.version, two.version))
		abort();
	return 0;
}
