#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "pm/version.h"
#include "verdict/osv.h"

/* What goes into the index: canonical, not empty, and no interval turned round. */
static void must_be_sound(const struct pmg_osv_affected *a)
{
	size_t i;

	if (*a->name == '\0' || strlen(a->name) > PMG_NAME_MAX ||
	    a->versions.n + a->n_intervals + a->n_digests == 0)
		abort();
	for (i = 0; i < a->n_digests; i++)
		if (pmg_digest_len(a->digests[i].alg) == 0)
			abort();
	for (i = 0; i < a->versions.n; i++)
		if (*a->versions.v[i] == '\0')
			abort();
	for (i = 0; i < a->n_intervals; i++) {
		const struct pmg_osv_interval *r = &a->intervals[i];
		int c = *r->low && *r->high ? pmg_version_compare(a->eco, r->low, r->high) : -1;

		if (c > 0 || (c == 0 && !r->inclusive))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pmg_auto(osv) struct pmg_osv record = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	if (pmg_osv_parse((const char *)data, size, &record, &err) < 0)
		return 0;
	if (!record.id || *record.id == '\0')
		abort();
	for (i = 0; i < record.n_affected; i++)
		must_be_sound(&record.affected[i]);
	return 0;
}
