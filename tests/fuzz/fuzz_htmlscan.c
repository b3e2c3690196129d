#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "proxy/htmlscan.h"

static void note(void *ctx, const char *tag, const char *href)
{
	if (strlen(tag) > PMG_HTMLSCAN_NAME_MAX || strlen(href) > PMG_HTMLSCAN_VALUE_MAX)
		abort();
	if (pmg_str_addf(ctx, "%s %s ", tag, href) < 0)
		abort();
}

static void scan_pieces(const char *bytes, size_t size, size_t piece, struct pmg_str *out)
{
	static struct pmg_htmlscan scan;
	size_t i;

	pmg_htmlscan_init(&scan, note, out);
	for (i = 0; i < size; i += piece)
		pmg_htmlscan_feed(&scan, bytes + i, size - i < piece ? size - i : piece);
}

/* What is found may not depend on where the network cut the document. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *bytes = (const char *)data;
	pmg_auto(str) struct pmg_str whole = PMG_STR_INIT(SIZE_MAX / 2);
	pmg_auto(str) struct pmg_str pieces = PMG_STR_INIT(SIZE_MAX / 2);

	if (size < 2)
		return 0;
	scan_pieces(bytes + 1, size - 1, size, &whole);
	scan_pieces(bytes + 1, size - 1, (size_t)bytes[0] % 16 + 1, &pieces);
	if (whole.len != pieces.len || (whole.len && memcmp(whole.s, pieces.s, whole.len) != 0))
		abort();
	return 0;
}
