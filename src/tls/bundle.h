#ifndef PMG_TLS_BUNDLE_H
#define PMG_TLS_BUNDLE_H
/**
 * Trust: the system's roots, the user's own files and folders, and, for the
 * child, pmg's certificate of this run. Always a union, never a replacement.
 */
#include "base/strv.h"

#define PMG_BUNDLE_MAX (16U * 1024U * 1024U)

struct pmg_bundle;
void pmg_bundle_free(struct pmg_bundle *bundle);
PMG_DEFINE_AUTO(bundle, struct pmg_bundle *, pmg_bundle_free);

/**
 * Read all roots into memory, as text; certificates are parsed later, when the
 * first upstream connection needs them (the system store costs 20 ms).
 * A file of the user's that is missing, empty or no PEM goes into notes, naming
 * it, and is left out.
 * @return 0; -PMG_E_TLS: no system roots and nothing of the user's either
 */
int pmg_bundle_load(const struct pmg_strv *ca_files, const struct pmg_strv *ca_dirs,
		    struct pmg_bundle **out, struct pmg_strv *notes,
		    struct pmg_err *err) PMG_MUST_CHECK;
/** The PEM text of all, each certificate once. Borrowed. */
const char *pmg_bundle_pem(const struct pmg_bundle *bundle, size_t *len);

struct x509_store_st;
/** Certificates as an OpenSSL store; made at the first call, borrowed. @return NULL with err set */
struct x509_store_st *pmg_bundle_store(struct pmg_bundle *bundle, struct pmg_err *err);

#endif
