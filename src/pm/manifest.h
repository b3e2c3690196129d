#ifndef PMG_PM_MANIFEST_H
#define PMG_PM_MANIFEST_H
/**
 * package.json: which packages it names by address, which folders beside it
 * belong to the same installation, where it publishes to.
 */
#include "pm/pm.h"

#define PMG_MANIFESTS_MAX 4096U

/* A walk over the manifests of one installation; place it zeroed but for facts. */
struct pmg_manifests {
	struct pmg_facts *facts; /* borrowed; sources and registries are added */
	struct pmg_strv seen;    /* folders that were read: they may name each other */
};

void pmg_manifests_done(struct pmg_manifests *walk);
PMG_DEFINE_AUTO_DONE(manifests, struct pmg_manifests, pmg_manifests_done);

/**
 * Read dir/package.json, and those of folders it depends on ("file:../x").
 * One that is not there or cannot be parsed adds nothing: the manager gets no
 * further with it.
 * @param dir  absolute, clean
 * @param[out] workspaces  its workspace patterns are added; NULL when they do not matter
 * @return 0; -PMG_E_LIMIT: more than PMG_MANIFESTS_MAX folders, or a file above its maximum
 */
int pmg_manifest_read(struct pmg_manifests *walk, const char *dir, struct pmg_strv *workspaces,
		      struct pmg_err *err) PMG_MUST_CHECK;

/**
 * One dependency as a manifest or command line writes it: an address, or a
 * folder (then its manifest is read); all else says nothing about a place.
 * @param dir   where a relative folder is seen from
 * @param name  NULL when not known
 */
int pmg_manifest_spec(struct pmg_manifests *walk, const char *dir, const char *name,
		      const char *spec, struct pmg_err *err) PMG_MUST_CHECK;

#endif
