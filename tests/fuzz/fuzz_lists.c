#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "pm/version.h"
#include "verdict/lists.h"

static int on_record(void *arg, const struct pmg_osv *record, const char *text, struct pmg_err *err)
{
	const struct pmg_osv_affected *a = record->affected;

	(void)arg;
	(void)err;
	if (!text || strlen(record->id) > PMG_OSV_ID_MAX || record->n_affected != 1 ||
	    *a->name == '\0' || strlen(a->name) > PMG_NAME_MAX ||
	    (a->versions.n == 0) != (a->n_intervals == 1))
		abort();
	return 0;
}

static void on_unread(void *arg, const char *place, const char *why)
{
	(void)arg;
	if (!place || !why)
		abort();
}

static void on_harmless(void *arg)
{
	(void)arg;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum pmg_eco eco = PMG_ECO_PYPI;
	static const struct pmg_list_want want = { "list", "fuzz", &eco };
	static const struct pmg_list_sink sink = { on_record, on_unread, on_harmless, NULL, NULL };
	struct pmg_err err = PMG_ERR_INIT;
	int r = pmg_list_read(&want, (const char *)data, size, &sink, &err);

	if (r > 1 || (r < 0 && *err.msg == '\0'))
		abort();
	return 0;
}
