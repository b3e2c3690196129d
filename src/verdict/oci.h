#ifndef PMG_VERDICT_OCI_H
#define PMG_VERDICT_OCI_H
/**
 * The parts of the OCI distribution protocol that fetching one file takes: its
 * address, where a token is to be had, and which blob a manifest names. Pure
 * functions over what a registry of images says; all of it is from outside.
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
	char *base;      /* "https://host:port/v2/repo/name/"; http on loopback alone */
	char *reference; /* tag or digest; "latest" when there is none */
};
void pmg_oci_done(struct pmg_oci *oci);
PMG_DEFINE_AUTO_DONE(oci, struct pmg_oci, pmg_oci_done);

/** @return 0 or -PMG_E_PARSE */
int pmg_oci_parse(const char *url, struct pmg_oci *out, struct pmg_err *err) PMG_MUST_CHECK;

/**
 * Where a token is to be had, of a WWW-Authenticate with "Bearer".
 * @param base  of the image: the token's address has to be https too, where that is
 * @param[out] out  address; caller frees
 * @return 0 or -PMG_E_PARSE
 */
int pmg_oci_token_url(const char *challenge, const char *base, char **out,
		      struct pmg_err *err) PMG_MUST_CHECK;
/** The token of such an answer. @param[out] out  "Bearer ..."; caller frees. @return 0 or
 * -PMG_E_PARSE */
int pmg_oci_token(const char *text, size_t len, char **out, struct pmg_err *err) PMG_MUST_CHECK;

/* A manifest's first layer. */
struct pmg_oci_blob {
	char sha256[PMG_SHA256_HEX];
	uint64_t size;
};
/** @return 0; -PMG_E_PARSE: no manifest of one image, or its first layer has no SHA-256 */
int pmg_oci_blob(const char *text, size_t len, struct pmg_oci_blob *out,
		 struct pmg_err *err) PMG_MUST_CHECK;

#endif
