#ifndef PMG_VERDICT_OCI_H
#define PMG_VERDICT_OCI_H
/**
 * What fetching one file by the OCI distribution protocol takes: the address of
 * an image, where to get a token, and which blob a manifest names. Pure
 * functions over what a registry of images says, all of which is from outside.
 *
 * Source: https://github.com/opencontainers/distribution-spec/blob/main/spec.md;
 * https://distribution.github.io/distribution/spec/auth/token/
 */
#include <stdint.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"

#define PMG_OCI_MANIFEST_MAX 1048576U /* bytes */
#define PMG_OCI_ACCEPT                                                                             \
	"application/vnd.oci.image.manifest.v1+json, "                                             \
	"application/vnd.docker.distribution.manifest.v2+json"

/* "oci://host:port/repo/name:tag", taken apart. */
struct pmg_oci {
	char *base;      /* "https://host:port/v2/repo/name/"; http:// only on loopback */
	char *reference; /* tag or digest; "latest" when the address has none */
};
void pmg_oci_done(struct pmg_oci *oci);
PMG_DEFINE_AUTO_DONE(oci, struct pmg_oci, pmg_oci_done);

/** @return 0 or -PMG_E_PARSE */
int pmg_oci_parse(const char *url, struct pmg_oci *out, struct pmg_err *err) PMG_MUST_CHECK;

/**
 * Where to get a token, as a WWW-Authenticate with "Bearer" says.
 * @param challenge  value of that header; NULL: there was none
 * @param base  of the image: where it is https, the token's address has to be https too
 * @param[out] out  address; caller frees
 * @return 0 or -PMG_E_PARSE
 */
int pmg_oci_token_url(const char *challenge, const char *base, char **out,
		      struct pmg_err *err) PMG_MUST_CHECK;
/** Take the token out of what that address answers. @param[out] out  "Bearer ..."; caller frees.
 *  @return 0 or -PMG_E_PARSE */
int pmg_oci_token(const char *text, size_t len, char **out, struct pmg_err *err) PMG_MUST_CHECK;

/* A manifest's first layer. */
struct pmg_oci_blob {
	char sha256[PMG_SHA256_HEX];
	uint64_t size;
};
/** Which blob is the feed? @return 0; -PMG_E_PARSE: it is no manifest of one image, or its first
 *  layer has no SHA-256 */
int pmg_oci_blob(const char *text, size_t len, struct pmg_oci_blob *out,
		 struct pmg_err *err) PMG_MUST_CHECK;

#endif
