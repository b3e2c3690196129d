#ifndef PMG_VERDICT_INSPECT_STREAM_H
#define PMG_VERDICT_INSPECT_STREAM_H
/**
 * The bytes of one archive on their way from the source to libarchive: one compression undone,
 * within the limits, and the headers of a tar compared as they go by (tardir.h), since libarchive
 * shows of them only what it made of them itself.
 */
#include <archive.h>

#include "base/err.h"
#include "base/mem.h"
#include "verdict/inspect_priv.h"
#include "verdict/tardir.h"

#define PMG_INSPECT_BLOCK 16384U
#define PMG_INSPECT_TAIL  4U

struct pmg_inspect_coding;

/* Two blocks in turn: when the archive has ended, what stands behind it is in one of them. */
struct pmg_inspect_stream {
	struct pmg_inspection *in;
	const struct pmg_inspect_source *source;
	const struct pmg_inspect_coding *coding; /* NULL: none */
	struct archive *inflater;                /* NULL: none */
	struct pmg_tardir *tardir;
	struct pmg_err tar_err; /* what it said, or an empty one */
	struct pmg_inspect_block {
		char bytes[PMG_INSPECT_TAIL +
			   PMG_INSPECT_BLOCK]; /* the last ones before it first */
		size_t len;                    /* without those */
	} blocks[2];
	unsigned turn;     /* the block handed out last */
	uint64_t packed;   /* bytes up to the end of that block */
	uint64_t plain;    /* bytes that came of them */
	uint64_t unpacked; /* bytes of entries */
	bool is_first;     /* the first block was read before */
	bool is_stopped;   /* by a limit, cancelled, or broken off */
};

/** Reads the first block and finds the compression. `in` and `source` are borrowed, and set; all
 *  else is zeros. @return false: that was all */
bool pmg_inspect_stream_begin(struct pmg_inspect_stream *s) PMG_MUST_CHECK;
void pmg_inspect_stream_done(struct pmg_inspect_stream *s);

/** Let `archive` read it. @return false: not opened; pmg_inspect_stream_why() */
bool pmg_inspect_stream_open(struct pmg_inspect_stream *s, struct archive *archive) PMG_MUST_CHECK;
/** Within the limits? @return false: is_stopped */
bool pmg_inspect_stream_goes_on(struct pmg_inspect_stream *s);
/** A finding that ends it; only the first of them is told. */
void pmg_inspect_stream_stop(struct pmg_inspect_stream *s, enum pmg_trait kind, const char *why);

/** The archive has ended: hand on what stands behind it, as long as it is wanted.
 *  @return false: not wanted, or it cannot be told */
bool pmg_inspect_stream_behind(struct pmg_inspect_stream *s, struct archive *archive,
			       bool (*fn)(void *ctx, const char *bytes, size_t len), void *ctx);
/** A tar has ended: what is odd behind it, and in its compression. */
void pmg_inspect_stream_end_tar(struct pmg_inspect_stream *s, struct archive *archive);

#endif
