#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/url.h"
#include "verdict/oci.h"

/* Whatever a registry of images says, what is asked next is one address, and one header of one
 * line. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pmg_autofree char *text = pmg_xstrndup((const char *)data, size);
	pmg_autofree char *address = NULL;
	pmg_autofree char *token = NULL;
	pmg_auto(oci) struct pmg_oci oci = { 0 };
	pmg_auto(url) struct pmg_url url = { 0 };
	pmg_auto(url) struct pmg_url next = { 0 };
	struct pmg_oci_blob blob;
	struct pmg_err err = PMG_ERR_INIT;

	if (pmg_oci_parse(text, &oci, &err) == 0 && pmg_url_parse(oci.base, &url, &err) < 0)
		abort();
	if (pmg_oci_token_url(text, "https://r.test/", &address, &err) == 0 &&
	    (strlen(address) <= PMG_URL_MAX && pmg_url_parse(address, &next, &err) == 0) &&
	    strcmp(next.scheme, "https") != 0)
		abort();
	if (pmg_oci_token((const char *)data, size, &token, &err) == 0 && strpbrk(token, "\r\n"))
		abort();
	if (pmg_oci_blob((const char *)data, size, &blob, &err) == 0 && strlen(blob.sha256) != 64)
		abort();
	return 0;
}
