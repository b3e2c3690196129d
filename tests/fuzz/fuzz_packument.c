#include <stdlib.h>
#include <string.h>

#include "../unit/packumenting.h"
#include "../unit/splicing.h"
#include "pieces.h"
#include "proxy/packument.h"
#include "proxy/weburl.h"

/* Withholds by a bit of the name, and of how it is called. */
static int withhold(void *ctx, const char *version, int64_t published, struct pmg_err *err)
{
	unsigned sum = *(const unsigned char *)ctx;

	(void)err;
	if (published != PMG_PUBLISHED_NONE)
		sum += (unsigned)published & 0xffU;
	for (; *version; version++)
		sum = sum * 31 + (unsigned char)*version;
	return (sum >> 2) % 3 == 0;
}

/* As a learner takes it. Where everybody reads the same nothing has to be changed but its case. */
static void on_tarball(void *ctx, const char *version, const char *reference)
{
	bool is_odd = false;
	pmg_autofree char *address = pmg_weburl(reference, &is_odd);
	pmg_autofree char *again = address ? pmg_weburl(address, &is_odd) : NULL;

	if (pmg_weburl_is_plain(reference) && (!again || is_odd || strcmp(again, address) != 0))
		abort();
	if (pmg_str_addf(ctx, "%s=%s ", version, address ? address : "") < 0)
		abort();
}

/* @param told  NULL: of tarballs nothing is wanted */
static struct pmg_packument *read_pieces(enum pmg_packument_kind kind, const char *bytes,
					 size_t size, size_t piece, struct pmg_str *told,
					 struct pmg_err *err)
{
	pmg_auto(packument) struct pmg_packument *doc = pmg_packument_new(kind);
	size_t i;
	int r = 0;

	if (told)
		pmg_packument_set_tarballs(doc, on_tarball, told);
	for (i = 0; r == 0 && i < size; i += piece)
		r = pmg_packument_feed(doc, bytes + i, size - i < piece ? size - i : piece, err);
	if (r == 0)
		r = pmg_packument_finish(doc, err);
	return r < 0 ? NULL : pmg_steal_ptr(&doc);
}

/* What is left is a document of its own, without what was withheld. */
static void check_left(const char *text, const struct pmg_filtered *out)
{
	struct pmg_err err = PMG_ERR_INIT;
	pmg_auto(packument) struct pmg_packument *left =
		read_pieces(PMG_PACKUMENT_PACKAGE, text, strlen(text), strlen(text), NULL, &err);
	size_t i;

	if (!left || pmg_packument_count(left) != out->left)
		abort();
	for (i = 0; i < out->n; i++)
		if (pmg_npm_find(left, out->withheld[i].version))
			abort();
	for (i = 0; i < out->tags_n; i++)
		if (!pmg_streq(packument_tag(left, out->tags[i].tag), out->tags[i].now))
			abort();
}

static void filter(const char *bytes, size_t size, size_t piece, struct pmg_str *out)
{
	unsigned char how = size > 0 ? (unsigned char)bytes[0] : 0;
	enum pmg_packument_kind kind = how & 1 ? PMG_PACKUMENT_VERSION : PMG_PACKUMENT_PACKAGE;
	pmg_auto(filtered) struct pmg_filtered filtered = PMG_FILTERED_INIT;
	struct pmg_err err = PMG_ERR_INIT;
	pmg_auto(packument) struct pmg_packument *doc = NULL;
	pmg_autofree char *text = NULL;

	if (size == 0)
		return;
	doc = read_pieces(kind, bytes + 1, size - 1, piece, out, &err);
	if (!doc || pmg_packument_filter(doc, withhold, &how, &filtered, &err) < 0) {
		if (pmg_str_adds(out, err.msg) < 0)
			abort();
		return;
	}
	text = splicing_apply(&filtered.splice, bytes + 1, size - 1, piece);
	if (kind == PMG_PACKUMENT_PACKAGE)
		check_left(text, &filtered);
	if (pmg_str_addf(out, "%zu %zu %s", filtered.n, filtered.tags_n, text) < 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pieces_must_agree(data, size, filter);
	return 0;
}
