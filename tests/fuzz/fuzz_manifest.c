#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "verdict/manifest.h"

/* What is read is written as what is read the same: there is one way to write a manifest's values.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pmg_manifest one, two;
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;

	memset(&one, 0, sizeof one);
	memset(&two, 0, sizeof two);
	if (pmg_manifest_parse("m", (const char *)data, size, &one, &err) < 0)
		return 0;
	text = pmg_manifest_format(&one);
	if (pmg_manifest_parse("m", text, strlen(text), &two, &err) < 0 ||
	    strcmp(one.file, two.file) != 0 || one.size != two.size ||
	    one.sequence != two.sequence || one.created != two.created ||
	    one.expires != two.expires || strcmp(one.sha256, two.sha256) != 0 ||
	    memcmp(one.signature, two.signature, sizeof one.signature) != 0 ||
	    strpbrk(one.file, "/\\"))
		abort();
	return 0;
}
