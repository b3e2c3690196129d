#ifndef PMG_TLS_CA_H
#define PMG_TLS_CA_H
/**
 * The certificate authority of one run: its key is made in memory, never
 * written, and forgotten with the process. Leaves are X.509 v3, CA:FALSE,
 * serverAuth, with a subject alternative name and key identifiers, so that
 * `openssl verify -x509_strict`, rustls' webpki and Python 3.13 accept them.
 */

#include "base/err.h"
#include "base/mem.h"

struct pmg_ca;
void pmg_ca_free(struct pmg_ca *ca);
PMG_DEFINE_AUTO(ca, struct pmg_ca *, pmg_ca_free);

/** New keys (P-256) and certificate, valid from yesterday for a week. @return 0 or -PMG_E_TLS */
int pmg_ca_new(struct pmg_ca **out, struct pmg_err *err) PMG_MUST_CHECK;
/** The certificate in PEM. Borrowed. */
const char *pmg_ca_pem(const struct pmg_ca *ca);

struct ssl_ctx_st;
/**
 * Server context for a host (name, IPv4 or IPv6 without brackets), made at the first call and
 * kept; one leaf key for the run. ALPN answers http/1.1. At most PMG_CA_HOSTS_MAX hosts are kept,
 * the oldest goes first; connections that use its context keep it.
 * @return borrowed until the next call; NULL with err set (-PMG_E_TLS): a host that cannot stand
 *         in a certificate
 */
struct ssl_ctx_st *pmg_ca_context(struct pmg_ca *ca, const char *host, struct pmg_err *err);

#define PMG_CA_HOSTS_MAX 1024U

#endif
