#ifndef PMG_PROXY_IDENTITY_H
#define PMG_PROXY_IDENTITY_H
/**
 * Which package is asked for? Read from the shape of a path or of a file name.
 * Where a name can be split in more than one way every plausible reading is
 * returned, and all of them are judged. Pure functions.
 *
 * Paths here are plain: pmg_path_plain() made them.
 * Sources: npm's registry API; PEP 427 (wheels), 503 and 691 (index), 625 (sdists), 658 (metadata).
 */
#include <stdbool.h>
#include <stddef.h>

#include "pm/pm.h"

#define PMG_IDENTITIES_MAX 16U

struct pmg_identity {
	enum pmg_eco eco;
	char *name;
	char *version; /* NULL when it cannot be told */
};

struct pmg_identities {
	struct pmg_identity v[PMG_IDENTITIES_MAX];
	size_t n;
	bool overflow; /* there were more readings than fit: nothing that may pass */
};

void pmg_identities_done(struct pmg_identities *list);
PMG_DEFINE_AUTO_DONE(identities, struct pmg_identities, pmg_identities_done);
/** Copies; an equal one is not added twice. Too long a name or version sets overflow. */
void pmg_identities_add(struct pmg_identities *list, enum pmg_eco eco, const char *name,
			const char *version);

enum pmg_path_kind {
	PMG_PATH_OTHER,    /* nothing that is judged: search, audit, login, ... */
	PMG_PATH_METADATA, /* documents about one package; the first identity has its name */
	PMG_PATH_ARTIFACT  /* package code, or its metadata file (PEP 658) */
};

/**
 * A path relative to a registry's base address.
 * @param rest  plain, without the leading "/"
 * @param[in,out] out  readings are added
 */
enum pmg_path_kind pmg_identity_path(enum pmg_eco eco, const char *rest,
				     struct pmg_identities *out);

/**
 * Is it where npm and pnpm ask which of the packages they have are known to be vulnerable, with the
 * names and versions as the body? @param rest  as above
 */
bool pmg_identity_is_audit(enum pmg_eco eco, const char *rest);

/**
 * A path anywhere on a host that serves artifacts of that ecosystem.
 * @return true when it is one by its shape
 */
bool pmg_identity_artifact(enum pmg_eco eco, const char *path, struct pmg_identities *out);

/**
 * The version of a PyPI file whose project is known from the page it was on.
 * @return caller frees; NULL when the file name is not one of that project
 */
char *pmg_identity_pypi_version(const char *file, const char *project) PMG_MUST_CHECK;

/** Ends as packages do (.tgz, .whl, .tar.gz, .zip ...): worth a note when it is not judged. */
bool pmg_path_looks_like_artifact(const char *path);

#endif
