#include "tls/hasher.h"

#include <assert.h>
#include <stdlib.h>

#include "tls/openssl_priv.h"

struct pmg_hasher {
	EVP_MD_CTX *ctx;
};

void pmg_hasher_free(struct pmg_hasher *hasher)
{
	if (!hasher)
		return;
	EVP_MD_CTX_free(hasher->ctx);
	free(hasher);
}

int pmg_hasher_new(unsigned bits, struct pmg_hasher **out, struct pmg_err *err)
{
	pmg_auto(hasher) struct pmg_hasher *hasher = pmg_xcalloc(1, sizeof *hasher);

	assert(bits == 256 || bits == 512);
	hasher->ctx = EVP_MD_CTX_new();
	if (!hasher->ctx ||
	    EVP_DigestInit_ex(hasher->ctx, bits == 256 ? EVP_sha256() : EVP_sha512(), NULL) != 1)
		return pmg_tls_fail(err, "digest");
	*out = pmg_steal_ptr(&hasher);
	return 0;
}

int pmg_hasher_add(struct pmg_hasher *hasher, const void *bytes, size_t len, struct pmg_err *err)
{
	return EVP_DigestUpdate(hasher->ctx, bytes, len) == 1 ? 0 : pmg_tls_fail(err, "digest");
}

int pmg_hasher_end(struct pmg_hasher *hasher, unsigned char out[PMG_HASHER_MAX],
		   struct pmg_err *err)
{
	return EVP_DigestFinal_ex(hasher->ctx, out, NULL) == 1 ? 0 : pmg_tls_fail(err, "digest");
}
