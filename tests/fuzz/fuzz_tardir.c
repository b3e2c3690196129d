#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "verdict/tardir.h"

static void walk(const uint8_t *data, size_t size, size_t piece, struct pmg_err *err)
{
	pmg_auto(tardir) struct pmg_tardir *dir = pmg_tardir_new();
	size_t at, n;
	int r = 0;

	for (at = 0; r == 0 && at < size; at += n) {
		n = size - at < piece ? size - at : piece;
		r = pmg_tardir_feed(dir, data + at, n, err);
	}
	if (r == 0)
		r = pmg_tardir_end(dir, err);
	if ((r == 0) != (err->msg[0] == '\0'))
		abort();
}

/* In whatever pieces it comes: the same is said of it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const size_t pieces[] = { 1, 7, 512, 1000 };
	struct pmg_err whole = PMG_ERR_INIT;
	size_t i;

	walk(data, size, SIZE_MAX, &whole);
	for (i = 0; i < sizeof pieces / sizeof *pieces; i++) {
		struct pmg_err err = PMG_ERR_INIT;

		walk(data, size, pieces[i], &err);
		if (strcmp(err.msg, whole.msg) != 0)
			abort();
	}
	return 0;
}
