#ifndef PMG_TESTS_UNIT_PAGING_H
#define PMG_TESTS_UNIT_PAGING_H
/** Pages of a PyPI index, read and filtered in pieces of any size. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proxy/simple.h"
#include "splicing.h"

/** Rows are written with ' for ". */
static inline char *paging_quoted(const char *text)
{
	char *json = pmg_xstrdup(text), *at;

	for (at = json; (at = strchr(at, '\'')); *at = '"')
		;
	return json;
}

static inline int paging_read(struct pmg_simple *page, const char *text, size_t len, size_t piece,
			      struct pmg_err *err)
{
	size_t i;
	int r = 0;

	for (i = 0; r == 0 && i < len; i += piece)
		r = pmg_simple_feed(page, text + i, len - i < piece ? len - i : piece, err);
	return r < 0 ? r : pmg_simple_finish(page, err);
}

/** ctx: " 1.0 2.0 ", the versions that are withheld; "?" stands for one that cannot be told. */
static inline int paging_listed(void *ctx, const char *version, int64_t published,
				struct pmg_err *err)
{
	pmg_autofree char *word = pmg_xasprintf(" %s ", version ? version : "?");

	(void)published, (void)err;
	return strstr(ctx, word) ? 7 : 0;
}

/** What is left; an error's message instead when the page cannot be filtered. */
static inline char *paging_filter(struct pmg_simple *taken, const char *text, size_t len,
				  size_t piece, const char *withheld)
{
	pmg_auto(simple) struct pmg_simple *page = taken;
	pmg_auto(filtered) struct pmg_filtered out = PMG_FILTERED_INIT;
	pmg_autofree char *list = pmg_xstrdup(withheld);
	struct pmg_err err = PMG_ERR_INIT;

	if (paging_read(page, text, len, piece, &err) < 0 ||
	    pmg_simple_filter(page, paging_listed, list, &out, &err) < 0)
		return pmg_xstrdup(err.msg);
	if (out.n + out.left != pmg_simple_count(page))
		abort();
	return splicing_apply(&out.splice, text, len, piece);
}

#endif
