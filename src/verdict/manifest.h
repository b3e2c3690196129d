#ifndef PMG_VERDICT_MANIFEST_H
#define PMG_VERDICT_MANIFEST_H
/**
 * The manifest of an index that is handed to others: which file the index is, when it was made, how
 * long it is to be believed, and a signature of all that. JSON:
 *
 *   {"format":"pmg-index","version":1,"file":"intel.db","size":4096,"sha256":"...","sequence":7,
 *    "created":"2026-11-30T10:00:00Z","expires":"2026-12-30T10:00:00Z","key":"...","signature":"..."}
 *
 * What is signed is not the JSON but a text of its values in a fixed order (docs/intel.md), since
 * the same JSON can be written in many ways.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "tls/sign.h"

#define PMG_MANIFEST_MAX      65536U /* bytes */
#define PMG_MANIFEST_FILE_MAX 128U   /* bytes of the file's name */
#define PMG_MANIFEST_AHEAD_S  86400  /* by how much a publisher's clock may be ahead of ours */

struct pmg_manifest {
	char file[PMG_MANIFEST_FILE_MAX + 1]; /* a bare name, beside the manifest */
	uint64_t size;
	char sha256[PMG_SHA256_HEX];
	uint64_t sequence;
	int64_t created, expires; /* seconds since 1970 */
	char key[PMG_KEY_ID_LEN]; /* id of the key that signed it */
	unsigned char signature[PMG_SIGNATURE_LEN];
};

/** Can a manifest name a file so? Letters, digits and -_. , no dot in front: the name is looked for
 *  beside the manifest, and may come from elsewhere. */
bool pmg_manifest_file_is_valid(const char *name);

/**
 * Read strictly: a key that is missing, unknown or of another kind is an error.
 * @param name  of the manifest, for messages
 * @return 0 or -PMG_E_PARSE
 */
int pmg_manifest_parse(const char *name, const char *text, size_t len, struct pmg_manifest *out,
		       struct pmg_err *err) PMG_MUST_CHECK;
/** The file's text; reading it gives the same. Caller frees. */
char *pmg_manifest_format(const struct pmg_manifest *manifest) PMG_MUST_CHECK;

/** Sign what stands in it: fills key and signature. @return 0 or -PMG_E_TLS */
int pmg_manifest_sign(struct pmg_manifest *manifest, const struct pmg_sign_key *key,
		      struct pmg_err *err) PMG_MUST_CHECK;
/**
 * Is it signed by one of these keys, and to be believed at this time?
 * @param now  by this machine's clock, seconds since 1970; messages about dates name it
 * @return 0; -PMG_E_PARSE with PMG3010
 */
int pmg_manifest_verify(const struct pmg_manifest *manifest, const struct pmg_pubkey *keys,
			size_t n, int64_t now, struct pmg_err *err) PMG_MUST_CHECK;

#endif
