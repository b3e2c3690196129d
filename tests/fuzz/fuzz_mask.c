/* A command line, its words ended by newlines: no userinfo of an address may be left. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/strv.h"
#include "violation/mask.h"

/* Between "://" and the end of the authority nothing but "***" may stand before an "@". */
static void check(const char *word)
{
	const char *found, *at;
	size_t len;

	for (found = strstr(word, "://"); found; found = strstr(found, "://")) {
		found += 3;
		len = strcspn(found, "/?# \t\r\n\"'<>");
		at = memchr(found, '@', len);
		if (at && strncmp(found, PMG_MASKED "@", strlen(PMG_MASKED) + 1) != 0)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pmg_auto(strv) struct pmg_strv argv = { 0 }, out = { 0 };
	pmg_autofree char *text = NULL;
	char *rest, *word;
	size_t i;

	if (size > 65536)
		return 0;
	text = pmg_xstrndup((const char *)data, size);
	rest = text;
	while ((word = strsep(&rest, "\n")))
		pmg_strv_add(&argv, word);
	pmg_mask_argv(pmg_strv_argv(&argv), &out);
	if (out.n > PMG_MASK_ARGS + 1)
		abort();
	for (i = 0; i < out.n; i++)
		check(out.v[i]);
	return 0;
}
