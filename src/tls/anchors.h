#ifndef PMG_TLS_ANCHORS_H
#define PMG_TLS_ANCHORS_H
/**
 * A store of certificates that parses each only when a chain asks for its
 * subject. Parsing all of a system's roots costs some 13 ms, reading their
 * subjects less than one, and a run needs two or three of them.
 */
#include "tls/openssl_priv.h"
#include "tls/pem.h"

/**
 * @param[in,out] certs  n of them; the store takes over the array and what it holds, also on
 *                       failure. Each is an anchor of its own, also one that another signed; what
 *                       cannot be parsed is left out
 * @param[out] out  caller frees, X509_STORE_free(). For one thread only
 * @return 0 or -PMG_E_TLS
 *
 * Source: X509_LOOKUP_meth_new(3).
 */
int pmg_anchors_store(struct pmg_der **certs, size_t n, X509_STORE **out,
		      struct pmg_err *err) PMG_MUST_CHECK;

#endif
