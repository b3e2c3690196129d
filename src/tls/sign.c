#include "tls/sign.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/err.h>
#include <openssl/pem.h>

#include "base/hash.h"
#include "base/str.h"
#include "tls/openssl_priv.h"

/* SubjectPublicKeyInfo of an Ed25519 key up to its bytes (RFC 8410, 4). */
static const unsigned char spki[] = { 0x30, 0x2a, 0x30, 0x05, 0x06, 0x03,
				      0x2b, 0x65, 0x70, 0x03, 0x21, 0x00 };
#define SPKI_LEN (sizeof spki + PMG_PUBKEY_LEN)

PMG_DEFINE_AUTO(md_ctx, EVP_MD_CTX *, EVP_MD_CTX_free);

struct pmg_sign_key {
	EVP_PKEY *pkey;
};

void pmg_sign_key_free(struct pmg_sign_key *key)
{
	if (!key)
		return;
	EVP_PKEY_free(key->pkey);
	free(key);
}

/* Else OpenSSL would ask on the terminal. */
static int no_password(char *buf, int size, int writing, void *arg)
{
	(void)buf;
	(void)size;
	(void)writing;
	(void)arg;
	return -1;
}

int pmg_sign_key_read(const char *name, const char *pem, size_t len, struct pmg_sign_key **out,
		      struct pmg_err *err)
{
	pmg_auto(bio) BIO *bio = BIO_new_mem_buf(pem, (int)len);
	pmg_auto(pkey) EVP_PKEY *pkey =
		bio ? PEM_read_bio_PrivateKey(bio, NULL, no_password, NULL) : NULL;

	if (!pkey || EVP_PKEY_id(pkey) != EVP_PKEY_ED25519) {
		ERR_clear_error();
		(void)pmg_err_set(err, PMG_E_PARSE, 0,
				  "%s: not a private key of Ed25519 without a password", name);
		return pmg_err_hint(err,
				    "\"openssl genpkey -algorithm ed25519 -out KEY\" makes one");
	}
	*out = pmg_xcalloc(1, sizeof **out);
	(*out)->pkey = pmg_steal_ptr(&pkey);
	return 0;
}

int pmg_sign(const struct pmg_sign_key *key, const void *bytes, size_t len,
	     unsigned char out[PMG_SIGNATURE_LEN], struct pmg_err *err)
{
	pmg_auto(md_ctx) EVP_MD_CTX *context = EVP_MD_CTX_new();
	size_t made = PMG_SIGNATURE_LEN;

	if (!context || EVP_DigestSignInit(context, NULL, NULL, NULL, key->pkey) != 1 ||
	    EVP_DigestSign(context, out, &made, bytes, len) != 1 || made != PMG_SIGNATURE_LEN)
		return pmg_tls_fail(err, "sign");
	return 0;
}

static void set_id(struct pmg_pubkey *key)
{
	char hex[PMG_SHA256_HEX];

	pmg_sha256_hex(key->bytes, sizeof key->bytes, hex);
	memcpy(key->id, hex, PMG_KEY_ID_LEN - 1);
	key->id[PMG_KEY_ID_LEN - 1] = '\0';
}

void pmg_sign_public(const struct pmg_sign_key *key, struct pmg_pubkey *out)
{
	size_t len = sizeof out->bytes;

	if (EVP_PKEY_get_raw_public_key(key->pkey, out->bytes, &len) != 1)
		abort(); /* of an Ed25519 key it cannot fail */
	set_id(out);
}

/* The base64 of a PEM file of one public key; other texts as they are, without blanks around. */
static char *bare(const char *text)
{
	static const char head[] = "-----BEGIN PUBLIC KEY-----",
			  tail[] = "-----END PUBLIC KEY-----";
	const char *from = strstr(text, head), *to = from ? strstr(from, tail) : NULL;
	char *out, *end;

	if (from && !to)
		return NULL;
	from = from ? from + strlen(head) : text;
	from += strspn(from, " \t\r\n");
	out = pmg_xstrndup(from, to ? (size_t)(to - from) : strlen(from));
	for (end = out + strlen(out); end > out && strchr(" \t\r\n", end[-1]); end--)
		end[-1] = '\0';
	return out;
}

int pmg_pubkey_read(const char *name, const char *text, struct pmg_pubkey *out, struct pmg_err *err)
{
	pmg_autofree char *base64 =
		strnlen(text, PMG_PUBKEY_MAX + 1) > PMG_PUBKEY_MAX ? NULL : bare(text);
	size_t len = base64 ? strlen(base64) : 0;
	unsigned char whole[SPKI_LEN], key[PMG_PUBKEY_LEN];

	if (base64 && pmg_base64_read(base64, len, whole, sizeof whole) &&
	    memcmp(whole, spki, sizeof spki) == 0) {
		memcpy(out->bytes, whole + sizeof spki, PMG_PUBKEY_LEN);
	} else if (base64 && pmg_base64_read(base64, len, key, sizeof key)) {
		memcpy(out->bytes, key, PMG_PUBKEY_LEN);
	} else {
		(void)pmg_err_set(err, PMG_E_PARSE, 0, "%s: not a public key of Ed25519", name);
		return pmg_err_hint(err, "\"openssl pkey -in KEY -pubout\" prints the one of a "
					 "private key");
	}
	set_id(out);
	return 0;
}

int pmg_verify(const struct pmg_pubkey *key, const void *bytes, size_t len,
	       const unsigned char signature[PMG_SIGNATURE_LEN], struct pmg_err *err)
{
	pmg_auto(pkey) EVP_PKEY *pkey =
		EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, key->bytes, sizeof key->bytes);
	pmg_auto(md_ctx) EVP_MD_CTX *context = EVP_MD_CTX_new();

	if (!pkey || !context || EVP_DigestVerifyInit(context, NULL, NULL, NULL, pkey) != 1)
		return pmg_tls_fail(err, "verify");
	if (EVP_DigestVerify(context, signature, PMG_SIGNATURE_LEN, bytes, len) == 1)
		return 0;
	ERR_clear_error();
	return pmg_err_set(err, PMG_E_TLS, 0, "not a signature by the key %s", key->id);
}
