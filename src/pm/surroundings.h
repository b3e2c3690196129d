#ifndef PMG_PM_SURROUNDINGS_H
#define PMG_PM_SURROUNDINGS_H
/**
 * The network that the user's tools live in: the parent proxy and the
 * certificates of the user's own, as environment and files name them. pmg
 * takes the place of both for the tool, so it has to use them itself.
 */
#include "pm/pm.h"

/** Proxies that no file named so far, from HTTPS_PROXY and its kin. */
void pmg_surroundings_proxy(struct pmg_facts *facts, const struct pmg_strv *env);

/** Certificates from NODE_EXTRA_CA_CERTS, SSL_CERT_FILE, SSL_CERT_DIR and the like, and git's. */
void pmg_surroundings_ca(struct pmg_facts *facts, const struct pmg_place *place);

/**
 * One file, or a folder, of certificates. One that is not there, unreadable or
 * without a certificate in PEM is left out, with a warning that names who asked
 * for it: the tool would go on without it, some of them silently.
 * @param what  "NODE_EXTRA_CA_CERTS", "/home/u/.npmrc:3"
 */
void pmg_surroundings_ca_file(struct pmg_facts *facts, const char *what, const char *path);

/**
 * Certificates that are written into a setting itself: kept in a file of the
 * cache, named by what is in it, and taken as that file.
 * @param pem  "\\n" stands for a new line where there is none
 */
void pmg_surroundings_ca_text(struct pmg_facts *facts, const char *what, const char *pem,
			      const char *cache_dir);

#endif
