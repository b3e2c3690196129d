#ifndef PMG_TLS_CERT_PRIV_H
#define PMG_TLS_CERT_PRIV_H
/** Makes the two kinds of certificates of a run. RFC 5280; CA/Browser baseline for leaves. */
#include "tls/openssl_priv.h"

/** A fresh P-256 key. @return 0 or -PMG_E_TLS */
int pmg_cert_key(EVP_PKEY **out, struct pmg_err *err) PMG_MUST_CHECK;
/** Self-signed authority that may sign leaves and nothing below them. @return 0 or -PMG_E_TLS */
int pmg_cert_authority(EVP_PKEY *key, X509 **out, struct pmg_err *err) PMG_MUST_CHECK;
/**
 * Leaf for one host.
 * @param host  as pmg_cert_host() gives it
 */
int pmg_cert_leaf(X509 *issuer, EVP_PKEY *issuer_key, EVP_PKEY *key, const char *host, X509 **out,
		  struct pmg_err *err) PMG_MUST_CHECK;
/**
 * The one spelling of a host: lower case, no dot at the end, IPv6 as inet_ntop(3) writes it.
 * @return new text; NULL when it is neither an address nor a name that can stand in a
 *         certificate (a blank, "*", a control byte, longer than 253 bytes)
 */
char *pmg_cert_host(const char *host) PMG_MUST_CHECK;

#endif
