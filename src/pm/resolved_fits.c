#include <stdlib.h>
#include <string.h>

#include "pm/resolved_priv.h"

#if defined(__x86_64__)
#define NODE_CPU "x64"
#elif defined(__aarch64__)
#define NODE_CPU "arm64"
#else
#define NODE_CPU NULL /* not known: any may be meant */
#endif
#if defined(__GLIBC__)
#define NODE_LIBC "glibc"
#else
#define NODE_LIBC "musl"
#endif

void pmg_fits_add(struct pmg_fits *fits, const char *key, const char *value)
{
	static const char *const ours[][2] = { { "os", "linux" },
					       { "cpu", NODE_CPU },
					       { "libc", NODE_LIBC } };
	bool not = value[0] == '!';
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(ours); i++) {
		if (strcmp(key, ours[i][0]) != 0 || !ours[i][1])
			continue;
		fits->said |= 1U << i;
		if ((strcmp(value + not, ours[i][1]) == 0) != not || strcmp(value, "any") == 0)
			fits->met |= 1U << i;
	}
}

bool pmg_fits_is_foreign(const struct pmg_fits *fits)
{
	return fits->said != fits->met;
}

static int by_text(const void *key, const void *element)
{
	return strcmp(key, *(char *const *)element);
}

bool pmg_resolving_is_in(const struct pmg_strv *sorted, const char *text)
{
	return sorted->n > 0 && bsearch(text, sorted->v, sorted->n, sizeof *sorted->v, by_text);
}

void pmg_misfits_add(struct pmg_misfits *misfits, const char *key, size_t from, size_t to)
{
	misfits->v = pmg_grow(misfits->v, misfits->n, &misfits->cap, sizeof *misfits->v);
	misfits->v[misfits->n++] = (struct pmg_misfit){ key ? pmg_xstrdup(key) : NULL, from, to };
}

void pmg_misfits_settle(struct pmg_misfits *misfits, struct pmg_resolved *set)
{
	size_t i, k;

	pmg_strv_sort(&misfits->optional);
	pmg_strv_sort(&misfits->needed);
	for (i = 0; i < misfits->n; i++) {
		const struct pmg_misfit *one = &misfits->v[i];

		if (one->key && (!pmg_resolving_is_in(&misfits->optional, one->key) ||
				 pmg_resolving_is_in(&misfits->needed, one->key)))
			continue;
		for (k = one->from; k < one->to; k++)
			set->v[k].foreign = true;
	}
}

void pmg_misfits_done(struct pmg_misfits *misfits)
{
	size_t i;

	for (i = 0; i < misfits->n; i++)
		free(misfits->v[i].key);
	free(misfits->v);
	pmg_strv_done(&misfits->optional);
	pmg_strv_done(&misfits->needed);
	*misfits = (struct pmg_misfits){ 0 };
}
