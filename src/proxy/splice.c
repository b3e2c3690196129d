#include "proxy/splice.h"

#include <stdlib.h>
#include <string.h>

void pmg_splice_done(struct pmg_splice *splice)
{
	free(splice->v);
	splice->v = NULL;
	splice->n = splice->cap = 0;
	pmg_str_done(&splice->texts);
}

int pmg_splice_cut(struct pmg_splice *splice, uint64_t at, uint64_t len, const char *text,
		   struct pmg_err *err)
{
	size_t where = splice->texts.len;

	if (splice->n == PMG_SPLICE_CUTS_MAX || pmg_str_adds(&splice->texts, text) < 0)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "more is to be cut out than %u places",
				   PMG_SPLICE_CUTS_MAX);
	splice->v = pmg_grow(splice->v, splice->n, &splice->cap, sizeof *splice->v);
	splice->v[splice->n++] = (struct pmg_cut){ at, len, where, splice->texts.len - where };
	return 0;
}

static int by_place(const void *a, const void *b)
{
	const struct pmg_cut *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

int pmg_splice_seal(struct pmg_splice *splice, uint64_t total, struct pmg_err *err)
{
	uint64_t behind = 0, end;
	size_t i;

	if (splice->n > 1)
		qsort(splice->v, splice->n, sizeof *splice->v, by_place);
	for (i = 0; i < splice->n; i++) {
		if (splice->v[i].at < behind ||
		    __builtin_add_overflow(splice->v[i].at, splice->v[i].len, &end) || end > total)
			return pmg_err_set(err, PMG_E_INTERNAL, 0,
					   "cut %zu of a document is not where it can be", i);
		behind = end;
	}
	splice->total = total;
	return 0;
}

uint64_t pmg_splice_length(const struct pmg_splice *splice)
{
	uint64_t n = splice->total;
	size_t i;

	for (i = 0; i < splice->n; i++)
		n = n - splice->v[i].len + splice->v[i].text_len;
	return n;
}

void pmg_splicer_init(struct pmg_splicer *splicer, const struct pmg_splice *splice,
		      pmg_splice_sink sink, void *ctx)
{
	*splicer = (struct pmg_splicer){ .splice = splice, .sink = sink, .ctx = ctx };
}

static int put(struct pmg_splicer *splicer, const char *bytes, uint64_t len)
{
	return len > 0 ? splicer->sink(splicer->ctx, bytes, (size_t)len) : 0;
}

/* The replacements of all cuts that are passed: what was cut may be empty. */
static int pass_cuts(struct pmg_splicer *splicer)
{
	const struct pmg_splice *splice = splicer->splice;
	const struct pmg_cut *cut;
	int r = 0;

	while (r >= 0 && splicer->next < splice->n) {
		cut = &splice->v[splicer->next];
		if (splicer->at < cut->at + cut->len)
			break;
		splicer->next++;
		r = cut->text_len ? put(splicer, splice->texts.s + cut->text, cut->text_len) : 0;
	}
	return r < 0 ? r : 0;
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

int pmg_splicer_feed(struct pmg_splicer *splicer, const char *bytes, size_t len)
{
	const struct pmg_splice *splice = splicer->splice;
	uint64_t end = splicer->at + len, to;
	bool is_kept;
	int r;

	if (end > splice->total)
		return -PMG_E_INTERNAL;
	while (splicer->at < end) {
		r = pass_cuts(splicer);
		if (r < 0)
			return r;
		is_kept = splicer->next == splice->n || splicer->at < splice->v[splicer->next].at;
		to = splicer->next == splice->n ? end
		     : is_kept                  ? splice->v[splicer->next].at
			       : splice->v[splicer->next].at + splice->v[splicer->next].len;
		to = lesser(to, end);
		r = is_kept ? put(splicer, bytes, to - splicer->at) : 0;
		if (r < 0)
			return r;
		bytes += to - splicer->at;
		splicer->at = to;
	}
	return 0;
}

int pmg_splicer_finish(struct pmg_splicer *splicer)
{
	int r = pass_cuts(splicer);

	if (r < 0)
		return r;
	return splicer->at == splicer->splice->total && splicer->next == splicer->splice->n
		       ? 0
		       : -PMG_E_INTERNAL;
}
