#include <stdlib.h>
#include <string.h>

#include "pieces.h"
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pieces_must_agree(data, size, scan_pieces);
	return 0;
}
