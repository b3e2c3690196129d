#ifndef PMG_PROXY_SPLICE_H
#define PMG_PROXY_SPLICE_H
/**
 * Cuts: what of a document is left out, and what is put in its place, by byte
 * offsets. Applied to the bytes as they stream by, in any pieces; all that is
 * not cut comes out as it went in.
 */
#include <stdint.h>

#include "base/str.h"

#define PMG_SPLICE_CUTS_MAX  1000000U /* one for each thing withheld, two for versions of npm */
#define PMG_SPLICE_TEXTS_MAX (16U * 1048576U) /* bytes of all replacements */

struct pmg_cut {
	uint64_t at;
	uint64_t len;
	size_t text; /* of the replacement: where in texts */
	size_t text_len;
};

struct pmg_splice {
	struct pmg_cut *v;
	size_t n, cap;
	struct pmg_str texts;
	uint64_t total; /* length of the document, after sealing */
};

#define PMG_SPLICE_INIT                                                                            \
	{                                                                                          \
		.texts = PMG_STR_INIT(PMG_SPLICE_TEXTS_MAX)                                        \
	}

void pmg_splice_done(struct pmg_splice *splice);
PMG_DEFINE_AUTO_DONE(splice, struct pmg_splice, pmg_splice_done);

/**
 * Leave out len bytes at `at`, and put text there ("" for nothing). In any order.
 * @param text  copied
 * @return 0; -PMG_E_LIMIT: too many
 */
int pmg_splice_cut(struct pmg_splice *splice, uint64_t at, uint64_t len, const char *text,
		   struct pmg_err *err) PMG_MUST_CHECK;
/**
 * All cuts are there: sort them and check that they lie in a document of `total` bytes and that no
 * two touch the same byte.
 * @return 0; -PMG_E_INTERNAL: they do not
 */
int pmg_splice_seal(struct pmg_splice *splice, uint64_t total, struct pmg_err *err) PMG_MUST_CHECK;
/** Length of what comes out. Sealed. */
uint64_t pmg_splice_length(const struct pmg_splice *splice);

/** Takes what comes out. @return 0, or negative: the application ends with it */
typedef int (*pmg_splice_sink)(void *ctx, const char *bytes, size_t len);

/* One application. */
struct pmg_splicer {
	const struct pmg_splice *splice; /* borrowed; sealed */
	pmg_splice_sink sink;
	void *ctx;
	uint64_t at; /* bytes taken so far */
	size_t next; /* cut */
};

void pmg_splicer_init(struct pmg_splicer *splicer, const struct pmg_splice *splice,
		      pmg_splice_sink sink, void *ctx);
/** @return 0; what sink returned; -PMG_E_INTERNAL: more than the document's length was fed */
int pmg_splicer_feed(struct pmg_splicer *splicer, const char *bytes, size_t len) PMG_MUST_CHECK;
/** There is nothing more. @return 0; what sink returned; -PMG_E_INTERNAL: bytes are missing */
int pmg_splicer_finish(struct pmg_splicer *splicer) PMG_MUST_CHECK;

#endif
