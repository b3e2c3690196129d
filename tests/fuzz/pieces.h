#ifndef PMG_TESTS_FUZZ_PIECES_H
#define PMG_TESTS_FUZZ_PIECES_H
/** For scanners of what streams by: what is found may not depend on where the network cut it. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "fuzz.h"

/** Scan `size` bytes, `piece` at a time; all that is found is written into out. */
typedef void pieces_scan(const char *bytes, size_t size, size_t piece, struct pmg_str *out);

/** The first byte of data says how small the pieces are. */
static inline void pieces_must_agree(const uint8_t *data, size_t size, pieces_scan *scan)
{
	const char *bytes = (const char *)data;
	pmg_auto(str) struct pmg_str whole = PMG_STR_INIT(SIZE_MAX / 2);
	pmg_auto(str) struct pmg_str pieces = PMG_STR_INIT(SIZE_MAX / 2);

	if (size < 2)
		return;
	scan(bytes + 1, size - 1, size, &whole);
	scan(bytes + 1, size - 1, data[0] % 16U + 1, &pieces);
	if (whole.len != pieces.len || (whole.len && memcmp(whole.s, pieces.s, whole.len) != 0))
		abort();
}

#endif
