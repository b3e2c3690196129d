#include "verdict/index_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Of two that differ in `inclusive` alone the wider one comes first. */
static int by_bounds(const void *a, const void *b)
{
	const struct pmg_osv_interval *x = *(const struct pmg_osv_interval *const *)a;
	const struct pmg_osv_interval *y = *(const struct pmg_osv_interval *const *)b;
	int c = strcmp(x->low, y->low);

	if (c == 0)
		c = strcmp(x->high, y->high);
	return c ? c : (int)y->inclusive - (int)x->inclusive;
}

static int add_text(struct pmg_str *out, const char *text)
{
	return pmg_str_add(out, text, strlen(text) + 1);
}

static int pack_versions(const struct pmg_osv_affected *const *entries, size_t n, size_t all,
			 struct pmg_str *out)
{
	pmg_autofree const char **sorted = pmg_xcalloc(all + 1, sizeof *sorted);
	size_t i, k, at = 0;
	int r = 0;

	for (i = 0; i < n; i++)
		for (k = 0; k < entries[i]->versions.n; k++)
			sorted[at++] = entries[i]->versions.v[k];
	qsort(sorted, at, sizeof *sorted, by_bytes);
	for (i = 0; r == 0 && i < at; i++)
		if (i == 0 || strcmp(sorted[i], sorted[i - 1]) != 0)
			r = add_text(out, sorted[i]);
	return r;
}

static int pack_ranges(const struct pmg_osv_affected *const *entries, size_t n, size_t all,
		       struct pmg_str *out)
{
	pmg_autofree const struct pmg_osv_interval **sorted = pmg_xcalloc(all + 1, sizeof *sorted);
	size_t i, k, at = 0;
	int r = 0;

	for (i = 0; i < n; i++)
		for (k = 0; k < entries[i]->n_intervals; k++)
			sorted[at++] = &entries[i]->intervals[k];
	qsort(sorted, at, sizeof *sorted, by_bounds);
	for (i = 0; r == 0 && i < at; i++) {
		if (i > 0 && strcmp(sorted[i]->low, sorted[i - 1]->low) == 0 &&
		    strcmp(sorted[i]->high, sorted[i - 1]->high) == 0)
			continue;
		r = pmg_str_add(out, sorted[i]->inclusive ? "=" : "<", 1);
		if (r == 0)
			r = add_text(out, sorted[i]->low);
		if (r == 0)
			r = add_text(out, sorted[i]->high);
	}
	return r;
}

int pmg_rows_pack(const struct pmg_osv_affected *const *entries, size_t n, struct pmg_str *versions,
		  struct pmg_str *ranges, struct pmg_err *err)
{
	size_t i, n_versions = 0, n_ranges = 0;
	int r;

	for (i = 0; i < n; i++) {
		n_versions += entries[i]->versions.n;
		n_ranges += entries[i]->n_intervals;
	}
	pmg_str_clear(versions);
	pmg_str_clear(ranges);
	r = pack_versions(entries, n, n_versions, versions);
	if (r == 0)
		r = pack_ranges(entries, n, n_ranges, ranges);
	return r < 0 ? pmg_err_set(err, PMG_E_LIMIT, 0, "a record says too much of %s",
				   entries[0]->name)
		     : 0;
}

struct pmg_rows pmg_rows_of(struct pmg_stmt *stmt, int column)
{
	size_t len;
	const char *bytes = pmg_stmt_blob(stmt, column, &len);

	return bytes ? (struct pmg_rows){ bytes, bytes + len } : (struct pmg_rows){ NULL, NULL };
}

/* @return the text that begins at *at, which then stands behind it; NULL: it has no end */
static const char *take_text(const char **at, const char *end)
{
	const char *text = *at, *nul = text < end ? memchr(text, '\0', (size_t)(end - text)) : NULL;

	if (nul)
		*at = nul + 1;
	return nul ? text : NULL;
}

const char *pmg_rows_version(struct pmg_rows *rows)
{
	return take_text(&rows->at, rows->end);
}

bool pmg_rows_range(struct pmg_rows *rows, struct pmg_rows_range *out)
{
	const char *at = rows->at;

	if (at == rows->end || (*at != '<' && *at != '='))
		return false;
	out->inclusive = *at++ == '=';
	out->low = take_text(&at, rows->end);
	out->high = out->low ? take_text(&at, rows->end) : NULL;
	if (out->high)
		rows->at = at;
	return out->high != NULL;
}
