#include "proxy/inflate.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <zlib.h>

#define OUT_SIZE   32768U
#define ANY_HEADER (MAX_WBITS + 32) /* zlib: tell gzip and zlib apart by itself */

struct pmg_inflate {
	z_stream z;
	bool may_be_raw; /* the next byte is the first and tells */
	bool between;    /* a member has ended, another may begin */
	size_t total;
	char out[OUT_SIZE];
};

bool pmg_inflate_is_needed(const char *encoding, bool *is_unknown)
{
	static const char *const known[] = { "gzip", "x-gzip", "deflate" };
	size_t i;

	*is_unknown = false;
	if (!encoding || encoding[0] == '\0' || strcasecmp(encoding, "identity") == 0)
		return false;
	for (i = 0; i < PMG_ARRAY_LEN(known); i++)
		if (strcasecmp(encoding, known[i]) == 0)
			return true;
	*is_unknown = true;
	return false;
}

struct pmg_inflate *pmg_inflate_new(const char *encoding)
{
	struct pmg_inflate *inflate = pmg_xmalloc(sizeof *inflate);

	memset(inflate, 0, offsetof(struct pmg_inflate, out));
	if (inflateInit2(&inflate->z, ANY_HEADER) != Z_OK)
		abort(); /* out of memory; nothing else can fail */
	inflate->may_be_raw = encoding && strcasecmp(encoding, "deflate") == 0;
	return inflate;
}

void pmg_inflate_free(struct pmg_inflate *inflate)
{
	if (!inflate)
		return;
	(void)inflateEnd(&inflate->z);
	free(inflate);
}

/* As clients tell: a low half of 8 begins zlib's header. */
static bool is_raw(const struct pmg_inflate *self)
{
	return (self->z.next_in[0] & 0x0f) != 8;
}

/* One call of zlib. @return bytes in out, or -PMG_E_PARSE */
static long step(struct pmg_inflate *self)
{
	int r;

	if (self->between) {
		if (inflateReset(&self->z) != Z_OK)
			return -PMG_E_PARSE;
		self->between = false;
	}
	self->z.next_out = (Bytef *)self->out;
	self->z.avail_out = OUT_SIZE;
	r = inflate(&self->z, Z_NO_FLUSH);
	if (r == Z_STREAM_END)
		self->between = true;
	else if (r != Z_OK && r != Z_BUF_ERROR)
		return -PMG_E_PARSE;
	return (long)(OUT_SIZE - self->z.avail_out);
}

int pmg_inflate_feed(struct pmg_inflate *inflate, const char *bytes, size_t len, pmg_inflate_fn fn,
		     void *ctx)
{
	long n;

	if (len > UINT_MAX)
		return -PMG_E_LIMIT;
	inflate->z.next_in = (z_const Bytef *)(size_t)bytes; /* zlib only reads it */
	inflate->z.avail_in = (uInt)len;
	if (len > 0 && inflate->may_be_raw) {
		inflate->may_be_raw = false;
		if (is_raw(inflate) && inflateReset2(&inflate->z, -MAX_WBITS) != Z_OK)
			return -PMG_E_PARSE;
	}
	do {
		n = step(inflate);
		if (n < 0)
			return (int)n;
		inflate->total += (size_t)n;
		if (inflate->total > PMG_INFLATE_MAX)
			return -PMG_E_LIMIT;
		if (n > 0)
			fn(ctx, inflate->out, (size_t)n);
	} while (inflate->z.avail_in > 0 || n == (long)OUT_SIZE);
	return 0;
}
