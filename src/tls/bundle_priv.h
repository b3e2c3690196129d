#ifndef PMG_TLS_BUNDLE_PRIV_H
#define PMG_TLS_BUNDLE_PRIV_H
/** Where a system keeps its roots, as data: tests bring their own. */
#include "tls/bundle.h"

struct pmg_bundle_system {
	const char *const *files; /* NULL-terminated; the first with a certificate in it counts */
	const char *const *dirs;  /* NULL-terminated; OpenSSL's hashed names in all of them count */
};

/** As pmg_bundle_load(), with the system's places given. */
int pmg_bundle_load_from(const struct pmg_bundle_system *system, const struct pmg_strv *ca_files,
			 const struct pmg_strv *ca_dirs, struct pmg_bundle **out,
			 struct pmg_strv *notes, struct pmg_err *err) PMG_MUST_CHECK;

#endif
