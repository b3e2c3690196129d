#ifndef PMG_RUN_CERTS_H
#define PMG_RUN_CERTS_H
/**
 * Certificates for programs that add to their own roots: what
 * NODE_EXTRA_CA_CERTS names. Node reads that file at every start, whether or
 * not it will speak TLS, and 140 system roots cost it 33 ms; so it holds only
 * pmg's certificate and what the user's own file held. Who replaces its roots
 * by a file gets the whole bundle instead.
 */
#include "base/strv.h"
#include "run/folder.h"

#define PMG_CERTS_EXTRA "extra.pem"

/* As tls/bundle.h has it for a file of roots. */
#define PMG_CERTS_MAX (16U * 1024U * 1024U)

/**
 * Write PMG_CERTS_EXTRA into the run's folder.
 * @param ca_pem  certificate of the run; it comes first, since node stops at the first bad one
 * @param env     the user's: NODE_EXTRA_CA_CERTS names a file of his own, which is copied less the
 *                private keys in it; one that cannot be read is left out (pm/ has warned of it)
 * @return 0 or -PMG_E_SYS
 */
int pmg_certs_write(const struct pmg_folder *folder, const char *ca_pem, const struct pmg_strv *env,
		    struct pmg_err *err) PMG_MUST_CHECK;

#endif
