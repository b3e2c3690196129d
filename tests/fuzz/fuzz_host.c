#include "fuzz.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "policy/host.h"

/* A name that is a pattern meets itself, in small letters, at every port, and nothing longer. */
static void must_meet_itself(const struct pmg_host *host, const char *pattern)
{
	pmg_autofree char *name = pmg_xstrdup(pattern), *longer = NULL;
	struct pmg_host_asked asked;
	size_t i;

	for (i = 0; name[i]; i++)
		name[i] = (char)tolower((unsigned char)name[i]);
	pmg_host_ask(&asked, name, 443);
	if (!pmg_host_match(host, &asked, false))
		abort();
	longer = pmg_xasprintf("x%s", name);
	pmg_host_ask(&asked, longer, 443);
	if (pmg_host_match(host, &asked, false))
		abort();
}

/* Input: pattern, newline, host that is asked for. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pmg_autofree char *pattern = pmg_xstrndup((const char *)data, size);
	char *asked_for = strchr(pattern, '\n');
	pmg_auto(host) struct pmg_host *connect = NULL;
	pmg_auto(host) struct pmg_host *bind = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	struct pmg_host_asked asked;

	if (!asked_for)
		return 0;
	*asked_for++ = '\0';
	pmg_host_ask(&asked, asked_for, (uint16_t)size);
	if (pmg_host_new(pattern, true, &bind, &err) == 0) {
		(void)pmg_host_match(bind, &asked, true);
		if (!pmg_host_is_exact(bind))
			abort();
	}
	if (pmg_host_new(pattern, false, &connect, &err) < 0)
		return 0;
	if (pmg_host_match(connect, &asked, false) && !pmg_host_match(connect, &asked, true))
		abort(); /* what an allow is met by, a deny of the same words is */
	if (!strpbrk(pattern, ":[*"))
		must_meet_itself(connect, pattern);
	return 0;
}
