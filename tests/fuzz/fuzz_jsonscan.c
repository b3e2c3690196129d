#include <stdlib.h>

#include "pieces.h"
#include "proxy/jsonscan.h"

static void note(void *ctx, const struct pmg_jsonscan_item *item)
{
	struct pmg_str *out = ctx;

	if (item->len > PMG_JSONSCAN_TEXT_MAX || item->depth > PMG_JSONSCAN_DEPTH_MAX ||
	    item->text[item->len] != '\0')
		abort();
	if (pmg_str_addf(out, "%d %u %d ", (int)item->event, item->depth, item->cut) < 0 ||
	    pmg_str_add(out, item->text, item->len) < 0)
		abort();
}

static void scan_pieces(const char *bytes, size_t size, size_t piece, struct pmg_str *out)
{
	static struct pmg_jsonscan scan;
	size_t i;

	pmg_jsonscan_init(&scan, note, out);
	for (i = 0; i < size; i += piece)
		pmg_jsonscan_feed(&scan, bytes + i, size - i < piece ? size - i : piece);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pieces_must_agree(data, size, scan_pieces);
	return 0;
}
