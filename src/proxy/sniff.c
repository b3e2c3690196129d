#include "proxy/sniff.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "proxy/inflate.h"

struct pmg_sniff {
	struct pmg_inflate *inflate; /* NULL when the body is not compressed */
	bool is_blind;               /* a coding that we do not know, or that is broken */
	bool is_done;
	size_t n;
	char bytes[PMG_SNIFF_MAX];
};

static const struct {
	size_t at, len;
	const char *magic;
} archives[] = {
	{ 0, 2, "\x1f\x8b" },
	{ 0, 4, "PK\x03\x04" },
	{ 0, 3, "BZh" },
	{ 0, 6, "\xfd\x37\x7a\x58\x5a\x00" },
	{ 0, 4, "\x28\xb5\x2f\xfd" },
	{ 257, 5, "ustar" },
};

struct pmg_sniff *pmg_sniff_new(const char *encoding)
{
	struct pmg_sniff *sniff = pmg_xcalloc(1, sizeof *sniff);

	if (!pmg_inflate_is_needed(encoding, &sniff->is_blind))
		return sniff;
	sniff->inflate = pmg_inflate_new(encoding);
	return sniff;
}

void pmg_sniff_free(struct pmg_sniff *sniff)
{
	if (!sniff)
		return;
	pmg_inflate_free(sniff->inflate);
	free(sniff);
}

static void take(void *ctx, const char *bytes, size_t len)
{
	struct pmg_sniff *sniff = ctx;
	size_t room = PMG_SNIFF_MAX - sniff->n;

	len = len < room ? len : room;
	memcpy(sniff->bytes + sniff->n, bytes, len);
	sniff->n += len;
}

static bool is_archive(const struct pmg_sniff *sniff)
{
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(archives); i++)
		if (sniff->n >= archives[i].at + archives[i].len &&
		    memcmp(sniff->bytes + archives[i].at, archives[i].magic, archives[i].len) == 0)
			return true;
	return false;
}

bool pmg_sniff_feed(struct pmg_sniff *sniff, const char *bytes, size_t len)
{
	bool found;

	if (sniff->is_done || len == 0)
		return false;
	if (!sniff->inflate)
		take(sniff, bytes, len);
	else if (pmg_inflate_feed(sniff->inflate, bytes, len, take, sniff) < 0 && sniff->n == 0)
		sniff->is_blind = true;
	found = sniff->is_blind || is_archive(sniff);
	sniff->is_done = found || sniff->n == PMG_SNIFF_MAX;
	if (sniff->is_done) {
		pmg_inflate_free(sniff->inflate);
		sniff->inflate = NULL;
	}
	return found;
}
