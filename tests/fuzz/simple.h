#ifndef PMG_TESTS_FUZZ_SIMPLE_H
#define PMG_TESTS_FUZZ_SIMPLE_H
/** A page of a PyPI index: what is left of it is a page again, with the files that passed. */
#include "../unit/paging.h"
#include "pieces.h"

/* Withholds by a bit of the version, and of how it is called. */
static int simple_withhold(void *ctx, const char *version, int64_t published, struct pmg_err *err)
{
	unsigned sum = *(const unsigned char *)ctx + (published != PMG_PUBLISHED_NONE ? 1U : 0U);

	(void)err;
	for (; version && *version; version++)
		sum = sum * 31 + (unsigned char)*version;
	return (sum >> 2) % 3 == 0;
}

static inline void simple_check_left(struct pmg_simple *taken, const char *text,
				     const struct pmg_filtered *out)
{
	pmg_auto(simple) struct pmg_simple *left = taken;
	struct pmg_err err = PMG_ERR_INIT;
	size_t i, k;

	if (paging_read(left, text, strlen(text), strlen(text) + 1, &err) < 0 ||
	    pmg_simple_count(left) != out->left)
		abort();
	for (i = 0; i < out->n && i < 20; i++)
		for (k = 0; k < out->left && out->withheld[i].reason == 1; k++)
			if (pmg_streq(pmg_simple_file(left, k).version, out->withheld[i].version) &&
			    pmg_simple_file(left, k).published == out->withheld[i].published)
				abort();
}

/** The first byte says what is withheld. */
static inline void simple_filter(struct pmg_simple *(*make)(const char *project), const char *bytes,
				 size_t size, size_t piece, struct pmg_str *out)
{
	pmg_auto(simple) struct pmg_simple *page = make("x");
	pmg_auto(filtered) struct pmg_filtered filtered = PMG_FILTERED_INIT;
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;
	unsigned char how = size > 0 ? (unsigned char)bytes[0] : 0;

	if (size == 0)
		return;
	if (paging_read(page, bytes + 1, size - 1, piece, &err) < 0 ||
	    pmg_simple_filter(page, simple_withhold, &how, &filtered, &err) < 0) {
		if (pmg_str_addf(out, "%d", err.code) < 0)
			abort();
		return;
	}
	text = splicing_apply(&filtered.splice, bytes + 1, size - 1, piece);
	if (strlen(text) == pmg_splice_length(&filtered.splice)) /* NUL may stand in text of HTML */
		simple_check_left(make("x"), text, &filtered);
	if (pmg_str_addf(out, "%zu %zu %s", filtered.n, filtered.left, text) < 0)
		abort();
}

#endif
