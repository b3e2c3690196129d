#ifndef PMG_TLS_SIGN_H
#define PMG_TLS_SIGN_H
/**
 * Ed25519 (RFC 8032) by OpenSSL: what `pmg intel export` signs and the import of
 * it verifies. No other kind of key is taken, so there is nothing to negotiate.
 */
#include <stddef.h>

#include "base/err.h"
#include "base/mem.h"

#define PMG_SIGNATURE_LEN 64U
#define PMG_PUBKEY_LEN    32U
#define PMG_PUBKEY_MAX    4096U /* bytes of its text */
#define PMG_KEY_ID_LEN    17    /* 16 digits and NUL */

struct pmg_sign_key;
void pmg_sign_key_free(struct pmg_sign_key *key);
PMG_DEFINE_AUTO(sign_key, struct pmg_sign_key *, pmg_sign_key_free);

/**
 * @param name  for messages
 * @param pem   PKCS #8 without a password, as "openssl genpkey -algorithm ed25519" writes it
 * @return 0; -PMG_E_PARSE: no key, a key of another kind, or one with a password (hint)
 */
int pmg_sign_key_read(const char *name, const char *pem, size_t len, struct pmg_sign_key **out,
		      struct pmg_err *err) PMG_MUST_CHECK;
/** @return 0 or -PMG_E_TLS */
int pmg_sign(const struct pmg_sign_key *key, const void *bytes, size_t len,
	     unsigned char out[PMG_SIGNATURE_LEN], struct pmg_err *err) PMG_MUST_CHECK;

/* A public key; plain value. */
struct pmg_pubkey {
	unsigned char bytes[PMG_PUBKEY_LEN];
	char id[PMG_KEY_ID_LEN]; /* the first digits of its SHA-256: for people, proves nothing */
};

void pmg_sign_public(const struct pmg_sign_key *key, struct pmg_pubkey *out);
/**
 * @param text  PEM ("openssl pkey -pubout"), or the base64 between its first and last line, or the
 *              32 bytes of the key in base64
 * @return 0 or -PMG_E_PARSE
 */
int pmg_pubkey_read(const char *name, const char *text, struct pmg_pubkey *out,
		    struct pmg_err *err) PMG_MUST_CHECK;
/** @return 0; -PMG_E_TLS: it is not this key's signature of these bytes */
int pmg_verify(const struct pmg_pubkey *key, const void *bytes, size_t len,
	       const unsigned char signature[PMG_SIGNATURE_LEN],
	       struct pmg_err *err) PMG_MUST_CHECK;

#endif
