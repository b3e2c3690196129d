#ifndef PMG_TESTS_UNIT_SPLICING_H
#define PMG_TESTS_UNIT_SPLICING_H
/** A splice applied to a text in memory, in pieces of any size. */
#include <stdlib.h>

#include "base/str.h"
#include "proxy/splice.h"

static inline int splicing_sink(void *ctx, const char *bytes, size_t len)
{
	return pmg_str_add(ctx, bytes, len);
}

/** @return what comes out, "" for nothing; aborts when it cannot be applied, or has not the length
 *  that was foretold */
static inline char *splicing_apply(const struct pmg_splice *splice, const char *text, size_t len,
				   size_t piece)
{
	struct pmg_str out = PMG_STR_INIT(SIZE_MAX / 2);
	struct pmg_splicer splicer;
	size_t i;

	pmg_splicer_init(&splicer, splice, splicing_sink, &out);
	for (i = 0; i < len; i += piece)
		if (pmg_splicer_feed(&splicer, text + i, len - i < piece ? len - i : piece) < 0)
			abort();
	if (pmg_splicer_finish(&splicer) < 0 || out.len != pmg_splice_length(splice))
		abort();
	return pmg_str_steal(&out);
}

#endif
