#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "proxy/place.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pmg_autofree char *text = pmg_xstrndup((const char *)data, size);
	pmg_autofree char *host = pmg_host_canonical(text);
	pmg_autofree char *again = pmg_host_canonical(host);
	pmg_auto(url) struct pmg_url base = { 0 };
	pmg_auto(url) struct pmg_url url = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	if (strlen(host) > strlen(text) + 16 || (!strchr(text, '.') && !pmg_streq(host, again)))
		abort();
	if (pmg_url_parse("https://index.test/simple/x/", &base, &err) < 0)
		abort();
	if (pmg_reference_resolve(&base, text, &url, &err) == 0 &&
	    (url.path[0] != '/' || strpbrk(url.path, " \t\r\n")))
		abort();
	return 0;
}
