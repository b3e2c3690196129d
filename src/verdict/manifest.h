#ifndef PMG_VERDICT_MANIFEST_H
#define PMG_VERDICT_MANIFEST_H
/**
 * What goes along with an index that is handed to others: which file it is, when
 * it was made, how long it is to be believed, and a signature of all that. JSON:
 *
 *   {"format":"pmg-index","version":1,"file":"intel.db","size":4096,"sha256":"...","sequence":7,
 *    "created":"2026-11-30T10:00:00Z","expires":"2026-12-30T10:00:00Z","key":"...","signature":"..."}
 *
 * Signed is not the JSON but a text of its values, in one order: there is no
 * second way to write it.
 */
#include <stdint.h>

#include "base/hash.h"
#include "tls/sign.h"

#define PMG_MANIFEST_MAX      65536U /* bytes */
#define PMG_MANIFEST_FILE_MAX 128U   /* bytes of the file's name */
#define PMG_MANIFEST_AHEAD_S  86400  /* so much a publisher's clock may be ahead of ours */

struct pmg_manifest {
	char file[PMG_MANIFEST_FILE_MAX + 1]; /* a bare name, beside the manifest */
	uint64_t size;
	char sha256[PMG_SHA256_HEX];
	uint64_t sequence;
	int64_t created, expires; /* seconds since 1970 */
	char key[PMG_KEY_ID_LEN];
	unsigned char signature[PMG_SIGNATURE_LEN];
};

/**
 * Strictly: a key that is missing, unknown or of another kind is an error.
 * @return 0 or -PMG_E_PARSE
 */
int pmg_manifest_parse(const char *name, const char *text, size_t len, struct pmg_manifest *out,
		       struct pmg_err *err) PMG_MUST_CHECK;
/** The file's text; reading it gives the same. Caller frees. */
char *pmg_manifest_format(const struct pmg_manifest *manifest) PMG_MUST_CHECK;

/** Fills key and signature. @return 0 or -PMG_E_TLS */
int pmg_manifest_sign(struct pmg_manifest *manifest, const struct pmg_sign_key *key,
		      struct pmg_err *err) PMG_MUST_CHECK;
/**
 * Is it signed by one of these keys, and to be believed now?
 * @param now  of this machine's clock; it stands in what is said
 * @return 0; -PMG_E_PARSE with PMG3010
 */
int pmg_manifest_verify(const struct pmg_manifest *manifest, const struct pmg_pubkey *keys,
			size_t n, int64_t now, struct pmg_err *err) PMG_MUST_CHECK;

#endif
