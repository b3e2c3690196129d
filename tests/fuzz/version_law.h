#ifndef PMG_TESTS_FUZZ_VERSION_LAW_H
#define PMG_TESTS_FUZZ_VERSION_LAW_H
/** What holds of versions whatever their text: three lines of input are three versions. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "pm/version.h"

static inline int law_sign(int c)
{
	return c < 0 ? -1 : c > 0;
}

/* version.h: canonical texts are equal exactly for equal versions, and canonical themselves. */
static inline void law_canonical(enum pmg_eco eco, const char *a, const char *b)
{
	pmg_autofree char *x = pmg_version_canonical(eco, a);
	pmg_autofree char *y = pmg_version_canonical(eco, b);
	pmg_autofree char *again = pmg_version_canonical(eco, x);

	if ((strcmp(x, y) == 0) != (pmg_version_compare(eco, a, b) == 0))
		abort();
	if (strcmp(x, again) != 0)
		abort();
	/* The canonical form may be longer than the limit of what is valid. */
	if (strlen(x) <= PMG_VERSION_MAX &&
	    (pmg_version_is_valid(eco, x) != pmg_version_is_valid(eco, a) ||
	     pmg_version_compare(eco, a, x) != 0))
		abort();
}

static inline void law_check(enum pmg_eco eco, const uint8_t *data, size_t size)
{
	pmg_autofree char *text = pmg_xstrndup((const char *)data, size);
	const char *v[3] = { "", "", "" };
	char *next = text;
	int ab, bc, ac;
	size_t i;

	for (i = 0; next && i < PMG_ARRAY_LEN(v); i++)
		v[i] = strsep(&next, "\n");
	ab = law_sign(pmg_version_compare(eco, v[0], v[1]));
	bc = law_sign(pmg_version_compare(eco, v[1], v[2]));
	ac = law_sign(pmg_version_compare(eco, v[0], v[2]));
	if (ab != -law_sign(pmg_version_compare(eco, v[1], v[0])))
		abort();
	if (pmg_version_compare(eco, v[0], v[0]) != 0)
		abort();
	if (ab == bc && ac != ab) /* transitive */
		abort();
	if (ab == 0 && ac != bc)
		abort();
	law_canonical(eco, v[0], v[1]);
}

#endif
