#ifndef PMG_VERDICT_SIGNED_H
#define PMG_VERDICT_SIGNED_H
/**
 * A signed index (manifest.h): written for others, and taken from others in place of one's own. An
 * index is taken only when a pinned key has signed it, it has not expired, and it is not older than
 * the one that was taken last: the sequence of that one is kept in signed.json beside the index,
 * and never falls.
 */
#include <stdbool.h>

#include "verdict/index.h"
#include "verdict/manifest.h"

/** Which signed index was taken last. @return false: none was, or it is not known any more */
bool pmg_signed_last(const char *index_path, uint64_t *sequence, char sha256[PMG_SHA256_HEX]);

/**
 * May the index of this manifest be taken after the one that was taken last? pmg_signed_take() asks
 * the same; this is for a look before the file is fetched.
 * @return 0; -PMG_E_PARSE with PMG3010
 */
int pmg_signed_check_sequence(const char *index_path, const struct pmg_manifest *manifest,
			      struct pmg_err *err) PMG_MUST_CHECK;

/**
 * Put the file that a manifest names into the place of the index. It is copied first; the copy is
 * what is checked and what is taken, so that nobody can change it in between.
 * @param path      of the file
 * @param manifest  verified: pmg_manifest_verify()
 * @param accept    take it even if it lacks feeds that the present index has
 * @return 0; -PMG_E_PARSE with PMG3010: not the file that was signed, an older one, or feeds would
 * be lost; -PMG_E_DB: not an index of this version of pmg; -PMG_E_TIMEOUT; -PMG_E_SYS. The index is
 * then as it was
 */
int pmg_signed_take(const char *index_path, const char *path, const struct pmg_manifest *manifest,
		    bool accept, struct pmg_err *err) PMG_MUST_CHECK;

/** Is this file an index rather than a feed, going by its first bytes? */
bool pmg_signed_is_index(const char *path);
/**
 * Copy an index that nobody has signed, and check the copy, for a person who takes it all the same.
 * @return 0; -PMG_E_DB: not an index of this version of pmg; -PMG_E_SYS
 */
int pmg_signed_copy(const char *path, const char *to, struct pmg_index **copied,
		    struct pmg_err *err) PMG_MUST_CHECK;

/**
 * Write the index to a file, and its manifest to PATH.json.
 * @param[in,out] manifest  the caller sets sequence, created and expires; the rest is filled in
 * @param key  signs the manifest; NULL: the index is written alone, without a manifest
 * @return 0; -PMG_E_NOTFOUND: there is no index; -PMG_E_DB; -PMG_E_SYS; -PMG_E_USAGE: the file's
 * name has other letters than a manifest may name
 */
int pmg_signed_export(const char *index_path, const char *path, struct pmg_manifest *manifest,
		      const struct pmg_sign_key *key, struct pmg_err *err) PMG_MUST_CHECK;

#endif
