#ifndef PMG_PM_GITCONFIG_H
#define PMG_PM_GITCONFIG_H
/**
 * Certificates that the user's git configuration names. The tools start git,
 * and GIT_SSL_CAINFO, which pmg sets for it, overrules http.sslCAInfo: so what
 * stands there has to be in pmg's bundle.
 */
#include "pm/pm.h"

/**
 * Add http.sslCAInfo and http.sslCAPath, also those for one address, of the
 * files of the user and of the machine. Files that these include are not read,
 * nor is the project's own: a clone does not read it either.
 *
 * Source: git-config(1), "FILES" and "http.sslCAInfo"; git(1), GIT_CONFIG_GLOBAL and its kin.
 */
void pmg_gitconfig_certificates(const struct pmg_place *place, struct pmg_facts *facts);

#endif
