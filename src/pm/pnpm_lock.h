#ifndef PMG_PM_PNPM_LOCK_H
#define PMG_PM_PNPM_LOCK_H
/**
 * pnpm-lock.yaml, as pnpm 5 to 12 write it: the archives that it names by
 * address ("resolution: {tarball: ADDRESS}"), with name and version. It is
 * parsed only when there is such a word in it at all.
 */
#include "pm/pm.h"

/** For pmg_lock_read(). @return 0; -PMG_E_LIMIT; -PMG_E_PARSE */
int pmg_pnpm_lock_parse(struct pmg_facts *facts, const char *name, const char *text, size_t len,
			struct pmg_err *err) PMG_MUST_CHECK;

/**
 * Name and version in a key: "x@1.0.0", "@s/x@1.0.0(peer@2)" (pnpm 9 and
 * later), "/x@1.0.0" (8), "/x/1.0.0_peer@2" (5 to 7), "x@https://..." and
 * "@host/x" where there is no version.
 * @param[out] name, version  untouched where there is none; caller frees
 */
void pmg_pnpm_lock_split(const char *key, char **name, char **version);

#endif
