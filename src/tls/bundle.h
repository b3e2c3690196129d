#ifndef PMG_TLS_BUNDLE_H
#define PMG_TLS_BUNDLE_H
/**
 * Trust: the system's roots, the user's own files and folders, and, for the
 * child, pmg's certificate of this run. Always a union, never a replacement.
 */
#include "base/strv.h"

#define PMG_BUNDLE_MAX       ((size_t)16 * 1024 * 1024) /* bytes of PEM text, and of one file */
#define PMG_BUNDLE_CERTS_MAX ((size_t)8192)             /* certificates */
#define PMG_BUNDLE_DIR_MAX   ((size_t)4096) /* entries of one folder that are looked at */

struct pmg_bundle;
void pmg_bundle_free(struct pmg_bundle *bundle);
PMG_DEFINE_AUTO(bundle, struct pmg_bundle *, pmg_bundle_free);

/**
 * Read the system's roots into memory, as text; certificates are parsed later, when the first
 * upstream connection needs them. What cannot be read is passed over.
 *
 * Source: the system's places are those of X509_get_default_cert_file(3) and of Debian, Fedora,
 * SUSE, Alpine and NixOS; in the system's folders only names that OpenSSL would look up count.
 */
struct pmg_bundle *pmg_bundle_new(void) PMG_MUST_CHECK;
/**
 * Add the user's, once; before that nothing else may be asked.
 * Only certificates are taken: a private key in a file of the user's never gets into the text. A
 * file of the user's that is missing, empty or no PEM goes into notes, naming it, and is left
 * out; in a folder what is no PEM is passed over in silence.
 * @param ca_files, ca_dirs  one path each (SSL_CERT_DIR is a list by colon: split it before)
 * @param notes  one line each is added, to be shown once
 * @return 0; -PMG_E_TLS: no system roots and nothing of the user's either
 */
int pmg_bundle_complete(struct pmg_bundle *bundle, const struct pmg_strv *ca_files,
			const struct pmg_strv *ca_dirs, struct pmg_strv *notes,
			struct pmg_err *err) PMG_MUST_CHECK;
/** The PEM text of all, each certificate once. Borrowed. */
const char *pmg_bundle_pem(const struct pmg_bundle *bundle, size_t *len);

struct x509_store_st;
/**
 * Certificates as an OpenSSL store; made at the first call, borrowed, for one thread. Each is
 * parsed when a chain first needs it; what cannot be parsed is left out. Each certificate is an
 * anchor of its own, also one that another signed. Contexts that share it may outlive the bundle.
 * @return NULL with err set
 */
struct x509_store_st *pmg_bundle_store(struct pmg_bundle *bundle, struct pmg_err *err);

struct ssl_ctx_st;
/** Let a context verify against the bundle, whose store it then shares. @return 0 or -PMG_E_TLS */
int pmg_bundle_use(struct pmg_bundle *bundle, struct ssl_ctx_st *context,
		   struct pmg_err *err) PMG_MUST_CHECK;

/** In words: a result of verification (CURLINFO_SSL_VERIFYRESULT). NULL for 0 and 1, which say
 *  nothing about the certificate. */
const char *pmg_verify_text(long result);

#endif
