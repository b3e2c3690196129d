#include "verdict/inspect_stream.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#define BLOCK       PMG_INSPECT_BLOCK
#define TAIL        PMG_INSPECT_TAIL
#define SMALL_BLOCK 1024U /* of formats that make a thousand times as much of it */

/* Compressions, by their magic. One at most is undone: libarchive would go on through 25 of them,
 * each a thousandfold. */
static const struct pmg_inspect_coding {
	size_t len;
	const char *magic;
	int filter;
	size_t block;  /* read at a time: what comes of one block is not interrupted */
	uint64_t most; /* unpacked bytes, which bound a window as well; 0: as the limits say */
} codings[] = {
	{ 2, "\x1f\x8b", ARCHIVE_FILTER_GZIP, BLOCK, 0 },
	{ 3, "BZh", ARCHIVE_FILTER_BZIP2, SMALL_BLOCK, 0 },
	{ 6, "\xfd\x37\x7a\x58\x5a\x00", ARCHIVE_FILTER_XZ, SMALL_BLOCK, UINT64_C(128) << 20 },
};

void pmg_inspect_stream_stop(struct pmg_inspect_stream *s, enum pmg_trait kind, const char *why)
{
	if (!s->is_stopped)
		pmg_traits_add(s->in->out, kind, "%s", why);
	s->is_stopped = true;
}

static uint64_t cpu_ms(void)
{
	struct timespec now = { 0 };

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static uint64_t most_unpacked(const struct pmg_inspect_stream *s)
{
	const struct pmg_inspect_limits *l = &s->in->what->limits;
	uint64_t most = l->unpacked + l->ratio * s->packed;

	most = most < l->most ? most : l->most;
	return s->coding && s->coding->most && s->coding->most < most ? s->coding->most : most;
}

static uint64_t most_cpu_ms(const struct pmg_inspect_stream *s)
{
	const struct pmg_inspect_limits *l = &s->in->what->limits;

	return l->cpu_ms + l->cpu_ms_mib * (s->packed >> 20);
}

/* Entries' bytes do not count what is between them: zeros, headers. */
bool pmg_inspect_stream_goes_on(struct pmg_inspect_stream *s)
{
	uint64_t unpacked = s->plain > s->unpacked ? s->plain : s->unpacked;

	if (s->in->is_cancelled && atomic_load(s->in->is_cancelled))
		s->is_stopped = true;
	else if (unpacked > most_unpacked(s))
		pmg_inspect_stream_stop(s, PMG_TRAIT_OVERSIZED, "it unpacks to too much");
	else if (cpu_ms() > most_cpu_ms(s))
		pmg_inspect_stream_stop(s, PMG_TRAIT_OVERSIZED, "it takes too long to unpack");
	return !s->is_stopped;
}

/* @return 0 at the end, -1 broken off */
static ssize_t next_block(struct pmg_inspect_stream *s)
{
	const struct pmg_inspect_block *before = &s->blocks[s->turn];
	struct pmg_inspect_block *block = &s->blocks[s->turn ^ 1];
	ssize_t n;

	memcpy(block->bytes, before->bytes + before->len, TAIL);
	n = s->source->read(s->source->ctx, block->bytes + TAIL,
			    s->coding ? s->coding->block : BLOCK);
	s->turn ^= 1;
	block->len = n > 0 ? (size_t)n : 0;
	s->packed += block->len;
	return n;
}

static la_ssize_t on_packed(struct archive *archive, void *ctx, const void **bytes)
{
	struct pmg_inspect_stream *s = ctx;
	ssize_t n = (ssize_t)s->blocks[s->turn].len;

	if (!s->is_first && !pmg_inspect_stream_goes_on(s)) {
		archive_set_error(archive, EIO, "stopped");
		return ARCHIVE_FATAL;
	}
	if (!s->is_first)
		n = next_block(s);
	s->is_first = false;
	*bytes = s->blocks[s->turn].bytes + TAIL;
	if (n < 0)
		s->is_stopped = true;
	return n < 0 ? ARCHIVE_FATAL : (la_ssize_t)n;
}

static la_ssize_t inflate(struct archive *inflater, struct archive *archive, const void **bytes)
{
	la_int64_t offset;
	size_t len = 0;
	int rc = archive_read_data_block(inflater, bytes, &len, &offset);

	if (rc == ARCHIVE_EOF)
		return 0;
	if (rc == ARCHIVE_OK)
		return (la_ssize_t)len;
	archive_set_error(archive, archive_errno(inflater), "%s", archive_error_string(inflater));
	return ARCHIVE_FATAL;
}

static la_ssize_t on_plain(struct archive *archive, void *ctx, const void **bytes)
{
	struct pmg_inspect_stream *s = ctx;
	la_ssize_t n =
		s->inflater ? inflate(s->inflater, archive, bytes) : on_packed(archive, ctx, bytes);

	if (n <= 0)
		return n;
	s->plain += (uint64_t)n;
	if (!s->tar_err.msg[0])
		(void)!pmg_tardir_feed(s->tardir, *bytes, (size_t)n, &s->tar_err);
	return n;
}

static void find_coding(struct pmg_inspect_stream *s)
{
	const struct pmg_inspect_block *block = &s->blocks[0];
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(codings); i++)
		if (block->len >= codings[i].len &&
		    memcmp(block->bytes + TAIL, codings[i].magic, codings[i].len) == 0)
			s->coding = &codings[i];
}

