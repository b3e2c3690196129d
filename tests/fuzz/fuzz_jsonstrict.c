#include <stdlib.h>

#include "base/json.h"
#include "pieces.h"
#include "proxy/jsonstrict.h"

static int note(void *ctx, const struct pmg_jsonstrict_item *item, struct pmg_err *err)
{
	char decoded[PMG_JSONSTRICT_TEXT_MAX + 1];

	(void)err;
	if (item->end <= item->at || item->len > PMG_JSONSTRICT_TEXT_MAX)
		abort();
	if (pmg_str_addf(ctx, "%d %u %llu %llu ", (int)item->event, item->depth,
			 (unsigned long long)item->at, (unsigned long long)item->end) < 0 ||
	    pmg_str_add(ctx, item->text, item->len) < 0)
		abort();
	if (!item->is_cut && pmg_jsonstrict_decode(item->text, item->len, decoded) > (int)item->len)
		abort();
	return 0;
}

static void scan_pieces(const char *bytes, size_t size, size_t piece, struct pmg_str *out)
{
	static struct pmg_jsonstrict scan;
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;
	int r = 0;

	pmg_jsonstrict_init(&scan, 3, note, out);
	for (i = 0; r == 0 && i < size; i += piece)
		r = pmg_jsonstrict_feed(&scan, bytes + i, size - i < piece ? size - i : piece,
					&err);
	if (r == 0)
		r = pmg_jsonstrict_finish(&scan, &err);
	if (pmg_str_addf(out, "%d %s", r, r < 0 ? err.msg : "") < 0)
		abort();
	if (r != -PMG_E_PARSE)
		return;
	/* What is refused as no JSON is none for another strict parser. */
	pmg_auto(json) struct json_t *json = NULL;
	if (pmg_json_parse("x", bytes, size, &json, &err) == 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pieces_must_agree(data, size, scan_pieces);
	return 0;
}
