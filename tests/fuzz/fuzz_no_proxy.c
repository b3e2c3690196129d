#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "net/no_proxy.h"

/* First line: a host; the rest: the list. A host that is listed must go past, whatever stands
 * around it, and the list must read the same with blanks for commas. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pmg_autofree char *text = pmg_xstrndup((const char *)data, size);
	pmg_auto(no_proxy) struct pmg_no_proxy *list = NULL;
	pmg_auto(no_proxy) struct pmg_no_proxy *other = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	char *rest = strchr(text, '\n'), *comma;
	bool past;

	if (!rest)
		return 0;
	*rest++ = '\0';
	if (pmg_no_proxy_new(rest, &list, &err) < 0)
		return 0;
	past = pmg_no_proxy_match(list, text, 443);
	while ((comma = strchr(rest, ',')))
		*comma = ' ';
	if (pmg_no_proxy_new(rest, &other, &err) < 0 ||
	    pmg_no_proxy_match(other, text, 443) != past)
		abort();
	return 0;
}
