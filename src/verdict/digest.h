#ifndef PMG_VERDICT_DIGEST_H
#define PMG_VERDICT_DIGEST_H
/**
 * Digests of artifacts (the files that a registry hands out), as feeds and
 * lockfiles write them. They name a file whatever it is called.
 */
#include <stddef.h>

#include "base/err.h"

/* Stands in intel.db: a number once given stays. SHA-1 and MD5 are not here: two files can be
   made to share one. */
enum pmg_digest_alg {
	PMG_DIGEST_SHA256 = 1, /* PyPI */
	PMG_DIGEST_SHA512 = 2, /* npm */
};
#define PMG_DIGEST_MAX 64U /* bytes */

/* Plain value. */
struct pmg_digest {
	enum pmg_digest_alg alg;
	unsigned char bytes[PMG_DIGEST_MAX]; /* pmg_digest_len(alg) of them */
};

size_t pmg_digest_len(enum pmg_digest_alg alg); /* bytes; 0: no such algorithm */

/** Hexadecimal, of either case. @return 0; -PMG_E_PARSE: other letters, or another length */
int pmg_digest_hex(enum pmg_digest_alg alg, const char *text, struct pmg_digest *out,
		   struct pmg_err *err) PMG_MUST_CHECK;

/**
 * Read subresource integrity: words "ALG-BASE64" with blanks between, each perhaps followed by
 * "?options". The strongest algorithm counts, as the specification says; of several words with it
 * the first.
 * @return 0; -PMG_E_NOTFOUND: no word has an algorithm of ours; -PMG_E_PARSE: one is broken
 *
 * Source: https://www.w3.org/TR/SRI/ "The integrity attribute"; RFC 4648 section 4
 */
int pmg_digest_sri(const char *text, struct pmg_digest *out, struct pmg_err *err) PMG_MUST_CHECK;

#endif
