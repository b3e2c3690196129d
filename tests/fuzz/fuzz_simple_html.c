#include "simple.h"

static void filter(const char *bytes, size_t size, size_t piece, struct pmg_str *out)
{
	simple_filter(pmg_simple_html_new, bytes, size, piece, out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pieces_must_agree(data, size, filter);
	return 0;
}
