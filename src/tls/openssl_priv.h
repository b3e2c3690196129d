#ifndef PMG_TLS_OPENSSL_PRIV_H
#define PMG_TLS_OPENSSL_PRIV_H
/** OpenSSL's handles with owners, and its error queue turned into our error. */
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "base/err.h"
#include "base/mem.h"

PMG_DEFINE_AUTO(pkey, EVP_PKEY *, EVP_PKEY_free);
PMG_DEFINE_AUTO(x509, X509 *, X509_free);
PMG_DEFINE_AUTO(ssl_ctx, SSL_CTX *, SSL_CTX_free);
PMG_DEFINE_AUTO(bio, BIO *, BIO_free_all);
PMG_DEFINE_AUTO(bignum, BIGNUM *, BN_free);
PMG_DEFINE_AUTO(general_name, GENERAL_NAME *, GENERAL_NAME_free);
PMG_DEFINE_AUTO(general_names, GENERAL_NAMES *, GENERAL_NAMES_free);

/**
 * -PMG_E_TLS with "what" and the newest reason in OpenSSL's queue, which is
 * emptied: a stale entry would condemn the next connection.
 */
int pmg_tls_fail(struct pmg_err *err, const char *what);

#endif
