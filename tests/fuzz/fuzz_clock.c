#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"

#define YEAR_10000 253402300800 /* 10000-01-01T00:00:00Z: no longer four digits */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pmg_autofree char *text = pmg_xstrndup((const char *)data, size);
	char shown[PMG_RFC3339_LEN];
	int64_t when = -1, again = -1;

	if (pmg_clock_parse(text, &when) < 0) {
		if (when != -1)
			abort();
		return 0;
	}
	if (when < 0 || when >= YEAR_10000)
		return 0;
	pmg_clock_format(when, shown);
	if (strlen(shown) != PMG_RFC3339_LEN - 1 || pmg_clock_parse(shown, &again) < 0 ||
	    again != when)
		abort();
	return 0;
}
