#ifndef PMG_VERDICT_GATES_H
#define PMG_VERDICT_GATES_H
/**
 * Does a new index look wrong beside the one that it is to replace? A feed may have been cut short,
 * rolled back or made by mistake. It looks wrong when
 *
 * - more than a tenth of the feed's records are gone without being withdrawn by their ids, or all;
 * - the newest date in the feed is older than before; or
 * - a package that everybody uses (popular.h) is called malware in all of its versions, and was not
 *   before.
 */
#include "base/strv.h"
#include "store/store.h"

#define PMG_DIAG_FEED 3010 /* docs/codes/PMG3010.md */

/**
 * @param store  the new index, filled but not yet committed, with the present one attached as `old`
 * @param feed   the feed that was read
 * @param found  gets a line for each thing that looks wrong
 * @return 0; -PMG_E_DB
 */
int pmg_gates_check(struct pmg_store *store, const char *feed, struct pmg_strv *found,
		    struct pmg_err *err) PMG_MUST_CHECK;

#endif