/* The first block may be short: the magic needs some bytes of it. */
bool pmg_inspect_stream_begin(struct pmg_inspect_stream *s)
{
	struct pmg_inspect_block *block = &s->blocks[0];
	ssize_t n = 1;

	s->tardir = pmg_tardir_new();
	while (n > 0 && block->len < BLOCK) {
		n = s->source->read(s->source->ctx, block->bytes + TAIL + block->len,
				    BLOCK - block->len);
		block->len += n > 0 ? (size_t)n : 0;
	}
	s->packed = block->len;
	s->is_first = true;
	s->is_stopped = n < 0;
	if (n == 0 && block->len == 0)
		pmg_inspect_stream_stop(s, PMG_TRAIT_UNREADABLE, "it is empty");
	find_coding(s);
	return !s->is_stopped;
}

void pmg_inspect_stream_done(struct pmg_inspect_stream *s)
{
	if (s->inflater)
		(void)archive_read_free(s->inflater); /* what failed was told before */
	pmg_tardir_free(s->tardir);
}

static bool open_with(struct pmg_inspect_stream *s, struct archive *archive, int filter,
		      archive_read_callback *on_read)
{
	return archive_read_append_filter(archive, filter) == ARCHIVE_OK &&
	       archive_read_set_read_callback(archive, on_read) == ARCHIVE_OK &&
	       archive_read_set_callback_data(archive, s) == ARCHIVE_OK &&
	       archive_read_open1(archive) == ARCHIVE_OK;
}

bool pmg_inspect_stream_open(struct pmg_inspect_stream *s, struct archive *archive)
{
	struct archive_entry *whole = NULL;

	if (!s->coding)
		return open_with(s, archive, ARCHIVE_FILTER_NONE, on_plain);
	s->inflater = archive_read_new();
	return s->inflater && archive_read_support_format_raw(s->inflater) == ARCHIVE_OK &&
	       open_with(s, s->inflater, s->coding->filter, on_packed) &&
	       archive_read_next_header(s->inflater, &whole) == ARCHIVE_OK &&
	       open_with(s, archive, ARCHIVE_FILTER_NONE, on_plain);
}

/* @return false: it cannot be told how many bytes that came are behind the end */
static bool count_behind(struct pmg_inspect_stream *s, struct archive *archive, uint64_t *left)
{
	la_int64_t end = archive_filter_bytes(s->inflater ? s->inflater : archive, -1);

	*left = s->packed - (end < 0 ? 0 : (uint64_t)end);
	if (end >= 0 && (uint64_t)end <= s->packed &&
	    *left <= (uint64_t)s->blocks[0].len + s->blocks[1].len)
		return true;
	pmg_inspect_stream_stop(s, PMG_TRAIT_UNREADABLE, "its end cannot be compared");
	return false;
}

bool pmg_inspect_stream_behind(struct pmg_inspect_stream *s, struct archive *archive,
			       bool (*fn)(void *ctx, const char *bytes, size_t len), void *ctx)
{
	const struct pmg_inspect_block *now = &s->blocks[s->turn];
	const struct pmg_inspect_block *before = &s->blocks[s->turn ^ 1];
	bool goes_on = true;
	uint64_t left;
	ssize_t n;

	if (!count_behind(s, archive, &left))
		return false;
	if (left > now->len)
		goes_on = fn(ctx, before->bytes + TAIL + (before->len - (left - now->len)),
			     left - now->len);
	if (goes_on && left > 0) {
		left = left < now->len ? left : now->len;
		goes_on = fn(ctx, now->bytes + TAIL + (now->len - left), left);
	}
	while (goes_on && pmg_inspect_stream_goes_on(s) && (n = next_block(s)) != 0) {
		if (n < 0)
			s->is_stopped = true;
		else
			goes_on = fn(ctx, s->blocks[s->turn].bytes + TAIL, (size_t)n);
		goes_on = goes_on && n > 0;
	}
	return goes_on;
}

static bool is_zeros(void *ctx, const char *bytes, size_t len)
{
	(void)ctx;
	while (len > 0 && *bytes == '\0') {
		bytes++;
		len--;
	}
	return len == 0;
}

/* The last four bytes of a gzip member say how long its part is. Some readers take the first alone.
 */
static bool has_parts(struct pmg_inspect_stream *s, struct archive *archive)
{
	const struct pmg_inspect_block *block = &s->blocks[s->turn];
	const unsigned char *p;
	uint64_t left;

	if (!s->coding || s->coding->filter != ARCHIVE_FILTER_GZIP ||
	    !count_behind(s, archive, &left))
		return false;
	if (left > block->len) {
		left -= block->len;
		block = &s->blocks[s->turn ^ 1];
	}
	p = (const unsigned char *)block->bytes + (block->len - left);
	return ((uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
		(uint32_t)p[3] << 24) != (uint32_t)s->plain;
}

/* Padding is zeros. */
void pmg_inspect_stream_end_tar(struct pmg_inspect_stream *s, struct archive *archive)
{
	const void *bytes;

	while (on_plain(archive, s, &bytes) > 0)
		;
	if (!s->tar_err.msg[0])
		(void)!pmg_tardir_end(s->tardir, &s->tar_err);
	if (has_parts(s, archive))
		pmg_traits_add(s->in->out, PMG_TRAIT_AMBIGUOUS,
			       "it is compressed in several parts");
	if (!pmg_inspect_stream_behind(s, archive, is_zeros, NULL) && !s->is_stopped)
		pmg_traits_add(s->in->out, PMG_TRAIT_AMBIGUOUS, "bytes follow its end");
}
