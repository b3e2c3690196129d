#ifndef PMG_VERDICT_GATES_H
#define PMG_VERDICT_GATES_H
/**
 * Does a new index look wrong beside the one it is to replace? Feeds are cut
 * short, rolled back and mistaken; each of these shows:
 *
 * - of a feed's records more than a tenth are gone, and are not withdrawn by their ids; or all
 * - the newest date of a feed goes back
 * - a name that everybody uses (popular.h) is called malware in all of its versions, and was not
 *   before
 */
#include "base/strv.h"
#include "store/store.h"

#define PMG_DIAG_FEED 3010 /* docs/codes/PMG3010.md */

/**
 * @param store  of a build (build.c) whose tables are filled, with the present index as `old`
 * @param feed   the one that was read
 * @param found  gets a line for each thing that looks wrong
 * @return 0; -PMG_E_DB
 */
int pmg_gates_check(struct pmg_store *store, const char *feed, struct pmg_strv *found,
		    struct pmg_err *err) PMG_MUST_CHECK;

#endif
