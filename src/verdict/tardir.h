#ifndef PMG_VERDICT_TARDIR_H
#define PMG_VERDICT_TARDIR_H
/**
 * Do all readers of a tar archive see the same entries in it? Its headers stand between the bodies,
 * and each reader finds the next one by what it took the last one to say: where two take one
 * otherwise, what is a body to one is headers to the other. What packers write is read alike by
 * all; what only some of them understand, or understand in another way, is told here, as the bytes
 * go by. Bodies are passed over; memory is a few hundred bytes whatever the archive says.
 *
 * Source: POSIX.1-2017, pax, "pax Interchange Format" and "ustar Interchange Format"; GNU tar,
 * "Basic Tar Format"; how node-tar, pnpm, Python's tarfile and libarchive read them.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

struct pmg_tardir;
struct pmg_tardir *pmg_tardir_new(void) PMG_MUST_CHECK;
void pmg_tardir_free(struct pmg_tardir *dir);
PMG_DEFINE_AUTO(tardir, struct pmg_tardir *, pmg_tardir_free);

/** The next bytes, from the archive's first. @return 0; -PMG_E_PARSE: something stands there that
 *  readers do not all read alike. Then no more is to be fed. */
int pmg_tardir_feed(struct pmg_tardir *dir, const void *bytes, size_t len,
		    struct pmg_err *err) PMG_MUST_CHECK;
/** That was all. @return 0; -PMG_E_PARSE: what came last belongs to an entry that did not come */
int pmg_tardir_end(const struct pmg_tardir *dir, struct pmg_err *err) PMG_MUST_CHECK;

#endif
