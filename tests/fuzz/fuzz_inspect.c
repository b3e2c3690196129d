#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "verdict/inspect_priv.h"

struct feed {
	const uint8_t *bytes;
	size_t len;
};

static ssize_t feed_read(void *ctx, void *to, size_t room)
{
	struct feed *feed = ctx;
	size_t n = feed->len < room ? feed->len : room;

	if (n > 0)
		memcpy(to, feed->bytes, n);
	feed->bytes += n;
	feed->len -= n;
	return (ssize_t)n;
}

/* Whatever the bytes are: within the limits, to an end, and what is found is shown in bounds. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum pmg_eco eco;

	for (eco = 0; eco < PMG_ECO_MAX; eco++) {
		struct pmg_inspect_what what = {
			.eco = eco,
			.limits = { 1000, 100000, 1000, 20, 10000, 1 << 20, 0, 1 << 20, 2000 },
			.opens = true,
		};
		struct feed feed = { data, size };
		const struct pmg_inspect_source source = { feed_read, &feed };
		pmg_auto(traits) struct pmg_traits findings = { 0 };
		pmg_auto(strv) struct pmg_strv list = { 0 };
		pmg_auto(inspection) struct pmg_inspection in = { .what = &what, .out = &findings };

		pmg_inspect_what_add(&what, "a", "1");
		pmg_inspection_read(&in, &source);
		pmg_traits_list(&findings, PMG_TRAIT_ALL, &list);
		if (list.n > (size_t)PMG_TRAIT_MAX * (PMG_TRAITS_SHOWN + 1) || in.n_entries > 1001)
			abort();
		pmg_inspect_what_done(&what);
	}
	return 0;
}
