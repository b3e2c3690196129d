#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/url.h"

/* What was read and printed must read as the same place again: who decides and
 * who fetches may not see two addresses in one text. */
static void must_read_the_same(const struct pmg_url *url)
{
	pmg_auto(url) struct pmg_url again = { 0 };
	pmg_autofree char *text = pmg_url_text(url);
	struct pmg_err err = PMG_ERR_INIT;

	if (strlen(text) > PMG_URL_MAX)
		return;
	if (pmg_url_parse(text, &again, &err) < 0 || !pmg_streq(again.scheme, url->scheme) ||
	    !pmg_streq(again.host, url->host) || again.port != url->port ||
	    !pmg_streq(again.path, url->path))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pmg_autofree char *text = pmg_xstrndup((const char *)data, size);
	pmg_autofree char *decoded = NULL;
	pmg_autofree char *host = NULL;
	pmg_auto(url) struct pmg_url url = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	uint16_t port = 0;

	decoded = pmg_url_decode(text);
	if (decoded && strlen(decoded) > strlen(text))
		abort();
	if (pmg_hostport_parse(text, 443, &host, &port, &err) == 0 && port == 0)
		abort();
	if (pmg_url_parse(text, &url, &err) < 0)
		return 0;
	if (url.path[0] != '/' || url.port == 0)
		abort();
	must_read_the_same(&url);
	return 0;
}
