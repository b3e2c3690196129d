#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "verdict/earlier.h"
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

/* The same bytes as the file of an earlier run: what is told of it is one line a kind. */
static void try_earlier(const uint8_t *data, size_t size)
{
	static const struct pmg_earlier_file file = { PMG_ECO_NPM, "a", "9", false };
	pmg_auto(earlier) struct pmg_earlier *earlier =
		pmg_earlier_new(pmg_xstrndup((const char *)data, size));
	pmg_auto(traits) struct pmg_traits findings = { 0 };

	pmg_traits_add(&findings, PMG_TRAIT_SCRIPTS, "x");
	pmg_earlier_compare(earlier, &file, &findings);
	pmg_earlier_keep(earlier, &file, &findings);
	if (findings.counts[PMG_TRAIT_NEW_SCRIPTS] > 1 || pmg_earlier_kept(earlier)->n != 1)
		abort();
}

/* Whatever the bytes are: within the limits, to an end, and what is found is shown in bounds. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum pmg_eco eco;

	try_earlier(data, size);
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
