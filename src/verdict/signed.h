#ifndef PMG_VERDICT_SIGNED_H
#define PMG_VERDICT_SIGNED_H
/**
 * A signed index (manifest.h): written for others, and taken from others in
 * place of the own one. Taken is only what a pinned key has signed, that has
 * not expired, and that is not older than what was taken before: its sequence,
 * which is kept in signed.json beside the index, never falls.
 */
#include <stdbool.h>

#include "verdict/index.h"
#include "verdict/manifest.h"

/** Which index was taken last. @return false: none, or not known any more */
bool pmg_signed_last(const char *index_path, uint64_t *sequence, char sha256[PMG_SHA256_HEX]);

/**
 * May it be taken after the last one? For a look before its file is fetched.
 * @return 0; -PMG_E_PARSE with PMG3010
 */
int pmg_signed_check_sequence(const char *index_path, const struct pmg_manifest *manifest,
			      struct pmg_err *err) PMG_MUST_CHECK;

/**
 * Put the file that a verified manifest names into the place of the index. It is copied first, and
 * what is looked at and taken is the copy.
 * @param path    of the file
 * @param accept  also where feeds of the present index are not in it
 * @return 0; -PMG_E_PARSE with PMG3010: not the file that was signed, an older one, or feeds would
 * be lost; -PMG_E_DB: not an index of this version of pmg; -PMG_E_TIMEOUT; -PMG_E_SYS. The index is
 * then as it was
 */
int pmg_signed_take(const char *index_path, const char *path, const struct pmg_manifest *manifest,
		    bool accept, struct pmg_err *err) PMG_MUST_CHECK;

/** Is it an index, going by its first bytes, and no feed? */
bool pmg_signed_is_index(const char *path);
/**
 * Copy an index that nobody vouches for, and check the copy: for one who takes it all the same.
 * @return 0; -PMG_E_DB: not an index of this version of pmg; -PMG_E_SYS
 */
int pmg_signed_copy(const char *path, const char *to, struct pmg_index **copied,
		    struct pmg_err *err) PMG_MUST_CHECK;

/**
 * Write the index to a file, and its manifest to PATH.json.
 * @param[in,out] manifest  sequence, created and expires are set; the rest is filled
 * @param key  NULL: the index alone, without a manifest
 * @return 0; -PMG_E_NOTFOUND: there is no index; -PMG_E_DB; -PMG_E_SYS; -PMG_E_USAGE: the file's
 * name has other letters than a manifest may name
 */
int pmg_signed_export(const char *index_path, const char *path, struct pmg_manifest *manifest,
		      const struct pmg_sign_key *key, struct pmg_err *err) PMG_MUST_CHECK;

#endif
