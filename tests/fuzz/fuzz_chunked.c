#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "proxy/framing.h"

static int read_all(const char *bytes, size_t size, size_t piece, struct pmg_str *body)
{
	struct pmg_chunked chunked = { 0 };
	size_t at = 0, used, n, have;
	const char *slice;
	int r = 0;

	while (at < size && r == 0) {
		have = size - at < piece ? size - at : piece;
		r = pmg_chunked_next(&chunked, bytes + at, have, &used, &slice, &n);
		if (r < 0)
			return r;
		if ((used == 0 && r == 0) || used > have)
			abort();
		if (n > 0 && pmg_str_add(body, slice, n) < 0)
			abort();
		at += used;
	}
	return r;
}

/* The result may not depend on where the network cut the body. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *bytes = (const char *)data;
	pmg_auto(str) struct pmg_str whole = PMG_STR_INIT(SIZE_MAX / 2);
	pmg_auto(str) struct pmg_str pieces = PMG_STR_INIT(SIZE_MAX / 2);
	int a, b;

	if (size < 2)
		return 0;
	a = read_all(bytes + 1, size - 1, size, &whole);
	b = read_all(bytes + 1, size - 1, (size_t)bytes[0] % 16 + 1, &pieces);
	if (a != b || (a >= 0 && (whole.len != pieces.len ||
				  (whole.len && memcmp(whole.s, pieces.s, whole.len) != 0))))
		abort();
	return 0;
}
