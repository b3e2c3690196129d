#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "verdict/inspect_priv.h"

/* An entry, to be sorted. */
struct named {
	const char *key;
	const struct pmg_inspect_path *path;
};

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct named *)a)->key, ((const struct named *)b)->key);
}

static int by_letters(const void *a, const void *b)
{
	const char *x = ((const struct named *)a)->key, *y = ((const struct named *)b)->key;
	int order = strcasecmp(x, y);

	return order ? order : strcmp(x, y);
}

/* A folder may stand as often as it likes. */
static void find_twice(struct pmg_inspection *in, const struct named *v, size_t n)
{
	size_t i;

	for (i = 1; i < n; i++)
		if (strcmp(v[i - 1].key, v[i].key) == 0 &&
		    !(v[i - 1].path->is_folder && v[i].path->is_folder))
			pmg_traits_add(in->out, PMG_TRAIT_DUPLICATE, "%s", v[i].key);
}

static void find_case(struct pmg_inspection *in, const struct named *v, size_t n)
{
	size_t i;

	for (i = 1; i < n; i++)
		if (strcasecmp(v[i - 1].key, v[i].key) == 0 && strcmp(v[i - 1].key, v[i].key) != 0)
			pmg_traits_add(in->out, PMG_TRAIT_CASE, "%s, %s", v[i - 1].key, v[i].key);
}

/* The first of the sorted keys that is not less. */
static size_t find_at_least(const struct named *v, size_t n, const char *key)
{
	size_t low = 0, high = n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (strcmp(v[mid].key, key) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* What is unpacked behind a link lands where the link leads to, and so does a `..` behind it. */
static void find_behind_links(struct pmg_inspection *in, const struct named *v, size_t n)
{
	size_t i, at;

	for (i = 0; i < n; i++) {
		pmg_autofree char *below = NULL;

		if (!v[i].path->is_link)
			continue;
		below = pmg_xasprintf("%s/", v[i].key);
		at = find_at_least(v, n, below);
		if (at < n && pmg_str_has_prefix(v[at].key, below))
			pmg_traits_add(in->out, PMG_TRAIT_LINK_OUTSIDE, "%s goes through a link",
				       v[at].key);
	}
}

void pmg_inspection_paths(struct pmg_inspection *in)
{
	pmg_autofree struct named *v = pmg_xcalloc(in->n + 1, sizeof *v);
	size_t i;

	for (i = 0; i < in->n; i++)
		v[i] = (struct named){ in->paths.s + in->v[i].key, &in->v[i] };
	qsort(v, in->n, sizeof *v, by_key);
	find_twice(in, v, in->n);
	find_behind_links(in, v, in->n);
	qsort(v, in->n, sizeof *v, by_letters);
	find_case(in, v, in->n);
}
