#ifndef PMG_TLS_BUNDLE_PRIV_H
#define PMG_TLS_BUNDLE_PRIV_H
/** Where a system keeps its roots, as data: tests bring their own. */
#include "tls/bundle.h"

struct pmg_bundle_system {
	const char *const *files; /* NULL-terminated; the first with a certificate in it counts */
	const char *const *dirs;  /* NULL-terminated; OpenSSL's hashed names in all of them count */
};

/** As pmg_bundle_new(), with the system's places given. */
struct pmg_bundle *pmg_bundle_new_from(const struct pmg_bundle_system *system) PMG_MUST_CHECK;

#endif
