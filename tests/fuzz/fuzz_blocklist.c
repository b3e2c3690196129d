#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "verdict/blocklist.h"

static void must_be_same(const struct pmg_block *a, const struct pmg_block *b)
{
	if (!pmg_streq(a->text, b->text) || !pmg_streq(a->reason, b->reason) ||
	    !pmg_streq(a->created, b->created))
		abort();
}

/* What is written back holds the same entries, and each entry is found by its own package. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pmg_auto(blocklist) struct pmg_blocklist one = { 0 };
	pmg_auto(blocklist) struct pmg_blocklist two = { 0 };
	pmg_autofree char *text = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	if (pmg_blocklist_parse("x.yml", (const char *)data, size, &one, &err) < 0)
		return 0;
	text = pmg_blocklist_format(&one);
	if (pmg_blocklist_parse("y.yml", text, strlen(text), &two, &err) < 0 || one.n != two.n)
		abort();
	for (i = 0; i < one.n; i++) {
		must_be_same(&one.v[i], &two.v[i]);
		if (!pmg_blocklist_find(&one, one.v[i].purl.eco, one.v[i].purl.name,
					one.v[i].version))
			abort();
	}
	return 0;
}
